"""Which bytes are text, in which encoding, and that they arrive untouched."""

from __future__ import annotations

import codecs
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.workspace import ReadLimits, Workspace
from sightline.workspace.reading import Decoded, decode
from tests.workspace.conftest import Write, outcome, read, refused

CODE = "def café() -> str:\n    return 'naïve'\n"

TEXTS: list[tuple[str, bytes, str, bool, str]] = [
    ("empty", b"", "ascii", False, ""),
    ("ascii", b"a = 1\n", "ascii", False, "a = 1\n"),
    ("no last newline", b"a = 1", "ascii", False, "a = 1"),
    ("crlf", b"a\r\nb\r\n", "ascii", False, "a\r\nb\r\n"),
    ("lone cr", b"a\rb\rc", "ascii", False, "a\rb\rc"),
    ("mixed ends", b"a\nb\r\nc\rd", "ascii", False, "a\nb\r\nc\rd"),
    ("form feed", b"a\n\x0c\nb\n", "ascii", False, "a\n\x0c\nb\n"),
    ("escape", b"print('\x1b[31mred\x1b[0m')\n", "ascii", False, "print('\x1b[31mred\x1b[0m')\n"),
    ("one control in many", b"x" * 200 + b"\x01", "ascii", False, "x" * 200 + "\x01"),
    ("utf-8", CODE.encode(), "utf-8", False, CODE),
    ("utf-8 only high", "日本語".encode(), "utf-8", False, "日本語"),
    ("utf-8 separators", "a\u2028b\u0085c".encode(), "utf-8", False, "a\u2028b\u0085c"),
    ("utf-8 bom", codecs.BOM_UTF8 + CODE.encode(), "utf-8", True, CODE),
    ("utf-8 bom alone", codecs.BOM_UTF8, "utf-8", True, ""),
    ("two boms", codecs.BOM_UTF8 * 2 + b"a", "utf-8", True, "\ufeffa"),
    ("utf-16le", codecs.BOM_UTF16_LE + CODE.encode("utf-16le"), "utf-16le", True, CODE),
    ("utf-16be", codecs.BOM_UTF16_BE + CODE.encode("utf-16be"), "utf-16be", True, CODE),
    ("utf-16le bom alone", codecs.BOM_UTF16_LE, "utf-16le", True, ""),
    ("utf-16 crlf", codecs.BOM_UTF16_LE + "a\r\nb".encode("utf-16le"), "utf-16le", True, "a\r\nb"),
    ("utf-16 pair", codecs.BOM_UTF16_BE + "🙂".encode("utf-16be"), "utf-16be", True, "🙂"),
    ("utf-16le, no bom", CODE.encode("utf-16le"), "utf-16le", False, CODE),
    ("utf-16be, no bom", CODE.encode("utf-16be"), "utf-16be", False, CODE),
    ("1252 letters", CODE.encode("cp1252"), "windows-1252", False, CODE),
    ("1252 quotes", "she said “yes” – café\n".encode("cp1252"), "windows-1252", False,
     "she said “yes” – café\n"),
    ("1252 euro", "price = '10 €' # tax\n".encode("cp1252"), "windows-1252", False,
     "price = '10 €' # tax\n"),
    ("1252 few", "café\n".encode("cp1252"), "windows-1252", False, "café\n"),
    ("1252 german", "// größer als übrig\r\n".encode("cp1252"), "windows-1252", False,
     "// größer als übrig\r\n"),
    ("latin-1 declared", b"# -*- coding: latin-1 -*-\nx = '\xe9' # \xa6\xac\xe9\xe8\xf1\n",
     "windows-1252", False, "# -*- coding: latin-1 -*-\nx = 'é' # ¦¬éèñ\n"),
    ("latin-1 on the second line", b"#!/bin/python\n# vim: fileencoding=iso-8859-1\n\xe9\n",
     "windows-1252", False, "#!/bin/python\n# vim: fileencoding=iso-8859-1\né\n"),
    ("1252 declared", b"# encoding: cp1252\nx = '\x80'\n", "windows-1252", False,
     "# encoding: cp1252\nx = '€'\n"),
    ("utf-8 that declares latin-1", "# coding: latin-1\nx = 'é'\n".encode(), "utf-8", False,
     "# coding: latin-1\nx = 'é'\n"),
    ("two letters like a signature", b"MZ is a name\n", "ascii", False, "MZ is a name\n"),
]  # fmt: skip

