"""A client that speaks bytes: whatever it is told to send, and every answer as it came.

No library stands between a test and the server, so that nothing is repaired on the way out and
nothing is lost on the way in. What the server writes is held to the protocol to the byte.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

Message = dict[str, Any]
PATIENCE_SECONDS = 300.0
"""So that a hang fails a test instead of the whole run."""

CONTENT_MODIFIED = -32801
OWN_ID = "of the client"
"""How ids begin that the client gives."""

FULL_CAPABILITIES: Message = {
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "general": {"positionEncodings": ["utf-16"]},
}


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def encoded(message: object) -> bytes:
    return json.dumps(message).encode("ascii")


def key_of(identity: object) -> str:
    """Tells 1, "1", true and 1.0 apart, which Python does not."""
    return json.dumps(identity)


def uri_of(path: Path) -> str:
    return path.as_uri()


def environment(folder: Path) -> dict[str, str]:
    """Nobody's settings, and a cache of its own."""
    return {
        **os.environ,
        "SIGHTLINE_CACHE_DIR": str(folder / "cache"),
        "SIGHTLINE_CONFIG_DIR": str(folder / "config"),
        "SIGHTLINE_INDEX_JOBS": "1",
    }


COMMAND = [sys.executable, "-P", "-m", "sightline.cli", "lsp", "--stdio"]


