"""Documents that an editor has open; each change is applied to our own `Text`.

Only this module holds the client's text and applies edits to it: other modules receive the
resulting `Text`.

pygls' own documents are not used: they split lines differently from editors, clamp columns wrongly,
apply stale versions and read any path from disk.

Invariants:

* A document's text is the client's text at its version, or the document is marked out of step. Then
  it is not served until a change brings the whole text or it is opened again. A change to a
  document that is not open opens one that is out of step.
* Changes of one message are applied in order, each to the result of the one before, or not at all.
* A file may be open under several names, each with its own text: the one that the client mentioned
  last counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from sightline.text import Position, PositionEncoding, Span, Text, TextSpliced

MOST_BYTES = 16 * 1024 * 1024
"""The largest document in bytes. A larger one stays out of step: it costs nothing and is not
served.
"""

_BEFORE_ANY = -(2**63)
"""A version below all others."""


@attrs.frozen
class TextReplaced:
    """The whole text was replaced."""


AppliedChange = TextReplaced | TextSpliced


@attrs.frozen
class OpenDocument:
    uri: str
    language_id: str
    version: int
    text: Text
    is_in_step: bool = True


@attrs.frozen
class ContentChange:
    """One change of a message; without a range it replaces the whole text."""

    text: str
    start: Position | None = None
    end: Position | None = None


@attrs.frozen
class OutOfStep:
    problem: str
    is_news: bool = True
    """True if the document was in step until now."""


class Documents:
    """Open documents by URI. Lives on the event loop."""

    def __init__(self, encoding: PositionEncoding) -> None:
        self._encoding = encoding
        self._open: dict[str, OpenDocument] = {}
        """In the order in which the client mentioned them last."""

    def get(self, uri: str) -> OpenDocument | None:
        return self._open.get(uri)

    def all(self) -> list[OpenDocument]:
        return [self._open[uri] for uri in sorted(self._open)]

    def in_order(self) -> list[OpenDocument]:
        """Return all documents, the one that the client mentioned last at the end."""
        return [*self._open.values()]

    @property
    def are_in_step(self) -> bool:
        return all(each.is_in_step for each in self._open.values())

    def open(self, uri: str, language_id: str, version: int, content: str) -> OpenDocument:
        """Open a document. If it is open already, start afresh: the client knows best what it
        shows.
        """
        text = _text(content)
        document = OpenDocument(
            uri, language_id, version, text or Text(b""), is_in_step=text is not None
        )
        self._put(document)
        return document

    def close(self, uri: str) -> OpenDocument | None:
        return self._open.pop(uri, None)

    def change(
        self, uri: str, version: int | None, changes: Sequence[ContentChange]
    ) -> tuple[OpenDocument, list[AppliedChange]] | OutOfStep:
        """Apply changes to a document; return it, and what happened to its bytes, in order."""
        document = self._open.get(uri)
        if document is None:
            return self.lose(uri, "a document was changed that is not open", version)
        if version is None or version <= document.version:
            return self._lose(document, "a change came out of order")
        first_whole = next((i for i, each in enumerate(changes) if each.start is None), None)
        if not document.is_in_step:
            if first_whole is None:
                return self._lose(document, "the document is still out of step")
            # Changes before a whole text have no effect.
            changes = changes[first_whole:]
        text = document.text
        applied: list[AppliedChange] = []
        for each in changes:
            folded = self._folded(text, each)
            if isinstance(folded, OutOfStep):
                return self._lose(document, folded.problem, version)
            text, done = folded
            applied.append(done)
        document = attrs.evolve(document, text=text, version=version, is_in_step=True)
        self._put(document)
        return document, applied

    def lose(self, uri: str, problem: str, version: int | None = None) -> OutOfStep:
        """Mark a document as out of step: the client's text is unknown."""
        document = self._open.get(uri) or OpenDocument(uri, "", _BEFORE_ANY, Text(b""))
        return self._lose(document, problem, version)

    def _folded(self, text: Text, change: ContentChange) -> tuple[Text, AppliedChange] | OutOfStep:
        if change.start is None or change.end is None:
            whole = _text(change.text)
            return (whole, TextReplaced()) if whole is not None else OutOfStep("it is too large")
        if (change.end.line, change.end.column) < (change.start.line, change.start.column):
            return OutOfStep("a range ends before it starts")
        if change.start.line > text.line_count:
            return OutOfStep("a range lies behind the end of the document")
        try:
            replacement = change.text.encode("utf-8")
        except UnicodeEncodeError:
            return OutOfStep("a change holds half of a character")
        start = text.offset_at(change.start, self._encoding)
        end = text.offset_at(change.end, self._encoding)
        if len(text) - (end - start) + len(replacement) > MOST_BYTES:
            return OutOfStep("it is too large")
        spliced = text.spliced(start, end, replacement)
        return spliced, TextSpliced(text, Span(start, end), replacement, spliced)

    def _lose(self, document: OpenDocument, problem: str, version: int | None = None) -> OutOfStep:
        known = document.version if version is None else version
        self._put(attrs.evolve(document, version=known, is_in_step=False))
        return OutOfStep(problem, document.is_in_step)

    def _put(self, document: OpenDocument) -> None:
        self._open.pop(document.uri, None)
        self._open[document.uri] = document


def _text(content: str) -> Text | None:
    """Encode content; None if it is too large or cannot be encoded as UTF-8."""
    try:
        data = content.encode("utf-8")
    except UnicodeEncodeError:
        return None
    return Text(data) if len(data) <= MOST_BYTES else None


__all__ = [
    "AppliedChange",
    "ContentChange",
    "Documents",
    "OpenDocument",
    "OutOfStep",
    "TextReplaced",
]
