"""Whatever happens to the store's files or to a process that writes them: right data or none.

A generation here describes itself: its state names its number and the checksum of each blob and
section, so a reader can tell a complete generation from a mixture.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import stat
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
import pytest

from sightline.index.store import (
    CACHE_LIMIT_BYTES,
    Fault,
    NoStore,
    Saved,
    SaveFailure,
    Store,
    open_store,
)
from sightline.index.store import store as store_module
from sightline.index.store import store_folder as folder_module
from sightline.index.store.generation import SCHEMA
from sightline.index.store.pack import checksum

_ROOT = "/workspace"
_KILLS = 1000 if os.environ.get("SIGHTLINE_LONG") else 100
_CAPABILITIES_VERSION_3 = 0x20080522

# Forked from a process that has this module and no threads: a child costs milliseconds.
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload([__name__])


def test_a_writer_killed_at_any_moment_leaves_a_whole_generation(tmp_path: Path) -> None:
    """The last one that it reported, or the one that it was writing; and the next save works."""
    chance = random.Random(3)
    generation = _save_generation(_open(tmp_path), "parent", 0)
    for _ in range(_KILLS):
        ours, theirs = _processes.Pipe(duplex=False)
        writer = _processes.Process(target=_save_for_ever, args=(tmp_path, generation + 1, theirs))
        writer.start()
        theirs.close()
        assert ours.poll(30)
        time.sleep(chance.uniform(0, 0.03))
        writer.kill()
        writer.join()
        with contextlib.suppress(EOFError):
            while True:
                generation = ours.recv()
        store = _open(tmp_path)
        found = _whole_generation(store)
        assert found in (generation, generation + 1)
        generation = _save_generation(store, "parent", found + 1)
        assert _whole_generation(_open(tmp_path)) == generation
        assert _unexpected_files(tmp_path) == []


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_writer_killed_at_each_step_leaves_a_whole_generation(tmp_path: Path, when: str) -> None:
    """The same without chance: it dies before, or after, each call that changes the disk."""
    steps = 0
    while True:
        cache = tmp_path / str(steps)
        _save_generation(_open(cache), "parent", 0)
        _save_generation(_open(cache), "parent", 1)
        writer = _processes.Process(target=_save_and_die, args=(cache, 2, steps, when))
        writer.start()
        writer.join()
        store = _open(cache)
        if writer.exitcode == 0:
            break
        assert writer.exitcode == -signal.SIGKILL
        assert _whole_generation(store) in (1, 2)
        _save_generation(store, "parent", 3)
        assert _whole_generation(_open(cache)) == 3
        assert _unexpected_files(cache) == []
        steps += 1
    assert _whole_generation(store) == 2
    assert steps > 8


def test_two_writers_and_a_reader_never_see_a_mixture(tmp_path: Path) -> None:
    writers = [
        _processes.Process(target=_save_many, args=(tmp_path, label, 150))
        for label in ("one", "two")
    ]
    _save_generation(_open(tmp_path), "parent", 0)
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        _whole_generation(_open(tmp_path))
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert _whole_generation(_open(tmp_path)) == 150
    assert _unexpected_files(tmp_path) == []


def test_no_flipped_bit_is_believed(small: Path) -> None:
    """Every bit of every file."""
    for file in _data_files(small):
        good = file.read_bytes()
        for position in range(len(good) * 8):
            damaged = bytearray(good)
            damaged[position // 8] ^= 1 << position % 8
            file.write_bytes(damaged)
            assert _right_or_nothing(_open(small)) < 5, (file.suffix, position)
        file.write_bytes(good)
    assert _right_or_nothing(_open(small)) == 5


def test_no_cut_off_file_is_believed(small: Path) -> None:
    """Every length shorter than the right one."""
    for file in _data_files(small):
        good = file.read_bytes()
        for length in range(len(good)):
            file.write_bytes(good[:length])
            assert _right_or_nothing(_open(small)) < 5, (file.suffix, length)
        file.write_bytes(good)


@pytest.mark.parametrize("garbage", [b"\0", b"garbage" * 1000], ids=["a byte", "much"])
def test_no_longer_file_is_believed(small: Path, garbage: bytes) -> None:
    for file in _data_files(small):
        good = file.read_bytes()
        for longer in (good + garbage, garbage + good):
            file.write_bytes(longer)
            assert _right_or_nothing(_open(small)) < 5, file.suffix
        file.write_bytes(good)


def _as_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _as_link(file: Path) -> None:
    """To a good copy, so that only the link itself can be what is refused."""
    good = file.read_bytes()
    copy = file.parent.parent.parent / "copy"
    copy.write_bytes(good)
    file.unlink()
    file.symlink_to(copy)


def _as_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _as_anothers(file: Path) -> None:
    """Bytes of the same length."""
    file.write_bytes(os.urandom(file.stat().st_size))


@pytest.mark.parametrize("replace", [Path.unlink, _as_directory, _as_link, _as_pipe, _as_anothers])
def test_what_is_not_our_file_is_a_miss(small: Path, replace: Callable[[Path], None]) -> None:
    """And the next save mends it, except where a directory stands in the head's place."""
    for file in _data_files(small):
        folder = shutil.copytree(file.parent, small / "kept")
        replace(file)
        store = _open(small)
        assert _right_or_nothing(store) < 5, file.suffix
        saved = _save_small(store)
        if replace is _as_directory and file.name == "head":
            assert saved == SaveFailure(Fault.UNAVAILABLE)
        else:
            assert isinstance(saved, Saved)
            assert _right_or_nothing(_open(small)) == 5
        shutil.rmtree(file.parent)
        folder.rename(file.parent)


