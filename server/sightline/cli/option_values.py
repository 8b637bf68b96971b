"""Values of options, checked while the command line is parsed."""

from __future__ import annotations

import argparse
import uuid


def number(value: str) -> int:
    if not value.isascii() or not value.isdigit() or len(value) > 9:
        raise argparse.ArgumentTypeError("must be a whole number")
    return int(value)


def port(value: str) -> int:
    if (port := number(value)) > 65535:
        raise argparse.ArgumentTypeError("must be at most 65535")
    return port


def unique_id(value: str) -> str:
    try:
        return str(uuid.UUID(value))
    except ValueError as error:
        raise argparse.ArgumentTypeError("must be a UUID") from error


def count(value: str) -> int:
    if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= 64:
        raise argparse.ArgumentTypeError("must be a number from 1 to 64")
    return int(value)
