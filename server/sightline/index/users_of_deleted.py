"""Find who still uses a symbol that a change deletes or renames.

Invariant: a use that certainly means another definition is not reported. Uses are found by name and
by the imports of the file, because the symbol no longer exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from sightline.index.model import Confidence, Evidence, Relation, RelationKind
from sightline.index.path_names import folders_between
from sightline.index.resolve import FileScope
from sightline.index.resolve.meaning import ELSEWHERE
from sightline.index.snapshot import Snapshot
from sightline.symbols.facts import Reference

_MOST_FILES = 200
_PARTS = re.compile(r"[^\w]+")


def users_of_deleted(snapshot: Snapshot, path: str, symbol: str, family: str) -> list[Relation]:
    """Return the uses of a name that meant a symbol of a file and now mean nothing."""
    if snapshot.find(f"{path}::{symbol}"):
        return []
    name = symbol.rpartition(".")[2]
    files = sorted(snapshot.files_using(name), key=lambda each: (folders_between(path, each), each))
    found: list[Relation] = []
    for each in files[:_MOST_FILES]:
        scope = snapshot.scope(each)
        if scope is None or scope.rules.family != family:
            continue
        for reference in _uses(scope, name):
            if _may_mean(snapshot, scope, reference, name, path):
                user = (each, scope.nesting.user(reference.start))
                line = scope.view.line_number(reference.start)
                found.append(
                    Relation(
                        RelationKind.CALLER,
                        Confidence.TEXTUAL,
                        (snapshot.place(user),),
                        Evidence(each, line, name),
                    )
                )
    return found


def _uses(scope: FileScope, name: str) -> Iterator[Reference]:
    for each in (name, *scope.aliases.get(name, ())):
        yield from scope.references.get(each, ())


def _may_mean(
    snapshot: Snapshot, scope: FileScope, reference: Reference, name: str, path: str
) -> bool:
    meant, confidence = snapshot.relations.meaning(scope, reference)
    if meant:
        # Only a guess by name, but in the file or package of the symbol: that symbol was meant.
        is_bare = confidence is Confidence.TEXTUAL and not reference.receiver
        folder = path.rpartition("/")[0]
        return is_bare and (scope.path == path or (scope.package != "" and scope.folder == folder))
    if snapshot.resolver.resolve(scope, reference) is not ELSEWHERE:
        return True
    # An imported name may come from a module that the change deletes.
    place = PurePosixPath(path)
    modules = {place.stem, place.parent.name} - {""}
    receiver = _PARTS.split(reference.receiver)[-1]
    for each in scope.view.imports:
        parts = [part for part in _PARTS.split(each.module) if part]
        if not modules & {*parts[-2:], each.name}:
            continue
        if name == each.name or receiver in {each.alias, each.name, *parts[-1:]} - {""}:
            return True
    return False
