"""Whoever is killed, nothing is left running and nothing is broken.

The server leads a session of its own here, so that it and its workers can be found by it, also
when their parents are gone.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.raw import (
    COMMAND,
    PATIENCE_SECONDS,
    RawClient,
    Typist,
    encoded,
    environment,
    framed,
    long_text,
    session_processes,
    uri_of,
    wait_until_gone,
)

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

_TEXT = "def first(a):\n    return a\n\n\ndef second():\n    return first(2)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    for number in range(30):
        (folder / f"m{number}.py").write_text(f"import m0\n\n\n{_TEXT}\nm0.first({number})\n")
    (folder / "m0.py").write_text(_TEXT)
    return folder


@pytest.fixture
def client(tmp_path: Path, folder: Path) -> Iterator[RawClient]:
    """A server that has indexed, built and has a document open: all its workers run."""
    with RawClient(tmp_path / "server") as client:
        client.initialize(folder)
        _use(client, folder)
        yield client


def test_a_killed_client_takes_everything_with_it(tmp_path: Path, folder: Path) -> None:
    """The pipes end with the only process that has them."""
    script = (
        "import sys, pathlib\n"
        "from tests.lsp.raw import RawClient\n"
        "from tests.lsp.test_process_lifetime import _use\n"
        "client = RawClient(pathlib.Path(sys.argv[1]))\n"
        "client.initialize(pathlib.Path(sys.argv[2]))\n"
        "_use(client, pathlib.Path(sys.argv[2]))\n"
        "print(client.process.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "server"), str(folder)],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        server = int(process.stdout.readline())
        assert len(session_processes(server)) >= 2
        process.kill()
        _assert_gone(server)


@pytest.mark.parametrize("is_reaped", [True, False], ids=["reaped", "zombie"])
def test_a_client_that_is_gone_is_noticed_though_its_pipe_is_held_open(
    tmp_path: Path, folder: Path, is_reaped: bool
) -> None:
    """The test has the pipe; the process that the server was told of is another."""
    with (
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as editor,
        RawClient(tmp_path / "server") as client,
    ):
        client.initialize(folder, processId=editor.pid)
        _use(client, folder)
        editor.kill()
        if is_reaped:
            editor.wait()
        _assert_gone(client.process.pid)
        assert client.process.wait(PATIENCE_SECONDS) == 1


def test_the_end_of_the_input_is_the_end(client: RawClient) -> None:
    assert client.process.stdin is not None
    client.process.stdin.close()
    _assert_gone(client.process.pid)
    assert client.process.wait(PATIENCE_SECONDS) == 1


def test_a_client_that_stopped_reading_is_left(tmp_path: Path) -> None:
    """What nobody reads holds nothing up: the server's output is full when the input ends."""
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(tmp_path),
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        request = {"jsonrpc": "2.0", "id": 1, "method": "x", "params": None}
        for number in range(5_000):
            process.stdin.write(framed(encoded({**request, "id": number})))
        process.stdin.close()
        _assert_gone(process.pid)


def test_a_log_that_nobody_reads_holds_nothing_up(tmp_path: Path) -> None:
    """More is complained about than a pipe holds, and the next request is answered."""
    log, unread = os.pipe()
    try:
        with RawClient(tmp_path / "server", log=unread) as client:
            client.initialize()
            for _ in range(2_000):
                client.notify("textDocument/didOpen", {"textDocument": None})
            client.ask("sightline/indexStatus")
            assert client.leave() == 0
    finally:
        os.close(log)
        os.close(unread)


def test_nobody_has_to_take_the_log(tmp_path: Path) -> None:
    """Where standard error is closed, the protocol alone is on the output."""
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", *COMMAND]
    with RawClient(tmp_path / "server", command) as client:
        client.initialize()
        client.notify("textDocument/didOpen", {"textDocument": None})
        assert client.leave() == 0
        assert not client.faults


