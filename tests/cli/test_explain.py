"""`sightline explain PATH[:LINE] --for TARGET`: in, out, or not even looked at."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Ask


def test_a_file_that_is_in_says_why_how_and_on_what_evidence(ask: Ask) -> None:
    answer = ask("explain", "shapes.py", "--for", "use.py::Square")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.decode() == (
        "shapes.py  in the bundle for use.py::Square\n"
        "  P1  dependency, score 60, whole file\n"
        "      dependency Shape at use.py:1: from shapes import Shape\n"
        "      base Shape at use.py:4: class Square(Shape):\n"
    )


def test_the_same_for_a_program(ask: Ask) -> None:
    answer = ask("explain", "use.py:6", "--for", "shapes.py::Shape.area", "--format", "json")
    record = json.loads(answer.out)
    assert (record["status"], record["path"], record["symbol"]) == ("ok", "use.py", "Square.twice")
    assert record["index_complete"] is True
    candidate = record["candidate"]
    (block,) = candidate.pop("blocks")
    assert block.pop("tokens") > 0
    assert block == {"priority": "P2", "level": "FULL_FILE", "symbol": None}
    assert candidate == {
        "target": "shapes.py::Shape.area",
        "status": "included",
        "refusal": None,
        "priority": "P2",
        "level": "FULL_FILE",
        "reason": "caller",
        "score": 40,
        "rule": None,
        "rule_source": None,
        "relations": [
            {
                "kind": "caller",
                "confidence": "resolved",
                "hops": 1,
                "symbol": symbol,
                "evidence": {"path": "use.py", "line": line, "name": "area"},
                "shared": [],
            }
            for symbol, line in (("Square.twice", 6), ("total", 10))
        ],
        "line": {"number": 6, "status": "shown"},
    }


def test_a_file_that_is_out_names_the_rule_and_where_it_stands(ask: Ask) -> None:
    """In the smallest budget that works, only the target itself is left."""
    refused = ask("explain", "shapes.py", "--for", "use.py", "--max-input-tokens", "4001")
    found = re.search(r"the smallest workable budget is (\d+) input tokens", refused.err)
    assert found is not None
    options = ("--for", "use.py", "--max-input-tokens", found[1])
    answer = ask("explain", "shapes.py", *options)
    assert answer.code == 0
    assert answer.out.startswith(b"shapes.py  out of the bundle for use.py\n  token_budget, score")
    assert b", from budget]\n" in answer.out
    record = json.loads(ask("explain", "shapes.py", *options, "--format", "json").out)
    candidate = record["candidate"]
    assert (candidate["status"], candidate["reason"], candidate["rule_source"]) == (
        "excluded",
        "token_budget",
        "budget",
    )


def test_a_file_that_is_only_similar_says_which_words_it_shares(ask: Ask) -> None:
    answer = ask("explain", "other.py", "--for", "use.py")
    assert answer.code == 0
    assert answer.out.decode().splitlines() == [
        "other.py  in the bundle for use.py",
        "  P3  similar, score 0, whole file",
        "      similar: shares area, int",
    ]


def test_a_file_that_nothing_leads_to_is_no_candidate(ask: Ask, workspace: Path) -> None:
    (workspace / "bare.py").write_text("zebra = 1\n")
    answer = ask("explain", "bare.py", "--for", "use.py")
    assert (answer.code, answer.out) == (
        0,
        b"bare.py  not a candidate: nothing relates it to use.py\n",
    )
    record = json.loads(ask("explain", "bare.py", "--for", "use.py", "--format", "json").out)
    assert record["candidate"]["status"] == "not_a_candidate"


@pytest.mark.parametrize(
    ("line", "status"), [(2, "signatures"), (160, "shown"), (161, "shown"), (162, "signatures")]
)
def test_a_line_of_a_target_is_in_a_region_or_among_signatures(
    ask: Ask, workspace: Path, monkeypatch: pytest.MonkeyPatch, line: int, status: str
) -> None:
    """A target that does not fit whole is cut to its region, the rest to signatures."""
    monkeypatch.setenv("SIGHTLINE_BUDGET_ESTIMATOR", "chars4-1")
    long = "".join(f"def f{number}():\n    return '{'x' * 99}'\n\n\n" for number in range(40))
    (workspace / "long.py").write_text(long[:-1] + "def wanted():\n    return 0\nlast = 1\n")
    target = ("--for", "long.py::wanted", "--format", "json", "--max-input-tokens", "4800")
    record = json.loads(ask("explain", f"long.py:{line}", *target).out)
    assert [each["level"] for each in record["candidate"]["blocks"]] == [
        "TARGET_REGION_ONLY",
        "SIGNATURES_ONLY",
    ]
    assert record["candidate"]["line"] == {"number": line, "status": status}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((".env", "--for", "use.py"), 3, "[rule **/*.env, from default:credentials]"),
        (("shapes.py:99", "--for", "use.py"), 2, "it has no line 99; its last line is 3"),
        (("gone.py", "--for", "use.py"), 2, "no such file in the workspace: gone.py"),
        (("shapes.py", "--for", "gone.py"), 2, "no such file in the workspace: gone.py"),
        (("shapes.py", "--for", ""), 3, "The path is empty"),
        (("shapes.py", "--for", "use.py::x"), 2, "there is no symbol 'x' in it"),
        (("shapes.py", "--for", "secret.py"), 3, "looks like a secret"),
        (("shapes.py", "--for", "use.py", "--max-input-tokens", "4001"), 3, "smallest workable"),
        (("shapes.py", "--for", "use.py", "--hops", "9"), 2, "from 1 to 4"),
        (("shapes.py", "--max-input-tokens", "9000"), 2, "--max-input-tokens needs --for"),
    ],
)
def test_what_cannot_be_explained_is_refused(
    ask: Ask, arguments: tuple[str, ...], code: int, message: str
) -> None:
    answer = ask("explain", *arguments, "--format", "json")
    record = json.loads(answer.out)
    refused = record.get("candidate") or record
    assert (answer.code, refused["status"]) == (code, "refused")
    assert refused["refusal"]["message"] in answer.err
    assert message in answer.err
    assert answer.err.count("\n") == 1


def test_a_rule_of_the_workspace_is_named_with_its_place(ask: Ask, workspace: Path) -> None:
    (workspace / ".sightlineignore").write_text("# mine\nshapes.py\n")
    answer = ask("explain", "shapes.py", "--for", "use.py")
    assert answer.code == 3
    assert "[rule shapes.py, from .sightlineignore:2]" in answer.err


def test_a_symbol_is_explained_by_its_name(ask: Ask) -> None:
    by_name = ask("explain", "use.py::Square.twice")
    assert by_name.code == 0
    assert by_name.out == ask("explain", "use.py:5").out
    assert by_name.out.startswith(b"Square.twice  method  use.py:5\n")


def test_a_symbol_that_is_not_there_is_refused(ask: Ask) -> None:
    answer = ask("explain", "use.py::nobody")
    assert answer.code == 2
    assert "there is no symbol 'nobody' in it" in answer.err


def test_from_elsewhere_a_path_is_one_of_the_workspace_that_is_named(
    ask: Ask, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    asked = ("--root", str(workspace), "--format", "json")
    found = ask("explain", "use.py", *asked, cwd=tmp_path / "elsewhere")
    assert json.loads(found.out)["path"] == "use.py"
    missing = ask("explain", "nope.py::x", *asked, cwd=tmp_path / "elsewhere")
    assert json.loads(missing.out)["refusal"]["reason"] == "not_found"
