"""Queue changes of open documents for the thread that applies them.

Invariants:

* Changes of one document form one batch until something is requested. A request seals the waiting
  batches: a later change begins a new one.
* A batch has every edit from one text to the next, or it stands for the whole text at its end.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import attrs

from sightline.lsp.open_documents import AppliedChange, OpenDocument
from sightline.text import TextSpliced

_MOST_EDITS_IN_A_ROW = 16
"""If more edits wait, they are applied as one new text: parsing once is cheaper."""


@attrs.define
class DocumentBatch:
    document: OpenDocument
    """The document after the last change."""
    edits: Sequence[TextSpliced]
    """The edits that lead to its text; empty if the whole text is replaced."""


class DocumentBatches:
    """Batches by path. The event loop adds and seals them; the editors' thread takes them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, DocumentBatch] = {}
        """Batches that accept further changes."""
        self.count = 0
        """How many batches have not been taken yet."""

    def add(
        self, path: str, document: OpenDocument, applied: Sequence[AppliedChange]
    ) -> DocumentBatch | None:
        """Add changes of a document. Return the batch if they begin a new one.

        Without changes, the whole text is replaced.
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
            # The file may be open under another name with another text.
            is_next = edits and batch.edits and batch.edits[-1].after is edits[0].before
            is_short = len(batch.edits) + len(edits) <= _MOST_EDITS_IN_A_ROW
            batch.edits = [*batch.edits, *edits] if is_next and is_short else []
            return None

    def seal(self) -> None:
        """Close all batches: later changes begin new ones."""
        with self._lock:
            if self._open:
                self._open = {}

    def take(self, path: str, batch: DocumentBatch) -> DocumentBatch:
        """Take a batch: nothing is added to it any more."""
        with self._lock:
            if self._open.get(path) is batch:
                del self._open[path]
            self.count -= 1
            return batch
