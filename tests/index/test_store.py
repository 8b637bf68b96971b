"""The store: what is saved comes back, what is small stays small, and where it may be."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

import platformdirs
import pytest

from sightline.index.store import (
    CACHE_VARIABLE,
    Fault,
    NoStore,
    Saved,
    SaveFailure,
    Store,
    open_store,
)
from sightline.index.store import store_folder as folder_module

_ROOT = "/home/someone/secret-project"
_NOBODY = 65534

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no owners and modes")
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)


@pytest.fixture(params=["by descriptor", "by path"])
def door(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Systems without `dir_fd` and `pread` take the other way through the same code."""
    if request.param == "by path":
        monkeypatch.setattr(folder_module, "_DESCENDS", False)
        monkeypatch.delattr(os, "pread", raising=False)


@pytest.mark.usefixtures("door")
def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    blobs = _blobs(b"facts of a file", b"", b"facts of another")
    saved = _save(_open(tmp_path), blobs, sections={"names": b"N" * 5000, "empty": b""})
    assert saved.missing == 0
    store = _open(tmp_path)
    assert store.state == b"state"
    assert {key: store.get(key) for key in blobs} == blobs
    assert _section(store, "names") == b"N" * 5000
    assert _section(store, "empty") == b""
    assert _section(store, "other") is None
    assert store.get(_key(b"never saved")) is None
    assert store.get(b"no key") is None


def test_an_empty_store_creates_nothing(tmp_path: Path) -> None:
    store = _open(tmp_path / "cache")
    assert (store.state, store.get(_key(b"a")), _section(store, "names")) == (None, None, None)
    assert list(tmp_path.iterdir()) == []


def test_the_store_that_saved_shows_what_it_saved(tmp_path: Path) -> None:
    store = _open(tmp_path)
    blobs = _blobs(b"a", b"b")
    _save(store, blobs)
    assert store.state == b"state"
    assert {key: store.get(key) for key in blobs} == blobs
    store.close()
    assert {key: store.get(key) for key in blobs} == dict.fromkeys(blobs)


def test_workspaces_do_not_see_each_other(tmp_path: Path) -> None:
    _save(_open(tmp_path, root="/one"), _blobs(b"one"))
    assert _open(tmp_path, root="/two").state is None


def test_live_blobs_need_not_be_given_again(tmp_path: Path) -> None:
    """And those that are not live are gone once their pack is written anew."""
    store = _open(tmp_path)
    first = _blobs(b"a", b"b", b"c")
    _save(store, first)
    second = _blobs(b"c", b"d")
    saved = store.save(b"second", {}, second, _blobs(b"d", b"not live"))
    assert isinstance(saved, Saved)
    store = _open(tmp_path)
    assert store.state == b"second"
    assert {key: store.get(key) for key in second} == second
    assert store.get(_key(b"a")) is None
    assert store.get(_key(b"not live")) is None


def test_a_live_key_without_a_blob_is_counted(tmp_path: Path) -> None:
    blobs = _blobs(b"a")
    saved = _open(tmp_path).save(b"", {}, [*blobs, _key(b"b"), _key(b"c")], blobs)
    assert isinstance(saved, Saved)
    assert saved.missing == 2
    assert _open(tmp_path).get(_key(b"a")) == b"a"


def test_a_key_of_another_length_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        _open(tmp_path).save(b"", {}, [b"short"], {})
    assert list(tmp_path.iterdir()) == []


def test_a_small_change_writes_little(tmp_path: Path) -> None:
    """One blob of 1 kB in 2 MB, a hundred times: each save is near the size of the change."""
    store = _open(tmp_path)
    blobs = _blobs(*(b"%04d" % number * 250 for number in range(2000)))
    sections = {"names": bytes(500_000)}
    _save(store, blobs, sections=sections)
    written = []
    for number in range(100):
        del blobs[min(blobs)]
        fresh = _blobs(b"new %04d" % number * 125)
        blobs |= fresh
        saved = store.save(b"state", {}, blobs, fresh)
        assert isinstance(saved, Saved)
        written.append(saved.written)
    assert max(written) < 200_000
    assert sum(written) < 100 * 80_000
    store = _open(tmp_path)
    assert {key: store.get(key) for key in blobs} == blobs
    assert _section(store, "names") == sections["names"]
    assert len(_files(tmp_path, "*.pack")) < 8


def test_the_dead_do_not_pile_up(tmp_path: Path) -> None:
    """Every blob is replaced several times over; the files stay within twice the live bytes."""
    store = _open(tmp_path)
    blobs: dict[bytes, bytes] = {}
    for number in range(60):
        fresh = _blobs(*(b"%d %d " % (number, which) * 200 for which in range(20)))
        blobs = dict(list(blobs.items())[-180:]) | fresh
        assert isinstance(store.save(b"state", {}, blobs, fresh), Saved)
    live = sum(map(len, blobs.values()))
    assert sum(file.stat().st_size for file in _files(tmp_path, "*.pack")) < 2.5 * live
    store = _open(tmp_path)
    assert {key: store.get(key) for key in blobs} == blobs


