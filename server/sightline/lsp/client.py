"""Messages and requests to the client. The server never waits without a limit for an answer."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sightline.lsp.capabilities import (
    can_be_asked,
    can_watch,
    refreshes_lenses,
    shows_documents,
    shows_progress,
    tells_all,
)
from sightline.lsp.protocol import FailureError
from sightline.refusals import Refusal

_ANSWER_SECONDS = 5
_PERSON_SECONDS = 300
"""How long a person has to answer a question; after that the answer counts as no."""
_Answer = TypeVar("_Answer")
_Token = int | str


class Client:
    """Sends messages to the client. Runs on the event loop."""

    def __init__(self, library: LanguageServer) -> None:
        self._library = library
        self._numbers = itertools.count(1)
        self._cancels: dict[_Token, Callable[[], object]] = {}
        """What to call when the client cancels a task, by the token of its progress."""
        self.capabilities = types.ClientCapabilities()
        self.name: str | None = None

    def show(self, message: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        self._library.window_show_message(types.ShowMessageParams(kind, message))

    def tell(self, refusal: Refusal, kind: types.MessageType = types.MessageType.Warning) -> None:
        """Show a refusal in one line."""
        self.show(refusal.sentence(), kind)

    async def ask(self, question: str, choices: Sequence[str]) -> str | None:
        """Ask the person a question; return the choice, or None if none of `choices` was chosen."""
        items = [types.MessageActionItem(each) for each in choices]
        asked = types.ShowMessageRequestParams(types.MessageType.Warning, question, items)
        sent = self._library.window_show_message_request_async(asked)
        answer = await _answer(sent, _PERSON_SECONDS)
        title = answer.title if answer is not None else None
        return title if title in choices else None

    async def present(self, file: Path, what: str) -> None:
        """Ask the client to open a file; if it cannot, show the file's path."""
        if not await self._open(file):
            self.show(f"{what}: {file}", types.MessageType.Info)

    async def _open(self, file: Path) -> bool:
        if not shows_documents(self.capabilities):
            return False
        asked = types.ShowDocumentParams(file.as_uri(), take_focus=True)
        answer = await _answer(self._library.window_show_document_async(asked))
        return answer is not None and answer.success

    def publish(self, found: types.PublishDiagnosticsParams) -> None:
        self._library.text_document_publish_diagnostics(found)

    async def refresh_lenses(self) -> None:
        """Ask the client to request code lenses again, if it supports that."""
        if refreshes_lenses(self.capabilities):
            await _answer(self._library.workspace_code_lens_refresh_async(None))

    async def configuration(self) -> Sequence[object] | None:
        """Request the client's `sightline` section, in a list; None if it cannot be asked or does
        not answer.
        """
        if not can_be_asked(self.capabilities):
            return None
        asked = types.ConfigurationParams([types.ConfigurationItem(section="sightline")])
        return await _answer(self._library.workspace_configuration_async(asked))

    async def register_watching(self) -> bool:
        """Ask the client to report changed files; return True if it will report all of them."""
        if not can_watch(self.capabilities, self.name):
            return False
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*")])
        registration = types.Registration(
            "sightline-watch", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options
        )
        asked = types.RegistrationParams([registration])
        try:
            await _answered(self._library.client_register_capability_async(asked))
        except (FailureError, TimeoutError):
            return False
        return tells_all(self.name)

    async def progress(self, title: str, cancel: Callable[[], object]) -> Progress | None:
        """Start a progress with a token of the server; None if the client cannot show progress."""
        if not shows_progress(self.capabilities):
            return None
        token = f"sightline-{next(self._numbers)}"
        asked = types.WorkDoneProgressCreateParams(token)
        with contextlib.suppress(FailureError, TimeoutError):
            await _answered(self._library.window_work_done_progress_create_async(asked))
            self._cancels[token] = cancel
            return Progress(self, token, title, 0)
        return None

    @contextlib.contextmanager
    def shown(self, token: _Token | None, title: str) -> Iterator[Progress | None]:
        """Report progress under the client's token. Cancelling it cancels the current task."""
        task = asyncio.current_task()
        if token is None or task is None or token in self._cancels:
            yield None
            return
        self._cancels[token] = task.cancel
        progress = Progress(self, token, title, None)
        try:
            yield progress
        finally:
            progress.end()

    def cancel(self, token: _Token) -> None:
        # pygls passes any JSON value as a token.
        cancel = self._cancels.pop(token, None) if isinstance(token, int | str) else None
        if cancel is not None:
            cancel()

    def report(self, token: _Token, value: Any) -> None:
        self._library.protocol.notify(types.PROGRESS, types.ProgressParams(token, value))

    def forget(self, token: _Token) -> None:
        self._cancels.pop(token, None)


class Progress:
    """One progress report. It begins once and ends once."""

    def __init__(self, client: Client, token: _Token, title: str, start: int | None) -> None:
        self._client = client
        self._token = token
        self._is_over = False
        client.report(token, types.WorkDoneProgressBegin(title, percentage=start, cancellable=True))

    def report(self, percentage: int, message: str) -> None:
        if not self._is_over:
            self._client.report(
                self._token, types.WorkDoneProgressReport(percentage=percentage, message=message)
            )

    def end(self) -> None:
        self._is_over = True
        self._client.report(self._token, types.WorkDoneProgressEnd())
        self._client.forget(self._token)


async def _answer(
    asked: Coroutine[Any, Any, _Answer], seconds: int = _ANSWER_SECONDS
) -> _Answer | None:
    try:
        return await _answered(asked, seconds)
    except (FailureError, TimeoutError):
        return None


async def _answered(asked: Coroutine[Any, Any, _Answer], seconds: int = _ANSWER_SECONDS) -> _Answer:
    # Shield the future: a late reply must still find it.
    return await asyncio.wait_for(asyncio.shield(asked), seconds)
