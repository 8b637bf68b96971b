"""Syntax: the only room that holds a tree.

Invariants:

* No function here recurses on the tree: the author of a text decides its depth.
* A parse cannot be interrupted from inside. Text from elsewhere must be parsed in a worker process.
"""

from sightline.syntax.comparing import changed_statements
from sightline.syntax.leftovers import Leftover, leftovers, without_trailing_comments
from sightline.syntax.parsing import (
    Match,
    Parsed,
    TreeChange,
    difference,
    matches,
    parse,
    parse_without,
    reparse,
)
from sightline.syntax.statements import outer_statements

__all__ = [
    "Leftover",
    "Match",
    "Parsed",
    "TreeChange",
    "changed_statements",
    "difference",
    "leftovers",
    "matches",
    "outer_statements",
    "parse",
    "parse_without",
    "reparse",
    "without_trailing_comments",
]
