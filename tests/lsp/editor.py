"""An editor as the server sees it: pytest-lsp's client, with our own messages as plain values.

It keeps the text of what it has open by itself, as a string, and tells the server of every change
in the agreed encoding. So whatever the server answers can be compared with what the editor shows.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attrs
import cattrs
from lsprotocol import types
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    default_converter,
)
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import register_lsp_features
from pytest_lsp.protocol import LanguageClientProtocol

PATIENCE = 300
"""Seconds until a condition that never comes true fails a test; nothing waits so long otherwise."""

_CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def units(text: str, encoding: str) -> int:
    """How many code units a piece of a line has."""
    codec, width = _CODECS[encoding]
    return len(text.encode(codec)) // width


@attrs.frozen
class Kind:
    """An editor whose capabilities pytest-lsp knows, its encoding, and what it calls itself."""

    name: str
    capabilities: str
    encoding: str
    client: str

    def __str__(self) -> str:
        return self.name


VS_CODE = Kind("vs-code", "visual_studio_code@v1.65.2", "utf-16", "Visual Studio Code")
NEOVIM_10 = Kind("neovim-0.10", "neovim@v0.10.0", "utf-16", "Neovim")
NEOVIM_11 = Kind("neovim-0.11", "neovim@v0.11.0", "utf-8", "Neovim")
EMACS = Kind("emacs", "emacs@v29.1", "utf-32", "Eglot")
KINDS = (VS_CODE, NEOVIM_10, NEOVIM_11, EMACS)


class _Protocol(LanguageClientProtocol):
    """Tells the editor of each message once it was taken."""

    def get_result_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        if method == types.TEXT_DOCUMENT_CODE_ACTION:
            # The library takes an action with a command in it for a command.
            return None
        found: type[Any] | None = super().get_result_type(method)
        return found

    def handle_message(self, message: Any) -> None:
        super().handle_message(message)
        assert isinstance(self._server, Editor)
        self._server.arrived.set()


class Editor(LanguageClient):
    def __init__(self) -> None:
        super().__init__(protocol_cls=_Protocol, converter_factory=_converter)
        register_lsp_features(self)
        self.arrived = asyncio.Event()
        self.encoding = "utf-16"
        self.statuses: list[dict[str, Any]] = []
        self.registered: list[types.Registration] = []
        self.questions: list[types.ShowMessageRequestParams] = []
        """What the server has asked the person."""
        self.answers: list[Any] = []
        """What the person answers, in order: a title, None, or an exception."""
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}

        @self.feature("sightline/budgetStatus")  # type: ignore[untyped-decorator]
        def _(_: Editor, params: dict[str, Any]) -> None:
            self.statuses.append(params)

        @self.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)  # type: ignore[untyped-decorator]
        async def _(_: Editor, params: types.ShowMessageRequestParams) -> Any:
            self.questions.append(params)
            await self.until(lambda: self.answers)
            answer = self.answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return types.MessageActionItem(answer) if isinstance(answer, str) else answer

        @self.feature(types.CLIENT_REGISTER_CAPABILITY)  # type: ignore[untyped-decorator]
        def _(_: Editor, params: types.RegistrationParams) -> None:
            self.registered += params.registrations

    # Asking.

    async def ask(self, method: str, **params: Any) -> Any:
        return await asyncio.wait_for(self.begin(method, **params), PATIENCE)

    async def build(self, uri: str | None = None, **params: Any) -> dict[str, Any]:
        if uri is not None:
            params["textDocument"] = {"uri": uri}
        result: dict[str, Any] = await self.ask("sightline/buildContext", **params)
        return result

    async def command(self, name: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(name, arguments=list(arguments))
        return await self.workspace_execute_command_async(params)

    def begin(self, method: str, **params: Any) -> asyncio.Future[Any]:
        """Send a request now, and await its answer later."""
        return asyncio.wrap_future(self.protocol.send_request(method, params))

    def begin_build(self, uri: str, **params: Any) -> asyncio.Future[Any]:
        return self.begin("sightline/buildContext", textDocument={"uri": uri}, **params)

    async def actions(
        self, uri: str, line: int, character: int = 0, *diagnostics: types.Diagnostic
    ) -> dict[str, Any]:
        """The arguments of what is offered at a place, by command."""
        position = types.Position(line, character)
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(uri),
            types.Range(position, position),
            types.CodeActionContext(diagnostics),
        )
        found: Any = await self.text_document_code_action_async(params)
        commands = [each["command"] for each in found]
        return {each["command"]: each["arguments"] for each in commands}

    async def symbols(self, uri: str) -> list[types.DocumentSymbol] | None:
        params = types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
        found: Any = await self.text_document_document_symbol_async(params)
        return None if found is None else list(found)

    async def until(self, condition: Callable[[], Any]) -> Any:
        """Wait until something that arrives makes a condition true."""
        async with asyncio.timeout(PATIENCE):
            while not (found := condition()):
                self.arrived.clear()
                await self.arrived.wait()
        return found

    async def until_asked(
        self, method: str, condition: Callable[[Any], bool], **params: Any
    ) -> Any:
        """Ask until the answer is as wanted."""
        async with asyncio.timeout(PATIENCE):
            while not condition(answer := await self.ask(method, **params)):
                await asyncio.sleep(0.02)
        return answer

    async def indexed(self, uri: str | None = None, files: int = 1) -> dict[str, Any]:
        """Wait for the index of a folder."""
        document = {"uri": uri} if uri else None
        found: dict[str, Any] = await self.until_asked(
            "sightline/indexStatus",
            lambda status: status["index_complete"] and status["files"] >= files,
            textDocument=document,
        )
        return found

    async def status(self, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The last status, once it is as wanted."""
        found: dict[str, Any] = await self.until(
            lambda: self.statuses and condition(self.statuses[-1]) and self.statuses[-1]
        )
        return found

    def kinds_of_progress(self, token: int | str) -> list[str]:
        reports: list[Any] = list(self.progress_reports[token])
        return [each.kind for each in reports]

    # Editing.

    def open(self, uri: str, text: str, language: str = "python", version: int = 1) -> None:
        self.texts[uri], self.versions[uri] = text, version
        item = types.TextDocumentItem(uri, language, version, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def open_file(self, path: Path, language: str = "python") -> str:
        uri = uri_of(path)
        self.open(uri, path.read_bytes().decode("utf-8"), language)
        return uri

    def close(self, uri: str) -> None:
        del self.texts[uri], self.versions[uri]
        self.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )

    def replace(self, uri: str, old: str, new: str) -> None:
        """Type `new` over the first place where `old` stands."""
        text = self.texts[uri]
        start = text.index(old)
        span = types.Range(
            self.position(text, start, self.encoding),
            self.position(text, start + len(old), self.encoding),
        )
        self.texts[uri] = text[:start] + new + text[start + len(old) :]
        self.change(uri, types.TextDocumentContentChangePartial(text=new, range=span))

    def show(self, uri: str, text: str) -> None:
        """Replace the whole text."""
        self.texts[uri] = text
        self.change(uri, types.TextDocumentContentChangeWholeDocument(text=text))

    def change(
        self,
        uri: str,
        *changes: types.TextDocumentContentChangeEvent,
        version: int | None = None,
    ) -> None:
        if version is None:
            version = self.versions[uri] = self.versions[uri] + 1
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri), list(changes)
            )
        )

    def focus(self, uri: str | None, position: types.Position | None = None) -> None:
        document = {"uri": uri} if uri else None
        self.protocol.notify(
            "sightline/didChangeActiveFile",
            {"textDocument": document, "position": wire(position) if position else None},
        )

    def at(self, uri: str, piece: str) -> dict[str, int]:
        """Where a piece of a document begins."""
        text = self.texts[uri]
        return wire(self.position(text, text.index(piece), self.encoding))

    @staticmethod
    def position(text: str, offset: int, encoding: str) -> types.Position:
        breaks = [found.end() for found in _LINE_BREAK.finditer(text) if found.end() <= offset]
        start = breaks[-1] if breaks else 0
        return types.Position(len(breaks), units(text[start:offset], encoding))

    def configure(self, section: Mapping[str, Any]) -> None:
        """Change the configuration and say so, as an editor that is asked for it does."""
        self.set_configuration(dict(section), section="sightline")
        self.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))


