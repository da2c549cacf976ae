"""What users do by habit with the estimators on Dask."""

import copy
import pickle
import threading
import warnings
from unittest import mock

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed")
import dask
import dask.array as da
import dask.dataframe as dd
from at_once import PATIENCE
from dask_clusters import assert_same, assert_same_clusters
from inside import replaced
from scipy.sparse import coo_array, coo_matrix, csc_array
from sklearn.exceptions import InconsistentVersionWarning
from streams import blobs

import onlinekmeans_sklearn as local_models
from onlinekmeans_sklearn._dask import worker
from onlinekmeans_sklearn.dask import OnlineKMeans

X = blobs(0, 600)


def test_results_of_frames_become_arrays_and_columns():
    frame = pd.DataFrame(X).add_prefix("x")
    parts = [dask.delayed(frame[i : i + 200]) for i in range(0, 600, 200)]
    for data in (
        dd.from_pandas(frame, npartitions=3),
        dd.from_delayed(parts, meta=frame[:0]),
    ):
        model = OnlineKMeans(5, encode="onehot-dense", random_state=0).fit(data)
        for result in (model.predict(data), model.labels_, model.transform(data)):
            expected = result.compute().to_numpy()
            np.testing.assert_array_equal(result.values.compute(), expected)
            whole = result.to_dask_array(lengths=True)
            np.testing.assert_array_equal(whole.compute(), expected)
        labels = model.predict(data)
        assert labels.name == labels.compute().name == "cluster"
        assert model.online_distances_.name == "distance"
        joined = data.assign(label=labels).compute()
        np.testing.assert_array_equal(joined["label"], labels.compute())
        assert pickle.loads(pickle.dumps(model)).n_clusters_ == 5


def part_of(start):
    """Return a part of the rows, whose index starts at 0 as that of a file does."""
    return pd.DataFrame(X[start : start + 100]).add_prefix("x")


def test_results_stay_with_their_rows_though_parts_share_an_index():
    frame = dd.from_map(part_of, range(0, 600, 100), meta=part_of(0)[:0])
    rows = frame[["x1", "x0"]]
    model = OnlineKMeans(k=20, encode="ordinal", random_state=0)
    decided = model.partial_fit_transform(rows)["onlinekmeans0"]
    local = local_models.OnlineKMeans(k=20, random_state=0).fit(rows.compute())
    nearest = local.predict(rows.compute())
    for lazy, expected in [
        (decided, local.labels_),
        (model.labels_, local.labels_),
        (model.predict(rows), nearest),
        (model.transform(rows)["onlinekmeans0"], nearest),
    ]:
        joined = frame.assign(cluster=lazy).compute()
        np.testing.assert_array_equal(joined["x0"], X[:, 0])
        np.testing.assert_array_equal(joined["cluster"], expected)
        np.testing.assert_array_equal(frame[lazy == 1]["x0"].compute(), X[expected == 1, 0])
        assert frame.groupby(lazy).size().compute()[1] == (expected == 1).sum()
        np.testing.assert_array_equal(lazy.partitions[3].compute(), expected[300:400])
        np.testing.assert_array_equal(lazy.repartition(npartitions=2).compute(), expected)


@pytest.fixture
def loads():
    """The parts that were loaded, in this thread."""
    with dask.config.set(scheduler="synchronous"):
        yield []


def loader(loads):
    """Return a function that loads a part, and notes it."""

    def load(start):
        loads.append(start)
        return part_of(start)

    return load


def test_values_of_one_partition_of_a_frame_need_no_other(loads):
    frame = frame_of_loads(loader(loads))
    model = OnlineKMeans(k=20, encode="ordinal", random_state=0)
    decided = model.partial_fit_transform(frame)["onlinekmeans0"]
    for lazy in (decided, model.labels_, model.online_distances_):
        for one in (lazy.partitions[3], frame.assign(c=lazy).partitions[3]):
            loads.clear()
            assert len(one.compute()) == 100
            assert loads == [300]
        first = lazy.values.blocks[0].compute()
        np.testing.assert_array_equal(first, lazy.compute()[:100])


