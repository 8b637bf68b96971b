"""What a language folder can say beyond its patterns: shared parts, nested names, constructors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from sightline.languages import (
    LANGUAGE_PATH_VARIABLE,
    LanguageError,
    Registry,
    load_language,
    load_registry,
)
from sightline.symbols import FactsView, extract, summarize
from sightline.syntax import parse
from sightline.text import Text

_PAGE = Path(__file__).parent.parent / "docs" / "languages.md"


def test_the_example_of_the_page_is_a_language(tmp_path: Path) -> None:
    """What docs/languages.md shows is what the shell prints for the folder it describes."""
    expected = _write_example(tmp_path)
    result = subprocess.run(
        [sys.executable, "-P", "-m", "sightline.cli", "outline", "shapes.jl"],
        cwd=tmp_path,
        env={**os.environ, LANGUAGE_PATH_VARIABLE: str(tmp_path)},
        capture_output=True,
        check=True,
    )
    assert result.stdout.decode() == expected


def test_a_folder_of_parts_is_no_language(tmp_path: Path, registry: Registry) -> None:
    _write_example(tmp_path)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "fragments.scm").write_text("(define.remark (line_comment))")
    own = load_registry([tmp_path])
    assert set(own.languages) == {*registry.languages, "julia"}


def test_a_language_of_the_users_own_may_extend_several_folders(tmp_path: Path) -> None:
    """Parts beside it, built-in parts, and another language; every file of them is a source."""
    _write_example(tmp_path)
    (tmp_path / "remarks").mkdir()
    (tmp_path / "remarks" / "fragments.scm").write_text("(define.remark (block_comment))")
    folder = tmp_path / "pluto"
    folder.mkdir()
    (folder / "language.toml").write_text(
        'title = "Pluto"\nextends = ["julia", "remarks", "c_family"]\n'
        '[files]\nextensions = [".pluto"]\n'
    )
    (folder / "tags.scm").write_text("(use.remark) @comment\n")
    language = load_language(folder)
    assert language.comments.line == "#"
    assert len(language.tags.patterns) == len(load_language(tmp_path / "julia").patterns) + 1
    written = [each for each in language.sources if each.suffix in (".scm", ".toml")]
    assert {f"{each.parent.name}/{each.name}" for each in written} == {
        *("julia/language.toml", "julia/tags.scm", "remarks/fragments.scm"),
        *("c_family/fragments.scm", "pluto/language.toml", "pluto/tags.scm"),
    }


def test_languages_that_extend_each_other_are_an_error(tmp_path: Path) -> None:
    for name, other in (("one", "two"), ("two", "one")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "language.toml").write_text(f'title = "T"\nextends = "{other}"\n')
    with pytest.raises(LanguageError) as caught:
        load_language(tmp_path / "one")
    assert str(caught.value) == f"{tmp_path}/two/language.toml:2: 'one' extends 'two'"


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("language.toml", 'kinds = ["identifier"]', 'kinds = ["idiot"]', "no node kind 'idiot'"),
        ("language.toml", "open_tuple = []", "oppen = []", "no node kind 'oppen'"),
        ("language.toml", "open_tuple = []", 'open_tuple = ["leaf"]', "no field 'leaf'"),
        ("language.toml", "open_tuple = []", "open_tuple = 1", "list"),
        ("tags.scm", '(#set! constructor "named_like_type")', '(#set! through "x")', "kind 'x'"),
        ("tags.scm", '"named_like_type"', '"named"', "must be one of in_type, named_like_type"),
        ("tags.scm", "constructor", "local", "'local' must be one of drop, keep"),
    ],
)
def test_a_fault_in_a_rule_names_file_and_line(
    tmp_path: Path, file: str, old: str, new: str, fault: str
) -> None:
    _write_example(tmp_path)
    path = tmp_path / "julia" / file
    written = path.read_text().replace(old, new)
    path.write_text(written)
    with pytest.raises(LanguageError) as caught:
        _ = load_language(path.parent).tags
    line = written[: written.index(new)].count("\n") + 1
    found = str(caught.value).removeprefix(f"{path}:")
    assert fault in found
    # A setting belongs to its pattern: that is where the fault is.
    assert line - 7 <= int(found.split(":")[0]) <= line


@pytest.mark.parametrize(
    ("written", "name", "container"),
    [
        ("int f() {}", "f", None),
        ("int ***&f() {}", "f", None),
        ("void (*(*(*f(int))(char))(long))(short) {}", "f", None),
        ("a::b::c::d::e::T a::b::c::d::e::f() {}", "f", "a.b.c.d.e"),
        ("T *a<int>::b::operator+(T) {}", "operator+", "a.b"),
    ],
)
def test_the_name_of_a_function_is_found_at_any_depth(
    registry: Registry, written: str, name: str, container: str | None
) -> None:
    assert [(symbol[1], symbol[2]) for symbol in _symbols(registry, written)] == [(name, container)]


def test_a_name_counts_only_behind_the_node_it_is_reached_through(registry: Registry) -> None:
    """Without a function declarator around its name nothing is a function, whatever its body."""
    assert _symbols(registry, "struct EXPORT *thing {}") == [("variable", "thing", None)]
    assert _symbols(registry, "struct EXPORT *thing() {}") == [("function", "thing", None)]


@pytest.mark.parametrize(
    "written",
    [
        "struct Box { Box() {} };",
        "struct Box { Box(int); };",
        "struct Box { EXPORT Box(int); };",
        "struct Box { Box() = default; };",
        "struct Box {\n#if A\n#if B\n#if C\n#if D\nBox() {}\n#endif\n#endif\n#endif\n#endif\n};",
        "struct Box { template <class T> template <class U> Box(T, U) {} };",
        "template <> struct Box<int> { EXPORT Box() {} };",
        "Box::Box() {}",
        "a::b::c::d::Box<int>::Box() {}",
        "a::Box::Box() = default;",
    ],
)
def test_a_function_named_like_its_type_is_a_constructor(registry: Registry, written: str) -> None:
    kinds = [kind for kind, name, _ in _symbols(registry, written) if kind != "struct"]
    assert kinds == ["constructor"]


def test_a_constructor_in_capitals_is_told_from_a_macro_by_its_type(registry: Registry) -> None:
    written = "struct BOX { BOX(int); LID(int); };"
    assert _symbols(registry, written) == [
        ("struct", "BOX", None),
        ("constructor", "BOX", "BOX"),
    ]


@pytest.mark.parametrize(
    "written",
    [
        "struct Box { int box(); };",
        "struct Box { Box *Box(); };",
        "struct Lid { struct Box {}; void Box(); };",
        "int Box::box() {}",
    ],
)
def test_a_function_with_another_name_is_none(registry: Registry, written: str) -> None:
    assert "constructor" not in [kind for kind, _, _ in _symbols(registry, written)]


def _symbols(registry: Registry, written: str) -> list[tuple[str, str, str | None]]:
    """Kind, name and container of each symbol, in which both readings of a file agree."""
    language = registry.languages["cpp"]
    parsed = parse(language, Text(written.encode()))
    found = [(each.kind, each.name, each.container) for each in summarize(parsed).symbols]
    definitions = FactsView(extract(parsed), language).definitions
    assert found == [(each.kind, each.name, each.container or None) for each in definitions]
    return found


def _write_example(folder: Path) -> str:
    """Write the files of the page's example into a folder, and return the outline it promises."""
    blocks = {
        token.info.split()[1]: token.content
        for token in MarkdownIt().parse(_PAGE.read_text("utf-8"))
        if token.type == "fence" and " " in token.info
    }
    outline = blocks.pop("outline")
    for name, content in blocks.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf-8")
    return outline
