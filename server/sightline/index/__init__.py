"""The index of a workspace: who declares what, and who uses it.

`Index` takes changes, `Snapshot` answers questions about one moment; see `index`. `store` keeps
what is known between runs and is the one module here that touches a disk: the user's cache
directory, never the workspace.
"""

from sightline.index.index import (
    Change,
    FileChanged,
    FileRemoved,
    Index,
    RulesChanged,
    ScanBegan,
    ScanEnded,
)
from sightline.index.manifests import Manifest, read_manifest
from sightline.index.model import Confidence, Evidence, Place, Relation, RelationKind
from sightline.index.names import Column, Deferred, NameTable
from sightline.index.scopes import FileScope, Target
from sightline.index.snapshot import FileState, Snapshot, folders_between, words_of_name

__all__ = [
    "Change",
    "Column",
    "Confidence",
    "Deferred",
    "Evidence",
    "FileChanged",
    "FileRemoved",
    "FileScope",
    "FileState",
    "Index",
    "Manifest",
    "NameTable",
    "Place",
    "Relation",
    "RelationKind",
    "RulesChanged",
    "ScanBegan",
    "ScanEnded",
    "Snapshot",
    "Target",
    "folders_between",
    "read_manifest",
    "words_of_name",
]
