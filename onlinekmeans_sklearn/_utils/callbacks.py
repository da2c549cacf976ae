"""Progress of `fit` for scikit-learn's callbacks, available from version 1.9 on."""

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:
        """Without callbacks there is nothing to support."""

    def with_callbacks(method):
        """Return the method: without callbacks it needs nothing around it."""
        return method


# scikit-learn has no public way to ask whether an estimator has callbacks, its own or those
# of a meta-estimator. Without callbacks `fit` should not make a context or snapshots. Only
# here are the private attributes named: if scikit-learn renames them, progress is no longer
# reported, and nothing else changes.
_CALLBACK_ATTRIBUTES = {"_skl_callbacks", "_parent_callback_ctx"}
_SHARES = 50  # of the rows, after each of which the callbacks are called


def reporter_for(estimator, X, y, n_steps):
    """Return a reporter of the steps of `fit` if the estimator has callbacks, else None."""
    has_callbacks = vars(estimator).keys() & _CALLBACK_ATTRIBUTES
    return Reporter(estimator, X, y, n_steps) if has_callbacks else None


class Reporter:
    """Reports to the callbacks of an estimator how much of `X` its `fit` has read.

    Their requests to stop are ignored: a pass cut short has no labels for the rest.
    """

    def __init__(self, estimator, X, y, n_steps):
        self._task = {"estimator": estimator, "X": X, "y": y}
        self._n_steps, self._n_reported = n_steps, 0
        self._shares = min(_SHARES, n_steps)
        self._context = estimator._init_callback_context(max_subtasks=self._shares)
        self._context.call_on_fit_task_begin(**self._task)

    def update(self, n_done, attributes):
        """Report how many steps are done; `attributes()` returns what is fitted so far."""
        while (self._n_reported + 1) * self._n_steps <= n_done * self._shares:
            self._n_reported += 1
            share = self._context.subcontext(task_name="share of the rows")
            share.call_on_fit_task_begin(**self._task)
            share.call_on_fit_task_end(**self._task, reconstruction_attributes=attributes)

    def end(self):
        """Report that all is done; the estimator is fitted."""
        self._context.call_on_fit_task_end(**self._task, reconstruction_attributes={})