@pytest.mark.parametrize("encode", ["onehot", "onehot-dense"])
def test_features_of_a_frame_of_float32_are_float32(encode):
    parts = [part_of(i).astype(np.float32) for i in (0, 100)]
    data = dd.from_map(
        lambda i: parts[i // 2][: 100 * (i % 2)], range(4), meta=parts[0][:0]
    )
    model = OnlineKMeans(k=20, encode=encode, random_state=0).fit(data)
    features = model.transform(data)
    expected = model.to_local().transform(pd.concat(parts))
    for found in (features, features.compute()):
        dtypes = {found.dtype} if encode == "onehot" else set(found.dtypes)
        assert dtypes == {expected.dtype} == {np.dtype(np.float32)}


@pytest.mark.parametrize("kind", [np.ndarray.tolist, coo_matrix, coo_array, csc_array])
@pytest.mark.parametrize("index", [0, 2])
def test_a_delayed_part_is_whatever_the_local_estimator_takes(kind, index):
    parts = [X[i : i + 200] for i in range(0, 600, 200)]
    parts[index] = kind(parts[index])
    model = OnlineKMeans(k=20, random_state=0).fit([dask.delayed(i) for i in parts])
    local = local_models.OnlineKMeans(k=20, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_.compute(), local.labels_)


def frame_of_loads(load):
    return dd.from_map(load, range(0, 600, 100), meta=part_of(0)[:0])


def array_of_loads(load):
    parts = [dask.delayed(load, pure=False)(i).to_numpy() for i in range(0, 600, 100)]
    return da.concatenate([da.from_delayed(i, (100, X.shape[1]), float) for i in parts])


@pytest.mark.parametrize("collection", [frame_of_loads, array_of_loads])
def test_what_all_partitions_need_is_computed_once(collection, loads):
    rows = collection(loader(loads))
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    expected = local_models.OnlineKMeans(k=20, random_state=0).fit(scaled.compute())
    once = len(loads)
    model = OnlineKMeans(k=20, random_state=0).fit(scaled)
    assert len(loads) - once <= once + 6
    loads.clear()
    model.score(scaled)
    assert len(loads) <= once + 6
    assert model.inertia_ == expected.inertia_


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (X[0], "Expected 2D array, got 1D array instead"),
        (3, "Expected 2D array, got scalar array instead"),
        (X[:, :0], "Found array with 0 feature"),
    ],
)
def test_a_part_of_another_shape_is_refused_as_locally(part, message):
    whole = [da.from_array(part)] if np.ndim(part) else []
    for rows in ([dask.delayed(part)], *whole):
        with pytest.raises(ValueError, match=message):
            OnlineKMeans().fit(rows)


@pytest.mark.parametrize(
    ("made", "advice"),
    [
        (lambda: dask.delayed(X), "Got Delayed.* instead. Put a single .* into a list"),
        (
            lambda: dd.from_pandas(pd.Series(X[:, 0]), npartitions=2),
            r"Got Series instead.* make a series a frame with X.to_frame\(\)",
        ),
        (list, "one or more partitions, .* Got an empty list instead"),
        (da.from_array(X, chunks=100).to_delayed, "pass the Dask array itself"),
        (lambda: [X, X], "each made by dask.delayed. Got list instead"),
        (lambda: X, r"Got ndarray instead.* For data in memory use to_local\(\)"),
        (lambda: csc_array(X), r"For data in memory use to_local\(\)"),
        (lambda: pd.DataFrame(X), r"For data in memory use to_local\(\)"),
        (lambda: None, "Got NoneType instead"),
        (lambda: "rows", "Got str instead"),
    ],
)
def test_what_is_no_collection_of_rows_comes_with_advice(made, advice):
    expected = rf"(?s)^Expected a Dask array, a Dask dataframe or.*{advice}"
    model = OnlineKMeans(k=20).fit(da.from_array(X, chunks=(200, X.shape[1])))
    rows, calls = made(), [OnlineKMeans().fit, model.predict]
    if rows is not None:  # which asks partial_fit for another merge
        calls.append(model.partial_fit)
    for call in calls:
        with pytest.raises(TypeError, match=expected):
            call(rows)


def test_a_pickle_of_another_version_is_read_with_a_warning():
    rows = da.from_array(X, chunks=(200, X.shape[1]))
    model = OnlineKMeans(k=20, random_state=0).fit(rows)
    with replaced("VERSION", "0.0.7"):
        data = pickle.dumps(model)
    with pytest.warns(InconsistentVersionWarning):
        other = pickle.loads(data)
    assert_same_clusters(other, model.to_local())
    assert X[300:310].tobytes() not in data  # no graph, which has the rows
    assert len(other.labels_) == 0
    local = local_models.OnlineKMeans(k=20, random_state=0).fit(X)
    assert_same(copy.deepcopy(model), local)  # which stays in this process


def test_a_column_of_strings_is_named():
    frame = pd.DataFrame(X).add_prefix("x").assign(name="a")
    with pytest.raises(ValueError, match="column 'name' of strings"):
        OnlineKMeans().fit(dd.from_pandas(frame, npartitions=2))


def test_only_public_names_are_listed():
    names = {name for name in dir(local_models.dask) if not name.startswith("__")}
    assert names == {"OnlineKMeans", "SemiOnlineKMeans"}


def test_attributes_are_listed_when_there_are_any():
    model = OnlineKMeans(k=20, random_state=0)
    assert not hasattr(model, "set_output")
    assert "labels_" not in dir(model)
    assert not hasattr(model, "labels_")
    model.fit(da.from_array(X, chunks=(200, X.shape[1])))
    assert {"labels_", "cluster_centers_", "n_features_in_", "fit"} <= {*dir(model)}


def test_two_threads_of_a_worker_leave_the_filters_of_warnings_as_they_are():
    checker, usual = local_models.OnlineKMeans().fit(X), worker.validate_X
    first, second = X[:5], X[5:9]
    is_in, is_out = threading.Event(), threading.Event()
    other = threading.Thread(target=worker.rows_of, args=(second, checker))

    def validate(checker, part, reset):
        """Let the first begin, then the second; the first ends, then the second."""
        if part is first:
            other.start()
            assert is_in.wait(PATIENCE)
        else:
            is_in.set()
            assert is_out.wait(PATIENCE)
        return usual(checker, part, reset=reset)

    with warnings.catch_warnings():
        before = warnings.filters[:]
        with mock.patch.object(worker, "validate_X", validate):
            worker.rows_of(first, checker)
            is_out.set()
            other.join(PATIENCE)
        assert warnings.filters == before
