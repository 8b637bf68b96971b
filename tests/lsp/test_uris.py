"""URIs are parsed strictly: what is odd is refused, never repaired."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.lsp.uris import BadUri, Buffer, FilePath, of_path, parse

_NAMES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/\\\0"), min_size=1, max_size=20
).filter(lambda name: name not in (".", ".."))


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b.py", "/a/b.py"),
        ("FILE:///a/b.py", "/a/b.py"),
        ("file:/a/b.py", "/a/b.py"),
        ("file://localhost/a/b.py", "/a/b.py"),
        ("file://LOCALHOST/a/b.py", "/a/b.py"),
        ("file:///a%20b/%C3%BC.py", "/a b/ü.py"),
        ("file:///a b/ü.py", "/a b/ü.py"),
        ("file:///%f0%9f%98%80", "/😀"),
        ("file:///a%25b", "/a%b"),
        ("file:///a%3Fb%23c", "/a?b#c"),
        ("file:///c%3A/x", "/c:/x"),
        ("file:///...", "/..."),
        ("file:///", "/"),
        ("file:///a\n", "/a\n"),
    ],
)
def test_a_file_has_a_path(uri: str, path: str) -> None:
    """Percent-encoding is undone, whichever characters a client chose to escape."""
    assert parse(uri, windows=False) == FilePath(path)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c:/a/b.py", "C:/a/b.py"),
        ("file:///C:/a/b.py", "C:/a/b.py"),
        ("file:///c%3A/a/b.py", "C:/a/b.py"),
        ("file:///c%3a/a%20b.py", "C:/a b.py"),
        ("file:///D:", "D:/"),
        ("file:///D:/", "D:/"),
        ("file://localhost/d:/x", "D:/x"),
    ],
)
def test_a_file_on_windows_has_a_drive(uri: str, path: str) -> None:
    """Editors write the same drive in several ways; it is one."""
    assert parse(uri, windows=True) == FilePath(path)


@pytest.mark.parametrize(
    "uri",
    [
        "file:///a/b.py",
        "file:////c:/x",
        "file:///%63:/x",
        "file:///cc:/x",
        "file:///c:x",
        "file:///c%3Ax",
        "file://server/share/x",
        "file:////server/share/x",
        "file:///c:/x:stream",
        "file:///c:/x%3Astream",
        "file:///c:/a%5C..%5Cb",
        "file:///c:/a\\b",
        "file:///c:/../x",
    ],
)
def test_what_is_no_file_on_windows(uri: str) -> None:
    """No drive, another host, a stream of a file, a hidden separator."""
    assert isinstance(parse(uri, windows=True), BadUri)


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "a/b.py",
        "/a/b.py",
        "://a",
        "1file:///a",
        "file:",
        "file://",
        "file:a/b.py",
        "file://a",
        "file://server/a/b.py",
        "file://user@localhost/a",
        "file://localhost:80/a",
        "file:///a?b",
        "file:///a#b",
        "file:///a/../b",
        "file:///a/..",
        "file:///./a",
        "file:///a/%2e%2e/b",
        "file:///a/.%2E/b",
        "file:///a%2Fb",
        "file:///a%2fb",
        "file:///a%00",
        "file:///a\0",
        "file:///a%FF",
        "file:///a%C3",
        "file:///a%ED%A0%80",
        "file:///a\ud800",
        "file:///a%",
        "file:///a%2",
        "file:///a%zz",
        "file:///a%5Cb",
        "file:///a\\b",
    ],
)
def test_what_is_odd_is_refused(uri: str) -> None:
    """Nothing is guessed: each of these could mean another file to somebody else."""
    outcome = parse(uri, windows=False)
    assert isinstance(outcome, BadUri)
    assert outcome.problem


@pytest.mark.parametrize(
    ("uri", "scheme"),
    [
        ("untitled:Untitled-1", "untitled"),
        ("git:/a/b.py?ref", "git"),
        ("GIT:/a/b.py", "git"),
        ("vscode-notebook-cell:/a/b.ipynb#X", "vscode-notebook-cell"),
        ("vscode-remote://ssh-remote%2Bhost/a", "vscode-remote"),
        ("http://localhost/a", "http"),
        ("c:/a/b.py", "c"),
        ("files:///a", "files"),
    ],
)
def test_every_other_scheme_is_a_buffer(uri: str, scheme: str) -> None:
    """It has no path, so it can lead nowhere on the disk."""
    assert parse(uri, windows=False) == Buffer(scheme)


@given(st.lists(_NAMES, min_size=1, max_size=4))
def test_a_path_comes_back_from_its_uri(names: list[str]) -> None:
    """Whatever a file is called."""
    path = Path("/", *names)
    assert parse(of_path(path), windows=False) == FilePath(str(path))


def test_a_path_on_windows_comes_back_from_its_uri() -> None:
    """As VS Code writes it: the drive small, its colon escaped."""
    path = PureWindowsPath("C:\\a b\\ü#.py")
    uri = of_path(path)  # type: ignore[arg-type]
    assert uri == "file:///c%3A/a%20b/%C3%BC%23.py"
    assert parse(uri, windows=True) == FilePath("C:/a b/ü#.py")


@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(text: str) -> None:
    """Any string has an answer, and no answer has a relative path or a NUL in it."""
    for windows in (False, True):
        for uri in (text, f"file://{text}", f"file:///{text}", f"file:///c:/{text}"):
            outcome = parse(uri, windows=windows)
            if isinstance(outcome, FilePath):
                assert "\0" not in outcome.path
                assert "\\" not in outcome.path
                assert not {".", ".."} & set(outcome.path.split("/"))
                assert outcome.path.startswith("/") != windows
