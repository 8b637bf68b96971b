"""Looks at the disk: what the client told of, and what we watch where it cannot.

Invariant: whatever was told of before a build was asked for has been looked at when it begins, or
its answer says that it is not complete.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import CancelledError, Future

from sightline.engine.host import Host
from sightline.engine.index import release, try_again, watch_paths
from sightline.lsp.scheduling import MOST_RETRIES, RETRY_SECONDS, ROOT_SECONDS


class DiskLooks:
    """Lives on the event loop; what it submits runs on the disk's thread."""

    def __init__(
        self,
        host: Host,
        submit: Callable[[Callable[[], bool]], Future[bool]],
        count_change: Callable[[], object],
    ) -> None:
        self._host = host
        self._submit = submit
        self._count_change = count_change
        self._told: set[str] = set()
        """Files that changed on the disk and were not looked at yet."""
        self._last: Future[bool] | None = None
        self.is_scanned = False
        """Whether the disk's thread is done with all that there is, or has given up."""

    @property
    def told(self) -> int:
        """How many files were told of and not looked at yet."""
        return len(self._told)

    def tell(self, paths: Iterable[str]) -> None:
        """Remember that files have changed."""
        self._told.update(paths)

    def take_told(self) -> list[str]:
        """Return what was told of and not looked at, for whoever looks now."""
        paths = sorted(self._told)
        self._told.clear()
        return paths

    def begin(self, paths: Sequence[str]) -> Future[bool]:
        """Begin a look, at some files in any case. Its result is whether anything changed."""
        self._last = self._submit(lambda: self._look(paths))
        return self._last

    def begin_at_told(self) -> Future[bool] | None:
        """Return a look at all that was told of, if it is not over: what is asked now waits."""
        if not self.is_scanned:
            # In the middle of a scan nothing is complete, and the look would wait for its end.
            return None
        if self._told:
            self.begin(self.take_told())
            self._submit(self.save)
        return self._last if self._last is not None and not self._last.done() else None

    # The disk's thread.

    def save(self) -> bool:
        """Save what the store does not know; return whether there was anything."""
        return self._host.save()

    def _look(self, paths: Sequence[str]) -> bool:
        before = self._host.project.snapshot.fingerprint
        self._host.look_at_disk(paths)
        is_changed = self._host.project.snapshot.fingerprint != before
        if is_changed:
            self._count_change()
        return is_changed


def watch_disk(
    host: Host,
    stop: threading.Event,
    loop: asyncio.AbstractEventLoop,
    refresh: Callable[[Sequence[str]], Coroutine[object, object, None]],
    changed: Callable[[Sequence[str]], None],
) -> None:
    """Follow the disk on a thread of its own: refresh, then tell. No paths stand for any."""

    def follow_root() -> None:
        for paths in watch_paths(host, stop):
            future = asyncio.run_coroutine_threadsafe(refresh(paths), loop)
            future.result()
            loop.call_soon_threadsafe(changed, paths)

    def follow() -> None:
        while not stop.is_set() and not loop.is_closed():
            # The loop or the folder may be gone before the thread is. What else goes wrong is
            # looked at again in a moment.
            with contextlib.suppress(CancelledError, Exception):
                follow_root()
                # The root is gone, or another directory has its name.
                loop.call_soon_threadsafe(changed, ())
            stop.wait(ROOT_SECONDS)

    threading.Thread(target=follow, name="sightline-watch", daemon=True).start()


def retry_quarantined(
    host: Host,
    stop: threading.Event,
    submit: Callable[[Callable[[], bool]], Future[bool]],
    settled: Callable[[], object],
) -> None:
    """Try again, once and in the background, what was in quarantine at the start."""

    def retry() -> None:
        if stop.wait(RETRY_SECONDS):
            return
        # The workers or the folder may be closed meanwhile.
        with contextlib.suppress(RuntimeError, CancelledError):
            passed = try_again(host, MOST_RETRIES)
            if submit(lambda: release(host, passed)).result():
                settled()

    if host.snapshot.quarantined:
        threading.Thread(target=retry, name="sightline-retry", daemon=True).start()