def test_a_blob_damaged_in_its_pack_is_mended_by_a_fresh_one(small: Path) -> None:
    """A section as well: neither pack nor section may be left alone because it seems the same."""
    for file in _data_files(small):
        if file.name == "head":
            continue
        damaged = bytearray(file.read_bytes())
        damaged[0] ^= 1
        file.write_bytes(damaged)
    assert isinstance(_save_small(_open(small)), Saved)
    assert _right_or_nothing(_open(small)) == 5


def test_packs_do_not_stand_in_for_each_other(tmp_path: Path) -> None:
    _save_generation(_open(tmp_path), "parent", 0)
    _save_generation(_open(tmp_path), "parent", 1)
    packs = sorted(_folder(tmp_path).glob("*.pack"))
    assert len(packs) == 2
    contents = [pack.read_bytes() for pack in packs]
    for pack, content in zip(packs, reversed(contents), strict=True):
        pack.write_bytes(content)
    store = _open(tmp_path)
    assert [store.get(key) for key in _generation("parent", 1)[1]] == [None] * 24


@pytest.mark.parametrize("schema", [0, 2, 1 << 31])
def test_another_version_is_a_miss(small: Path, schema: int) -> None:
    """Even with a right checksum."""
    head = _folder(small) / "head"
    content = bytearray(head.read_bytes())
    struct.pack_into("<I", content, 8, schema)
    content[24:40] = checksum(content[:24], content[40:])
    head.write_bytes(content)
    assert _right_or_nothing(_open(small)) == 0
    struct.pack_into("<I", content, 8, SCHEMA)
    content[24:40] = checksum(content[:24], content[40:])
    head.write_bytes(content)
    assert _right_or_nothing(_open(small)) == 5


def test_a_sealed_head_of_nonsense_is_a_miss(small: Path) -> None:
    """Wrong in its form, in its numbers, or naming files that are not ours to open."""
    head = _folder(small) / "head"
    block = ["0" * 32 + ".pack", 0, 0, bytes(16)]
    outside = ["../../../etc/passwd", 0, 0, bytes(16)]
    negative = ["0" * 32 + ".pack", -1, 60, bytes(16)]
    for directory in ([], 7, [[outside], {}], [[negative], {}], [[block, 1], {}], [[block]]):
        _write_head(head, msgspec.msgpack.encode(directory))
        assert _right_or_nothing(_open(small)) == 0
    _write_head(head, b"\xc1")
    assert _right_or_nothing(_open(small)) == 0
    assert isinstance(_save_small(_open(small)), Saved)
    assert _right_or_nothing(_open(small)) == 5


def test_a_file_cut_off_under_an_open_store_is_a_miss(small: Path) -> None:
    """A memory map would end the process here."""
    store = _open(small)
    assert _right_or_nothing(store) == 5
    for file in _data_files(small):
        os.truncate(file, 0)
    # The state was read when the store was opened, and the empty blob cannot be cut off.
    assert _right_or_nothing(store) == 2
    assert isinstance(_save_small(store), Saved)
    assert _right_or_nothing(_open(small)) == 5


def test_a_vanished_directory_is_made_again(tmp_path: Path) -> None:
    """With everything that was live: the open store still has it."""
    store = _open(tmp_path / "cache")
    _save_generation(store, "parent", 0)
    shutil.rmtree(tmp_path / "cache")
    state, blobs, _ = _generation("parent", 0)
    saved = store.save(state, {}, blobs, {})
    assert isinstance(saved, Saved)
    assert saved.missing == 0
    assert _whole_generation(_open(tmp_path / "cache")) == 0


