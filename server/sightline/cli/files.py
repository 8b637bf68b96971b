"""From a path as a person types it to a document and its language, through the workspace's door."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from sightline.cli.opening import open_place
from sightline.languages import Language, Registry
from sightline.refusals import Refusal, RefusalKind
from sightline.workspace import Document, RootError, Workspace, find_root


@attrs.frozen
class Source:
    document: Document
    language: Language | None


class Files:
    """Opens documents, one workspace per root."""

    def __init__(self, registry: Registry, root: str | None, allowed: Sequence[str]) -> None:
        self._registry = registry
        # An empty string would mean the current directory; it is more likely a mistake.
        self._root = Path(root or "\0") if root is not None else None
        self._allowed = tuple(allowed)
        self._workspaces: dict[Path, Workspace | Refusal] = {}

    def open(self, path: str) -> Source | Refusal:
        try:
            root = find_root(Path(path), Path.cwd()) if self._root is None else self._root
            workspace = self._workspace(root)
        except (RootError, OSError, ValueError):
            return _no_root(path, self._root)
        if isinstance(workspace, Refusal):
            return workspace
        inside = workspace.relative(path)
        if isinstance(inside, Refusal):
            return inside
        document = workspace.read(inside)
        if isinstance(document, Refusal):
            return document
        language = self._registry.for_path(document.path, document.text.data)
        return Source(document, language)

    def _workspace(self, root: Path) -> Workspace | Refusal:
        if root not in self._workspaces:
            place = open_place(root, self._allowed)
            self._workspaces[root] = place if isinstance(place, Refusal) else place.workspace
        return self._workspaces[root]


def require_language(source: Source, registry: Registry, purpose: str) -> Language | Refusal:
    """The language of a source, or why there is nothing to cut without one."""
    if source.language is not None:
        return source.language
    titles = ", ".join(language.title for language in registry.languages.values())
    return Refusal(
        RefusalKind.UNSUPPORTED_TARGET,
        "unsupported_language",
        source.document.path,
        f"its language is not one that Sightline can {purpose}",
        f"take it whole with 'sightline slice PATH --level full'; known languages: {titles}",
        rule="no tree to trust, no slice",
    )


def _no_root(path: str, root: Path | None) -> Refusal:
    if root is not None:
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "invalid_root",
            path,
            "the workspace given with --root is not a directory",
            "give an existing directory with --root",
        )
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "not_found",
        path,
        "no such file",
        "check the path",
    )
