"""Documentation that classes share: what one says of a parameter, another repeats."""

import inspect
import re


def documented_like(source):
    """Return a decorator that inserts entries of the docstring of another class.

    A line ``%(name)s`` is replaced by the entry of that parameter, and ``%(attributes)s``
    by all attributes, so that `help`, Sphinx and doctest see the text itself.
    """
    sections = re.split(r"\n\n(.+)\n-+\n", inspect.cleandoc(source.__doc__))
    sections = dict(zip(sections[1::2], sections[2::2]))
    entries = re.split(r"\n(?=\S)", sections["Parameters"])
    texts = {entry.split(" : ")[0]: entry for entry in entries}
    texts["attributes"] = sections["Attributes"]

    def insert(cls):
        cls.__doc__ = inspect.cleandoc(cls.__doc__) % texts + "\n"
        return cls

    return insert


def named_for_users(cls):
    """Let errors about arguments name a method by itself, not by a private class."""
    for name, member in vars(cls).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            inspect.unwrap(member).__qualname__ = name
    return cls
