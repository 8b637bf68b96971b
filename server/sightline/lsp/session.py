"""What a client has open: its folders, its documents, its focus. Plain values and coroutines.

This module knows no wire types: `server` converts input and output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs

from sightline.context import BuildRequest, Intent, LastError, PlanStep
from sightline.engine.host import Toolchain
from sightline.lsp import extensions, folder_builds, uris
from sightline.lsp.folder import WorkspaceFolder, open_folder, out_of_step
from sightline.lsp.folder_builds import BuildAnswer
from sightline.lsp.open_documents import (
    ContentChange,
    Documents,
    OpenDocument,
    OutOfStep,
)
from sightline.lsp.positions import EditorRequest, EditorTarget
from sightline.refusals import Refusal, RefusalKind
from sightline.text import PositionEncoding, Text


@attrs.frozen
class DocumentLocation:
    """A document's place in a workspace."""

    folder: WorkspaceFolder
    path: str


@attrs.frozen
class Focus:
    uri: str
    position: extensions.WirePosition | None


class Session:
    """Everything that a client has open. Used on the event loop; folders work on threads of their
    own.
    """

    def __init__(self, toolchain: Toolchain, encoding: PositionEncoding) -> None:
        self.toolchain = toolchain
        self.encoding = encoding
        self.documents = Documents(encoding)
        self.folders: dict[str, WorkspaceFolder] = {}
        """By the absolute path of the root."""
        self.refusals: dict[str, Refusal] = {}
        """Why a folder could not be opened, by path."""
        self.agreed: set[str] = set()
        """Large folders that the person agreed to index, by path."""
        self.requested: Mapping[str, object] = {}
        self.focus: Focus | None = None
        self._next_revision = 0
        """The first revision of the next folder: no revision is used twice, even if a folder is
        reopened.
        """

    # Folders.

    def add_folder(self, root: str) -> WorkspaceFolder | Refusal | None:
        """Open a folder that a client names; None if it is open already."""
        if root in self.folders:
            return None
        opened = open_folder(Path(root), self.toolchain, self.documents, self.requested)
        if isinstance(opened, Refusal):
            self.refusals[root] = opened
            return opened
        self.refusals.pop(root, None)
        opened.revision = self._next_revision
        self.folders[root] = opened
        for document in self.documents.in_order():
            for place in self.places(document.uri):
                if place.folder is opened:
                    _follow(place, document)
        return opened

    def remove_folder(self, root: str) -> None:
        self.refusals.pop(root, None)
        folder = self.folders.pop(root, None)
        if folder is not None:
            self._next_revision = max(self._next_revision, folder.revision + 1)
            folder.close()

    def reload_folder(self, root: str) -> WorkspaceFolder | Refusal | None:
        """Reload a folder's settings: in place if they allow it, else by reopening the folder.

        None if the folder stays open as it is.
        """
        folder = self.folders.get(root)
        if folder is None:
            return self.add_folder(root)
        if folder.reload(self.requested):
            return None
        self.remove_folder(root)
        return self.add_folder(root)

    def place(self, uri: str) -> DocumentLocation | Refusal:
        """Return where a document is: in the innermost folder that contains it."""
        parsed = uris.parse(uri)
        if isinstance(parsed, uris.BadUri):
            return _refused("bad_uri", f"the URI cannot be used: {parsed.problem}", "open a file")
        if isinstance(parsed, uris.Buffer):
            return _refused(
                "not_a_file",
                f"a document of the scheme '{parsed.scheme[:40]}' is not part of a workspace",
                "save it as a file in the workspace",
            )
        elsewhere: Refusal | None = None
        for root in sorted([*self.folders, *self.refusals], key=len, reverse=True):
            folder = self.folders.get(root)
            if folder is None:
                if parsed.path == root or parsed.path.startswith(f"{root.rstrip('/')}/"):
                    return self.refusals[root]
                continue
            path = folder.path_of(parsed.path)
            if isinstance(path, str):
                return DocumentLocation(folder, path)
            elsewhere = elsewhere or path
        return elsewhere or _refused(
            "no_workspace",
            "no open folder contains this file",
            "open the folder of the project",
        )

    def places(self, uri: str) -> list[DocumentLocation]:
        """Return where a document is in each folder that contains it: folders may be nested."""
        parsed = uris.parse(uri)
        if not isinstance(parsed, uris.FilePath):
            return []
        found = [(folder, folder.path_of(parsed.path)) for folder in self.folders.values()]
        return [DocumentLocation(folder, path) for folder, path in found if isinstance(path, str)]

    def close(self) -> None:
        for folder in self.folders.values():
            folder.close()
        self.folders = {}

    # Documents.

    def open(self, uri: str, language_id: str, version: int, content: str) -> OpenDocument:
        document = self.documents.open(uri, language_id, version, content)
        for place in self.places(uri):
            _follow(place, document)
        return document

    def change(
        self, uri: str, version: int | None, changes: Sequence[ContentChange]
    ) -> OpenDocument | OutOfStep:
        outcome = self.documents.change(uri, version, changes)
        if isinstance(outcome, OutOfStep):
            self._withhold(uri)
            return outcome
        document, applied = outcome
        for place in self.places(uri):
            place.folder.take(place.path, document, applied)
        return document

    def lose(self, uri: str, problem: str) -> OutOfStep:
        outcome = self.documents.lose(uri, problem)
        self._withhold(uri)
        return outcome

    def _withhold(self, uri: str) -> None:
        for place in self.places(uri):
            place.folder.count_change()

    def close_document(self, uri: str) -> None:
        if self.documents.close(uri) is None:
            return
        for place in self.places(uri):
            others = [each for each in self.documents.in_order() if place in self.places(each.uri)]
            if others:
                # The file is still open under another name.
                _follow(place, others[-1])
            else:
                place.folder.drop(place.path)

    def out_of_step(self, uri: str) -> Refusal | None:
        """Return why an open document cannot be served, if it is out of step under any spelling of
        its URI.
        """
        document = self.documents.get(uri)
        if document is not None and not document.is_in_step:
            return out_of_step(None)
        place = self.place(uri)
        if isinstance(place, DocumentLocation) and place.path in place.folder.lost():
            return out_of_step(place.path)
        return None

    # Requests.

    def request_of(
        self, params: extensions.BuildContextParams, folder: WorkspaceFolder | None = None
    ) -> tuple[WorkspaceFolder, EditorRequest] | Refusal:
        """Return the folder of a build, and the build's request."""
        first = params.text_document.uri if params.text_document else None
        named = [*params.targets, *params.user_selected_targets]
        uri = first or next((each.uri for each in named if each.uri), None)
        if uri is None and self.focus is not None and not named:
            uri = self.focus.uri
        chosen = folder or self.folder_for(uri)
        if isinstance(chosen, Refusal):
            return chosen
        folder = chosen
        dropped = []
        for each_uri in params.dropped_uris:
            path = self._path_in(folder, each_uri)
            if isinstance(path, Refusal):
                return path
            dropped.append(path)
        error = self._error(folder, params.last_error)
        if isinstance(error, Refusal):
            return error
        step = params.plan_step
        active = extensions.TargetParams(first, params.position, params.range) if first else None
        return folder, EditorRequest(
            active=self.target(folder, active) if active else None,
            targets=tuple(self.target(folder, each) for each in params.targets),
            user_selected_targets=tuple(
                self.target(folder, each) for each in params.user_selected_targets
            ),
            purpose=params.purpose,
            plan_step=PlanStep(
                step.id, step.title, step.description, step.target_files, step.target_symbols
            )
            if step
            else None,
            intent=Intent(params.intent) if params.intent is not None else None,
            constraints=params.constraints,
            dropped_paths=tuple(dropped),
            last_error=error,
        )

    async def build(
        self,
        folder: WorkspaceFolder,
        asked: EditorRequest | BuildRequest,
        overrides: Mapping[str, object],
        correlation_id: str | None,
        *,
        awaits_index: bool = False,
        waiting: Callable[[int, int], None] | None = None,
    ) -> BuildAnswer | Refusal:
        return await folder_builds.build(
            folder,
            asked,
            overrides,
            correlation_id,
            awaits_index=awaits_index,
            waiting=waiting,
        )

    def folder_for(self, uri: str | None) -> WorkspaceFolder | Refusal:
        if uri is not None:
            place = self.place(uri)
            if isinstance(place, Refusal):
                return place
            return self.out_of_step(uri) or place.folder
        for root in sorted(self.folders):
            return self.folders[root]
        for refusal in self.refusals.values():
            return refusal
        return _refused("no_workspace", "no folder is open", "open the folder of the project")

    def target(
        self, folder: WorkspaceFolder, target: extensions.TargetParams
    ) -> EditorTarget | Refusal:
        """Return a target with the client's text for its position, if the client has it open."""
        if target.uri is None:
            return EditorTarget(None, target.symbol)
        path = self._path_in(folder, target.uri)
        if isinstance(path, Refusal):
            return path
        refusal = self.out_of_step(target.uri)
        if refusal is not None:
            return refusal
        start = target.range.start if target.range else target.position
        if target.symbol is not None or start is None:
            return EditorTarget(path, target.symbol)
        document = self.documents.get(target.uri)
        return EditorTarget(
            path,
            start=start.to_position(),
            end=target.range.end.to_position() if target.range else None,
            encoding=self.encoding,
            text=document.text if document else None,
        )

    async def text_of(self, place: DocumentLocation, uri: str) -> Text | Refusal:
        """Return a document's text: the editor's, else the disk's."""
        document = self.documents.get(uri)
        if document is not None:
            return document.text
        return await folder_builds.read_text(place.folder, place.path)

    def _path_in(self, folder: WorkspaceFolder, uri: str) -> str | Refusal:
        place = self.place(uri)
        if isinstance(place, Refusal):
            return place
        if place.folder is not folder:
            return _refused(
                "several_folders",
                "a bundle is made from one workspace folder",
                "ask for each folder separately",
            )
        return place.path

    def _error(
        self, folder: WorkspaceFolder, error: extensions.LastErrorParams | None
    ) -> LastError | Refusal | None:
        if error is None:
            return None
        path = self._path_in(folder, error.uri) if error.uri is not None else None
        if isinstance(path, Refusal):
            if path.reason != "outside_sandbox":
                return path
            return LastError(
                error.message, code=error.code, severity=error.severity, is_outside=True
            )
        line = error.line + 1 if error.line is not None else None
        return LastError(error.message, path, line, error.code, error.severity)


def _follow(place: DocumentLocation, document: OpenDocument) -> None:
    """Pass the whole text of a document to its folder, if the text is known."""
    if document.is_in_step:
        place.folder.take(place.path, document, ())
    else:
        place.folder.count_change()


def _refused(reason: str, message: str, advice: str) -> Refusal:
    return Refusal(RefusalKind.UNSUPPORTED_TARGET, reason, None, message, advice)