@contextlib.asynccontextmanager
async def running(
    kind: Kind,
    home: Path,
    *folders: Path,
    configuration: Mapping[str, Any] | None = None,
    adapt: Callable[[types.ClientCapabilities], None] = lambda _: None,
    environment: Mapping[str, str] | None = None,
) -> AsyncIterator[Editor]:
    """An editor with a server of its own, whose user has an empty cache and no settings."""
    config = ClientServerConfig(
        server_command=[sys.executable, "-P", "-m", "sightline.cli", "lsp", "--stdio"],
        client_factory=Editor,
        server_env={
            **os.environ,
            "SIGHTLINE_CACHE_DIR": str(home / "cache"),
            "SIGHTLINE_CONFIG_DIR": str(home / "config"),
            # Starting a second worker takes longer than all of these files do in one.
            "SIGHTLINE_INDEX_JOBS": "1",
            **(environment or {}),
        },
    )
    editor = await config.start()
    assert isinstance(editor, Editor)
    if configuration is not None:
        editor.set_configuration(dict(configuration), section="sightline")
    capabilities = client_capabilities(kind.capabilities)
    adapt(capabilities)
    try:
        answer = await editor.initialize_session(
            types.InitializeParams(
                capabilities=capabilities,
                client_info=types.ClientInfo(kind.client),
                root_uri=uri_of(folders[0]) if folders else None,
                workspace_folders=workspace_folders(folders),
            )
        )
        editor.encoding = str(answer.capabilities.position_encoding)
        yield editor
        await editor.shutdown_session()
    finally:
        # A test that fails has not said good-bye, and the library would wait for the server's end.
        if editor._server is not None and editor._server.returncode is None:
            editor._server.kill()
        await editor.stop()  # type: ignore[no-untyped-call]


def workspace_folders(folders: Sequence[Path]) -> list[types.WorkspaceFolder]:
    return [types.WorkspaceFolder(uri_of(each), each.name) for each in folders]


def uri_of(path: Path) -> str:
    """As VS Code writes it: everything but letters, digits and `-._~/` is escaped."""
    return "file://" + quote(str(path), safe="/")


def wire(position: types.Position) -> dict[str, int]:
    return {"line": position.line, "character": position.character}


def _converter() -> cattrs.Converter:
    """The library's, but what it has no type for stays as JSON has it."""
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    for each in (JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage):
        converter.register_structure_hook(each, lambda value, kind: kind(**value))
    return converter
