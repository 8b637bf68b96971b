"""Texts that hit a limit: set aside by their content, named, and tried again only when asked.

A limit is processor time. How busy the machine is decides nothing, and what a limit decided is part
of the index's fingerprint.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sightline.bundle import BuildResult, Status
from sightline.context import BuildRequest, TargetSpec
from sightline.engine.build import build
from sightline.engine.cache import BuildCache
from sightline.engine.host import Host, Toolchain, open_host
from sightline.engine.index import index_status, quarantine_notes, retry_quarantined
from sightline.index.store import Fault, NoStore, open_store
from sightline.languages import load_registry
from sightline.project import Project
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Text
from sightline.workers import (
    IndexAnswer,
    IndexRequest,
    ParseRequest,
    Workers,
    WorkersClosedError,
    WorkFuture,
)
from sightline.workers.messages import took_too_long
from sightline.workspace import Workspace

_BOMB = b'"' * 300_000 + b"\nfunction hidden() {}\n"
_LIMIT = 0.3
_USE = "import { helper } from './helper';\nexport function use() { return helper(1); }\n"
_HELPER = "export function helper(a) {\n  return a + 1;\n}\n"

linux = pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="stops a process by its id")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "use.js").write_text(_USE)
    (root / "helper.js").write_text(_HELPER)
    (root / "bomb.js").write_bytes(_BOMB)
    return root


@pytest.fixture
def workers() -> Iterator[Workers]:
    with Workers(1, time_limit=_LIMIT) as workers:
        yield workers


@linux
def test_a_worker_that_gets_no_processor_time_hits_no_limit() -> None:
    """It is stopped in the middle of a text for longer than its limit, as on a busy machine."""
    before = _children()
    with Workers(1, time_limit=_LIMIT) as workers:
        assert isinstance(workers.index(IndexRequest(0, "python", b"a = 1\n")), IndexAnswer)
        (child,) = _children() - before
        os.kill(child, signal.SIGSTOP)
        begun = workers.begin_index(IndexRequest(0, "python", b"def f(): pass\n" * 1000))
        time.sleep(4 * _LIMIT)
        os.kill(child, signal.SIGCONT)
        assert isinstance(begun.result(), IndexAnswer)


def test_a_file_in_quarantine_is_known_by_its_content(root: Path, workers: Workers) -> None:
    """Under another name, in an editor and after a restart: it is never parsed again by itself."""
    with _project(root, workers) as project:
        project.open()
        assert project.snapshot.quarantined == ("bomb.js",)
        project.save()
    with _project(root, workers) as project:
        project.open()
        (root / "copy.js").write_bytes(_BOMB)
        project.refresh()
        project.show("use.js", Text(_BOMB))
        assert project.snapshot.quarantined == ("bomb.js", "copy.js", "use.js")
        assert project.snapshot.files["copy.js"].limit == "0.3 s of processor time"
        assert project.statistics.parsed == 0


def test_what_is_in_quarantine_is_part_of_the_fingerprint(root: Path, workers: Workers) -> None:
    with _project(root, workers) as project, Workers(1, time_limit=0.2) as others:
        limited = project.open().fingerprint
        with _project(root, workers, keeps=False) as again:
            assert again.open().fingerprint == limited
        with _project(root, others, keeps=False) as stricter:
            assert stricter.open().fingerprint != limited
        (root / "bomb.js").write_text("function hidden() {}\n")
        assert project.refresh().fingerprint != limited


def test_another_limit_tries_a_file_again(root: Path, workers: Workers) -> None:
    with _project(root, workers) as project:
        project.open()
        project.save()
    with Workers(1, time_limit=0.2) as others, _project(root, others) as project:
        project.open()
        assert project.statistics.parsed == 1
        assert project.snapshot.files["bomb.js"].limit == "0.2 s of processor time"


def test_a_retry_that_passes_changes_the_fingerprint_and_one_that_fails_does_not(
    root: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "bomb.js").write_bytes(b'"' * 4_000 + b"\nfunction hidden() {}\n" * 120_000)
    with _host(root, workers) as host:
        host.open_index()
        before = host.snapshot.fingerprint
        assert host.snapshot.quarantined == ("bomb.js",)
    with _host(root, workers) as host:
        host.open_index()
        retry_quarantined(host)
        assert (host.snapshot.quarantined, host.snapshot.fingerprint) == (("bomb.js",), before)
    with _host(root, workers) as host:
        host.open_index()
        monkeypatch.setattr(workers, "_time_limit", 60)
        retry_quarantined(host)
        assert host.snapshot.quarantined == ()
        assert host.snapshot.fingerprint != before
        assert host.snapshot.find("bomb.js::hidden")
        after = host.snapshot.fingerprint
    monkeypatch.setattr(workers, "_time_limit", _LIMIT)
    with _host(root, workers) as host:
        host.open_index()
        assert (host.snapshot.fingerprint, host.project.statistics.parsed) == (after, 0)


def test_a_file_target_comes_whole_and_a_symbol_is_refused(root: Path, workers: Workers) -> None:
    with _host(root, workers) as host:
        host.open_index()
        whole = _built(host, TargetSpec("bomb.js"))
        assert whole.bundle is not None
        (block,) = [each for each in whole.bundle.blocks if each.meta.path == "bomb.js"]
        assert (block.meta.level, len(block.content)) == ("FULL_FILE", len(_BOMB))
        for target in (TargetSpec("bomb.js", symbol="hidden"), TargetSpec(symbol="hidden")):
            refusal = _built(host, target).refusal
            assert refusal is not None
            assert (refusal.kind, refusal.reason) == (RefusalKind.INDEX_UNAVAILABLE, "time_out")
            assert refusal.path == "bomb.js"
        for target in (TargetSpec("use.js", symbol="nowhere"), TargetSpec(symbol="nowhere")):
            refusal = _built(host, target).refusal
            assert refusal is not None
            assert refusal.reason == "unknown_symbol"


def test_the_manifest_and_the_index_name_it(root: Path, workers: Workers) -> None:
    with _host(root, workers) as host:
        host.open_index()
        result = _built(host, TargetSpec("use.js", symbol="use"))
        assert result.manifest is not None
        (named,) = result.manifest.quarantined
        assert (named.path, named.language, named.reason, named.limit) == (
            "bomb.js",
            "javascript",
            "time_out",
            "0.3 s of processor time",
        )
        assert index_status(host).quarantined == {"bomb.js": "time_out"}
        (note,) = quarantine_notes(host)
        assert note.startswith("bomb.js: in quarantine, time_out (limit: 0.3 s of processor time)")


class _SlowCuts(Workers):
    """Workers that have no time to cut one text."""

    def __init__(self, text: bytes) -> None:
        super().__init__(1, time_limit=60)
        self._text = text
        self.cuts = 0

    def __enter__(self) -> _SlowCuts:
        return self

    def begin(self, request: ParseRequest) -> Any:
        if request.data != self._text:
            return super().begin(request)
        self.cuts += 1
        future: WorkFuture[Refusal] = WorkFuture()
        future.set_result(took_too_long(request.language, self.time_limit))
        return future


def test_a_build_whose_cut_hits_the_limit_is_of_the_index_without_it(
    root: Path,
) -> None:
    """The index had read it. The bundle is of one index, that in which it is in quarantine."""
    (root / "bomb.js").unlink()
    with _SlowCuts(_USE.encode()) as workers:
        with _host(root, workers) as host:
            host.open_index()
            before = host.snapshot.fingerprint
            # The symbol around a line is found in the tree.
            first = _built(host, TargetSpec("use.js", line=2))
            assert first.manifest is not None
            fingerprint = first.manifest.fingerprints.project_index_fingerprint
            assert fingerprint == host.snapshot.fingerprint != before
            assert [each.path for each in first.manifest.quarantined] == ["use.js"]
            refusal = _built(host, TargetSpec("use.js", symbol="use")).refusal
            assert refusal is not None
            assert refusal.kind is RefusalKind.INDEX_UNAVAILABLE
            assert workers.cuts == 1
            host.save()
        with _host(root, workers) as host:
            host.open_index()
            again = _built(host, TargetSpec("use.js", line=2))
            assert (again.rendered, again.manifest) == (first.rendered, first.manifest)
            assert workers.cuts == 1


def test_a_scan_that_hits_the_limit_withholds_the_file(root: Path, workers: Workers) -> None:
    """In quarantine like a parse; it is not scanned again, and nothing of it is shown."""
    from sightline.egress import FailureReason, HarmlessValues, ScanFailure, guarded_scan

    scans: list[bytes] = []

    def scan(data: bytes, harmless: HarmlessValues) -> Any:
        if data == _HELPER.encode():
            scans.append(data)
            return ScanFailure(FailureReason.TIMEOUT)
        return guarded_scan(data, harmless)

    with _host(root, workers) as host:
        host.open_index()
        host.__dict__["cache"] = BuildCache(host.project, host.registry, workers, scan)
        result = _built(host, TargetSpec("use.js"))
        assert result.manifest is not None
        assert [(each.path, each.reason) for each in result.manifest.quarantined] == [
            ("bomb.js", "time_out"),
            ("helper.js", "scan_time_out"),
        ]
        assert "return a + 1" not in (result.rendered or "")
        refusal = _built(host, TargetSpec("helper.js")).refusal
        assert refusal is not None
        assert refusal.kind is RefusalKind.SECRET_RISK
        assert len(scans) == 1


def test_closing_the_workers_says_nothing_about_a_text(root: Path) -> None:
    """Whoever waits is told; no record is made of the text that was being parsed."""
    (root / "bomb.js").rename(root / "zero.js")
    workers = Workers(1, time_limit=60)
    project = Project(Workspace(root), load_registry(), workers, NoStore(Fault.UNAVAILABLE))
    raised: list[BaseException] = []

    def scan() -> None:
        try:
            project.open()
        except WorkersClosedError as error:
            raised.append(error)

    thread = threading.Thread(target=scan)
    thread.start()
    _wait_until(lambda: "use.js" in project.snapshot.files)
    workers.close()
    thread.join()
    assert len(raised) == 1
    assert project.snapshot.quarantined == ()
    assert not project.limited.is_unsaved


def _built(host: Host, target: TargetSpec) -> BuildResult:
    result = build(
        host,
        BuildRequest(targets=(target,)),
        {"budget.max_input_tokens": 1_000_000, "budget.response_token_reserve": 1},
        created_at="2020-01-01T00:00:00Z",
        correlation_id="00000000-0000-0000-0000-000000000000",
    )
    assert result.status in (Status.OK, Status.REFUSED)
    return result


def _host(root: Path, workers: Workers) -> Host:
    host = open_host(root, toolchain=Toolchain(workers))
    assert isinstance(host, Host)
    return host


def _project(root: Path, workers: Workers, *, keeps: bool = True) -> Project:
    workspace = Workspace(root)
    store = open_store(str(workspace.root)) if keeps else NoStore(Fault.UNAVAILABLE)
    return Project(workspace, load_registry(), workers, store)


def _children() -> set[int]:
    """The workers of this process."""
    found = set()
    for process in Path("/proc").iterdir():
        try:
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            command = (process / "cmdline").read_bytes()
        except (OSError, ValueError, IndexError):
            continue
        if parent == os.getpid() and b"sightline.workers" in command:
            found.add(int(process.name))
    return found


def _wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)
