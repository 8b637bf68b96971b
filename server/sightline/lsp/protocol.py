"""The protocol: incoming messages are checked, and every request gets exactly one answer.

pygls registers handlers, knows the standard types and sends. This module parses, checks,
dispatches, cancels and answers messages, because pygls loses answers, shows tracebacks and logs
contents there.

Invariants:

* Each request with a usable id is answered once: with its result, or with an error whose message is
  one of ours. Nothing else is answered, except input that cannot be read at all (id null).
* Handlers of changes and notices are plain functions, all others are coroutines. A handler that
  raises affects its own answer only.
* A change is made when it is received, unless a handler holds the turn: then it waits for its own.
* No answer, notification or log carries a traceback or a piece of a document.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from enum import IntEnum
from functools import partial
from typing import Any, cast

import cattrs
import msgspec
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage

from sightline.lsp.extensions import NOTIFICATIONS, REQUESTS
from sightline.lsp.turns import Turns

logger = logging.getLogger(__name__)

MessageId = int | str
Handler = Callable[[Any], Awaitable[Any]]
PlainHandler = Callable[[Any], None]


class Code(IntEnum):
    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    NOT_INITIALIZED = -32002
    CONTENT_MODIFIED = -32801
    CANCELLED = -32800


class FailureError(Exception):
    """An error answer; its message is fixed and repeats nothing of the request."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


class LifecycleState(IntEnum):
    BEFORE_INITIALIZE = 0
    RUNNING = 1
    SHUT_DOWN = 2


