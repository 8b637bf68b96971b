"""Find the files and symbols that a task in words is about."""

from __future__ import annotations

from collections.abc import Iterable

from sightline.engine.find_results import FindResult, FoundClue, FoundPath, FoundPlace
from sightline.engine.host import Host
from sightline.engine.requests import FindRequest
from sightline.engine.results import Status
from sightline.engine.shown import Concealer, conceal_names
from sightline.index import finding
from sightline.refusals import Refusal, RefusalKind

_MOST = 200


def find(host: Host, request: FindRequest) -> FindResult:
    """Return proposals with the evidence for each. A file that is not among
    them may still matter.
    """
    if not isinstance(request.text, str) or not request.text.strip():
        return _refused(_wrong("the task is empty", "say in words what is to be done"))
    if not 1 <= request.limit <= _MOST:
        return _refused(
            _wrong(f"the limit must be a number from 1 to {_MOST}", "give a number in this range"),
        )
    snapshot = host.snapshot
    found = finding.find(
        snapshot, request.text, most_files=request.limit, most_symbols=request.limit
    )
    names = _concealer(host, found)
    return FindResult(
        status=Status.OK,
        files=tuple(
            FoundPath(names.text(each.path), _clues(each.clues, names)) for each in found.files
        ),
        symbols=tuple(
            FoundPlace(
                names.text(each.path),
                names.text(each.symbol),
                each.kind,
                each.line,
                _clues(each.clues, names),
            )
            for each in found.symbols
        ),
        notes=_notes(request.text),
        hidden=snapshot.hidden,
        index_complete=snapshot.terms_complete and snapshot.index_complete,
    )


def _concealer(host: Host, found: finding.Proposals) -> Concealer:
    paths = {each.path for each in found.files} | {each.path for each in found.symbols}
    named = {each.symbol for each in found.symbols}
    told = [clue for file in found.files for clue in file.clues]
    told += [clue for symbol in found.symbols for clue in symbol.clues]
    for clue in told:
        named.update(clue.detail)
    return conceal_names(host, paths, named)


def _clues(clues: Iterable[finding.Clue], names: Concealer) -> tuple[FoundClue, ...]:
    return tuple(
        FoundClue(clue.kind.value, tuple(names.text(each) for each in clue.detail))
        for clue in clues
    )


def _notes(text: str) -> tuple[str, ...]:
    if len(text) <= finding.MOST_CHARACTERS:
        return ()
    return (f"only the first {finding.MOST_CHARACTERS:,} characters of the task were read",)


def _refused(refusal: Refusal) -> FindResult:
    return FindResult(Status.REFUSED, refusal)


def _wrong(message: str, advice: str) -> Refusal:
    return Refusal(RefusalKind.INVALID_REQUEST, "usage", None, message, advice)
