"""An edited tree equals a fresh one, for every language and any edit."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.languages import Registry
from sightline.symbols import summarize
from sightline.syntax import changed_statements, comparing, difference, parse, reparse
from sightline.text import Text

_FIXTURES = Path(__file__).parent.parent / "languages"
_FOLDERS = sorted(each.parent for each in _FIXTURES.glob("*/crlf.*.outline"))
_GOLDEN = (".outline", ".signatures", ".references")
_INSERTED = ["", "x", "\n", " ", "{", "}", "(", '"', "/*", "#", "é", "    pass\n", "class A {}\n"]


@pytest.mark.parametrize("folder", _FOLDERS, ids=lambda each: each.name)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_reparsing_equals_parsing_afresh(
    folder: Path, registry: Registry, data: st.DataObject
) -> None:
    language = registry.languages[folder.name]
    file = next(each for each in sorted(folder.iterdir()) if each.suffix not in _GOLDEN)
    before = parse(language, Text(file.read_bytes()))
    for _ in range(3):
        content = str(before.text)
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 20)))
        inserted = data.draw(st.sampled_from(_INSERTED))
        after = Text.of(content[:start] + inserted + content[end:])
        edited = reparse(before, after, difference(before.text, after))
        fresh = parse(language, after)
        assert str(edited.tree.root_node) == str(fresh.tree.root_node)
        assert edited.errors == fresh.errors
        assert summarize(edited) == summarize(fresh)
        before = edited


def test_what_was_read_as_something_else_is_not_taken_over(registry: Registry) -> None:
    """A macro in front of a function is read as `static`; in front of a variable nobody knows."""
    language = registry.languages["c"]
    before = parse(language, Text.of("EXPORTS foo bar(int a);\n"))
    after = Text.of("EXPORTS foo bar = f(1);\n")
    assert before.errors == ()
    edited = reparse(before, after, difference(before.text, after))
    assert edited.errors == parse(language, after).errors != ()


@pytest.mark.parametrize("folder", _FOLDERS, ids=lambda each: each.name)
def test_the_nearest_statements_show_what_all_of_them_show(
    folder: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where an edit is in one statement, those beside it are looked at before all others are."""
    language = registry.languages[folder.name]
    chance = random.Random(f"near {folder.name}")
    compared = 0
    for file in sorted(each for each in folder.iterdir() if each.suffix not in _GOLDEN):
        before = parse(language, Text(file.read_bytes()))
        for _ in range(30 if not before.errors else 0):
            data = before.text.data
            place = chance.randrange(len(data))
            end = min(len(data), place + chance.choice((0, 0, 1, 30)))
            typed = chance.choice(
                (b"x", b"1", b"()", b"", b"\n", b'"', b"/*", b"*/", data[place:end])
            )
            try:
                after = before.text.spliced(place, end, typed)
            except UnicodeDecodeError:
                continue
            edited = reparse(before, after, difference(before.text, after))
            if edited.errors:
                continue
            change = difference(before.text, after)
            near = changed_statements(before, edited, change)
            with monkeypatch.context() as without:
                without.setattr(comparing, "_statement_around", lambda *_: None)
                assert near == changed_statements(before, edited, change)
            before = edited
            compared += 1
    assert compared
