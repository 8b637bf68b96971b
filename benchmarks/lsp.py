"""What the language server adds to the cost of the engine, and whether that stays constant.

    python benchmarks/lsp.py [--seconds 20] [--soak] [--lines 10000]

Load: 30 edits per second in a file of 10,000 lines while bundles are built, through the protocol (a
process, pipes, JSON) and by the same engine in this process, in turns of a few seconds each.
Compare the ratio of the two; times are of this machine. No edit may be lost: in the end the
server's text is the client's.

The engine shares this process with the simulated typist, and the server does not. That is why a
ratio can be below 1.

Status is the time from an edit after a pause to its budget in the status bar, less the debounce
time. With `--soak`: 10,000 edits and 500 bundles, and how memory, descriptors and threads grow.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import attrs

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.lsp.raw import Message, RawClient, Typist, long_text, session_processes, uri_of

from sightline.engine.host import Toolchain
from sightline.lsp import extensions, publishing
from sightline.lsp.folder import WorkspaceFolder
from sightline.lsp.open_documents import ContentChange
from sightline.lsp.scheduling import QUIET_SECONDS
from sightline.lsp.session import Focus, Session
from sightline.refusals import Refusal
from sightline.text import Position, PositionEncoding
from sightline.workers import Workers

_EDITS_PER_SECOND = 30
_BUILDS_PER_SECOND = 3
_TURN_SECONDS = 5.0
_STATUSES_PER_TURN = 8
_SOAK_EDITS = 10_000
_SOAK_BUNDLES = 500
_SAMPLES = 20
_Result = TypeVar("_Result")


class Editor(Protocol):
    """Something that takes edits and requests."""

    def edit(self, version: int, change: Message) -> None: ...

    def build(self, position: dict[str, int]) -> str:
        """Build a bundle and return its status."""
        ...

    def status(self, version: int, change: Message, position: dict[str, int]) -> float:
        """Return the seconds from an edit to the status for it."""
        ...

    def text(self) -> str: ...


@attrs.define
class Times:
    builds: list[float] = attrs.Factory(list)
    statuses: list[float] = attrs.Factory(list)
    refused: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--soak", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sightline-lsp-") as name:
        folder = Path(name)
        os.environ["SIGHTLINE_CACHE_DIR"] = str(folder / "cache")
        os.environ["SIGHTLINE_CONFIG_DIR"] = str(folder / "config")
        text = long_text(options.lines)
        workspace = folder / "workspace"
        workspace.mkdir()
        (workspace / "long.py").write_text(text)
        (workspace / "use.py").write_text(
            "import long\n\n\ndef use():\n    long.function_1(1, 2)\n"
        )
        if options.soak:
            _soak(folder, workspace, text)
        else:
            _load(folder, workspace, text, options.seconds)


# Load.


def _load(folder: Path, workspace: Path, text: str, seconds: float) -> None:
    uri = uri_of(workspace / "long.py")
    with RawClient(folder / "server") as client, Workers() as workers:
        server = Wire(client, workspace, uri, text)
        engine = Engine(workers, workspace, uri, text)
        editors: list[tuple[Editor, Typist, Times]] = [
            (server, Typist(text), Times()),
            (engine, Typist(text), Times()),
        ]
        turns = max(1, round(seconds / _TURN_SECONDS))
        for turn in range(turns + 1):
            for editor, typist, times in editors:
                # The first turn includes loading.
                _turn(editor, typist, times if turn else Times(), seconds / turns)
        lost = sum(editor.text() != typist.text for editor, typist, _ in editors)
        edits = editors[0][1].version - 1
        engine.close()
        assert client.leave() == 0
    _print_load(editors[0][2], editors[1][2], edits, lost)
    if lost:
        sys.exit("an edit was lost")


def _turn(editor: Editor, typist: Typist, times: Times, seconds: float) -> None:
    """Type at a steady pace while bundles are built; then pause, and measure the status."""
    is_over = threading.Event()

    def build() -> None:
        due = time.perf_counter()
        while not is_over.wait(max(0.0, due - time.perf_counter())):
            started = time.perf_counter()
            times.refused += editor.build(typist.position) != "ok"
            times.builds.append(time.perf_counter() - started)
            due = max(due + 1 / _BUILDS_PER_SECOND, time.perf_counter())

    building = threading.Thread(target=build)
    building.start()
    started = time.perf_counter()
    for number in range(round(seconds * _EDITS_PER_SECOND)):
        time.sleep(max(0.0, started + number / _EDITS_PER_SECOND - time.perf_counter()))
        change = typist.next()
        editor.edit(typist.version, change)
    is_over.set()
    building.join()
    for _ in range(_STATUSES_PER_TURN):
        change = typist.next()
        times.statuses.append(editor.status(typist.version, change, typist.position))


class Wire:
    """The server, as an editor uses it."""

    def __init__(self, client: RawClient, workspace: Path, uri: str, text: str) -> None:
        self._client = client
        self._uri = uri
        client.initialize(workspace)
        client.wait_until_indexed()
        client.open(uri, text)

    def edit(self, version: int, change: Message) -> None:
        self._client.change(self._uri, version, change)

    def build(self, position: dict[str, int]) -> str:
        params = {"textDocument": {"uri": self._uri}, "position": position}
        status: str = self._client.ask("sightline/buildContext", params)["status"]
        return status

    def status(self, version: int, change: Message, position: dict[str, int]) -> float:
        params = {"textDocument": {"uri": self._uri}, "position": position}
        started = time.perf_counter()
        self._client.change(self._uri, version, change)
        self._client.notify("sightline/didChangeActiveFile", params)
        self._client.wait_for_notification(
            "sightline/budgetStatus", lambda status: status["version"] == version
        )
        return time.perf_counter() - started - QUIET_SECONDS

    def text(self) -> str:
        return self._client.text_of(self._uri)


class Engine:
    """The same without a protocol, a process and JSON: sessions and folders in this process."""

    def __init__(self, workers: Workers, workspace: Path, uri: str, text: str) -> None:
        self._uri = uri
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._session = Session(Toolchain(workers), PositionEncoding.UTF16)
        self._run(self._open(workspace, text))

    def edit(self, version: int, change: Message) -> None:
        self._run(self._change(version, change))

    def build(self, position: dict[str, int]) -> str:
        return self._run(self._build(position))

    def status(self, version: int, change: Message, position: dict[str, int]) -> float:
        started = time.perf_counter()
        self._run(self._status(version, change, position))
        return time.perf_counter() - started

    def text(self) -> str:
        document = self._session.documents.get(self._uri)
        assert document is not None
        return document.text.data.decode("utf-8")

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._session.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self, workspace: Path, text: str) -> None:
        folder = self._session.add_folder(str(workspace))
        assert isinstance(folder, WorkspaceFolder)
        await folder.scan(lambda *_: None)
        self._session.open(self._uri, "python", 1, text)

    async def _change(self, version: int, change: Message) -> None:
        start, end = change["range"]["start"], change["range"]["end"]
        self._session.change(
            self._uri,
            version,
            [ContentChange(change["text"], Position(**_place(start)), Position(**_place(end)))],
        )

    async def _build(self, position: dict[str, int]) -> str:
        params = extensions.BuildContextParams(
            text_document=extensions.TextDocument(self._uri),
            position=extensions.WirePosition(**position),
        )
        asked = self._session.request_of(params)
        assert not isinstance(asked, Refusal), asked
        answered = await self._session.build(*asked, {}, None)
        is_built = not isinstance(answered, Refusal) and answered.result.bundle is not None
        return "ok" if is_built else "refused"

    async def _status(self, version: int, change: Message, position: dict[str, int]) -> None:
        await self._change(version, change)
        focus = Focus(self._uri, extensions.WirePosition(**position))
        status = await publishing.budget_status(self._session, focus)
        assert status is not None
        assert status.version == version

    def _run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def _place(position: dict[str, int]) -> dict[str, int]:
    return {"line": position["line"], "column": position["character"]}


def _print_load(server: Times, engine: Times, edits: int, lost: int) -> None:
    print(
        f"{edits} edits, {lost} of 2 texts differ; {server.refused + engine.refused} builds refused"
    )
    header = f"{'':20}{'server p50':>12}{'p95':>8}{'engine p50':>12}{'p95':>8}"
    print(f"{header}{'ratio p50':>12}{'p95':>8}")
    rows: list[tuple[str, Callable[[Times], list[float]]]] = [
        ("build, ms", lambda times: times.builds),
        ("status, ms", lambda times: times.statuses),
    ]
    for title, values in rows:
        ours, theirs = _quantiles(values(server)), _quantiles(values(engine))
        ratios = [mine / its for mine, its in zip(ours, theirs, strict=True)]
        print(
            f"{title:20}{ours[0]:>12.1f}{ours[1]:>8.1f}{theirs[0]:>12.1f}{theirs[1]:>8.1f}"
            f"{ratios[0]:>12.2f}{ratios[1]:>8.2f}   ({len(values(server))} times)"
        )


def _quantiles(seconds: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(1000 * each for each in seconds)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]


# Soak.


def _soak(folder: Path, workspace: Path, text: str) -> None:
    uri = uri_of(workspace / "long.py")
    typist = Typist(text)
    samples: list[tuple[int, dict[str, float]]] = []
    with RawClient(folder / "server") as client:
        server = Wire(client, workspace, uri, text)
        each_build = _SOAK_EDITS // _SOAK_BUNDLES
        for number in range(1, _SOAK_EDITS + 1):
            change = typist.next()
            server.edit(typist.version, change)
            if number % each_build == 0:
                server.build(typist.position)
            if number % (_SOAK_EDITS // _SAMPLES) == 0:
                samples.append((number, _sizes(client.process.pid)))
        is_same = server.text() == typist.text
        assert client.leave() == 0
    outcome = "is the client's" if is_same else "is another"
    print(f"{_SOAK_EDITS} edits, {_SOAK_BUNDLES} bundles; the text {outcome}")
    print(f"{'':22}{'first':>10}{'half':>10}{'last':>10}{'per 1,000 edits':>18}")
    # The first samples are of a server that still loads and fills its caches.
    settled = samples[len(samples) // 4 :]
    for title in samples[0][1]:
        values = [each[title] for _, each in samples]
        slope = statistics.linear_regression(
            [number / 1000 for number, _ in settled], [each[title] for _, each in settled]
        ).slope
        middle = values[len(values) // 2]
        print(f"{title:22}{values[0]:>10.1f}{middle:>10.1f}{values[-1]:>10.1f}{slope:>18.2f}")
    if not is_same:
        sys.exit("an edit was lost")


def _sizes(server: int) -> dict[str, float]:
    workers = [each for each in session_processes(server) if each != server]
    process = Path(f"/proc/{server}")
    return {
        "server, MB": _resident(server),
        "workers, MB": sum(map(_resident, workers)),
        "processes": 1 + len(workers),
        "descriptors": len(list((process / "fd").iterdir())),
        "threads": len(list((process / "task").iterdir())),
    }


def _resident(process: int) -> float:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main()
