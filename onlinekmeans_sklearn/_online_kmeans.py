"""The two estimators: Algorithms 2 and 3 of the paper, and Algorithm 1."""

from numbers import Real

import numpy as np

from ._base import BaseOnlineKMeans, check_integer, check_one_of
from ._schedule import Practical, SemiOnline, Theoretical


class OnlineKMeans(BaseOnlineKMeans):
    def __init__(
        self,
        k="auto",
        *,
        algorithm="practical",
        n_clusters=None,
        encode="onehot",
        n_jobs=None,
        random_state=None,
    ):
        self.k = k
        self.algorithm = algorithm
        self.n_clusters = n_clusters
        self.encode = encode
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_params(self):
        super()._check_params()
        check_one_of("algorithm", self.algorithm, ("practical", "theoretical"))

    def _schedule(self, n_rows):
        if self.algorithm == "practical":
            return Practical(self._resolved_k(default=100, per_cluster=15))
        return Theoretical(self._resolved_k(default=10, per_cluster=1))


class SemiOnlineKMeans(BaseOnlineKMeans):
    def __init__(
        self,
        k="auto",
        *,
        lower_bound=None,
        n_samples=None,
        n_clusters=None,
        encode="onehot",
        n_jobs=None,
        random_state=None,
    ):
        self.k = k
        self.lower_bound = lower_bound
        self.n_samples = n_samples
        self.n_clusters = n_clusters
        self.encode = encode
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_params(self):
        super()._check_params()
        check_integer("n_samples", self.n_samples, or_one_of=[None])
        if self.lower_bound is not None and not (
            isinstance(self.lower_bound, Real) and 0 < self.lower_bound < np.inf
        ):
            raise ValueError(
                f"Got lower_bound={self.lower_bound!r}, but expected None or a positive, "
                "finite number: a lower bound of the best k-means cost."
            )

    def _schedule(self, n_rows):
        k = self._resolved_k(default=10, per_cluster=1)
        n_samples = n_rows if self.n_samples is None else self.n_samples
        return SemiOnline(k, self.lower_bound, n_samples)