class RawClient:
    """One server and both ends of its pipes.

    The server leads a session of its own, so that whatever it starts can be found.
    """

    def __init__(
        self, folder: Path, command: list[str] | None = None, *, log: int | None = None
    ) -> None:
        """`folder` takes the server's cache, its settings and, unless `log` does, its stderr."""
        folder.mkdir(parents=True, exist_ok=True)
        self._errors = folder / "stderr"
        with self._errors.open("wb") as errors:
            self.process = subprocess.Popen(
                command or COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors if log is None else log,
                env=environment(folder),
                start_new_session=True,
                bufsize=0,
            )
        self.answers: dict[str, list[Message]] = {}
        """What came for each id, by `key_of`."""
        self.notifications: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self.shown: list[str] = []
        """Messages that a person would see."""
        self.faults: list[str] = []
        """Where the server broke the protocol."""
        self.reply: Callable[[Message], bytes] = plain_reply
        """What is answered to a request of the server's."""
        self._has_news = threading.Condition()
        self._writing = threading.Lock()
        self._is_ended = False
        self._count = 0
        self._reader = threading.Thread(target=self._read, name="raw-reader", daemon=True)
        self._reader.start()

    def __enter__(self) -> RawClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._reader.join(PATIENCE_SECONDS)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                stream.close()

    # Out.

    def send(self, data: bytes, *, pieces: int = 1) -> None:
        """Write bytes as they are, in so many writes."""
        assert self.process.stdin is not None
        step = max(1, -(-len(data) // pieces))
        with self._writing:
            for start in range(0, len(data), step):
                view = memoryview(data)[start : start + step]
                while view:
                    view = view[self.process.stdin.write(view) :]

    def notify(self, method: str, params: object) -> None:
        self.send(framed(encoded({"jsonrpc": "2.0", "method": method, "params": params})))

    def begin(self, method: str, params: object = None) -> str:
        """Ask without waiting; the id that the answer will have."""
        with self._writing:
            self._count += 1
            identity = f"{OWN_ID} {self._count}"
        message = {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}
        self.send(framed(encoded(message)))
        return identity

    def ask(self, method: str, params: object = None) -> Any:
        """A result; an error fails the test."""
        answer = self.answer_of(self.begin(method, params))
        assert "result" in answer, answer
        return answer["result"]

    def initialize(self, *roots: Path, **params: object) -> None:
        folders = [{"uri": uri_of(root), "name": root.name} for root in roots]
        self.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "clientInfo": {"name": "raw bytes"},
                "rootUri": folders[0]["uri"] if folders else None,
                "capabilities": FULL_CAPABILITIES,
                "workspaceFolders": folders,
                **params,
            },
        )
        self.notify("initialized", {})

    def wait_until_indexed(self) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.ask("sightline/indexStatus", {})["index_complete"]:
            assert time.monotonic() < end, "the index was never complete"
            time.sleep(0.02)

    def open(self, uri: str, text: str, version: int = 1, language: str = "python") -> None:
        document = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, version: int, *changes: Mapping[str, object]) -> None:
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes},
        )

    def text_of(self, uri: str) -> str:
        """The whole text that the server has for a file."""
        params = {"textDocument": {"uri": uri}, "level": "full"}
        answer = self.answer_of(self.begin("sightline/slice", params))
        while "error" in answer and answer["error"]["code"] == CONTENT_MODIFIED:
            # Its folder was opened anew meanwhile.
            answer = self.answer_of(self.begin("sightline/slice", params))
        found = answer["result"]
        assert found["status"] == "ok", found["refusal"]
        content: str = found["content"]
        return content

    def leave(self) -> int:
        """Shut down and exit as a good client does; the exit code."""
        self.ask("shutdown")
        self.notify("exit", None)
        return self.process.wait(PATIENCE_SECONDS)

    # In.

    def has_answer(self, identity: object) -> bool:
        """Return True if an answer is there, without waiting for it."""
        return key_of(identity) in self.answers

    def answer_of(self, identity: object) -> Message:
        key = key_of(identity)
        self.wait(lambda: key in self.answers, f"no answer for {key}")
        return self.answers[key][0]

    def wait(self, condition: Callable[[], bool], problem: str | Callable[[], object]) -> None:
        """Until something that came makes a condition true."""
        with self._has_news:
            # A predicate that stays false at the end of the output never becomes true.
            self._has_news.wait_for(lambda: condition() or self._is_ended, PATIENCE_SECONDS)
        if not condition():
            shown = problem if isinstance(problem, str) else problem()
            raise AssertionError(f"{shown} (ended: {self._is_ended}, faults: {self.faults})")

    def wait_for_notification(self, method: str, accept: Callable[[Any], bool]) -> Any:
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            message = self.notifications.get(timeout=max(0.01, end - time.monotonic()))
            if message["method"] == method and accept(message["params"]):
                return message["params"]

    def stderr(self) -> str:
        return self._errors.read_text(encoding="utf-8", errors="replace")

    def _read(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            stream = os.fdopen(os.dup(self.process.stdout.fileno()), "rb")
            with stream:
                while (line := stream.readline()) and self._take_frame(line, stream):
                    pass
        with self._has_news:
            self._is_ended = True
            self._has_news.notify_all()

    def _take_frame(self, line: bytes, stream: Any) -> bool:
        name, _, value = line.partition(b": ")
        if name != b"Content-Length" or not value.strip().isdigit() or stream.readline() != b"\r\n":
            self.faults.append(f"no frame: {line[:80]!r}")
            return False
        body = stream.read(int(value))
        if len(body) < int(value):
            # A server that is killed may leave half a message.
            return False
        try:
            message = json.loads(body, parse_constant=_no_constant)
        except ValueError as error:
            self.faults.append(f"not JSON: {error}")
            return True
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self.faults.append("no message")
            return True
        self._take(message)
        return True

    def _take(self, message: Message) -> None:
        if "method" in message:
            if not isinstance(message["method"], str) or {"result", "error"} & message.keys():
                self.faults.append(f"neither request nor answer: {sorted(message)}")
            if "id" in message:
                with contextlib.suppress(OSError):
                    self.send(self.reply(message))
            elif message["method"] == "window/showMessage":
                self.shown.append(message["params"]["message"])
            else:
                self.notifications.put(message)
            return
        if ("result" in message) == ("error" in message) or "id" not in message:
            self.faults.append(f"no answer: {sorted(message)}")
        if "error" in message:
            error = message["error"]
            if type(error.get("code")) is not int or not isinstance(error.get("message"), str):
                self.faults.append("an error without code and message")
        with self._has_news:
            self.answers.setdefault(key_of(message.get("id")), []).append(message)
            self._has_news.notify_all()


class Typist:
    """Types into the comments of a text, a character at a time, and knows what stands there."""

    def __init__(self, text: str, seed: int = 0) -> None:
        self._chance = random.Random(seed)
        self._lines = text.split("\n")
        self._line = 0
        self.version = 1

    @property
    def text(self) -> str:
        return "\n".join(self._lines)

    @property
    def position(self) -> dict[str, int]:
        """Where the cursor is, in UTF-16."""
        return {"line": self._line, "character": _utf16(self._lines[self._line])}

    def next(self) -> Message:
        """The next change, for a document that counts columns in UTF-16."""
        self.version += 1
        chance, lines = self._chance, self._lines
        if self.version % 40 == 2:
            comments = [number for number, line in enumerate(lines) if line.startswith("    # ")]
            self._line = chance.choice(comments)
        place = self.position
        change: Message = {"range": {"start": place, "end": place}}
        roll = chance.random()
        if roll < 0.1 and len(lines[self._line]) > 8:
            kept = lines[self._line][:-1]
            start = {"line": self._line, "character": _utf16(kept)}
            change = {"range": {"start": start, "end": place}, "text": ""}
            lines[self._line] = kept
        elif roll < 0.15:
            change["text"] = "\n    # "
            lines.insert(self._line + 1, "    # ")
            self._line += 1
        else:
            change["text"] = chance.choice("abcdefgh é𝄞")
            lines[self._line] += change["text"]
        return change


def long_text(lines: int) -> str:
    """Python of so many lines: functions that call each other, each with a comment to type in."""
    parts = []
    for number in range(lines // 10):
        parts.append(
            f"def function_{number}(first, second):\n"
            f'    """Says {number}, in one sentence."""\n'
            "    # \n"
            f"    total = first + {number}\n"
            "    for each in range(second):\n"
            "        total += each\n"
            f"    if total > {number}:\n"
            f"        return function_{number * 7 % (lines // 10)}(total, second)\n"
            "    return total\n\n"
        )
    return "".join(parts)


def plain_reply(request: Message) -> bytes:
    """What a client without any settings of ours answers."""
    result = [None] if request["method"] == "workspace/configuration" else None
    return framed(encoded({"jsonrpc": "2.0", "id": request["id"], "result": result}))


def session_processes(leader: int) -> list[int]:
    """What runs in a session: its leader and whatever that started. Zombies do not run."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text(encoding="ascii", errors="replace")
        except OSError:
            continue
        # The name of a program may hold spaces and brackets; what counts stands behind it.
        state, _, _, session = stat.rpartition(")")[2].split()[:4]
        if int(session) == leader and state not in "ZX":
            found.append(int(entry.name))
    return sorted(found)


def wait_until_gone(leader: int, seconds: float) -> list[int]:
    """What is left of a session after so many seconds, at most."""
    end = time.monotonic() + seconds
    while (left := session_processes(leader)) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
