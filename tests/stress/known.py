"""Defects of the package that are known and not mended yet: all of them in this file.

A case that runs into one of them is left out, and counted. `test_known` has a reproduction
of each, which must fail as long as the defect is in `KNOWN`: who mends one takes it out of
there, and nothing is left out for it any more.
"""

import numbers

import numpy as np

BROKEN_SPARSE = "broken sparse structure"
HUGE_INTEGER = "integer too large for a float"
HUGE_CAP = "max_clusters without limit"
MANY_THREADS = "n_jobs without limit"
NO_ESTIMATOR = "part that is no estimator"
ODD_OUTPUT = "output that is no text"
DRAWN_IN_VAIN = "random numbers of a failed fit"
INTERRUPTED_ROW = "random number of an interrupted row"
INFINITE_INERTIA = "inertia overflows"
NO_FIRST_COST = "first facility cost underflows"
INFINITE_FEATURES = "distances beyond float32"

KNOWN = {
    BROKEN_SPARSE: "index arrays of sparse data that contradict each other, or the shape, "
    "crash the process, or are an IndexError or RuntimeError: nobody checks them",
    HUGE_INTEGER: "10**400 as data, k, n_clusters or lower_bound is an OverflowError",
    HUGE_CAP: "transform with a max_clusters above int64 is an OverflowError, and with one "
    "that fits into no memory get_feature_names_out does not end",
    MANY_THREADS: "n_jobs=10**6 with CSR starts threads until no more can be started",
    NO_ESTIMATOR: "a classifier or clusterer that is none is an AttributeError in fit",
    ODD_OUTPUT: "set_output(transform=3) is an AttributeError in transform",
    DRAWN_IN_VAIN: "fit_transform, and fit of the classifier, leave a RandomState advanced "
    "if they fail after the clustering",
    INTERRUPTED_ROW: "partial_fit of one row that is interrupted leaves a RandomState "
    "advanced by one number",
    INFINITE_INERTIA: "inertia_ and score are infinite for values near the limit, with a "
    "warning",
    NO_FIRST_COST: "w* / k can underflow to 0, and then opening is free for ever",
    INFINITE_FEATURES: "distances of float32 rows can be infinite, with a warning",
}

ENDLESS = 10**9  # columns that nobody has memory for


class Known(Exception):
    """A case cannot be judged, because of a known defect."""


def leave_out_if_known(defect):
    """Raise Known if the defect is still there."""
    if defect in KNOWN:
        raise Known(defect)


def defect_of_call(estimator, call):
    """Return the defect because of which a call had better not be made, or None."""
    parameters = estimator.get_params(deep=False)
    if call.data.startswith("broken "):
        return BROKEN_SPARSE
    if _is_above(parameters.get("n_jobs"), 1000) and call.data != "none":
        return MANY_THREADS
    cap = getattr(getattr(estimator, "_stream", None), "max_clusters", None)
    if call.method == "get_feature_names_out" and _is_above(cap, ENDLESS):
        return HUGE_CAP
    return None


def _is_above(value, limit):
    is_number = isinstance(value, numbers.Real) and value != np.inf
    return is_number and value > limit


def defect_of_outcome(estimator, call, outcome, changed):
    """Return the defect that explains what came of a call, or None."""
    error, text = outcome.error, str(outcome.error)
    if isinstance(error, OverflowError):
        return HUGE_CAP if "C long" in text or "C ssize_t" in text else HUGE_INTEGER
    if isinstance(error, AttributeError):
        if "capitalize" in text:
            return ODD_OUTPUT
        if "__sklearn_tags__" in text or "'classes_'" in text:
            return NO_ESTIMATOR
    if error is not None and _has_drawn(call, changed):
        return DRAWN_IN_VAIN
    for warning in outcome.warnings:
        is_ours = warning.filename.endswith("_features.py")
        if is_ours and "overflow encountered in cast" in str(warning.message):
            return INFINITE_FEATURES
    return None


def _has_drawn(call, changed):
    """Return whether nothing but random numbers changed, in a fit that came too far."""
    fits = ("fit_transform", "fit", "partial_fit")
    shared = {"_stream", "clusterer_", "random_state", "numpy.random"}
    return bool(changed) and call.method in fits and set(changed) <= shared
