"""The vocabulary of snapshots: kinds of items, selection strategies, actors, and their error."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Any

import attrs

from sightline.refusals import Refusal, RefusalKind

ACTOR_FIELDS = ("kind", "id", "display_name")
PEER_NAMES = {40: "Sha1", 64: "Sha256"}
"""How the peer library calls the id of an object, by its hexadecimal digits."""


class SelectionStrategy(StrEnum):
    EXPLICIT = "explicit"
    """A person chose the items."""
    HEURISTIC = "heuristic"
    """A program selected the items by their relevance."""


class ActorKind(StrEnum):
    HUMAN = "human"
    AGENT = "agent"
    SYSTEM = "system"
    MCP_CLIENT = "mcp_client"
    OTHER = "other"


class ContextItemKind(StrEnum):
    """What an item is. Any other word is a kind that the application defines."""

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
        """Return a kind that the application defines; in JSON it is `{"other": name}`."""
        return OtherKind(name)


class OtherKind(str):
    """A kind that the application defines. It may even have the name of one of the document's
    kinds.
    """

    __slots__ = ()


class SnapshotError(ValueError):
    """A snapshot or an item is not valid; `refusal` says why."""

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
    """True if JSON can contain the text. File names from the disk may contain
    bytes that it cannot.
    """
    try:
        return isinstance(value, str) and value.encode("utf-8") is not None
    except UnicodeEncodeError:
        return False


def kind_of(value: Any) -> Any:
    """Return the kind that a word, or a value in the document's JSON, names."""
    if isinstance(value, Mapping) and set(value) == {"other"}:
        value = value["other"]
    elif value in tuple(ContextItemKind) and not isinstance(value, OtherKind):
        return ContextItemKind(value)
    return OtherKind(value) if isinstance(value, str) else value


class FrozenFields(Mapping[str, Any]):
    """Fields of a JSON object that cannot be changed."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        if not all(isinstance(key, str) and is_unicode(key) for key in values):
            raise SnapshotError("the name of a field is not a text")
        self._values = {key: frozen(each) for key, each in values.items()}

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


def frozen_fields(value: object) -> FrozenFields:
    """Return the fields of a JSON object as immutable. Raises `SnapshotError` for other values."""
    try:
        fields = frozen(value)
    except RecursionError:
        raise SnapshotError("a field is nested too deeply") from None
    if not isinstance(fields, FrozenFields):
        raise SnapshotError("fields besides those of the document are not a JSON object")
    return fields


def frozen(value: Any) -> Any:
    """Return a JSON value as immutable. Raises `SnapshotError` for other values."""
    if isinstance(value, FrozenFields):
        return value
    if isinstance(value, Mapping):
        return FrozenFields(value)
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    is_json = value is None or isinstance(value, bool | int) or is_unicode(value)
    if is_json or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise SnapshotError("an additional field is not a JSON value")


def check_names(fields: Mapping[str, Any], own: Collection[str]) -> None:
    """Raise `SnapshotError` if an additional field has the name of one of the document's."""
    taken = sorted(fields.keys() & set(own))
    if taken:
        raise SnapshotError(f"{taken[0]} is a field of the document, not an additional one")


def thawed(value: Any) -> Any:
    """Return the value as ordinary dictionaries and lists."""
    if isinstance(value, Mapping):
        return {key: thawed(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [thawed(each) for each in value]
    return value


def hash_of(value: object) -> Any:
    """Return an id in hexadecimal, given so, as its bytes or in the form of the peer library."""
    if isinstance(value, bytes) and 2 * len(value) in PEER_NAMES:
        return value.hex()
    if isinstance(value, Mapping) and len(value) == 1:
        [(name, numbers)] = value.items()
        is_bytes = isinstance(numbers, list | tuple) and all(
            type(each) is int and 0 <= each < 256 for each in numbers
        )
        if is_bytes and PEER_NAMES.get(2 * len(numbers)) == name:
            return bytes(numbers).hex()
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
    """A word of `ActorKind`. Unknown words are kept."""
    id: str
    display_name: str | None = None
    more: Mapping[str, Any] = attrs.field(factory=dict, converter=frozen_fields, hash=False)
    """Fields that this version does not know."""

    def __attrs_post_init__(self) -> None:
        check_names(self.more, ACTOR_FIELDS)
        if not is_named(self.kind) or not is_named(self.id):
            raise SnapshotError("the snapshot does not say who made it")
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

    @classmethod
    def other(cls, name: str, display_name: str | None = None) -> ActorRef:
        return cls(ActorKind.OTHER, name, display_name)
