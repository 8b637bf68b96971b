"""A folder's first scan, shown as progress if the client can, and the watching that follows it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence

from sightline.lsp.folder import FolderClosedError, ScanCancelledError, WorkspaceFolder
from sightline.lsp.hidden_files import ask_about_declared
from sightline.lsp.state import ServerState

logger = logging.getLogger(__name__)


_INDEX = "Index This Folder"
_CANCEL = "Cancel"


def ask_again(folder: WorkspaceFolder) -> bool:
    """Ask again whether to index a folder, if the person has not agreed to it.

    Return True if the folder waits for the answer.
    """
    if folder.host.held is not None and not folder.is_asked:
        folder.begin_indexing()
    return folder.host.held is not None


async def index_folder(
    state: ServerState,
    folder: WorkspaceFolder,
    disk_changed: Callable[[Sequence[str]], None],
    allowed: Callable[[], None],
) -> None:
    """Scan a folder, then watch its files: through the client if it can, else in the server.

    `allowed` is called after the person allowed something that a rule hides.
    """
    if not await _is_agreed(state, folder):
        return
    loop = asyncio.get_running_loop()
    is_cancelled = False
    last = -1

    def cancel() -> None:
        nonlocal is_cancelled
        is_cancelled = True

    def poke() -> None:
        with contextlib.suppress(RuntimeError):
            # The loop may end before the thread does.
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
    if state.shows_lenses:
        await state.client.refresh_lenses()
    folder.retry_quarantined()
    await _ask_about_hidden(state, folder, allowed)


async def _ask_about_hidden(
    state: ServerState, folder: WorkspaceFolder, allowed: Callable[[], None]
) -> None:
    try:
        await ask_about_declared(state, folder, allowed)
    except FolderClosedError:
        return
    except Exception as error:
        logger.error("a question could not be asked: %s", type(error).__name__)


async def _is_agreed(state: ServerState, folder: WorkspaceFolder) -> bool:
    """Return True if the folder is small enough, or the person agrees to index it.

    Before that, nothing of the folder is indexed or built.
    """
    root = str(folder.host.root)
    if root in state.session.agreed:
        return True
    refusal = await folder.result_of(folder.begin_first_look())
    if refusal is None:
        return True
    question = f"'{folder.host.root.name}': {refusal.message}. Index it?"
    folder.is_asked = True
    try:
        if await state.client.ask(question, (_INDEX, _CANCEL)) != _INDEX:
            return False
    finally:
        folder.is_asked = False
        state.debouncer.poke()
    state.session.agreed.add(root)
    folder.host.held = None
    return True
