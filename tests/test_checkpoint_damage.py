"""A file that is damaged, strange or hostile is a clear error, and nothing worse."""

import json
import os
import pickle
import re
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


@pytest.fixture
def path(tmp_path):
    return tmp_path / "stream.npz"


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
    places = {*range(64), *range(len(data) - 100, len(data))}
    places |= {*rng.randint(len(data), size=150).tolist()}
    harmless = 0
    for place in places:
        damaged = bytearray(data)
        damaged[place] ^= rng.randint(1, 256)
        path.write_bytes(damaged)
        with suppress(ValueError):
            model = load(path)  # a date of the zip archive is not looked at, for example
            assert all_of(model) == all_of(MODELS[name])
            harmless += 1
    assert harmless < len(places) / 3


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


@pytest.mark.parametrize("name", ["labels", "stream.counts", "new"])
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


def with_value(array, place, value):
    changed = array.copy()
    changed[place] = value
    return changed


LARGEST = np.iinfo(np.int32).max
# what is changed in a checkpoint of the model, and into what; None takes it away
CRAFTED = [
    ("dense", "parameters.k", [3]),
    ("dense", "parameters.other", 3),
    ("dense", "parameters.k", None),
    ("dense", "parameters.encode", {"of": "stream"}),
    ("dense", "parameters", [3]),
    ("dense", "class", "Evil"),
    ("dense", "class", "SemiOnlineKMeans"),
    ("dense", "class", [1]),
    ("unfitted", "shares_random_state", True),
    ("dense", "shares_random_state", 1),
    ("sparse", "random_state.position", 625),
    ("sparse", "random_state.position", None),
    ("sparse", "random_state.key", lambda key: key[1:]),
    ("dense", "output", 3),
    ("dense", "output", ["pandas"]),
    ("dense", "feature_names", ["a", "b"]),
    ("dense", "feature_names", ["a", "b", 3]),
    ("dense", "feature_names", "abc"),
    ("dense", "schedule", None),
    ("dense", "schedule", 3),
    ("dense", "merged", None),
    ("dense", "merged", [2]),
    ("dense", "merged", ["3"]),
    ("dense", "merged", [0]),
    ("dense", "merged", [True]),
    ("dense", "stream.n_seen", 41),
    ("dense", "stream.n_seen", 40.0),
    ("dense", "stream.n_seen", 2**63),
    ("dense", "stream.n_seen", "40"),
    ("dense", "stream.max_clusters", 2),
    ("dense", "stream.max_clusters", 0),
    ("dense", "stream.max_clusters", "many"),
    ("dense", "stream.max_clusters", 2**31),
    ("dense", "n_clusters", 2**31),
    ("dense", "n_clusters", 0),
    ("dense", "stream.inertia", np.nan),
    ("dense", "stream.inertia", -1.0),
    ("dense", "stream.inertia", 3),
    ("dense", "centers", "medians"),
    ("dense", "centers", None),
    ("dense", "squared_distances", None),
    ("dense", "squared_distances", lambda d2: d2[1:]),
    ("dense", "squared_distances", lambda d2: d2 - 1),
    ("dense", "squared_distances", lambda d2: d2 * np.nan),
    ("dense", "squared_distances", lambda d2: d2.astype(np.float32)),
    ("dense", "schedule.class", "Schedule"),
    ("dense", "schedule.k", 0),
    ("dense", "schedule.k", True),
    ("dense", "schedule.k", 10**400),
    ("dense", "schedule.openings", -1),
    ("dense", "schedule.openings", 1000),
    ("dense", "schedule.growth", 3),
    ("dense", "schedule.log_n", 3.0),
    ("dense", "schedule.phases", 3),
    ("dense", "schedule.phases", []),
    ("dense", "schedule.phases", [3, 4.0]),
    ("dense", "schedule.phases", lambda phases: [phase[:1] for phase in phases]),
    ("dense", "schedule.phases", lambda phases: [[n, cost - 1e9] for n, cost in phases]),
    ("dense", "schedule.phases", lambda phases: [[n, cost * np.nan] for n, cost in phases]),
    ("dense", "schedule.phases", lambda phases: phases[::-1]),
    ("dense", "schedule.phases", lambda phases: [[n - 100, cost] for n, cost in phases]),
    ("dense", "schedule.phases", lambda phases: [[n + 100, cost] for n, cost in phases]),
    ("dense", "schedule.phases", lambda phases: [[float(n), cost] for n, cost in phases]),
    ("prefix", "schedule.openings", 7),
    ("prefix", "schedule.prefix_length", 8),
    ("sparse", "schedule.log_n", np.nan),
    ("sparse", "schedule.log_n", 0.5),
    ("sparse", "schedule.log_n", np.inf),
    ("dense", "stream.random_state.position", 625),
    ("dense", "stream.random_state.position", -1),
    ("dense", "stream.random_state.has_gauss", 2),
    ("dense", "stream.random_state.gauss", np.nan),
    ("dense", "stream.random_state.key", lambda key: key[1:]),
    ("dense", "stream.random_state.key", lambda key: key.astype(np.int64)),
    ("dense", "stream.centers.values", lambda rows: rows[1:]),
    ("dense", "stream.centers.values", lambda rows: rows[:0]),
    ("dense", "stream.centers.values", lambda rows: rows[:, :0]),
    ("dense", "stream.centers.values", lambda rows: rows[:, :2]),
    ("dense", "stream.centers.values", lambda rows: rows.ravel()),
    ("dense", "stream.centers.values", lambda rows: rows[:, :, None]),
    ("dense", "stream.centers.values", lambda rows: rows.astype(np.float16)),
    ("dense", "stream.centers.values", lambda rows: rows.astype(int)),
    ("dense", "stream.centers.values", lambda rows: with_value(rows, (1, 1), np.nan)),
    ("dense", "stream.centers.values", lambda rows: with_value(rows, (1, 1), np.inf)),
    ("dense", "stream.centers.values", lambda rows: with_value(rows, (1, 1), 1e200)),
    ("dense", "stream.centers.values", None),
    ("dense", "stream.centers.row_ends", 3),
    ("dense", "stream.sums.values", lambda sums: sums[1:]),
    ("dense", "stream.sums.values", lambda sums: sums.astype(np.float32)),
    ("dense", "stream.sums.values", lambda sums: with_value(sums, (1, 1), np.nan)),
    ("dense", "stream.sums.values", lambda sums: with_value(sums, (1, 1), 1e300)),
    ("dense", "stream.counts", lambda counts: counts[1:]),
    (
        "dense",
        "stream.counts",
        lambda counts: with_value(counts, [0, 1], [sum(counts[:2]), 0]),
    ),
    ("dense", "stream.counts", lambda counts: counts.astype(np.int32)),
    ("dense", "stream.counts", lambda counts: with_value(counts, 0, counts[0] + 1)),
    ("dense", "stream.opened_at", lambda positions: positions[::-1]),
    ("dense", "stream.opened_at", lambda positions: positions - 1),
    ("dense", "stream.opened_at", lambda positions: with_value(positions, -1, 40)),
    ("dense", "labels", lambda labels: labels + 30),
    ("dense", "labels", lambda labels: labels - 1),
    ("dense", "labels", lambda labels: labels[:0]),
    ("dense", "labels", lambda labels: labels.astype(np.int64)),
    ("dense", "labels", 3),
    ("dense", "merged.3.labels", lambda labels: labels + 3),
    ("dense", "merged.3.labels", lambda labels: labels - 3),
    ("dense", "merged.3.labels", lambda labels: labels[1:]),
    ("dense", "merged.3.centers.values", lambda rows: rows[1:]),
    ("dense", "merged.3.centers.values", lambda rows: rows[:, 1:]),
    ("dense", "merged.3.centers.values", lambda rows: rows * np.nan),
    ("dense", "merged.3.centers.values", lambda rows: rows * 1e200),
    ("dense", "merged", {"x": {"centers": {}}}),
    ("dense", "merged.3.labels", None),
    ("sparse", "stream.centers.n_features", 2),
    ("sparse", "stream.centers.n_features", 2**64),
    ("sparse", "stream.centers.values", lambda values: values[1:]),
    ("sparse", "stream.centers.values", lambda values: values * np.nan),
    ("sparse", "stream.centers.columns", lambda columns: columns + 1),
    ("sparse", "stream.centers.columns", lambda columns: columns - 1),
    ("sparse", "stream.centers.columns", lambda columns: columns[1:]),
    ("sparse", "stream.centers.columns", lambda columns: columns.astype(float)),
    ("sparse", "stream.centers.row_ends", lambda ends: ends[:0]),
    ("sparse", "stream.centers.row_ends", lambda ends: ends[:-1]),
    ("sparse", "stream.centers.row_ends", lambda ends: ends + 1),
    ("sparse", "stream.centers.row_ends", lambda ends: with_value(ends, 1, -5)),
    ("sparse", "stream.centers.row_ends", lambda ends: with_value(ends, 1, LARGEST)),
    (
        "sparse",
        "stream.centers.row_ends",
        # every difference of two int32 that come one after the other is not negative
        lambda ends: with_value(ends, [1, 2, 3], [LARGEST, -LARGEST - 1, -1]),
    ),
    ("sparse", "stream.sums.row_ends", lambda ends: with_value(ends, 1, 1000)),
    ("sparse", "stream.sums.columns", lambda columns: columns + 1),
    ("sparse", "stream.sums.columns", np.zeros_like),
    ("sparse", "stream.centers.columns", lambda columns: columns[::-1].copy()),
    ("sparse", "stream.sums.n_features", 4),
    ("sparse", "stream.sums.values", lambda values: values * 1e300),
]