def test_it_ends_in_the_middle_of_a_scan_of_hostile_files(tmp_path: Path) -> None:
    """Workers are busy with texts that take their grammar minutes."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    for number in range(40):
        (folder / f"bomb{number}.py").write_text("<div>" * 50_000 + f"# {number}\n")
    with RawClient(tmp_path / "server") as client:
        client.initialize(folder)
        end = time.monotonic() + PATIENCE_SECONDS
        while len(session_processes(client.process.pid)) < 2 and time.monotonic() < end:
            time.sleep(0.02)
        # A worker has greeted and got its first text by then.
        time.sleep(0.5)
        assert client.process.stdin is not None
        client.process.stdin.close()
        _assert_gone(client.process.pid)


def test_killed_workers_are_replaced_and_cost_no_answer_and_no_edit(
    client: RawClient, folder: Path
) -> None:
    """One after the other while a person types and asks; the text stays the person's."""
    uri = uri_of(folder / "m0.py")
    text = _TEXT
    client.open(uri, text, 10)
    asked = []
    for number in range(30):
        line = f"# {number}\n"
        text = line + text
        place = {"line": 0, "character": 0}
        change = {"range": {"start": place, "end": place}, "text": line}
        client.change(uri, 11 + number, change)
        params = {
            "textDocument": {"uri": uri},
            "position": {"line": number + 1, "character": 5},
            "intent": f"number {number}",
        }
        asked.append(client.begin("sightline/buildContext", params))
        if number % 3 == 0:
            for worker in session_processes(client.process.pid):
                if worker != client.process.pid:
                    os.kill(worker, signal.SIGKILL)
        client.answer_of(asked[-1])
    for identity in asked:
        answer = client.answer_of(identity)
        assert "result" in answer, answer
    assert client.text_of(uri) == text
    result = client.ask("sightline/buildContext", {"textDocument": {"uri": uri}})
    assert result["status"] == "ok", result["refusal"]
    assert client.leave() == 0
    assert "Traceback" not in client.stderr()


def test_a_killed_server_leaves_no_process_and_a_sound_store(tmp_path: Path, folder: Path) -> None:
    """At several moments from its start on; then the store has what a fresh index would have."""
    for delay in (0.0, 0.05, 0.15, 0.3):
        with RawClient(tmp_path / "server") as client:
            client.initialize(folder)
            client.open(uri_of(folder / "m1.py"), "def unsaved(): ...\n")
            client.notify("workspace/didChangeConfiguration", {"settings": {}})
            time.sleep(delay)
            client.process.kill()
            client.process.wait()
            _assert_gone(client.process.pid)
        (folder / "m2.py").write_text(f"{_TEXT}# {delay}\n")
    fingerprints = []
    for cache in ("server", "fresh"):
        with RawClient(tmp_path / cache) as client:
            client.initialize(folder)
            client.wait_until_indexed()
            status = client.ask("sightline/indexStatus", {})
            fingerprints.append({key: status[key] for key in ("files", "symbols", "fingerprint")})
            assert client.leave() == 0
    assert fingerprints[0] == fingerprints[1]


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        (["shutdown", "exit"], 0),
        (["exit"], 1),
        (["shutdown"], 0),
        ([], 1),
    ],
    ids=["shutdown and exit", "exit", "shutdown and end", "end"],
)
@pytest.mark.parametrize("is_initialized", [True, False], ids=["initialized", "new"])
def test_exit_codes(tmp_path: Path, messages: list[str], code: int, is_initialized: bool) -> None:
    """Whoever says goodbye gets 0; before `initialize` there is nothing to shut down."""
    with RawClient(tmp_path / "server") as client:
        if is_initialized:
            client.initialize()
        for method in messages:
            message = {"jsonrpc": "2.0", "method": method}
            if method == "shutdown":
                message["id"] = "shutdown"
            client.send(framed(encoded(message)))
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(PATIENCE_SECONDS) == (code if is_initialized else 1)
        _assert_gone(client.process.pid)


