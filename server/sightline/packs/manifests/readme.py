"""Read the purpose of a project from its README."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from sightline.packs.manifests.packages import ManifestSource

_NAMES = ("readme.md", "readme.rst", "readme.txt", "readme", "readme.markdown", "readme.adoc")
_TAG = re.compile(r"<[^<>]{0,500}>")
_IMAGE = re.compile(r"\[?!\[[^\]]{0,300}\]\([^()\s]{0,500}\)(?:\]\([^()\s]{0,500}\))?")
_LINK = re.compile(r"\[([^\[\]]{0,300})\](?:\([^()\s]{0,500}\)|\[[^\[\]]{0,100}\])")
_ROLE = re.compile(r":\w+:`([^`<]{0,200})(?:<[^>`]{0,300}>)?`")
_UNDERLINE = re.compile(r"^([=\-~^\"'#*+])\1{2,}\s*$")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_SKIPPED = re.compile(
    r"^\s*(?:\.\. |:\w+:|\||```|~~~|[-*+] |\d+\. |\[!?\[|\[[^\]]+\]:|!\[|<!--|#|=+ "
    r"|\{[%{]|import |\S*https?://\S+$)"
)
_TELLS = re.compile(
    r"\b(?:is|are) (?:an?|the|our|your)\b|\bprovides\b|\bwas created to\b|\bhelps you\b"
    r"|\b(?:lets|allows) you\b|^An? \w+"
)
_NOT_ABOUT = re.compile(r":$|\blicen[sc]e|\bwelcome\b|\bcontribut|\bdeprecated\b", re.IGNORECASE)
_LONGEST = 400


def readme_title(source: ManifestSource) -> str:
    """Return the first heading of the outermost README."""
    _, text = _readme(source)
    lines = text.splitlines()[:60]
    for number, line in enumerate(lines):
        if line.startswith("# "):
            return _plain(line[2:])[:100]
        if number and _UNDERLINE.match(line) and lines[number - 1].strip():
            return _plain(lines[number - 1])[:100]
    return ""


def readme_purpose(source: ManifestSource) -> tuple[str, str]:
    """Return the paragraph of the outermost README that describes the project, and its line.

    That is the first of the first four paragraphs that contains a phrase such as `is a` or
    `provides`, otherwise the first of them.
    """
    path, text = _readme(source)
    name = readme_title(source).lower()
    found = list(islice(_paragraphs(text.splitlines()[:200]), 4))
    telling = [
        each
        for each in found
        if _TELLS.search(each[1]) or (name and each[1].lower().startswith(name))
    ]
    for line, paragraph in [*telling, *found][:1]:
        return _shortened(paragraph), f"{path}, line {line}"
    return "", ""


def _paragraphs(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of prose: the number of the first line, and the words."""
    paragraph: list[str] = []
    start = 0
    is_fenced = False
    for number, line in enumerate([*lines, ""], start=1):
        if line.lstrip().startswith(("```", "~~~")):
            is_fenced = not is_fenced
        is_heading = number < len(lines) and _UNDERLINE.match(lines[number]) is not None
        plain = "" if is_fenced or is_heading or _SKIPPED.match(line) else _plain(line)
        if plain and not _UNDERLINE.match(line):
            start = start or number
            paragraph.append(plain)
            continue
        sentence = " ".join(paragraph)
        if len(_WORDS.findall(sentence)) >= 4 and not _NOT_ABOUT.search(sentence):
            yield start, sentence
        paragraph, start = [], 0


def _readme(source: ManifestSource) -> tuple[str, str]:
    for name in _NAMES:
        for path in source.paths:
            if "/" not in path and path.lower() == name:
                return path, (source.read(path) or "")[:100_000]
    return "", ""


def _plain(line: str) -> str:
    """Return a line of Markdown, reStructuredText or HTML without its markup."""
    shown = _TAG.sub("", _LINK.sub(r"\1", _IMAGE.sub("", line)))
    shown = _ROLE.sub(r"\1", shown)
    return re.sub(r"^\s*>+\s*#*\s*|[*`]+|(?<!\w)_+|_+(?!\w)", "", shown).strip()


def _shortened(sentence: str) -> str:
    if len(sentence) <= _LONGEST:
        return sentence
    cut = sentence[:_LONGEST]
    end = max(cut.rfind(". "), cut.rfind("! "))
    return cut[: end + 1] if end > 80 else cut.rsplit(" ", 1)[0] + " …"