def test_a_cache_below_a_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert open_store(_ROOT, tmp_path / "file" / "cache") == NoStore(Fault.UNAVAILABLE)
    store = _open(tmp_path / "cache")
    (tmp_path / "cache").write_bytes(b"")
    assert store.save(b"", {}, [], {}) == SaveFailure(Fault.UNSAFE)


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    """The limit on a file's size gives the same error as a full disk, at every size."""
    _save_generation(_open(tmp_path), "parent", 0)
    before = sorted(_folder(tmp_path).iterdir())
    for limit in (0, 1, 100, 1000, 3000):
        assert _in_a_process(_save_with_limit, tmp_path, limit) == SaveFailure(Fault.FULL)
        assert _whole_generation(_open(tmp_path)) == 0
        assert sorted(_folder(tmp_path).iterdir()) == before
    assert _in_a_process(_save_with_limit, tmp_path, 1 << 20) != SaveFailure(Fault.FULL)
    assert _whole_generation(_open(tmp_path)) == 1


def test_a_really_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    with _small_disk(tmp_path / "disk", "1m") as disk:
        store = _open(disk / "cache")
        _save_generation(store, "parent", 0)
        large = {hashlib.sha256(b"large").digest(): os.urandom(2_000_000)}
        assert store.save(b"", {}, large, large) == SaveFailure(Fault.FULL)
        assert store.save(b"", {"large": bytes(2_000_000)}, [], {}) == SaveFailure(Fault.FULL)
        assert store.save(bytes(2_000_000), {}, [], {}) == SaveFailure(Fault.FULL)
        assert _whole_generation(store) == 0
        assert _whole_generation(_open(disk / "cache")) == 0
        assert _unexpected_files(disk / "cache") == []
        _save_generation(store, "parent", 1)
        assert _whole_generation(_open(disk / "cache")) == 1


def test_a_directory_without_permission_is_a_typed_failure() -> None:
    """Root may write anywhere, so a process without privileges does the asking."""
    with tempfile.TemporaryDirectory() as directory:
        cache = Path(directory) / "cache"
        assert _in_a_process(_save_without_privileges, cache, 0o700) == (None, None)
        denied = SaveFailure(Fault.DENIED)
        assert _in_a_process(_save_without_privileges, cache, 0o500) == (0, denied)
        assert _in_a_process(_save_without_privileges, cache, 0o000) == (
            NoStore(Fault.DENIED),
            None,
        )


