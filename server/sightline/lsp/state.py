"""State that all handlers share: one client's server. Used on the event loop alone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Coroutine
from typing import Any

from sightline.engine.host import Toolchain
from sightline.lsp.client import Client
from sightline.lsp.folder import FolderClosedError
from sightline.lsp.protocol import Protocol
from sightline.lsp.scheduling import Coalescer, Debouncer, Work
from sightline.lsp.session import Session

logger = logging.getLogger(__name__)


class ServerState:
    """The client's capabilities, its session, and running work."""

    def __init__(self, toolchain: Toolchain, protocol: Protocol, client: Client) -> None:
        self.toolchain = toolchain
        self.protocol = protocol
        self.client = client
        self.parent_process: int | None = None
        self.current_session: Session | None = None
        """None before `initialize`."""
        self.debouncer: Debouncer
        self.refreshes = Coalescer()
        """Folders that will check the disk in a moment."""
        self.roots: list[str] = []
        """The folders that `initialize` names."""
        self.is_initialized = False
        self.is_watched_by_client: asyncio.Task[bool] | None = None
        """The answer whether the client reports changed files, once it has answered."""
        self.shows_lenses = False
        self.is_told_of_no_focus = False
        """True if the client has said that no file has the focus, so that none is guessed."""
        self.has_plugin = False
        """True if the client has a Sightline plugin, which shows the results of commands itself."""
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def session(self) -> Session:
        assert self.current_session is not None, "handlers run after initialize"
        return self.current_session

    def debounce(self, status: Work) -> None:
        """Set the work that computes the status whenever it may have changed."""
        self.debouncer = Debouncer(status)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task beside the handlers; a failure is logged by its kind alone."""
        task = asyncio.get_running_loop().create_task(_guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _guarded(work: Awaitable[None]) -> None:
    try:
        await work
    except FolderClosedError:
        pass
    except Exception as error:
        logger.error("something beside the handlers failed: %s", type(error).__name__)
