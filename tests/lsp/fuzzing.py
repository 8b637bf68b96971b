"""Messages that no client should send, and what each of them has to be answered with.

Everything is made from one seed. A message begins as a valid one and is damaged in its parameters,
its JSON, its bytes or its frame; `expected` then reads what became of it, as the protocol does.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any

import attrs

from tests.lsp.raw import encoded, framed, key_of, uri_of

DOCUMENT_CANARY = "canary_of_a_document"
PARAMETER_CANARY = "canary_of_a_parameter"

RESULT = 0
"""Stands among codes for an answer that is no error."""

_EXPENSIVE = frozenset(
    [
        "workspace/didChangeConfiguration",
        "workspace/didChangeWorkspaceFolders",
        "workspace/executeCommand",
    ]
)
"""They open folders anew; one now and then is enough."""

_FOLDERS = frozenset(["initialize", "workspace/didChangeWorkspaceFolders"])
"""A damaged URI in them might name a directory of this machine to be indexed."""

_RAW = {
    "@deep@": "[" * 200 + "]" * 200,
    "@abyss@": "[" * 100_000 + "]" * 100_000,
    "@object@": '{"a":' * 150 + "1" + "}" * 150,
    "@infinite@": "1e999",
    "@nan@": "NaN",
    "@digits@": "9" * 5_000,
    "@twice@": '{"uri":"a","uri":3}',
}
"""What Python would not write."""

_ODD_STRINGS = (
    "",
    "x",
    "\ud800",
    "\udc00\ud800",
    "\0",
    "\ufeff",
    "é𝄞",
    "a" * 20_000,
    PARAMETER_CANARY,
    "file:",
    "file://host/a.py",
    "file:///%",
    "file:///%FF",
    "file:///%00",
    "file:///a%2Fb",
    "file:///../../a.py",
    "untitled:Untitled-1",
    "git:/a.py?x",
    "vscode-notebook-cell:/a#b",
    "http://127.0.0.1/",
    "full",
    "region",
    "utf-8",
    *_RAW,
)
_ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    1.5,
    -0.0,
    2**31 - 1,
    2**31,
    2**53,
    2**63,
    2**64,
    -(2**40),
    10**30,
    [],
    {},
    [[]],
    [None],
    [{}],
    {"": ""},
    {"jsonrpc": "2.0"},
    {"jsonrpc": "2.0", "id": "inner", "method": "workspace/symbol", "params": None},
    {"uri": PARAMETER_CANARY},
    {"line": -1, "character": 2**40},
    *_ODD_STRINGS,
)
_ODD_IDS: tuple[Any, ...] = (
    None,
    True,
    False,
    1.0,
    -7,
    2**31,
    2**70,
    0,
    "",
    "0",
    "\ud800",
    "a" * 5_000,
    [],
    {},
    [1],
    "@infinite@",
    "@deep@",
)


class State(IntEnum):
    NEW = 0
    RUNNING = 1
    SHUT_DOWN = 2


@attrs.frozen
class Expected:
    """An answer that has to come: for which id, and with one of which codes."""

    key: str
    codes: frozenset[int]


_UNREADABLE = Expected(key_of(None), frozenset([-32700]))
_NO_REQUEST = frozenset([-32600])


def expected(body: bytes, methods: Sequence[str], state: State) -> Expected | None:
    """What a well-framed message is answered with; None where it is not."""
    try:
        message = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return _UNREADABLE
    if not isinstance(message, dict):
        return Expected(key_of(None), _NO_REQUEST)
    method, identity = message.get("method"), message.get("id")
    if method is None and ("result" in message or "error" in message):
        return None
    is_usable = isinstance(identity, str) or type(identity) is int
    key = key_of(identity) if is_usable else key_of(None)
    if message.get("jsonrpc") != "2.0":
        return Expected(key, _NO_REQUEST) if method is not None or "id" in message else None
    if "id" not in message:
        return None
    if not isinstance(method, str) or not is_usable:
        return Expected(key, _NO_REQUEST)
    if state is State.NEW:
        codes = {-32602} if method == "initialize" else {-32002}
    elif state is State.SHUT_DOWN or method == "initialize":
        codes = set(_NO_REQUEST)
    elif method in methods:
        # A folder that is opened anew meanwhile does not answer for the one that was.
        codes = {RESULT, -32602, -32801}
        if b"workDoneToken" in body:
            # Whoever cancels the progress cancels the request.
            codes.add(-32800)
    else:
        codes = {-32601}
    return Expected(key, frozenset(codes))


class Fuzzer:
    """Valid messages about a workspace, and what can become of them."""

    def __init__(self, seed: int, folder: Path, other: Path, methods: Sequence[str]) -> None:
        self.chance = random.Random(seed)
        self.methods = methods
        self._count = 0
        self._recent: list[Any] = ["x"]
        self._other = uri_of(other)
        self._uris = [
            *(uri_of(path) for path in sorted(folder.iterdir()) if path.is_file()),
            uri_of(folder / "missing.py"),
            uri_of(folder),
            "untitled:Untitled-1",
            "file:///etc/hostname",
        ]

    def identity(self) -> str | int:
        """Never given before, so that each answer can be told from the others."""
        self._count += 1
        kind = self._count % 4
        found = f"id {self._count}" if kind == 0 else self._count * (-1 if kind == 1 else 1)
        self._recent = [*self._recent[-20:], found]
        return found

    def valid(self, method: str) -> dict[str, Any]:
        """A message that means something, with an id whether or not it is a request."""
        return {
            "jsonrpc": "2.0",
            "id": self.identity(),
            "method": method,
            "params": _PARAMETERS[method](self) if method in _PARAMETERS else {},
        }

    def body(self, *, initial: bool = False) -> bytes:
        """A message of any kind, damaged or not."""
        chance = self.chance
        roll = chance.random()
        if roll < 0.04:
            return self._stray()
        if roll < 0.10:
            return encoded(
                {
                    "jsonrpc": "2.0",
                    "method": "$/cancelRequest",
                    "params": {"id": chance.choice([*self._recent, *_ODD_IDS[:12]])},
                }
            )
        method = self._method(initial=initial)
        message = self.valid(method)
        if method in _NOTIFICATIONS and chance.random() < 0.9:
            del message["id"]
        damage = chance.choice(
            [_keep, self._damage_parameters, self._damage_parameters, self._damage_message]
        )
        damage(message)
        body = _written(message)
        if method not in _FOLDERS and chance.random() < 0.15:
            body = self._damage_bytes(body)
        return body

    def broken_initialize(self) -> bytes:
        message = self.valid("initialize")
        message["params"] = self.chance.choice([None, [], 3, {}, {"capabilities": 3}, {"a": "b"}])
        return encoded(message)

    def broken_frame(self, body: bytes) -> tuple[bytes, bool | None]:
        """A frame that is unusual or none, and whether the message in it gets through.

        None where either will do.
        """
        chance = self.chance
        size = len(body)
        cut = chance.randrange(1, size)
        more = chance.randrange(1, 300)
        frames: list[tuple[bytes, bool | None]] = [
            (b"content-length: %d\r\n\r\n" % size + body, True),
            (b"CONTENT-LENGTH:%d\r\n\r\n" % size + body, True),
            (b"Content-Length: %d\n\n" % size + body, True),
            (b"Content-Length \t:\t %d \t\r\n\r\n" % size + body, True),
            (b"\r\n\n\r\n" + framed(body), True),
            (b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + framed(body), True),
            (b"Content-Length: 7\r\n" + framed(body), True),
            (framed(body + b" " * more), True),
            (framed(b"\xef\xbb\xbf" + body), True),
            (framed(body.decode("ascii", "replace").encode("utf-16")), None),
            (framed(body.replace(b"{", b"\xff{", 1)), False),
            (framed(body + b"x" * more), False),
            (framed(b""), False),
            (framed(b"\0" * more), False),
            (b"Content-Length: %d\r\n\r\n" % cut + body, False),
            (b"Content-Length: -%d\r\n\r\n" % size + body, False),
            (b"Content-Length: %d.0\r\n\r\n" % size + body, False),
            (b"Content-Length: 0x%x\r\n\r\n" % size + body, False),
            (b"Content-Length: \r\n\r\n" + body, False),
            (b"Content-Length: 999999999999\r\n\r\n" + body, False),
            (b"Content-Length: %s\r\n\r\n" % (b"9" * 40) + body, False),
            (b"Content-Type: x\r\n\r\n" + body, False),
            (body, False),
            (body + b"\r\n", False),
            (b"no header\r\n\r\n", False),
            (b"\xff\xfe\r\n" * more, False),
            (b"X: y\r\n" * 40 + b"\r\n", False),
            (b"X: " + b"y" * 10_000 + b"\r\n\r\n" + body, False),
            (b"y" * 300_000 + b"\r\n", False),
            (chance.randbytes(more) + b"\n", None),
        ]
        return chance.choice(frames)

    def storm(self, uri: str, count: int) -> list[bytes]:
        """Changes of an open document with versions and ranges of all kinds, one in step last."""
        chance = self.chance
        bodies = []
        for _ in range(count):
            start = {"line": chance.choice([0, 1, 7, 10**6]), "character": chance.randrange(-1, 40)}
            end = {"line": chance.choice([0, 1, 2, 9]), "character": chance.randrange(40)}
            change: dict[str, Any] = {"text": chance.choice(["", "a", "\n", "é𝄞", "\ud800", "\r"])}
            if chance.random() < 0.9:
                change["range"] = {"start": start, "end": end}
            params = {
                "textDocument": {"uri": uri, "version": chance.choice([-1, 0, 1, 2, 5, 9, None])},
                "contentChanges": [change] * chance.choice([0, 1, 1, 3]),
            }
            bodies.append(_change(params))
        return bodies

    def whole_text(self, uri: str, text: str) -> bytes:
        document = {"uri": uri, "version": 2**31 - 1}
        return _change({"textDocument": document, "contentChanges": [{"text": text}]})

    def opened(self, uri: str, text: str) -> bytes:
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        return encoded(
            {
                "jsonrpc": "2.0",
                "method": "textDocument/didOpen",
                "params": {"textDocument": document},
            }
        )

    # What is said, before it is damaged.

    def uri(self) -> str:
        return self.chance.choice(self._uris)

    def position(self) -> dict[str, int]:
        return {"line": self.chance.randrange(9), "character": self.chance.randrange(30)}

    def range(self) -> dict[str, Any]:
        return {"start": self.position(), "end": self.position()}

    def document(self) -> dict[str, Any]:
        return {"uri": self.uri()}

    def other_folder(self) -> dict[str, Any]:
        return {"uri": self._other, "name": "other"}

    def _method(self, *, initial: bool) -> str:
        while True:
            method = self.chance.choice([*_PARAMETERS, "no/such/method", "$/unknown"])
            if method == "initialize" and initial:
                continue
            if method in _EXPENSIVE and self.chance.random() < 0.8:
                continue
            return method

    def _stray(self) -> bytes:
        """Not a request of a client at all."""
        chance = self.chance
        odd = chance.choice(_ODD)
        return _written(
            chance.choice(
                [
                    odd,
                    [self.valid("workspace/symbol"), self.valid("workspace/symbol")],
                    [],
                    {"jsonrpc": "2.0", "id": chance.choice(_ODD_IDS), "result": odd},
                    {"jsonrpc": "2.0", "id": self.identity(), "result": odd},
                    {"jsonrpc": "2.0", "id": "nobody", "error": odd},
                    {"id": 1, "error": {"code": 1, "message": PARAMETER_CANARY}},
                    {"jsonrpc": "2.0"},
                    {"jsonrpc": "2.0", "id": self.identity()},
                    {"jsonrpc": "2.0", "id": chance.choice(_ODD_IDS), "method": "workspace/symbol"},
                    {"method": "workspace/symbol", "id": self.identity()},
                    {"jsonrpc": odd, "method": "workspace/symbol", "id": self.identity()},
                ]
            )
        )

    def _damage_parameters(self, message: dict[str, Any]) -> None:
        chance = self.chance
        message["params"] = copy.deepcopy(message["params"])
        for _ in range(chance.choice([1, 1, 1, 2, 4])):
            places = list(_places(message, "params"))
            container, name = chance.choice(places)
            act = chance.randrange(8)
            if act == 0:
                del container[name]
                if container is message:
                    return
            elif act == 1 and isinstance(container, dict):
                container[chance.choice(["jsonrpc", "id", "method", PARAMETER_CANARY])] = "2.0"
            elif act == 2:
                container[name] = [container[name]] * chance.choice([1, 3, 200])
            else:
                container[name] = copy.deepcopy(chance.choice(_ODD))

    def _damage_message(self, message: dict[str, Any]) -> None:
        chance = self.chance
        act = chance.randrange(6)
        if act == 0:
            message["jsonrpc"] = chance.choice(_ODD)
        elif act == 1:
            message.pop(chance.choice(["jsonrpc", "params", "method"]))
        elif act == 2:
            message["method"] = chance.choice(_ODD)
        elif act == 3:
            message["extra"] = {"jsonrpc": "2.0", "text": PARAMETER_CANARY}
        elif act == 4:
            message["result"] = chance.choice(_ODD)
        elif message["method"] not in _NOTIFICATIONS:
            # A second one with the same id, or another kind of id.
            message["id"] = chance.choice([*self._recent, *_ODD_IDS])

    def _damage_bytes(self, body: bytes) -> bytes:
        chance = self.chance
        data = bytearray(body)
        for _ in range(chance.choice([1, 1, 2, 8])):
            place = chance.randrange(len(data) + 1)
            act = chance.randrange(4)
            if act == 0:
                data[place:place] = chance.randbytes(chance.choice([1, 3]))
            elif act == 1:
                del data[place : place + chance.choice([1, 2, 30])]
            elif act == 2 and place < len(data):
                data[place] ^= 1 << chance.randrange(8)
            else:
                data[place:place] = data[place : place + 20]
        return bytes(data)


def _parameters() -> dict[str, Callable[[Fuzzer], Any]]:
    """For each method that there is: what a client would ask or say."""

    def opened(fuzzer: Fuzzer) -> Any:
        text = f"# {DOCUMENT_CANARY}\ndef first(a):\n    return a\n"
        return {
            "textDocument": {
                **fuzzer.document(),
                "languageId": "python",
                "version": fuzzer.chance.randrange(5),
                "text": text * fuzzer.chance.choice([0, 1, 2, 40]),
            }
        }

    def changed(fuzzer: Fuzzer) -> Any:
        change = {"range": fuzzer.range(), "rangeLength": 3, "text": f"# {DOCUMENT_CANARY}\n"}
        return {
            "textDocument": {**fuzzer.document(), "version": fuzzer.chance.randrange(9)},
            "contentChanges": [change, {"text": "whole\n"}][: fuzzer.chance.randrange(3)],
        }

    def build(fuzzer: Fuzzer) -> Any:
        target = {"uri": fuzzer.uri(), "position": fuzzer.position(), "range": fuzzer.range()}
        return {
            "textDocument": fuzzer.document(),
            "position": fuzzer.position(),
            "range": fuzzer.chance.choice([None, fuzzer.range()]),
            "purpose": fuzzer.chance.choice(["intent", "plan", "diff"]),
            "targets": [target, {"symbol": "first"}][: fuzzer.chance.randrange(3)],
            "planStep": {
                "id": "1",
                "title": PARAMETER_CANARY,
                "description": "d",
                "targetFiles": ["a.py"],
                "targetSymbols": ["first"],
            },
            "intent": PARAMETER_CANARY,
            "constraints": [{"text": PARAMETER_CANARY, "scope": "session"}],
            "userSelectedTargets": [{"uri": fuzzer.uri(), "symbol": "first"}],
            "droppedUris": [fuzzer.uri()],
            "lastError": {
                "message": PARAMETER_CANARY,
                "uri": fuzzer.uri(),
                "line": 3,
                "code": "E1",
                "severity": "error",
            },
            "model": {"name": None, "maxInputTokens": 9000, "responseTokenReserve": 100},
            "format": fuzzer.chance.choice(["json", "markdown", "xml"]),
            "correlationId": "00000000-0000-4000-8000-000000000000",
            "workDoneToken": fuzzer.chance.choice([1, "token", None]),
        }

    def command(fuzzer: Fuzzer) -> Any:
        name, argument = fuzzer.chance.choice(
            [
                ("sightline.buildContext", build(fuzzer)),
                ("sightline.allowPath", document(fuzzer)),
                ("sightline.markHarmless", place(fuzzer)),
                ("sightline.takeBack", {**document(fuzzer), "rule": "a.py"}),
                ("sightline.reindex", None),
                ("sightline.userSettings", None),
                ("sightline.unknown", PARAMETER_CANARY),
            ]
        )
        return {"command": name, "arguments": [argument]}

    def place(fuzzer: Fuzzer) -> Any:
        return {"textDocument": fuzzer.document(), "position": fuzzer.position()}

    def document(fuzzer: Fuzzer) -> Any:
        return {"textDocument": fuzzer.document()}

    return {
        "initialize": lambda fuzzer: {
            "processId": None,
            "rootUri": None,
            "capabilities": {"general": {"positionEncodings": ["utf-8"]}},
            "workspaceFolders": [fuzzer.other_folder()],
        },
        "$/setTrace": lambda _: {"value": "off"},
        "textDocument/didOpen": opened,
        "textDocument/didChange": changed,
        "textDocument/didClose": document,
        "textDocument/didSave": lambda fuzzer: {**document(fuzzer), "text": DOCUMENT_CANARY},
        "textDocument/documentSymbol": document,
        "textDocument/codeLens": document,
        "textDocument/codeAction": lambda fuzzer: {
            **document(fuzzer),
            "range": fuzzer.range(),
            "context": {
                "diagnostics": [{"range": fuzzer.range(), "message": "m", "source": "sightline"}],
                "only": ["quickfix"],
                "triggerKind": 1,
            },
        },
        "workspace/symbol": lambda fuzzer: {"query": fuzzer.chance.choice(["", "fir", "x" * 99])},
        "workspace/executeCommand": command,
        "workspace/didChangeConfiguration": lambda _: {
            "settings": {"sightline": {"budget": {"maxInputTokens": 9_000}, "codeLens": True}}
        },
        "workspace/didChangeWorkspaceFolders": lambda fuzzer: {
            "event": fuzzer.chance.choice(
                [
                    {"added": [fuzzer.other_folder()], "removed": []},
                    {"added": [], "removed": [fuzzer.other_folder()]},
                ]
            )
        },
        "workspace/didChangeWatchedFiles": lambda fuzzer: {
            "changes": [{"uri": fuzzer.uri(), "type": fuzzer.chance.randrange(1, 4)}]
        },
        "workspace/didCreateFiles": lambda fuzzer: {"files": [fuzzer.document()]},
        "workspace/didRenameFiles": lambda fuzzer: {
            "files": [{"oldUri": fuzzer.uri(), "newUri": fuzzer.uri()}]
        },
        "workspace/didDeleteFiles": lambda fuzzer: {"files": [fuzzer.document()]},
        "window/workDoneProgress/cancel": lambda _: {"token": "token"},
        "sightline/buildContext": build,
        "sightline/slice": lambda fuzzer: {
            **place(fuzzer),
            "level": fuzzer.chance.choice(["full", "region", "signatures", "summary"]),
            "symbols": ["first"][: fuzzer.chance.randrange(2)],
        },
        "sightline/explain": lambda fuzzer: {
            **place(fuzzer),
            "target": {"uri": fuzzer.uri(), "symbol": "first"},
        },
        "sightline/verify": lambda fuzzer: {
            **document(fuzzer),
            "result": {
                "status": "ok",
                "request": {"purpose": "diff", "active": {"path": "a.py"}},
                "settings": {},
                "overrides": {"budget.max_input_tokens": 9_000},
                "refusal": None,
            },
        },
        "sightline/indexStatus": document,
        "sightline/models": lambda _: {},
        "sightline/buildRecipe": lambda fuzzer: {
            **document(fuzzer),
            "recipe": fuzzer.chance.choice(["implementation", "review", "fix", "issue"]),
            "taskUri": fuzzer.uri(),
            "base": "main",
            "report": "a.py:1: error: wrong",
            "issue": "Wrong in a.py",
            "maxTokens": 500,
        },
        "sightline/buildTaskPack": lambda fuzzer: {
            **document(fuzzer),
            "task": '{"id": "1", "title": "t", "goal": "g", "context": {"files": ["a.py"]}}',
            "tier": fuzzer.chance.choice(["strong", "default", "cheap", "none"]),
        },
        "sightline/buildProjectPack": lambda fuzzer: {
            **document(fuzzer),
            "uris": [fuzzer.uri()],
            "include": ["*.py"],
            "exclude": ["["],
            "type": fuzzer.chance.choice(["auto", "full", "summary", "map", "none"]),
            "format": fuzzer.chance.choice(["json", "markdown", "xml", "msgpack"]),
            "maxFiles": 3,
            "providerLimits": {"a": 1},
            "mapTokens": 100,
        },
        "sightline/snapshot": lambda fuzzer: {
            **document(fuzzer),
            "action": fuzzer.chance.choice(["create", "list", "show", "cat", "diff", "verify"]),
            "id": "01890a5d",
            "other": "01890a5e",
            "path": "a.py",
            "since": "2026-01-01T00:00:00Z",
            "createdBy": "agent:fuzzer",
        },
        "sightline/didChangeActiveFile": place,
    }


_PARAMETERS = _parameters()
FUZZED_METHODS = tuple(_PARAMETERS)
_NOTIFICATIONS = frozenset(
    method
    for method in _PARAMETERS
    if "/did" in method or method in ("$/setTrace", "window/workDoneProgress/cancel")
)


def _keep(message: dict[str, Any]) -> None:
    del message


def _change(params: object) -> bytes:
    return encoded({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params})


def _places(container: Any, name: Any) -> list[tuple[Any, Any]]:
    """Every value below a place, as what holds it and under which name."""
    found = [(container, name)]
    value = container[name] if not isinstance(container, dict) else container.get(name)
    if isinstance(value, dict):
        for each in value:
            found += _places(value, each)
    elif isinstance(value, list):
        for index in range(min(len(value), 3)):
            found += _places(value, index)
    return found


def _written(message: object) -> bytes:
    text = json.dumps(message)
    for mark, raw in _RAW.items():
        text = text.replace(json.dumps(mark), raw)
    return text.encode("ascii")


def _refuse_constant(name: str) -> float:
    raise ValueError(name)
