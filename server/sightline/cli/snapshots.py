"""`sightline snapshot …`: record what an AI saw in the repository, and verify it."""

from __future__ import annotations

import argparse
import getpass
import os
import re
import sys
from pathlib import Path

import attrs
import msgspec

from sightline.bundle import BuildResult
from sightline.cli.delivery import read_file, write_file
from sightline.cli.output import DONE, REFUSED, Output
from sightline.engine.host import Host, open_host, root_around
from sightline.engine.snapshot_builds import snapshot_build, snapshot_record
from sightline.engine.snapshot_differences import compare_snapshots
from sightline.engine.snapshot_files import FileObjects, written_file
from sightline.engine.snapshot_items import LARGEST_ITEM, actor_of
from sightline.engine.snapshot_requests import given_items
from sightline.engine.snapshot_store import (
    Objects,
    SnapshotInfo,
    commit_of,
    repository_objects,
)
from sightline.engine.snapshot_verify import verify_snapshot
from sightline.engine.snapshots import (
    TRAILER,
    collect_garbage,
    create_snapshot,
    export_snapshot,
    find_snapshot,
    import_snapshot,
    list_snapshots,
    made_before,
    prune_snapshots,
    read_file_or_find,
    shown_snapshot,
    snapshot_content,
)
from sightline.refusals import Refusal, RefusalKind

_ADVICE = "give a file that can be read"
_NONE = "there are no snapshots yet; 'sightline build TARGET --snapshot' makes one"
_ID = re.compile(r"[0-9a-f-]{4,36}")


def run_create(options: argparse.Namespace, output: Output) -> int:
    root = _root(options)
    if isinstance(root, Refusal):
        return output.refuse(root)
    file = FileObjects() if options.to is not None else None
    made: SnapshotInfo | Refusal
    if options.bundle is not None and not options.items:
        made = _of_bundle(options, root, file)
    elif options.items and options.bundle is None:
        made = _of_items(options, root, file)
    else:
        made = _usage("give either a bundle's JSON file or items")
    if isinstance(made, Refusal):
        return output.refuse(made)
    if file is not None:
        write_file(options.to, written_file(made.snapshot, file.blobs))
    if output.json:
        output.raw(made.snapshot.to_json() + b"\n")
    else:
        output.raw(f"{made.snapshot.object_id}\n".encode("ascii"))
    return DONE


def run_list(options: argparse.Namespace, output: Output) -> int:
    root = _root(options)
    found = (
        root
        if isinstance(root, Refusal)
        else list_snapshots(
            root,
            names=_names(options, root, options.path),
            since=options.since,
            commit=options.commit,
        )
    )
    if isinstance(found, Refusal):
        return output.refuse(found)
    if output.json:
        snapshots = [msgspec.Raw(each.snapshot.to_json()) for each in found.found]
        output.raw(msgspec.json.encode(snapshots) + b"\n")
    else:
        lines = [
            f"{snapshot.object_id}  {snapshot.created_at}  {snapshot.created_by.id}  "
            f"{snapshot.summary or ''}"
            for snapshot in (each.snapshot for each in found.found)
        ]
        output.raw("".join(f"{_one_line(line)}\n" for line in lines).encode("utf-8"))
        if not found.found:
            output.reason("there are no such snapshots" if _is_narrowed(options) else _NONE)
    for name in found.unreadable:
        output.reason(f"{name} cannot be read: its object is missing or is not a snapshot")
    return DONE


def _is_narrowed(options: argparse.Namespace) -> bool:
    return any(each is not None for each in (options.path, options.since, options.commit))


def run_show(options: argparse.Namespace, output: Output) -> int:
    found = _found(options)
    if isinstance(found, Refusal):
        return output.refuse(found)
    info = found[0]
    if output.json:
        output.raw(info.snapshot.to_json() + b"\n")
        return DONE
    for line in shown_snapshot(info):
        output.line((_one_line(line), ""))
    return DONE


def run_cat(options: argparse.Namespace, output: Output) -> int:
    found = _found(options)
    if isinstance(found, Refusal):
        return output.refuse(found)
    root = _known_root(options)
    content = snapshot_content(found[1], found[0], _names(options, root, options.item))
    if isinstance(content, Refusal):
        return output.refuse(content)
    output.raw(content)
    return DONE


