"""The document's classes, on projects on the disk: scan, select, build, serialize."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import msgpack  # type: ignore[import-untyped]
import pytest

import sightline.packs
from sightline.packs import (
    FullPackBuilder,
    KeyFileDetector,
    PackError,
    PackFormatError,
    PackSelector,
    PackSerializer,
    ProjectSnapshot,
    SnapshotScanner,
    SummaryPackBuilder,
    normalize_path,
    normalizePath,
)
from sightline.packs.model import ExcludedFile, PackConstraints

_TIME = "2026-01-02T03:04:05Z"
_TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def _write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return _write(
        tmp_path / "shop",
        {
            "package.json": json.dumps(
                {
                    "name": "shop",
                    "description": "Sells things",
                    "main": "src/index.js",
                    "dependencies": {"express": "^4.18.0"},
                    "devDependencies": {"jest": "29"},
                    "peerDependencies": {"react": ">=18"},
                    "scripts": {"test": "jest"},
                }
            ),
            "src/index.js": "const express = require('express')\nconst app = express()\n"
            "app.get('/items', list)\nfunction list(req, res) { res.json([]) }\n",
            "src/auth.js": f"const token = '{_TOKEN}'\nfunction login() {{}}\n",
            "src/userModel.js": "class User {}\n",
            "tests/app.test.js": "test('x', () => {})\n",
            "README.md": "# Shop\n\nSells things.\n",
            ".env": "PASSWORD=hunter2hunter2\n",
            "certs/server.pem": "x\n",
            "node_modules/express/index.js": "module.exports = 1\n",
            "dist/bundle.js": "x\n",
            ".cache/x": "x\n",
            "dump.sql": "select 1;\n",
            "logo.png": b"\x89PNG\r\n\x1a\n0000",
            "blob.xyz": b"\x00\x01\x02\x03" * 50,
            "big.txt": "x" * (4 * 1024 * 1024 + 1),
            ".councilignore": "private/\n",
            ".sightlineignore": "*.draft\n",
            "private/plan.txt": "plan\n",
            "notes.draft": "draft\n",
        },
    )


def _scan(root: Path) -> ProjectSnapshot:
    return SnapshotScanner(timestamp=_TIME).scan(str(root))


def test_a_snapshot_lists_what_may_be_shown_and_counts_the_rest(project: Path) -> None:
    snapshot = _scan(project)
    assert snapshot.root_path == "."
    assert snapshot.scan_timestamp == _TIME
    assert [each.path for each in snapshot.files] == [
        ".councilignore",
        ".sightlineignore",
        "README.md",
        "package.json",
        "src/auth.js",
        "src/index.js",
        "src/userModel.js",
        "tests/app.test.js",
    ]
    assert snapshot.total_files == 8
    assert snapshot.total_directories == 2
    assert snapshot.total_size_bytes == sum(each.size_bytes for each in snapshot.files)
    assert {each.path: each.reason for each in snapshot.excluded_files} == {
        ".cache/": "cache",
        "big.txt": "size_limit",
        "blob.xyz": "binary",
        "dist/": "build_output",
        "dump.sql": "pattern_match",
        "logo.png": "binary",
        "node_modules/": "dependency_dir",
        "notes.draft": "pattern_match",
        "private/": "pattern_match",
    }
    stats = snapshot.exclusion_stats
    assert (stats.by_credentials, stats.by_binary, stats.by_size, stats.by_pattern) == (2, 2, 1, 6)


def test_the_tree_has_folders_and_files_in_order(project: Path) -> None:
    tree = _scan(project).directory_tree
    assert (tree.name, tree.path) == (".", ".")
    assert [each.name for each in tree.children] == [
        ".councilignore",
        ".sightlineignore",
        "README.md",
        "package.json",
        "src",
        "tests",
    ]
    source: Any = tree.children[4]
    assert [(each.path, each.type) for each in source.children] == [
        ("src/auth.js", "text"),
        ("src/index.js", "text"),
        ("src/userModel.js", "text"),
    ]


def test_a_file_has_the_fields_of_the_document(project: Path) -> None:
    files = {each.path: each for each in _scan(project).files}
    index = files["src/index.js"]
    assert (index.relative_path, index.name, index.extension) == (
        "src/index.js",
        "index.js",
        ".js",
    )
    assert (index.category, index.is_key_file, index.content_extractable) == (
        "entrypoint",
        True,
        True,
    )
    assert {path: each.category for path, each in files.items()} == {
        ".councilignore": "config",
        ".sightlineignore": "config",
        "README.md": "documentation",
        "package.json": "config",
        "src/auth.js": "auth",
        "src/index.js": "entrypoint",
        "src/userModel.js": "database",
        "tests/app.test.js": "test",
    }


def test_selection_follows_the_steps_in_their_order() -> None:
    def snapshot(size: int, count: int) -> dict[str, Any]:
        return {"total_files": count, "total_size_bytes": size, "files": []}

    select = PackSelector().select
    assert select(snapshot(10, 1), {"prefer_summary": True}) == "summary"
    assert select(snapshot(500_000, 200)) == "full"
    assert select(snapshot(500_001, 1)) == "summary"
    assert select(snapshot(10, 201)) == "summary"
    assert select(snapshot(11, 1), {"max_content_bytes": 10}) == "summary"
    assert select(snapshot(10, 3), SimpleNamespace(max_files=2)) == "summary"
    assert select(snapshot(900, 3), {"provider_limits": {"a": 1_000, "b": 800}}) == "summary"
    assert select(snapshot(900, 3), PackConstraints(provider_limits={"a": 1_000})) == "full"
    reason = PackSelector().explain(snapshot(900, 3), {"provider_limits": {"b": 800}}).reason
    assert reason == "900 bytes of content exceed the limit of b, 800"


def test_a_full_pack_has_everything_of_the_document(project: Path) -> None:
    snapshot = _scan(project)
    pack = FullPackBuilder().build(snapshot, {"max_content_bytes": 500_000, "max_files": 200})
    assert pack.type == "full"
    manifest = pack.manifest
    assert (manifest.project_name, manifest.project_type) == ("shop", "node")
    assert manifest.purpose_guess == "Sells things (the description in package.json)"
    assert [(each.name, each.version, each.type) for each in manifest.dependencies] == [
        ("express", "^4.18.0", "runtime"),
        ("react", ">=18", "peer"),
        ("jest", "29", "dev"),
    ]
    assert manifest.entry_points == ["src/index.js"]
    assert (manifest.build_system, manifest.test_framework) == ("npm", "jest")
    assert [each.path for each in pack.contents] == [each.path for each in snapshot.files]
    assert [(each.path, each.importance) for each in pack.key_files] == [
        ("src/index.js", "critical"),
        ("package.json", "critical"),
        ("src/userModel.js", "high"),
        ("src/auth.js", "high"),
    ]
    metadata = pack.metadata
    assert (metadata.pack_type, metadata.created_at, metadata.source_root) == ("full", _TIME, ".")
    assert metadata.total_files_scanned == 8 + 11
    assert (metadata.files_included, metadata.files_excluded) == (8, 11)
    assert metadata.total_content_bytes == sum(len(each.content.encode()) for each in pack.contents)
    assert metadata.truncation_applied is False
    index = {each.path: each for each in pack.file_index}
    assert index["src/index.js"].included
    assert index["src/index.js"].exclusion_reason is None
    assert index["node_modules/"].exclusion_reason == "dependency_dir"
    assert index["logo.png"].type == "image"


def test_no_secret_and_no_name_of_credentials_is_in_a_pack(project: Path) -> None:
    snapshot = _scan(project)
    for pack in (FullPackBuilder().build(snapshot), SummaryPackBuilder().build(snapshot)):
        written = PackSerializer().serialize(pack)
        assert isinstance(written, str)
        assert _TOKEN not in written
        assert "hunter2" not in written
        assert ".env" not in written
        assert "server.pem" not in written
    assert FullPackBuilder().build(snapshot).metadata.redactions == {"vendor": 1}


def test_a_summary_pack_has_everything_of_the_document(project: Path) -> None:
    pack = SummaryPackBuilder().build(_scan(project), {"prefer_summary": True})
    assert pack.type == "summary"
    assert pack.manifest.project_name == "shop"
    assert pack.file_index
    assert pack.repo_summary.description.startswith("shop is a node project.")
    assert pack.repo_summary.architecture_pattern
    assert "Express" in pack.repo_summary.key_technologies
    [web] = [each for each in pack.entrypoints if each.path == "src/index.js"]
    assert (web.type, web.routes_or_commands) == ("api", ["GET /items"])
    [model] = [each for each in pack.key_files_summary if each.path == "src/userModel.js"]
    assert (model.category, model.exports, model.notable_code) == (
        "database",
        ["User"],
        ["class User"],
    )
    assert pack.metadata.pack_type == "summary"
    assert pack.metadata.files_included + pack.metadata.files_excluded == 19


def test_both_forms_are_read_back_as_they_were(project: Path) -> None:
    snapshot = _scan(project)
    for pack in (FullPackBuilder().build(snapshot), SummaryPackBuilder().build(snapshot)):
        text = PackSerializer().serialize(pack)
        assert isinstance(text, str)
        assert PackSerializer().deserialize(text) == pack
        packer = PackSerializer("msgpack")
        data = packer.serialize(pack)
        assert isinstance(data, bytes)
        assert packer.deserialize(data) == pack
        # Readers that we did not write.
        assert msgpack.unpackb(data) == json.loads(text)
        assert json.loads(text)["type"] == pack.type


def test_a_form_may_have_the_name_of_the_document(project: Path) -> None:
    pack = FullPackBuilder().build(_scan(project))
    for name in ("MessagePack", "messagepack", "MSGPACK"):
        packer = PackSerializer(name)
        assert packer.deserialize(packer.serialize(pack)) == pack
    assert isinstance(PackSerializer("JSON").serialize(pack), str)


def test_words_of_the_document_are_types() -> None:
    assert set(get_args(sightline.packs.FileType)) == {
        *("text", "binary", "image", "data", "unknown")
    }
    assert len(get_args(sightline.packs.FileCategory)) == 11
    assert len(get_args(sightline.packs.ExclusionReason)) == 7
    assert get_args(sightline.packs.PackType) == ("full", "summary")


def test_what_is_no_pack_is_refused() -> None:
    for data in ("", "{", "[]", "{}", '{"type": "other"}', '{"type": "full"}', "[" * 100_000):
        with pytest.raises(PackFormatError):
            PackSerializer().deserialize(data)
    with pytest.raises(PackFormatError):
        PackSerializer("msgpack").deserialize(b"\xc1")
    with pytest.raises(PackFormatError):
        PackSerializer("yaml")


def test_values_are_read_by_name_in_both_ways(project: Path) -> None:
    pack = FullPackBuilder().build(_scan(project))
    assert pack["manifest"]["project_name"] == pack.manifest.project_name
    [entry] = [each for each in pack.file_index if each.path == "README.md"]
    assert "exclusion_reason" not in entry
    assert entry.get("exclusion_reason", "none") == "none"
    assert dict(pack.metadata)["pack_type"] == "full"
    with pytest.raises(KeyError):
        pack["no_such_field"]


def test_long_files_keep_their_first_and_last_lines(tmp_path: Path) -> None:
    lines = [f"line {number} {'x' * 200}\n" for number in range(400)]
    root = _write(tmp_path / "p", {"long.py": "".join(lines), "app.py": "a = 1\n"})
    snapshot = _scan(root)
    pack = FullPackBuilder().build(snapshot)
    [cut] = [each for each in pack.contents if each.path == "long.py"]
    assert cut.truncated
    assert cut.original_size_bytes == len("".join(lines))
    assert cut.content == (
        "".join(lines[:100]).removesuffix("\n") + "\n... [truncated] ...\n" + "".join(lines[-50:])
    )
    assert pack.metadata.truncation_applied
    own = {"preserve_head_lines": 2, "preserve_tail_lines": 1, "truncation_marker": "\n~\n"}
    pack = FullPackBuilder(truncation=own).build(snapshot)
    [cut] = [each for each in pack.contents if each.path == "long.py"]
    assert cut.content == lines[0] + lines[1].removesuffix("\n") + "\n~\n" + lines[-1]


def test_all_content_together_keeps_its_limit(tmp_path: Path) -> None:
    files = {f"m{number}.py": f"# {number}\n" + "y = 1\n" * 500 for number in range(10)}
    root = _write(tmp_path / "p", {**files, "main.py": "z = 1\n" * 300})
    pack = FullPackBuilder().build(_scan(root), {"max_content_bytes": 10_000})
    assert 9_000 < pack.metadata.total_content_bytes <= 10_000
    assert "main.py" in [each.path for each in pack.contents]
    reasons = [each.exclusion_reason for each in pack.file_index if not each.included]
    assert reasons
    assert set(reasons) == {"size_limit"}
    assert pack.metadata.truncation_applied


def test_key_files_keep_their_limits(tmp_path: Path) -> None:
    names = [f"auth_{number}.py" for number in range(8)]
    files = {name: "x" * (100 - number) for number, name in enumerate(names)}
    found = KeyFileDetector().detect(_scan(_write(tmp_path / "p", files)))
    # Smaller files are preferred, then those that stand higher up.
    assert [each.path for each in found] == [f"auth_{number}.py" for number in (7, 6, 5, 4, 3)]
    many = [f"{name}{number}.ts" for name in ("auth", "api", "model") for number in range(9)]
    many += [f"{folder}/main.py" for folder in "abcdefg"] + [f"{f}/package.json" for f in "abcdefg"]
    assert len(KeyFileDetector().detect(many)) == 25
    assert len(KeyFileDetector({"max_total": 3}).detect(many)) == 3
    large = _write(tmp_path / "q", {"main.py": "a = 1\n" * 20_000})
    pack = FullPackBuilder().build(_scan(large))
    assert pack.key_files[0].truncated
    assert len(pack.key_files[0].content.encode()) <= 50_000


@pytest.mark.parametrize(
    ("path", "category", "importance"),
    [
        ("package.json", "config", "critical"),
        ("tsconfig.json", "config", "critical"),
        ("pyproject.toml", "config", "critical"),
        ("src/main.rs", "entrypoint", "critical"),
        ("index.js", "entrypoint", "critical"),
        ("app.py", "entrypoint", "critical"),
        ("server.ts", "entrypoint", "critical"),
        ("lib/auth.ts", "auth", "high"),
        ("login.js", "auth", "high"),
        ("user_session.py", "auth", "high"),
        ("jwtHelper.js", "auth", "high"),
        ("userRoutes.js", "api", "high"),
        ("UserController.java", "api", "high"),
        ("handler.go", "api", "high"),
        ("rest_api.py", "api", "high"),
        ("models.py", "database", "high"),
        ("schema.ts", "database", "high"),
        ("001_migration.py", "database", "high"),
        ("permissions.py", "auth", "high"),
        ("rbac.go", "auth", "high"),
        ("acl.rb", "auth", "high"),
        ("routes/users.js", "api", "medium"),
        ("tests/test_auth.py", "test", None),
        ("docs/auth.md", "documentation", None),
        ("src/tool.py", "source", None),
        ("data.bin", "other", None),
    ],
)
def test_key_files_by_their_names(path: str, category: str, importance: str | None) -> None:
    detector = KeyFileDetector()
    assert (detector.category(path), detector.importance(path)) == (category, importance)
    assert detector.is_key_file(path) is (importance is not None)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("src\\app\\main.py", "src/app/main.py"),
        ("C:\\src\\main.py", "/src/main.py"),
        ("d:/src//main.py", "/src/main.py"),
        ("\\\\?\\C:\\x", "/x"),
        ("a/b\\\\c", "a/b/c"),
        ("a/b", "a/b"),
    ],
)
def test_paths_have_one_form(written: str, path: str) -> None:
    assert normalize_path(written) == path
    assert normalizePath is normalize_path


def test_encodings_are_tried_in_their_order(tmp_path: Path) -> None:
    root = _write(
        tmp_path / "p",
        {
            "utf8.txt": "gr\u00fcn\n",
            "utf16.txt": "\ufeffgr\u00fcn und rot\n".encode("utf-16-le"),
            "latin.txt": "Der B\u00e4r ist gr\u00fcn und das Haus ist rot.\n".encode("latin-1"),
            "odd.txt": b"Gr\xfc\xdfe \x81\x8d text that is broken\n",
        },
    )
    pack = FullPackBuilder().build(_scan(root))
    contents = {each.path: each.content for each in pack.contents}
    assert contents["utf8.txt"] == "gr\u00fcn\n"
    assert contents["utf16.txt"] == "gr\u00fcn und rot\n"
    assert contents["latin.txt"].startswith("Der B\u00e4r")
    assert "odd.txt" not in contents
    assert [(each.path, each.encoding, each.action) for each in pack.metadata.encoding_issues] == [
        ("latin.txt", "windows-1252", "decoded"),
        ("odd.txt", "unknown", "skipped"),
        ("utf16.txt", "utf-16le", "decoded"),
    ]
    replacing = SnapshotScanner({"on_decode_error": "replace"}, timestamp=_TIME).scan(root)
    pack = FullPackBuilder().build(replacing)
    contents = {each.path: each.content for each in pack.contents}
    assert "\ufffd" in contents["odd.txt"]
    strict = SnapshotScanner({"fallback_encodings": []}, timestamp=_TIME).scan(root)
    assert [each.path for each in strict.files] == ["utf8.txt"]


def test_the_same_project_gives_the_same_pack(project: Path, tmp_path: Path) -> None:
    import shutil

    other = tmp_path / "elsewhere" / "shop"
    shutil.copytree(project, other)
    for builder in (FullPackBuilder, SummaryPackBuilder):
        packs = [builder().build(_scan(root)) for root in (project, other)]
        assert packs[0] == packs[1]
        assert str(tmp_path) not in PackSerializer().serialize(packs[0])


def test_what_cannot_be_scanned_says_why(tmp_path: Path) -> None:
    file = tmp_path / "file.txt"
    file.write_text("x")
    for path in (tmp_path / "missing", file, ""):
        with pytest.raises(PackError) as raised:
            SnapshotScanner().scan(path)
        assert raised.value.refusal.reason == "invalid_root"
    with pytest.raises(PackError):
        PackSelector().select({"files": []}, {"max_files": "many"})
    with pytest.raises(PackError):
        SnapshotScanner({"on_decode_error": "explode"})


def test_an_empty_folder_is_an_empty_project(tmp_path: Path) -> None:
    snapshot = _scan(tmp_path)
    assert (snapshot.total_files, list(snapshot.files)) == (0, [])
    assert PackSelector().select(snapshot) == "full"
    pack = FullPackBuilder().build(snapshot)
    assert (list(pack.contents), pack.metadata.total_content_bytes) == ([], 0)
    assert SummaryPackBuilder().build(snapshot).repo_summary.description


def test_a_snapshot_that_somebody_else_made_is_taken(tmp_path: Path) -> None:
    root = _write(tmp_path / "p", {"main.py": "x = 1\n"})
    given = SimpleNamespace(
        root_path=str(root),
        files=[{"path": "main.py", "size_bytes": 6}],
        excluded_files=[{"path": "a.log", "reason": "pattern_match"}],
    )
    pack = FullPackBuilder().build(given)
    assert [each.content for each in pack.contents] == ["x = 1\n"]
    assert [each.path for each in pack.file_index] == ["a.log", "main.py"]
    assert ExcludedFile("a.log", "pattern_match").reason == "pattern_match"
