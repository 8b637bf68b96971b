"""Reports of tools and issues, as the tools themselves print them.

The files in `outputs` are what the tools printed about a few lines of made-up code, or are written
by hand after their form: those of Maven, of gcc and javac in other languages, of LSP, of an unknown
tool, and of linters and test runners of languages whose tools are large.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sightline.recipes import GitHubIssue, ValidationOutput, read_check_output, read_issue
from sightline.refusals import Refusal

_OUTPUTS = Path(__file__).parent / "outputs"
_GOLDEN = _OUTPUTS / "expected" / "errors.json"
_NAMES = sorted(each.name for each in _OUTPUTS.iterdir() if each.is_file())


def _read(report: str | bytes) -> ValidationOutput:
    found = read_check_output(report)
    assert isinstance(found, ValidationOutput)
    return found


def _rows(report: str | bytes) -> list[str]:
    [stage] = _read(report).stages
    return [
        f"{each.file}:{each.line}:{each.column} {each.severity} [{each.code}] {each.message}"
        for each in stage.errors
    ]


def test_every_tool_is_read(request: pytest.FixtureRequest) -> None:
    found = {}
    for name in _NAMES:
        report = (_OUTPUTS / name).read_bytes()
        found[name] = {"tool": _read(report).stages[0].stage_name, "errors": _rows(report)}
    written = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    if request.config.getoption("--update-golden"):
        _GOLDEN.parent.mkdir(exist_ok=True)
        _GOLDEN.write_text(written, "utf-8")
    assert _GOLDEN.read_text("utf-8") == written


@pytest.mark.parametrize(
    ("text", "tool"), [("ruff.json", "ruff.jsonl"), ("mypy_col.txt", "mypy.jsonl")]
)
def test_two_forms_of_one_report_say_the_same(text: str, tool: str) -> None:
    one, other = ((_OUTPUTS / name).read_bytes() for name in (text, tool))
    assert _rows(one) == _rows(other)


@pytest.mark.parametrize("name", _NAMES)
def test_line_ends_colours_and_a_mark_in_front_change_nothing(name: str) -> None:
    report = (_OUTPUTS / name).read_text("utf-8")
    if not report.startswith(("{", "[{", "<", "[\n")):
        report = report.replace("\n", "\r\n")
    assert _rows("\ufeff" + report) == _rows((_OUTPUTS / name).read_bytes())


def test_a_line_in_front_of_json_is_passed_over() -> None:
    report = (_OUTPUTS / "eslint.json").read_text("utf-8")
    assert _rows("npm warn something\n" + report) == _rows(report)


@pytest.mark.parametrize(
    "report",
    ["", "  \n", "[]", "All checks passed!\n", "Success: no issues found in 2 source files",
     "3 passed in 0.12s", '{"runs": []}', '{"generalDiagnostics": []}', "<testsuites/>"],
)  # fmt: skip
def test_a_report_without_complaints_is_a_success(report: str) -> None:
    found = _read(report)
    assert found.success
    assert found.stages[0].errors == ()


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        ("Segmentation fault (core dumped)", "no_places"),
        ('{"some": "thing"}', "no_places"),
        ("<html><body>404</body></html>", "no_places"),
        ("<?xml version='1.0'?><note/>", "malformed_report"),
        ("<testsuites><testcase>", "malformed_report"),
        ("\0\1\2", "no_places"),
        ("[" * 100_000, "no_places"),
        ("x" * ((16 << 20) + 1), "too_large"),
    ],
    ids=["words", "other-json", "html", "other-xml", "cut-xml", "binary", "nested", "long"],
)
def test_what_names_no_place_is_one_clear_error(report: str, reason: str) -> None:
    found = read_check_output(report)
    assert isinstance(found, Refusal)
    assert found.reason == reason
    assert len(found.sentence()) < 300


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><testsuites>&c;</testsuites>'
    for report in (bomb, '<?xml version="1.0"?>' + bomb, "<!-- x -->" + bomb):
        found = read_check_output(report)
        assert isinstance(found, Refusal)
        assert "DOCTYPE" in found.message


@pytest.mark.parametrize(
    "line",
    [
        "127.0.0.1:8080: refused",
        "12:30:45: started",
        "Listening on localhost:80: ready",
        "see https://example.org/a.py:3: nothing",
        "C:3: x",
    ],
)
def test_what_is_no_place_is_not_taken_for_one(line: str) -> None:
    found = read_check_output(line)
    assert isinstance(found, Refusal), found


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (r"C:\shop\app.c(3,4): error C2065: 'x': undeclared identifier", (r"C:\shop\app.c", 3)),
        (r"C:\shop\app.c:3:4: error: 'x' undeclared", (r"C:\shop\app.c", 3)),
        ("my shop/app.c:3:4: error: x", ("my shop/app.c", 3)),
        ("Makefile:3: *** missing separator.  Stop.", ("Makefile", 3)),
        ("src/größe.py:3: error: x", ("src/größe.py", 3)),
    ],
)
def test_paths_of_all_kinds(line: str, place: tuple[str, int]) -> None:
    [error] = _read(line).stages[0].errors
    assert (error.file, error.line) == place


def test_errors_are_bounded_and_distinct() -> None:
    assert len(_read("a.c:1:1: error: x\n" * 10).stages[0].errors) == 1
    many = "".join(f"a.c:{number}:1: error: x\n" for number in range(1, 10_000))
    assert len(_read(many).stages[0].errors) == 2_000


_REST = {
    "url": "https://api.github.com/repos/a/b/issues/7",
    "html_url": "https://github.com/a/b/issues/7",
    "number": 7,
    "title": "Wrong sum",
    "body": "In `src/app.py`.",
    "labels": [{"id": 1, "name": "bug"}],
    "state": "open",
    "assignees": [{"login": "ada"}],
}


def test_issues_of_both_kinds_are_the_same() -> None:
    shown = {**_REST, "state": "OPEN", "url": _REST["html_url"]}
    del shown["html_url"]
    expected = GitHubIssue(
        7,
        "Wrong sum",
        "In `src/app.py`.",
        ("bug",),
        "open",
        ("ada",),
        "https://github.com/a/b/issues/7",
    )
    assert read_issue(json.dumps(_REST)) == read_issue(json.dumps([shown])) == expected


def test_an_issue_may_lack_a_body_or_be_words() -> None:
    assert read_issue('{"title": "T", "body": null}') == GitHubIssue(0, "T")
    assert read_issue("# Wrong sum\n\nIn `src/app.py`.\n") == GitHubIssue(
        0, "Wrong sum", "In `src/app.py`."
    )


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"body": "x"}', "[" * 100_000, "x" * (5 << 20)]
)
def test_what_is_no_issue_is_one_clear_error(text: str) -> None:
    found = read_issue(text)
    assert isinstance(found, Refusal) or not text.startswith("{")
    if text != "[" * 100_000:
        assert isinstance(found, Refusal)
        assert found.reason == "malformed_issue"


def test_failures_without_a_place_are_no_success() -> None:
    """Two tests that passed do not make up for one that failed."""
    for report in ("1 failed, 2 passed in 0.1s", "2 passed, 1 error in 0.1s", "FAILED x\n3 passed"):
        assert isinstance(read_check_output(report), Refusal)
    [error] = _read("FAILED tests/test_a.py::test_b[1] - ValueError: bad\n").stages[0].errors
    assert (error.file, error.line, error.message) == (
        "tests/test_a.py", 0, "test_b[1]: ValueError: bad"
    )  # fmt: skip


def test_a_bracket_behind_another_line_is_no_code_of_an_error() -> None:
    [error] = _read("a.c:3:1: error: bad\n  int x;\n[warn]\n").stages[0].errors
    assert (error.message, error.code) == ("bad", None)