def run_diff(options: argparse.Namespace, output: Output) -> int:
    one = _found(options)
    if isinstance(one, Refusal):
        return output.refuse(one)
    other = _found(options, options.other)
    if isinstance(other, Refusal):
        return output.refuse(other)
    differences = compare_snapshots(one, other)
    if output.json:
        told = {"differences": [attrs.asdict(each) for each in differences]}
        output.raw(msgspec.json.encode(told) + b"\n")
        return DONE
    for each in differences:
        output.line((_one_line(each.sentence()), ""))
        if options.patch and each.patch:
            output.raw(each.patch.encode("utf-8", "replace"))
    if not differences:
        output.line(("the two snapshots hold the same", ""))
    return DONE


def run_verify(options: argparse.Namespace, output: Output) -> int:
    found = _found(options)
    if isinstance(found, Refusal):
        return output.refuse(found)
    check = verify_snapshot(found[1], found[0])
    if isinstance(check, Refusal):
        return output.refuse(check)
    if output.json:
        told = {
            "status": "different" if check.missing or check.differences else "verified",
            "missing": check.missing,
            "differences": check.differences,
            "is_rebuilt": check.is_rebuilt,
            "notes": check.notes,
        }
        output.raw(msgspec.json.encode(told) + b"\n")
    for note in check.notes:
        output.reason(note)
    for each in check.missing:
        output.reason(f"missing: {each}")
    for each in check.differences:
        output.reason(f"different: {each}")
    if check.missing or check.differences:
        return REFUSED
    if not output.json:
        output.line((check.sentence(), "bold"))
    return DONE


def run_prune(options: argparse.Namespace, output: Output) -> int:
    root = _root(options)
    names = root if isinstance(root, Refusal) else _pruned(root, options)
    if isinstance(names, Refusal):
        return output.refuse(names)
    removed = prune_snapshots(_known_root(options), names)
    if isinstance(removed, Refusal):
        return output.refuse(removed)
    count = len(set(names))
    output.line((f"removed {count} snapshot{'' if count == 1 else 's'} and {removed} refs", ""))
    return DONE


def _pruned(root: Path, options: argparse.Namespace) -> list[str] | Refusal:
    """Return the names of the snapshots to remove."""
    if not options.ids and options.before is None:
        return _usage("give ids of snapshots, or --before TIME")
    known = list_snapshots(root)
    if isinstance(known, Refusal):
        return known
    names = []
    for name in options.ids:
        if name in known.unreadable:
            names.append(name)
            continue
        info = find_snapshot(root, name)
        if isinstance(info, Refusal):
            return info
        names.append(info.name or name)
    before = made_before(root, options.before) if options.before is not None else []
    return before if isinstance(before, Refusal) else [*names, *before]


def run_gc(options: argparse.Namespace, output: Output) -> int:
    root = _root(options)
    done = (
        root
        if isinstance(root, Refusal)
        else collect_garbage(root, days=options.days, is_trial=options.dry_run)
    )
    if isinstance(done, Refusal):
        return output.refuse(done)
    words = "would be removed" if options.dry_run else "removed"
    output.line((f"{done.removed} objects {words}, {done.kept} kept", ""))
    return DONE


def run_trailer(options: argparse.Namespace, output: Output) -> int:
    found = _found(options)
    if isinstance(found, Refusal):
        return output.refuse(found)
    output.raw(f"{TRAILER}: {found[0].snapshot.object_id}\n".encode("ascii"))
    return DONE


def run_export(options: argparse.Namespace, output: Output) -> int:
    found = _found(options)
    data: bytes | Refusal
    if isinstance(found, Refusal):
        data = found
    elif options.interop:
        data = found[0].snapshot.to_json(interop=True)
    else:
        data = export_snapshot(found[1], found[0])
    if isinstance(data, Refusal):
        return output.refuse(data)
    if options.output is not None:
        write_file(options.output, data)
    else:
        output.raw(data)
    assert not isinstance(found, Refusal)
    commit = commit_of(found[0])
    if commit is not None and not options.interop:
        output.reason(f"to verify it in another repository, that repository needs commit {commit}")
    return DONE


def run_import(options: argparse.Namespace, output: Output) -> int:
    root = _root(options)
    if isinstance(root, Refusal):
        return output.refuse(root)
    data = read_file(options.file, _ADVICE)
    made = data if isinstance(data, Refusal) else import_snapshot(root, data, options.keep)
    if isinstance(made, Refusal):
        return output.refuse(made)
    output.raw(f"{made.snapshot.object_id}\n".encode("ascii"))
    return DONE


