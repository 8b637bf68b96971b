"""Killable worker processes that parse and summarize.

A parse cannot be interrupted, and a small hostile text can keep a grammar busy for minutes. So
every parse of a text that we did not write happens in a process of our own, which is killed when
its processor time is used up: such a text costs one worker, never the server.

Invariants:

* Only plain values cross the pipe: length-prefixed MessagePack, decoded into typed values. A worker
  cannot make its parent run code.
* A worker loads no code from its working directory, writes nothing and logs nothing.
* A worker ends with its parent: by end of input when idle, by a signal when busy.
* A limit is processor time. Reaching it is reported as a limit, never as a fact about the text.
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
