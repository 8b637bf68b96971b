"""Paths that a text mentions."""

from __future__ import annotations

import pytest

from sightline.recipes import extract_file_paths


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("The bug is in src/foo.py.", ["src/foo.py"]),
        ("see ./bar/baz.ts and ../lib/x.go", ["./bar/baz.ts", "../lib/x.go"]),
        ("`src/app.py:12:5` fails, (docs/a.md)", ["src/app.py", "docs/a.md"]),
        ("src/a.py and again src/a.py", ["src/a.py"]),
        ('File "pkg/mod.py", line 3, in f', ["pkg/mod.py"]),
        ("run setup.py, edit the Makefile", ["setup.py", "Makefile"]),
        ("https://forge.example/o/r/blob/main/lib/x.rb#L3", ["lib/x.rb"]),
        ("https://example.com/guide/index.html", []),
        ("version 1.2.3, e.g. os.path.join and Foo.bar()", []),
        ("either/or, and/or, 3/4", []),
        ("", []),
        ("/etc/passwd.txt", ["/etc/passwd.txt"]),
        ("src\\win\\form.cs", ["src\\win\\form.cs"]),
        ("ünïcode/naïve.py", ["ünïcode/naïve.py"]),
        ("修正src/a.pyと、（src/b.ts）。", ["src/a.py", "src/b.ts"]),
        ("文档/说明.md", ["文档/说明.md"]),
        ("~~src/old.py~~", ["src/old.py"]),
    ],
)
def test_paths_are_found_as_written(text: str, paths: list[str]) -> None:
    assert extract_file_paths(text) == paths


def test_a_hostile_text_is_read_in_linear_time() -> None:
    """A quadratic reading of these would not end in the time of a test run."""
    for piece in ("a/", "../", "https://", ".a", "(", "x."):
        assert isinstance(extract_file_paths(piece * 200_000), list)
