"""A file that is damaged, strange or hostile is a clear error, and nothing worse."""

import io
import json
import os
import pickle
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from checkpoints import TEXT, contents, craft, fingerprint
from scipy.sparse import csr_array
from sklearn.exceptions import InconsistentVersionWarning
from streams import blobs

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans, __version__, load, save

COUNTS = "fitted/stream/totals/open_counts"  # a member that is an array
X = np.maximum(blobs(0, 40), 0)
DENSE = OnlineKMeans(k=20, n_clusters=3, max_clusters=30, random_state=0).fit(X)
SPARSE = SemiOnlineKMeans(k=1, random_state=np.random.RandomState(0)).fit(csr_array(X))
PREFIX = OnlineKMeans(k=20, random_state=0).partial_fit(X[:8])
MODELS = {"dense": DENSE, "sparse": SPARSE, "unfitted": OnlineKMeans()}


def assert_refused(path, message="Cannot load"):
    """Check that load says what is wrong, and with which file."""
    with pytest.raises(ValueError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", MODELS)
def test_a_file_that_was_cut_short_is_refused(name, path):
    save(MODELS[name], path)
    data = path.read_bytes()
    lengths = {*range(0, len(data), 61), 1, 2, 3, len(data) - 1, len(data) - 2}
    for length in lengths:
        path.write_bytes(data[:length])
        assert_refused(path, "not a checkpoint, or bytes are missing")
    path.write_bytes(data)
    load(path)


def all_of(model):
    """Return what there is to know of an estimator, fitted or not."""
    params = {**model.get_params(), "random_state": None}
    return params, fingerprint(model) if hasattr(model, "labels_") else None


@pytest.mark.parametrize("name", MODELS)
def test_a_flipped_byte_is_seen_or_makes_no_difference(name, path):
    save(MODELS[name], path)
    data, rng = path.read_bytes(), np.random.RandomState(0)
    indices = {*range(64), *range(len(data) - 100, len(data))}
    indices |= {*rng.randint(len(data), size=150).tolist()}
    harmless = 0
    for index in indices:
        damaged = bytearray(data)
        damaged[index] ^= rng.randint(1, 256)
        path.write_bytes(damaged)
        with suppress(ValueError):
            model = load(path)  # a date of the zip archive is not looked at, for example
            assert all_of(model) == all_of(MODELS[name])
            harmless += 1
    assert harmless < len(indices) / 3


def members_of(path):
    """Return the contents of the members of an archive, by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(path, members, compression=zipfile.ZIP_STORED):
    """Write an archive, whose checksums are right, of pairs of names and contents."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)


def test_what_is_no_checkpoint_is_refused(path):
    numbers = io.BytesIO()
    np.save(numbers, np.zeros(3))
    nothing = [b"", b"PK", b"{}", pickle.dumps(DENSE), os.urandom(1000)]
    for data in [*nothing, numbers.getvalue()]:
        path.write_bytes(data)
        assert_refused(path, "not a checkpoint")
    np.savez(path, np.zeros(3))
    assert_refused(path, f"no item named '{TEXT}'")
    for text in (b"", b"[]", b"3", b"{}", b"\xff", b"[" * 100_000):
        zipped(path, [(TEXT, text)])
        assert_refused(path)
    save(DENSE, path)
    zipped(path, members_of(path).items(), zipfile.ZIP_DEFLATED)
    assert_refused(path, "Expected uncompressed members")
    with pytest.raises(FileNotFoundError):
        load(path.with_name("none"))
    with pytest.raises(OSError):
        load(path.parent)


def test_bytes_around_a_checkpoint_are_refused(path):
    save(DENSE, path)
    data = path.read_bytes()
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"a comment"
    faulty = [path.read_bytes(), data[:-2] + b"\1\0", data[:-2] + b"\1\0-"]
    for other in (b"\0", b"0" * 22, b"0" * 70_000, data, data[-22:]):
        faulty += [data + other, other + data]
    for damaged in faulty:
        path.write_bytes(damaged)
        assert_refused(path, r"appended|and no more|Bad magic")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_that_are_not_of_the_state_are_refused(path):
    save(DENSE, path)
    members = [*members_of(path).items()]
    zipped(path, members)
    assert fingerprint(load(path)) == fingerprint(DENSE)
    (name, content), *others = members
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
        zipped(path, [*members, (other, content)])
        assert_refused(path, message)
    zipped(path, others)
    assert_refused(path, r"missing 1 required|expected the fields")


def test_an_array_has_a_place_of_its_own(path):
    save(DENSE, path)
    text, arrays = contents(path)
    for taken in (arrays["fitted/labels"].tolist(), None):
        text["state"]["fitted"]["labels"] = taken
        craft(path, text, arrays)
        assert_refused(path, r"Got .fitted/labels\.npy")


def test_another_version_of_the_same_format_is_loaded_with_a_warning(path):
    save(DENSE, path)
    text, arrays = contents(path)
    assert text["package"] == __version__
    craft(path, {**text, "package": "0.0.7"}, arrays)
    with pytest.warns(InconsistentVersionWarning, match="OnlineKMeans from") as caught:
        model = load(path)
    assert fingerprint(model) == fingerprint(DENSE)
    warning = caught[0].message
    assert warning.original_sklearn_version == "0.0.7"
    assert warning.current_sklearn_version == __version__
    assert caught[0].filename == __file__
    with pytest.raises(InconsistentVersionWarning):  # where warnings are errors, as here
        load(path)


class Evil:
    """Something that does harm when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("harm",)


@pytest.mark.parametrize("name", ["labels", COUNTS, "new"])
def test_pickles_are_refused_and_never_executed(name, path, monkeypatch):
    monkeypatch.chdir(path.parent)
    save(DENSE, path)
    text, arrays = contents(path)
    arrays[name] = np.array([Evil()], dtype=object)
    craft(path, text, arrays)
    assert_refused(path, "not an array of numbers")
    assert os.listdir() == ["stream.npz"]
    with np.load(path, allow_pickle=True) as archive:  # the file itself is harmful
        archive[name]
    assert "harm" in os.listdir()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("version", 2, r"OnlineKMeans in format version 2, .* 9\.9, .*expects .*version 1"),
        *(("version", bad, f"format version {bad!r}") for bad in (0, "1", True, None)),
        ("state", [], "'list' object has no attribute"),
        ("state", None, "'NoneType' object has no attribute"),
    ],
)
def test_other_formats_are_refused(key, value, message, path):
    save(DENSE, path)
    text, arrays = contents(path)
    craft(path, {**text, "package": "9.9", key: value}, arrays)
    assert_refused(path, message)
    del text[key]
    craft(path, text, arrays)
    assert_refused(path)


@pytest.mark.parametrize(
    "lie", ["(10**15,)", "(999999999999999,)", "(-1,)", "(1,)", "()", "(4, 2**62)", "(0,)"]
)
def test_lying_headers_are_refused(lie, path):
    save(DENSE, path)
    members = members_of(path)
    head, data = members[f"{COUNTS}.npy"].split(b"\n", 1)
    shape = f"({len(DENSE.counts_)},)".encode()
    assert head.count(shape) == 1
    lying = head.replace(shape, lie.encode()).strip().ljust(len(head))[: len(head)]
    zipped(path, {**members, f"{COUNTS}.npy": lying + b"\n" + data}.items())
    assert_refused(path, f"'{COUNTS}.npy' is not an array of numbers|malformed|descr")


@pytest.mark.parametrize("dtype", ["S0", "V0", "U3", "complex128", "M8[s]"])
def test_only_numbers_are_read(dtype, path):
    save(DENSE, path)
    text, arrays = contents(path)
    craft(path, text, {**arrays, COUNTS: np.zeros(10**6, dtype=dtype)})
    assert_refused(path, f"'{COUNTS}.npy' is not an array of numbers")


def test_contents_that_claim_to_be_larger_than_the_file_are_refused(path):
    save(DENSE, path)
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        sizes = {info.file_size for info in archive.infolist()}
    size = max(sizes).to_bytes(4, "little")
    assert data.count(size) >= 2
    path.write_bytes(data.replace(size, (2**31).to_bytes(4, "little")))
    assert_refused(path, "Expected uncompressed members")


def test_arrays_of_the_other_byte_order_or_in_fortran_order_are_the_same(path):
    save(DENSE, path)
    text, arrays = contents(path)
    swapped = {
        name: np.asfortranarray(array.astype(array.dtype.newbyteorder()))
        for name, array in arrays.items()
    }
    assert any(not array.dtype.isnative for array in swapped.values())
    craft(path, text, swapped)
    model = load(path)
    assert fingerprint(model) == fingerprint(DENSE)
    assert model.counts_.dtype.isnative


def test_numpy_and_json_can_read_a_checkpoint(path):
    for model in (PREFIX, DENSE):
        save(model, path)
        with np.load(path, allow_pickle=False) as archive:
            text = json.loads(archive[TEXT].decode("utf-8"), parse_constant=pytest.fail)
            np.testing.assert_array_equal(archive[COUNTS], model.counts_)
        assert text["version"] == 1
        assert text["state"]["class"] == "OnlineKMeans"
        assert text["state"]["parameters"]["n_clusters"] == model.n_clusters
        assert text["state"]["fitted"]["stream"]["max_clusters"] == model.max_clusters
