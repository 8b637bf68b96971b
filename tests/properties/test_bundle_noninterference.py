"""What is denied has no influence: workspaces that differ in nothing else give the same bytes."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from uuid import UUID

import pytest

from sightline.bundle import Purpose
from sightline.context import BuildRequest, Intent, LastError, TargetSpec
from sightline.egress import guarded_scan
from sightline.workers import Workers
from tests.properties.bundles import (
    SHOP,
    SHOP_TARGETS,
    build,
    build_cache_on,
    built,
    everything,
    settings,
    write,
)

_scan = functools.cache(guarded_scan)
"""Each text once: nearly all of them are the same."""

_BASE: Mapping[str, str | bytes] = {
    **SHOP,
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": "[core]\n\trepositoryformatversion = 0\n",
    ".git/objects/pack/.keep": "",
    ".git/refs/heads/.keep": "",
    "shop/.gitignore": "drafts/\n",
    ".sightlineignore": "/kept-back/\n",
    ".cursorignore": "*.draft.py\n",
}

_TEMPTING = """\
from shop.base import Entity
from shop.order import Order
import { total } from "../web/api";


class Order(Order, Entity):
    def total(self) -> int:
        return Order(1).total() + total(self) + rounded(2)
"""
_OTHER = "def rounded(amount):\n    return total(amount)\n" * 400

_CREATED = re.compile(rb"\"created_at\":\"[^\"]*\"")
_DENIED = (
    ".env",
    ".env.local",
    "shop/.env.production",
    "prod.env",
    ".git/HEAD",
    ".git/COMMIT_EDITMSG",
    ".git/logs/HEAD",
    ".git/objects/aa/bbcc",
    ".git/hooks/pre-commit",
    "inner/.git/HEAD",
    ".svn/entries",
    ".hg/dirstate",
    "node_modules/shop/order.py",
    "node_modules/web/package.json",
    "web/node_modules/cart/index.ts",
    "packages/shop/order.py",
    "vendor/store/store.go",
    ".venv/lib/shop/order.py",
    "venv/shop/order.py",
    "env/shop/order.py",
    "bin/order.py",
    "obj/order.cs",
    "dist/page.ts",
    "build/lib/shop/order.py",
    "out/order.py",
    "target/debug/order.rs",
    ".vs/order.py",
    ".cache/order.py",
    "shop/__pycache__/order.cpython-311.pyc",
    "keys/server.pem",
    "keys/server.key",
    "id_rsa",
    "shop/secrets.yaml",
    "shop/credentials.json",
    "shop/my_token_list.txt",
    ".npmrc",
    ".netrc",
    ".aws/credentials",
    ".docker/config.json",
    "dump.sql",
    "app.log",
    "logs/order.py",
    "data.sqlite3",
    "shop/icon.png",
    "shop/order.so",
    "manual.pdf",
    "all.zip",
    "shop/order.tmp",
    "private/plan.py",
    "shop/drafts/order.py",
    "kept-back/order.py",
    "shop/order.draft.py",
    "SHOP.ENV",
    "Node_Modules/shop/order.py",
)
"""By a default rule of each group, by each kind of ignore file, and in other spellings."""


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(1, time_limit=60) as workers:
        yield workers


@pytest.fixture(scope="module")
def expected(workers: Workers, tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """What comes of the workspace without anything denied in it."""
    return _answers(write(tmp_path_factory.mktemp("base"), _BASE), workers)


@pytest.mark.parametrize("path", _DENIED)
def test_what_stands_in_a_denied_place_changes_no_byte(
    path: str, expected: list[bytes], tmp_path: Path, workers: Workers
) -> None:
    """Sources that would be related, other ones, or nothing at all."""
    root = write(tmp_path, _BASE)
    for content in (_TEMPTING, _OTHER):
        write(root, {path: content})
        assert expected == _answers(root, workers)


@pytest.mark.parametrize("path", _DENIED)
def test_asking_for_what_is_denied_tells_nothing_about_it(
    path: str, tmp_path: Path, workers: Workers
) -> None:
    """As a target, a selection, an active file or the place of an error: the answer is the same."""
    root = write(tmp_path, _BASE)
    answers = []
    for content in (_TEMPTING, _OTHER):
        write(root, {path: content})
        with build_cache_on(root, workers, scan=_scan) as build_cache:
            answers.append(
                [everything(build(build_cache, each, settings())) for each in _asking(path)]
            )
    assert answers[0] == answers[1]


@pytest.mark.parametrize("path", ["photo.dat", "shop/order.dat", "shop/broken.py"])
def test_the_bytes_of_a_binary_file_change_no_byte(
    path: str, tmp_path: Path, workers: Workers
) -> None:
    """Such a file has a name that can be seen, and nothing else."""
    root = write(tmp_path, _BASE)
    answers = []
    for content in (b"\x00\x01", b"import shop\x00" * 90):
        write(root, {path: content})
        answers.append(_answers(root, workers))
        with build_cache_on(root, workers, scan=_scan) as build_cache:
            answers[-1] += [
                everything(build(build_cache, each, settings())) for each in _asking(path)
            ]
    assert answers[0] == answers[1]


def test_where_a_link_leads_outside_changes_no_byte(tmp_path: Path, workers: Workers) -> None:
    """The root is a jail, and a link out of it is as good as none."""
    write(tmp_path, {"outside/one.py": _TEMPTING, "outside/other.py": _OTHER})
    root = write(tmp_path / "root", _BASE)
    answers = []
    for name in ("one.py", "other.py"):
        link = root / "shop" / "linked.py"
        link.unlink(missing_ok=True)
        link.symlink_to(tmp_path / "outside" / name)
        answers.append(_answers(root, workers))
    assert answers[0] == answers[1]


def test_the_command_line_says_the_same_whatever_is_denied(tmp_path: Path) -> None:
    """The bundle and its explanation, with every denied place filled in one of two ways."""
    printed = []
    for number, content in enumerate((_TEMPTING, _OTHER)):
        place = tmp_path / str(number)
        write(place / "shop", {**_BASE, **dict.fromkeys(_DENIED, content)})
        asked = ["build", "shop/order.py::Order", "--explain", "--correlation-id", str(UUID(int=0))]
        printed.append(
            {
                "build as JSON": _run(place, *asked, "--format", "json"),
                "build as XML": _run(place, *asked, "--format", "xml"),
                "explain": _run(place, "explain", "shop/order.py:9"),
            }
        )
    assert all(b"shop/desk.py" in each for each in printed[0].values())
    assert printed[0] == printed[1]


def _answers(root: Path, workers: Workers) -> list[bytes]:
    """Everything that some requests are answered with."""
    requests = [
        BuildRequest(targets=(SHOP_TARGETS["method"],)),
        BuildRequest(targets=(SHOP_TARGETS["function"],)),
        BuildRequest(purpose=Purpose.INTENT, intent=Intent("what is this")),
    ]
    with build_cache_on(root, workers, scan=_scan) as build_cache:
        return [
            everything(built(build(build_cache, request, settings(render__format=form))))
            for request in requests
            for form in ("markdown", "xml")
        ]


def _asking(path: str) -> list[BuildRequest]:
    target = SHOP_TARGETS["method"]
    return [
        BuildRequest(targets=(TargetSpec(path=path),)),
        BuildRequest(targets=(TargetSpec(path=path, symbol="Order.total"),)),
        BuildRequest(active=TargetSpec(path=path, line=300)),
        BuildRequest(targets=(target,), user_selected_targets=(TargetSpec(path=path),)),
        BuildRequest(targets=(target,), last_error=LastError("it broke", path, 300)),
    ]


def _run(place: Path, *arguments: str) -> bytes:
    """Both streams of a command, without the time."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "sightline.cli", *arguments, "--jobs", "1"],
        cwd=place / "shop",
        env={
            **os.environ,
            "SIGHTLINE_CACHE_DIR": str(place / "cache"),
            "SIGHTLINE_CONFIG_DIR": str(place / "settings"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return _CREATED.sub(b"", done.stdout) + b"\0" + done.stderr
