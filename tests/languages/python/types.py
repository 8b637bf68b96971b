"""Types in annotations, bases and aliases: where each name is used, and as what."""

from __future__ import annotations

import typing as t
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Generic, Literal, Optional, overload

from .models import Order, User
from . import models as m

T = t.TypeVar("T")
Handler: t.TypeAlias = Callable[[User, m.Order], Awaitable[None]]

type Pair[A] = tuple[A, A]
type Json = (
    dict[str, Json] | list[Json] | str
)
type Names = list[str] | None


class Box[Item: (int, str)]:
    item: Item


class Repository(Generic[T], Mapping[str, m.Order], t.Protocol[T]):
    users: dict[str, list[User | None]]
    current: Optional[User] = None
    later: "Order"
    by_day: t.Dict[str, t.List[m.Order]]
    either: int | m.Order | User | Order | None
    mode: Literal["r", "w"]
    bounded: Annotated[int, m.Range(0, 10)]

    @overload
    def get(self, key: int) -> User: ...
    @overload
    def get(self, key: str, default: T = ...) -> User | T: ...
    def get(self, key, default=None):
        found: list[Order] = t.cast(list[Order], default)
        return found

    def each(
        self,
        visit: Callable[..., Awaitable[m.User]],
        *extra: tuple[User, ...],
        **options: t.Unpack[m.Options],
    ) -> t.Iterator[Pair[User]]:
        try:
            yield from Box[int](visit(*extra, **options))
        except* (KeyError, m.NotFound) as group:
            raise m.Failed("x") from group
        except OSError:
            pass
        match self.current:
            case User(name="x") | m.Order():
                self.users.clear()


def first[Element, *Rest, **Params](
    items: list[Element], *rest: *Rest
) -> Element:
    return items[0]


class Registry(dict, metaclass=m.Meta, total=False): ...


class Named(t.NamedTuple("Named", [("x", int)])):
    pass


class Defaulted[T: (int, str) = int, *Ts = *tuple[int, ...]](Base[T]):
    größe: T


def defaulted[T = int](value: T) -> T:
    return value
