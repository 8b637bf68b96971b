"""What looking something up can give.

Every answer is one of three: the definitions that are meant, `ELSEWHERE` for what is known not to
be in the workspace (an import that leads out of it), and `UNKNOWN` for what cannot be told. A
value may be a module besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

import attrs

from sightline.index.resolve.scopes import FileScope, SymbolId

DEEPEST = 24
"""How far one look-up leads to the next: what is written in a file may go round in circles."""
MOST_STEPS = 400
"""How many expressions are looked at for one use: each may lead to several others."""


class Outcome(Enum):
    ELSEWHERE = "elsewhere"
    UNKNOWN = "unknown"


ELSEWHERE = Outcome.ELSEWHERE
UNKNOWN = Outcome.UNKNOWN

Found = Sequence[SymbolId] | Outcome


@attrs.frozen
class Module:
    """A module as a value: what `a` is after `import a`."""

    importer: FileScope
    name: str


class Written(NamedTuple):
    """A type as a file writes it, and where."""

    scope: FileScope
    text: str
    offset: int
