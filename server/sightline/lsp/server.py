"""The server: standard messages and our own, each handler a conversion around one call.

Handlers hold no logic: convert, ask the session, convert. What takes long runs on a folder's
threads; the event loop only folds changes and sends answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import msgspec
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sightline import __version__
from sightline.languages import load_registry
from sightline.lsp import actions, answers, explaining, extensions, symbols, uris
from sightline.lsp.capabilities import ENCODINGS, encoding_of, may_show_status, offered
from sightline.lsp.client import Client
from sightline.lsp.configuration import pushed_section, requested_settings
from sightline.lsp.documents import Change, OpenDocument, OutOfStep
from sightline.lsp.folder import Folder, FolderClosedError, ScanCancelledError
from sightline.lsp.protocol import Code, FailureError, Protocol, State, converter
from sightline.lsp.session import Focus, Place, Session
from sightline.lsp.showing import written
from sightline.lsp.status import StatusBoard
from sightline.refusals import Refusal
from sightline.settings.loading import WORKSPACE_FILE
from sightline.text import Position
from sightline.workers import Workers

logger = logging.getLogger(__name__)

_SETTLE_SECONDS = 0.1
"""How long changes on the disk are collected before they are looked at."""

_MANY_CHANGES = 1_000
"""Files of one message: another branch was checked out, or something was installed."""

_Handler = Callable[[Any], Awaitable[Any]]


class Server:
    """One client's server. Made and used on the event loop."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        library = LanguageServer(
            "sightline", __version__, protocol_cls=Protocol, converter_factory=converter
        )
        protocol = library.protocol
        assert isinstance(protocol, Protocol)
        self.protocol = protocol
        self.session: Session | None = None
        self.parent_process: int | None = None
        self._client = Client(library)
        self._board = StatusBoard(self._send_status)
        self._shows_lenses = False
        self._is_told_of_no_focus = False
        """Whether the client has said that nothing has the focus, so that nothing is guessed."""
        self._has_plugin = False
        """Whether the client has a plugin of ours, which tells what came of a command by itself."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._refreshes: set[Folder] = set()
        """Folders that are about to look at the disk."""
        self._roots: list[str] = []
        self._changing = asyncio.Lock()
        """Held while folders or settings change.

        What comes then waits, each in its turn: requests, and changes of what they are about.
        """
        self._is_initialized = False
        self._is_watched_by_client: asyncio.Task[bool] | None = None
        """Whether the client tells of what changes on the disk, once it has said so."""
        for method, handler in self._notifications().items():
            protocol.handle(method, handler)
        for method, handler in self._requests().items():
            protocol.handle_request(method, handler)
        protocol.on_misunderstood = self._misunderstood

    @property
    def handled_methods(self) -> list[str]:
        return sorted({**self._notifications(), **self._requests()})

    def _notifications(self) -> dict[str, _Handler]:
        return {
            types.INITIALIZED: self._initialized,
            types.SET_TRACE: _nothing,
            types.TEXT_DOCUMENT_DID_OPEN: self._in_turn(self._did_open),
            types.TEXT_DOCUMENT_DID_CHANGE: self._in_turn(self._did_change),
            types.TEXT_DOCUMENT_DID_CLOSE: self._in_turn(self._did_close),
            types.TEXT_DOCUMENT_DID_SAVE: self._did_save,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self._did_change_configuration,
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: self._did_change_folders,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self._did_change_watched_files,
            types.WORKSPACE_DID_CREATE_FILES: self._did_create_files,
            types.WORKSPACE_DID_RENAME_FILES: self._did_rename_files,
            types.WORKSPACE_DID_DELETE_FILES: self._did_delete_files,
            types.WINDOW_WORK_DONE_PROGRESS_CANCEL: self._cancel_progress,
            extensions.DID_CHANGE_ACTIVE_FILE: self._in_turn(self._did_change_active_file),
        }

    def _requests(self) -> dict[str, _Handler]:
        about_folders: dict[str, _Handler] = {
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: self._document_symbol,
            types.TEXT_DOCUMENT_CODE_LENS: self._code_lens,
            types.TEXT_DOCUMENT_CODE_ACTION: self._code_action,
            types.WORKSPACE_SYMBOL: self._workspace_symbol,
            types.WORKSPACE_EXECUTE_COMMAND: self._execute_command,
            extensions.BUILD_CONTEXT: self._build_context,
            extensions.SLICE: self._slice,
            extensions.EXPLAIN: self._explain,
            extensions.VERIFY: self._verify,
            extensions.INDEX_STATUS: self._index_status,
        }
        return {
            types.INITIALIZE: self._initialize,
            types.SHUTDOWN: self._shutdown,
            **{method: self._once_settled(handler) for method, handler in about_folders.items()},
        }

    def _in_turn(self, handler: _Handler) -> _Handler:
        """A handler of changes, which wait behind what was asked before they came."""

        async def handle(params: Any) -> None:
            async with self._changing:
                await handler(params)

        return handle

    def _once_settled(self, handler: _Handler) -> _Handler:
        """A handler that begins when all that came before it has taken hold, and nothing since.

        What it asks of a folder goes to that folder's thread before anybody else has a turn.
        """

        async def handle(params: Any) -> Any:
            async with self._changing:
                for root in sorted(self._session().refusals):
                    # Whatever was wrong with its settings may have been put right.
                    self._reopen(root)
            try:
                return await handler(params)
            except FolderClosedError:
                raise FailureError(
                    Code.CONTENT_MODIFIED, "the folder was opened anew meanwhile: ask again"
                ) from None

        return handle

    # Life.

    async def _initialize(self, params: types.InitializeParams) -> types.InitializeResult:
        self._client.capabilities = params.capabilities
        self._client.name = params.client_info.name if params.client_info else None
        self.parent_process = params.process_id or self.parent_process
        kind = encoding_of(params.capabilities)
        self.session = Session(load_registry(), self._workers, ENCODINGS[kind])
        folders = params.workspace_folders
        named = [each.uri for each in folders] if folders else []
        if not named and params.root_uri:
            named = [params.root_uri]
        elif not named and params.root_path and Path(params.root_path).is_absolute():
            # Half a character is in no name, and has no URI.
            with contextlib.suppress(UnicodeError):
                named = [uris.of_path(Path(params.root_path))]
        self._roots = [root for root in map(_root, named) if root is not None]
        return types.InitializeResult(
            capabilities=offered(kind),
            server_info=types.ServerInfo("sightline", __version__),
        )

    async def _initialized(self, params: object) -> None:
        del params
        if self._is_initialized:
            return
        self._is_initialized = True
        self._is_watched_by_client = asyncio.create_task(self._client.register_watching())
        async with self._changing:
            await self._pull_configuration()
            if self.protocol.state is State.RUNNING:
                for root in self._roots:
                    self._open_folder(root)

    def _open_folder(self, root: str) -> None:
        self._take_opened(self._session().add_folder(root))

    def _reopen(self, root: str) -> None:
        """Take a folder's settings as they are now. What is as bad as before is not told again."""
        session = self._session()
        known = session.refusals.get(root)
        opened = session.reload_folder(root)
        if opened != known:
            self._take_opened(opened)

    def _take_opened(self, opened: Folder | Refusal | None) -> None:
        if isinstance(opened, Refusal):
            self._client.tell(opened.as_dict(), types.MessageType.Error)
        elif opened is not None:
            for message in opened.loaded.messages:
                self._client.show(str(message))
            self._start(self._index(opened))

    async def _index(self, folder: Folder) -> None:
        """Scan a folder, with progress where the client shows it."""
        self._publish_all()
        loop = asyncio.get_running_loop()
        is_cancelled = False
        last = -1

        def cancel() -> None:
            nonlocal is_cancelled
            is_cancelled = True

        progress = await self._client.progress("Sightline: indexing", cancel)

        def report(done: int, total: int) -> None:
            nonlocal last
            if is_cancelled:
                raise ScanCancelledError
            percentage = 100 * done // max(1, total)
            if progress is not None and percentage != last:
                last = percentage
                loop.call_soon_threadsafe(progress.report, percentage, f"{done} of {total} files")

        try:
            await folder.scan(report)
        except ScanCancelledError:
            self._client.show("Indexing was cancelled: answers are incomplete until a reindex.")
        except FolderClosedError:
            return
        except Exception as error:
            logger.error("a folder could not be indexed: %s", type(error).__name__)
        finally:
            if progress is not None:
                progress.end()
        if self._is_watched_by_client is None or not await self._is_watched_by_client:
            folder.watch(loop, lambda paths: self._disk_changed(folder, paths))
        self._board.poke()

    async def _shutdown(self, params: object) -> None:
        del params
        self.protocol.state = State.SHUT_DOWN
        self._board.stop()
        if self.session is not None:
            self.session.close()

    async def _cancel_progress(self, params: types.WorkDoneProgressCancelParams) -> None:
        self._client.cancel(params.token)

    # Documents.

    async def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        session = self._session()
        opened = session.open(document.uri, document.language_id, document.version, document.text)
        if not opened.is_in_step:
            self._client.show("A document is too large to be followed.")
        if session.focus is None and not self._is_told_of_no_focus:
            session.focus = Focus(document.uri, None)
        self._board.poke()
        self._start(self._publish(document.uri))

    async def _did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        changes = []
        for each in params.content_changes:
            if isinstance(each, types.TextDocumentContentChangePartial):
                start, end = each.range.start, each.range.end
                changes.append(
                    Change(
                        each.text,
                        Position(start.line, start.character),
                        Position(end.line, end.character),
                    )
                )
            else:
                changes.append(Change(each.text))
        session = self._session()
        outcome = session.change(document.uri, document.version, changes)
        self._changed(document.uri, outcome)

    def _misunderstood(self, method: str, params: Any) -> None:
        """A text, or a change of one, that cannot be read: from now on it is not known."""
        if method not in (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE):
            return
        document = params.get("textDocument") if isinstance(params, dict) else None
        uri = document.get("uri") if isinstance(document, dict) else None
        if isinstance(uri, str):
            self._start(self._lose(uri))

    async def _lose(self, uri: str) -> None:
        async with self._changing:
            problem = "a message about it cannot be understood"
            self._changed(uri, self._session().lose(uri, problem))

    def _changed(self, uri: str, outcome: OpenDocument | OutOfStep) -> None:
        if isinstance(outcome, OutOfStep) and outcome.is_news:
            self._client.show(
                "Sightline and the editor do not agree on a document any more "
                f"({outcome.problem}): close it and open it again."
            )
        self._board.poke()
        self._publish_later(uri)

    async def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        session = self._session()
        session.close_document(uri)
        if session.focus is not None and session.focus.uri == uri:
            session.focus = None
        self._client.publish(types.PublishDiagnosticsParams(uri, []))

    async def _did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        self._files_changed([params.text_document.uri])

    async def _did_change_active_file(self, params: extensions.DidChangeActiveFileParams) -> None:
        document = params.text_document
        self._has_plugin = True
        self._is_told_of_no_focus = document is None
        self._session().focus = Focus(document.uri, params.position) if document else None
        self._board.poke()

    # Sightline's own requests.

    async def _build_context(self, params: extensions.BuildContextParams) -> dict[str, Any]:
        session = self._session()
        asked = session.request_of(params)
        if isinstance(asked, Refusal):
            return answers.refused_build(asked)
        with self._client.shown(params.work_done_token, "Building AI context"):
            return await answers.build_context(session, *asked, params)

    async def _slice(self, params: extensions.SliceParams) -> dict[str, Any]:
        return await answers.slice_of(self._session(), params)

    async def _explain(self, params: extensions.ExplainParams) -> dict[str, Any]:
        return await answers.explain(self._session(), params)

    async def _verify(self, params: extensions.VerifyParams) -> dict[str, Any]:
        return await answers.verify(self._session(), params)

    async def _index_status(self, params: extensions.IndexStatusParams) -> dict[str, Any]:
        return answers.index_status(self._session(), params)

    # Standard requests.

    async def _document_symbol(
        self, params: types.DocumentSymbolParams
    ) -> list[types.DocumentSymbol] | None:
        session = self._session()
        uri = params.text_document.uri
        document = session.documents.get(uri)
        if session.out_of_step(uri) is not None:
            return None
        place = session.place(uri)
        if isinstance(place, Place):
            return await symbols.of_file(place, session)
        if document is None:
            return None
        return await symbols.of_buffer(document, session)

    async def _workspace_symbol(
        self, params: types.WorkspaceSymbolParams
    ) -> list[types.WorkspaceSymbol]:
        session = self._session()
        found: list[types.WorkspaceSymbol] = []
        for root in sorted(session.folders):
            inside = await symbols.in_folder(session.folders[root], params.query)
            # Folders may lie in each other.
            found += [each for each in inside if each not in found]
        return found[: symbols.MOST_FOUND]

    async def _code_lens(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        session = self._session()
        place = session.place(params.text_document.uri)
        if not self._shows_lenses or isinstance(place, Refusal):
            return []
        return await symbols.lenses(place, params.text_document.uri, session)

    async def _code_action(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        session = self._session()
        uri = params.text_document.uri
        place = session.place(uri)
        if isinstance(place, Refusal):
            return []
        return await actions.offered(place, uri, params)

    async def _execute_command(self, params: types.ExecuteCommandParams) -> Any:
        arguments = list(params.arguments or [])
        if params.command == "sightline.buildContext":
            try:
                asked = msgspec.convert(
                    arguments[0] if arguments else {}, extensions.BuildContextParams
                )
            except msgspec.ValidationError as error:
                raise FailureError(Code.INVALID_PARAMS, f"invalid parameters: {error}") from None
            except (UnicodeError, RecursionError):
                raise FailureError(Code.INVALID_PARAMS, "invalid parameters") from None
            result = await self._build_context(asked)
            self._board.later("showing", lambda: self._show(result))
            return result
        if params.command == "sightline.reindex":
            self._reload()
            for folder in list(self._session().folders.values()):
                await folder.refresh()
            self._board.poke()
            return {"status": "ok", "refusal": None}
        if params.command == "sightline.userSettings":
            file = actions.user_settings()
            if isinstance(file, Refusal):
                return {**self._refused(file), "path": None}
            if not self._has_plugin:
                shown = self._client.present(Path(file), "Your own Sightline settings")
                self._start(shown)
            return {"status": "ok", "refusal": None, "path": file}
        if params.command in extensions.COMMANDS:
            outcome = actions.carried_out(params.command, arguments)
            if outcome is not None:
                return self._refused(outcome)
            self._reload()
            return {"status": "ok", "refusal": None}
        raise FailureError(Code.INVALID_PARAMS, "there is no such command")

    def _refused(self, refusal: Refusal) -> dict[str, Any]:
        """The answer to a command that was refused; without a plugin, nobody would read it."""
        if not self._has_plugin:
            self._client.tell(refusal.as_dict())
        return {"status": "refused", "refusal": refusal.as_dict()}

    async def _show(self, result: dict[str, Any]) -> None:
        """For clients that have no plugin of ours, and would do nothing with the answer."""
        if result["status"] != "ok":
            self._client.tell(result["refusal"])
            return
        file = written(result, self._session().folders)
        what = f"AI context of {result['budget_report']['estimated_input_tokens']} tokens"
        if file is None:
            self._client.show(what, types.MessageType.Info)
        else:
            await self._client.present(file, what)

    # Configuration and folders.

    async def _did_change_configuration(self, params: types.DidChangeConfigurationParams) -> None:
        async with self._changing:
            if not await self._pull_configuration() and params.settings is not None:
                # A client that says nothing at all has not taken back what it denied before.
                self._configure(pushed_section(params.settings))
            self._reload()

    async def _pull_configuration(self) -> bool:
        answer = await self._client.configuration()
        if answer is None:
            return False
        self._configure(answer[0] if answer else None)
        return True

    def _configure(self, section: object) -> None:
        requested, lenses, problems = requested_settings(section)
        self._session().requested = requested
        self._shows_lenses = lenses
        for problem in problems:
            self._client.show(problem)

    def _reload(self) -> None:
        """Take all settings as they are now."""
        session = self._session()
        for root in sorted({*session.folders, *session.refusals}):
            self._reopen(root)
        self._publish_all()
        self._board.poke()

    async def _did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        async with self._changing:
            for each in params.event.removed:
                if (root := _root(each.uri)) is not None:
                    self._session().remove_folder(root)
            for each in params.event.added:
                if (root := _root(each.uri)) is not None:
                    self._open_folder(root)
        self._board.poke()

    async def _did_change_watched_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        self._files_changed([each.uri for each in params.changes])

    async def _did_create_files(self, params: types.CreateFilesParams) -> None:
        self._files_changed([each.uri for each in params.files])

    async def _did_rename_files(self, params: types.RenameFilesParams) -> None:
        self._files_changed([each.old_uri for each in params.files])
        self._files_changed([each.new_uri for each in params.files])

    async def _did_delete_files(self, params: types.DeleteFilesParams) -> None:
        self._files_changed([each.uri for each in params.files])

    def _files_changed(self, changed: Sequence[str]) -> None:
        session = self._session()
        by_folder: dict[Folder, list[str]] = {}
        if len(changed) > _MANY_CHANGES:
            # Telling whose each is takes longer than looking at all there is.
            by_folder = {folder: [WORKSPACE_FILE] for folder in session.folders.values()}
        else:
            for uri in changed:
                for place in session.places(uri):
                    by_folder.setdefault(place.folder, []).append(place.path)
        for folder, paths in by_folder.items():
            # Looking at the disk takes a while, and what is denied by now is not served meanwhile.
            folder.project.doubt_rules()
            self._take_settings(folder, paths)
            self._refresh_soon(folder, paths)

    def _refresh_soon(self, folder: Folder, paths: Sequence[str]) -> None:
        """Look at the disk once for all that changes in a moment."""
        folder.changed_paths.update(paths)
        if folder in self._refreshes:
            return

        def begin() -> None:
            self._refreshes.discard(folder)
            self._start(self._refresh(folder, folder.take_told()))

        self._refreshes.add(folder)
        asyncio.get_running_loop().call_later(_SETTLE_SECONDS, begin)

    async def _refresh(self, folder: Folder, paths: Sequence[str]) -> None:
        await folder.refresh(paths)
        self._disk_changed(folder, paths)

    def _disk_changed(self, folder: Folder, paths: Sequence[str]) -> None:
        """The index has followed the disk. No paths stand for any."""
        self._take_settings(folder, paths or [WORKSPACE_FILE])
        self._board.poke()

    def _take_settings(self, folder: Folder, changed: Sequence[str]) -> None:
        if WORKSPACE_FILE in changed:
            for root, each in list(self._session().folders.items()):
                if each is folder:
                    self._reopen(root)

    # To the client.

    async def _send_status(self) -> None:
        session = self.session
        if session is None or session.focus is None:
            return
        if not self._has_plugin and not may_show_status(self._client.name):
            return
        with contextlib.suppress(FolderClosedError):
            status = await explaining.budget_status(session, session.focus)
            # Nothing may have the focus by now; what else has it is told of next.
            if session.focus is not None:
                self.protocol.notify_struct(extensions.BUDGET_STATUS, status)

    def _publish_all(self) -> None:
        for document in self._session().documents.all():
            self._publish_later(document.uri)

    def _publish_later(self, uri: str) -> None:
        self._board.later(f"diagnostics {uri}", lambda: self._publish(uri))

    async def _publish(self, uri: str) -> None:
        """Diagnostics for what looks like a secret in an open file."""
        with contextlib.suppress(FolderClosedError):
            found = await actions.diagnostics(uri, self._session())
            if found is not None:
                self._client.publish(found)

    def _session(self) -> Session:
        assert self.session is not None, "handlers run after initialize"
        return self.session

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside the handlers; what fails is logged by its kind alone."""
        task = asyncio.get_running_loop().create_task(_guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _guarded(work: Awaitable[None]) -> None:
    try:
        await work
    except FolderClosedError:
        pass
    except Exception as error:
        logger.error("something beside the handlers failed: %s", type(error).__name__)


async def _nothing(params: object) -> None:
    del params


def _root(uri: str) -> str | None:
    """The folder that a client names, written in one way."""
    parsed = uris.parse(uri)
    if not isinstance(parsed, uris.FilePath):
        return None
    stripped = parsed.path.rstrip("/")
    return stripped if "/" in stripped else parsed.path