def recorded(host: Host, result: BuildResult, sent: bytes, file: str | None) -> str | Refusal:
    """Store a bundle that was just built and sent; return the message for the person."""
    objects = FileObjects() if file is not None else None
    actor = actor_of(_user())
    if isinstance(actor, Refusal):
        return actor
    made = snapshot_build(host, result, created_by=actor, objects=objects, sent=sent)
    if isinstance(made, Refusal):
        advice = made.advice.replace("--to FILE", "--snapshot-to FILE")
        return attrs.evolve(made, advice=advice)
    name = made.snapshot.object_id
    if file is not None and objects is not None:
        write_file(file, written_file(made.snapshot, objects.blobs))
    return f"snapshot {name}; to link a commit to it: git commit --trailer '{TRAILER}: {name}'"


def _of_bundle(
    options: argparse.Namespace, root: Path, file: FileObjects | None
) -> SnapshotInfo | Refusal:
    actor = actor_of(_user() if options.by is None else options.by)
    if isinstance(actor, Refusal):
        return actor
    data = read_file(options.bundle, "give the file that 'sightline build --format json' wrote")
    if isinstance(data, Refusal):
        return data
    host = open_host(root)
    if isinstance(host, Refusal):
        return host
    with host:
        refusal = host.open_index()
        if refusal is not None:
            return refusal
        return snapshot_record(
            host,
            data,
            created_by=actor,
            retention=options.keep,
            summary=options.summary,
            objects=file,
        )


def _of_items(
    options: argparse.Namespace, root: Path, file: FileObjects | None
) -> SnapshotInfo | Refusal:
    actor = actor_of(_user() if options.by is None else options.by)
    if isinstance(actor, Refusal):
        return actor
    items = _items(options, root)
    if isinstance(items, Refusal):
        return items
    host = open_host(root, keeps_index=False)
    if isinstance(host, Refusal):
        return host
    with host:
        given = given_items(host, items)
    if isinstance(given, Refusal):
        return given
    return create_snapshot(
        file if file is not None else repository_objects(root),
        given,
        created_by=actor,
        strategy="heuristic" if options.heuristic else "explicit",
        summary=options.summary,
        retention=options.keep,
    )


def _items(options: argparse.Namespace, root: Path) -> list[tuple[str, str, bytes]] | Refusal:
    """Return kind, path and content of each item; those from a file are read under the policy."""
    if [content for _, _, content in options.items].count("-") > 1:
        return _usage("standard input can be the content of one item only")
    items = []
    for kind, path, content in options.items:
        data: bytes | Refusal = b""
        if kind in ("file", "image"):
            if content is not None:
                return _usage(f"--{kind} takes no --content: its content is the file")
            path = str(root / path) if options.root is not None else path
            data = read_file(path, _ADVICE) if kind == "image" else b""
        elif content is None:
            return _usage(f"--{kind} needs --content FILE, or --content - for standard input")
        elif content == "-":
            data = sys.stdin.buffer.read(LARGEST_ITEM + 1)
        else:
            data = read_file(content, _ADVICE)
        if isinstance(data, Refusal):
            return data
        items.append((kind, path, data))
    return items


def _found(
    options: argparse.Namespace, name: str | None = None
) -> tuple[SnapshotInfo, Objects] | Refusal:
    root = _root(options)
    if isinstance(root, Refusal):
        return root
    wanted = name or options.id
    data = None
    if not _ID.fullmatch(wanted) and _is_file(wanted):
        read = read_file(wanted, _ADVICE)
        if isinstance(read, Refusal):
            return read
        data = read
    return read_file_or_find(root, wanted, data)


def _is_file(written: str) -> bool:
    try:
        return Path(written).is_file()
    except (OSError, ValueError):
        return False


def _root(options: argparse.Namespace) -> Path | Refusal:
    if options.root is not None:
        return Path(options.root)
    found = root_around(".")
    return found if isinstance(found, Refusal) else found.directory


def _known_root(options: argparse.Namespace) -> Path:
    root = _root(options)
    assert not isinstance(root, Refusal)
    return root


def _names(options: argparse.Namespace, root: Path, written: str | None) -> tuple[str, ...]:
    """Return the names that an item may have: as typed, and as a path in the repository."""
    if written is None:
        return ()
    base = root if options.root is not None else Path.cwd()
    path = os.path.normpath(base / written)
    top = os.path.normpath(Path.cwd() / root)
    if not path.startswith(top + os.sep):
        return (written,)
    return (written, Path(path).relative_to(top).as_posix())


def _one_line(text: str) -> str:
    return text.replace("\r", " ").replace("\n", " ")


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"


def _usage(message: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "usage",
        None,
        message,
        "see 'sightline snapshot create --help'",
    )
