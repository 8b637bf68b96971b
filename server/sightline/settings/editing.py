"""Edit the user's settings file, keeping its comments and its order.

Invariants: the file is written whole or not at all, and only if it is valid with the change; only
the marks of one workspace change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import tomlkit
from tomlkit.exceptions import TOMLKitError

from sightline.refusals import Refusal, RefusalKind
from sightline.settings.layers import USER_PLACE, load, user_marks
from sightline.settings.marks import MARKS_SECTION, Allowance, HarmlessMark, WorkspaceMarks
from sightline.settings.private_files import locked, write_private
from sightline.settings.settings_files import read_user_file, user_file

_FIRST_TEXT = """\
# Your own settings of Sightline. They hold in every workspace, but for [[workspaces]]: what
# 'sightline allow' and 'sightline harmless' write there holds in the one that it names.
# A guard can be loosened here and nowhere else.
# 'sightline settings' prints every setting, its value and where it comes from.
"""

Mark = Allowance | HarmlessMark


def read_marks(environment: Mapping[str, str], root: str) -> WorkspaceMarks | Refusal:
    """Return what the user allowed and marked in a workspace."""
    text = read_user_file(environment)
    return text if isinstance(text, Refusal) else user_marks(text, root)


def add_mark(environment: Mapping[str, str], root: str, mark: Mark) -> Refusal | None:
    """Record a mark of a workspace; it replaces an older one of the same rule or value."""

    def change(document: tomlkit.TOMLDocument) -> None:
        table = _table_of(document, root)
        listed = table.setdefault(_list_of(mark), tomlkit.aot())
        _drop(listed, mark)
        listed.append(tomlkit.item(msgspec.to_builtins(mark)))

    return _change(environment, root, change)


def remove_mark(environment: Mapping[str, str], root: str, mark: Mark) -> Refusal | None:
    """Remove a mark of a workspace."""

    def change(document: tomlkit.TOMLDocument) -> None:
        every = document[MARKS_SECTION]
        for table in [each for each in every if each["root"] == root]:
            listed = table.get(_list_of(mark), [])
            _drop(listed, mark)
            if not listed:
                table.pop(_list_of(mark), None)
            if list(table) == ["root"]:
                every.remove(table)
        if not every:
            document.remove(MARKS_SECTION)

    return _change(environment, root, change)


def made_user_file(environment: Mapping[str, str]) -> str | Refusal:
    """Return the path of the user's settings file; create the file if it does not exist."""
    text = read_user_file(environment)
    if isinstance(text, Refusal):
        return text
    file = user_file(environment)
    if text is None and not write_private(file, _FIRST_TEXT):
        return _cannot("it cannot be written")
    return str(file)


def _change(
    environment: Mapping[str, str], root: str, change: Callable[[tomlkit.TOMLDocument], None]
) -> Refusal | None:
    # An editor and a shell may record marks at the same time: neither may overwrite the other's.
    with locked(user_file(environment)) as is_locked:
        if not is_locked:
            return _cannot("it cannot be written")
        return _changed(environment, root, change)


def _changed(
    environment: Mapping[str, str], root: str, change: Callable[[tomlkit.TOMLDocument], None]
) -> Refusal | None:
    text = read_user_file(environment)
    if isinstance(text, Refusal):
        return text
    try:
        root.encode("utf-8")
        document = tomlkit.parse(_FIRST_TEXT if text is None else text)
        change(document)
        written = tomlkit.dumps(document)
    except (TOMLKitError, TypeError, AttributeError, KeyError, ValueError):
        return _cannot("it cannot be added to what is there")
    loaded = load(None, written, {}, {}, root)
    if isinstance(loaded, Refusal):
        return loaded
    if not write_private(user_file(environment), written):
        return _cannot("it cannot be written")
    return None


def _table_of(document: tomlkit.TOMLDocument, root: str) -> Any:
    """Return the table of a workspace; add it if it does not exist."""
    every = document.setdefault(MARKS_SECTION, tomlkit.aot())
    for table in every:
        if table["root"] == root:
            return table
    table = tomlkit.table()
    table["root"] = root
    every.append(table)
    return every[-1]


def _drop(listed: Any, mark: Mark) -> None:
    """Remove every mark of the same rule or value."""
    name = "rule" if isinstance(mark, Allowance) else "hash"
    for number in reversed(range(len(listed))):
        if listed[number][name] == getattr(mark, name):
            del listed[number]


def _list_of(mark: Mark) -> str:
    return "allow" if isinstance(mark, Allowance) else "harmless"


def _cannot(problem: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "settings_not_written",
        None,
        f"your settings file was not changed: {problem}",
        "edit it by hand; 'sightline settings' shows the current values",
        rule="settings",
        source=USER_PLACE,
    )
