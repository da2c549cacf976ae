"""What users do by habit with the estimators on Dask."""

import pickle

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed")
import dask
import dask.dataframe as dd
from streams import blobs

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
        joined = data.assign(label=labels).compute().sort_index()
        np.testing.assert_array_equal(joined["label"], labels.compute())
        assert pickle.loads(pickle.dumps(model)).n_clusters_ == 5


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("delayed", "put it into a list"),
        ("series", "to_frame"),
        ("nothing", "no partition"),
        ("arrays", "each made by dask.delayed"),
        ("array", "for data in memory"),
    ],
)
def test_what_is_no_collection_of_rows_comes_with_advice(kind, advice):
    made = {
        "delayed": lambda: dask.delayed(X),
        "series": lambda: dd.from_pandas(pd.Series(X[:, 0]), npartitions=2),
        "nothing": list,
        "arrays": lambda: [X, X],
        "array": lambda: X,
    }
    with pytest.raises(TypeError, match=advice):
        OnlineKMeans().fit(made[kind]())