def test_a_busy_store_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "_LOCK_WAIT_SECONDS", 0)
    store = _open(tmp_path)
    _save_generation(store, "parent", 0)
    with (_folder(tmp_path) / "lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert store.save(b"", {}, [], {}) == SaveFailure(Fault.BUSY)
        assert _whole_generation(_open(tmp_path)) == 0
    _save_generation(store, "parent", 1)


def test_without_locks_only_old_files_are_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writer may be alive, and its files unnamed as yet."""
    monkeypatch.setattr(folder_module, "_lock", lambda _: None)
    store = _open(tmp_path)
    _save_generation(store, "parent", 0)
    young = _folder(tmp_path) / ("0" * 32 + ".pack")
    old = _folder(tmp_path) / ("1" * 32 + ".draft")
    foreign = _folder(tmp_path) / "notes.txt"
    for file in (young, old, foreign):
        file.write_bytes(b"left over")
    os.utime(old, (1_000_000, 1_000_000))
    _save_generation(store, "parent", 1)
    assert [file.exists() for file in (young, old, foreign)] == [True, False, True]
    monkeypatch.undo()
    _save_generation(store, "parent", 2)
    assert [file.exists() for file in (young, old, foreign)] == [False, False, True]
    assert _whole_generation(_open(tmp_path)) == 2


def _open(cache: Path) -> Store:
    store = open_store(_ROOT, cache, limit=CACHE_LIMIT_BYTES)
    assert isinstance(store, Store)
    return store


def _section(store: Store, name: str) -> bytes | None:
    section = store.section(name)
    return None if section is None else bytes(section)


def _folder(cache: Path) -> Path:
    (folder,) = (cache / "index").iterdir()
    return folder


def _data_files(cache: Path) -> list[Path]:
    return sorted(file for file in _folder(cache).iterdir() if file.name != "lock")


def _unexpected_files(cache: Path) -> list[str]:
    """Files that the head does not name, and others than the head and the lock."""
    head = (_folder(cache) / "head").read_bytes()
    names = {file.name for file in _folder(cache).iterdir()} - {"head", "lock"}
    return sorted(name for name in names if name.encode() not in head)


# A generation has 24 blobs, of which the next replaces one, and together they are large enough
# for the first pack not to be swallowed by the second.


def _generation(label: str, number: int) -> tuple[bytes, dict[bytes, bytes], dict[str, bytes]]:
    blobs = {}
    for which in range(24):
        version = number - (number - which) % 24 if number >= which else 0
        content = f"{label} {which} {version} ".encode() * (40 + 20 * (which % 7) ** 2)
        blobs[hashlib.sha256(content).digest()] = content
    sections = {"names": f"{label} {number // 3} ".encode() * 500}
    state = {
        "label": label,
        "number": number,
        "blobs": {key.hex(): hashlib.sha256(blob).hexdigest() for key, blob in blobs.items()},
        "names": hashlib.sha256(sections["names"]).hexdigest(),
    }
    return json.dumps(state).encode(), blobs, sections


def _save_generation(store: Store, label: str, number: int) -> int:
    """Gives the store only what it does not have, as the index does."""
    state, blobs, sections = _generation(label, number)
    fresh = {key: blob for key, blob in blobs.items() if store.get(key) is None}
    changed = {name: data for name, data in sections.items() if _section(store, name) != data}
    saved = store.save(state, changed, blobs, fresh)
    assert isinstance(saved, Saved)
    assert saved.missing == 0
    return number


def _whole_generation(store: Store) -> int:
    assert store.state is not None
    state = json.loads(store.state)
    found = {key: store.get(bytes.fromhex(key)) for key in state["blobs"]}
    digests = {
        key: None if blob is None else hashlib.sha256(blob).hexdigest()
        for key, blob in found.items()
    }
    assert digests == state["blobs"]
    section = _section(store, "names")
    assert section is not None
    assert hashlib.sha256(section).hexdigest() == state["names"]
    assert isinstance(state["number"], int)
    return state["number"]


# A small store, for damage to every bit: a state, a section, two blobs and an empty one.

_SMALL = {hashlib.sha256(blob).digest(): blob for blob in (b"first", b"second blob", b"")}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    assert isinstance(_save_small(_open(tmp_path)), Saved)
    return tmp_path


def _save_small(store: Store) -> Saved | SaveFailure:
    return store.save(b"state", {"names": b"section"}, _SMALL, _SMALL)


def _right_or_nothing(store: Store) -> int:
    """How many of the five answers are right; the others must be None."""
    answers = [
        (store.state, b"state"),
        (_section(store, "names"), b"section"),
        *((store.get(key), blob) for key, blob in _SMALL.items()),
    ]
    assert all(answer in (None, expected) for answer, expected in answers)
    return sum(answer is not None for answer, _ in answers)


def _write_head(head: Path, directory: bytes) -> None:
    start = struct.pack("<8sIIQ", b"SIGHTLIN", SCHEMA, len(directory), 5)
    head.write_bytes(start + checksum(start, directory, b"state") + directory + b"state")


@contextlib.contextmanager
def _small_disk(place: Path, size: str) -> Iterator[Path]:
    mount = shutil.which("mount")
    place.mkdir()
    command = [str(mount), "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(place)]
    if mount is None or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("no right to mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


# What the other processes do.


def _save_for_ever(cache: Path, number: int, finished: Connection) -> None:
    store = _open(cache)
    while True:
        finished.send(_save_generation(store, "child", number))
        number += 1


def _save_many(cache: Path, label: str, last: int) -> None:
    store = _open(cache)
    for number in range(1, last + 1):
        _save_generation(store, label, number)


def _save_and_die(cache: Path, number: int, step: int, when: str) -> None:
    """Saves, but dies at one of the calls that change the disk."""
    store = _open(cache)
    left = step

    def deadly(call: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*arguments: object, **named: object) -> object:
            nonlocal left
            left -= 1
            if left < 0 and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = call(*arguments, **named)
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return wrapped

    for name in ("fdopen", "fsync", "replace", "unlink"):
        setattr(os, name, deadly(getattr(os, name)))
    _save_generation(store, "child", number)


def _in_a_process(work: Callable[[Path, int], object], cache: Path, number: int) -> object:
    ours, theirs = _processes.Pipe(duplex=False)
    process = _processes.Process(target=_report, args=(theirs, work, cache, number))
    process.start()
    theirs.close()
    result = ours.recv()
    process.join()
    return result


def _report(to: Connection, work: Callable[[Path, int], object], cache: Path, number: int) -> None:
    to.send(work(cache, number))


def _save_with_limit(cache: Path, limit: int) -> object:
    store = _open(cache)
    state, blobs, sections = _generation("parent", 1)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return store.save(state, sections, blobs, blobs)


def _give_up_capabilities() -> None:
    """Root becomes a user like any other, and stays the owner of its files.

    Another user's id would not do: the temporary directory may be closed to other users.
    """
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None).capset(header, nothing) == 0


def _save_without_privileges(cache: Path, mode: int) -> object:
    """With mode 0700 it fills the store; then what it can read and what saving answers."""
    if os.geteuid() == 0:
        _give_up_capabilities()
    if mode == stat.S_IRWXU:
        _save_generation(_open(cache), "parent", 0)
        return None, None
    folder = _folder(cache)
    folder.chmod(mode)
    try:
        store = open_store(_ROOT, cache)
        if isinstance(store, NoStore):
            return store, None
        return _whole_generation(store), store.save(b"", {}, [], {})
    finally:
        folder.chmod(0o700)
