"""Changes of open documents on their way to the thread that takes them.

Invariants:

* The changes of one document that nothing was asked about in between are one batch. Whenever
  something is asked, what waits is sealed: a change that comes later begins another batch.
* A batch has every edit from one text to the next, or it stands for the whole text at its end.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import attrs

from sightline.lsp.open_documents import AppliedChange, OpenDocument
from sightline.text import TextSpliced

_MOST_EDITS_IN_A_ROW = 16
"""More that wait are taken as one new text: parsing it once is cheaper."""


@attrs.define
class DocumentBatch:
    document: OpenDocument
    """As the client has it after the last change."""
    edits: Sequence[TextSpliced]
    """What led to its text; none where the whole text is taken."""


class DocumentBatches:
    """Batches by path. The event loop adds and seals, the thread that takes them takes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, DocumentBatch] = {}
        """Those that the next change is added to."""
        self.count = 0
        """How many were not taken yet."""

    def add(
        self, path: str, document: OpenDocument, applied: Sequence[AppliedChange]
    ) -> DocumentBatch | None:
        """Add changes of a document. Return the batch that they begin, if they begin one.

        Without changes, the whole text is another.
        """
        edits = [each for each in applied if isinstance(each, TextSpliced)]
        if len(edits) < len(applied) or len(edits) > _MOST_EDITS_IN_A_ROW:
            edits = []
        with self._lock:
            batch = self._open.get(path)
            if batch is None:
                batch = self._open[path] = DocumentBatch(document, edits)
                self.count += 1
                return batch
            batch.document = document
            # A file may be open under another name, and with another text.
            is_next = edits and batch.edits and batch.edits[-1].after is edits[0].before
            is_short = len(batch.edits) + len(edits) <= _MOST_EDITS_IN_A_ROW
            batch.edits = [*batch.edits, *edits] if is_next and is_short else []
            return None

    def seal(self) -> None:
        """Have what comes from now on begin other batches."""
        with self._lock:
            if self._open:
                self._open = {}

    def take(self, path: str, batch: DocumentBatch) -> DocumentBatch:
        """Return a batch that nothing is added to any more."""
        with self._lock:
            if self._open.get(path) is batch:
                del self._open[path]
            self.count -= 1
            return batch
