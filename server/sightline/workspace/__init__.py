"""The workspace: the only room that touches the disk, and the rules about what it may show.

`watching` is imported by its own name, by whoever watches: its library is slow to load.
"""

from sightline.workspace.defaults import is_lift
from sightline.workspace.jail import Stamp
from sightline.workspace.survey import Difference, Survey, SurveyError
from sightline.workspace.workspace import (
    Document,
    Limits,
    RawDocument,
    RootError,
    Workspace,
    find_root,
)

__all__ = [
    "Difference",
    "Document",
    "Limits",
    "RawDocument",
    "RootError",
    "Stamp",
    "Survey",
    "SurveyError",
    "Workspace",
    "find_root",
    "is_lift",
]
