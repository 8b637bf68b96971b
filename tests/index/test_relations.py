"""Who uses what, by language: one archive per scenario, with what is expected at its end.

An archive is a sentence of intent, files after `-- path --` lines, and after `== relations ==`
every relation the index finds, as `pytest --update-golden` writes them. They are read in the diff:
a line that is wrong is a bug in the index, or in the archive.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sightline.index import Relation, Snapshot, SymbolLocation, uses
from sightline.index.store import Fault, NoStore
from sightline.languages import Registry
from sightline.project import Project
from sightline.workers import Workers
from sightline.workspace import Workspace

_ARCHIVES = sorted((Path(__file__).parent / "relations").glob("*.txt"))
_FILE = re.compile(r"^-- (?P<path>\S+) --\n", re.MULTILINE)
_EXPECTED = "== relations ==\n"


@pytest.fixture(scope="module")
def workers() -> Workers:
    return Workers(1)


@pytest.mark.parametrize("archive", _ARCHIVES, ids=lambda archive: archive.stem)
def test_archive_gives_its_relations(
    archive: Path,
    tmp_path: Path,
    registry: Registry,
    workers: Workers,
    request: pytest.FixtureRequest,
) -> None:
    sources, _, expected = archive.read_text("utf-8").partition(_EXPECTED)
    intent, *parts = _FILE.split(sources)
    assert intent.strip(), "an archive starts with a sentence of intent"
    for path, content in zip(parts[::2], parts[1::2], strict=True):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, "utf-8")
    store = NoStore(Fault.UNAVAILABLE)
    with Project(Workspace(tmp_path), registry, workers, store) as project:
        actual = _written(project.open())
    if request.config.getoption("--update-golden"):
        archive.write_text(sources + _EXPECTED + actual, "utf-8")
        return
    assert actual == expected


def _written(snapshot: Snapshot) -> str:
    lines: list[str] = []
    for path in snapshot.paths:
        for relation in snapshot.relations.dependencies(path):
            lines.append(_line(snapshot, path, relation))
        scope = snapshot.scope(path)
        for index in range(-1, len(scope.definitions) if scope else -1):
            target = (path, index)
            source = str(snapshot.place(target))
            found = snapshot.relations.callees(target) + snapshot.relations.types_used(target)
            found += snapshot.relations.values_used(target)
            found += snapshot.relations.may_dispatch_to(target)
            if index >= 0:
                found = snapshot.relations.overrides(target) + found
                found = snapshot.relations.bases(target) + found
            lines.extend(_line(snapshot, source, relation) for relation in found)
    return "".join(lines)


def _line(snapshot: Snapshot, source: str, relation: Relation) -> str:
    targets = ", ".join(_shown(snapshot, place) for place in relation.targets)
    return (
        f"{source}:{relation.evidence.line} {relation.kind} {relation.evidence.name} "
        f"-> {targets} [{relation.confidence}]\n"
    )


def _shown(snapshot: Snapshot, place: SymbolLocation) -> str:
    """With its line where several functions go by its name, as overloads do."""
    if place.kind not in ("function", "method"):
        return str(place)
    kinds = [snapshot.place(each).kind for each in snapshot.find(str(place))]
    return f"{place}:{place.line}" if kinds.count(place.kind) > 1 else str(place)


def test_uses_that_may_mean_very_many_definitions_are_counted_and_not_all_looked_up(
    tmp_path: Path, registry: Registry, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty thousand overloads and as many calls of them took hours."""
    monkeypatch.setattr(uses, "_MANY", 10)
    monkeypatch.setattr(uses, "_MOST_COMPARED", 399)
    overloads = "".join(f"void f(int a{number}) {{}}\n" for number in range(20))
    (tmp_path / "a.cpp").write_text(f"{overloads}void area() {{ {'f(1); ' * 30}}}\n")
    with Project(Workspace(tmp_path), registry, workers, NoStore(Fault.UNAVAILABLE)) as project:
        snapshot = project.open()
        for index in (0, 19):
            callers = snapshot.relations.callers(("a.cpp", index))
            assert (len(callers), callers[-1].left_out) == (20, 10)
        callees = snapshot.relations.callees(("a.cpp", 20))
        assert (len(callees), callees[-1].left_out) == (20, 10)


@pytest.mark.parametrize(("place", "is_found"), [(63, True), (64, False)])
def test_an_import_is_looked_for_in_so_many_places_of_a_configuration(
    tmp_path: Path, registry: Registry, workers: Workers, place: int, is_found: bool
) -> None:
    """Sixty thousand places times three thousand imports kept a build busy for hours."""
    places = ", ".join(f'"s{number}/*"' for number in range(100))
    (tmp_path / "tsconfig.json").write_text(
        f'{{"compilerOptions": {{"baseUrl": ".", "paths": {{"*": [{places}]}}}}}}'
    )
    (tmp_path / f"s{place}").mkdir()
    (tmp_path / f"s{place}/lib.ts").write_text("export function area() {}\n")
    (tmp_path / "a.ts").write_text("import { area } from 'lib';\narea();\n")
    with Project(Workspace(tmp_path), registry, workers, NoStore(Fault.UNAVAILABLE)) as project:
        found = [
            target.path
            for relation in project.open().relations.dependencies("a.ts")
            for target in relation.targets
        ]
    assert (f"s{place}/lib.ts" in found) == is_found
