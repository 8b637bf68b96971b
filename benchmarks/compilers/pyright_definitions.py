"""Print pyright's definitions of names: its language server is asked about each place.

    python pyright_definitions.py LANGUAGE_SERVER ROOT

Reads `[path, [[line, column], …]]` lines and prints `[path, [definitions, …]]` lines in the same
order; lines are 1-based, columns UTF-16, paths relative to the root. `definitions` is null if
pyright has no answer, otherwise a list of `[path, line, column]`; the path is null outside of the
root.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote, urlsplit

_UNDER_WAY = 64
"""Requests sent before answers are read: together they must fit into a pipe."""

_ANALYSIS = {
    "diagnosticMode": "openFilesOnly",
    "typeCheckingMode": "off",
    "useLibraryCodeForTypes": True,
}

_Places = list[tuple[int, int]]
_Definitions = list[tuple[str | None, int, int]] | None


def main() -> int:
    server, root = sys.argv[1], Path(os.path.realpath(sys.argv[2]))
    with subprocess.Popen(
        ["node", "--max-old-space-size=8192", server, "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        client = _Client(process.stdin, process.stdout, root)
        client.start()
        for line in sys.stdin:
            path, places = json.loads(line)
            print(json.dumps([path, list(client.definitions(path, places))]), flush=True)
        process.kill()
    return 0


class _Client:
    """A minimal language client that asks for definitions."""

    def __init__(self, to_server: IO[bytes], from_server: IO[bytes], root: Path) -> None:
        self._to_server = to_server
        self._from_server = from_server
        self._root = root
        self._last_id = 0

    def start(self) -> None:
        """Return once the server knows its files: before that, every answer is empty."""
        uri = self._root.as_uri()
        self._send(
            id=0,
            method="initialize",
            params={
                "processId": os.getpid(),
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": "root"}],
                "capabilities": {"workspace": {"configuration": True, "workspaceFolders": True}},
            },
        )
        while self._receive().get("id") != 0:
            pass
        self._send(method="initialized", params={})
        while "source file" not in self._receive().get("params", {}).get("message", ""):
            pass

    def definitions(self, path: str, places: _Places) -> Iterator[_Definitions]:
        document = {"uri": (self._root / path).as_uri()}
        for start in range(0, len(places), _UNDER_WAY):
            asked = []
            for line, column in places[start : start + _UNDER_WAY]:
                self._last_id += 1
                asked.append(self._last_id)
                position = {"line": line - 1, "character": column}
                self._send(
                    id=self._last_id,
                    method="textDocument/definition",
                    params={"textDocument": document, "position": position},
                )
            answers: dict[int, Any] = {}
            while len(answers) < len(asked):
                message = self._receive()
                if message.get("id") in asked:
                    answers[message["id"]] = message.get("result")
            yield from (self._read(answers[each]) for each in asked)

    def _read(self, result: Any) -> _Definitions:
        found: list[tuple[str | None, int, int]] = []
        for each in result or []:
            start = each["range"]["start"]
            place = Path(unquote(urlsplit(each["uri"]).path))
            inside = place.is_relative_to(self._root)
            path = place.relative_to(self._root).as_posix() if inside else None
            found.append((path, start["line"] + 1, start["character"]))
        return found or None

    def _send(self, **message: Any) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._to_server.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._to_server.flush()

    def _receive(self) -> dict[str, Any]:
        """Return the next message, and answer the server's own requests meanwhile."""
        while True:
            length = 0
            while header := self._from_server.readline().strip():
                if header.lower().startswith(b"content-length:"):
                    length = int(header.partition(b":")[2])
            if not length:
                sys.exit("pyright's language server has ended")
            message: dict[str, Any] = json.loads(self._from_server.read(length))
            if "method" not in message or "id" not in message:
                return message
            items = message.get("params", {}).get("items", [])
            is_settings = message["method"] == "workspace/configuration"
            settings = [_settings(each.get("section")) for each in items]
            self._send(id=message["id"], result=settings if is_settings else None)


def _settings(section: str | None) -> dict[str, Any]:
    if section == "python":
        return {"analysis": _ANALYSIS}
    return _ANALYSIS if section == "python.analysis" else {}


if __name__ == "__main__":
    sys.exit(main())
