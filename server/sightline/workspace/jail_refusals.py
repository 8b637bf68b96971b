"""Why the jail does not open a path: one function for each reason."""

from __future__ import annotations

import errno

from sightline.refusals import Refusal
from sightline.workspace.paths import refuse


def refusal_of(path: str, error: OSError | ValueError) -> Refusal:
    """Return the refusal for an error of the system on the way to a path."""
    if isinstance(error, FileNotFoundError):
        return not_found(path)
    code = error.errno if isinstance(error, OSError) else None
    if code in (errno.ELOOP, errno.ENOTDIR, errno.EINVAL, errno.ESTALE):
        # The walk checked before it opened, so the component was replaced meanwhile.
        return changed(path)
    if code in (errno.ENXIO, errno.ENODEV):
        return not_regular(path)
    return refuse(
        "unreadable",
        path,
        "The file cannot be read: {path}",
        "Check its permissions and those of the directories above it.",
    )


def changed(path: str) -> Refusal:
    return refuse(
        "changed_while_reading",
        path,
        "The file changed while it was being read: {path}",
        "Try again when it is no longer being written.",
    )


def not_found(path: str) -> Refusal:
    return refuse(
        "not_found",
        path,
        "There is no such file in the workspace: {path}",
        "Check the spelling, case included, and that the path is relative to the root.",
    )


def not_regular(path: str) -> Refusal:
    return refuse(
        "not_regular",
        path,
        "This is not a regular file: {path}",
        "Only regular files are read, never pipes, sockets or devices.",
    )


def leaves_root(path: str) -> Refusal:
    return refuse(
        "outside_sandbox",
        path,
        "A link leads out of the workspace: {path}",
        "Open the workspace that holds the file, or copy the file into this one.",
    )


def goes_through_link(path: str, link: str) -> Refusal:
    return refuse(
        "outside_sandbox",
        path,
        "The path goes through a link, which cannot be followed safely on this system: {path}",
        "Name the file by the path the link leads to.",
        rule=link,
    )


def too_many_links(path: str, limit: int) -> Refusal:
    return refuse(
        "symlink_loop",
        path,
        f"The path goes through more than {limit} links: {{path}}",
        "Name the file by the path the links lead to.",
    )


def is_directory(path: str) -> Refusal:
    return refuse(
        "is_directory",
        path,
        "This is a directory, not a file: {path}",
        "Name a file inside it.",
    )


def ambiguous_name(path: str) -> Refusal:
    return refuse(
        "invalid_path",
        path,
        "Two names in one directory are the same after Unicode normalisation: {path}",
        "Rename one of the two files.",
    )
