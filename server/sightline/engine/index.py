"""Report what the index contains, and follow the disk."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from sightline.bundle import Status
from sightline.engine.host import Host
from sightline.engine.results import IndexResult, LanguageCounts
from sightline.index import PENDING
from sightline.project.quarantine import QuarantineRecord
from sightline.workspace import RootError

QuarantineTries = Sequence[QuarantineRecord]
"""The records of texts that can be parsed now."""

_MOST_NOTES = 10
_SHORTEST_SECRET_NAME = 16
"""A shorter name alone cannot be told from a word, and so is never treated as a secret."""


def index_status(host: Host, *, pending: int = 0) -> IndexResult:
    """Return what the index contains. `pending` changes have not been applied yet."""
    snapshot, statistics = host.snapshot, host.project.statistics
    states = [state for state in snapshot.files.values() if state.language and not state.fault]
    files = Counter(state.language for state in states)
    symbols: Counter[str] = Counter()
    references: Counter[str] = Counter()
    for state in states:
        symbols[state.language] += state.declarations
        references[state.language] += state.references
    faults = {
        path: fault
        for path in snapshot.paths
        if (fault := snapshot.files[path].fault) and fault != PENDING
    }
    root = host.root.name
    conceal = _conceal(host, [root, *faults])
    return IndexResult(
        status=Status.OK,
        root=conceal(root),
        visible=len(snapshot.files),
        files=len(states),
        symbols=symbols.total(),
        references=references.total(),
        languages={
            name: LanguageCounts(files[name], symbols[name], references[name])
            for name in sorted(files)
        },
        parsed=statistics.parsed,
        reused=statistics.reused,
        withheld=dict(sorted(Counter(filter(None, host.project.withheld())).items())),
        quarantined={conceal(path): fault for path, fault in faults.items()},
        pending=pending,
        fingerprint=snapshot.fingerprint,
        index_complete=snapshot.index_complete and snapshot.terms_complete,
        store_note=host.store_note,
        hidden=snapshot.hidden,
    )


def ignore_file_notes(host: Host) -> list[str]:
    """Return a line for each ignore file that hides everything it may apply to."""
    survey = host.workspace.surveyed or host.workspace.survey()
    sources = survey.faulty
    conceal = _conceal(host, sources)
    notes = [_fault_note(conceal(source)) for source in sources[:_MOST_NOTES]]
    if len(sources) > _MOST_NOTES:
        notes.append(f"{len(sources) - _MOST_NOTES} more ignore files or folders cannot be read")
    return notes


def _fault_note(source: str) -> str:
    if "ignore" in source.rpartition("/")[2] or source.endswith("exclude"):
        return (
            f"{source} cannot be understood, so all that it may cover is withheld; "
            "repair it: a small UTF-8 file with one pattern per line"
        )
    return f"{source} cannot be read, so all that it may cover is withheld; check its permissions"


def quarantine_notes(host: Host) -> list[str]:
    """Return a line for each file that is not parsed, with the reason."""
    snapshot, refused = host.snapshot, host.project.statistics.refused
    found = sorted({*snapshot.quarantined, *refused})
    conceal = _conceal(host, found)
    notes: list[str] = []
    for path in found:
        state = snapshot.files.get(path)
        if state is not None and state.limit:
            why = f"in quarantine, {state.fault} (limit: {state.limit})"
            notes.append(f"{conceal(path)}: {why}; 'sightline index --retry' tries it again")
        elif path in refused:
            notes.append(f"{conceal(path)}: {refused[path].message}; {refused[path].advice}")
    return notes


def retry_quarantined(host: Host) -> None:
    """Try files again that were in quarantine when the index was opened, and save."""
    release(host, try_again(host))


def try_again(host: Host, most: int | None = None) -> QuarantineTries:
    """Parse quarantined texts again. From any thread."""
    return host.project.limited.try_again(most)


def release(host: Host, tries: QuarantineTries) -> bool:
    """Apply texts that can be parsed now, and save. Return True if there were any."""
    host.project.limited.release(tries)
    host.save()
    return bool(tries)


def watch_paths(host: Host, stop: threading.Event) -> Iterator[Sequence[str]]:
    """Yield the paths of each batch of changes on the disk, until `stop` is set.

    An empty batch means that anything may have changed. It ends when the root is removed or
    replaced.
    """
    # Loading the library takes as long as reading a small workspace.
    from sightline.workspace.watching import watch

    with contextlib.suppress(RootError):
        for changes in watch(host.workspace.copy(), stop):
            yield changes.paths


def follow(host: Host, stop: threading.Event) -> Iterator[IndexResult]:
    """Yield what the index contains after each change on the disk, until `stop` is set."""
    before = host.snapshot.fingerprint
    for snapshot in host.project.follow(stop):
        if snapshot.fingerprint == before:
            continue
        before = snapshot.fingerprint
        host.save()
        yield index_status(host)


def _conceal(host: Host, names: Sequence[str]) -> Callable[[str], str]:
    """Return a function that replaces secrets in names."""
    if all(len(name) < _SHORTEST_SECRET_NAME for name in names):
        # Loading the scanner's rules takes longer than a warm start.
        return str
    from sightline.engine.shown import conceal_names

    return conceal_names(host, names=names).text
