"""The index of a workspace: which symbols exist, and who uses them.

`Index` takes changes; a `Snapshot` answers questions about one moment; see `index`. `resolve` says
what a name means, and only this package imports it. `store` keeps the index between runs. It is the
only part that uses the disk: the user's cache directory, never the workspace.
"""

from sightline.index.file_facts import PENDING, FileState
from sightline.index.indexed_terms import TermSource
from sightline.index.indexing import (
    FileChanged,
    FileRemoved,
    Index,
    IndexChange,
    RulesChanged,
    ScanBegan,
    ScanEnded,
    TermsCounted,
)
from sightline.index.likeness.model import Like, Unit
from sightline.index.likeness.querying import query_words
from sightline.index.model import Confidence, Evidence, Relation, RelationKind, SymbolLocation
from sightline.index.name_table import Column, Lazy, NameTable
from sightline.index.path_names import folders_between
from sightline.index.relations import Relations
from sightline.index.resolve import FileScope, ModuleManifest, SymbolId, read_manifest
from sightline.index.snapshot import Snapshot
from sightline.index.users_of_deleted import users_of_deleted

__all__ = [
    "PENDING",
    "Column",
    "Confidence",
    "Evidence",
    "FileChanged",
    "FileRemoved",
    "FileScope",
    "FileState",
    "Index",
    "IndexChange",
    "Lazy",
    "Like",
    "ModuleManifest",
    "NameTable",
    "Relation",
    "RelationKind",
    "Relations",
    "RulesChanged",
    "ScanBegan",
    "ScanEnded",
    "Snapshot",
    "SymbolId",
    "SymbolLocation",
    "TermSource",
    "TermsCounted",
    "Unit",
    "folders_between",
    "query_words",
    "read_manifest",
    "users_of_deleted",
]
