"""Find the paths of files that a text mentions.

The result is a proposal: the caller checks whether the files exist.
"""

from __future__ import annotations

import re

_LONGEST_TEXT = 1_000_000
_LONGEST_PATH = 400

_URL = re.compile(r"\b[a-zA-Z][\w+.-]{1,20}://[^\s<>\"'`)\]]+")
_LINK = re.compile(r"\]\(")
_BLOB = re.compile(r"/(?:-/)?(?:blob|raw|tree|edit|blame)/[^/\s]+/([^?#]+)")
_PATH = re.compile(
    r"(?<![\w./\\~-])"
    r"((?:\.{1,2}[/\\]|(?:[A-Za-z]:)?[/\\])?(?:[\w@+.,()\[\]$-]{1,100}[/\\]){0,30}[\w@+.,$-]{1,120})"
)
_UNSPACED = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+")
"""Han, kana, Hangul and their punctuation."""
_NAME_WITH_ENDING = re.compile(r"[\w@+$.-]*[\w@+$-]\.[A-Za-z][A-Za-z0-9]{0,9}")
_KNOWN_NAMES = frozenset(
    ["Makefile", "Dockerfile", "Jenkinsfile", "Rakefile", "Gemfile", "Procfile", "Vagrantfile"]
)
_WRITTEN_ENDINGS = (
    "adoc bash bat c cc cfg cjs clj cljs cmake conf cpp cs csproj css cts cxx dart ex "
    "exs feature go gradle graphql groovy h hh hpp hs html hxx ini ipynb java jl js "
    "json jsx kt kts less lock lua m markdown md mdx mjs ml mm mod mts nix php pl pm "
    "po properties proto ps1 py pyi pyx r rb rs rst sass sbt scala scm scss sh sln "
    "sol sql svelte swift tf toml ts tsx txt vb vue xml yaml yml zig zsh"
)
_ENDINGS = frozenset(_WRITTEN_ENDINGS.split())
"""Endings of names that count as files even without a folder before the name."""


def extract_file_paths(text: str) -> list[str]:
    """Return the paths that a text mentions, as written, in order, each once.

    `./src/app.py` and `src/app.py` are the same path.

    A path has a folder in front (`src/app.py`, `./lib/x.ts`) or is a name with a usual ending
    (`setup.py`). Line numbers after it are dropped. In the web address of a file in a repository,
    the path in the repository counts; in other addresses nothing does.
    """
    found: dict[str, str] = {}
    # `[src/app.py](src/app.py)` names a file twice.
    text = _LINK.sub("] (", text[:_LONGEST_TEXT]).replace("~~", "  ")
    position = 0
    for url in _URL.finditer(text):
        _collect(text[position : url.start()], found)
        blob = _BLOB.search(url[0])
        if blob is not None:
            _collect(blob[1], found)
        position = url.end()
    _collect(text[position:], found)
    return list(found.values())


def _collect(text: str, found: dict[str, str]) -> None:
    for match in _PATH.finditer(text):
        for written in _readings(match[1]):
            path = written.strip("()[],$").rstrip(".:")
            if len(path) <= _LONGEST_PATH and _is_path(path):
                found.setdefault(path.removeprefix("./"), path)


def _readings(written: str) -> list[str]:
    """Yield the possible paths in a piece of text: Chinese and Japanese put no
    space beside a path.
    """
    if written.isascii():
        return [written]
    return [written, *(each for each in _UNSPACED.split(written) if "/" in each or "\\" in each)]


def _is_path(path: str) -> bool:
    folder, _, name = path.replace("\\", "/").rpartition("/")
    if name in _KNOWN_NAMES:
        return True
    if not _NAME_WITH_ENDING.fullmatch(name):
        return False
    if folder:
        return folder.strip("./") != "" or folder in (".", "..")
    return name.rpartition(".")[2].lower() in _ENDINGS and not _is_dotted_call(name)


def _is_dotted_call(name: str) -> bool:
    """True for `e.g` and similar: single letters with dots between."""
    return all(len(part) == 1 for part in name.split("."))
