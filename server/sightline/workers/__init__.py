"""Killable worker processes that parse and summarize.

A parse cannot be interrupted, and small hostile texts take a grammar minutes. So every parse of a
text we did not write happens in a process of our own that is killed when its processor time is
up: a bomb costs one worker, never the server.

Invariants:

* Nothing but plain values crosses the pipe: length-prefixed MessagePack, decoded into typed
  values. A worker cannot make its parent run code.
* A worker takes no code from its working directory, writes nothing and logs nothing.
* A worker ends with its parent: by end of input when idle, by a signal when busy.
* A limit is processor time. What hits it is told as such, and never as a fact about the text.
"""

from sightline.workers.messages import (
    EditAnswer,
    EditRequest,
    FactsRequest,
    IndexAnswer,
    IndexRequest,
    ParseAnswer,
    ParseRequest,
    ParseTask,
    PartialParseAnswer,
    PartialParseRequest,
    is_quarantined,
)
from sightline.workers.pool import TIME_LIMIT_SECONDS, TooSlow, Workers
from sightline.workers.stock import WorkersClosedError
from sightline.workers.work_future import WorkFuture

__all__ = [
    "TIME_LIMIT_SECONDS",
    "EditAnswer",
    "EditRequest",
    "FactsRequest",
    "IndexAnswer",
    "IndexRequest",
    "ParseAnswer",
    "ParseRequest",
    "ParseTask",
    "PartialParseAnswer",
    "PartialParseRequest",
    "TooSlow",
    "WorkFuture",
    "Workers",
    "WorkersClosedError",
    "is_quarantined",
]