REFUSED: list[tuple[str, bytes, str]] = [
    ("nul", b"a\0b", "binary"),
    ("nul in utf-8", "é\0".encode(), "binary"),
    ("only nul", b"\0" * 64, "binary"),
    ("nul after utf-8 bom", codecs.BOM_UTF8 + b"a\0b", "binary"),
    ("nul in utf-16", codecs.BOM_UTF16_LE + "a\0b".encode("utf-16le"), "binary"),
    ("controls", bytes(range(1, 32)) * 3, "binary"),
    ("controls after bom", codecs.BOM_UTF16_LE + "\x01\x02a".encode("utf-16le"), "binary"),
    ("delete characters", b"a" + b"\x7f" * 5, "binary"),
    ("short utf-16, no bom", "abc".encode("utf-16le"), "binary"),
    ("odd utf-16, no bom", CODE.encode("utf-16le") + b"a", "binary"),
    ("foreign utf-16, no bom", ("日本語" * 9 + "abc").encode("utf-16le"), "binary"),
    ("utf-16 with control", ("abcdefgh" * 4 + "\x01").encode("utf-16le"), "binary"),
    ("utf-16 surrogate, no bom", ("abcdefgh" * 4).encode("utf-16le") + b"\x41\xd8", "encoding"),
    ("elf", b"\x7fELF text after", "binary"),
    ("png", b"\x89PNG\r\n\x1a\n", "binary"),
    ("jpeg", b"\xff\xd8\xff\xe0", "binary"),
    ("gif", b"GIF89a plain letters", "binary"),
    ("pdf", b"%PDF-1.4\nplain letters", "binary"),
    ("zip", b"PK\x03\x04letters", "binary"),
    ("gzip", b"\x1f\x8bletters and more letters and more", "binary"),
    ("archive", b"!<arch>\nplain letters", "binary"),
    ("java class", b"\xca\xfe\xba\xbe", "binary"),
    ("utf-32le bom", codecs.BOM_UTF32_LE + "a".encode("utf-32le"), "encoding"),
    ("utf-32be bom", codecs.BOM_UTF32_BE + "a".encode("utf-32be"), "encoding"),
    ("odd utf-16", codecs.BOM_UTF16_LE + b"a\0b", "encoding"),
    ("utf-16 lone high surrogate", codecs.BOM_UTF16_LE + b"a\0\x00\xd8b\0", "encoding"),
    ("utf-16 lone low surrogate", codecs.BOM_UTF16_BE + b"\xdc\x00\0a", "encoding"),
    ("invalid after utf-8 bom", codecs.BOM_UTF8 + b"caf\xe9 a", "encoding"),
    ("utf-8 cut short", CODE.encode()[:8], "encoding"),
    ("utf-8 damaged", "café ".encode() + b"caf\xe9 and more letters", "encoding"),
    ("utf-8 surrogate", b"letters \xed\xa0\x80 letters", "encoding"),
    ("utf-8 overlong", b"letters \xc0\xaf letters", "encoding"),
    ("undefined 81", b"letters a\x81 letters", "encoding"),
    ("undefined 8d", b"letters a\x8d letters", "encoding"),
    ("undefined 8f", b"letters a\x8f letters", "encoding"),
    ("undefined 90", b"letters a\x90 letters", "encoding"),
    ("undefined 9d", b"letters a\x9d letters", "encoding"),
    ("odd c1", b"letters a\x86 letters", "encoding"),
    ("high letter alone", b"letters and \xe9 and letters", "encoding"),
    ("shift-jis", "日本語のテキスト".encode("shift-jis"), "encoding"),
    ("gbk", "中文文本 and letters".encode("gbk"), "encoding"),
    ("cyrillic 1251", "привет мир, letters".encode("cp1251"), "encoding"),
    ("koi8", "привет мир, letters".encode("koi8-r"), "encoding"),
    ("greek", "letters Αλφάβητο letters".encode("iso8859-7"), "encoding"),
    ("1252 with control", b"caf\xe9 " * 50 + b"\x01", "encoding"),
    ("latin-1 with a control", b"# coding: latin-1\nx = 'a \x85 \xe9 '\n", "encoding"),
    ("latin-1 with utf-8", b"# coding: latin-1\nx = '\xc3\xa9 \xe9 '\n", "encoding"),
    ("latin-1 declared too late", b"a\nb\n# coding: latin-1\nx = '\xe9'\n", "encoding"),
    ("latin-1 declared in code", b"coding: latin-1\nx = '\xe9'\n", "encoding"),
    ("mostly high", b"a\xe9b\xe8" * 10, "encoding"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "encoding", "bom", "content"), [case[1:] for case in TEXTS], ids=[t[0] for t in TEXTS]
)
@pytest.mark.usefixtures("walk")
def test_text_is_decoded(
    root: Path, write: Write, raw: bytes, encoding: str, bom: bool, content: str
) -> None:
    write("a.txt", raw)
    document = read(Workspace(root), "a.txt")
    assert (document.encoding, document.bom) == (encoding, bom)
    assert document.text.data == content.encode("utf-8")
    assert document.sha256 == hashlib.sha256(raw).hexdigest()
    assert document.byte_size == len(raw)


