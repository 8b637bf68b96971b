"""Make a pack in a process that can be killed, because its readers see untrusted contents.

Invariants:

* This process never applies a pattern or a parser to project files, routes or risky code.
* The child gets only what a pack may contain: texts from a `PackSource`. It opens no file.
* If the child exceeds a limit, the pack is refused, and the refusal names the last requested file.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from sightline.engine.pack_messages import (
    MadePack,
    PackAnswer,
    PackOrder,
    Question,
    SourceAnswer,
)
from sightline.packs.full_pack import PackLimits
from sightline.packs.model import ContextPack, ProjectSnapshot
from sightline.packs.source import PackSource
from sightline.refusals import Refusal, RefusalKind
from sightline.workspace.script_process import WAITING, MachineFaultError, ScriptProcess

_SCRIPT = Path(__file__).with_name("pack_child.py")
_WALL_SECONDS = 60.0
"""For a process that makes no progress."""
_TRIES = 3
_MOST_BYTES_AT_ONCE = 4 << 20
_AT_ONCE = threading.BoundedSemaphore(4)
_DECODER: msgspec.msgpack.Decoder[PackAnswer] = msgspec.msgpack.Decoder(PackAnswer)


def made_pack(
    form: str,
    snapshot: ProjectSnapshot,
    source: PackSource,
    limits: PackLimits,
    name: str,
    *,
    seconds: float = 10.0,
) -> ContextPack | Refusal:
    """Return the full or the summary pack of a snapshot, or why there is none."""
    order = PackOrder(
        form,
        snapshot.scan_timestamp,
        (snapshot.total_files, snapshot.total_directories, snapshot.total_size_bytes),
        list(snapshot.files),
        list(snapshot.excluded_files),
        snapshot.exclusion_stats,
        limits,
        name,
        {path: source.size(path) for path in source.paths},
        # Only a summary tells of history, which takes longer than reading all files.
        source.commits_seen if form == "summary" else 0,
        seconds,
    )
    message = msgspec.msgpack.encode(order)
    with _one_of_few():
        for _ in range(_TRIES):
            try:
                with closing(_PackProcess()) as process:
                    return process.make(message, source)
            except MachineFaultError:
                continue
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "no_worker",
        None,
        "the process that makes packs could not be started, or did not get any processor time",
        "ask again; 'sightline doctor' says whether something is missing",
    )


@contextmanager
def _one_of_few() -> Iterator[None]:
    with WAITING.step_aside():
        _AT_ONCE.acquire()
    try:
        yield
    finally:
        _AT_ONCE.release()


class _PackProcess:
    def __init__(self) -> None:
        self._process = ScriptProcess(_SCRIPT, _WALL_SECONDS)
        self._last: str | None = None

    def close(self) -> None:
        self._process.end()

    def make(self, message: bytes, source: PackSource) -> ContextPack | Refusal:
        while (answered := self._exchange(message)) is not None:
            answer = _DECODER.decode(answered)
            if isinstance(answer, MadePack):
                pack: ContextPack = _as_made(answer.full or answer.summary)
                return pack
            if not isinstance(answer, Question):
                return _stopped("takes more memory than a pack may take", None)
            if answer.method == "read":
                [self._last] = answer.paths
            elif answer.method in ("peek", "facts"):
                self._last = None
            message = msgspec.msgpack.encode(_told(source, answer))
        what = "took too much processor time" if self._process.has_hit_limit else "was lost"
        return _stopped(f"{what} and was stopped", self._last)

    def _exchange(self, message: bytes) -> bytes | None:
        with WAITING.step_aside():
            return self._process.exchange(message)


def _told(source: PackSource, asked: Question) -> SourceAnswer:
    paths = asked.paths
    match asked.method:
        case "expect":
            source.expect(paths, asked.most_bytes)
            return SourceAnswer()
        case "read":
            return SourceAnswer(texts=[source.read(path) for path in paths])
        case "peek":
            return SourceAnswer(texts=_some_texts(source, paths))
        case "withheld":
            return SourceAnswer(reason=source.withheld(paths[0]))
        case "facts":
            return SourceAnswer(facts=[source.facts(path) for path in paths])
        case "history":
            return SourceAnswer(histories=[source.history(path) for path in paths])
        case "signature" if asked.symbol is not None:
            return SourceAnswer(text=source.signature(asked.symbol))
        case "encoding_issues":
            return SourceAnswer(issues=list(source.encoding_issues))
        case "redactions":
            return SourceAnswer(redactions=dict(source.redactions))
    raise ValueError(asked.method)


def _as_made(value: Any) -> Any:
    """Return a decoded value with tuples for lists: empty ones are left out of a pack."""
    if isinstance(value, list):
        return tuple(_as_made(each) for each in value)
    if isinstance(value, msgspec.Struct):
        changed = {
            name: _as_made(field)
            for name in value.__struct_fields__
            if isinstance(field := getattr(value, name), list | msgspec.Struct)
        }
        return msgspec.structs.replace(value, **changed) if changed else value
    return value


def _some_texts(source: PackSource, paths: Sequence[str]) -> list[str | None]:
    """Return the texts of the first paths, as many as fit into one message."""
    texts: list[str | None] = []
    room = _MOST_BYTES_AT_ONCE
    for path in paths:
        if texts and room < source.size(path):
            break
        texts.append(source.peek(path))
        room -= source.size(path)
    return texts


def _stopped(what: str, path: str | None) -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "time_out",
        path,
        f"reading the project's files {what}",
        "leave the file out with --exclude, or pack a part of the project",
        rule="project files are read within ten seconds of processor time",
        source="default:limits",
    )
