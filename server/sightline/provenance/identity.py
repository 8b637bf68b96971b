"""Ids and times of snapshots: UUIDs of version 7, and RFC 3339 in UTC."""

from __future__ import annotations

import datetime
import re
import time

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})")
_LONG_FRACTION = re.compile(r"(\.\d{6})\d+")


def new_object_id(milliseconds: int, randomness: bytes) -> str:
    """Return a UUID of version 7 for a time and ten random bytes."""
    number = (milliseconds & (1 << 48) - 1) << 80 | int.from_bytes(randomness[:10], "big")
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    digits = f"{number:032x}"
    return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])


def time_of(milliseconds: int) -> str:
    """Return a time, given since 1970, as RFC 3339 in UTC with milliseconds; at most the last valid
    time.
    """
    try:
        time = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.UTC)
    except (OverflowError, ValueError, OSError):
        return "9999-12-31T23:59:59.999Z"
    return f"{time:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"


def read_time(written: object) -> datetime.datetime | None:
    """Parse a time in the form of RFC 3339. Return None if it is not valid."""
    if not isinstance(written, str) or not _TIME.fullmatch(written):
        return None
    try:
        return datetime.datetime.fromisoformat(_LONG_FRACTION.sub(r"\1", written))
    except ValueError:
        return None


def milliseconds_now() -> int:
    return time.time_ns() // 1_000_000
