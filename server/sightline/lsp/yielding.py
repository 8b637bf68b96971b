"""Builds that nobody asked for make way for those that somebody did.

Invariants: what is broken off costs nobody an answer, and is told so; once builds have made way for
`LONGEST_SECONDS`, the next one comes to its end.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from sightline.building import BuildCancelledError, Cancellation

LONGEST_SECONDS = 10.0


class OvertakenError(Exception):
    """Somebody asked for something, and what nobody had asked for made way."""


class Yielding:
    """Lives on the event loop."""

    def __init__(self) -> None:
        self._under_way: set[Cancellation] = set()
        self._since: float | None = None
        """When a build made way first since one came to its end."""

    @contextlib.contextmanager
    def unasked(self) -> Iterator[Cancellation]:
        """A build that nobody asked for, to be begun with this. Raises `OvertakenError`."""
        cancellation = Cancellation()
        self._under_way.add(cancellation)
        try:
            yield cancellation
        except BuildCancelledError:
            raise OvertakenError from None
        finally:
            self._under_way.discard(cancellation)
        self._since = None

    def overtake(self) -> None:
        """Somebody asks."""
        if not self._under_way:
            return
        now = time.monotonic()
        if self._since is None:
            self._since = now
        if now - self._since < LONGEST_SECONDS:
            for each in self._under_way:
                each.cancel()
