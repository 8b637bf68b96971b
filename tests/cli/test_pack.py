"""`sightline pack` as a person runs it: types, formats, limits, parts, and wrong use."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest

from sightline.packs import PackSerializer
from tests.cli.conftest import SECRET, Ask

_DOCUMENT_FIELDS = {
    "full": ["type", "manifest", "file_index", "key_files", "contents", "metadata"],
    "summary": [
        "type",
        "manifest",
        "file_index",
        "repo_summary",
        "key_files_summary",
        "entrypoints",
        "risk_hotspots",
        "metadata",
    ],
}


def _pack(ask: Ask, *arguments: str) -> dict[str, Any]:
    answer = ask("pack", "--format", "json", *arguments)
    assert answer.code == 0, answer.err
    found: dict[str, Any] = json.loads(answer.out)
    return found


@pytest.mark.parametrize("form", ["full", "summary"])
def test_json_is_the_pack_of_the_document_with_its_record(ask: Ask, form: str) -> None:
    pack = _pack(ask, "--type", form, "--timestamp", "2026-01-01T00:00:00Z")
    assert list(pack) == [*_DOCUMENT_FIELDS[form], "context_pack_info"]
    assert pack["type"] == form
    assert pack["metadata"]["created_at"] == "2026-01-01T00:00:00Z"
    record = pack["context_pack_info"]
    assert list(record) == [
        "type",
        "selection_reason",
        "files_scanned",
        "files_included",
        "files_excluded",
        "exclusions_by_reason",
        "content_bytes",
        "truncated_files",
    ]
    assert record["type"] == form
    assert record["selection_reason"] == f"the type {form} was asked for"
    assert record["files_included"] + record["files_excluded"] == record["files_scanned"]
    assert record["exclusions_by_reason"]["credentials"] == 1
    assert record["exclusions_by_reason"]["binary"] == 1
    assert PackSerializer().deserialize(json.dumps(pack)).type == form


def test_auto_takes_a_summary_where_the_limits_are_short(ask: Ask) -> None:
    assert _pack(ask)["type"] == "full"
    pack = _pack(ask, "--max-files", "2")
    assert pack["type"] == "summary"
    assert pack["context_pack_info"]["selection_reason"] == "7 files exceed max_files, 2"
    pack = _pack(ask, "--provider-limit", "tiny=10")
    assert "the limit of tiny, 10" in pack["context_pack_info"]["selection_reason"]


def test_messagepack_is_the_same_pack(ask: Ask) -> None:
    answer = ask("pack", "--format", "msgpack")
    assert msgpack.unpackb(answer.out) == _pack(ask)


def test_no_form_has_a_secret_or_a_name_of_credentials(ask: Ask) -> None:
    for form in ("full", "summary", "map"):
        for written in ("json", "msgpack", "markdown", "xml"):
            answer = ask("pack", "--type", form, "--format", written)
            assert answer.code == 0
            assert SECRET.encode() not in answer.out
            assert b".env" not in answer.out


def test_markdown_has_a_tree_with_tokens_and_every_file(ask: Ask) -> None:
    text = ask("pack").out.decode()
    assert text.startswith("# Project pack: `shapes` (full)\n")
    assert re.search(r"^\./  \(7 files, [\d,]+ tokens\)$", text, re.M)
    assert re.search(r"^  a folder/  \(1 file, \d+ tokens\)$", text, re.M)
    assert re.search(r"^  shapes\.py  \(\d+ tokens\)$", text, re.M)
    assert "### `shapes.py` (" in text
    assert "class Shape:\n" in text


def test_xml_is_well_formed_and_gives_the_files_back(ask: Ask, workspace: Path) -> None:
    (workspace / "odd.py").write_text("a = '<&>\x01'\n" + "b = 1\n" * 50)
    root = ElementTree.fromstring(ask("pack", "--format", "xml").out)
    files = {each.get("path"): each.text for each in root.iter("file")}
    assert files["shapes.py"] == "\n" + (workspace / "shapes.py").read_text()
    assert files["odd.py"] == "\na = '<&>\\u{0001}'\n" + "b = 1\n" * 50
    assert root.findtext("context_pack_info/type") == "full"


def test_the_map_keeps_its_tokens(ask: Ask) -> None:
    pack = _pack(ask, "--type", "map", "--map-tokens", "1k")
    assert list(pack) == ["type", "map", "tokens", "max_tokens", "metadata", "context_pack_info"]
    assert pack["tokens"] <= pack["max_tokens"] == 1024
    assert "shapes.py:\nclass Shape:\n" in pack["map"]
    assert pack["metadata"]["symbols_shown"] > 0


def test_folders_files_and_globs_choose_what_is_packed(ask: Ask) -> None:
    def paths(*arguments: str) -> list[str]:
        return [each["path"] for each in _pack(ask, *arguments)["contents"]]

    assert paths("a folder") == ["a folder/ünï code.py"]
    assert paths("a folder", "use.py") == ["a folder/ünï code.py", "use.py"]
    assert paths("--include", "*.toml") == ["pyproject.toml"]
    assert paths("--include", "*.py", "--exclude", "a folder/", "--exclude", "[s-z]*.py") == [
        "empty.py",
        "other.py",
    ]
    pack = _pack(ask, "--exclude", "other.py")
    [left_out] = [each for each in pack["file_index"] if each["path"] == "other.py"]
    assert left_out["exclusion_reason"] == "pattern_match"


def test_a_folder_outside_every_repository_is_a_project(
    ask: Ask, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "main.py").write_text("x = 1\n")
    assert [each["path"] for each in _pack(ask, str(folder))["contents"]] == ["main.py"]


def test_parts_have_whole_files_and_keep_their_size(ask: Ask, tmp_path: Path) -> None:
    written = tmp_path / "out" / "pack.md"
    written.parent.mkdir()
    answer = ask("pack", "--output", str(written), "--split", "1k")
    assert (answer.code, answer.out) == (0, b"")
    parts = sorted(written.parent.iterdir())
    assert len(parts) > 1
    assert [each.name for each in parts] == [f"pack.{n}.md" for n in range(1, len(parts) + 1)]
    texts = [each.read_text() for each in parts]
    assert all(text.startswith("# Project pack: `shapes` (full)\n") for text in texts)
    assert sum("### `use.py` (" in text for text in texts) == 1
    assert all(text.count("```") % 2 == 0 for text in texts)


def test_the_same_project_gives_the_same_bytes(ask: Ask) -> None:
    for form in ("full", "summary", "map"):
        first, second = (ask("pack", "--type", form, "--format", "json").out for _ in range(2))
        assert first == second


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--type", "huge"], None),
        (["--format", "yaml"], None),
        (["missing"], "not_found"),
        ([".env"], "deny_rule"),
        (["--root", "shapes.py"], "invalid_root"),
        (["--include", "*.nothing"], "no_match"),
        (["--exclude", "*"], "no_match"),
        (["--include", "*a" * 12], "usage"),
        (["--max-content-bytes", "much"], None),
        (["--provider-limit", "openai"], None),
        (["--split", "1k"], "usage"),
        (["--map-tokens", "3k"], None),
    ],
)
def test_wrong_use_is_a_typed_answer(ask: Ask, arguments: list[str], reason: str | None) -> None:
    answer = ask("pack", "--format", "json", *arguments)
    assert answer.code in (2, 3)
    assert answer.err
    refusal = json.loads(answer.out)["refusal"]
    assert refusal["reason"] == (reason or "usage")


def test_a_folder_without_text_is_refused(ask: Ask, workspace: Path) -> None:
    (workspace / "binaries").mkdir()
    answer = ask("pack", "--format", "json", "--root", str(workspace / "binaries"))
    assert json.loads(answer.out)["refusal"]["reason"] == "nothing_to_pack"
    (workspace / "binaries" / "x.dat").write_bytes(b"\0\1\2")
    answer = ask("pack", "--format", "json", "--root", str(workspace / "binaries"))
    assert json.loads(answer.out)["refusal"]["reason"] == "nothing_to_pack"
    assert answer.code == 3
