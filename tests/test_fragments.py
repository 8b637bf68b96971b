"""Named parts of queries: how they are put together, and that a fault is named where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.languages import LanguageError, load_language
from sightline.languages.fragments import expand

_TOML = """\
title = "Julia"
extends = ["shared"]

[grammar]
module = "tree_sitter_julia"

[files]
extensions = [".jl"]

[comments]
line = "#"

[signatures]
body = ""
value = "nothing"
"""


@pytest.mark.parametrize(
    ("written", "expanded"),
    [
        ("(define.a (b) @name) (c (use.a))", "(c (b) @name)"),
        ("(define.a name: (b) (d)? !e) (c (use.a))", "(c name: (b) (d)? !e)"),
        ("(define.a (b)) (c name: (use.a)* @name)", "(c name: (b)* @name)"),
        ("(define.a (b) @d) (c (use.a)?)", "(c ((b) @d)?)"),
        ("(define.a (b) (d)) (c (use.a)*)", "(c ((b) (d))*)"),
        ("(define.a (b) (d)) (c [(use.a)] @name)", "(c [(b) (d)] @name)"),
        ("(define.a (b) (d)) (use.a)", "(b) (d)"),
        ("(define.a (b (argument.1) @e)) (use.a (c) @d)", "(b (c) @d @e)"),
        ("(define.a (b (argument.2) (argument.1))) (use.a x: (c)? [(d)])", "(b [(d)] x: (c)?)"),
        (
            "(define.a (b (use.d (argument.1)))) (define.d (e (argument.1))) (use.a (c))",
            "(b (e (c)))",
        ),
        ("(use.a) (define.a (b) . (c)) ; defined below", "(b) . (c)"),
        ("(define.a [(b) (c)]) [(use.a) (d [(use.a)])]", "[(b) (c) (d [(b) (c)])]"),
        ("(define.a [(b) @e (c)]) (f [x: (use.a) @d])", "(f [x: (b) @e @d x: (c) @d])"),
        ('(define.a (#eq? @b "(use.a)")) ((c) @b (use.a))', '((c) @b (#eq? @b "(use.a)"))'),
    ],
)
def test_a_use_is_replaced_by_its_part(tmp_path: Path, written: str, expanded: str) -> None:
    file = tmp_path / "tags.scm"
    file.write_text(written)
    plain = tmp_path / "plain.scm"
    plain.write_text(expanded)
    assert expand([file]).source == expand([plain]).source


def test_a_later_file_defines_a_part_anew_for_the_patterns_before_it(tmp_path: Path) -> None:
    """Late binding: what is inherited uses the language's own part."""
    base, own, plain = tmp_path / "base.scm", tmp_path / "own.scm", tmp_path / "plain.scm"
    base.write_text("(define.name (identifier) @name) (function (use.name))")
    own.write_text("(define.name (word) @name)")
    plain.write_text("(function (word) @name)")
    assert expand([base, own]).source == expand([plain]).source


