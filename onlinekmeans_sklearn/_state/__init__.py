"""One plain state of an estimator: dicts of arrays, numbers and strings, with a version.

`fitted` is what an estimator has learned, and the same as plain fields; pickles go through
it. `estimator` adds parameters, for checkpoints: `checkpoint` has `save` and `load`, and
`file` stores a state. `checks` refuses what cannot be a state, `version` another format.
"""
