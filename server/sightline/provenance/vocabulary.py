"""The words of a snapshot: kinds, strategies, whoever made it, and the error of a wrong one."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import attrs

from sightline.refusals import Refusal, RefusalKind


class SelectionStrategy(StrEnum):
    EXPLICIT = "explicit"
    """A person chose the items."""
    HEURISTIC = "heuristic"
    """They were selected by their relevance."""


class ActorKind(StrEnum):
    HUMAN = "human"
    AGENT = "agent"
    SYSTEM = "system"
    MCP_CLIENT = "mcp_client"
    OTHER = "other"


class ContextItemKind(StrEnum):
    """What an item is; any other word is a kind of the application's own."""

    FILE = "file"
    """`path` is a path in the repository, `blob` the object in git's own tree."""
    URL = "url"
    """`path` is the address, `blob` the page as it was fetched."""
    SNIPPET = "snippet"
    """`path` is a label, `blob` the text."""
    COMMAND = "command"
    """`path` is the command, `blob` its output."""
    IMAGE = "image"
    """`path` is the file's name, `blob` its bytes."""

    @staticmethod
    def other(name: str) -> str:
        """Return a kind of the application's own; in JSON it is `{"other": name}`."""
        return OtherKind(name)


class OtherKind(str):
    """A kind of the application's own; it may even have the name of one of the document's."""

    __slots__ = ()


class SnapshotError(ValueError):
    """A snapshot or an item that cannot be; `refusal` says what is wrong with it."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.refusal = Refusal(
            RefusalKind.INVALID_REQUEST,
            "invalid_snapshot",
            None,
            problem,
            "see docs/snapshots.md for the form of a snapshot",
        )


def is_named(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and is_unicode(value)


def is_unicode(value: object) -> bool:
    """Return True for a text that JSON can hold, which a name from the disk may not be."""
    try:
        return isinstance(value, str) and value.encode("utf-8") is not None
    except UnicodeEncodeError:
        return False


def kind_of(value: Any) -> Any:
    """Return the kind that a word or the document's JSON names."""
    if isinstance(value, Mapping) and set(value) == {"other"}:
        value = value["other"]
    elif value in tuple(ContextItemKind) and not isinstance(value, OtherKind):
        return ContextItemKind(value)
    return OtherKind(value) if isinstance(value, str) else value


def frozen(value: Any) -> Any:
    """Return JSON values that cannot be changed."""
    if isinstance(value, Mapping):
        return MappingProxyType({key: frozen(each) for key, each in value.items()})
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    return value


def thawed(value: Any) -> Any:
    """Return the same as dictionaries and lists."""
    if isinstance(value, Mapping):
        return {key: thawed(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [thawed(each) for each in value]
    return value


def strategy_of(value: object) -> SelectionStrategy:
    try:
        return SelectionStrategy(str(value))
    except ValueError:
        raise SnapshotError("its selection strategy is unknown") from None


@attrs.frozen
class ActorRef:
    """Who made a snapshot. Raises `SnapshotError`."""

    kind: str
    """A word of `ActorKind`; others are kept."""
    id: str
    display_name: str | None = None
    more: Mapping[str, Any] = attrs.field(factory=dict, converter=frozen, hash=False)
    """Fields that this version does not know."""

    def __attrs_post_init__(self) -> None:
        if not is_named(self.kind) or not is_named(self.id):
            raise SnapshotError("whoever made the snapshot is not named")
        if self.display_name is not None and not is_unicode(self.display_name):
            raise SnapshotError("display_name is not a text")

    @classmethod
    def human(cls, name: str, display_name: str | None = None) -> ActorRef:
        return cls(ActorKind.HUMAN, name, display_name)

    @classmethod
    def agent(cls, name: str, display_name: str | None = None) -> ActorRef:
        return cls(ActorKind.AGENT, name, display_name)

    @classmethod
    def system(cls, name: str, display_name: str | None = None) -> ActorRef:
        return cls(ActorKind.SYSTEM, name, display_name)

    @classmethod
    def mcp_client(cls, name: str, display_name: str | None = None) -> ActorRef:
        return cls(ActorKind.MCP_CLIENT, name, display_name)
