"""Check that snapshots of real repositories can be proved whatever happens to the repository.

    python benchmarks/snapshot_proof.py CHECKOUT… [--bundles 40]

Each checkout is cloned, and some of its files are changed, added and removed. Bundles of files all
over it are recorded, with every way of keeping in turn. Then the work tree is deleted, the
repository repacked and pruned, and each snapshot is verified there and in another clone that
fetched the refs. Prints how many were verified with the same fingerprint; exit 1 if one was not.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sightline.context import BuildRequest, TargetSpec
from sightline.engine.build import build
from sightline.engine.host import Host, open_host
from sightline.engine.snapshot_builds import snapshot_build
from sightline.engine.snapshot_verify import verify_snapshot
from sightline.engine.snapshots import find_snapshot
from sightline.provenance import ActorRef
from sightline.refusals import Refusal
from sightline.workspace.git_objects import GitObjects

_ME = ActorRef.human("benchmark")
_FETCHED = ("refs", "orphan")
"""For these, `refs/ai/*` also transfers what keeps the objects."""
_KEPT = (*_FETCHED, "pack")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkouts", type=Path, nargs="+")
    parser.add_argument("--bundles", type=int, default=40, help="of each checkout")
    options = parser.parse_args()
    is_proved = True
    for checkout in options.checkouts:
        with tempfile.TemporaryDirectory() as folder:
            is_proved &= _proved(checkout, Path(folder), options.bundles)
    return 0 if is_proved else 1


def _proved(checkout: Path, folder: Path, count: int) -> bool:
    """Print how many snapshots of a repository are proved, and return if all are."""
    root, other = folder / "clone", folder / "other"
    _git(folder, "clone", "-q", str(checkout), str(root))
    # Trees in old histories cause complaints of `--strict`.
    complaints = _complaints(root)
    made = _recorded(root, count)
    for each in root.iterdir():
        if each.name != ".git":
            shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
    _git(root, "repack", "-adfq")
    for _ in range(2):
        _git(root, "gc", "-q", "--prune=now")
    _git(folder, "clone", "-q", "--bare", str(root), str(other))
    _git(other, "fetch", "-q", "origin", "refs/ai/*:refs/ai/*")
    if _complaints(root) != complaints:
        raise SystemExit(f"{checkout}: git fsck --strict complains about what was stored")
    proved = [each for each, way in made if _is_proved(other if way in _FETCHED else root, each)]
    print(
        f"{checkout.parent.name if checkout.name == 'repo' else checkout.name}: "
        f"{len(proved)} of {len(made)} proved",
        flush=True,
    )
    return len(proved) == len(made) == count


def _recorded(root: Path, count: int) -> list[tuple[str, str]]:
    """Record bundles of a changed work tree; return their ids and how they are kept."""
    _change(root)
    _restore_redacted(root)
    made: list[tuple[str, str]] = []
    with _opened(root) as host:
        paths = [each for each, state in sorted(host.snapshot.files.items()) if state.language]
        step = max(1, len(paths) // (2 * count))
        for path in [*paths[::step], *paths[1::step]]:
            if len(made) == count:
                break
            result = build(host, BuildRequest(targets=(TargetSpec(path=path),)))
            if result.refusal is not None:
                continue
            retention = _KEPT[len(made) % len(_KEPT)]
            info = snapshot_build(host, result, created_by=_ME, retention=retention)
            if isinstance(info, Refusal):
                raise SystemExit(f"{path}: {info.sentence()}")
            made.append((info.snapshot.object_id, retention))
    return made


def _opened(root: Path) -> Host:
    host = open_host(root, {"index.store": False})
    if isinstance(host, Refusal):
        raise SystemExit(host.sentence())
    host.open_index()
    return host


def _restore_redacted(root: Path) -> None:
    """Undo the changes of files that are stored without their secrets, because no build can be the
    same.
    """
    with _opened(root) as host:
        result = build(host, BuildRequest(targets=(TargetSpec(path="added_here.py"),)))
        info = snapshot_build(host, result, created_by=_ME)
    if isinstance(info, Refusal):
        raise SystemExit(info.sentence())
    record = json.loads(info.snapshot.to_json())["build"]
    changed = {path for path, _ in record["changed_files"]}
    for path in sorted(changed.intersection(record["redacted_files"])):
        _git(root, "checkout", "-q", "HEAD", "--", path)


def _change(root: Path) -> None:
    """Change, add, stage and remove some files."""
    tracked = _git(root, "ls-files", "-z").split("\0")
    texts = [each for each in tracked if each.endswith((".py", ".go", ".js", ".rs", ".md"))]
    for number, path in enumerate(texts[:: max(1, len(texts) // 12)]):
        place = root / path
        if number % 4 == 3:
            place.unlink()
        elif place.is_file():
            place.write_bytes(place.read_bytes() + b"\n\n")
        if number % 4 == 1:
            _git(root, "add", path)
    (root / "added_here.py").write_text("def added(x):\n    return x\n")
    (root / ".git/info/exclude").write_text("ignored_here.py\n")
    (root / "ignored_here.py").write_text("x = 1\n")


def _is_proved(root: Path, name: str) -> bool:
    info = find_snapshot(root, name)
    check = info if isinstance(info, Refusal) else verify_snapshot(GitObjects(root), info)
    if isinstance(check, Refusal):
        print(f"{name}: {check.sentence()}", file=sys.stderr)
        return False
    for each in (*check.missing, *check.differences):
        print(f"{name}: {each}", file=sys.stderr)
    return check.is_rebuilt and not check.missing and not check.differences


def _complaints(root: Path) -> list[str]:
    """Return what `git fsck --strict` says is wrong."""
    command = ["git", "fsck", "--strict", "--no-dangling", "--no-progress"]
    done = subprocess.run(command, cwd=root, check=False, capture_output=True, text=True)
    return sorted(done.stderr.splitlines())


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


if __name__ == "__main__":
    sys.exit(main())
