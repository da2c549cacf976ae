"""A file that is damaged, strange or hostile is a clear error, and nothing worse."""

import json
import os
import pickle
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from checkpoints import TEXT, contents, craft, fingerprint
from scipy.sparse import csr_array
from streams import blobs

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans, load, save

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


def test_what_is_no_checkpoint_is_refused(path):
    for data in (b"", b"PK", b"{}", pickle.dumps(DENSE), os.urandom(1000)):
        path.write_bytes(data)
        assert_refused(path, "not a checkpoint")
    np.savez(path, np.zeros(3))
    assert_refused(path, f"no item named '{TEXT}'")
    for text in (b"", b"[]", b"3", b"{}", b"\xff", b"[" * 100_000):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(TEXT, text)
        assert_refused(path)
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    assert_refused(path, "not a checkpoint")
    save(DENSE, path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert_refused(path, "Expected uncompressed members")
    with pytest.raises(FileNotFoundError):
        load(path.with_name("none"))
    with pytest.raises(OSError):
        load(path.parent)


class Evil:
    """Something that does harm when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("harm",)


@pytest.mark.parametrize("name", ["labels", "fitted/stream/totals/open_counts", "new"])
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
        ("version", 0, "format version 0"),
        ("version", "1", "format version '1'"),
        ("version", True, "format version True"),
        ("version", None, "format version None"),
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


def test_too_little_memory_is_not_taken_for_damage(path, monkeypatch):
    save(DENSE, path)

    def fail(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(np, "frombuffer", fail)
    with pytest.raises(MemoryError, match="does not fit into memory") as caught:
        load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "lie", ["(10**15,)", "(999999999999999,)", "(-1,)", "(1,)", "()", "(4, 2**62)", "(0,)"]
)
def test_lying_headers_are_refused(lie, path):
    save(DENSE, path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    head, data = members["fitted/stream/totals/open_counts.npy"].split(b"\n", 1)
    shape = f"({len(DENSE.counts_)},)".encode()
    assert head.count(shape) == 1
    lying = head.replace(shape, lie.encode()).strip().ljust(len(head))[: len(head)]
    members["fitted/stream/totals/open_counts.npy"] = lying + b"\n" + data
    with zipfile.ZipFile(path, "w") as archive:  # whose checksums are right
        for name, content in members.items():
            archive.writestr(name, content)
    assert_refused(
        path,
        "'fitted/stream/totals/open_counts.npy' is not an array of numbers|malformed|descr",
    )


@pytest.mark.parametrize("dtype", ["S0", "V0", "U3", "complex128", "M8[s]"])
def test_only_numbers_are_read(dtype, path):
    save(DENSE, path)
    text, arrays = contents(path)
    arrays["fitted/stream/totals/open_counts"] = np.zeros(10**6, dtype=dtype)
    craft(path, text, arrays)
    assert_refused(
        path, "'fitted/stream/totals/open_counts.npy' is not an array of numbers"
    )


def test_contents_that_claim_to_be_larger_than_the_file_are_refused(path):
    save(DENSE, path)
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        sizes = {info.file_size for info in archive.infolist()}
    size = max(sizes).to_bytes(4, "little")
    assert data.count(size) >= 2
    path.write_bytes(data.replace(size, (2**31).to_bytes(4, "little")))
    assert_refused(path, "Expected uncompressed members")


def test_arrays_of_the_other_byte_order_are_the_same(path):
    save(DENSE, path)
    text, arrays = contents(path)
    swapped = {
        name: array.astype(array.dtype.newbyteorder()) for name, array in arrays.items()
    }
    assert any(not array.dtype.isnative for array in swapped.values())
    craft(path, text, swapped)
    model = load(path)
    assert fingerprint(model) == fingerprint(DENSE)
    assert model.counts_.dtype.isnative


def test_numpy_and_json_can_read_a_checkpoint(path):
    save(PREFIX, path)
    with np.load(path, allow_pickle=False) as archive:
        text = json.loads(archive[TEXT].decode("utf-8"), parse_constant=pytest.fail)
    assert text["state"]["fitted"]["stream"]["max_clusters"] is None
    save(DENSE, path)
    with np.load(path, allow_pickle=False) as archive:
        np.testing.assert_array_equal(
            archive["fitted/stream/totals/open_counts"], DENSE.counts_
        )
        text = json.loads(archive[TEXT].decode("utf-8"))
    assert text["version"] == 1
    assert text["state"]["class"] == "OnlineKMeans"
    assert text["state"]["parameters"]["n_clusters"] == 3
