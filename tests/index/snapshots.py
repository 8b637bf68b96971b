"""What a snapshot answers, as plain values: two that are equal cannot be told apart by asking."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from sightline.index import FileScope, Snapshot

_Answers = dict[Any, Any]


def answers(snapshot: Snapshot, *, backwards: bool = False) -> _Answers:
    """Every answer there is, by its question. The order of asking must make no difference."""
    scopes = [scope for path in snapshot.paths if (scope := snapshot.scope(path)) is not None]
    questions: list[tuple[Any, Callable[[], object]]] = [
        ("complete", lambda: snapshot.index_complete),
        ("fingerprint", lambda: snapshot.fingerprint),
        ("files", lambda: dict(snapshot.files)),
    ]
    for path in snapshot.paths:
        questions.append((("dependencies", path), partial(snapshot.relations.dependencies, path)))
        questions.append((("configs", path), partial(snapshot.relations.configs, path)))
    for scope in scopes:
        questions.append((("facts", scope.path), partial(_facts, scope)))
        for index in range(len(scope.definitions)):
            target = (scope.path, index)
            questions += [
                (("place", target), partial(snapshot.place, target)),
                (("callers", target), partial(snapshot.relations.callers, target, 2)),
                (("callees", target), partial(snapshot.relations.callees, target, 2)),
                (("bases", target), partial(snapshot.relations.bases, target)),
                (("implementers", target), partial(snapshot.relations.implementers, target)),
                (("overrides", target), partial(snapshot.relations.overrides, target)),
                (("overridden by", target), partial(snapshot.relations.overridden_by, target)),
                (("dispatches", target), partial(snapshot.relations.may_dispatch_to, target)),
                (("dispatched", target), partial(snapshot.relations.dispatch_callers, target)),
                (("types used", target), partial(snapshot.relations.types_used, target)),
                (("values used", target), partial(snapshot.relations.values_used, target)),
                (("value users", target), partial(snapshot.relations.value_users, target)),
            ]
    for name in sorted({name for scope in scopes for name in _names(scope)}):
        questions.append((("find", name), partial(snapshot.find, name)))
        questions.append((("naming", name), partial(snapshot.files_naming, name)))
    if backwards:
        questions.reverse()
    return {question: ask() for question, ask in questions}


def differences(one: _Answers, other: _Answers) -> _Answers:
    """The questions that are answered differently, with both answers."""
    return {
        question: (one.get(question), other.get(question))
        for question in [*one, *(each for each in other if each not in one)]
        if question not in one or question not in other or one[question] != other[question]
    }


def _facts(scope: FileScope) -> object:
    view = scope.view
    rows = (view.definitions, view.references, view.imports, view.bindings)
    return (
        view.language,
        view.parse_clean,
        view.package,
        view.blocks,
        view.scopes,
        rows,
        sorted(view.parameters.items()),
        sorted(view.arguments.items()),
        [[view.line_number(each.start) for each in table] for table in rows],
    )


def _names(scope: FileScope) -> Iterable[str]:
    for each in scope.definitions:
        yield from (each.name, each.qualified_name, f"{scope.path}::{each.qualified_name}")
    for reference in scope.view.references:
        yield reference.name
