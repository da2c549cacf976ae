"""A reproduction of everything that the stress suite has found, by the name of the bug."""

import re
from pathlib import Path

import numpy as np
import pytest
from engines import THREADS, TINY, engine, tuned
from inside import index_dtype, int32_up_to, recorded_shares, stream_of
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans, SemiOnlineKMeans

from . import ADVICE, TESTS
from .found import FOUND
from .state import plain, state

pytestmark = pytest.mark.filterwarnings(f"ignore:{ADVICE}")

X = np.random.RandomState(0).normal(size=(100, 3))
y = np.arange(100) % 2


def test_integer_too_large_for_a_float():
    for model, rows in [
        (OnlineKMeans(), [[10**400]]),
        (SemiOnlineKMeans(lower_bound=10**400), X),
        (SemiOnlineKMeans(k=10**400, lower_bound=1.0), X),
    ]:
        with pytest.raises(ValueError):
            model.fit(rows)


def test_max_clusters_without_limit():
    with pytest.raises(ValueError):
        OnlineKMeans(max_clusters=10**30).fit(X).transform(X)
    model = OnlineKMeans(max_clusters=9).fit(X)
    for n_clusters in (10**400, -np.inf):
        with pytest.raises(ValueError, match="n_clusters"):
            model.set_params(n_clusters=n_clusters).get_feature_names_out()


def test_n_jobs_without_limit():
    with tuned(**TINY, **THREADS), recorded_shares() as shares:
        OnlineKMeans(n_jobs=300).fit(csr_array(X))
    assert 1 < max(shares) <= len(X)


def test_part_that_is_no_estimator():
    for parts in ({"classifier": 3}, {"clusterer": "k"}, {"classifier": OnlineKMeans()}):
        with pytest.raises((ValueError, TypeError)):
            ClusterFeaturesClassifier(**parts).fit(X, y)


def test_output_that_is_no_text():
    model = OnlineKMeans().fit(X)
    with pytest.raises((ValueError, TypeError)):
        model.set_output(transform=3).transform(X)


@pytest.mark.parametrize("numbers", [np.random.RandomState(0), np.random])
def test_random_numbers_of_a_failed_fit(numbers):
    model = OnlineKMeans(k=30, random_state=numbers).partial_fit(X)
    model.set_output(transform="pandas")  # CSR does not go into a data frame
    classifier = ClusterFeaturesClassifier(random_state=numbers)

    def everything():
        return state(model), state(classifier), plain(numbers.get_state())

    before = everything()
    with pytest.raises(ValueError, match="sparse"):
        model.fit_transform(X)
    with pytest.raises(ValueError, match="class"):
        classifier.fit(X, np.zeros(100))
    assert everything() == before
    model.fit(X)
    assert everything()[-1] != before[-1]


def test_random_numbers_of_features():
    features, labels = np.random.RandomState(0), np.random.RandomState(0)
    one = OnlineKMeans(k=30, random_state=features)
    other = OnlineKMeans(k=30, random_state=labels)
    for rows in (X[:50], X[50:51], X[51:]):
        one.partial_fit_transform(rows)
        other.partial_fit(rows)
    assert features.random_sample() == labels.random_sample()


def test_first_facility_cost_underflows():
    rows = np.vstack([np.zeros(3), [2e-162, 0.0, 0.0], X])
    model = OnlineKMeans(k=1, algorithm="theoretical", random_state=0).fit(rows)
    assert model.n_phases_ > 0
    assert model.facility_cost_ > 0


def test_distances_beyond_float32():
    rows = np.array([[3e38] * 3, [-3e38] * 3] * 8, dtype=np.float32)
    model = OnlineKMeans(encode="distance")
    with pytest.raises(ValueError, match=r"distances up to 1.04e\+39.*float32"):
        model.fit_transform(rows)
    assert model.fit_transform(rows.astype(np.float64)).max() > 1e39


def test_integers_of_8_bits():
    for name in ("k", "n_clusters", "max_clusters"):
        for algorithm in ("practical", "theoretical"):
            model = OnlineKMeans(algorithm=algorithm, random_state=0)
            usual = model.set_params(**{name: 5}).fit(X).labels_
            small = model.set_params(**{name: np.uint8(5)}).fit(X).labels_
            assert_array_equal(usual, small)
    caps = {"n_clusters": np.uint8(5), "max_clusters": 9}
    assert OnlineKMeans(encode="distance", **caps).fit_transform(X).shape == (100, 5)


def test_floats_of_16_bits():
    model = SemiOnlineKMeans(k=1, lower_bound=60000.0, n_samples=1, random_state=0)
    usual = model.fit(1e4 * X).facility_costs_
    small = model.set_params(lower_bound=np.float16(60000)).fit(1e4 * X).facility_costs_
    assert_array_equal(usual, small)


