"""Find the files and symbols that a request is about. No name is guessed: several matches are a
refusal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import attrs

from sightline.context.request import BuildRequest, TargetSpec
from sightline.context.sources import DocumentCut, ScannedDocument, Sources
from sightline.index import PENDING, Snapshot, SymbolId
from sightline.refusals import Refusal, RefusalKind
from sightline.suggesting import did_you_mean, near_paths
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS
from sightline.text import Text

SHOWN_WHOLE = " is shown whole: "
"""In a note about a target, after its file."""

_MOST_CHOICES = 50
_PLACE = re.compile(r"(?P<name>.+?):(?P<line>[0-9]{1,9})(?:#(?P<nth>[0-9]{1,9}))?", re.DOTALL)
"""A symbol as a list of choices writes it: `A.b:12`, and `A.b:12#2` for the second of a line."""

_LAST_PART = re.compile(r"\w+(?=\W*\Z)")
"""The last word of a name: every declaration of it contains this word."""

_WITHHELD = frozenset(["deny_rule", "binary", "encoding", "too_large", "outside_sandbox"])
"""Reasons for which a file that a person added is left out and the rest is built."""


@attrs.frozen
class TargetFile:
    path: str
    symbols: tuple[SymbolId, ...]
    """Definitions that are meant, in source order; none means the whole file."""
    is_explicit: bool
    """True if the file itself was named, and not only a symbol in it."""


@attrs.frozen
class Targets:
    files: tuple[TargetFile, ...]
    """In bytewise order of their paths, each once."""
    selected: tuple[TargetFile, ...]
    """Targets that the user added."""


def find_targets(sources: Sources, request: BuildRequest) -> Targets | Refusal:
    """Return what the request is about: its targets, the plan step's, otherwise the active
    position's.

    If it names none of these, the files that the person selected are the targets.
    """
    wanted, added = _named(request), request.user_selected_targets
    resolved = _resolve_all(sources, wanted, added)
    if isinstance(resolved, Refusal):
        return resolved
    files = _merged(resolved)
    withheld = _withheld(sources, added) if files else []
    out = {each.path for each in withheld}
    selected = _resolve_all(sources, [each for each in added if each.path not in out], added)
    if isinstance(selected, Refusal):
        return selected
    if files:
        own = {each.path for each in files}
        others = [each for each in selected if each.path not in own]
        files = tuple(_with_selected(each, selected) for each in files)
        targets = Targets(files, _merged([*others, *withheld]))
    else:
        targets = Targets(_merged(selected), ())
    return _refuse_dropped(targets, request.dropped_paths) or targets


def _with_selected(target: TargetFile, selected: Sequence[TargetFile]) -> TargetFile:
    """Make a symbol that was selected in the file of a target symbol a target, too."""
    if not target.symbols:
        return target
    added = {symbol for each in selected if each.path == target.path for symbol in each.symbols}
    return attrs.evolve(target, symbols=tuple(sorted({*target.symbols, *added})))


def _refuse_dropped(targets: Targets, dropped: Sequence[str]) -> Refusal | None:
    """Refuse a file that is both requested and left out."""
    for each in (*targets.files, *targets.selected):
        if each.path in dropped:
            return Refusal(
                RefusalKind.INVALID_REQUEST,
                "dropped_target",
                each.path,
                "the request both asks for this file and leaves it out",
                "do not drop it, or choose another target",
                rule=each.path,
                source="request:dropped_paths",
            )
    return None


def _withheld(sources: Sources, added: Sequence[TargetSpec]) -> list[TargetFile]:
    """Return files that a person added and that may not be seen: they become
    excluded candidates.
    """
    documents = sources.documents([each.path for each in added if each.path is not None])
    return [
        TargetFile(path, (), is_explicit=True)
        for path, document in documents.items()
        if isinstance(document, Refusal) and document.reason in _WITHHELD
    ]


def _named(request: BuildRequest) -> list[TargetSpec]:
    """Return the targets of a request, from the most explicit source that names any."""
    wanted = list(request.targets)
    step = request.plan_step
    if step is not None:
        wanted += [TargetSpec(path=path) for path in step.target_files]
        for symbol in step.target_symbols:
            wanted.append(TargetSpec.named(symbol))
    if not wanted and request.active is not None:
        wanted.append(request.active)
    return wanted


def _resolve_all(
    sources: Sources, wanted: Sequence[TargetSpec], selected: Sequence[TargetSpec]
) -> list[TargetFile] | Refusal:
    paths = [each.path for each in wanted if each.path is not None]
    documents = sources.documents(paths)
    found: list[TargetFile] = []
    for each in wanted:
        if each.path is None:
            outcome = _anywhere(sources, each, paths, selected)
        else:
            document = documents[each.path]
            if isinstance(document, Refusal):
                return _with_near_paths(document, sources.snapshot)
            outcome = _in_file(sources, document, each, selected)
        if isinstance(outcome, Refusal):
            return outcome
        found.extend(outcome)
    return found


def symbol_around(sources: Sources, document: ScannedDocument, offset: int) -> SymbolId | None:
    """Return the innermost symbol whose region contains an offset."""
    if document.language is not None:
        cut = sources.cuts([document])[document.path]
        if isinstance(cut, DocumentCut):
            return sources.snapshot.symbol_around(document.path, offset, cut.summary)
    return sources.snapshot.symbol_at(document.path, offset)


def symbol_named(snapshot: Snapshot, path: str, name: str) -> SymbolId | Refusal:
    """Return the one symbol of a file that a name means."""
    matches = _in_path(snapshot, path, name)
    if not matches:
        return _unknown(snapshot, name, path)
    return matches[0] if len(matches) == 1 else _ambiguous(snapshot, name, matches)


def _in_file(
    sources: Sources, document: ScannedDocument, wanted: TargetSpec, selected: Sequence[TargetSpec]
) -> list[TargetFile] | Refusal:
    snapshot, path = sources.snapshot, document.path
    state = snapshot.files.get(path)
    if state is not None and state.fault == PENDING:
        return pending_file(path)
    if wanted.symbol is not None:
        matches = _in_path(snapshot, path, wanted.symbol)
        if wanted.line is not None:
            on_line = [each for each in matches if snapshot.place(each).line == wanted.line]
            matches = on_line or matches
        if not matches:
            return _unread(snapshot, [path]) or _unknown(snapshot, wanted.symbol, path)
        if len(matches) > 1:
            matches = _selected(snapshot, matches, selected) or matches
        if len(matches) > 1:
            return _ambiguous(snapshot, wanted.symbol, matches)
        return [TargetFile(path, tuple(matches), is_explicit=True)]
    if wanted.line is None:
        return [TargetFile(path, (), is_explicit=True)]
    last = document.text.last_line_number
    if wanted.line > max(1, last):
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "no_such_line",
            path,
            f"there is no line {wanted.line} in it: it has {last}",
            "give a line of the file",
        )
    if wanted.end_line is not None and wanted.end_line > wanted.line:
        return [_in_lines(sources, document, wanted.line, min(wanted.end_line, last))]
    offset = _offset(document.text, wanted.line, wanted.column)
    symbol = _around(sources, document, offset)
    return [TargetFile(path, (symbol,) if symbol else (), is_explicit=True)]


def _in_lines(sources: Sources, document: ScannedDocument, first: int, last: int) -> TargetFile:
    """Return the symbols of a range of lines: the one around all of it, otherwise all that it
    touches.

    Of those that it touches, take the outermost that do not extend beyond it on both sides: two
    methods of a class, not the class.
    """
    text = document.text
    start, end = _offset(text, first, None), text.line_end(last - 1)
    around = _around(sources, document, start)
    scope = sources.snapshot.scope(document.path)
    if scope is None:
        return TargetFile(document.path, (), is_explicit=True)
    if around is not None and scope.definitions[around[1]].end >= end - 1:
        return TargetFile(document.path, (around,), is_explicit=True)
    inside = [
        (document.path, index)
        for index, each in enumerate(scope.definitions)
        if each.start < end and each.end > start and not (each.start < start and each.end >= end)
    ]
    chosen = {index for _, index in inside}
    outermost = [each for each in inside if scope.nesting.parents[each[1]] not in chosen]
    return TargetFile(document.path, tuple(outermost), is_explicit=True)


def _around(sources: Sources, document: ScannedDocument, offset: int) -> SymbolId | None:
    """Return the innermost symbol around an offset that is more than a value in
    a type or function.
    """
    path = document.path
    found = symbol_around(sources, document, offset)
    scope = sources.snapshot.scope(path)
    if found is None or scope is None:
        return None
    index = found[1]
    while scope.definitions[index].kind not in CALLABLE_KINDS | TYPE_KINDS:
        if scope.nesting.parents[index] < 0:
            return found
        index = scope.nesting.parents[index]
    return (path, index)


def _offset(text: Text, line: int, column: int | None) -> int:
    if column is None:
        return text.first_character(line - 1)
    start, end = text.line_start(line - 1), text.line_end(line - 1)
    before = text.data[start:end].decode("utf-8")[: column - 1]
    return text.at_cursor(start + len(before.encode("utf-8")))


def _anywhere(
    sources: Sources, wanted: TargetSpec, paths: Sequence[str], selected: Sequence[TargetSpec]
) -> list[TargetFile] | Refusal:
    """Find a symbol by name: in the files that were named, otherwise in all
    files if it is unique.
    """
    snapshot, name = sources.snapshot, wanted.symbol or ""
    matches = [each for path in dict.fromkeys(paths) for each in _in_path(snapshot, path, name)]
    matches = matches or snapshot.find(name)
    if not matches:
        return _unread(snapshot, _limited_with(sources, name)) or _unknown(snapshot, name, None)
    if len(matches) > 1:
        matches = _selected(snapshot, matches, selected) or matches
    is_parted = len({path for path, _ in matches}) == len(matches)
    if len(matches) > 1 and not (is_parted and snapshot.resolver.declared.is_one(matches)):
        # A declaration and its definition, or the parts of a type, are one symbol; namesakes are
        # not.
        return _ambiguous(snapshot, name, matches)
    return [
        TargetFile(path, tuple(each for each in matches if each[0] == path), is_explicit=False)
        for path in dict.fromkeys(each[0] for each in matches)
    ]


def _in_path(snapshot: Snapshot, path: str, name: str) -> list[SymbolId]:
    """Find symbols of one file by name, also in the form of a list of choices."""
    found = _called(snapshot, path, name)
    place = None if found else _PLACE.fullmatch(name)
    if place is None:
        return found
    found = _called(snapshot, path, place["name"])
    return _at(snapshot, found, int(place["line"]), place["nth"])


def _called(snapshot: Snapshot, path: str, name: str) -> list[SymbolId]:
    """Match the full name, otherwise the name, otherwise the end of the full name."""
    scope = snapshot.scope(path)
    if scope is None:
        return []
    matches = snapshot.find(f"{path}::{name}")
    full = [each for each in matches if scope.definitions[each[1]].qualified_name == name]
    if matches:
        return full or matches
    return [each for each in snapshot.find(name) if each[0] == path]


def _at(
    snapshot: Snapshot, matches: Sequence[SymbolId], line: int, nth: str | None
) -> list[SymbolId]:
    """Return the matches whose name is on a line; with `nth`, that one of them, from 1."""
    found = [each for each in matches if snapshot.place(each).line == line]
    if nth is None:
        return found
    return found[int(nth) - 1 : int(nth)] if int(nth) else []


def _selected(
    snapshot: Snapshot, matches: Sequence[SymbolId], selected: Sequence[TargetSpec]
) -> list[SymbolId]:
    """Return the matches that the user's selection names."""
    chosen: set[SymbolId] = set()
    for each in selected:
        found = [match for match in matches if each.path in (None, match[0])]
        line, nth, name = each.line, None, each.symbol
        if name is not None and (place := _PLACE.fullmatch(name)):
            line, nth, name = int(place["line"]), place["nth"], place["name"]
        if name is not None:
            found = [
                match for match in found if f".{snapshot.place(match).symbol}".endswith(f".{name}")
            ]
        chosen.update(found if line is None else _at(snapshot, found, line, nth))
    return [each for each in matches if each in chosen]


