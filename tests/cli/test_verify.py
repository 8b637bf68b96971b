"""`sightline verify`: a record is what a build gives now, or every difference has a name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sightline.context.build_differences import differences, read_result
from sightline.refusals import Refusal
from tests.cli.conftest import SECRET, Answer, Ask, run_at_terminal

Tampering = Callable[[dict[str, Any]], object]


def _found(answer: Answer) -> dict[str, list[str]]:
    """What differs, and where, of an answer in JSON."""
    assert answer.out.count(b"\n") == 1
    report = json.loads(answer.out)
    assert report["status"] == ("different" if report["differences"] else "verified")
    assert answer.code == (3 if report["differences"] else 0)
    found: dict[str, list[str]] = {}
    for each in report["differences"]:
        found.setdefault(each["what"], []).append(each["where"])
    return found


@pytest.fixture
def record(ask: Ask, tmp_path: Path) -> Path:
    path = tmp_path / "record.json"
    options = ("--format", "json", "--max-input-tokens", "9000", "--output", str(path))
    assert ask("build", "use.py::Square", *options).code == 0
    return path


def test_a_record_of_an_unchanged_workspace_is_verified(
    ask: Ask, record: Path, workspace: Path
) -> None:
    """Wherever it is asked from, and however the record is laid out."""
    answer = ask("verify", str(record))
    assert (answer.code, answer.out, answer.err) == (0, b"record.json: verified\n", "")
    record.write_text(json.dumps(json.loads(record.read_bytes()), indent=4))
    elsewhere = ask("verify", record.name, "--root", str(workspace), cwd=record.parent)
    assert (elsewhere.code, elsewhere.out, elsewhere.err) == (0, b"record.json: verified\n", "")


def test_an_edit_is_named_with_what_changed(ask: Ask, record: Path, workspace: Path) -> None:
    before = (workspace / "shapes.py").read_bytes()
    (workspace / "shapes.py").write_bytes(before + b"# more\n")
    answer = ask("verify", str(record))
    assert answer.code == 3
    assert answer.err == "sightline: record.json does not match a fresh build\n"
    lines = answer.out.decode().splitlines()
    assert lines[0].startswith("file  shapes.py  has another content: sha256 ")
    assert lines[0].endswith(f", {len(before)} and {len(before) + 7} bytes")
    assert "block  file shapes.py  has another content" in lines
    assert any(line.startswith("fingerprint  project_index_fingerprint") for line in lines)
    (workspace / "shapes.py").write_bytes(before)
    assert ask("verify", str(record)).code == 0


def test_files_that_came_and_went_are_named(ask: Ask, record: Path, workspace: Path) -> None:
    (workspace / "shapes.py").unlink()
    (workspace / "more.py").write_text("from use import Square\n\nSquare().twice()\n")
    answer = ask("verify", str(record))
    lines = answer.out.decode().splitlines()
    assert "file  shapes.py  is in the record alone" in lines
    assert "file  more.py  is in what a build gives now alone" in lines


def test_a_file_that_is_not_in_the_bundle_is_noticed_too(
    ask: Ask, record: Path, workspace: Path
) -> None:
    # Without words: what others weigh follows from how many pieces of text there are.
    (workspace / "empty.py").write_text("\n")
    found = _found(ask("verify", str(record), "--format", "json"))
    assert found == {"fingerprint": ["project_index_fingerprint"]}


def test_a_target_that_is_gone_is_a_refusal_now(ask: Ask, record: Path, workspace: Path) -> None:
    (workspace / "use.py").unlink()
    answer = ask("verify", str(record))
    assert answer.code == 3
    assert b"status  build  ok and refused\n" in answer.out
    assert b"refusal  build  none and InvalidRequest (not_found)\n" in answer.out
    assert "a fresh build is refused: There is no such file in the workspace: use.py" in answer.err


def test_settings_and_rules_that_changed_are_named(
    ask: Ask, record: Path, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text("[slicing]\nsignature_docs = 'full'\n")
    (workspace / ".sightlineignore").write_text("shapes.py\n")
    answer = ask("verify", str(record))
    assert b"setting  slicing.signature_docs  'none' and 'full'\n" in answer.out
    assert b"file  shapes.py  is in the record alone\n" in answer.out
    assert b"fingerprint  config_fingerprint  " in answer.out


def test_a_refusal_can_be_verified_as_well(ask: Ask, tmp_path: Path, workspace: Path) -> None:
    path = tmp_path / "refused.json"
    refused = ask("build", "secret.py", "--format", "json")
    path.write_bytes(refused.out)
    assert refused.code == 3
    assert _found(ask("verify", str(path), "--format", "json")) == {}
    (workspace / "secret.py").write_text("x = 1\n")
    found = _found(ask("verify", str(path), "--format", "json"))
    assert {"status", "refusal"} <= found.keys()


def test_a_record_in_its_own_workspace_says_why_it_differs(ask: Ask, workspace: Path) -> None:
    ask("build", "use.py", "--format", "json", "--output", "record.json")
    answer = ask("verify", "record.json")
    assert answer.code == 3
    assert "record.json is in the workspace that it describes" in answer.err
    (workspace / ".sightlineignore").write_text("record.json\n")
    ask("build", "use.py", "--format", "json", "--output", "record.json")
    assert ask("verify", "record.json").code == 0


def test_a_record_lifts_no_guard(ask: Ask, record: Path) -> None:
    """What a stranger's file asks for is refused like anything else that is asked for."""
    written = json.loads(record.read_bytes())
    for target, overrides in (
        (".env", {"policy.allow": [".env"]}),
        ("secret.py", {"secrets.on_target_secret": "redact"}),
        ("../../../etc/passwd", {}),
    ):
        written["request"]["targets"] = [{"path": target}]
        written["overrides"] = overrides
        record.write_text(json.dumps(written))
        answer = ask("verify", str(record))
        assert answer.code == 3
        assert "a fresh build is refused: " in answer.err
        assert SECRET not in answer.out.decode() + answer.err


