"""Checks of the disk: files that the client reports, and files that the server watches itself.

Invariant: every change that was reported before a build was requested has been read when the build
begins, or the answer says that it is not complete.
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
    """Schedules checks of the disk. Runs on the event loop; the work runs on the disk's thread."""

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
        """Files that were reported as changed and have not been read yet."""
        self._last: Future[bool] | None = None
        self.is_scanned = False
        """True when the disk's thread has finished the first scan, or given up."""

    @property
    def told(self) -> int:
        """Return how many reported files have not been read yet."""
        return len(self._told)

    def tell(self, paths: Iterable[str]) -> None:
        """Remember that files have changed."""
        self._told.update(paths)

    def take_told(self) -> list[str]:
        """Return the reported files that have not been read, and clear the list. The caller reads
        them.
        """
        paths = sorted(self._told)
        self._told.clear()
        return paths

    def begin(self, paths: Sequence[str]) -> Future[bool]:
        """Begin a check, of these files in any case. Its result is True if anything changed."""
        self._last = self._submit(lambda: self._look(paths))
        return self._last

    def begin_at_told(self) -> Future[bool] | None:
        """Return the check of all reported files, if it is still running: a request waits for
        it.
        """
        if not self.is_scanned:
            # Nothing is complete during a scan, and the check would wait for the end of the scan.
            return None
        if self._told:
            self.begin(self.take_told())
            self._submit(self.save)
        return self._last if self._last is not None and not self._last.done() else None

    # Runs on the disk's thread.

    def save(self) -> bool:
        """Save what is not yet in the store; return True if something was saved."""
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
    """Watch the disk on a thread of its own; refresh, then report. An empty list of paths means any
    path.
    """

    def follow_root() -> None:
        for paths in watch_paths(host, stop):
            future = asyncio.run_coroutine_threadsafe(refresh(paths), loop)
            future.result()
            loop.call_soon_threadsafe(changed, paths)

    def follow() -> None:
        while not stop.is_set() and not loop.is_closed():
            # The loop or the folder may end before the thread does. After any other error the next
            # check, a moment later, tries again.
            with contextlib.suppress(CancelledError, Exception):
                follow_root()
                # The root was removed, or another directory took its name.
                loop.call_soon_threadsafe(changed, ())
            stop.wait(ROOT_SECONDS)

    threading.Thread(target=follow, name="sightline-watch", daemon=True).start()


def retry_quarantined(
    host: Host,
    stop: threading.Event,
    submit: Callable[[Callable[[], bool]], Future[bool]],
    settled: Callable[[], object],
) -> None:
    """Try the texts that were in quarantine at the start once more, in the background."""

    def retry() -> None:
        if stop.wait(RETRY_SECONDS):
            return
        # The workers or the folder may have been closed meanwhile.
        with contextlib.suppress(RuntimeError, CancelledError):
            passed = try_again(host, MOST_RETRIES)
            if submit(lambda: release(host, passed)).result():
                settled()

    if host.snapshot.quarantined:
        threading.Thread(target=retry, name="sightline-retry", daemon=True).start()
