"""The rules of document 003 as tables: fields, values, defaults, patterns and limits."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from sightline.engine.host import open_host
from sightline.engine.packs import PackRequest, build_project_pack
from sightline.packs import PackConstraints, SnapshotScanner, TruncationConfig, model, truncate
from sightline.packs.full_pack import PackLimits, build_full_pack
from sightline.packs.snapshotting import (
    MOST_EXCLUDED,
    MOST_FILES,
    LeftOut,
    ListedFile,
    make_snapshot,
)
from tests.packs.plain_source import PlainSource

_FIELDS = {
    "ProjectSnapshot": "root_path scan_timestamp directory_tree total_files total_directories"
    " total_size_bytes files excluded_files exclusion_stats",
    "DirectoryNode": "name path children",
    "FileNode": "name path size_bytes type",
    "FileMetadata": "path relative_path name extension size_bytes type category is_key_file"
    " content_extractable",
    "ExcludedFile": "path reason",
    "ExclusionStats": "by_pattern by_size by_binary by_credentials",
    "FullPack": "type manifest file_index key_files contents metadata",
    "Manifest": "project_name project_type purpose_guess structure_summary dependencies"
    " entry_points build_system test_framework members",
    "Dependency": "name version type",
    "FileIndexEntry": "path type category size_bytes included exclusion_reason",
    "KeyFile": "path category importance content truncated",
    "FileContent": "path content truncated original_size_bytes",
    "PackMetadata": "pack_type created_at source_root total_files_scanned files_included"
    " files_excluded total_content_bytes truncation_applied encoding_issues redactions",
    "SummaryPack": "type manifest file_index repo_summary key_files_summary entrypoints"
    " risk_hotspots metadata",
    "RepoSummary": "description architecture_pattern key_technologies notable_patterns"
    " potential_concerns",
    "KeyFileSummary": "path category summary exports dependencies notable_code",
    "EntrypointSummary": "path type description routes_or_commands",
    "RiskHotspot": "path risk_type description indicators",
    "PackConstraints": "max_content_bytes max_files prefer_summary provider_limits",
    "TruncationConfig": "max_file_bytes max_total_bytes preserve_head_lines preserve_tail_lines"
    " truncation_marker",
    "EncodingConfig": "default_encoding fallback_encodings on_decode_error",
    "TransparencyRecord": "type selection_reason files_scanned files_included files_excluded"
    " exclusions_by_reason content_bytes truncated_files",
    "ExclusionsByReason": "credentials binary size pattern",
}
"""With the optional fields that the document does not have: members, issues and redactions."""


@pytest.mark.parametrize("name", _FIELDS)
def test_types_have_the_fields_of_the_document(name: str) -> None:
    assert list(getattr(model, name).__struct_fields__) == _FIELDS[name].split()


def test_enumerations_have_the_values_of_the_document() -> None:
    assert get_args(model.FileType) == ("text", "binary", "image", "data", "unknown")
    assert get_args(model.FileCategory) == (
        *("config", "entrypoint", "auth", "api", "database", "test", "documentation", "build"),
        *("dependency", "source", "other"),
    )
    assert get_args(model.ExclusionReason) == (
        *("credentials", "binary", "size_limit", "pattern_match", "dependency_dir"),
        *("build_output", "cache"),
    )
    assert get_args(model.DependencyType) == ("runtime", "dev", "peer")
    assert get_args(model.Importance) == ("critical", "high", "medium")
    assert get_args(model.EntrypointType) == ("cli", "web", "api", "library", "script")
    assert get_args(model.RiskType) == ("security", "performance", "complexity", "coupling")
    assert get_args(model.PackType) == ("full", "summary")


def test_defaults_are_those_of_the_document() -> None:
    assert msgspec.to_builtins(model.PackConstraints()) == {
        "max_content_bytes": 500_000,
        "max_files": 200,
        "prefer_summary": False,
        "provider_limits": {},
    }
    assert msgspec.to_builtins(TruncationConfig()) == {
        "max_file_bytes": 50_000,
        "max_total_bytes": 500_000,
        "preserve_head_lines": 100,
        "preserve_tail_lines": 50,
        "truncation_marker": "\n... [truncated] ...\n",
    }
    limits = msgspec.json.decode(msgspec.json.encode(model.KeyFileLimits()))
    assert limits == {
        "max_per_category": 5,
        "max_total": 25,
        "max_content_per_file_bytes": 50_000,
        "prioritize_by": ["category_importance", "file_size", "path_depth"],
    }
    encoding = msgspec.json.decode(msgspec.json.encode(model.EncodingConfig()))
    assert encoding == {
        "default_encoding": "utf-8",
        "fallback_encodings": ["utf-16", "latin-1"],
        "on_decode_error": "skip",
    }


_PATTERNS = {
    "credentials": "a.pem a.key a.crt a.p12 .env .env.local credentials.json secrets.yaml"
    " my_secret.txt my_token.txt a.keystore",
    "dependency_dir": "node_modules/a.js vendor/a.go .venv/a.py venv/a.py env/a.py"
    " __pypackages__/a.py web/node_modules/a.js",
    "build_output": "dist/a.js build/a.js out/a.js target/a.rs .next/a.js .nuxt/a.js coverage/a",
    "cache": ".cache/a __pycache__/a.pyc a.pyc .pytest_cache/a .eslintcache .tsbuildinfo",
    "pattern_match": "dump.sql a.db a.sqlite3 a.log logs/a.txt .git/config .svn/a .hg/a",
    "binary": "a.exe a.dll a.so a.dylib a.wasm a.png a.jpg a.jpeg a.gif a.ico a.svg a.mp4 a.mp3"
    " a.pdf a.zip a.tar a.tar.xz a.gz",
}


@pytest.mark.parametrize("reason", _PATTERNS)
def test_every_default_pattern_excludes_with_its_reason(tmp_path: Path, reason: str) -> None:
    (tmp_path / "kept.py").write_text("x = 1\n")
    paths = _PATTERNS[reason].split()
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("plain text\n")
    snapshot = SnapshotScanner().scan(tmp_path)
    assert [each.path for each in snapshot.files] == ["kept.py"]
    found = {each.path: each.reason for each in snapshot.excluded_files}
    if reason == "credentials":
        assert found == {}
        assert snapshot.exclusion_stats.by_credentials == len(paths)
        return
    tops = {path if "/" not in path else path.partition("/")[0] + "/" for path in paths}
    # A folder is one exclusion, wherever in it the rule begins to hold.
    tops = {"web/node_modules/" if top == "web/" else top for top in tops}
    assert found == dict.fromkeys(sorted(tops), reason)


def test_a_caller_includes_and_excludes_by_patterns(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "lib/c.py", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n")
    scanner = SnapshotScanner(include=["*.py"], exclude=["lib/", "b.*"])
    snapshot = scanner.scan(tmp_path)
    assert [each.path for each in snapshot.files] == ["a.py"]
    assert {each.path: each.reason for each in snapshot.excluded_files} == {
        "b.py": "pattern_match",
        "lib/c.py": "pattern_match",
    }


@pytest.mark.parametrize(
    "pattern", ["src/{kept,other}.py", "./src/kept.py", "src\\kept.py", "{ROOT}/src/kept.py"]
)
def test_patterns_are_read_in_every_usual_spelling(tmp_path: Path, pattern: str) -> None:
    for path in ("src/kept.py", "src/left.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("x = 1\n")
    written = pattern.replace("{ROOT}", str(tmp_path))
    included = SnapshotScanner(include=[written]).scan(tmp_path)
    assert [each.path for each in included.files] == ["src/kept.py"]
    excluded = SnapshotScanner(exclude=[written]).scan(tmp_path)
    assert [each.path for each in excluded.files] == ["src/left.py"]


def test_what_is_code_comes_before_what_is_about_it() -> None:
    """Where content is short: key files, code, configuration, documents, tests."""
    texts = {
        "docs/a.md": "words " * 100,
        "src/engine.py": "value = 1\n" * 60,
        "src/main.py": "print(1)\n" * 66,
        "tests/test_engine.py": "assert 1\n" * 66,
    }
    files = [ListedFile(path, len(text)) for path, text in texts.items()]
    limits = PackLimits(PackConstraints(max_content_bytes=1_200))
    pack = build_full_pack(make_snapshot(files, ()), PlainSource(texts), limits)
    assert [each.path for each in pack.contents] == ["src/engine.py", "src/main.py"]


def test_a_cut_text_keeps_its_limit() -> None:
    config = TruncationConfig(max_file_bytes=1_000)
    lines = "".join(f"{number} {'é' * 20}\n" for number in range(500))
    for text in (lines, "x" * 5_000, "é" * 5_000, "a\r\n" * 4_000, "x" * 4_000 + "\n" + "y"):
        cut, is_cut = truncate(text, config)
        assert is_cut
        assert len(cut.encode()) <= 1_000
        assert config.truncation_marker in cut
    assert truncate("x" * 1_000, config) == ("x" * 1_000, False)
    assert truncate("x" * 100, config, 10) == ("x" * 10, True)


def test_a_listing_of_a_million_files_is_bounded() -> None:
    """Files and exclusions come one by one: what is kept of them has a limit."""
    files = (ListedFile(f"d{number // 1000:04}/f{number:07}.py", 10) for number in range(1_000_000))
    left_out = (LeftOut(f"x{number:07}.log", "pattern_match") for number in range(1_000_000))
    tracemalloc.start()
    snapshot = make_snapshot(files, left_out)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (snapshot.total_files, snapshot.total_directories) == (1_000_000, 1_000)
    assert snapshot.total_size_bytes == 10_000_000
    assert (len(snapshot.files), len(snapshot.excluded_files)) == (MOST_FILES, MOST_EXCLUDED)
    assert snapshot.exclusion_stats.by_pattern == 1_000_000
    assert peak < 100_000_000


def test_the_record_says_what_a_pack_was_made_from(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("x = 1\n" * 20_000)
    (tmp_path / "a.py").write_text("y = 1\n")
    (tmp_path / ".env").write_text("A=1\n")
    (tmp_path / "logo.png").write_bytes(b"x")
    (tmp_path / "a.log").write_text("x\n")
    (tmp_path / "big.txt").write_text("x" * (4 * 1024 * 1024 + 1))
    host = open_host(tmp_path, keeps_index=False)
    with host:  # type: ignore[union-attr]
        result = build_project_pack(host, PackRequest())  # type: ignore[arg-type]
    assert result.pack["context_pack_info"] == {
        "type": "full",
        "selection_reason": "2 files with 120006 bytes of content are within the limits",
        "files_scanned": 6,
        "files_included": 2,
        "files_excluded": 4,
        "exclusions_by_reason": {"credentials": 1, "binary": 1, "size": 1, "pattern": 1},
        "content_bytes": result.pack["metadata"]["total_content_bytes"],
        "truncated_files": 1,
    }
