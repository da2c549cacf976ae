"""One plain state of an estimator: dicts of arrays, numbers and strings, with a version.

`fitted` is what an estimator has learned, and the same as plain fields; pickles go through
it. `checkpoint` adds parameters, and has `save` and `load`; `file` stores a state. `fields`
refuses what cannot be a state, `version` another format.
"""