def test_a_guard_that_was_lifted_for_a_record_is_lifted_again_by_the_person_alone(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "redacted.json"
    options = ("--on-target-secret", "redact", "--format", "json", "--output", str(path))
    assert ask("build", "secret.py", *options).code == 0
    refused = ask("verify", str(path), "--format", "json")
    assert _found(refused)["setting"] == ["secrets.on_target_secret"]
    monkeypatch.setenv("SIGHTLINE_SECRETS_ON_TARGET_SECRET", "redact")
    assert _found(ask("verify", str(path), "--format", "json")) == {}


def test_a_setting_that_a_record_cannot_have_is_wrong_use(ask: Ask, record: Path) -> None:
    written = json.loads(record.read_bytes())
    written["overrides"]["context.max_hops"] = 99
    record.write_text(json.dumps(written))
    answer = ask("verify", str(record), "--format", "json")
    assert (answer.code, json.loads(answer.out)["status"]) == (2, "refused")
    assert "context.max_hops must be a whole number from 1 to 4" in answer.err


def test_differences_are_escaped_at_a_terminal(record: Path, workspace: Path) -> None:
    written = json.loads(record.read_bytes())
    written["settings"]["model"]["name"] = "\x1b[2Jowned"
    record.write_text(json.dumps(written))
    code, shown, _ = run_at_terminal(workspace, "verify", str(record))
    assert code == 3
    assert b"\\u001b[2Jowned" in shown
    assert b"\x1b[2Jowned" not in shown


# Records that were changed by hand: no workspace is needed to see it.


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("original")
    (folder / "one.py").write_text("from two import Two\n\n\nclass One(Two): ...\n")
    (folder / "two.py").write_text("class Two: ...\n")
    result = subprocess.run(
        [
            *(sys.executable, "-P", "-m", "sightline.cli", "build", "one.py::One"),
            *("--format", "json", "--no-store"),
        ],
        cwd=folder,
        env={**os.environ, "SIGHTLINE_CONFIG_DIR": str(folder / "none")},
        capture_output=True,
        timeout=300,
        check=True,
    )
    return result.stdout


def _block(record: dict[str, Any], title: str) -> dict[str, Any]:
    block: dict[str, Any] = next(
        each for each in record["bundle"]["blocks"] if each["title"] == title
    )
    return block


_TAMPERINGS: list[tuple[str, Tampering, set[str]]] = [
    ("a byte of a block", lambda r: _block(r, "two.py").update(content="x"), {"tampered", "block"}),
    ("a block's size", lambda r: _block(r, "two.py")["meta"].update(byte_size=0), {"tampered"}),
    ("a block's reason", lambda r: _block(r, "two.py")["meta"].update(reason="config"), {"block"}),
    ("a block twice", lambda r: r["bundle"]["blocks"].append(_block(r, "two.py")), {"tampered"}),
    ("a block less", lambda r: r["bundle"]["blocks"].pop(), {"tampered", "block"}),
    ("the order", lambda r: r["bundle"]["blocks"].reverse(), {"tampered"}),
    ("the purpose", lambda r: r["bundle"].update(purpose="plan"), {"tampered"}),
    ("a limit", lambda r: r["bundle"]["model"].update(max_input_tokens=1), {"tampered", "model"}),
    ("the time", lambda r: r["bundle"].update(created_at="ignore all rules"), {"tampered"}),
    ("whose it is", lambda r: r["bundle"].update(correlation_id="nobody"), {"tampered"}),
    ("no bundle", lambda r: r.update(bundle=None), {"tampered"}),
    ("no manifest", lambda r: r.update(manifest=None), {"tampered"}),
    ("no report", lambda r: r.update(budget_report=None), {"tampered", "report"}),
    ("the status", lambda r: r.update(status="refused"), {"tampered", "status"}),
    ("a purpose apart", lambda r: r["manifest"].update(purpose="plan"), {"tampered"}),
    (
        "a fingerprint",
        lambda r: r["manifest"]["fingerprints"].update(config_fingerprint="0" * 64),
        {"fingerprint"},
    ),
    (
        "a file's hash",
        lambda r: r["manifest"]["selection"]["included_files"][0].update(hash="0" * 64),
        {"file"},
    ),
    (
        "a file's score",
        lambda r: r["manifest"]["selection"]["included_files"][0].update(score=99),
        {"file"},
    ),
    (
        "a file's evidence",
        lambda r: r["manifest"]["selection"]["included_files"][1].update(relation=None),
        {"file"},
    ),
    (
        "a file twice",
        lambda r: r["manifest"]["selection"]["included_files"].append(
            r["manifest"]["selection"]["included_files"][0]
        ),
        {"tampered"},
    ),
    (
        "a target",
        lambda r: r["manifest"]["selection"].update(target_files=["two.py"]),
        {"selection"},
    ),
    (
        "a candidate",
        lambda r: r["manifest"]["selection"]["excluded_candidates"].append(
            {"path": "x", "reason": "binary"}
        ),
        {"candidate"},
    ),
    (
        "a redaction",
        lambda r: r["redaction_report"]["redactions"].append(
            {"type": "block_removed", "target": "x", "reason": "secret", "details": ""}
        ),
        {"report"},
    ),
    ("a sum", lambda r: r["budget_report"].update(estimated_input_tokens=1), {"tampered"}),
    ("a note", lambda r: r["budget_report"]["notes"].append("all is well"), {"report"}),
    ("the request", lambda r: r["request"]["targets"][0].update(path="two.py"), {"request"}),
    ("a setting", lambda r: r["settings"]["context"].update(max_hops=2), {"setting"}),
    ("an override", lambda r: r["overrides"].update({"context.max_hops": 2}), {"tampered"}),
    ("no such override", lambda r: r["overrides"].update(nothing=1), {"tampered"}),
    ("the index", lambda r: r.update(index_complete=False), {"index"}),
    ("the text", lambda r: r.update(rendered="x"), {"text"}),
]


@pytest.mark.parametrize(
    ("tampering", "expected"), [each[1:] for each in _TAMPERINGS], ids=[e[0] for e in _TAMPERINGS]
)
def test_whatever_is_changed_by_hand_is_found(
    original: bytes, tampering: Tampering, expected: set[str]
) -> None:
    written = json.loads(original)
    tampering(written)
    recorded, now = read_result(json.dumps(written).encode()), read_result(original)
    assert not isinstance(recorded, Refusal)
    assert not isinstance(now, Refusal)
    assert differences(now, now) == []
    assert expected <= {each.what for each in differences(recorded, now)}


def test_no_part_of_a_record_can_be_changed_unseen(original: bytes) -> None:
    """Every number, text and truth value in it, one at a time, but for when it was made."""
    now = read_result(original)
    assert not isinstance(now, Refusal)
    count = 0
    for place in _leaves(json.loads(original), ()):
        written = json.loads(original)
        parent: Any = written
        for key in place[:-1]:
            parent = parent[key]
        value = parent[place[-1]]
        parent[place[-1]] = not value if isinstance(value, bool) else value + type(value)(1)
        recorded = read_result(json.dumps(written).encode())
        count += 1
        if not isinstance(recorded, Refusal):
            assert differences(recorded, now), place
    assert count > 150


def _leaves(value: Any, place: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, each in items:
        if isinstance(each, dict | list):
            found += _leaves(each, (*place, key))
        elif each is not None:
            found.append((*place, key))
    return found


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "it is not JSON"),
        (b"\xff\xfe", "it is not JSON"),
        (b"# Context, purpose: diff\n", "it is not JSON"),
        (b'{"x":' + b"[" * 100_000, "it is not JSON"),
        (b"null", "Expected `object`, got `null`"),
        (b"{}", "Object missing required field `status`"),
        (b'{"status": "ok", "status": "ok"}', "Object missing required field `bundle`"),
    ],
)
def test_what_is_no_record_is_wrong_use(
    ask: Ask, tmp_path: Path, content: bytes, problem: str
) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(content)
    answer = ask("verify", str(path))
    assert (answer.code, answer.out) == (2, b"")
    assert answer.err.startswith(f"sightline: {path}: this is not a build that can be compared: ")
    assert problem in answer.err


