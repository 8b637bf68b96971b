"""How the server meets its client: standard streams, or a local socket for debugging.

Invariants:

* It ends within five seconds of its client: when the input ends, when `exit` arrives, or when the
  process that started it is gone. Workers end with it.
* Reading, writing and the log have threads of their own: a client that does not read delays only
  its own answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, Protocol

from sightline.engine.host import Toolchain
from sightline.lsp.framing import BadFrame, FrameReader
from sightline.lsp.protocol import Code, LifecycleState
from sightline.lsp.server import Server

_CHUNK = 256 * 1024
_PARENT_SECONDS = 0.5
_LAST_WRITES_SECONDS = 1.0
_LAST_SECONDS = 2.0
"""The longest time between the client's end and ours. A busy worker may need two more seconds."""


class _ReadBytes(Protocol):
    def __call__(self, size: int, /) -> bytes: ...


class _WriteBytes(Protocol):
    def __call__(self, data: memoryview, /) -> int: ...


def serve_stdio(client_process: int | None = None) -> NoReturn:
    """Serve the standard streams until the client is gone."""
    if sys.stderr is None:
        # There is no stderr. Otherwise the next file opened would get its number and receive the
        # log.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    # Output that is printed by mistake must not end up in the protocol.
    output = os.dup(1)
    os.dup2(2, 1)
    _serve(lambda size: os.read(0, size), lambda data: os.write(output, data), client_process)


def listen(port: int) -> socket.socket:
    """Listen on a port of this machine, unreachable from others; 0 chooses a free port."""
    return socket.create_server(("127.0.0.1", port))


def serve_tcp(listening: socket.socket, client_process: int | None = None) -> NoReturn:
    """Serve the first client that connects."""
    with listening:
        print(f"listening on 127.0.0.1:{listening.getsockname()[1]}", file=sys.stderr, flush=True)
        connection, _ = listening.accept()
    _serve(connection.recv, connection.send, client_process)


def _serve(read: _ReadBytes, output: _WriteBytes, client_process: int | None) -> NoReturn:
    log = _Writer(lambda data: os.write(2, data), lambda: None)
    _quiet_logs(log)
    code = 1
    toolchain = Toolchain()
    try:
        code = asyncio.run(_session(read, output, toolchain, client_process))
    except Exception as error:
        logging.getLogger(__name__).error("the server ends: %s", type(error).__name__)
    finally:
        with contextlib.suppress(Exception):
            toolchain.close()
        log.finish()
        # Do not wait for threads that wait for a disk or a client.
        os._exit(code)


async def _session(
    read: _ReadBytes, output: _WriteBytes, toolchain: Toolchain, client_process: int | None
) -> int:
    loop = asyncio.get_running_loop()
    stream = asyncio.StreamReader(limit=_CHUNK)
    ended = asyncio.Event()
    writer = _Writer(output, lambda: loop.call_soon_threadsafe(ended.set))
    server = Server(toolchain)
    server.state.parent_process = client_process
    protocol = server.protocol
    protocol.send_bytes = writer.put
    protocol.on_exit = ended.set
    threading.Thread(
        target=_feed, args=(read, stream, server, loop), name="sightline-input", daemon=True
    ).start()
    threading.Thread(
        target=_watch_parent, args=(server, ended, loop), name="sightline-parent", daemon=True
    ).start()
    receiving = asyncio.create_task(_receive(FrameReader(stream), server, ended))
    await ended.wait()
    receiving.cancel()
    _end_soon(server)
    code = _exit_code(server)
    if server.state.current_session is not None:
        server.state.current_session.close()
    writer.finish()
    return code


async def _receive(frames: FrameReader, server: Server, ended: asyncio.Event) -> None:
    while True:
        frame = await frames.next()
        if frame is None:
            ended.set()
            return
        if isinstance(frame, BadFrame):
            server.protocol.refuse_frame(Code.PARSE_ERROR, frame.problem)
            continue
        server.protocol.receive(frame)
        # Let handlers begin before the next message is read: changes keep their order.
        await asyncio.sleep(0)
        if server.protocol.open_requests:
            # Let the tasks begin that a request starts.
            await asyncio.sleep(0)


def _watch_parent(server: Server, ended: asyncio.Event, loop: asyncio.AbstractEventLoop) -> None:
    """End when the process that started us is gone, even if the pipe stays open."""
    while True:
        time.sleep(_PARENT_SECONDS)
        parent = server.state.parent_process
        if parent is not None and not _is_alive(parent):
            _end_soon(server)
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(ended.set)
            return


def _end_soon(server: Server) -> None:
    """End this process, even if its threads still wait."""
    timer = threading.Timer(_LAST_SECONDS, lambda: os._exit(_exit_code(server)))
    timer.daemon = True
    timer.start()


def _exit_code(server: Server) -> int:
    return 0 if server.protocol.state is LifecycleState.SHUT_DOWN else 1


def _is_alive(process: int) -> bool:
    if process <= 0:
        return True
    if os.name == "nt":
        return _is_alive_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    try:
        status = Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return True
    # A zombie counts as gone: only its exit code is left to be read.
    return status.rpartition(b")")[2].split()[:1] not in ([b"Z"], [b"X"])


def _is_alive_on_windows(process: int) -> bool:
    import ctypes

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009
    handle = kernel.OpenProcess(0x1000, 0, process)
    if not handle:
        return False
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return code.value == 259


def _feed(
    read: _ReadBytes,
    stream: asyncio.StreamReader,
    server: Server,
    loop: asyncio.AbstractEventLoop,
) -> None:
    """Pass bytes to the event loop as they arrive, no faster than it reads them."""
    room = threading.Semaphore(8)

    def take(data: bytes) -> None:
        stream.feed_data(data)
        room.release()

    with contextlib.suppress(RuntimeError):
        # The loop may end before the input does.
        while True:
            try:
                data = read(_CHUNK)
            except OSError:
                data = b""
            if not data:
                _end_soon(server)
                loop.call_soon_threadsafe(stream.feed_eof)
                return
            room.acquire()
            loop.call_soon_threadsafe(take, data)


class _Writer:
    """Writes queued data in order, on a thread of its own."""

    def __init__(self, output: _WriteBytes, failed: Callable[[], object]) -> None:
        self._output = output
        self._failed = failed
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="sightline-output", daemon=True)
        self._thread.start()

    def put(self, data: bytes) -> None:
        self._waiting.put(data)

    def finish(self) -> None:
        """Write the rest of the queue, if the client still reads."""
        self._waiting.put(None)
        self._thread.join(_LAST_WRITES_SECONDS)

    def _run(self) -> None:
        while (data := self._waiting.get()) is not None:
            try:
                view = memoryview(data)
                while view:
                    view = view[self._output(view) :]
            except (OSError, ValueError):
                with contextlib.suppress(RuntimeError):
                    self._failed()
                return


class _StderrLog(logging.Handler):
    def __init__(self, writer: _Writer) -> None:
        super().__init__()
        self._writer = writer

    def emit(self, record: logging.LogRecord) -> None:
        self._writer.put(f"sightline: {record.getMessage()}\n".encode("utf-8", "replace"))


def _quiet_logs(writer: _Writer) -> None:
    """Send our own log to stderr and silence the libraries: they would log whole messages."""
    logging.basicConfig(level=logging.WARNING, handlers=[_StderrLog(writer)])
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    logging.getLogger("pygls").propagate = False
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    logging.getLogger("cattrs").setLevel(logging.CRITICAL)
