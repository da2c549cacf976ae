"""One plain state of an estimator: dicts of arrays, numbers and strings.

`checkpoint` has `save` and `load`, `file` stores a state, `state` turns an estimator into one
and back, and `checks` checks whether a dict can be the state of an estimator.
"""
