"""The index after any history equals one that is built from scratch.

A workspace of real files goes through edits on the disk and in an editor, renames, ignore files,
branch switches and restarts. Whatever happened, a project that kept its index all the way answers
every question as one does that has just read the same files, and has the same fingerprint.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from sightline.index.store import Fault, NoStore, Saved, open_store
from sightline.languages import load_registry
from sightline.project import Project
from sightline.text import Text
from sightline.workers import Workers
from sightline.workspace import Workspace
from sightline.workspace import survey as survey_module
from tests.index.editing import edit
from tests.index.snapshots import answers, differences

_SEQUENCES = 10_000 if os.environ.get("SIGHTLINE_LONG") else 500
_STEPS = 6

_GROUPS: dict[str, dict[str, list[str]]] = {
    "python, ruby, lua and bash": {
        "pyproject.toml": ['[project]\nname = "shapes"\n'],
        "src/shapes/__init__.py": ["from .base import Shape as Form, area\n", ""],
        "src/shapes/base.py": [
            "import os\n\nclass Shape:\n    name: str = ''\n\n    def area(self):\n"
            "        return 0\n\n"
            "    def twice(self):\n        return self.area() * area(self)\n\n\n"
            "def area(shape: Shape):\n    return shape.area()\n",
            "class Shape:\n    def twice(self): return area(self)\n\ndef area(x): return x\n",
        ],
        "src/shapes/round.py": [
            "from shapes import Form\nfrom shapes.base import area as size\n\n"
            "class Circle(Form):\n    def area(self):\n        return size(super())\n\n"
            "def make():\n    circle = Circle()\n    return circle.area()\n",
            "from .base import *\nfrom . import base\n\nclass Circle(base.Shape):\n    pass\n\n"
            "def make():\n    return area(Circle())\n",
        ],
        "lib/shape.rb": [
            "module Shapes\n  class Shape\n    def area\n      make\n    end\n  end\nend\n",
            "class Shape\n  attr_reader :name\n  def area = 1\nend\n",
        ],
        "lib/circle.rb": [
            "require_relative 'shape'\n\nclass Circle < Shapes::Shape\n  def make\n    area\n"
            "  end\n"
            "end\n\nCircle.new.area\n",
        ],
        "game/shape.lua": [
            "local Shape = {}\nfunction Shape.area(x) return x end\n"
            "function Shape:twice() return self.area(2) end\nreturn Shape\n",
        ],
        "game/main.lua": [
            "local Shape = require('game.shape')\nlocal function make() return Shape.area(1) end\n"
            "make()\n",
        ],
        "bin/area.sh": ["area() {\n  echo 1\n}\nmake() { area; }\n", "area() { make; }\n"],
        "bin/run": ["#!/usr/bin/env bash\nsource bin/area.sh\narea\n", "#!/bin/sh\nmake\n", "area"],
        "README.md": ["# Shapes\n", "# Shape\n"],
    },
    "typescript, tsx, javascript and php": {
        "package.json": [
            '{"name": "shapes", "main": "./dist/index.js"}',
            '{"name": "@x/shapes"}',
            "{",
        ],
        "tsconfig.json": [
            '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}',
            '{"compilerOptions": {"paths": {"@/*": ["web/*"]}}}',
        ],
        "src/index.ts": ["export * from './shape';\nexport { make as build } from '@/circle';\n"],
        "src/shape.ts": [
            "export interface Shape { area(): number }\n"
            "export abstract class Base implements Shape {\n"
            "  area(): number { return size(this); }\n"
            "}\nexport function size(shape: Shape): number { return shape.area(); }\n",
            "export class Shape { area() { return 1 } }\n"
            "export const size = (s: Shape) => s.area();\n",
        ],
        "src/circle.ts": [
            "import { Base, size as measure } from './shape';\n\n"
            "export class Circle extends Base {\n"
            "  private inner: Circle;\n  area() { return this.inner.area() + super.area(); }\n}\n"
            "export function make(): Circle { return measure(new Circle()); }\n",
            "import * as shapes from '@/shape';\n"
            "export function make() { return shapes.size(null); }\n",
        ],
        "web/View.tsx": [
            "import { make } from '@/circle';\n\nexport function View(props: { name: string }) {\n"
            "  const circle = make();\n"
            "  return <Panel area={circle.area()}>{props.name}</Panel>;\n}\n"
            "function Panel() { return <div/>; }\n",
        ],
        "web/main.js": [
            "const { size } = require('../src/shape');\nimport View from './View';\n"
            "class App extends View { render() { return size(this); } }\n"
            "export default function make() { return new App().render(); }\n",
        ],
        "web/old.jsx": ["export const Old = () => <View name={make()} />;\n"],
        "php/Shape.php": [
            "<?php\nnamespace Shapes;\n\nabstract class Shape {\n"
            "  public function area(): int { return size($this); }\n}\n"
            "function size(Shape $shape): int { return $shape->area(); }\n",
            "<?php\nclass Shape { function area() { return 1; } }\n",
        ],
        "php/Circle.php": [
            "<?php\nnamespace Shapes\\Round;\n\nuse Shapes\\Shape;\nuse function Shapes\\size;\n\n"
            "class Circle extends Shape {\n"
            "  public static function make() { return size(new Circle()); }\n}\n",
        ],
    },
    "go, rust, c and c++": {
        "go.mod": ["module example.com/shapes\n\ngo 1.22\n", "module other\n"],
        "shape/shape.go": [
            "package shape\n\ntype Shape interface{ Area() int }\n\n"
            "type Base struct{ name string }\n\n"
            "func (b *Base) Area() int { return size(b) }\n\n"
            "func size(s Shape) int { return s.Area() }\n",
            "package shape\n\nfunc Make() int { return 1 }\n",
        ],
        "shape/round.go": [
            "package shape\n\ntype Circle struct {\n\tBase\n}\n\n"
            "func Make() *Circle {\n\tc := &Circle{}\n\tc.Area()\n\treturn c\n}\n",
        ],
        "main.go": [
            'package main\n\nimport (\n\t"fmt"\n\tforms "example.com/shapes/shape"\n)\n\n'
            "func main() { fmt.Println(forms.Make().Area()) }\n",
        ],
        "Cargo.toml": ['[package]\nname = "shapes"\n', '[package]\nname = "forms"\n'],
        "src/lib.rs": ["pub mod shape;\npub mod round;\npub use shape::Shape as Form;\n"],
        "src/shape.rs": [
            "p"
            "ub trait Shape { fn area(&self) -> u32; fn twice(&self) -> u32 { self.area() * 2 } }\n"
            "pub fn size(shape: &dyn Shape) -> u32 { shape.area() }\n",
            "pub struct Shape;\nimpl Shape { pub fn area(&self) -> u32 { size(self) } }\n"
            "fn size(s: &Shape) -> u32 { 1 }\n",
        ],
        "src/round.rs": [
            "use crate::shape::{size, Shape};\n\npub struct Circle { inner: Box<Circle> }\n\n"
            "impl Shape for Circle {\n    fn area(&self) -> u32 { self.inner.area() }\n}\n\n"
            "pub fn make() -> u32 { let circle = Circle::new(); size(&circle) }\n",
        ],
        "include/shape.h": [
            "#ifndef SHAPE_H\n#define SHAPE_H\nstruct shape { int area; };\n"
            "int size(struct shape *s);\n"
            "#endif\n",
            "class Shape { public: int area(); };\nint size(Shape *s);\n",
        ],
        "c/shape.c": [
            '#include "shape.h"\n#include <stdio.h>\n#define TWICE(x) ((x) * 2)\n\n'
            "static int make(void) { return TWICE(1); }\n"
            "int size(struct shape *s) { return s->area + make(); }\n",
        ],
        "cpp/circle.cpp": [
            '#include "../include/shape.h"\n\nnamespace shapes {\n'
            "class Circle : public Shape { public: int area() { return size(this); } };\n"
            "template <typename T> T make() { Circle circle; circle.area(); return T(); }\n}\n",
        ],
    },
    "java, kotlin, scala, c# and swift": {
        "pom.xml": ["<project/>"],
        "java/shapes/Shape.java": [
            "package shapes;\n\npublic abstract class Shape {\n  protected int name;\n"
            "  public abstract int area();\n  public int twice() { return area() * size(this); }\n"
            "  static int size(Shape shape) { return shape.area(); }\n}\n",
            "package shapes;\n\ninterface Shape { int area(); }\n",
        ],
        "java/shapes/round/Circle.java": [
            "package shapes.round;\n\nimport shapes.Shape;\nimport static shapes.Shape.size;\n\n"
            "class Circle extends Shape {\n  Circle inner = new Circle();\n"
            "  public int area() { return inner.area() + size(this); }\n}\n",
        ],
        "kotlin/Square.kt": [
            "package shapes.flat\n\nimport shapes.Shape\nimport shapes.round.Circle as Round\n\n"
            "class Square(val side: Int) : Shape() {\n"
            "  override fun area(): Int = side * make().area()\n"
            "}\n\nfun make(): Round = Round()\n",
            "package shapes.flat\n\nobject Square { fun area() = make() }\nfun make() = 1\n",
        ],
        "scala/Line.scala": [
            "package shapes.flat\n\nimport shapes.{Shape, size => measure}\n\n"
            "trait Thin extends Shape { def area: Int = 0 }\n"
            "class Line extends Thin {\n  def make() = { val line = new Line(); line.area }\n}\n"
            "object Line { def apply() = new Line().make() }\n",
        ],
        "cs/Shape.cs": [
            "using System;\nnamespace Shapes {\n  public interface IShape { int Area(); }\n"
            "  public class Shape : IShape { public int Area() => Size(this);\n"
            "    static int Size(IShape shape) { return shape.Area(); } }\n}\n",
        ],
        "cs/Circle.cs": [
            "using Shapes;\nnamespace Shapes.Round;\n\npublic class Circle : Shape {\n"
            "  private Shape inner = new Shape();\n"
            "  public int Make() { return inner.Area(); }\n}\n",
        ],
        "cs/Shapes.csproj": ["<Project/>"],
        "swift/Shape.swift": [
            "protocol Shape { func area() -> Int }\n\nclass Base: Shape {\n"
            "  func area() -> Int { size(self) }\n"
            "}\n\nfunc size(_ shape: Shape) -> Int { shape.area() }\n",
        ],
        "swift/Circle.swift": [
            "import Foundation\n\nclass Circle: Base {\n  let inner = Base()\n"
            "  override func area() -> Int { inner.area() + super.area() }\n}\n\n"
            "extension Circle { func make() -> Circle { Circle() } }\n",
        ],
    },
}
_IGNORE_FILES = (".gitignore", ".sightlineignore", "src/.gitignore", "java/.sightlineignore")
_IGNORE_LINES = (
    "*.py\n",
    "src/\n",
    "shape*\n",
    "/lib\n",
    "*\n!*.ts\n",
    "*.rs\n!round.rs\n",
    "web\ncs\n",
    "**/round/**\n",
    "# nothing\n",
    "\x80\n",
)
_PIECES = ("", "x", "area", " ", "\n", "(", '"', "}", "make()", "// ", "class A {}\n", "é")
_BREAKERS = ("{", ")", '"', "'", "`", "<<", "/*", "\n#if\n", "class ", "def (", "é→𝒳", "\0", "\r\n")


@st.composite
def _texts(draw: st.DrawFn, variants: list[str]) -> str:
    """A text for a file: as one is written, or as one is while somebody is typing."""
    text = draw(st.sampled_from(variants))
    match draw(st.integers(0, 9)):
        case 0:
            text = text[: draw(st.integers(0, len(text)))]
        case 1:
            position = draw(st.integers(0, len(text)))
            text = text[:position] + draw(st.sampled_from(_BREAKERS)) + text[position:]
        case 2:
            text += draw(st.sampled_from(variants))
        case 3:
            text = text.replace("area", draw(st.sampled_from(["make", "size", "other"])))
        case 4:
            text = text.replace("\n", "\r\n")
        case 5:
            text = draw(st.sampled_from(["\n", "", "\n\n# ", " "])) + text
    return text


@st.composite
def _contents(draw: st.DrawFn, variants: list[str]) -> bytes:
    """What may stand on a disk: a text in some encoding, or in none."""
    text = draw(_texts(variants))
    data = text.encode("utf-8")
    match draw(st.integers(0, 19)):
        case 0:
            return b"\xef\xbb\xbf" + data
        case 1:
            return data + b"\xff\xfe"
        case 2:
            return text.encode("utf-16")
    return data


def _actions(*names: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(names), min_size=1, max_size=3)


class _Machine(RuleBasedStateMachine):
    """One workspace, the project that follows it, and what is open in the editor."""

    catalogue: ClassVar[dict[str, list[str]]]
    workers: ClassVar[Workers]
    registry: ClassVar = load_registry()

    def __init__(self) -> None:
        super().__init__()
        self._exits = ExitStack()
        folder = Path(tempfile.mkdtemp(prefix="sightline-machine-"))
        self._exits.callback(shutil.rmtree, folder)
        self._root = folder / "workspace"
        self._root.mkdir()
        self._cache = folder / "cache"
        self._cache.mkdir(0o700)
        self._documents: dict[str, bytes] = {}
        self._clock = 0
        self._is_settled = False
        self._project: Project

    @initialize(data=st.data(), is_settled=st.booleans())
    def begin(self, data: st.DataObject, is_settled: bool) -> None:
        """Stamps are trusted at once in one half of the workspaces, and never in the other."""
        if is_settled:
            young = survey_module._YOUNG_NS
            self._exits.callback(setattr, survey_module, "_YOUNG_NS", young)
            survey_module._YOUNG_NS = 0
        self._is_settled = is_settled
        for path in self.catalogue:
            if data.draw(st.integers(0, 4)):
                self._put(path, data.draw(_contents(self.catalogue[path])))
        self._project = self._open()

    # Few rules with several actions each: Hypothesis leaves whole rules out of a sequence.

    @rule(data=st.data(), actions=_actions("write", "delete", "rename", "switch_branch", "ignore"))
    def on_disk(self, data: st.DataObject, actions: list[str]) -> None:
        self._do(actions, data)

    @rule(data=st.data(), actions=_actions("show", "show_saved", "write_shown", "type", "hide"))
    def in_editor(self, data: st.DataObject, actions: list[str]) -> None:
        self._do(actions, data)

    @rule(data=st.data(), actions=_actions("refresh", "save", "restart", "compare", "count"))
    def in_process(self, data: st.DataObject, actions: list[str]) -> None:
        self._do(actions, data)

    def _do(self, actions: list[str], data: st.DataObject) -> None:
        for action in actions:
            getattr(self, f"_{action}")(data)

    def _write(self, data: st.DataObject) -> None:
        path = data.draw(self._any_path())
        self._put(path, data.draw(_contents(self.catalogue[path])))

    def _delete(self, data: st.DataObject) -> None:
        if files := self._files():
            (self._root / data.draw(st.sampled_from(files))).unlink()

    def _rename(self, data: st.DataObject) -> None:
        if files := self._files():
            source = data.draw(st.sampled_from(files))
            moved = f"moved/{Path(source).name}"
            target = data.draw(st.sampled_from([*sorted(self.catalogue), moved]))
            (self._root / target).parent.mkdir(parents=True, exist_ok=True)
            (self._root / source).replace(self._root / target)

    def _ignore(self, data: st.DataObject) -> None:
        file = data.draw(st.sampled_from(_IGNORE_FILES))
        lines = data.draw(st.sampled_from([None, *_IGNORE_LINES]))
        if lines is None:
            (self._root / file).unlink(missing_ok=True)
        else:
            self._put(file, lines.encode("latin-1"))

    def _switch_branch(self, data: st.DataObject) -> None:
        """Many files at once, and sometimes an ignore file among them."""
        for path in self.catalogue:
            fate = data.draw(st.integers(0, 2))
            if fate == 0:
                (self._root / path).unlink(missing_ok=True)
            elif fate == 1:
                self._put(path, data.draw(_contents(self.catalogue[path])))
        if data.draw(st.booleans()):
            self._ignore(data)

    def _show(self, data: st.DataObject) -> None:
        path = data.draw(self._any_path())
        self._documents[path] = data.draw(_texts(self.catalogue[path])).encode()
        self._project.show(path, Text(self._documents[path]))

    def _show_saved(self, data: st.DataObject) -> None:
        """What an editor opens mostly is what is on the disk."""
        path = data.draw(self._any_path())
        if (self._root / path).is_file():
            contents = (self._root / path).read_bytes()
            self._documents[path] = contents.decode("utf-8", "replace").encode()
            self._project.show(path, Text(self._documents[path]))

    def _write_shown(self, data: st.DataObject) -> None:
        if self._documents:
            path = data.draw(st.sampled_from(sorted(self._documents)))
            self._put(path, self._documents[path])

    def _type(self, data: st.DataObject) -> None:
        """Keystrokes, and pieces that are pasted or cut: only what they touch is parsed again."""
        if not self._documents:
            self._show(data)
        path = data.draw(st.sampled_from(sorted(self._documents)))
        for _ in range(data.draw(st.integers(1, 4))):
            text = self._documents[path].decode()
            start = data.draw(st.integers(0, len(text)))
            end = data.draw(st.integers(start, min(len(text), start + 30)))
            other = data.draw(st.sampled_from(self.catalogue[path]))
            piece = data.draw(st.sampled_from([*_PIECES, other[: len(other) // 2], other]))
            self._documents[path] = (text[:start] + piece + text[end:]).encode()
            before, removed = text[:start].encode(), text[start:end].encode()
            start, end = len(before), len(before) + len(removed)
            edit(self._project, path, start, end, piece.encode())

    def _hide(self, data: st.DataObject) -> None:
        if self._documents:
            path = data.draw(st.sampled_from(sorted(self._documents)))
            del self._documents[path]
            self._project.hide(path)

    def _refresh(self, _data: st.DataObject) -> None:
        self._project.refresh()

    def _save(self, _data: st.DataObject) -> None:
        assert isinstance(self._project.save(), Saved)

    def _restart(self, data: st.DataObject) -> None:
        """A new process takes over what was saved; the editor may open its documents again."""
        if data.draw(st.booleans()):
            self._save(data)
        if data.draw(st.booleans()):
            self._documents.clear()
        self._project.__exit__(None, None, None)
        self._project = self._open(show_first=data.draw(st.booleans()))

    def _compare(self, _data: st.DataObject | None = None) -> None:
        kept = answers(self._project.refresh())
        with Project(
            Workspace(self._root), self.registry, self.workers, NoStore(Fault.UNAVAILABLE)
        ) as fresh:
            fresh.open()
            for path, text in self._documents.items():
                fresh.show(path, Text(text))
            assert not differences(kept, answers(fresh.snapshot, backwards=True))

    def _count(self, data: st.DataObject) -> None:
        """After an edit of one file, one file is parsed; none where nobody may look at it."""
        path = data.draw(self._any_path())
        self._project.refresh()
        before = self._project.snapshot.files
        self._clock += 1
        contents = data.draw(_contents(self.catalogue[path]))
        self._put(path, contents + b"\nnever_%d\n" % self._clock)
        after = self._project.refresh().files
        is_parsed = path not in self._documents and path in after and after[path].language
        assert self._project.statistics.parsed == bool(is_parsed)
        assert {each for each in after if after[each] != before.get(each)} <= {path}

    def teardown(self) -> None:
        with self._exits:
            if hasattr(self, "_project"):
                with self._project:
                    self._compare()

    def _open(self, *, show_first: bool = False) -> Project:
        workspace = Workspace(self._root)
        store = open_store(str(workspace.root), self._cache)
        project = Project(workspace, self.registry, self.workers, store)
        if not show_first:
            project.open()
        for path, text in self._documents.items():
            project.show(path, Text(text))
        if show_first:
            project.open()
        return project

    def _put(self, path: str, data: bytes) -> None:
        file = self._root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        if self._is_settled:
            self._clock += 1
            os.utime(file, ns=(self._clock, self._clock))

    def _any_path(self) -> st.SearchStrategy[str]:
        return st.sampled_from(sorted(self.catalogue))

    def _files(self) -> list[str]:
        return sorted(
            each.relative_to(self._root).as_posix()
            for each in self._root.rglob("*")
            if each.is_file()
        )


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    # A machine under load must not make a small file look like a bomb.
    with Workers(2, time_limit=60) as workers:
        yield workers


@pytest.mark.parametrize("group", _GROUPS)
def test_an_index_that_was_kept_equals_one_that_is_built(group: str, workers: Workers) -> None:
    machine = type("Machine", (_Machine,), {"catalogue": _GROUPS[group], "workers": workers})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=_SEQUENCES // len(_GROUPS),
            stateful_step_count=_STEPS,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_every_language_takes_part() -> None:
    registry = load_registry()
    found = {
        language.name
        for group in _GROUPS.values()
        for path, texts in group.items()
        for text in texts
        if (language := registry.for_path(path, text.encode())) is not None
    }
    assert found == set(registry.languages)