def test_numbers_beyond_int32():
    assert index_dtype(2**31 - 1) is np.int32
    assert index_dtype(2**31) is np.int64
    rows = csr_array(X)
    with engine("tiny blocks"):  # whose rows have fewer numbers than the centers
        usual = OnlineKMeans(k=60, random_state=0).fit(rows)
        with int32_up_to(60):
            beyond = OnlineKMeans(k=60, random_state=0).fit(rows)
            predicted = beyond.predict(rows)
    ends = np.array([0, 1], dtype=np.int64)
    kept = csr_array((np.ones(1), ends[:1], ends)).indptr.dtype  # old scipy has int32
    for model, dtype in ((usual, np.int32), (beyond, kept)):
        assert stream_of(model).centers.rows.indptr.dtype == dtype
    assert_array_equal(predicted, usual.predict(rows))
    for name in ("cluster_centers_", "cluster_means_"):
        for part in ("data", "indices", "indptr"):
            arrays = (getattr(getattr(model, name), part) for model in (usual, beyond))
            assert_array_equal(*arrays)


def test_columns_beyond_int32():
    width = 2**31 + 10
    columns = np.random.RandomState(0).choice([0, 5, 2**31 - 1, 2**31 + 9], size=60)
    arrays = np.arange(1.0, 61.0), columns.astype(np.int64), np.arange(61)
    rows = csr_array(arrays, shape=(60, width))
    whole = OnlineKMeans(max_clusters=8, random_state=0).fit(rows)
    single = OnlineKMeans(max_clusters=8, random_state=0)
    for i in range(60):
        single.partial_fit(rows[[i]])
    assert whole.cluster_means_.shape == (8, width)
    assert set(whole.cluster_means_.indices.tolist()) <= set(columns.tolist())
    for part in ("data", "indices", "indptr"):
        assert_array_equal(*(getattr(m.cluster_means_, part) for m in (whole, single)))
    assert single.predict(rows).tolist() == whole.predict(rows).tolist()


ELSEWHERE = {
    "numpy.random as random_state": "test_random_numbers_of_a_failed_fit",
    "broken sparse structure": "test_damaged_sparse_rows_are_refused",
    "inertia overflows": "test_a_cost_beyond_all_floats_is_infinite",
    "copies in threads": "test_copies_that_go_on_in_threads_are_as_if_alone",
    "merge overtaken by the stream": "test_a_merge_overtaken_by_the_stream_is_not_kept",
    "BLAS left at one thread": "test_blas_gets_its_threads_back_after_the_last_call",
    "n_jobs=-1 in a worker": "test_workers_of_joblib_share_the_cores",
    "memory of threads": "test_threads_stay_and_are_used_again",
    "merge of data far away": "test_any_stream_of_whole_numbers_can_be_moved",
    "merge with an outlier": "test_an_outlier_does_not_spoil_the_merge_of_the_others",
    "merge of far groups": "test_groups_far_from_each_other_are_both_merged_well",
    "dtype of rows that open nothing": "test_rows_that_open_no_center_do_not_change_dtypes",
    "tasks left on a scheduler": "test_a_task_is_the_same_whenever_it_is_computed",
    "features of delayed frames": "test_transform_and_predict_are_lazy_and_equal",
    "tasks of several results": "test_a_task_is_the_same_whenever_it_is_computed",
    "labels of other rows": "test_results_stay_with_their_rows_though_parts_share_an_index",
    "parts that are no arrays": "test_a_delayed_part_is_whatever_the_local_estimator_takes",
    "inputs that all parts share": "test_what_all_partitions_need_is_computed_once",
    "huge numbers in a checkpoint": "test_names_for_many_features_are_refused_uncounted",
    "int32 on Windows": "test_streams_start_where_numpy_counts_with_int32",
    "unaligned pickles": "test_centers_of_a_pickle_lie_where_kernels_may_read_them",
    "single wide rows": "test_wide_rows_one_by_one_are_what_they_are_in_a_block",
    "rows lost with a traceback": "test_rows_taken_are_not_lost_when_the_traceback_is",
    "signal lost with an estimator": "test_no_python_code_runs_when_an_estimator_dies",
    "signal lost in save": "test_save_raises_what_the_handler_raised",
    "file left open": "test_an_interrupted_save_leaves_no_file_open",
    "interrupted fit_predict": "test_an_interrupt_after_the_fit_takes_no_rows",
    "skops": "test_skops_needs_to_trust_nothing_but_the_estimators",
}


def test_everything_found_has_a_test():
    source = "".join(path.read_text() for path in Path(TESTS).rglob("test_*.py"))
    for bug in FOUND:
        name = ELSEWHERE.get(bug, "test_" + re.sub(r"\W", "_", bug))
        assert f"def {name}(" in source
    assert ELSEWHERE.keys() <= set(FOUND)
