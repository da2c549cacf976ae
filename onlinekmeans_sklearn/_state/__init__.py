"""One plain state of an estimator: dicts of arrays, numbers and strings.

`checkpoint` has `save` and `load`, `file` stores a state, `version` knows who can read it,
`state` turns an estimator into one and back, and `checks` checks whether a dict can be the
state of an estimator.
"""
