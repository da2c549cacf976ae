"""The fitted attributes, which describe the stream that an estimator has read."""

import copy
import math
from functools import cached_property

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._algorithm.forgetting import every_cluster, every_opening
from ._algorithm.merge import cost, online_to_final
from ._encoding import as_configured, warn_of_many_columns
from ._state.fitted import fitted_from, plain_fitted
from ._state.version import VersionedStateMixin
from ._utils.calls import shallow_copy

_MERGED = ("cluster_centers_", "inertia_", "labels_", "merged_since_", "online_to_merged_")


def _own(rows):
    """Return rows to give to users: a copy of CSR, or an array, which is read-only."""
    return as_configured(rows.copy()) if issparse(rows) else rows


class FittedStream(VersionedStateMixin, BaseEstimator):
    """An estimator whose fitted attributes are all views of one, `_fitted`.

    `_fitted` is replaced as a whole, so an attribute never mixes two states.
    """

    @cached_property
    def _fitted(self):
        """What was learned. A fitted estimator has an attribute of that name instead."""
        check_is_fitted(self)
        return vars(self)["_fitted"]  # another thread has just stored it

    @property
    def cluster_centers_(self):
        """The final centers."""
        fitted = self._fitted  # read once: another thread may replace it
        final = fitted.final_clusters(self.n_jobs)
        if final.look is None:
            return _own(every_cluster(fitted.stream, final.centers.rows).rows)
        rows = final.centers.rows
        return rows.toarray() if issparse(rows) else rows  # as KMeans has them

    @property
    def labels_(self):
        """The final cluster of each sample of the last call."""
        return self._fitted.final_labels(self.n_jobs)

    @property
    def online_labels_(self):
        """The online cluster of each sample of the last call."""
        return self._fitted.last_rows[0]

    @property
    def online_to_merged_(self):
        """The final cluster of each online cluster."""
        fitted = self._fitted
        final = fitted.final_clusters(self.n_jobs)
        return online_to_final(fitted.stream, final, self.n_jobs)

    @property
    def merged_since_(self):
        """For each merged cluster, how many samples came before its id got its meaning."""
        look = self._fitted.final_clusters(self.n_jobs).look
        if look is None:
            raise AttributeError("merged_since_ needs merged clusters: set n_clusters.")
        return look.since.copy()

    @property
    def n_clusters_(self):
        """The number of final centers, which is known before the merge."""
        fitted = self._fitted
        if fitted.n_clusters is None:
            return fitted.stream.n_online
        return min(len(fitted.stream.centers), fitted.n_clusters)

    @property
    def online_centers_(self):
        """The samples at which the online clusters opened, or where they have moved."""
        return _own(every_cluster(self._stream).rows)

    @property
    def cluster_means_(self):
        """The mean of the samples of each online cluster."""
        stream = self._stream
        means = stream.means.astype(stream.centers.dtype)
        return _own(every_cluster(stream, means).rows)

    @property
    def counts_(self):
        """The number, or the weight, of the samples of each online cluster."""
        stream = self._stream
        is_number = stream.half_life == math.inf and not stream.is_weighted
        counts = np.zeros(stream.n_online, dtype=np.int64 if is_number else np.float64)
        counts[stream.ids] = stream.counts
        return counts

    @property
    def opened_at_(self):
        """The position in the stream of the sample that opened each online cluster."""
        return every_opening(self._stream)

    @property
    def inertia_(self):
        """The sum of squared distances of samples to the final center of their label."""
        fitted = self._fitted
        return cost(fitted.stream, fitted.final_clusters(self.n_jobs))

    @property
    def online_inertia_(self):
        """The sum of squared distances at the moment of assignment, the paper's W."""
        return self._stream.totals.cost

    @property
    def online_distances_(self):
        """The distance of each sample of the last call to its center, when it was read."""
        return np.sqrt(self._fitted.last_rows[1])

    @property
    def n_samples_seen_(self):
        """The number of samples of the stream so far."""
        return self._stream.n_seen

    @property
    def facility_cost_(self):
        """What opening a center costs now, the paper's f_r."""
        return self._stream.schedule.facility_cost

    @property
    def n_phases_(self):
        """The number of phases so far, the paper's r."""
        return self._stream.schedule.n_phases

    @property
    def facility_costs_(self):
        """What opening a center cost in each phase so far."""
        return np.array([cost for _, cost in self._stream.schedule.phases])

    @property
    def phase_starts_(self):
        """How many samples came before each phase."""
        return np.array([n for n, _ in self._stream.schedule.phases], dtype=np.int64)

    def _warn_after_fit(self, fitted):
        """Warn if there are too many columns."""
        if self.encode == "local":
            warn_of_many_columns(fitted.stream, fitted.n_clusters)

    @property
    def _stream(self):
        """The stream that was read."""
        return self._fitted.stream

    def __sklearn_is_fitted__(self):
        return "_fitted" in vars(self)

    def __dir__(self):
        """Return the names of attributes that exist, except those that need a merge first.

        scikit-learn's HTML representation evaluates every attribute that is listed.
        """
        names, fitted = set(object.__dir__(self)), vars(self).get("_fitted")
        if fitted and fitted.n_clusters is not None and fitted.final is None:
            names -= {*_MERGED}
        return sorted(name for name in names if hasattr(self, name))

    def __getstate__(self):
        """Return a plain state; parameters, and attributes of users, stay as they are."""
        state = super().__getstate__()
        if "_fitted" in state:
            state["_fitted"] = plain_fitted(state["_fitted"])
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_fitted" in state:
            self._fitted = fitted_from(state["_fitted"])

    def __copy__(self):
        """Return a copy, which continues independently: learned state never changes."""
        return shallow_copy(self)

    def __deepcopy__(self, memo):
        memo[id(self)] = other = shallow_copy(self)
        for name, value in vars(self).items():
            if name != "_fitted":
                setattr(other, name, copy.deepcopy(value, memo))
        return other
