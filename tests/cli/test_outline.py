"""`sightline outline`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run

_SOURCE = b"""\
class Caf\xc3\xa9:
    @property
    def size(
        self,
    ) -> int:
        return 1
"""


def test_json_has_every_field_of_the_protocol(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cafe.py").write_bytes(_SOURCE)
    result = run("outline", "cafe.py", "--format", "json")
    assert (result.returncode, result.stderr) == (0, b"")
    assert json.loads(result.stdout) == {
        "status": "ok",
        "refusal": None,
        "path": "cafe.py",
        "language": "python",
        "language_title": "Python",
        "parse_clean": True,
        "first_error_line": None,
        "line_count": 6,
        "redactions": [],
        "weak_redactions": [],
        "symbols": [
            {
                "name": "Café",
                "qualified_name": "Café",
                "kind": "class",
                "container": None,
                "start_line": 1,
                "name_line": 1,
                "end_line": 6,
                "body": {"start_line": 2, "end_line": 6},
                "signature": "class Café:",
                "reliable": True,
                "depth": 0,
            },
            {
                "name": "size",
                "qualified_name": "Café.size",
                "kind": "method",
                "container": "Café",
                "start_line": 2,
                "name_line": 3,
                "end_line": 6,
                "body": {"start_line": 6, "end_line": 6},
                "signature": "def size(\n        self,\n    ) -> int:",
                "reliable": True,
                "depth": 1,
            },
        ],
    }


def test_text_is_aligned_and_plain_where_nobody_watches(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cafe.py").write_bytes(_SOURCE)
    result = run("outline", "cafe.py")
    assert result.stdout.decode() == (
        "cafe.py  Python, 6 lines, 2 symbols\n"
        "  1-6  class   Café    class Café:\n"
        "  2-6  method    size  def size( self, ) -> int:\n"
    )


def test_several_paths_give_one_line_each_in_the_order_given(run: Run, tmp_path: Path) -> None:
    names = [f"m{number:02}.py" for number in range(20)]
    for name in names:
        (tmp_path / name).write_text(f"def {name[:-3]}(): pass\n")
    (tmp_path / "notes.txt").write_text("no language\n")
    (tmp_path / ".env").write_text("KEY=1\n")
    order = [*reversed(names[:10]), "missing.py", "notes.txt", ".env", *names[10:]]
    result = run("outline", *order, "--format", "json")
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [record["path"] for record in records] == order
    assert result.returncode == 3
    assert [record["refusal"]["reason"] for record in records if record["refusal"]] == [
        "not_found",
        "unsupported_language",
        "deny_rule",
    ]


def test_a_broken_file_is_outlined_and_what_the_error_touches_is_marked(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("def good(): pass\n\ndef bad():\n    return 1 +* 2\n")
    result = run("outline", "a.py")
    lines = result.stdout.decode().splitlines()
    assert result.returncode == 0
    assert "has syntax errors, the first on line 4" in lines[1]
    assert lines[2].startswith("  ")
    assert lines[3].startswith("! ")
    record = json.loads(run("outline", "a.py", "--format", "json").stdout)
    assert record["parse_clean"] is False


def test_output_does_not_depend_on_hash_seed_locale_or_time_zone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cafe.py").write_bytes(_SOURCE * 20)
    outputs = {
        run(
            "outline", "cafe.py", "--format", "json", PYTHONHASHSEED=seed, LC_ALL=locale, TZ=zone
        ).stdout
        for seed, locale, zone in [
            ("0", "C", "UTC"),
            ("1", "C.UTF-8", "Asia/Tokyo"),
            ("7", "POSIX", ""),
        ]
    }
    assert len(outputs) == 1


def test_encodings_and_line_ends(run: Run, tmp_path: Path) -> None:
    """UTF-16, a byte order mark and CRLF change nothing about lines and names."""
    text = "class Café:\r\n    x = 1\r\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        (tmp_path / "cafe.py").write_bytes(text.encode(encoding))
        record = json.loads(run("outline", "cafe.py", "--format", "json").stdout)
        found = [(each["name"], each["start_line"], each["end_line"]) for each in record["symbols"]]
        assert found == [("Café", 1, 2), ("x", 2, 2)], encoding


def test_no_code_is_taken_from_the_folder_it_runs_in(run: Run, tmp_path: Path) -> None:
    """A hostile workspace cannot put a module in the way of ours."""
    for name in ("attrs.py", "tree_sitter.py", "msgspec.py", "json.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('taken over')\n")
    (tmp_path / "a.py").write_text("x = 1\n")
    result = run("outline", "a.py", "--format", "json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["symbols"][0]["name"] == "x"
