"""A folder's first scan, shown as progress where the client can, and who follows the disk then."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence

from sightline.lsp.folder import FolderClosedError, ScanCancelledError, WorkspaceFolder
from sightline.lsp.state import ServerState

logger = logging.getLogger(__name__)


async def index_folder(
    state: ServerState, folder: WorkspaceFolder, disk_changed: Callable[[Sequence[str]], None]
) -> None:
    """Scan a folder, then have its disk followed: by the client where it does, else by us."""
    loop = asyncio.get_running_loop()
    is_cancelled = False
    last = -1

    def cancel() -> None:
        nonlocal is_cancelled
        is_cancelled = True

    def poke() -> None:
        with contextlib.suppress(RuntimeError):
            # The loop may be gone before the thread is.
            loop.call_soon_threadsafe(state.debouncer.poke)

    folder.on_settled = poke
    progress = await state.client.progress("Sightline: indexing", cancel)

    def report(done: int, total: int) -> None:
        nonlocal last
        if is_cancelled:
            raise ScanCancelledError
        percentage = 100 * done // max(1, total)
        if progress is not None and percentage != last:
            last = percentage
            loop.call_soon_threadsafe(progress.report, percentage, f"{done} of {total} files")

    try:
        await folder.scan(report)
    except ScanCancelledError:
        state.client.show("Indexing was cancelled: answers are incomplete until a reindex.")
    except FolderClosedError:
        return
    except Exception as error:
        logger.error("a folder could not be indexed: %s", type(error).__name__)
    finally:
        if progress is not None:
            progress.end()
    if state.is_watched_by_client is None or not await state.is_watched_by_client:
        folder.watch(loop, disk_changed)
    state.debouncer.poke()
    folder.retry_quarantined()
