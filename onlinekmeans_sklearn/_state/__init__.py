"""The plain state of an estimator: dicts of arrays, numbers and strings, with a version.

`fitted` has what an estimator has learned, and converts it to plain fields and back, also
for pickles. `checkpoint` adds the parameters, and has `save` and `load`. `file` stores a
state in a file, `fields` refuses invalid states, and `version` refuses other formats.
"""
