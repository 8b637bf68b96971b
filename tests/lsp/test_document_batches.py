"""Changes on their way from the client to the index: in one batch, in order, or as a whole text."""

from __future__ import annotations

from sightline.lsp.document_batches import DocumentBatch, DocumentBatches
from sightline.lsp.open_documents import ContentChange, Documents, OutOfStep
from sightline.text import Position, PositionEncoding

_URI, _OTHER_URI, _PATH = "file:///a.py", "file:///A.py", "a.py"


class _Client:
    """Types into documents and adds what came of it, as a session does."""

    def __init__(self) -> None:
        self.documents = Documents(PositionEncoding.UTF16)
        self.batches = DocumentBatches()
        self._version = 0

    def open(self, text: str, uri: str = _URI) -> DocumentBatch | None:
        self._version += 1
        document = self.documents.open(uri, "python", self._version, text)
        return self.batches.add(_PATH, document, [])

    def type(self, *changes: ContentChange, uri: str = _URI) -> DocumentBatch | None:
        self._version += 1
        outcome = self.documents.change(uri, self._version, changes)
        assert not isinstance(outcome, OutOfStep)
        return self.batches.add(_PATH, *outcome)


def _key(character: str = "x") -> ContentChange:
    return ContentChange(character, Position(0, 0), Position(0, 0))


def test_keys_that_come_in_a_row_are_one_batch_with_the_texts_that_they_made() -> None:
    """Each edit begins with the very text that the last one made: nothing is spliced again."""
    client = _Client()
    opened = client.open("text")
    assert opened is not None
    client.batches.take(_PATH, opened)
    batch = client.type(_key("a"))
    assert batch is not None
    assert client.type(_key("b"), _key("c")) is None
    assert client.batches.take(_PATH, batch) is batch
    texts = [opened.document.text, *(each.after for each in batch.edits)]
    assert [str(text) for text in texts] == ["text", "atext", "batext", "cbatext"]
    for edit, text in zip(batch.edits, texts[:-1], strict=True):
        assert edit.before is text
    assert batch.edits[-1].after is batch.document.text


def test_what_was_sealed_gets_no_more() -> None:
    """A change that comes after a question is in none of the batches from before it."""
    client = _Client()
    first = client.open("text")
    assert first is not None
    client.batches.seal()
    second = client.type(_key())
    assert second is not None
    assert (str(first.document.text), str(second.document.text)) == ("text", "xtext")
    assert client.batches.count == 2
    client.batches.take(_PATH, first)
    assert client.type(_key()) is None
    client.batches.take(_PATH, second)
    assert client.batches.count == 0
    assert str(second.document.text) == "xxtext"


def test_a_whole_text_takes_the_place_of_edits() -> None:
    """Also where edits follow it, or come under another name of the file."""
    for is_other in (False, True):
        client = _Client()
        for uri in (_URI, _OTHER_URI):
            opened = client.open(uri, uri)
            if opened is not None:
                client.batches.seal()
        client.batches.seal()
        batch = client.type(_key("a"))
        assert batch is not None
        assert len(batch.edits) == 1
        if is_other:
            client.type(_key("b"), uri=_OTHER_URI)
        else:
            client.type(ContentChange("whole"), _key("b"))
        assert batch.edits == []
        client.type(_key("c"), uri=_OTHER_URI if is_other else _URI)
        assert batch.edits == []
        assert str(batch.document.text) == ("cb" + _OTHER_URI if is_other else "cbwhole")


def test_many_edits_are_taken_as_one_text() -> None:
    """Parsing the whole text once is cheaper, and nobody keeps all the texts in between."""
    client = _Client()
    client.open("")
    client.batches.seal()
    batch = client.type(_key())
    assert batch is not None
    for _ in range(15):
        client.type(_key())
    assert len(batch.edits) == 16
    client.type(_key())
    assert batch.edits == []
    assert str(batch.document.text) == "x" * 17
