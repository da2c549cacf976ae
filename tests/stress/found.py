"""Bugs found and fixed, by name: a page tells what each of them was.

`test_found` has a reproduction of each, which failed before the fix, or names another test
that has one.
"""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "doc" / "development" / "bugs.rst"
FOUND = re.findall(r"^(\S.*)\n    \S", PAGE.read_text("utf-8"), flags=re.MULTILINE)
