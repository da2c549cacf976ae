"""What an estimator says of the stream that it has read: its fitted attributes."""

import copy
import math

import numpy as np
from sklearn.base import BaseEstimator

from ._algorithm.merge import cost
from ._encoding import as_configured
from ._utils.rollback import shallow_copy


class fitted(property):
    """A property that is not there, as scikit-learn has it, before `fit`."""

    def __set_name__(self, owner, name):
        self._attribute = name

    def __get__(self, estimator, owner=None):
        if estimator is not None and "_stream" not in vars(estimator):
            raise AttributeError(
                f"{type(estimator).__name__!r} object has no attribute "
                f"{self._attribute!r}: call 'fit' or 'partial_fit' first."
            )
        return super().__get__(estimator, owner)


class FittedStream(BaseEstimator):
    """An estimator that may have read a stream; a subclass knows its `_final_clusters`."""

    cluster_centers_ = fitted(
        lambda self: as_configured(self._final_clusters().centers.rows)
    )
    labels_ = fitted(lambda self: self._final_clusters().of_online[self.online_labels_])
    online_to_merged_ = fitted(lambda self: self._final_clusters().of_online.copy())
    n_clusters_ = fitted(  # which is known before the merge
        lambda self: min(len(self._stream.centers), self._n_clusters or math.inf)
    )
    online_centers_ = fitted(lambda self: as_configured(self._stream.centers.rows))
    cluster_means_ = fitted(
        lambda self: as_configured(self._stream.means.astype(self._stream.centers.dtype))
    )
    counts_ = fitted(lambda self: self._stream.counts.copy())
    opened_at_ = fitted(lambda self: self._stream.opened_at.copy())
    inertia_ = fitted(lambda self: cost(self._stream, self._final_clusters()))
    online_inertia_ = fitted(lambda self: self._stream.inertia)
    online_distances_ = fitted(lambda self: np.sqrt(self._online_d2))
    n_samples_seen_ = fitted(lambda self: self._stream.n_seen)
    facility_cost_ = fitted(lambda self: self._stream.schedule.facility_cost)
    n_phases_ = fitted(lambda self: len(self._stream.schedule.phases))
    facility_costs_ = fitted(
        lambda self: np.array([cost for _, cost in self._stream.schedule.phases])
    )
    phase_starts_ = fitted(
        lambda self: np.array([n for n, _ in self._stream.schedule.phases], dtype=np.int64)
    )

    def __sklearn_is_fitted__(self):
        return "_stream" in vars(self)

    def __dir__(self):
        """Return what is there, as scikit-learn does, but for what takes a merge.

        Its HTML representation evaluates all that is listed.
        """
        names, n_clusters = set(object.__dir__(self)), getattr(self, "_n_clusters", None)
        if n_clusters is not None and n_clusters not in self._final:
            names -= {"cluster_centers_", "inertia_", "labels_", "online_to_merged_"}
        return sorted(name for name in names if hasattr(self, name))

    def __copy__(self):
        """Return a copy whose random numbers are its own, so that it goes its own way."""
        other = shallow_copy(self)
        if isinstance(other.random_state, np.random.RandomState):
            other.random_state = copy.deepcopy(self.random_state)
        if "_stream" in vars(self):
            other._stream = copy.deepcopy(self._stream)
            if self.random_state is self._stream.random_state:
                other.random_state = other._stream.random_state
        return other
