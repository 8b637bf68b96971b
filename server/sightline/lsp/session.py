"""What a client has open: its folders, its documents, its focus. Plain values and coroutines.

This module knows no wire types: `server` converts what comes in and what goes out.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs

from sightline.context import Intent, LastError, PlanStep, Request, Wanted
from sightline.context import read_request as checked_request
from sightline.languages import Registry
from sightline.lsp import extensions, uris
from sightline.lsp.documents import Applied, Change, Documents, OpenDocument, OutOfStep
from sightline.lsp.folder import Answered, Asked, Folder, open_folder, out_of_step
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Position, PositionEncoding, Text
from sightline.workers import Workers


@attrs.frozen
class Place:
    """A document's place in a workspace."""

    folder: Folder
    path: str


@attrs.frozen
class Focus:
    uri: str
    position: extensions.Position | None


class Session:
    """Lives on the event loop; folders work on threads of their own."""

    def __init__(self, registry: Registry, workers: Workers, encoding: PositionEncoding) -> None:
        self.registry = registry
        self.workers = workers
        self.encoding = encoding
        self.documents = Documents(encoding)
        self.folders: dict[str, Folder] = {}
        """By absolute path of the root."""
        self.refusals: dict[str, Refusal] = {}
        """Why a folder could not be opened, by path."""
        self.requested: Mapping[str, object] = {}
        self.focus: Focus | None = None
        self._next_revision = 0
        """Of a folder that is opened: no revision comes twice, though a folder is opened anew."""

    # Folders.

    def add_folder(self, root: str) -> Folder | Refusal | None:
        """Open a folder that a client names; None where it is open."""
        if root in self.folders:
            return None
        opened = open_folder(Path(root), self.registry, self.workers, self.requested)
        if isinstance(opened, Refusal):
            self.refusals[root] = opened
            return opened
        self.refusals.pop(root, None)
        opened.revision = self._next_revision
        self.folders[root] = opened
        for document in self.documents.all():
            for place in self.places(document.uri):
                if place.folder is opened:
                    _follow(place, document, [])
        return opened

    def remove_folder(self, root: str) -> None:
        self.refusals.pop(root, None)
        folder = self.folders.pop(root, None)
        if folder is not None:
            self._next_revision = max(self._next_revision, folder.revision + 1)
            folder.close()

    def reload_folder(self, root: str) -> Folder | Refusal | None:
        """Take the settings as they are now: in place if they allow it, else by opening anew.

        None where the folder goes on as it is.
        """
        folder = self.folders.get(root)
        if folder is None:
            return self.add_folder(root)
        loaded = folder.settings_now(self.requested)
        if not isinstance(loaded, Refusal) and folder.adopt(loaded, self.requested):
            return None
        self.remove_folder(root)
        return self.add_folder(root)

    def place(self, uri: str) -> Place | Refusal:
        """Where a document stands: in the innermost folder that it is in."""
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
                return Place(folder, path)
            elsewhere = elsewhere or path
        return elsewhere or _refused(
            "no_workspace",
            "no folder is open that this file is in",
            "open the folder of the project",
        )

    def places(self, uri: str) -> list[Place]:
        """Where a document stands in each folder that it is in: folders may lie in each other."""
        parsed = uris.parse(uri)
        if not isinstance(parsed, uris.FilePath):
            return []
        found = [(folder, folder.path_of(parsed.path)) for folder in self.folders.values()]
        return [Place(folder, path) for folder, path in found if isinstance(path, str)]

    def close(self) -> None:
        for folder in self.folders.values():
            folder.close()
        self.folders = {}

    # Documents.

    def open(self, uri: str, language_id: str, version: int, content: str) -> OpenDocument:
        document = self.documents.open(uri, language_id, version, content)
        for place in self.places(uri):
            _follow(place, document, [])
        return document

    def change(
        self, uri: str, version: int | None, changes: Sequence[Change]
    ) -> OpenDocument | OutOfStep:
        outcome = self.documents.change(uri, version, changes)
        if isinstance(outcome, OutOfStep):
            self._withhold(uri)
            return outcome
        document, applied = outcome
        for place in self.places(uri):
            _follow(place, document, applied)
        return document

    def lose(self, uri: str, problem: str) -> OutOfStep:
        outcome = self.documents.lose(uri, problem)
        self._withhold(uri)
        return outcome

    def _withhold(self, uri: str) -> None:
        for place in self.places(uri):
            place.folder.lose(place.path)

    def close_document(self, uri: str) -> None:
        if self.documents.close(uri) is None:
            return
        for place in self.places(uri):
            others = [each for each in self.documents.all() if place in self.places(each.uri)]
            if others:
                # The file has several names, and is open under another.
                _follow(place, others[-1], [])
            else:
                place.folder.drop(place.path)

    def out_of_step(self, uri: str) -> Refusal | None:
        """Why an open document is served to nobody, if it is not, however its URI is written."""
        document = self.documents.get(uri)
        if document is not None and not document.is_in_step:
            return out_of_step(None)
        place = self.place(uri)
        return place.folder.out_of_step(place.path) if isinstance(place, Place) else None

    # Requests.

    def request_of(
        self, params: extensions.BuildContextParams, folder: Folder | None = None
    ) -> tuple[Folder, Asked] | Refusal:
        """The folder that a build is of, and what is asked of it."""
        first = params.text_document.uri if params.text_document else None
        named = [*params.targets, *params.user_selected_targets]
        uri = first or next((each.uri for each in named if each.uri), None)
        if uri is None and self.focus is not None and not named:
            uri = self.focus.uri
        chosen = folder or self.folder_for(uri)
        if isinstance(chosen, Refusal):
            return chosen
        folder = chosen
        active = extensions.Target(first, params.position, params.range) if first else None
        wanted = {
            part: [self.wanted(folder, each) for each in targets]
            for part, targets in (
                ("active", (active,) if active else ()),
                ("targets", params.targets),
                ("user_selected_targets", params.user_selected_targets),
            )
        }
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
        parts = {
            "purpose": params.purpose,
            "plan_step": PlanStep(
                step.id, step.title, step.description, step.target_files, step.target_symbols
            )
            if step
            else None,
            "intent": Intent(params.intent) if params.intent is not None else None,
            "constraints": [
                {"text": each.text, "scope": each.scope} for each in params.constraints
            ],
            "dropped_paths": dropped,
            "last_error": error,
        }

        def asked() -> Request | Refusal:
            found: dict[str, list[Wanted]] = {part: [] for part in wanted}
            for part, places in wanted.items():
                for place in places:
                    each = place()
                    if isinstance(each, Refusal):
                        return each
                    found[part].append(each)
            active = found["active"][0] if found["active"] else None
            return checked_request({**parts, **found, "active": active})

        return folder, asked

    async def build(
        self,
        folder: Folder,
        asked: Asked,
        overrides: Mapping[str, object],
        correlation_id: str | None,
    ) -> Answered | Refusal:
        now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
        return await folder.build(
            asked,
            overrides,
            now.isoformat().replace("+00:00", "Z"),
            (correlation_id or str(uuid.uuid4())).lower(),
        )

    def folder_for(self, uri: str | None) -> Folder | Refusal:
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

    def wanted(self, folder: Folder, target: extensions.Target) -> Callable[[], Wanted | Refusal]:
        """A target with its place in lines and characters, made out on the editors' thread.

        A place is one in the text that the client has now.
        """
        if target.uri is None:
            named = Wanted.named(target.symbol) if target.symbol else Wanted()
            return lambda: named
        path = self._path_in(folder, target.uri)
        if isinstance(path, Refusal):
            return lambda: path
        refusal = self.out_of_step(target.uri)
        if refusal is not None:
            return lambda: refusal
        start = target.range.start if target.range else target.position
        if target.symbol is not None or start is None:
            whole = Wanted(path=path, symbol=target.symbol)
            return lambda: whole
        document = self.documents.get(target.uri)
        return lambda: self._wanted_in(
            path, document.text if document else folder.text_of(path), start, target.range
        )

    def _wanted_in(
        self,
        path: str,
        text: Text | Refusal,
        start: extensions.Position,
        selection: extensions.Range | None,
    ) -> Wanted | Refusal:
        if isinstance(text, Refusal):
            return text
        if start.line < 0 or start.character < 0:
            return _refused("bad_position", "a position counts from 0", "give a position in it")
        line, column = self._place_in(text, start)
        if line > text.last_line_number:
            # Behind the last line break a cursor can stand, and nothing else.
            return Wanted(path=path)
        if selection is not None and selection.end != selection.start:
            end_line = max(line, self._place_in(text, selection.end)[0])
            if selection.end.character == 0 and end_line > line:
                # A selection of whole lines ends at the start of the next.
                end_line -= 1
            return Wanted(path=path, line=line, end_line=end_line)
        return Wanted(path=path, line=line, column=column)

    async def text_of(self, place: Place, uri: str) -> Text | Refusal:
        """A document's text: the editor's, else the disk's."""
        document = self.documents.get(uri)
        if document is not None:
            return document.text
        found = (await place.folder.documents([place.path]))[place.path]
        return found if isinstance(found, Refusal) else found.text

    def _path_in(self, folder: Folder, uri: str) -> str | Refusal:
        place = self.place(uri)
        if isinstance(place, Refusal):
            return place
        if place.folder is not folder:
            return _refused(
                "several_folders",
                "a bundle is made from one workspace folder",
                "ask for each folder by itself",
            )
        return place.path

    def _place_in(self, text: Text, position: extensions.Position) -> tuple[int, int]:
        """Line and column of a position, both 1-based, the column in characters."""
        offset = text.offset_at(Position(position.line, position.character), self.encoding)
        line = text.line_of(offset)
        column = len(text.data[text.line_start(line) : offset].decode("utf-8", "replace"))
        return line + 1, column + 1

    def _error(
        self, folder: Folder, error: extensions.LastError | None
    ) -> LastError | Refusal | None:
        if error is None:
            return None
        path = self._path_in(folder, error.uri) if error.uri is not None else None
        if isinstance(path, Refusal):
            return path
        line = error.line + 1 if error.line is not None else None
        return LastError(error.message, path, line, error.code, error.severity)


def _follow(place: Place, document: OpenDocument, applied: Sequence[Applied]) -> None:
    if document.is_in_step:
        place.folder.take(place.path, document, applied)
    else:
        place.folder.lose(place.path)


def _refused(reason: str, message: str, advice: str) -> Refusal:
    return Refusal(RefusalKind.UNSUPPORTED_TARGET, reason, None, message, advice)
