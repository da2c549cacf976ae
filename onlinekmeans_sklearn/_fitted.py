"""The fitted attributes, which describe the stream that an estimator has read."""

import copy
import math

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from ._algorithm.merge import cost
from ._encoding import as_configured
from ._utils.doc_link import DocumentationLinkMixin
from ._utils.rollback import shallow_copy


class fitted(property):
    """A property that does not exist before `fit`, as scikit-learn expects."""

    def __set_name__(self, owner, name):
        self._attribute = name

    def __get__(self, estimator, owner=None):
        if estimator is not None and "_stream" not in vars(estimator):
            raise AttributeError(
                f"{type(estimator).__name__!r} object has no attribute "
                f"{self._attribute!r}: call 'fit' or 'partial_fit' first."
            )
        return super().__get__(estimator, owner)


def _own(rows):
    """Return rows to give to users: a copy of CSR, or an array, which is read-only."""
    return as_configured(rows.copy()) if issparse(rows) else rows


class FittedStream(DocumentationLinkMixin, BaseEstimator):
    """An estimator with a `_stream` once it is fitted; a subclass has `_final_clusters`."""

    @fitted
    def cluster_centers_(self):
        """The final centers."""
        return _own(self._final_clusters().centers.rows)

    @fitted
    def labels_(self):
        """The final cluster of each sample of the last call."""
        return self._final_clusters().of_online[self.online_labels_]

    @fitted
    def online_to_merged_(self):
        """The final cluster of each online cluster."""
        return self._final_clusters().of_online.copy()

    @fitted
    def n_clusters_(self):
        """The number of final centers, which is known before the merge."""
        return min(len(self._stream.centers), self._n_clusters or math.inf)

    @fitted
    def online_centers_(self):
        """The samples at which the online clusters opened."""
        return _own(self._stream.centers.rows)

    @fitted
    def cluster_means_(self):
        """The mean of the samples of each online cluster."""
        return as_configured(self._stream.means.astype(self._stream.centers.dtype))

    @fitted
    def counts_(self):
        """The number of samples of each online cluster."""
        return self._stream.counts.copy()

    @fitted
    def opened_at_(self):
        """The position in the stream of the sample that opened each online cluster."""
        return self._stream.opened_at.copy()

    @fitted
    def inertia_(self):
        """The sum of squared distances of samples to the final center of their label."""
        return cost(self._stream, self._final_clusters())

    @fitted
    def online_inertia_(self):
        """The sum of squared distances at the moment of assignment, the paper's W."""
        return self._stream.inertia

    @fitted
    def online_distances_(self):
        """The distance of each sample of the last call to its center, when it was read."""
        return np.sqrt(self._online_d2)

    @fitted
    def n_samples_seen_(self):
        """The number of samples of the stream so far."""
        return self._stream.n_seen

    @fitted
    def facility_cost_(self):
        """What opening a center costs now, the paper's f_r."""
        return self._stream.schedule.facility_cost

    @fitted
    def n_phases_(self):
        """The number of phases so far, the paper's r."""
        return len(self._stream.schedule.phases)

    @fitted
    def facility_costs_(self):
        """What opening a center cost in each phase so far."""
        return np.array([cost for _, cost in self._stream.schedule.phases])

    @fitted
    def phase_starts_(self):
        """How many samples came before each phase."""
        return np.array([n for n, _ in self._stream.schedule.phases], dtype=np.int64)

    def __sklearn_is_fitted__(self):
        return "_stream" in vars(self)

    def __dir__(self):
        """Return the names of attributes that exist, except those that need a merge first.

        scikit-learn's HTML representation evaluates every attribute that is listed.
        """
        names, n_clusters = set(object.__dir__(self)), getattr(self, "_n_clusters", None)
        if n_clusters is not None and n_clusters not in self._final:
            names -= {"cluster_centers_", "inertia_", "labels_", "online_to_merged_"}
        return sorted(name for name in names if hasattr(self, name))

    def __copy__(self):
        """Return a copy with random numbers of its own, which goes on independently."""
        other = shallow_copy(self)
        if isinstance(other.random_state, np.random.RandomState):
            other.random_state = copy.deepcopy(self.random_state)
        if "_stream" in vars(self):
            other._stream = copy.deepcopy(self._stream)
            if self.random_state is self._stream.random_state:
                other.random_state = other._stream.random_state
        return other
