#!/usr/bin/env python3
"""What Sightline makes of Python: functions, classes and the names bound beside them.

A docstring is a part of the body. Python has no doc comments, so no comment belongs to a region.
"""

from __future__ import annotations

import os.path as osp, sys
from . import registry
from .shapes import (
    Circle as Round,
    Square,
)
from ..tools.measure import *

MAX_SIZE: int = 10
_private_limit = 3
first, *rest = range(MAX_SIZE)
(left, [top, *others]), bottom = ((1, (2, 3)), 4)
width = height = depth = breadth = area = 0
unset: str
registry.default = None
registry.names["x"], kept = "y", 1
square = lambda side: side**2
MATRIX = [
    [1, 0],
    [0, 1],
]
if (found := osp.exists("x")) and found:
    print("a name bound in passing declares nothing")


# This comment is directly above, and still none of `plain`.
def plain(a, b=1, /, *args, key=None, **kwargs):
    """Add."""
    total = a + b
    return total
    # A comment at the end of a block is none of the function.


def signature_over_lines(
    first: int,
    # a comment among the parameters
    second: str = "x",
    *,
    callback=lambda value: value,
) -> dict[str, int]:  # a comment behind the header
    return {second: callback(first)}


async def fetch(url): return await registry.get(url); print("never")


def generator():
    received = yield from iter(())
    return received


@registry.register
@osp.cached(
    size=MAX_SIZE,
)
# a comment between decorators and definition
def decorated(): ...


@registry.model(name="shape")
class Shape(registry.Base, Round, metaclass=registry.Meta, frozen=True):
    """A class holds methods, fields and constants."""

    KIND = "shape"
    __slots__ = ("_area", "name")
    name: str
    size: int = 1
    x, y = 0, 0
    corners: list[int] = registry.field(
        default_factory=list,
    )
    print("statements are no declarations")

    def __init__(self, name):
        self.name = name
        self._area = 0

    @property
    def area(self) -> float:
        return self._area

    @area.setter
    def area(self, value: float) -> None:
        self._area = value

    @staticmethod
    def unit() -> Shape: return Shape("unit")

    @classmethod
    async def load(cls, path):
        async with cls.open(path) as file:
            return await file.read()

    class Meta:
        ordering = ["name"]

        def nested(self):
            pass

    alias = area
    # The last comment of a class is none of it either.


class Empty(Exception): pass


class OnlyDocumented:
    """What has nothing but a docstring keeps a body."""

    # and this comment goes with it


def größe(länge: int) -> int:
    """Identifiers may hold any letter: größe, 数, имя."""
    return länge


数 = größe(1)