def test_tcp_serves_this_machine_alone(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND[:-1], "--tcp", "0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        address = process.stderr.readline().decode().split()[-1]
        host, _, port = address.rpartition(":")
        assert host == "127.0.0.1"
        assert _listening(process.pid) == [(socket.inet_aton(host), int(port))]
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(framed(encoded({"jsonrpc": "2.0", "id": 1, "method": "x"})))
            answer = connection.recv(65536).partition(b"\r\n\r\n")[2]
            assert json.loads(answer)["error"]["code"] == -32002
            assert _listening(process.pid) == [], "one client, and no second"
        _assert_gone(process.pid)


def test_a_port_that_cannot_be_used_is_said_in_one_line(tmp_path: Path) -> None:
    """Taken by somebody, or no port at all: wrong use, and no fault of ours."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for port in (taken.getsockname()[1], 65536):
            outcome = subprocess.run(
                [*COMMAND[:-1], "--tcp", str(port)],
                capture_output=True,
                text=True,
                env=environment(tmp_path),
                timeout=PATIENCE_SECONDS,
                check=False,
            )
            assert outcome.returncode == 2, outcome
            assert len(outcome.stderr.splitlines()) == 1, outcome
            assert "inside Sightline" not in outcome.stderr


def test_it_ends_with_the_process_that_its_command_line_names(tmp_path: Path) -> None:
    """Clients may name theirs before `initialize` does."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as named:
        command = [*COMMAND, f"--clientProcessId={named.pid}"]
        with RawClient(tmp_path / "server", command) as client:
            client.initialize(processId=None)
            named.kill()
            client.process.wait(PATIENCE_SECONDS)
            _assert_gone(client.process.pid)


def _use(client: RawClient, folder: Path) -> None:
    client.wait_until_indexed()
    uri = uri_of(folder / "m0.py")
    client.open(uri, _TEXT)
    place = {"line": 0, "character": 0}
    client.change(uri, 2, {"range": {"start": place, "end": place}, "text": "# \n"})
    params = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 5}}
    assert client.ask("sightline/buildContext", params)["status"] == "ok"
    assert len(session_processes(client.process.pid)) > 1, "no worker runs"


def _assert_gone(leader: int) -> None:
    assert wait_until_gone(leader, PATIENCE_SECONDS) == []


def _listening(process: int) -> list[tuple[bytes, int]]:
    """The addresses that a process listens on."""
    own = set()
    for each in Path(f"/proc/{process}/fd").iterdir():
        try:
            own.add(str(each.readlink()))
        except OSError:
            continue
    found = []
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process}/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in own:
                host, port = fields[1].split(":")
                found.append((bytes.fromhex(host)[::-1], int(port, 16)))
    return found


def test_no_edit_is_lost_and_nothing_is_left_open(tmp_path: Path) -> None:
    """A person types 300 characters while bundles are built, and then once more as many.

    The text is the person's in the end; descriptors and threads are no more after the second time
    than after the first.
    """
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "long.py").write_text(long_text(1_000))
    uri = uri_of(folder / "long.py")
    typist = Typist(long_text(1_000))
    with RawClient(tmp_path / "server") as client:
        client.initialize(folder)
        client.wait_until_indexed()
        client.open(uri, typist.text)
        _type_and_build(client, typist, uri)
        before = _open_things(client)
        _type_and_build(client, typist, uri)
        _assert_no_more_open(client, before)
        assert client.text_of(uri) == typist.text
        for _ in range(10):
            client.notify("workspace/didChangeConfiguration", {"settings": {}})
            client.wait_until_indexed()
        assert client.text_of(uri) == typist.text
        _assert_no_more_open(client, before)
        assert client.leave() == 0
        assert client.stderr() == ""


def _type_and_build(client: RawClient, typist: Typist, uri: str) -> None:
    """300 edits and 20 bundles, until the status has caught up."""
    asked = []
    for number in range(300):
        change = typist.next()
        client.change(uri, typist.version, change)
        if number % 15 == 0:
            params = {"textDocument": {"uri": uri}, "position": typist.position}
            asked.append(client.begin("sightline/buildContext", params))
    for identity in asked:
        assert client.answer_of(identity)["result"]["status"] == "ok"
    document = {"textDocument": {"uri": uri}, "position": typist.position}
    client.notify("sightline/didChangeActiveFile", document)
    client.wait_for_notification(
        "sightline/budgetStatus", lambda status: status["version"] == typist.version
    )


def _assert_no_more_open(client: RawClient, before: dict[str, int]) -> None:
    """Threads that let go of something may take a moment longer than the answer."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        now = _open_things(client)
        if all(now[name] <= before[name] for name in before):
            return
        assert time.monotonic() < end, f"{now}, and {before} before"
        time.sleep(0.05)


def _open_things(client: RawClient) -> dict[str, int]:
    process = Path(f"/proc/{client.process.pid}")
    return {name: len(list((process / name).iterdir())) for name in ("fd", "task")}