@pytest.mark.parametrize(
    ("written", "line", "fault"),
    [
        ("(define.a (b))\n(c\n(use.d))", 3, "no part is called 'd'"),
        ("(define.a\n(use.b))\n(define.b\n(use.a))\n(use.a)", 4, "uses itself: a → b → a"),
        ("(define.a\n(use.a))\n(use.a)", 2, "uses itself: a → a"),
        ("(define.a (argument.1))\n\n(use.a)", 3, "'a' takes 1 arguments, not 0"),
        ("(define.a (b))\n(use.a\n(c))", 2, "'a' takes 0 arguments, not 1"),
        ("(define.a (b (argument.1) (argument.2)))\n(use.a (c))", 2, "takes 2 arguments, not 1"),
        ("(define.a [(b)])\n(c [\n(use.a)?])", 1, "cannot be repeated (used at "),
        ("(define.a\n(argument.3))\n(use.a)", 2, "2 arguments at most"),
        ("(define.a\n(argument.x))\n(use.a)", 2, "2 arguments at most"),
        ("\n(define.a (argument.2))\n(use.a (b) (c))", 2, "no use for its first argument"),
        ("(define.a (argument.1 (b)))\n(use.a (c))", 1, "'argument.1' takes nothing"),
        ("(a\n(argument.1))", 2, "'argument.1' stands in no part"),
        ("(a)\n(define.b (c))", 2, "'b' is defined and never used"),
        ("(define.a (b))\n(define.a (c))\n(use.a)", 2, "'a' is defined twice"),
        ("(a\n(define.b (c)))", 2, "'define.b' does not stand at the top of its file"),
        ("(a)\n(define.b)\n(use.b)", 2, "'b' is defined as nothing"),
        ("(define.a (b) (c))\n(d name: (use.a))", 2, "no field fits them all"),
        ("(define.a (b) (c))\n(d (use.a) @name)", 2, "no capture fits them all"),
        ("(a [([\n(c) (d)]) (b)])", 1, "a list stands in a group"),
        ("(a [((b)\n[(c) (d)]) (e)])", 2, "a list stands in a group"),
        ("(a)\n(b", 2, "'(' is never closed"),
        ("(a)\n(b])", 2, "']' closes nothing"),
        ("(a)\n(b %)", 2, "unexpected character '%'"),
    ],
)
def test_a_fault_of_a_part_names_file_and_line(
    tmp_path: Path, written: str, line: int, fault: str
) -> None:
    file = tmp_path / "tags.scm"
    file.write_text(written)
    with pytest.raises(ValueError, match=r"tags\.scm") as caught:
        expand([file])
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "line", "fault"),
    [
        ("(signature", "(signatur", 3, "Invalid node type: signatur"),
        ("(signature", "(signature\n text: (_)", 4, "Invalid field name: text"),
        ("@name", "@nam", 5, "unknown capture '@nam'"),
        (
            "(identifier) @name",
            "(identifier) @name\n(#loud? @name)",
            6,
            "unknown predicate '#loud?'",
        ),
        ("(identifier) @name", "(line_comment) @name\n(source_file)", 6, "Impossible pattern"),
    ],
)
def test_a_fault_in_a_shared_part_names_its_file_and_line_and_the_use(
    tmp_path: Path, old: str, new: str, line: int, fault: str
) -> None:
    """The grammar knows the expansion alone; the fault is where it was written."""
    part = (
        "; Parts.\n"
        "(define.named_signature\n  (signature\n    (call_expression\n      (identifier) @name)))\n"
    )
    folder = _folder(tmp_path, part.replace(old, new))
    tags = folder / "tags.scm"
    tags.write_text("\n(function_definition\n  (use.named_signature)) @definition.function\n")
    with pytest.raises(LanguageError) as caught:
        _ = load_language(folder).tags
    file = tmp_path / "shared" / "fragments.scm"
    assert str(caught.value).startswith(f"{file}:{line}: {fault}")
    assert str(caught.value).endswith(f" (used at {tags}:3)")


def test_a_pattern_without_a_role_is_named_where_it_is_used(tmp_path: Path) -> None:
    folder = _folder(tmp_path, "(define.remark\n  (line_comment))")
    tags = folder / "tags.scm"
    tags.write_text("\n(use.remark)")
    with pytest.raises(LanguageError) as caught:
        _ = load_language(folder).patterns
    file = tmp_path / "shared" / "fragments.scm"
    assert str(caught.value) == (
        f"{file}:2: a pattern needs exactly one main capture, and has none (used at {tags}:2)"
    )


def test_a_folder_of_parts_holds_no_patterns(tmp_path: Path) -> None:
    folder = _folder(tmp_path, "(define.remark (line_comment))\n(line_comment) @comment")
    (folder / "tags.scm").write_text("(use.remark) @comment")
    with pytest.raises(LanguageError, match=r"fragments.scm:2: a pattern stands where only parts"):
        _ = load_language(folder).tags


def _folder(parent: Path, parts: str) -> Path:
    """A language that shares parts with others."""
    (parent / "shared").mkdir()
    (parent / "shared" / "fragments.scm").write_text(parts)
    folder = parent / "julia"
    folder.mkdir()
    (folder / "language.toml").write_text(_TOML)
    return folder
