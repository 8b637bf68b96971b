"""Which spellings of a path are refused, whatever stands on the disk."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.refusals import Refusal
from sightline.workspace import DiskDocument, Workspace
from tests.workspace.conftest import TEXT, Write, outcome, read, refused

# Each form is tried on a root that holds the harmless reading of it, if there is one.
REFUSED_FORMS: list[tuple[str, str]] = [
    ("", "invalid_path"),
    (".", "invalid_path"),
    ("./a.py", "invalid_path"),
    ("src/./a.py", "invalid_path"),
    ("src/a.py/.", "invalid_path"),
    ("src//a.py", "invalid_path"),
    ("src/", "invalid_path"),
    ("a.py/", "invalid_path"),
    ("..", "outside_sandbox"),
    ("../root/a.py", "outside_sandbox"),
    ("../root-evil/a.py", "outside_sandbox"),
    ("../outside.py", "outside_sandbox"),
    ("src/../a.py", "outside_sandbox"),
    ("src/..", "outside_sandbox"),
    ("src/../../outside.py", "outside_sandbox"),
    ("src/sub/../../../outside.py", "outside_sandbox"),
    ("a.py/..", "outside_sandbox"),
    ("missing/../a.py", "outside_sandbox"),
    ("..\\outside.py", "outside_sandbox"),
    ("src\\..\\..\\outside.py", "outside_sandbox"),
    ("src/..\\a.py", "outside_sandbox"),
    ("/", "outside_sandbox"),
    ("//", "outside_sandbox"),
    ("/etc/passwd", "outside_sandbox"),
    ("//host/share/a.py", "outside_sandbox"),
    ("/a.py", "outside_sandbox"),
    ("C:", "outside_sandbox"),
    ("C:/a.py", "outside_sandbox"),
    ("C:\\a.py", "outside_sandbox"),
    ("c:a.py", "outside_sandbox"),
    ("z:\\..\\a.py", "outside_sandbox"),
    ("\\", "outside_sandbox"),
    ("\\a.py", "outside_sandbox"),
    ("\\\\host\\share\\a.py", "outside_sandbox"),
    ("\\\\?\\C:\\a.py", "outside_sandbox"),
    ("\\\\.\\pipe\\a", "outside_sandbox"),
    ("src\\a.py", "invalid_path"),
    ("a.py\\", "invalid_path"),
    ("src/a\\.py", "invalid_path"),
    ("a.py:secret", "invalid_path"),
    ("a.py::$DATA", "invalid_path"),
    ("src:stream/a.py", "invalid_path"),
    ("src/a.py:$INDEX_ALLOCATION", "invalid_path"),
    ("file:///etc/passwd", "invalid_path"),
    ("src/c:/a.py", "invalid_path"),
    ("a.py.", "invalid_path"),
    ("a.py ", "invalid_path"),
    ("a.py...", "invalid_path"),
    ("a.py. .", "invalid_path"),
    ("...", "invalid_path"),
    (" ", "invalid_path"),
    ("src /a.py", "invalid_path"),
    ("src./a.py", "invalid_path"),
    (".env.", "invalid_path"),
    (".env ", "invalid_path"),
    (".git /config", "invalid_path"),
    (".git./config", "invalid_path"),
    ("a.py\0", "invalid_path"),
    ("\0", "invalid_path"),
    ("a.py\0.txt", "invalid_path"),
    ("src\0/../a.py", "outside_sandbox"),
    ("a\n.py", "invalid_path"),
    ("a\r.py", "invalid_path"),
    ("a\t.py", "invalid_path"),
    ("a\x1b[31m.py", "invalid_path"),
    ("a\x7f.py", "invalid_path"),
    ("a\x85.py", "invalid_path"),
    ("CON", "invalid_path"),
    ("con", "invalid_path"),
    ("nul", "invalid_path"),
    ("NUL.txt", "invalid_path"),
    ("aux.txt", "invalid_path"),
    ("aux.tar.bz2", "invalid_path"),
    ("prn.py", "invalid_path"),
    ("src/AUX/a.py", "invalid_path"),
    ("com1", "invalid_path"),
    ("COM9.log", "invalid_path"),
    ("lpt0.py", "invalid_path"),
    ("lpt\u00b9", "invalid_path"),
    ("CONIN$", "invalid_path"),
    ("conout$.py", "invalid_path"),
    ("ENV~1", "invalid_path"),
    ("GIT~1/config", "invalid_path"),
    ("PROGRA~1/a.py", "invalid_path"),
    ("SECRET~2.TXT", "invalid_path"),
    ("src/A~10.PY", "invalid_path"),
    ("\ud800", "invalid_path"),
    ("a\udcff.py", "invalid_path"),
    ("src/\udfff/a.py", "invalid_path"),
    ("a" * 256, "invalid_path"),
    ("é" * 128, "invalid_path"),
    ("a" * 10_000, "invalid_path"),
    ("a/" * 5_000 + "a.py", "invalid_path"),
    ("a/" * 128 + "a.py", "invalid_path"),
    ("é/" * 2_000 + "a.py", "invalid_path"),
]

NOT_THERE: list[tuple[str, str]] = [
    ("missing.py", "not_found"),
    ("A.py", "not_found"),
    ("SRC/a.py", "not_found"),
    ("src/A.PY", "not_found"),
    ("a.py/b.py", "not_found"),
    ("missing/a.py", "not_found"),
    ("ａ.py", "not_found"),
    ("a\u200b.py", "not_found"),
    ("~", "not_found"),
    ("~/a.py", "not_found"),
    ("$HOME", "not_found"),
    ("%2e%2e/a.py", "not_found"),
    ("src%2fa.py", "not_found"),
    ("src", "is_directory"),
    ("src/sub", "is_directory"),
]

SEEN = [
    "a.py",
    "src/a.py",
    "src/sub/a.py",
    "..a.py",
    "a..py",
    "src/...a",
    " a.py",
    "with space/a b.py",
    "console.py",
    "nulls.py",
    "auxiliary/com10.py",
    "a.py~",
    "~a",
    "sub~1~/a.py",
    "longername~1",
    "-rf",
    "*.py",
    "[a].py",
    "?",
    "#a",
    "!a.py",
    "café.py",
    unicodedata.normalize("NFD", "café/é.py"),
    "日本語/ファイル.py",
    "🙂.py",
    "a" * 252 + ".py",
    "a/" * 100 + "a.py",
]


@pytest.fixture
def workspace(root: Path, write: Write) -> Workspace:
    for path in ("a.py", "src/a.py", "src/sub/a.py"):
        write(path, TEXT)
    (root.parent / "outside.py").write_text("outside")
    (root.parent / "root-evil").mkdir()
    (root.parent / "root-evil" / "a.py").write_text("outside")
    return Workspace(root)


@pytest.mark.usefixtures("walk")
@pytest.mark.parametrize(("path", "reason"), REFUSED_FORMS)
def test_forms_are_refused_before_the_disk_is_asked(
    workspace: Workspace, path: str, reason: str
) -> None:
    assert refused(workspace.read(path)).reason == reason
    assert refused(workspace.judge(path)).reason == reason


@pytest.mark.usefixtures("walk")
@pytest.mark.parametrize(("path", "reason"), NOT_THERE)
def test_what_is_not_there_in_this_spelling(workspace: Workspace, path: str, reason: str) -> None:
    assert refused(workspace.read(path)).reason == reason


@pytest.mark.parametrize("path", SEEN)
@pytest.mark.usefixtures("walk")
def test_ordinary_and_odd_but_harmless_names_are_read(root: Path, write: Write, path: str) -> None:
    write(path, TEXT)
    workspace = Workspace(root)
    assert read(workspace, path).path == path
    assert list(workspace.files()) == [path]


FORMS_ON_DISK = ["a.py.", "a.py ", "ab:c.py", "a\\b.py", "aux.py", "A~1.PY", "a\n.py", "CON"]


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot hold these names")
@pytest.mark.parametrize("name", FORMS_ON_DISK)
def test_a_file_with_a_refused_name_stays_refused(root: Path, write: Write, name: str) -> None:
    """A name that another system reads differently is refused where it exists as well."""
    write(name, TEXT)
    workspace = Workspace(root)
    assert refused(workspace.read(name)).reason == "invalid_path"
    assert list(workspace.files()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows names are not bytes")
def test_names_that_are_not_utf8_are_not_listed(root: Path) -> None:
    (root / os.fsdecode(b"a\xff.py")).write_text(TEXT)
    workspace = Workspace(root)
    assert list(workspace.files()) == []
    assert refused(workspace.read(os.fsdecode(b"a\xff.py"))).reason == "invalid_path"


CLASHES = [
    ("é.py", unicodedata.normalize("NFD", "é.py")),
    ("K.py", "\u212a.py"),
    ("Å.py", "\u212b.py"),
    ("가.py", unicodedata.normalize("NFD", "가.py")),
]


@pytest.mark.parametrize(("one", "other"), CLASHES)
@pytest.mark.usefixtures("walk")
def test_names_equal_after_nfc_are_an_error_for_both(
    root: Path, write: Write, one: str, other: str
) -> None:
    write(f"src/{one}", "one")
    write("src/b.py", TEXT)
    write(f"src/{other}", "other")
    if len(list((root / "src").iterdir())) < 3:
        pytest.skip("this file system normalises names")
    workspace = Workspace(root)
    assert refused(workspace.read(f"src/{one}")).reason == "invalid_path"
    assert refused(workspace.read(f"src/{other}")).reason == "invalid_path"
    assert list(workspace.files()) == ["src/b.py"]
    (root / "src" / other).unlink()
    assert str(read(workspace, f"src/{one}").text) == "one"


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=40))
def test_no_string_raises(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    """Whatever is asked, the answer is a refusal that fits on one line and on the wire."""
    workspace = Workspace(tmp_path_factory.getbasetemp())
    for answer in (workspace.read(path), workspace.judge(path), workspace.relative(path)):
        assert not isinstance(answer, DiskDocument)
        if isinstance(answer, Refusal):
            for field in (answer.path, answer.message, answer.advice, answer.rule, answer.source):
                assert field is None or field.encode("utf-8").count(b"\n") == 0
            assert answer.message.splitlines() == [answer.message]


def test_a_refusal_names_the_path_exactly_where_it_has_a_usable_form(workspace: Workspace) -> None:
    long = "é" * 120 + "/" + "a" * 200
    assert refused(workspace.read(long)).path == long
    assert refused(workspace.read("a\nb")).path == "a\\nb"
    assert len(refused(workspace.read("a" * 10_000)).message) < 400
    assert outcome(workspace.judge(long)) == "seen"
