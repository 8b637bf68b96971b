"""Divide the requests of a scan into batches, and assign them to workers."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Set

from sightline.workers.messages import IndexRequest

_BATCH_BYTES = 1 << 18
_BATCH_FILES = 64
_AHEAD_BYTES = 1 << 22
_MUCH_BYTES = 1 << 20


class Batches:
    """Batches of requests, each large enough for one message, given to one thread at a time.

    A worker prefers files of languages that it has loaded: loading one takes as long as parsing a
    hundred files. A language with few files stays with the worker that began with it.
    """

    def __init__(self, requests: Iterable[IndexRequest]) -> None:
        self._requests = iter(requests)
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[IndexRequest]] = {}
        self._sizes: dict[str, int] = {}
        self._taken: set[str] = set()
        self._is_exhausted = False

    def next(self, loaded: Set[str]) -> list[IndexRequest]:
        """Return the next batch for a worker, given the languages it has loaded; empty at the
        end.
        """
        with self._lock:
            self._read_ahead()
            language = self._choose(loaded)
            if language is None:
                return []
            self._taken.add(language)
            return self._portion(language)

    def stop(self) -> None:
        with self._lock:
            self._is_exhausted = True
            self._waiting.clear()

    def _read_ahead(self) -> None:
        while not self._is_exhausted and sum(self._sizes.values()) < _AHEAD_BYTES:
            request = next(self._requests, None)
            if request is None:
                self._is_exhausted = True
                return
            self._waiting.setdefault(request.language, deque()).append(request)
            self._sizes[request.language] = (
                self._sizes.get(request.language, 0) + len(request.data) + 1
            )

    def _choose(self, loaded: Set[str]) -> str | None:
        def size(language: str) -> tuple[int, str]:
            return self._sizes[language], language

        waiting = [language for language, queue in self._waiting.items() if queue]
        mine = [language for language in waiting if language in loaded]
        if mine:
            return max(mine, key=size)
        untaken = [language for language in waiting if language not in self._taken]
        if untaken:
            return max(untaken, key=size)
        much = [language for language in waiting if self._sizes[language] >= _MUCH_BYTES]
        return max(much, key=size) if much else None

    def _portion(self, language: str) -> list[IndexRequest]:
        queue = self._waiting[language]
        batch: list[IndexRequest] = []
        size = 0
        while queue and size < _BATCH_BYTES and len(batch) < _BATCH_FILES:
            request = queue.popleft()
            batch.append(request)
            size += len(request.data) + 1
        self._sizes[language] -= size
        return batch
