"""The possible results of a look-up.

Every result is one of three: the definitions that are meant, `ELSEWHERE` for a name that is known
not to be in the workspace (an import that leads out of it), and `UNKNOWN`. A value may also be a
module.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

import attrs

from sightline.index.resolve.scopes import FileScope, SymbolId

DEEPEST = 24
"""The maximal depth of nested look-ups, because definitions may refer to each other in circles."""
MOST_STEPS = 400
"""The most expressions that are visited for one use: each may lead to several others."""


class Outcome(Enum):
    ELSEWHERE = "elsewhere"
    UNKNOWN = "unknown"


ELSEWHERE = Outcome.ELSEWHERE
UNKNOWN = Outcome.UNKNOWN

Found = Sequence[SymbolId] | Outcome


@attrs.frozen
class Module:
    """A module as a value: `a` after `import a`."""

    importer: FileScope
    name: str


class Written(NamedTuple):
    """A type as a file writes it, and where."""

    scope: FileScope
    text: str
    offset: int
