"""Facts kept through edits read the same as facts of the edited text extracted afresh."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from sightline.languages import Language, Registry
from sightline.symbols import Facts, FactsView, extract
from sightline.symbols.facts import name_keys
from sightline.symbols.live import LiveFacts
from sightline.syntax import parse
from sightline.text import Text

_FIXTURES = Path(__file__).parent.parent / "languages"
_GOLDEN = (".outline", ".signatures", ".references")
_PIECES = (
    b"x", b" ", b"\n", b"", b"", b"(", b")", b"{", b"}", b'"', b"foo()", b"a.b(c)\n", b"# note\n",
    b"// note\n", b"    ", b";", b"\n\n", b"class A", b"9", b"=", "é".encode(), b",",
)  # fmt: skip


@pytest.mark.parametrize(
    "language",
    sorted(
        each.name
        for each in _FIXTURES.iterdir()
        if each.is_dir() and not each.name.startswith("__")
    ),
)
def test_edits_in_any_place_leave_the_facts_of_the_text(language: str, registry: Registry) -> None:
    """Typing, deleting and moving lines, in clean and in broken text, of every language."""
    chance = random.Random(f"live {language}")
    sources = [
        file
        for file in sorted((_FIXTURES / language).iterdir())
        if file.suffix not in _GOLDEN and not file.name.startswith("__")
    ]
    for file in sources:
        data = file.read_bytes()
        # Several copies behind each other, so that there is something far from every edit.
        text = Text(data * (1 + 12000 // max(1, len(data))))
        live = LiveFacts(parse(registry.languages[language], text))
        for step in range(12):
            data = live.parsed.text.data
            start, end, replacement = _edit(chance, data, step)
            try:
                (data[:start] + replacement + data[end:]).decode("utf-8")
            except UnicodeDecodeError:
                continue
            live.edit(start, end, replacement)
            fresh = extract(parse(registry.languages[language], live.parsed.text))
            kind = registry.languages[language]
            assert _read(live.facts, kind) == _read(fresh, kind), (file.name, step)
            assert live.keys.issuperset(name_keys(fresh, kind))


@pytest.mark.parametrize(
    ("language", "source", "before", "typed"),
    [
        # The last one that is read again has a pattern which could go on behind it.
        ("kotlin", "#!/usr/bin/env kotlin\n\nimport java.io.File\n\nval x = 1\n", "tlin", "x"),
        # A name's type is kept as it is written, with the block in it.
        (
            "go",
            "package p\n\nfunc f(v any) {\n" + "\tg()\n" * 99
            + "\tif c, ok := v.(interface{ Close() error }); ok {\n\t\tc.Close()\n\t}\n}\n",
            "ror }",
            "x",
        ),
        # Several clauses are one name together.
        ("scala", "package a\npackage b\n" + "class C\n" * 99 + "object O\n", "\npackage b", "x"),
    ],
    ids=["imports", "types", "packages"],
)  # fmt: skip
def test_what_an_edit_does_not_touch_may_depend_on_it(
    language: str, source: str, before: str, typed: str, registry: Registry
) -> None:
    kind = registry.languages[language]
    live = LiveFacts(parse(kind, Text.of(source)))
    place = source.encode().index(before.encode())
    live.edit(place, place, typed.encode())
    fresh = extract(parse(kind, live.parsed.text))
    assert not live.parsed.errors
    assert _read(live.facts, kind) == _read(fresh, kind)
    assert live.keys.issuperset(name_keys(fresh, kind))


def test_many_edits_without_a_look_in_between(registry: Registry) -> None:
    """What an edit moves is moved before the next one, whoever asks."""
    chance = random.Random("live without a look")
    kind = registry.languages["python"]
    source = b"class A:\n    def f(self, a):\n        b = a.c()\n        return b\n\n" * 60
    live = LiveFacts(parse(kind, Text(source)))
    for _ in range(40):
        data = live.parsed.text.data
        start = data.index(b"b = ", chance.randrange(len(data) - 100))
        live.edit(start, start + 1, chance.choice([b"b", b"bb", b"c = b", b"b = 1\n        b"]))
    assert not live.parsed.errors
    fresh = extract(parse(kind, live.parsed.text))
    assert _read(live.facts, kind) == _read(fresh, kind)
    assert (live.declaration_count, live.reference_count) == (
        fresh.declaration_count,
        fresh.reference_count,
    )


def _edit(chance: random.Random, data: bytes, step: int) -> tuple[int, int, bytes]:
    start = chance.randrange(len(data) + 1)
    if step % 3 == 0:
        # A line is doubled, or taken out: most often the text stays clean.
        start = data.rfind(b"\n", 0, start) + 1
        end = data.find(b"\n", start) + 1 or len(data)
        return (start, end, b"") if chance.random() < 0.4 else (start, start, data[start:end])
    if step % 3 == 1:
        # A letter of a name is doubled: the text stays clean but for keywords.
        while start < len(data) and not data[start : start + 1].isalpha():
            start += 1
        return start, start, data[start : start + 1]
    end = min(len(data), start + chance.choice((0, 0, 1, 3, 40)))
    return start, end, chance.choice(_PIECES)


def _read(facts: Facts, language: Language) -> tuple[object, ...]:
    view = FactsView(facts, language)
    return (
        view.parse_clean,
        view.package,
        view.definitions,
        view.scopes,
        view.references,
        view.imports,
        view.bindings,
        view.blocks,
        view.parameters,
        view.arguments,
        facts.line_lengths,
    )