def test_sections_stay_until_given_anew(tmp_path: Path) -> None:
    store = _open(tmp_path)
    _save(store, {}, sections={"names": b"first", "edges": b"edges"})
    before = _files(tmp_path, "*.section")
    _save(store, {}, sections={})
    _save(store, {}, sections={"names": b"first"})
    assert _files(tmp_path, "*.section") == before
    _save(store, {}, sections={"names": b"second"})
    store = _open(tmp_path)
    assert (_section(store, "names"), _section(store, "edges")) == (b"second", b"edges")
    _save(store, {}, sections={"edges": None})
    assert _section(_open(tmp_path), "edges") is None
    assert len(_files(tmp_path, "*.section")) == 1


def test_a_reader_keeps_its_generation(tmp_path: Path) -> None:
    """Others may save, and remove the files, as often as they like."""
    first = _blobs(b"a", b"b")
    _save(_open(tmp_path), first, sections={"names": b"first"})
    reader = _open(tmp_path)
    _save(_open(tmp_path), _blobs(b"c"), sections={"names": b"second"})
    assert {key: reader.get(key) for key in first} == first
    assert _section(reader, "names") == b"first"


def test_a_save_upon_anothers_save_loses_nothing_of_its_own(tmp_path: Path) -> None:
    """The files of the generation that this store began with are gone by then."""
    first = _blobs(b"a", b"b")
    _save(_open(tmp_path), first, sections={"names": b"first"})
    store = _open(tmp_path)
    _save(_open(tmp_path), _blobs(b"c"), sections={"names": b"second", "other": b"other"})
    saved = store.save(b"mine", {}, first, {})
    assert isinstance(saved, Saved)
    assert saved.missing == 0
    store = _open(tmp_path)
    assert store.state == b"mine"
    assert {key: store.get(key) for key in first} == first
    assert (_section(store, "names"), _section(store, "other")) == (b"first", None)


def test_the_environment_names_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "chosen"))
    store = open_store(_ROOT)
    assert isinstance(store, Store)
    _save(store, {})
    assert (tmp_path / "chosen" / "index").is_dir()


def test_the_cache_is_the_users_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name, **_: tmp_path / name)
    store = open_store(_ROOT)
    assert isinstance(store, Store)
    _save(store, {})
    assert (tmp_path / "sightline" / "index").is_dir()


@pytest.mark.parametrize("inside", ["", "cache", "deep/in/it"])
def test_nothing_is_kept_in_the_workspace(tmp_path: Path, inside: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    link = tmp_path / "link"
    link.symlink_to(root, target_is_directory=True)
    for cache in (root / inside, link / inside):
        assert open_store(str(root), cache) == NoStore(Fault.INSIDE_WORKSPACE)
        assert open_store(str(link), cache) == NoStore(Fault.INSIDE_WORKSPACE)
    assert list(root.iterdir()) == []


def test_a_cache_that_became_part_of_the_workspace_is_not_written(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    store = _open(tmp_path / "cache", root=str(root))
    (tmp_path / "cache").symlink_to(root, target_is_directory=True)
    assert store.save(b"", {}, [], {}) == SaveFailure(Fault.INSIDE_WORKSPACE)
    assert list(root.iterdir()) == []


def test_a_relative_cache_is_refused() -> None:
    """It would be wherever the process happens to stand."""
    assert open_store(_ROOT, Path("cache")) == NoStore(Fault.UNSAFE)


def test_an_impossible_path_is_no_store(tmp_path: Path) -> None:
    assert open_store(_ROOT, tmp_path / "a\0b") == NoStore(Fault.UNAVAILABLE)
    assert open_store("/a\0b", tmp_path) == NoStore(Fault.UNAVAILABLE)
    assert open_store("/\ud800", tmp_path) == NoStore(Fault.UNAVAILABLE)
    assert isinstance(open_store("/\udcff", tmp_path), Store)


@posix
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777, 0o1777])
def test_a_cache_that_others_may_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    store = _open(tmp_path / "cache")
    _save(store, {})
    for directory in (tmp_path / "cache", tmp_path / "cache/index", _folder(tmp_path / "cache")):
        directory.chmod(mode)
        assert open_store(_ROOT, tmp_path / "cache") == NoStore(Fault.UNSAFE)
        assert store.save(b"", {}, [], {}) == SaveFailure(Fault.UNSAFE)
        directory.chmod(0o700)
    assert _open(tmp_path / "cache").state == b"state"


