"""Print libclang's answers for the names in C and C++ files.

    python clang_relations.py LIBCLANG_FOLDER ROOT < names

One JSON line [path, [[kind, line, column, name, receiver, definitions], …]] for each file. Lines
are 1-based, columns count bytes from 0. Kinds: `call`; `value` for a function that is named without
being called; `base`; `override`, one row for each declaration that a method overrides.
`definitions` are a function's definitions and its prototypes; the path is null outside of the
workspace. There is no build: every folder with headers is searched, and names from a missing
generated header have no answer.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from ctypes import POINTER, byref, c_uint
from pathlib import Path
from typing import Any

sys.path.insert(0, sys.argv[1])
from clang import cindex  # type: ignore[import-not-found]

_K = cindex.CursorKind
_FUNCTIONS = {_K.FUNCTION_DECL, _K.CXX_METHOD, _K.FUNCTION_TEMPLATE, _K.CONVERSION_FUNCTION}
_TYPES = {_K.CLASS_DECL, _K.STRUCT_DECL, _K.CLASS_TEMPLATE, _K.UNION_DECL, _K.TYPEDEF_DECL}
_THROUGH = {_K.UNEXPOSED_EXPR, _K.PAREN_EXPR}

Place = tuple[str, int, int]


class Reader:
    def __init__(self, root: str, names: list[str]) -> None:
        self.root = root
        self.visible = set(names)
        self.rows: dict[str, dict[tuple[Any, ...], set[str]]] = defaultdict(dict)
        self.places_of: dict[str, set[Place]] = defaultdict(set)
        """The places of a function or type, by its USR."""
        self.outside: set[str] = set()
        self.paths: dict[str, str | None] = {}

    def path(self, name: str) -> str | None:
        if name not in self.paths:
            relative = os.path.relpath(os.path.realpath(name), self.root)
            self.paths[name] = relative if relative in self.visible else None
        return self.paths[name]

    def place(self, location: Any) -> Place | None:
        """Where a name is written, in the body of a macro as well."""
        file, line, column, offset = cindex.c_object_p(), c_uint(), c_uint(), c_uint()
        cindex.conf.lib.clang_getSpellingLocation(
            location, byref(file), byref(line), byref(column), byref(offset)
        )
        if not file:
            return None
        path = self.path(cindex.File(file).name)
        return None if path is None else (path, line.value, column.value - 1)

    def read(self, cursor: Any) -> None:
        stack = [(cursor, False)]
        while stack:
            each, is_called = stack.pop()
            if each.kind in _FUNCTIONS | _TYPES:
                self.declare(each)
            if each.kind == _K.CXX_BASE_SPECIFIER:
                self.base(each)
                continue
            if each.kind in (_K.DECL_REF_EXPR, _K.MEMBER_REF_EXPR):
                self.use(each, "call" if is_called else "value")
            children = list(each.get_children())
            for number, child in enumerate(children):
                first = number == 0 and (
                    (each.kind == _K.CALL_EXPR) or (is_called and each.kind in _THROUGH)
                )
                stack.append((child, first))

    def declare(self, cursor: Any) -> None:
        place = self.place(cursor.location)
        usr = cursor.get_usr()
        if place is None or not usr:
            return
        self.places_of[usr].add(place)
        if cursor.kind == _K.CXX_METHOD:
            for other in overridden(cursor):
                row = ("override", *place[1:], cursor.spelling, "", other.get_usr())
                self.rows[place[0]].setdefault(row, set()).add(other.get_usr())
                self.declare_only(other)

    def declare_only(self, cursor: Any) -> None:
        place = self.place(cursor.location)
        if place is not None:
            self.places_of[cursor.get_usr()].add(place)
        else:
            self.outside.add(cursor.get_usr())

    def base(self, cursor: Any) -> None:
        declaration = cindex.conf.lib.clang_getTypeDeclaration(cursor.type)
        name = cursor.type.spelling.partition("<")[0].rpartition("::")[2].strip()
        for child in cursor.get_children():
            if child.kind in (_K.TYPE_REF, _K.TEMPLATE_REF):
                self.row("base", child.location, name, "", child.referenced or declaration)
                break

    def use(self, cursor: Any, kind: str) -> None:
        target = cursor.referenced
        if target is None:
            return
        if target.kind not in _FUNCTIONS and not (
            kind == "call" and target.kind in (_K.VAR_DECL, _K.FIELD_DECL, _K.PARM_DECL)
        ):
            return
        receiver = ""
        if cursor.kind == _K.MEMBER_REF_EXPR:
            before = next(iter(cursor.get_children()), None)
            receiver = before.spelling if before is not None and before.spelling else "?"
            if before is None:
                receiver = "this"
        self.row(kind, cursor.location, target.spelling, receiver, target)

    def row(self, kind: str, location: Any, name: str, receiver: str, target: Any) -> None:
        place = self.place(location)
        if place is None or not name:
            return
        primary = cindex.conf.lib.clang_getSpecializedCursorTemplate(target)
        if primary is not None and primary.get_usr():
            target = primary
        usr = target.get_usr()
        self.declare_only(target)
        self.rows[place[0]].setdefault((kind, *place[1:], name, receiver, ""), set()).add(usr)

    def print(self, names: list[str], read: set[str]) -> None:
        for path in names:
            if path not in read and path not in self.rows:
                continue
            rows = []
            for (kind, line, column, name, receiver, _), usrs in sorted(self.rows[path].items()):
                found: list[list[Any]] = []
                for usr in sorted(usrs):
                    places = [list(each) for each in sorted(self.places_of.get(usr, ()))]
                    found.extend(places or [[None, 0, 0]])
                rows.append([kind, line, column, name, receiver, found])
            print(json.dumps([path, rows]))


def overridden(cursor: Any) -> Iterator[Any]:
    """Return every declaration that a method overrides, through all its bases."""
    pending = list(direct(cursor))
    seen = set()
    while pending:
        each = pending.pop()
        if each.get_usr() not in seen:
            seen.add(each.get_usr())
            yield each
            pending.extend(direct(each))


def direct(cursor: Any) -> list[Any]:
    found, count = POINTER(cindex.Cursor)(), c_uint()
    library = cindex.conf.lib
    library.clang_getOverriddenCursors(cursor, byref(found), byref(count))
    cursors = []
    for number in range(count.value):
        each = cindex.Cursor.from_buffer_copy(found[number])
        each._tu = cursor._tu
        cursors.append(each)
    return cursors


def main() -> None:
    library = cindex.conf.lib
    library.clang_getOverriddenCursors.argtypes = [
        cindex.Cursor,
        POINTER(POINTER(cindex.Cursor)),
        POINTER(c_uint),
    ]
    library.clang_getSpellingLocation.argtypes = [
        cindex.SourceLocation,
        POINTER(cindex.c_object_p),
        POINTER(c_uint),
        POINTER(c_uint),
        POINTER(c_uint),
    ]
    root = os.path.realpath(sys.argv[2])
    names = [line for line in sys.stdin.read().split("\n") if line]
    reader = Reader(root, names)
    headers = [Path(root, name) for name in names if name.endswith((".h", ".hpp"))]
    folders = {folder for header in headers for folder in (header.parent, header.parent.parent)}
    common = [f"-I{folder}" for folder in sorted(folders)]
    for folder in sorted(Path("/usr/lib/gcc").glob("*/*/include"))[-1:]:
        common.append(f"-isystem{folder}")
    index = cindex.Index.create()
    read = set()
    for name in names:
        is_c = name.endswith(".c")
        if not is_c and not name.endswith((".cc", ".cpp", ".cxx")):
            continue
        version = ["-xc", "-std=gnu11", "-D_GNU_SOURCE"] if is_c else ["-xc++", "-std=c++17"]
        try:
            unit = index.parse(str(Path(root, name)), [*version, *common, "-ferror-limit=0"])
        except cindex.TranslationUnitLoadError:
            continue
        read.add(name)
        for child in unit.cursor.get_children():
            file = child.location.file
            if file is not None and reader.path(file.name) is not None:
                reader.read(child)
    reader.print(names, read)


if __name__ == "__main__":
    main()
