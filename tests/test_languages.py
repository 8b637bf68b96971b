"""Language folders: what is found, what is refused, and that a new one needs no Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sightline.languages import (
    LANGUAGE_PATH_VARIABLE,
    LanguageError,
    Registry,
    load_language,
    load_registry,
)
from sightline.languages.tags import KINDS
from sightline.workers import ParseAnswer, ParseRequest, ParseTask, Workers

_JULIA_TOML = """\
title = "Julia"

[grammar]
module = "tree_sitter_julia"

[files]
extensions = [".jl"]

[comments]
line = "#"
doc = "^#"

[signatures]
body = ""
value = "nothing"
blocks = ["source_file"]
"""

_JULIA_TAGS = """\
(function_definition
  (signature
    (call_expression
      (identifier) @name))) @definition.function

(struct_definition
  (type_head
    (identifier) @name)) @definition.struct

(line_comment) @comment
"""

_JULIA_SOURCE = b"""\
# Area of a shape.
function area(shape)
    shape.width * shape.height
end

struct Point
    x
    y
end
"""


def test_all_seventeen_languages_load_and_their_queries_are_valid(registry: Registry) -> None:
    expected = {
        *("bash", "c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "lua", "php"),
        *("python", "ruby", "rust", "scala", "swift", "tsx", "typescript"),
    }
    assert set(registry.languages) == expected
    for language in registry.languages.values():
        kinds = {pattern.kind for pattern in language.tags.patterns if pattern.kind in KINDS}
        assert "function" in kinds or "method" in kinds, language.name


def test_an_eighteenth_language_is_a_folder_and_no_python(tmp_path: Path) -> None:
    """Julia, added from a temporary folder, is outlined by an unchanged worker."""
    folder = _julia(tmp_path)
    registry = load_registry([tmp_path])
    assert len(registry.languages) == 18
    assert registry.for_path("shapes.jl", _JULIA_SOURCE) is not None
    with Workers(1, language_folders=[folder.parent]) as workers:
        answer = workers.ask(ParseRequest(ParseTask.SUMMARIZE, "julia", _JULIA_SOURCE))
    assert isinstance(answer, ParseAnswer)
    found = [
        (each.kind, each.name, each.start_line, each.end_line) for each in answer.summary.symbols
    ]
    assert found == [("function", "area", 1, 4), ("struct", "Point", 6, 9)]


def test_the_command_line_takes_a_language_folder_of_the_users_own(tmp_path: Path) -> None:
    folder = _julia(tmp_path / "languages")
    (tmp_path / "shapes.jl").write_bytes(_JULIA_SOURCE)
    result = subprocess.run(
        [sys.executable, "-P", "-m", "sightline.cli", "outline", "shapes.jl", "--format", "json"],
        cwd=tmp_path,
        env={**os.environ, LANGUAGE_PATH_VARIABLE: str(folder.parent)},
        capture_output=True,
        check=True,
    )
    record = json.loads(result.stdout)
    assert record["language"] == "julia"
    assert [symbol["name"] for symbol in record["symbols"]] == ["area", "Point"]


@pytest.mark.parametrize(
    ("old", "new", "line", "fault"),
    [
        ("(struct_definition", "(strukt_definition", 6, "strukt_definition"),
        ("@definition.struct", "@definition.strukt", 8, "definition.strukt"),
        ("(line_comment) @comment", "(line_comment) @remark", 10, "@remark"),
        ("(line_comment) @comment", "((line_comment) @comment (#loud? @comment))", 10, "#loud?"),
        ("(line_comment) @comment", '((line_comment) @comment (#set! volume "1"))', 10, "volume"),
        ("(line_comment) @comment", "(line_comment) @comment @decorator", 10, "one main capture"),
        ("(line_comment) @comment", "(line_comment) @definition.macro", 10, "@name"),
        ("(line_comment) @comment", "(line_comment", 10, ""),
        ("(line_comment) @comment", "(line_comment text: (_)) @comment", 10, "text"),
    ],
)
def test_a_faulty_query_is_an_error_that_names_file_and_line(
    tmp_path: Path, old: str, new: str, line: int, fault: str
) -> None:
    folder = _julia(tmp_path)
    file = folder / "tags.scm"
    file.write_text(_JULIA_TAGS.replace(old, new))
    with pytest.raises(LanguageError) as caught:
        _ = load_language(folder).tags
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "line", "fault"),
    [
        ('blocks = ["source_file"]', 'blocks = ["sauce_file"]', 16, "sauce_file"),
        ('title = "Julia"', "title = 7", 1, "must be a string"),
        ('doc = "^#"', 'doc = "(#"', 11, "regular expression"),
        ('extensions = [".jl"]', 'extensions = ".jl"', 7, "list of strings"),
        ('value = "nothing"', 'value = "nothing"\ncolour = "red"', 16, "not a known key"),
        ("[signatures]", '[syntax]\nread_as = ["a", "b"]\n[signatures]', 14, "list of pairs"),
        ("[signatures]", '[syntax]\nread_as = [["(", "b"]]\n[signatures]', 14, "regular exp"),
        ("[signatures]", '[syntax]\nread_as = [["(a)(b)", "c"]]\n[signatures]', 14, "one group"),
        ("[signatures]", "[syntax]\njoining_brackets = 1\n[signatures]", 14, "table of strings"),
        ("[signatures]", '[symbols]\nconstant = "("\n[signatures]', 14, "regular expression"),
        ("[signatures]", '[modules]\nscheme = "files!"\n[signatures]', 14, "one of none, files"),
        ("[signatures]", "[modules]\nimports_all = 1\n[signatures]", 14, "true or false"),
        ("[signatures]", '[colours]\nred = "1"\n[signatures]', 13, "colours is not a known key"),
        ('line = "#"\n', "", 1, "comments.line must be a string"),
    ],
)
def test_a_faulty_description_is_an_error_that_names_file_and_line(
    tmp_path: Path, old: str, new: str, line: int, fault: str
) -> None:
    folder = _julia(tmp_path)
    file = folder / "language.toml"
    file.write_text(_JULIA_TOML.replace(old, new))
    with pytest.raises(LanguageError) as caught:
        _ = load_language(folder).tags
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert fault in str(caught.value)


def test_a_language_may_extend_another(tmp_path: Path) -> None:
    """What it does not say itself is as in the other, and its patterns are added."""
    _julia(tmp_path)
    folder = tmp_path / "pluto"
    folder.mkdir()
    (folder / "language.toml").write_text(
        'title = "Pluto"\nextends = "julia"\n[files]\nextensions = [".pluto"]\n'
    )
    file = folder / "tags.scm"
    file.write_text("; One more.\n\n(macro_definition) @local\n")
    language = load_language(folder)
    assert language.files.extensions == (".pluto",)
    assert language.comments.line == "#"
    assert len(language.tags.patterns) == 4
    file.write_text("; One more.\n\n(makro_definition) @local\n")
    with pytest.raises(LanguageError) as caught:
        _ = load_language(folder).tags
    assert str(caught.value) == f"{file}:3: Invalid node type: makro_definition"


def test_each_reading_compiles_and_checks_what_it_needs(tmp_path: Path) -> None:
    """A fault in a pattern for uses is found by the index, and its line is the one written."""
    folder = _julia(tmp_path)
    file = folder / "tags.scm"
    file.write_text(f"{_JULIA_TAGS}\n(kall_expression) @reference.call\n")
    language = load_language(folder)
    assert len(language.tags.patterns) == 4
    with pytest.raises(LanguageError) as caught:
        _ = language.index_tags
    line = _JULIA_TAGS.count("\n") + 2
    assert str(caught.value) == f"{file}:{line}: Invalid node type: kall_expression"


def test_a_language_that_extends_nothing_known_is_an_error(tmp_path: Path) -> None:
    folder = _julia(tmp_path)
    file = folder / "language.toml"
    file.write_text('title = "Julia"\nextends = "jules"\n')
    with pytest.raises(LanguageError) as caught:
        load_language(folder)
    assert str(caught.value) == f"{file}:2: extends no known language: 'jules'"


def test_a_grammar_that_is_not_installed_is_an_error_that_says_so(tmp_path: Path) -> None:
    folder = _julia(tmp_path)
    file = folder / "language.toml"
    file.write_text(_JULIA_TOML.replace("tree_sitter_julia", "tree_sitter_nowhere"))
    with pytest.raises(LanguageError, match="tree_sitter_nowhere"):
        _ = load_language(folder).grammar


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("a/b.py", b"", "python"),
        ("stub.pyi", b"", "python"),
        ("view.tsx", b"", "tsx"),
        ("view.ts", b"", "typescript"),
        ("view.jsx", b"", "javascript"),
        ("main.go", b"", "go"),
        ("UPPER.PY", b"", "python"),
        ("a.h", b"int f(void);\n", "c"),
        ("a.h", b"namespace a {\nclass B {\n public:\n  int c();\n};\n}\n", "cpp"),
        ("a.hpp", b"", "cpp"),
        ("run", b"#!/usr/bin/env python3\n", "python"),
        ("run", b"#!/bin/bash -e\n", "bash"),
        ("run", b"#!/usr/bin/env -S bash -e\n", "bash"),
        ("run", b"#!/usr/bin/perl\n", None),
        ("Gemfile", b"", "ruby"),
        ("notes.txt", b"#!/bin/bash\n", None),
        ("Makefile", b"all:\n", None),
        ("", b"", None),
    ],
)
def test_a_files_language(registry: Registry, path: str, data: bytes, expected: str | None) -> None:
    language = registry.for_path(path, data)
    assert (language.name if language else None) == expected


def _julia(parent: Path) -> Path:
    folder = parent / "julia"
    folder.mkdir(parents=True)
    (folder / "language.toml").write_text(_JULIA_TOML)
    (folder / "tags.scm").write_text(_JULIA_TAGS)
    return folder