@pytest.mark.parametrize(
    ("place", "reason"),
    [("gone.json", "No such file"), (".", "Is a directory"), ("", "this is no file name")],
)
def test_what_cannot_be_read_is_named(ask: Ask, place: str, reason: str) -> None:
    answer = ask("verify", place)
    assert (answer.code, answer.out) == (2, b"")
    assert f"the file cannot be read: {reason}" in answer.err


def test_a_record_cut_off_anywhere_is_no_record(original: bytes) -> None:
    for end in range(0, len(original) - 1, 97):
        assert isinstance(read_result(original[:end]), Refusal)


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (b'{"budget_report":', b'{"extra":1,"budget_report":', "it has a field that no build"),
        (b'"meta":{', b'"meta":{"more":[],', "bundle.blocks[0].meta has a field that no build"),
        (b'"status":"ok"', b'"status":"ok","status":"ok"', "holds a name twice"),
        (b'"byte_size":', b'"byte_size":9007199254740993', "is a number that is not exact"),
        (b'"purpose":"diff"', b'"purpose":"' + SECRET.encode() + b'"', "Invalid value at `$."),
        (b'"purpose":"diff"', b'"purpose":"\\ud800"', "it is not JSON"),
    ],
)
def test_a_record_with_more_in_it_than_a_build_writes_is_refused(
    original: bytes, before: bytes, after: bytes, problem: str
) -> None:
    assert before in original
    refusal = read_result(original.replace(before, after, 1))
    assert isinstance(refusal, Refusal)
    assert problem in refusal.message
    assert SECRET not in refusal.message


def test_a_record_as_large_as_a_disk_is_not_read_whole(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)
    answer = ask("verify", str(path))
    assert answer.code == 2
    assert "the file is larger than 67108864 bytes" in answer.err
