"""`sightline snapshot …`: what an AI saw, stored in the repository and proved."""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path

import msgspec

from sightline.bundle import BuildResult
from sightline.cli.delivery import read_file, write_file
from sightline.cli.output import DONE, REFUSED, Output
from sightline.engine.host import Host, open_host, root_around
from sightline.engine.snapshot_builds import snapshot_build, snapshot_record, verify_snapshot
from sightline.engine.snapshot_store import GivenItem, SnapshotInfo, actor_of, item_of
from sightline.engine.snapshots import (
    compare_snapshots,
    create_snapshot,
    export_snapshot,
    find_snapshot,
    import_snapshot,
    list_snapshots,
    prune_snapshots,
    snapshot_content,
)
from sightline.refusals import Refusal, RefusalKind

_ADVICE = "give a file that can be read"


def run_create(options: argparse.Namespace, output: Output) -> int:
    root = _root(options)
    if isinstance(root, Refusal):
        return output.refuse(root)
    made: SnapshotInfo | Refusal
    if options.bundle is not None and not options.items:
        made = _of_bundle(options, root)
    elif options.items and options.bundle is None:
        items = []
        for kind, path, content in options.items:
            item = _item(root, kind, path, content)
            if isinstance(item, Refusal):
                return output.refuse(item)
            items.append(item)
        made = create_snapshot(
            root,
            items,
            created_by=actor_of(options.by or _user()),
            summary=options.summary,
            retention=options.keep,
        )
    else:
        made = _usage("name a bundle's JSON, or items, and not both")
    if isinstance(made, Refusal):
        return output.refuse(made)
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
        else list_snapshots(root, path=options.path, since=options.since, commit=options.commit)
    )
    if isinstance(found, Refusal):
        return output.refuse(found)
    if output.json:
        snapshots = [msgspec.Raw(each.snapshot.to_json()) for each in found]
        output.raw(msgspec.json.encode(snapshots) + b"\n")
        return DONE
    for each in found:
        snapshot = each.snapshot
        output.line(
            (snapshot.object_id, "bold"),
            (f"  {snapshot.created_at}  {snapshot.created_by.id}  {snapshot.summary or ''}", ""),
        )
    if not found:
        output.reason("there are no snapshots")
    return DONE


def run_show(options: argparse.Namespace, output: Output) -> int:
    info = _found(options)
    if isinstance(info, Refusal):
        return output.refuse(info)
    snapshot = info.snapshot
    if output.json:
        output.raw(snapshot.to_json() + b"\n")
        return DONE
    actor = snapshot.created_by
    output.line((snapshot.object_id, "bold"), (f"  {snapshot.created_at}", ""))
    output.line((f"{actor.kind} {actor.display_name or actor.id}", ""))
    output.line((f"{snapshot.selection_strategy.value}, object {info.blob}", ""))
    if snapshot.summary:
        output.line((snapshot.summary, ""))
    for item in snapshot.items:
        output.line((f"  {(item.blob or '')[:10]}  {item.kind:<16}", ""), (item.path, "bold"))
    return DONE


def run_cat(options: argparse.Namespace, output: Output) -> int:
    info = _found(options)
    if isinstance(info, Refusal):
        return output.refuse(info)
    content = snapshot_content(_known_root(options), info, options.item)
    if isinstance(content, Refusal):
        return output.refuse(content)
    output.raw(content)
    return DONE


def run_diff(options: argparse.Namespace, output: Output) -> int:
    infos = []
    for name in (options.id, options.other):
        info = _found(options, name)
        if isinstance(info, Refusal):
            return output.refuse(info)
        infos.append(info)
    told = compare_snapshots(*(each.snapshot for each in infos))
    if output.json:
        output.raw(msgspec.json.encode({"differences": told}) + b"\n")
        return DONE
    for line in told:
        output.line((line, ""))
    if not told:
        output.line(("the two snapshots hold the same", ""))
    return DONE


def run_verify(options: argparse.Namespace, output: Output) -> int:
    info = _found(options)
    if isinstance(info, Refusal):
        return output.refuse(info)
    check = verify_snapshot(_known_root(options), info)
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
        how = "verified: a fresh build is the same" if check.is_rebuilt else "verified: all there"
        output.line((how, "bold"))
    return DONE


def run_prune(options: argparse.Namespace, output: Output) -> int:
    root = _root(options)
    if isinstance(root, Refusal):
        return output.refuse(root)
    names = []
    for name in options.ids:
        info = find_snapshot(root, name)
        if isinstance(info, Refusal):
            return output.refuse(info)
        names.append(info.snapshot.object_id)
    if options.before is not None:
        stored = list_snapshots(root)
        if isinstance(stored, Refusal):
            return output.refuse(stored)
        names += [
            each.snapshot.object_id for each in stored if each.snapshot.created_at < options.before
        ]
    removed = prune_snapshots(root, names)
    if isinstance(removed, Refusal):
        return output.refuse(removed)
    output.line((f"removed {len(set(names))} snapshots and {removed} refs", ""))
    return DONE


def run_export(options: argparse.Namespace, output: Output) -> int:
    info = _found(options)
    data = info if isinstance(info, Refusal) else export_snapshot(_known_root(options), info)
    if isinstance(data, Refusal):
        return output.refuse(data)
    if options.output is not None:
        write_file(options.output, data)
    else:
        output.raw(data)
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


def recorded(host: Host, result: BuildResult) -> str:
    """Store a bundle that was just built; return what to tell the person."""
    made = snapshot_build(host, result, created_by=actor_of(_user()))
    if isinstance(made, Refusal):
        return f"no snapshot was stored: {made.sentence()}"
    name = made.snapshot.object_id
    return f"snapshot {name}; to link a commit to it, add the line 'AI-Context: {name}'"


def _of_bundle(options: argparse.Namespace, root: Path) -> SnapshotInfo | Refusal:
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
            created_by=actor_of(options.by or _user()),
            retention=options.keep,
            summary=options.summary,
        )


def _item(root: Path, kind: str, path: str, content: str | None) -> GivenItem | Refusal:
    if kind in ("file", "image"):
        place = root / path
        if content is not None:
            return _usage(f"the content of --{kind} is the file itself")
        if kind == "file" and (withheld := _withheld(root, place)) is not None:
            return withheld
        data = read_file(str(place), _ADVICE)
    elif content is None:
        return _usage(f"--{kind} needs --content FILE, or --content - for standard input")
    elif content == "-":
        data = sys.stdin.buffer.read()
    else:
        data = read_file(content, _ADVICE)
    return data if isinstance(data, Refusal) else item_of(kind, path, data)


def _withheld(root: Path, place: Path) -> Refusal | None:
    """Return why policy withholds a file, if it does."""
    host = open_host(root, keeps_index=False)
    if isinstance(host, Refusal):
        return host
    with host:
        path = host.path_of(str(place))
        return path if isinstance(path, Refusal) else host.judge(path)


def _found(options: argparse.Namespace, name: str | None = None) -> SnapshotInfo | Refusal:
    root = _root(options)
    return root if isinstance(root, Refusal) else find_snapshot(root, name or options.id)


def _root(options: argparse.Namespace) -> Path | Refusal:
    if options.root is not None:
        return Path(options.root)
    found = root_around(".")
    return found if isinstance(found, Refusal) else found.directory


def _known_root(options: argparse.Namespace) -> Path:
    root = _root(options)
    assert not isinstance(root, Refusal)
    return root


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