# what is said of a field that is well by itself, but not beside the others
CONTRADICTIONS = {
    "other": "parameters to be algorithm, centers, encode",
    "class": "class to be one of|'parameters.lower_bound' must|a schedule out of",
    "shares_random_state": "'feature_names' must be",
    "centers": "centers to be samples or means",
    "squared_distances": "a squared distance for each label",
    "key": "random states of 624 numbers",
    "feature_names": "a name for each feature",
    "merged": "numbers of merged clusters|'merged.2.labels' must be",
    "n_seen": "counts of the clusters .* add up to n_seen",
    "max_clusters": "from 1 to max_clusters centers",
    "openings": "no more openings in a phase|all centers to be of an incomplete prefix",
    "prefix_length": "all centers to be of an incomplete prefix",
    "growth": "schedule to be class, k",
    "log_n": "schedule to be class, k",
    "phases": "phase 1, or all|cost for every phase|phases to start in order",
    "values": "a center, a sum, a count|centers and means with finite|max_clusters centers|"
    "rows to have features|value of a sparse matrix|3 merged centers",
    "columns": "value of a sparse matrix|rows to have features, in order",
    "row_ends": "value of a sparse matrix|'stream.centers.n_features' must be",
    "n_features": "value of a sparse matrix|a center, a sum",
    "counts": "a sum, a count|counts of the clusters to be positive",
    "opened_at": "positions of the centers to increase",
    "labels": "labels in the range|a label for each of|a squared distance for each label",
}