def _merged(files: Iterable[TargetFile]) -> tuple[TargetFile, ...]:
    """Merge by file; a file that is named as a whole is whole, unless a symbol of it is named as
    well.
    """
    merged: dict[str, TargetFile] = {}
    for each in files:
        known = merged.get(each.path)
        if known is None:
            merged[each.path] = each
            continue
        symbols = tuple(sorted({*known.symbols, *each.symbols}))
        merged[each.path] = TargetFile(
            each.path, symbols, is_explicit=known.is_explicit or each.is_explicit
        )
    return tuple(merged[path] for path in sorted(merged, key=lambda path: path.encode("utf-8")))


def _limited_with(sources: Sources, name: str) -> list[str]:
    """Return the quarantined files whose text contains the last part of a name."""
    last = _LAST_PART.search(name)
    if last is None:
        return []
    documents = sources.documents(sources.snapshot.quarantined[:_MOST_CHOICES])
    return [
        path
        for path, each in documents.items()
        if isinstance(each, ScannedDocument) and last[0].encode("utf-8") in each.text.data
    ]


def _unread(snapshot: Snapshot, paths: Sequence[str]) -> Refusal | None:
    """Refuse a symbol that may be in a file whose symbols could not be read."""
    for path in paths:
        state = snapshot.files.get(path)
        if state is None or not state.fault:
            continue
        limit = f" (limit: {state.limit})" if state.limit else ""
        return Refusal(
            RefusalKind.INDEX_UNAVAILABLE,
            state.fault,
            path,
            f"its symbols are not known: it could not be parsed{limit}",
            "choose the whole file as the target, or try again with 'sightline index --retry'",
            rule=state.limit or None,
            source="default:limits" if state.limit else None,
        )
    return None


