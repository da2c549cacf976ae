"""How a call reads rows: an estimator does not change before the whole call is done.

What was learned is published in one assignment. So a failed call or a signal leaves, and
another thread sees, the state before the call or after it, never a mixture.
"""

import logging
from abc import abstractmethod
from contextlib import nullcontext

import numpy as np

from ._algorithm.random_numbers import draw_seed
from ._algorithm.stream import Stream
from ._fitted import FittedStream
from ._nearest.backend import warn_once_if_slow
from ._state.fitted import Fitted
from ._utils.calls import lock_of, shallow_copy, unchanged_on_error
from ._utils.validation import (
    plain_parameters,
    validate_weights,
    validate_X,
    warn_of_ignored,
)

_LOGGER = logging.getLogger("onlinekmeans_sklearn")
_NOTHING_TO_UNDO = nullcontext()
_FEATURES = ("n_features_in_", "feature_names_in_")


class StreamReader(FittedStream):
    """An estimator that can read; a subclass says which schedule its parameters ask for."""

    @abstractmethod
    def _schedule(self, n_rows):
        """Return the schedule of a stream whose first call has `n_rows` rows."""

    @abstractmethod
    def _warn_before_reading(self, stream, n_rows, is_partial):
        """Warn if the parameters do not suit the rows of a `fit` or `partial_fit`."""

    def _begin(self, X):
        """Return validated rows, an estimator that knows the features, and a new stream."""
        known = shallow_copy(self)  # nothing of this estimator changes before it has read
        X = validate_X(known, X, reset=True)
        return X, known, self._new_stream(X.shape[0])

    def _new_stream(self, n_rows):
        """Return a new stream whose first call has `n_rows` rows."""
        warn_once_if_slow()
        cap = int(self.max_clusters or 0) or np.inf
        half_life = int(getattr(self, "half_life", None) or 0) or np.inf
        seed, moves = draw_seed(self.random_state), self.n_clusters is not None
        return Stream(self._schedule(n_rows), seed, cap, half_life, moves)

    def _partial_fit(self, X, sample_weight, result=lambda X, fitted: fitted):
        """Continue the stream, or start one, and return a result.

        `result` gets the validated rows and what was learned, and is called before the
        estimator changes.
        """
        with lock_of(self):
            before = vars(self).get("_fitted")
            is_start = before is None
            self._check_params()
            with unchanged_on_error(self) if is_start else _NOTHING_TO_UNDO:
                if is_start:
                    X, known, stream = self._begin(X)
                else:
                    X, stream = validate_X(self, X, reset=False), before.stream
                weights = validate_weights(sample_weight, X, is_start)
                fitted = self._read(before, stream, X, weights, is_partial=True)
                returned = result(X, fitted)
                is_alone = vars(self).get("_fitted") is before
                if is_alone and is_start:
                    self._publish(fitted, known)
                elif is_alone:
                    self._fitted = fitted
        if not is_alone:
            raise RuntimeError(
                f"This {type(self).__name__} has read other rows while partial_fit was "
                "running, so the rows of that call were not taken: do not call fit or "
                "partial_fit from a signal handler or callback during another such call."
            )
        return returned

    def _read(self, before, stream, X, weights=None, is_partial=False, report=None):
        """Let the stream read rows, and return what is known then."""
        self._warn_before_reading(stream, X.shape[0], is_partial)
        extended, labels, d2 = stream.extend(X, self.n_jobs, report, weights)
        if extended.schedule is not stream.schedule:
            self._log_phases(stream, extended)
        if _LOGGER.isEnabledFor(logging.DEBUG):
            n_opened = extended.n_online - stream.n_online
            sizes = X.shape[0], n_opened, extended.n_seen, extended.n_online
            _LOGGER.debug("Read %d rows, opened %d centers: %d samples, %d centers", *sizes)
        labels.setflags(write=False)  # users see them
        return self._new_fitted(before, extended, (labels, d2))

    def _log_phases(self, before, after):
        for phase in after.schedule.phases:
            if phase[0] > before.n_seen:
                _LOGGER.info("New phase after %d samples, with facility cost %g", *phase)

    def _new_fitted(self, before, stream, last_rows):
        """Return what a call has learned, with the parameters now in force."""
        n_clusters = None if self.n_clusters is None else int(self.n_clusters)
        now, parameters = (stream, n_clusters, self.centers), vars(self)
        if before is None:
            start = {name: parameters[name] for name in self._read_at_start}
            return Fitted(*now, plain_parameters(start), last_rows)
        start = before.start_parameters
        if not start.items() <= parameters.items():
            warn_of_ignored(parameters, start)
        is_merged_again = before.n_clusters == n_clusters is not None
        last = before.final or before.last if is_merged_again else None
        return Fitted(*now, start, last_rows, last)

    def _publish(self, fitted, known):
        """Take over what was learned, and the feature attributes, in one assignment.

        So neither a signal handler nor another thread sees a mixture.
        """
        kept = {name: vars(self)[name] for name in vars(self) if name not in _FEATURES}
        self.__dict__ = {**kept, **known_features(known), "_fitted": fitted}


def known_features(estimator):
    """Return the attributes about features that an estimator has."""
    return {name: vars(estimator)[name] for name in _FEATURES if name in vars(estimator)}
