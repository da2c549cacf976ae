"""A state comes back from its archive bit for bit, and other archives are refused."""

import io
import zipfile

import numpy as np
import pytest
from checkpoints import TEXT, contents, craft, fingerprint
from sklearn.exceptions import InconsistentVersionWarning
from streams import blobs

from onlinekmeans_sklearn import OnlineKMeans, __version__, load, save
from onlinekmeans_sklearn._state.file import read, write

MODEL = OnlineKMeans(k=20, random_state=0).fit(blobs(0, 300))


STATE = {
    "class": "Any",
    "plain": {
        "numbers": [0, -0.0, 5e-324, 0.1, 1e308, np.nan, -np.inf, 2**80, True, None],
        "text": ["", '\u00e4\ud800\n"', ["nested", [1.5]]],
        "none": {},
    },
    "stream.counts": np.arange(3),
    "stream": {
        "counts": np.arange(4, dtype=np.uint8),
        "file": np.array([[np.nan, -0.0], [5e-324, np.inf]]),
        "deep": {"": np.zeros((0, 3), np.float32), "flags": np.array([True, False])},
        "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "swapped": np.arange(3, dtype=np.dtype(np.int16).newbyteorder()),
        "strided": np.arange(10)[::3],
    },
    "": {"counts": np.arange(5)},
    "counts": np.arange(6),
    "file": np.arange(7),
    "array": {"array": {"array": np.zeros(1)}, "npy": "array.npy"},
    TEXT.removesuffix(".json"): np.ones(2),
}


def plain(value):
    """Return a state in which arrays are compared by their dtypes, shapes and bits."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        native = value.astype(value.dtype.newbyteorder("="))
        return native.dtype.str, native.shape, native.tobytes()
    return type(value), repr(value)


def written(state):
    """Return a state as bytes."""
    file = io.BytesIO()
    assert write(file, state) == len(file.getvalue())
    return file.getvalue()


def test_a_nested_state_comes_back_bit_for_bit():
    state = read(written(STATE))
    assert plain(state) == plain(STATE)
    arrays = [*state["stream"].values(), *state["stream"]["deep"].values()]
    arrays = [array for array in arrays if isinstance(array, np.ndarray)]
    assert len(arrays) == 7
    assert all(a.dtype.isnative and a.flags.writeable and a.flags.owndata for a in arrays)
    with np.load(io.BytesIO(written(STATE)), allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["stream/counts"], np.arange(4))


@pytest.mark.parametrize(
    ("state", "error"),
    [
        ({"a": np.array([{}])}, TypeError),
        ({"a": np.array(["text"])}, TypeError),
        ({"a": np.zeros(1, complex)}, TypeError),
        ({"a": np.int64(3)}, TypeError),
    ],
    ids=str,
)
def test_what_would_not_come_back_is_not_written(state, error, path):
    path.write_bytes(b"old")
    with pytest.raises(error):
        write(path, {**STATE, **state})
    assert path.read_bytes() == b"old"


def zipped(members):
    """Return an archive of members, which are pairs of names and contents."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def test_bytes_around_a_checkpoint_are_refused(path):
    save(MODEL, path)
    data = path.read_bytes()
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"a comment"
    faulty = [path.read_bytes(), data[:-2] + b"\1\0", data[:-2] + b"\1\0-"]
    for other in (b"\0", b"0" * 22, b"0" * 70_000, data, data[-22:]):
        faulty += [data + other, other + data]
    for damaged in faulty:
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"appended|and no more|Bad magic"):
            load(path)
    path.write_bytes(data)
    assert load(path).k == 20


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_that_are_not_of_the_state_are_refused(path):
    save(MODEL, path)
    with zipfile.ZipFile(path) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    assert fingerprint(load(io.BytesIO(zipped(members)))) == fingerprint(MODEL)
    (name, content), *_ = members
    not_there = {
        "labels": "Got 'labels'",
        "new.npy": "expected known fields",
        "fitted/new.npy": "expected the fields",
        "fitted/stream/new.npy": "expected the fields",
        "notes.txt": "Got 'notes.txt'",
        "folder/": "KeyError.*folder",
        name: "different names",
        TEXT: "different names",
    }
    for other, message in not_there.items():
        with pytest.raises(ValueError, match=message):
            load(io.BytesIO(zipped([*members, (other, content)])))
    with pytest.raises(ValueError, match=r"missing 1 required|expected the fields"):
        load(io.BytesIO(zipped(members[1:])))


def test_an_array_has_a_place_of_its_own(path):
    save(MODEL, path)
    text, arrays = contents(path)
    for taken in (arrays["fitted/labels"].tolist(), None):
        text["state"]["fitted"]["labels"] = taken
        craft(path, text, arrays)
        with pytest.raises(ValueError, match=r"Got .fitted/labels\.npy"):
            load(path)


def test_another_version_of_the_same_format_is_loaded_with_a_warning(path):
    save(MODEL, path)
    text, arrays = contents(path)
    assert text["package"] == __version__
    craft(path, {**text, "package": "0.0.7"}, arrays)
    with pytest.warns(InconsistentVersionWarning, match="OnlineKMeans from") as caught:
        model = load(path)
    assert fingerprint(model) == fingerprint(MODEL)
    warning = caught[0].message
    assert warning.original_sklearn_version == "0.0.7"
    assert warning.current_sklearn_version == __version__
    assert caught[0].filename == __file__
    with pytest.raises(InconsistentVersionWarning):  # where warnings are errors, as here
        load(path)