def pending_file(path: str) -> Refusal:
    """Refuse a file whose text is known, and whose symbols are not available yet."""
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        PENDING,
        path,
        "it is still being parsed",
        "ask again in a moment",
    )


def _with_near_paths(refusal: Refusal, snapshot: Snapshot) -> Refusal:
    """Suggest files that may be meant by a path that does not exist."""
    if refusal.reason != "not_found" or refusal.path is None:
        return refusal
    near = near_paths(refusal.path, snapshot.paths)
    if not near:
        return refusal
    return attrs.evolve(
        refusal, advice=f"Did you mean {' or '.join(near)}?", candidates=tuple(near)
    )


def _unknown(snapshot: Snapshot, name: str, path: str | None) -> Refusal:
    if not snapshot.index_complete:
        return Refusal(
            RefusalKind.INDEX_UNAVAILABLE,
            "index_incomplete",
            path,
            f"no symbol '{name[:200]}' was found yet, and not every file has been read",
            "ask again in a moment",
        )
    where = "in it" if path else "in the workspace"
    # In a file that is named, no rule hides anything.
    hidden = () if path else snapshot.hidden
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "unknown_symbol",
        path,
        f"there is no symbol '{name[:200]}' {where}",
        "; ".join(
            [
                _near_symbols(snapshot, name, path)
                or "'sightline outline PATH' lists the symbols of a file",
                *(each.sentence() for each in hidden),
            ]
        ),
        rule=hidden[0].rule if hidden else None,
        source="default:never_send" if hidden else None,
    )


def _near_symbols(snapshot: Snapshot, name: str, path: str | None) -> str:
    scope = snapshot.scope(path) if path is not None else None
    return did_you_mean(name, (each.qualified_name for each in scope.definitions)) if scope else ""


def _ambiguous(snapshot: Snapshot, name: str, matches: Sequence[SymbolId]) -> Refusal:
    places = [
        f"{each.path}::{each.symbol}:{each.line}"
        for each in sorted(snapshot.place(target) for target in matches)
    ]
    choices = tuple(
        place if places.count(place) == 1 else f"{place}#{places[: index + 1].count(place)}"
        for index, place in enumerate(places[:_MOST_CHOICES])
    )
    more = len(places) - len(choices)
    return Refusal(
        RefusalKind.AMBIGUOUS_TARGET,
        "several_matches",
        None,
        f"'{name[:200]}' names {len(places)} symbols" + (f", {more} not listed" if more else ""),
        "choose one of them",
        candidates=choices,
    )