@pytest.mark.parametrize(
    ("name", "place", "change"),
    CRAFTED,
    ids=[f"{number} {place}" for number, (_, place, _) in enumerate(CRAFTED)],
)
def test_states_that_cannot_be_are_refused(name, place, change, path):
    save({**MODELS, "prefix": PREFIX}[name], path)
    text, arrays = contents(path)
    state, last = text["state"], place
    if place.startswith(("parameters.", "schedule.")):
        group, last = place.split(".")
        state = state[group]
    before = arrays.pop(place) if place in arrays else state.pop(last, None)
    if callable(change):
        change = change(before)
    got = "Got nothing" if change is None else "Got (?!nothing)"
    message = f"The field '{re.escape(place)}' must be .* {got}"
    field = place.split(".")[-1]
    if change is not None and field in CONTRADICTIONS:
        message += f"|(field|expected) .*({CONTRADICTIONS[field]})"
    if isinstance(change, np.ndarray):
        arrays[place] = change
    elif change is not None:
        state[last] = change
    craft(path, text, arrays)
    assert_refused(path, message)


def test_states_that_contradict_each_other_are_refused(path):
    save(DENSE, path)
    text, arrays = contents(path)
    craft(path, text, {**arrays, "stream.n_seen": np.array(40.0)})
    assert_refused(path, "The field 'stream.n_seen' must be int")
    for name in ("counts", "opened_at", "centers.values", "sums.values"):
        arrays[f"stream.{name}"] = arrays[f"stream.{name}"][:0]
    craft(path, text, arrays)
    assert_refused(path, "from 1 to max_clusters centers")

    save(SPARSE, path)
    text, arrays = contents(path)
    del text["state"]["stream.sums.n_features"]
    for name in ("columns", "row_ends"):
        del arrays[f"stream.sums.{name}"]
    arrays["stream.sums.values"] = np.zeros(SPARSE.cluster_centers_.shape)
    craft(path, text, arrays)
    assert_refused(path, "a center, a sum, a count and a position")


def test_names_for_a_huge_number_of_features_are_refused_without_counting_so_far(path):
    save(SPARSE, path)
    text, arrays = contents(path)
    sizes = [name for name in text["state"] if name.endswith(".n_features")]
    text["state"].update(dict.fromkeys(sizes, 2**62), feature_names=["a"])
    craft(path, text, arrays)
    assert_refused(path, "a name for each feature")


def test_too_little_memory_is_not_taken_for_damage(path, monkeypatch):
    save(DENSE, path)

    def fail(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(np, "frombuffer", fail)
    with pytest.raises(MemoryError, match="does not fit into memory") as caught:
        load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "lie",
    ["(10**15,)", "(999999999999999,)", "(-1,)", "(1,)", "()", "(4, 2**62)", "(0,)"],
)
def test_lying_headers_are_refused(lie, path):
    save(DENSE, path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    head, data = members["stream.counts.npy"].split(b"\n", 1)
    shape = f"({len(DENSE.counts_)},)".encode()
    assert head.count(shape) == 1
    lying = head.replace(shape, lie.encode()).strip().ljust(len(head))[: len(head)]
    members["stream.counts.npy"] = lying + b"\n" + data
    with zipfile.ZipFile(path, "w") as archive:  # whose checksums are right
        for name, content in members.items():
            archive.writestr(name, content)
    assert_refused(path, "'stream.counts.npy' is not an array of numbers|malformed|descr")


@pytest.mark.parametrize("dtype", ["S0", "V0", "U3", "complex128", "M8[s]"])
def test_only_numbers_are_read(dtype, path):
    save(DENSE, path)
    text, arrays = contents(path)
    craft(path, text, {**arrays, "stream.counts": np.zeros(10**6, dtype=dtype)})
    assert_refused(path, "'stream.counts.npy' is not an array of numbers")


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
    save(DENSE, path)
    with np.load(path, allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["stream.counts"], DENSE.counts_)
        text = json.loads(archive[TEXT].decode("utf-8"))
    assert text["version"] == 1
    assert text["state"]["class"] == "OnlineKMeans"
    assert text["state"]["parameters"]["n_clusters"] == 3
