"""Thousands of messages that no client should send: the server lives, and answers as it must.

Every request with a usable id gets exactly one answer, with a code that fits; what cannot be read
is answered with id null; nothing on stderr or in an error shows a traceback or a piece of a
document or a parameter.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest

from sightline.engine.host import Toolchain
from sightline.lsp.server import Server
from sightline.workers import Workers
from tests.lsp.fuzzing import (
    DOCUMENT_CANARY,
    FUZZED_METHODS,
    PARAMETER_CANARY,
    RESULT,
    Expected,
    Fuzzer,
    State,
    expected,
)
from tests.lsp.raw import OWN_ID, Message, RawClient, encoded, framed, key_of, plain_reply, uri_of

_ROUNDS = 40 if os.environ.get("SIGHTLINE_LONG") else 1
_NULL = key_of(None)
_CANCELLED = -32800
_TEXT = (
    f'"""{DOCUMENT_CANARY}"""\n\n\ndef first(a):\n    return a\n\n\ndef second():\n    first(2)\n'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.py").write_text("def other(): ...\n")
    for name in ("a.py", "storm.py", "still.py"):
        (folder / name).write_text(_TEXT)
    (folder / "b.ts").write_text("export function first(): number { return 1; }\n")
    (folder / "key.py").write_text('password = "Vq8zT2mWx5Kc9RfLb3Hn"\n')
    (folder / "bytes.dat").write_bytes(b"\0\1\2")
    return folder


@attrs.define
class _Ledger:
    """Which answers have to come, and which may."""

    due: Counter[str] = attrs.Factory(Counter)
    codes: dict[str, set[int]] = attrs.Factory(dict)
    possible: Counter[str] = attrs.Factory(Counter)
    sent: int = 0

    def note(self, answer: Expected | None) -> None:
        self.sent += 1
        if answer is not None:
            self.due[answer.key] += 1
            self.codes.setdefault(answer.key, set()).update(answer.codes)

    def note_possible(self, answer: Expected | None) -> None:
        """Of a message that perhaps gets through, and if not is told of."""
        self.sent += 1
        self.possible[_NULL] += 2
        self.codes.setdefault(_NULL, set()).add(-32700)
        if answer is not None:
            self.possible[answer.key] += 1
            self.codes.setdefault(answer.key, set()).update(answer.codes)

    def is_settled(self, answers: dict[str, list[Message]]) -> bool:
        return all(len(answers.get(key, ())) >= count for key, count in self.due.items())

    def problems(self, answers: dict[str, list[Message]]) -> list[str]:
        found = []
        for key in sorted({*answers, *self.due}):
            count, due = len(answers.get(key, ())), self.due[key]
            if not due <= count <= due + self.possible[key]:
                found.append(f"{count} answers for {key[:60]}, {due} are due")
            for answer in answers.get(key, ()):
                code = answer["error"]["code"] if "error" in answer else RESULT
                if code not in self.codes.get(key, set()):
                    allowed = sorted(self.codes.get(key, set()))
                    found.append(f"{code} for {key[:60]}, which may have {allowed}: {answer}"[:400])
        return found


@pytest.mark.parametrize("seed", range(_ROUNDS))
def test_every_request_is_answered_once_whatever_else_is_sent(
    seed: int, folder: Path, tmp_path: Path
) -> None:
    """Before `initialize`, while it runs and after `shutdown`; 5,000 messages and more."""
    fuzzer = Fuzzer(seed, folder, tmp_path / "other", FUZZED_METHODS)
    ledger = _Ledger()
    with RawClient(tmp_path / "server") as client:
        bodies = [fuzzer.body(initial=True) for _ in range(300)]
        bodies += [fuzzer.broken_initialize() for _ in range(10)]
        _send(client, fuzzer, ledger, bodies, State.NEW)
        client.initialize(folder, processId=os.getpid())
        client.wait_until_indexed()
        client.reply = partial(_odd_reply, fuzzer)
        for round_number in range(20):
            _send(client, fuzzer, ledger, [fuzzer.body() for _ in range(210)], State.RUNNING)
            _send_broken_frames(client, fuzzer, ledger, 15)
            client.reply = plain_reply
            # What was damaged may be a setting, and a folder with a bad one is refused.
            client.notify("workspace/didChangeConfiguration", {"settings": {}})
            client.wait_until_indexed()
            _send_storm(client, fuzzer, ledger, folder, round_number)
            client.reply = partial(_odd_reply, fuzzer)
        client.reply = plain_reply
        client.ask("shutdown")
        bodies = [fuzzer.body() for _ in range(200)]
        _send(client, fuzzer, ledger, bodies, State.SHUT_DOWN)
        client.notify("exit", None)
        assert client.process.wait(300) == 0, f"seed {seed}"
        for key in list(client.answers):
            if key.startswith(f'"{OWN_ID}'):
                # Asked and read above.
                assert len(client.answers.pop(key)) == 1, f"seed {seed}"
        assert ledger.sent >= 5_000
        assert ledger.problems(client.answers)[:5] == [], f"seed {seed}"
        assert client.faults == [], f"seed {seed}"
        _assert_nothing_shown(client, seed)


def test_every_method_that_the_server_handles_is_fuzzed() -> None:
    """Shutdown ends what the others are tried on, and has its place at the end."""
    with Workers() as workers:
        handled = Server(Toolchain(workers)).handled_methods
    assert sorted([*FUZZED_METHODS, "initialized", "shutdown"]) == handled


def test_parameters_of_any_depth_are_answered(folder: Path, tmp_path: Path) -> None:
    """Where a parser, a converter or a writer gives up differs: each depth costs one answer."""
    with RawClient(tmp_path / "server") as client:
        client.initialize(folder)
        depths = range(20, 2_000, 23)
        for method, name in (
            ("sightline/verify", "result"),
            ("workspace/executeCommand", "arguments"),
            ("workspace/symbol", "query"),
        ):
            before = sum(map(len, client.answers.values()))
            for depth in depths:
                deep = '{"a":[' * depth + "1" + "]}" * depth
                body = (
                    f'{{"jsonrpc":"2.0","id":"{method} {depth}","method":"{method}",'
                    f'"params":{{"{name}":{deep},"command":"sightline.buildContext"}}}}'
                )
                client.send(framed(body.encode("ascii")))
            _wait_for_count(client, before + len(depths))
        for key, answers in client.answers.items():
            codes = {each["error"]["code"] for each in answers if "error" in each}
            assert codes <= ({-32700} if key == _NULL else {-32602}), key
        assert client.leave() == 0
        _assert_nothing_shown(client, 0)


def test_a_message_that_is_wrong_all_over_costs_no_more_than_one_that_is_wrong_once(
    folder: Path, tmp_path: Path
) -> None:
    """Each character of this would be one more entry that is no diagnostic."""
    where = {"line": 0, "character": 0}
    params = {
        "textDocument": {"uri": uri_of(folder / "a.py")},
        "range": {"start": where, "end": where},
        "context": {"diagnostics": "x" * 3_000_000},
    }
    with RawClient(tmp_path / "home") as client:
        client.initialize(folder)
        answer = client.answer_of(client.begin("textDocument/codeAction", params))
        assert answer["error"]["code"] == -32602


def test_a_message_of_the_largest_size_is_read_and_a_larger_one_is_passed_over(
    folder: Path, tmp_path: Path
) -> None:
    with RawClient(tmp_path / "server") as client:
        client.initialize(folder)
        largest = 64 * 1024 * 1024
        request = encoded({"jsonrpc": "2.0", "id": "large", "method": "x", "params": []})
        client.send(framed(request + b" " * (largest - len(request))))
        assert client.answer_of("large")["error"]["code"] == -32601
        request = request.replace(b"large", b"huge")
        client.send(framed(request + b" " * (largest + 1 - len(request))))
        assert client.answer_of(None)["error"]["code"] == -32700
        assert client.leave() == 0
        assert key_of("huge") not in client.answers


def _send(
    client: RawClient, fuzzer: Fuzzer, ledger: _Ledger, bodies: list[bytes], state: State
) -> None:
    """Send messages in pieces of any size, and wait for what is due."""
    for body in bodies:
        ledger.note(expected(body, FUZZED_METHODS, state))
        _allow_overlaps(ledger, body, state)
    data = b"".join(map(framed, bodies))
    client.send(data, pieces=fuzzer.chance.choice([1, 7, 50, 400]))
    client.wait(
        lambda: ledger.is_settled(client.answers), lambda: ledger.problems(client.answers)[:5]
    )


def _wait_for_count(client: RawClient, count: int) -> None:
    client.wait(lambda: sum(map(len, client.answers.values())) >= count, "answers are missing")


def _allow_overlaps(ledger: _Ledger, body: bytes, state: State) -> None:
    """A request may be cancelled, or meet another of its id that is still worked on."""
    if state is not State.RUNNING:
        return
    try:
        message: Any = json.loads(body)
    except (ValueError, RecursionError):
        return
    if not isinstance(message, dict):
        return
    params = message.get("params")
    if message.get("method") == "$/cancelRequest" and isinstance(params, dict):
        ledger.codes.setdefault(key_of(params.get("id")), set()).add(_CANCELLED)
    elif ledger.due[key_of(message.get("id"))] > 1:
        ledger.codes[key_of(message.get("id"))].add(-32600)


def _send_broken_frames(client: RawClient, fuzzer: Fuzzer, ledger: _Ledger, count: int) -> None:
    """What is no frame costs itself alone: the message right behind it is answered."""
    for _ in range(count):
        body = encoded(fuzzer.valid("workspace/symbol"))
        frame, gets_through = fuzzer.broken_frame(body)
        answer = expected(body, FUZZED_METHODS, State.RUNNING)
        if gets_through:
            ledger.note(answer)
        elif gets_through is None:
            ledger.note_possible(answer)
        else:
            ledger.note(Expected(_NULL, frozenset([-32700])))
            # The rest of what was no message may be told of, too.
            ledger.possible[_NULL] += 1
        following = encoded(fuzzer.valid("no/such/method"))
        ledger.note(expected(following, FUZZED_METHODS, State.RUNNING))
        client.send(frame + framed(following), pieces=fuzzer.chance.choice([1, 3]))
    client.wait(
        lambda: ledger.is_settled(client.answers), lambda: ledger.problems(client.answers)[:5]
    )


def _send_storm(
    client: RawClient, fuzzer: Fuzzer, ledger: _Ledger, folder: Path, number: int
) -> None:
    """Whatever was said before, a whole text is the text."""
    uri = uri_of(folder / "storm.py")
    text = f"# {DOCUMENT_CANARY} {number} é𝄞\n\n\ndef storm():\n    return {number}\n"
    bodies = [fuzzer.opened(uri, _TEXT), *fuzzer.storm(uri, 25), fuzzer.whole_text(uri, text)]
    for body in bodies:
        ledger.note(expected(body, FUZZED_METHODS, State.RUNNING))
    client.send(b"".join(map(framed, bodies)), pieces=fuzzer.chance.choice([1, 9]))
    assert client.text_of(uri) == text, f"after storm {number}"


def _odd_reply(fuzzer: Fuzzer, request: Message) -> bytes:
    """A client's answer to a request of the server's, which need not be one."""
    good = plain_reply(request)
    odd = [
        good + good,
        good.replace(b"null", b"[3]"),
        framed(encoded({"jsonrpc": "2.0", "id": request["id"], "error": {"code": 1}})),
        framed(encoded({"jsonrpc": "2.0", "id": request["id"], "error": None})),
        framed(encoded({"jsonrpc": "2.0", "id": request["id"], "result": {"a": [1]}})),
        framed(encoded({"jsonrpc": "2.0", "id": "another", "result": None})) + good,
    ]
    # The length changes with what is replaced.
    reply = fuzzer.chance.choice([good, good, *odd])
    return reply if reply is not odd[1] else framed(reply.partition(b"\r\n\r\n")[2])


def _assert_nothing_shown(client: RawClient, seed: int) -> None:
    """No log, no error and no message to a person holds a traceback or a piece of anything."""
    errors = client.stderr()
    for canary in ("Traceback", DOCUMENT_CANARY, PARAMETER_CANARY, "failed", 'File "'):
        found = [line for line in errors.splitlines() if canary in line]
        assert found == [], f"seed {seed}"
    for answers in client.answers.values():
        for each in answers:
            if "error" in each:
                shown = json.dumps(each["error"])
                assert DOCUMENT_CANARY not in shown, f"seed {seed}"
                assert PARAMETER_CANARY not in shown, f"seed {seed}"
    for message in client.shown:
        assert DOCUMENT_CANARY not in message, f"seed {seed}"
