"""What a name means where it stands.

From the bottom up, each importing only what is above it in this list:

* `type_texts`, `expressions`, `manifests`, `definition_nesting`, `variable_blocks`,
  `file_bindings`: short texts, project files, and one file's definitions, blocks and bindings,
* `scopes`: one file as names are looked up in it,
* `modules`: from what an import names to files; `meaning`: what a look-up can give,
* `declared`: what is declared, by name alone; `namespaces`: the same as seen from a file,
* `lookups`: what the three parts below ask of each other,
* `bare_names`, `members`, `values`, `written_types`: names alone, members of types, types of
  expressions as definitions and as they are written,
* `parameters`, `argument_types`, `constness`, `overloads`: which of several functions of one name,
* `resolver`: the entry, which puts them together.
"""

from sightline.index.resolve.manifests import ModuleManifest, read_manifest
from sightline.index.resolve.meaning import Found, Outcome
from sightline.index.resolve.resolver import Resolver
from sightline.index.resolve.scopes import FileScope, SymbolId

__all__ = [
    "FileScope",
    "Found",
    "ModuleManifest",
    "Outcome",
    "Resolver",
    "SymbolId",
    "read_manifest",
]