@pytest.mark.parametrize(
    ("raw", "reason"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_what_is_not_certainly_text_is_refused(
    root: Path, write: Write, raw: bytes, reason: str
) -> None:
    write("a.txt", raw)
    assert refused(Workspace(root).read("a.txt")).reason == reason


def test_a_refusal_names_the_encoding_that_a_file_declares(root: Path, write: Write) -> None:
    """And nothing that is no encoding: what stands there may be anything."""
    write("a.py", b"# -*- coding: iso-8859-15 -*-\nx = '10 \xa4 \xe9 '\n")
    write("b.py", b"# -*- coding: Vq8zT2mWx5Kc9RfL -*-\nx = '10 \xa4 \xe9 '\n")
    assert refused(Workspace(root).read("a.py")).rule == (
        "it declares iso-8859-15, which is not supported"
    )
    assert refused(Workspace(root).read("b.py")).rule == "no supported encoding is certain"


@given(st.binary(max_size=300))
def test_whatever_is_decoded_can_be_encoded_back(raw: bytes) -> None:
    """No byte is lost, replaced or guessed."""
    marks = {
        "utf-8": codecs.BOM_UTF8,
        "utf-16le": codecs.BOM_UTF16_LE,
        "utf-16be": codecs.BOM_UTF16_BE,
    }
    decoded = decode(raw)
    if isinstance(decoded, Decoded):
        mark = marks[decoded.encoding] if decoded.bom else b""
        codec = "cp1252" if decoded.encoding == "windows-1252" else decoded.encoding
        assert mark + str(decoded.text).encode(codec) == raw


SIZES = [(0, "seen"), (99, "seen"), (100, "seen"), (101, "too_large"), (5000, "too_large")]


@pytest.mark.parametrize(("size", "expected"), SIZES)
def test_the_size_limit_is_a_ceiling(root: Path, write: Write, size: int, expected: str) -> None:
    write("a.txt", b"a" * size)
    result = Workspace(root, limits=ReadLimits(max_file_bytes=100)).read("a.txt")
    assert outcome(result) == expected
    if expected == "too_large":
        assert refused(result).rule == "max_file_bytes=100"


def test_the_default_limit_is_four_mebibytes(root: Path, write: Write) -> None:
    write("a.txt", b"a" * (4 << 20))
    write("b.txt", b"a" * ((4 << 20) + 1))
    workspace = Workspace(root)
    assert read(workspace, "a.txt").byte_size == 4 << 20
    assert refused(workspace.read("b.txt")).reason == "too_large"


def _grow(file: Path) -> None:
    with file.open("ab") as end:
        end.write(b"b")


def _shrink(file: Path) -> None:
    os.truncate(file, 10)


def _rewrite(file: Path) -> None:
    """The same size and other content; the clock of the file system is helped along."""
    file.write_bytes(b"b" * 1000)
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))


@pytest.mark.parametrize("change", [_grow, _shrink, _rewrite])
def test_a_file_that_changes_during_the_read_is_refused(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    """A torn read, in slow motion: the file changes after its first half was read."""
    file = write("a.txt", b"a" * 1000)
    workspace = Workspace(root)
    read_for_real = os.read
    halves = [500]

    def read_half(descriptor: int, size: int) -> bytes:
        piece = read_for_real(descriptor, min(size, halves.pop()) if halves else size)
        if len(piece) == 500 and file.stat().st_size == 1000:
            change(file)
        return piece

    with monkeypatch.context() as patched:
        patched.setattr(os, "read", read_half)
        assert refused(workspace.read("a.txt")).reason == "changed_while_reading"
    assert read(workspace, "a.txt").byte_size == file.stat().st_size


MARKER = "CONTENT-4c1b9e"

CONTENTS: list[tuple[str, bytes]] = [
    ("a.env", MARKER.encode()),
    ("binary.txt", MARKER.encode() + b"\0"),
    ("encoding.txt", MARKER.encode() + b"\x81"),
    ("large.txt", MARKER.encode() * 100),
    ("ignored.txt", MARKER.encode()),
    ("aux.txt", MARKER.encode()),
    ("broken/a.txt", MARKER.encode()),
    ("broken/.aiignore", MARKER.encode() + b"\xff"),
    ("linked/a.txt", MARKER.encode()),
]


@pytest.mark.parametrize("path", [path for path, _ in CONTENTS])
def test_no_refusal_carries_contents(root: Path, write: Write, path: str) -> None:
    for name, raw in CONTENTS:
        write(name, raw)
    write(".gitignore", "ignored.txt\n")
    # A denied file must not speak as an ignore file either, for a rule is shown as written.
    (root / "linked/.gitignore").symlink_to("../a.env")
    (root / "linked" / MARKER).write_text("a")
    workspace = Workspace(root, limits=ReadLimits(max_file_bytes=1000))
    assert MARKER not in repr(refused(workspace.read(path)).as_dict())
    named = refused(workspace.read(f"linked/{MARKER}"))
    assert (named.rule, named.source) == (None, "linked/.gitignore")