@as_root
def test_what_belongs_to_another_is_not_used(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    store = _open(cache)
    blobs = _blobs(b"a")
    _save(store, blobs)
    for directory in (cache, cache / "index", _folder(cache)):
        os.chown(directory, _NOBODY, _NOBODY)
        assert open_store(_ROOT, cache) == NoStore(Fault.UNSAFE)
        assert store.save(b"", {}, [], {}) == SaveFailure(Fault.UNSAFE)
        os.chown(directory, 0, 0)
    (pack,) = _files(cache, "*.pack")
    os.chown(pack, _NOBODY, _NOBODY)
    assert _open(cache).get(_key(b"a")) is None
    os.chown(_folder(cache) / "head", _NOBODY, _NOBODY)
    assert _open(cache).state is None


@posix
def test_our_own_link_to_the_cache_is_followed(tmp_path: Path) -> None:
    (tmp_path / "large disk").mkdir(0o700)
    (tmp_path / "cache").symlink_to("large disk", target_is_directory=True)
    _save(_open(tmp_path / "cache"), {})
    assert _open(tmp_path / "cache").state == b"state"


@as_root
def test_anothers_link_to_the_cache_is_not(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(0o700)
    (tmp_path / "cache").symlink_to("elsewhere", target_is_directory=True)
    os.lchown(tmp_path / "cache", _NOBODY, _NOBODY)
    assert open_store(_ROOT, tmp_path / "cache") == NoStore(Fault.UNSAFE)


@posix
def test_nothing_is_readable_by_others(tmp_path: Path) -> None:
    """Whatever the umask; and the root's path stands nowhere in clear."""
    before = os.umask(0)
    try:
        cache = tmp_path / "made" / "by us"
        _save(_open(cache), _blobs(b"a"), sections={"names": b"n"})
    finally:
        os.umask(before)
    found = sorted((tmp_path / "made").rglob("*"))
    files = [path for path in found if path.is_file()]
    assert {path.suffix for path in files} == {"", ".pack", ".section"}
    for path in (tmp_path / "made", *found):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600)
    everything = b"".join(os.fsencode(path) + path.read_bytes() for path in files)
    for part in Path(_ROOT).parts[1:]:
        assert part.encode() not in everything


def test_the_workspaces_not_used_for_longest_are_dropped(tmp_path: Path) -> None:
    for age, root in enumerate(("/newest", "/middle", "/oldest")):
        _save(_open(tmp_path, root=root), _blobs(bytes(10_000)))
        head = _folder(tmp_path, root) / "head"
        os.utime(head, (1_000_000 - age, 1_000_000 - age))
    foreign = _folder(tmp_path, "/middle") / "notes.txt"
    foreign.write_bytes(b"not ours")
    store = open_store("/current", tmp_path, limit=35_000)
    assert isinstance(store, Store)
    _save(store, _blobs(bytes(10_000)))
    assert _open(tmp_path, root="/oldest").state is None
    assert not _folder(tmp_path, "/oldest").exists()
    assert _open(tmp_path, root="/middle").state == b"state"
    os.utime(_folder(tmp_path, "/middle") / "head", (1_000_000, 1_000_000))
    store = open_store("/current", tmp_path, limit=10)
    assert isinstance(store, Store)
    _save(store, {})
    assert _open(tmp_path, root="/middle").state is None
    assert foreign.read_bytes() == b"not ours"
    assert _open(tmp_path, root="/current").state == b"state"


def test_opening_counts_as_use(tmp_path: Path) -> None:
    for root in ("/opened", "/other"):
        _save(_open(tmp_path, root=root), _blobs(bytes(10_000)))
        os.utime(_folder(tmp_path, root) / "head", (1_000_000, 1_000_000))
    _open(tmp_path, root="/opened")
    store = open_store("/current", tmp_path, limit=25_000)
    assert isinstance(store, Store)
    _save(store, _blobs(bytes(10_000)))
    assert _open(tmp_path, root="/opened").state == b"state"
    assert _open(tmp_path, root="/other").state is None


@posix
def test_dropping_follows_no_link(tmp_path: Path) -> None:
    cache, elsewhere = tmp_path / "cache", tmp_path / "elsewhere"
    _save(_open(elsewhere), _blobs(bytes(10_000)))
    _save(_open(cache, root="/current"), {})
    (cache / "index" / ("0" * 32)).symlink_to(_folder(elsewhere), target_is_directory=True)
    store = open_store("/current", cache, limit=1)
    assert isinstance(store, Store)
    _save(store, {})
    assert _open(elsewhere).state == b"state"


def _open(cache: Path, root: str = _ROOT) -> Store:
    store = open_store(root, cache)
    assert isinstance(store, Store)
    return store


def _save(
    store: Store, blobs: dict[bytes, bytes], sections: Mapping[str, bytes | None] | None = None
) -> Saved:
    saved = store.save(b"state", sections or {}, blobs, blobs)
    assert isinstance(saved, Saved)
    return saved


def _section(store: Store, name: str) -> bytes | None:
    section = store.section(name)
    return None if section is None else bytes(section)


def _blobs(*contents: bytes) -> dict[bytes, bytes]:
    return {_key(content): content for content in contents}


def _key(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _folder(cache: Path, root: str = _ROOT) -> Path:
    name = hashlib.blake2b(root.encode(), digest_size=16, person=b"sightline-1").hexdigest()
    return cache / "index" / name


def _files(cache: Path, pattern: str) -> list[Path]:
    return sorted(_folder(cache).glob(pattern))