class Protocol(LanguageServerProtocol):
    """A pygls protocol with our own receiving and sending."""

    def __init__(self, server: LanguageServer, converter: cattrs.Converter) -> None:
        # pygls reads every attribute while it creates the protocol.
        self._tasks: dict[MessageId, asyncio.Task[None]] = {}
        self._requests: dict[str, Handler] = {}
        self._changes: dict[str, PlainHandler] = {}
        self._long_changes: dict[str, Handler] = {}
        self._notices: dict[str, PlainHandler] = {}
        super().__init__(server, converter)
        self.turns = Turns()
        """Held by handlers that change state which requests read."""
        self.state = LifecycleState.BEFORE_INITIALIZE
        self.on_exit: Callable[[], None] = lambda: None
        self.on_misunderstood: Callable[[str, Any], None] = lambda *_: None
        """Called with a notification that cannot be parsed: what it said may matter."""
        self.send_bytes: Callable[[bytes], None] = lambda _: None

    def handle_request(self, method: str, handler: Handler) -> None:
        """Register a request handler. A message of this method without an id is ignored."""
        self._requests[method] = handler

    def handle_change(self, method: str, handler: PlainHandler) -> None:
        """Register a notification handler that runs in its turn."""
        self._changes[method] = handler

    def handle_long_change(self, method: str, handler: Handler) -> None:
        """Register a notification handler that holds the turn until it is done."""
        self._long_changes[method] = handler

    def handle_notice(self, method: str, handler: PlainHandler) -> None:
        """Register a notification handler that runs at once, without a turn."""
        self._notices[method] = handler

    # Receiving.

    def receive(self, body: bytes) -> None:
        """Process one message. Never raises."""
        try:
            message = json.loads(body, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            self._refuse(None, Code.PARSE_ERROR, "the message is not JSON")
            return
        if not isinstance(message, dict):
            problem = "batches are not part of this protocol" if isinstance(message, list) else ""
            self._refuse(None, Code.INVALID_REQUEST, problem or "a message is a JSON object")
            return
        identity = message.get("id")
        has_id = "id" in message and _is_id(identity)
        method = message.get("method")
        if method is None and ("result" in message or "error" in message):
            # A broken answer is never answered: the client might take that for an answer of its
            # own, or reply forever.
            if has_id and message.get("jsonrpc") == "2.0":
                self._take_response(cast(MessageId, identity), message)
            return
        if message.get("jsonrpc") != "2.0":
            if method is not None or "id" in message:
                self._refuse(
                    identity if has_id else None, Code.INVALID_REQUEST, "jsonrpc must be '2.0'"
                )
            return
        if method is None:
            if "id" in message:
                self._refuse(
                    identity if has_id else None, Code.INVALID_REQUEST, "a request has a method"
                )
            return
        if not isinstance(method, str):
            if "id" in message:
                self._refuse(
                    identity if has_id else None,
                    Code.INVALID_REQUEST,
                    "a method is named by a string",
                )
            return
        params = message.get("params")
        if "id" not in message:
            self._take_notification(method, params)
        elif not has_id:
            self._refuse(None, Code.INVALID_REQUEST, "an id is a whole number or a string")
        else:
            self._take_request(cast(MessageId, identity), method, params)

    def _take_request(self, identity: MessageId, method: str, params: Any) -> None:
        if identity in self._tasks:
            self._refuse(identity, Code.INVALID_REQUEST, "this id is still being worked on")
            return
        if self.state is LifecycleState.BEFORE_INITIALIZE and method != types.INITIALIZE:
            self._refuse(identity, Code.NOT_INITIALIZED, "initialize comes first")
            return
        if self.state is LifecycleState.SHUT_DOWN:
            self._refuse(identity, Code.INVALID_REQUEST, "the server is shut down")
            return
        if self.state is LifecycleState.RUNNING and method == types.INITIALIZE:
            self._refuse(identity, Code.INVALID_REQUEST, "the server is initialized already")
            return
        handler = self._requests.get(method)
        if handler is None and self._is_notification(method):
            # It refers to no request of ours, and is processed like a notification.
            handler = partial(self._take, method)
        if handler is None:
            self._refuse(identity, Code.METHOD_NOT_FOUND, "there is no such method")
            return
        try:
            structured = self._structured(method, params)
        except FailureError as failure:
            self._refuse(identity, failure.code, str(failure))
            return
        if method == types.INITIALIZE:
            # The messages that follow directly must see this state, before any task runs.
            self.state = LifecycleState.RUNNING
        task = asyncio.get_running_loop().create_task(self._answer(identity, handler, structured))
        self._tasks[identity] = task

    async def _answer(self, identity: MessageId, handler: Handler, params: Any) -> None:
        try:
            answer = self._plain(await handler(params))
            self._send({"jsonrpc": "2.0", "id": identity, "result": answer})
        except asyncio.CancelledError:
            self._refuse(identity, Code.CANCELLED, "the request was cancelled")
        except FailureError as failure:
            self._refuse(identity, failure.code, str(failure))
        except Exception as error:
            logger.error("a handler failed: %s", _where(error))
            self._refuse(identity, Code.INTERNAL_ERROR, "something went wrong in the server")
        finally:
            self._tasks.pop(identity, None)

    def _take_notification(self, method: str, params: Any) -> None:
        if method == types.EXIT:
            self.on_exit()
            return
        if method == types.CANCEL_REQUEST:
            identity = params.get("id") if isinstance(params, dict) else None
            task = self._tasks.get(cast(MessageId, identity)) if _is_id(identity) else None
            if task is not None:
                task.cancel()
            return
        if self.state is not LifecycleState.RUNNING:
            return
        if not self._is_notification(method):
            return
        try:
            structured = self._structured(method, params)
        except FailureError as failure:
            logger.warning("a notification was not understood: %s (%s)", method[:80], failure)
            self.on_misunderstood(method, params)
            return
        change = self._changes.get(method) if self.turns.are_free else None
        handler = change or self._notices.get(method)
        if handler is None:
            asyncio.get_running_loop().create_task(self._take_later(method, structured))
            return
        try:
            handler(structured)
        except Exception as error:
            logger.error("a handler of %s failed: %s", method[:80], _where(error))

    def _is_notification(self, method: str) -> bool:
        return method in self._changes or method in self._notices or method in self._long_changes

    async def _take_later(self, method: str, params: Any) -> None:
        try:
            await self._take(method, params)
        except Exception as error:
            logger.error("a handler of %s failed: %s", method[:80], _where(error))

    async def _take(self, method: str, params: Any) -> None:
        """Handle a notification, in its turn if it has one."""
        if method in self._notices:
            self._notices[method](params)
            return
        async with self.turns:
            if method in self._changes:
                self._changes[method](params)
            else:
                await self._long_changes[method](params)

    def _take_response(self, identity: MessageId, message: dict[str, Any]) -> None:
        future = self._request_futures.pop(identity, None)
        result_type = self._result_types.pop(identity, None)
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(
                FailureError(Code.INTERNAL_ERROR, "the client answered with an error")
            )
            return
        try:
            answer = (
                self._converter.structure(message, result_type).result
                if result_type is not None
                else message.get("result")
            )
        except Exception:
            future.set_exception(
                FailureError(Code.INVALID_PARAMS, "the client's answer is malformed")
            )
            return
        future.set_result(answer)

    def _structured(self, method: str, params: Any) -> Any:
        """Convert parameters to the method's type."""
        own = REQUESTS.get(method) or NOTIFICATIONS.get(method)
        if own is not None:
            try:
                return msgspec.convert(params if params is not None else {}, own)
            except msgspec.ValidationError as error:
                # The message names a field and a type, but no value.
                raise FailureError(Code.INVALID_PARAMS, f"invalid parameters: {error}") from None
            except Exception:
                # Nested too deeply, or a number that is too large.
                raise FailureError(Code.INVALID_PARAMS, "invalid parameters") from None
        message_type = self.get_message_type(method)
        if message_type is None:
            return params
        has_id = any(each.name == "id" for each in message_type.__attrs_attrs__)
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if has_id:
            message["id"] = 0
        if params is None:
            message.pop("params")
        try:
            return getattr(self._converter.structure(message, message_type), "params", None)
        except Exception:
            raise FailureError(Code.INVALID_PARAMS, "invalid parameters") from None

    # Sending.

    def refuse_frame(self, code: Code, problem: str) -> None:
        """Answer input that is not a message."""
        self._refuse(None, code, problem)

    def _refuse(self, identity: MessageId | None, code: Code, message: str) -> None:
        self._send(
            {
                "jsonrpc": "2.0",
                "id": identity,
                "error": {"code": int(code), "message": message},
            }
        )

    def _plain(self, value: Any) -> Any:
        """Return a result as JSON values."""
        if isinstance(value, msgspec.Struct):
            return msgspec.to_builtins(value)
        return self._converter.unstructure(value)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def _send_data(self, data: Any) -> None:
        """Send a message for pygls: its requests and notifications to the client."""
        if isinstance(data, JsonRPCNotification | JsonRPCRequestMessage):
            message: dict[str, Any] = {"jsonrpc": "2.0", "method": data.method}
            if isinstance(data, JsonRPCRequestMessage):
                message["id"] = data.id
            message["params"] = self._plain(data.params)
        else:
            message = self._converter.unstructure(data)
        self._send(message)

    def notify_struct(self, method: str, params: msgspec.Struct) -> None:
        """Send one of our own notifications."""
        self._send({"jsonrpc": "2.0", "method": method, "params": msgspec.to_builtins(params)})

    @property
    def open_requests(self) -> int:
        return len(self._tasks)

    def cancel_all(self) -> None:
        for task in list(self._tasks.values()):
            task.cancel()


def converter() -> cattrs.Converter:
    """Return pygls' converter, changed to stop at the first problem of a message.

    It also rejects text that is not a string, which would otherwise be served as the client's text.
    """
    made: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    made.detailed_validation = False
    made.register_structure_hook(str, _string)
    made.register_structure_hook(int, _whole_number)
    return made


def _string(value: object, kind: Callable[[str], Any]) -> Any:
    if not isinstance(value, str):
        raise TypeError
    return kind(value)


def _whole_number(value: Any, kind: Callable[[Any], Any]) -> Any:
    # Some clients write every number with a decimal point. Enumerations and booleans pass here too.
    if kind is int and (isinstance(value, bool | str) or value != int(value)):
        raise TypeError
    return kind(value)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _is_id(value: object) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or isinstance(value, str)


def _where(error: BaseException) -> str:
    """Return the kind of an error and its place in our code; never its text, which may quote a
    file.
    """
    frames = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append(f"{code.co_name}:{traceback.tb_lineno}")
        traceback = traceback.tb_next
    return f"{type(error).__name__} at {' > '.join(frames[-4:])}"
