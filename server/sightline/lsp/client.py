"""What is said to the client, and asked of it. A client that does not answer is not waited for."""

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
"""A person has so long to answer a question; then the answer is taken for a no."""
_Answer = TypeVar("_Answer")
_Token = int | str


class Client:
    """Lives on the event loop."""

    def __init__(self, library: LanguageServer) -> None:
        self._library = library
        self._numbers = itertools.count(1)
        self._cancels: dict[_Token, Callable[[], object]] = {}
        """What to do when the client cancels something that it shows the progress of."""
        self.capabilities = types.ClientCapabilities()
        self.name: str | None = None

    def show(self, message: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        self._library.window_show_message(types.ShowMessageParams(kind, message))

    def tell(self, refusal: Refusal, kind: types.MessageType = types.MessageType.Warning) -> None:
        """Show a refusal in one line."""
        self.show(refusal.sentence(), kind)

    async def ask(self, question: str, choices: Sequence[str]) -> str | None:
        """Ask the person; return the choice that they made, None where they made none of these."""
        items = [types.MessageActionItem(each) for each in choices]
        asked = types.ShowMessageRequestParams(types.MessageType.Warning, question, items)
        sent = self._library.window_show_message_request_async(asked)
        answer = await _answer(sent, _PERSON_SECONDS)
        title = answer.title if answer is not None else None
        return title if title in choices else None

    async def present(self, file: Path, what: str) -> None:
        """Have a file shown; where the client cannot, say where it is."""
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
        """Have the client ask for code lenses again, where it can be told to."""
        if refreshes_lenses(self.capabilities):
            await _answer(self._library.workspace_code_lens_refresh_async(None))

    async def configuration(self) -> Sequence[object] | None:
        """Its section of ours, in a list; None where it cannot be asked or does not answer."""
        if not can_be_asked(self.capabilities):
            return None
        asked = types.ConfigurationParams([types.ConfigurationItem(section="sightline")])
        return await _answer(self._library.workspace_configuration_async(asked))

    async def register_watching(self) -> bool:
        """Have the client tell of files that change; whether it will tell of all that do."""
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
        """A progress of our own; None where the client shows none."""
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
        """Progress under the client's own token, which cancels the task that this is in."""
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
        # The library takes anything for a token.
        cancel = self._cancels.pop(token, None) if isinstance(token, int | str) else None
        if cancel is not None:
            cancel()

    def report(self, token: _Token, value: Any) -> None:
        self._library.protocol.notify(types.PROGRESS, types.ProgressParams(token, value))

    def forget(self, token: _Token) -> None:
        self._cancels.pop(token, None)


class Progress:
    """From its beginning to its end, once each."""

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
    # A late answer finds somebody still waiting for it.
    return await asyncio.wait_for(asyncio.shield(asked), seconds)
