"""A survey as bytes, to be stored between runs.

Invariant: bytes that are damaged, truncated, or of another version or byte order are rejected.
"""

from __future__ import annotations

import re
import sys
from itertools import accumulate, repeat
from operator import ge

import msgspec

from sightline.workspace.ignoring import IgnoreState
from sightline.workspace.survey import (
    DIGEST_SIZE,
    STAMP_FORMAT,
    Survey,
    SurveyTree,
    stamps_in,
)
from sightline.workspace.tracking import HiddenByRule, TrackingRecord

_FORMAT = 4
_NO_NAMES = tuple(re.compile(each) for each in (r"\0\.\.?/?\0", r"\0/", r"/[^\0]"))
"""Each begins with something plain or rare, so that the search is as fast as a memory scan."""


class SurveyError(ValueError):
    """The bytes are not an encoded survey."""


def encode_survey(survey: Survey) -> bytes:
    """Return the survey as bytes for `decode_survey`, on this machine or one like it."""
    packed = _Packed(
        _FORMAT,
        sys.byteorder,
        survey.policy,
        survey.taken_ns,
        survey.basis,
        survey.key,
        len(survey.tree.rows),
        "\n".join(survey.tree.rows),
        survey.hidden,
        survey.ignore_files,
        memoryview(survey.stamps).cast("B"),
        survey.tracked,
        survey.untracked,
    )
    return msgspec.msgpack.encode(packed)


def decode_survey(encoded: bytes | memoryview) -> Survey:
    """Return the survey in `encoded`. Raises `SurveyError` if there is none."""
    try:
        packed = _PACKED.decode(encoded)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SurveyError("not an encoded survey") from error
    return _unpack(packed)


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    """A survey in columns: one string or byte string contains thousands of values.

    No visible name contains a control character, so they can separate names.
    """

    format: int
    byte_order: str
    policy: str
    taken_ns: int
    basis: bytes
    key: bytes
    directories: int
    rows: str
    hidden: dict[int, bytes]
    ignore_files: dict[int, tuple[IgnoreState, ...]]
    stamps: memoryview
    tracked: TrackingRecord
    untracked: tuple[HiddenByRule, ...]


_PACKED = msgspec.msgpack.Decoder(_Packed)


def _unpack(packed: _Packed) -> Survey:
    rows = packed.rows.split("\n") if packed.directories else []
    files = packed.rows.count("\0") + len(rows) - rows.count("") - max(0, len(rows) - 1)
    if (
        (packed.format, packed.byte_order) != (_FORMAT, sys.byteorder)
        or len(rows) != packed.directories
        or len(packed.key) != DIGEST_SIZE
        or len(packed.stamps) != files * STAMP_FORMAT.size
    ):
        raise SurveyError("not an encoded survey of this version")
    if not _is_of_a_tree(rows):
        raise SurveyError("a survey without one of its directories")
    if not _holds_names(packed.rows):
        raise SurveyError("a survey with names that are none")
    if not all(state.is_known for states in packed.ignore_files.values() for state in states):
        raise SurveyError("a survey with unknown ignore files")
    return Survey(
        policy=packed.policy,
        taken_ns=packed.taken_ns,
        stamps=stamps_in(packed.stamps),
        links=(),
        tree=SurveyTree(rows),
        hidden=packed.hidden,
        ignore_files=packed.ignore_files,
        basis=packed.basis,
        key=packed.key,
        tracked=packed.tracked,
        untracked=packed.untracked,
    )


def _is_of_a_tree(rows: list[str]) -> bool:
    """True if each row except the first has a directory name before it, and none is missing."""
    announced = list(accumulate(map(str.count, rows, repeat("/"))))
    return not rows or (
        announced[-1] == len(rows) - 1 and all(map(ge, announced, range(1, len(rows))))
    )


def _holds_names(rows: str) -> bool:
    """True if each slash ends a name, and each name is a possible one in its directory.

    A walk uses none of these names, but callers who ask for paths get them.
    """
    separated = "\0" + rows.replace("\n", "\0") + "\0"
    return not any(pattern.search(separated) for pattern in _NO_NAMES)
