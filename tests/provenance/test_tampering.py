"""Whatever is changed of a stored snapshot, `verify` names it.

`--mutations 1000` tries more than the sixty of an ordinary run; a seed says which one failed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pygit2
import pytest

from sightline.engine.snapshot_store import SnapshotInfo, blobs_of
from sightline.engine.snapshot_verify import SnapshotCheck
from sightline.engine.snapshots import find_snapshot
from sightline.refusals import Refusal
from tests.provenance.repository import ME, build_snapshot, git, recorded, verify_snapshot

_ZERO = "0" * 40


class _Target:
    """A repository with a snapshot that is to be changed, and another one."""

    def __init__(self, root: Path) -> None:
        (root / "src/tax.py").write_text("def tax(x):\n    return x // 4\n")
        self.root = root
        self.info, _ = recorded(root)
        self.other, _ = recorded(root)
        self.repository = pygit2.Repository(str(root))
        self.name = self.info.snapshot.object_id
        self.ref = f"refs/ai/snapshots/{self.name}"
        self.data = self.info.snapshot.to_json()

    def values(self) -> dict[str, Any]:
        values: dict[str, Any] = json.loads(self.data)
        return values

    def blob(self, data: bytes) -> str:
        return str(self.repository.create_blob(data))

    @contextmanager
    def with_object(self, data: bytes) -> Iterator[None]:
        with self.with_ref(self.ref, self.blob(data)):
            yield

    @contextmanager
    def with_ref(self, name: str, target: str | None) -> Iterator[None]:
        """Let a ref lead elsewhere, or nowhere, for a while."""
        before = str(self.repository.references[name].target)
        self.repository.references.delete(name)
        if target is not None:
            self.repository.references.create(name, pygit2.Oid(hex=target))
        try:
            yield
        finally:
            self.repository.references.create(name, pygit2.Oid(hex=before), force=True)

    @contextmanager
    def with_file(self, blob: str, data: bytes | None) -> Iterator[None]:
        """Let the file of a loose object have other bytes, or be gone, for a while."""
        place = self.root / ".git/objects" / blob[:2] / blob[2:]
        before = place.read_bytes()
        place.unlink()
        if data is not None:
            place.write_bytes(data)
        try:
            yield
        finally:
            place.unlink(missing_ok=True)
            place.write_bytes(before)


_Mutation = Callable[[_Target, random.Random], Any]


def _leaf(target: _Target, chance: random.Random) -> Any:
    """Change, remove or add one value anywhere: header, item, build or settings of the record."""
    values = target.values()
    place: Any = values
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = chance.choice(keys)
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or chance.random() < 0.1:
            break
        place = inner
    before = json.dumps(values)
    act = chance.randrange(3)
    if act == 0:
        del place[key]
    elif act == 1:
        others = ["x", 7, None, True, [], {}, "refs", _ZERO]
        place[key] = chance.choice(
            [each for each in others if json.dumps(each) != json.dumps(inner)]
        )
    elif isinstance(place, dict):
        place["note"] = "added"
    else:
        place.append(place[key])
    assert json.dumps(values) != before
    return target.with_object(msgspec.json.encode(values))


def _order(target: _Target, chance: random.Random) -> Any:
    values = target.values()
    before = list(values["items"])
    while values["items"] == before:
        chance.shuffle(values["items"])
    return target.with_object(msgspec.json.encode(values))


def _bytes(target: _Target, chance: random.Random) -> Any:
    """Change one byte of the object itself, or its form."""
    data = bytearray(target.data)
    if chance.random() < 0.3:
        return target.with_object(json.dumps(json.loads(data), indent=1).encode())
    at = chance.randrange(len(data))
    data[at] ^= 1 << chance.randrange(7)
    return target.with_object(bytes(data))


def _record(target: _Target, chance: random.Random) -> Any:
    """Change a setting, or anything else of the record of the build, and its blob with it."""
    values = target.values()
    [item] = [each for each in values["items"] if each["kind"] == {"other": "build_record"}]
    record = json.loads(target.repository[item["blob"]].read_raw())
    section = chance.choice(["settings", "request", "bundle", "manifest"])
    record[section] = {**record[section], "changed": chance.random()}
    item["blob"] = target.blob(msgspec.json.encode(record))
    return target.with_object(msgspec.json.encode(values))


def _other_blob(target: _Target, chance: random.Random) -> Any:
    values = target.values()
    chance.choice(values["items"])["blob"] = target.blob(str(chance.random()).encode())
    return target.with_object(msgspec.json.encode(values))


def _loose_file(target: _Target, chance: random.Random) -> Any:
    """Damage an object, remove it, or put another whole one in its place."""
    folder = target.root / ".git/objects"
    needed = [
        each
        for each in sorted({*blobs_of(target.info.snapshot), target.info.blob})
        if (folder / each[:2] / each[2:]).exists() and each != _commit(target)
    ]
    blob = chance.choice(needed)
    act = chance.randrange(3)
    if act == 0:
        return target.with_file(blob, None)
    if act == 1:
        other = target.blob(str(chance.random()).encode())
        return target.with_file(blob, (folder / other[:2] / other[2:]).read_bytes())
    data = bytearray((folder / blob[:2] / blob[2:]).read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return target.with_file(blob, bytes(data))


def _commit(target: _Target) -> str:
    return str(target.repository.head.target)


def _ref(target: _Target, chance: random.Random) -> Any:
    """Remove a ref of the snapshot, or let it lead to something else."""
    names = [target.ref, f"refs/ai/commits/{_commit(target)}"]
    needed = {*blobs_of(target.info.snapshot)}
    anchors = [each for each in target.repository.references if each.startswith("refs/ai/blobs/")]
    names += [each for each in anchors if each.rpartition("/")[2] in needed]
    name = chance.choice(names)
    elsewhere = [target.other.blob, target.blob(b"another"), None]
    return target.with_ref(name, chance.choice(elsewhere))


_MUTATIONS: dict[str, tuple[int, _Mutation]] = {
    "leaf": (8, _leaf),
    "order": (2, _order),
    "bytes": (4, _bytes),
    "record": (3, _record),
    "blob": (2, _other_blob),
    "file": (2, _loose_file),
    "ref": (1, _ref),
}


def test_every_tampering_is_named(root: Path, request: pytest.FixtureRequest) -> None:
    """Blobs, items, header, order, refs and settings: of so many changes none is missed."""
    target = _Target(root)
    names = [name for name, (weight, _) in _MUTATIONS.items() for _ in range(weight)]
    missed = []
    for seed in range(request.config.getoption("--mutations")):
        chance = random.Random(seed)
        name = names[seed % len(names)]
        with _MUTATIONS[name][1](target, chance):
            if not _is_named(root, target.name):
                missed.append((seed, name))
    assert missed == []
    assert not _is_named(root, target.name)
    git(root, "fsck", "--strict")


def _is_named(root: Path, name: str) -> bool:
    """Return True if whoever verifies the snapshot is told what is wrong with it."""
    info = find_snapshot(root, name)
    check = info if isinstance(info, Refusal) else verify_snapshot(root, info)
    if isinstance(check, Refusal):
        assert check.message
        return True
    assert all(map(str.strip, (*check.missing, *check.differences)))
    return bool(check.missing or check.differences)


def test_a_snapshot_that_leads_out_of_the_directory_writes_nothing(root: Path) -> None:
    """Its id may even follow from its content: whoever made it up can compute one."""
    info, _ = recorded(root)
    escaped = root.parent / "escaped.py"
    for path in (
        f"../{escaped.name}",
        f"../../{escaped.name}",
        str(escaped),
        ".git/hooks/post-index-change",
        ".GIT/config",
        "src/../../x.py",
    ):
        forged = _forged(root, info, path)
        check = verify_snapshot(root, forged)
        assert isinstance(check, SnapshotCheck)
        assert check.differences
        assert not check.is_rebuilt
        assert "changed_files: not a path" in check.differences[-1]
    assert not escaped.exists()


def _forged(root: Path, info: SnapshotInfo, path: str) -> SnapshotInfo:
    """Return a snapshot that says that another file had been changed."""
    [item] = [each for each in info.snapshot.items if each.path == "src/app.py"]
    build = json.loads(info.snapshot.to_json())["build"]
    build["changed_files"] = [[path, item.blob]]
    return build_snapshot(root, info, build, ME)
