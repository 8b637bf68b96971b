"""A worker collects no garbage, so that what it does for a text must leave none."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from sightline.languages import load_registry
from sightline.slicing import PartialParsePlan, partial_signatures
from sightline.symbols.live import LiveFacts
from sightline.syntax import parse
from sightline.text import Span, Text
from sightline.workers import IndexRequest, ParseRequest, ParseTask
from sightline.workers.worker_loop import answer, index_answer

_SOURCE = b"import os\n\n\nclass Shape:\n    def area(self) -> int:\n        return os.getpid()\n"


@pytest.fixture
def without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_collector")
def test_a_text_leaves_no_garbage() -> None:
    languages = load_registry().languages
    plan = PartialParsePlan((), (("Shape.area", 5, Span(39, 60)),))

    def work() -> None:
        index_answer(languages, IndexRequest(0, "python", _SOURCE))
        answer(languages, ParseRequest(ParseTask.SIGNATURES, "python", _SOURCE))
        partial_signatures(languages["python"], Text(_SOURCE), plan)
        live = LiveFacts(parse(languages["python"], Text(_SOURCE)))
        live.edit(34, 34, b"x")
        _ = live.facts

    work()
    gc.collect()
    work()
    assert gc.collect() == 0
