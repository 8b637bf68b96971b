"""Retrieval: simple ways to choose code for a target, and the lines that a text shows.

Every way gets a target, a corpus and a number of tokens, and shows pieces of files. It pays for the
target first (its declaration, at most 4,000 tokens), then for each piece and for a heading line
with its path. A piece that is too large for the rest is skipped.
"""

from __future__ import annotations

import math
import posixpath
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import attrs

from sightline.budget import Estimator

CHUNK_LINES = 40
_MOST_TARGET_TOKENS = 4_000
_K1, _B = 1.2, 0.75

_WORD = re.compile(r"[^\W\d]\w*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_LEFT_OUT = re.compile(r"\.\.\. lines? (\d+)(?:-(\d+))? left out")
_HEADER = re.compile(r"enclosing header, lines? (\d+)(?:-\d+)?:")


@attrs.frozen
class Shown:
    """What a row shows: its lines by path, and its cost."""

    lines: Mapping[str, frozenset[int]]
    tokens: int


@attrs.frozen
class Piece:
    """Some lines of a file; 1-based, inclusive."""

    path: str
    first: int
    last: int
    tokens: int
    terms: Mapping[str, int]
    size: int
    """The number of its terms."""


@attrs.frozen
class _Blob:
    """What is known about one content, without its path."""

    chunks: tuple[tuple[int, int, int, Mapping[str, int], int], ...]
    whole: tuple[int, int, int, Mapping[str, int], int]


class Corpus:
    """The source files of one tree; results for a content are kept for the next tree."""

    def __init__(self, estimator: Estimator) -> None:
        self._estimator = estimator
        self._blobs: dict[bytes, _Blob] = {}
        self.chunks: list[Piece] = []
        self.files: list[Piece] = []

    def show(self, root: Path, digests: Mapping[str, bytes]) -> None:
        """Use the files of a tree, by path with the digest of each."""
        blobs = {}
        self.chunks, self.files = [], []
        for path, digest in digests.items():
            known = self._blobs.get(digest)
            if known is None:
                known = self._read((root / path).read_bytes())
            blobs[digest] = known
            heading = self.heading_tokens(path)
            self.files.append(_piece(path, known.whole, heading))
            self.chunks += [_piece(path, chunk, heading) for chunk in known.chunks]
        self._blobs = blobs

    def heading_tokens(self, path: str) -> int:
        return self.tokens(f"### {path}, lines 1000-1040\n")

    def tokens(self, text: str) -> int:
        return self._estimator.tokens(text)

    def _read(self, data: bytes) -> _Blob:
        lines = data.decode("utf-8", "replace").split("\n")
        chunks = []
        for first in range(0, len(lines), CHUNK_LINES):
            part = lines[first : first + CHUNK_LINES]
            chunks.append(self._counted(first + 1, first + len(part), "\n".join(part)))
        return _Blob(tuple(chunks), self._counted(1, len(lines), "\n".join(lines)))

    def _counted(
        self, first: int, last: int, text: str
    ) -> tuple[int, int, int, Mapping[str, int], int]:
        terms = Counter(terms_of(text))
        return first, last, self.tokens(text), terms, terms.total()


def _piece(path: str, counted: tuple[int, int, int, Mapping[str, int], int], heading: int) -> Piece:
    first, last, tokens, terms, size = counted
    return Piece(path, first, last, tokens + heading, terms, size)


def terms_of(text: str) -> Iterable[str]:
    """Yield each word whole and in its parts (camel case, underscores), without case."""
    for word in _WORD.findall(text):
        whole = word.lower()
        yield whole
        parts = _PART.findall(word)
        if len(parts) > 1:
            yield from (part.lower() for part in parts)


def by_bm25(pieces: Sequence[Piece], query: str) -> list[Piece]:
    """Return the pieces that share a word with the query, the most alike first."""
    asked = set(terms_of(query))
    shared = [(piece, asked & piece.terms.keys()) for piece in pieces]
    frequency: Counter[str] = Counter()
    for _, terms in shared:
        frequency.update(terms)
    count = len(pieces)
    average = sum(piece.size for piece in pieces) / max(1, count)
    weights = {
        term: math.log(1 + (count - found + 0.5) / (found + 0.5))
        for term, found in frequency.items()
    }
    scored = []
    for piece, terms in shared:
        if terms:
            length = _K1 * (1 - _B + _B * piece.size / average)
            score = sum(
                weights[term] * piece.terms[term] * (_K1 + 1) / (piece.terms[term] + length)
                for term in sorted(terms)
            )
            scored.append((-score, piece.path.encode("utf-8"), piece.first, piece))
    scored.sort(key=lambda each: each[:3])
    return [each[3] for each in scored]


def same_folder(files: Sequence[Piece], path: str) -> list[Piece]:
    folder = posixpath.dirname(path)
    return [each for each in files if posixpath.dirname(each.path) == folder]


def target_tokens(corpus: Corpus, query: str) -> int:
    return min(_MOST_TARGET_TOKENS, corpus.tokens(query))


def filled(pieces: Iterable[Piece], spent: int, budget: int) -> Shown:
    """Take pieces in order, as many as fit."""
    lines: dict[str, set[int]] = {}
    for piece in pieces:
        if spent + piece.tokens <= budget:
            spent += piece.tokens
            lines.setdefault(piece.path, set()).update(range(piece.first, piece.last + 1))
    return Shown({path: frozenset(each) for path, each in lines.items()}, spent)


class Aligner:
    """Finds which lines of an original occur in a text that was cut from it.

    The text keeps the original's order. Omission marks are used if they give line numbers; of a
    removed body, the line of its header remains. Lines without a letter or digit are ignored.
    """

    def __init__(self, original: str) -> None:
        self.lines = [_bare(line) for line in original.split("\n")]
        self._places: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines, start=1):
            if line:
                self._places.setdefault(line, []).append(number)

    def shown(self, content: str) -> set[int]:
        found = set()
        pointer = 1
        for written in content.split("\n"):
            if mark := _LEFT_OUT.search(written):
                pointer = int(mark[2] or mark[1]) + 1
                continue
            if mark := _HEADER.search(written):
                pointer = int(mark[1])
                continue
            places = self._places.get(_bare(written), [])
            index = bisect_left(places, pointer)
            if index < len(places):
                pointer = places[index] + 1
                found.add(places[index])
        return found

    def in_ranges(self, ranges: Iterable[tuple[int, int]], content: str) -> set[int]:
        """Return the lines of some ranges whose text is in the content."""
        written = {_bare(line) for line in content.split("\n")}
        return {
            line
            for first, last in ranges
            for line in range(first, min(last, len(self.lines)) + 1)
            if self.lines[line - 1] in written
        }


def _bare(line: str) -> str:
    """Return a line without indentation and without the remains of a body or
    its stub at its end.
    """
    bare = line.strip().rstrip(" {}.:;_=")
    return bare if any(map(str.isalnum, bare)) else ""
