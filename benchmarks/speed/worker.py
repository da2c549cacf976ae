"""A process that times the package of whichever checkout its path begins with.

It is run as a file and imports nothing from here, so that the other checkout may be of any
age: all that it needs to have is `OnlineKMeans` with a keyword `k`. Orders come as lines of
JSON, and so do the answers.
"""

import hashlib
import json
import sys
import time

import numpy as np
from scipy.sparse import load_npz

import onlinekmeans_sklearn
from onlinekmeans_sklearn import OnlineKMeans

LONE_ROWS = 100


def seconds(call, X):
    """Return the seconds that the call takes on the rows."""
    start = time.perf_counter()
    call(X)
    return time.perf_counter() - start


def loaded(path):
    """Return the rows of a file, an array or CSR."""
    return np.load(path) if path.endswith(".npy") else load_npz(path).tocsr()


def prepared(order):
    """Return the rows, some of them alone, the model of an order, and what came out."""
    X = loaded(order["rows"])
    lone = [X[i : i + 1] for i in range(min(LONE_ROWS, X.shape[0]))]
    model = OnlineKMeans(k=order["k"], n_jobs=order["n_jobs"], random_state=0).fit(X)
    labels = np.ascontiguousarray(model.labels_, dtype=np.int32)
    digest = hashlib.sha256(labels.tobytes()).hexdigest()
    return X, lone, model, {"clusters": int(model.n_clusters_), "labels": digest}


def timed(X, lone, model):
    """Return the seconds of every call; of a lone row the median."""
    return {
        "fit": seconds(model.fit, X),
        "predict": seconds(model.predict, X),
        "one row": float(np.median([seconds(model.partial_fit, row) for row in lone])),
        "one prediction": float(np.median([seconds(model.predict, row) for row in lone])),
    }


def answer(result):
    """Write an answer, at once."""
    print(json.dumps(result), flush=True)


def main():
    """Say which package is imported, and then follow orders until there are no more."""
    answer({"package": onlinekmeans_sklearn.__file__})
    work = None
    for line in sys.stdin:
        order = json.loads(line)
        if order:
            *work, result = prepared(order)
        else:
            result = timed(*work)
        answer(result)


if __name__ == "__main__":
    main()
