"""Compare the files and functions that `find` names for real issues with the changes of their
fixes.

    python benchmarks/find.py --issues issues.jsonl --repositories FOLDER --work FOLDER

Each line of the file is an issue: `id`, `repo`, `base_commit`, `text`, `files`, `functions`. The
folder contains clones, each named `owner+name` or `name`; the clone is in that folder or in `repo`
below it. An answer at k counts if all files of the fix (or all its functions) are among the first
k.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from histories import Checkout
from sightline.engine.host import Host, Toolchain, open_host
from sightline.index.finding import find
from sightline.refusals import Refusal

_FILES_AT = (1, 3, 5, 10)
_SYMBOLS_AT = (5, 10)


@attrs.frozen
class Issue:
    name: str
    repository: str
    commit: str
    text: str
    files: frozenset[str]
    functions: frozenset[str]


def read_issues(path: Path) -> list[Issue]:
    issues = []
    for line in path.read_text("utf-8").splitlines():
        row: Mapping[str, object] = json.loads(line)
        files, functions = row["files"], row["functions"]
        assert isinstance(files, list)
        assert isinstance(functions, list)
        issues.append(
            Issue(
                str(row["id"]),
                str(row["repo"]),
                str(row["base_commit"]),
                str(row["text"]),
                frozenset(files),
                frozenset(functions),
            )
        )
    return issues


def repository_in(folder: Path, name: str) -> Path | None:
    for each in (name.replace("/", "+"), name.rpartition("/")[2]):
        for place in (folder / each / "repo", folder / each):
            if (place / "HEAD").exists() or (place / ".git").exists():
                return place
    return None


def hosts(
    issues: Sequence[Issue], repositories: Path, work: Path, toolchain: Toolchain
) -> Iterator[tuple[Issue, Host]]:
    """Yield each issue with an index of the tree that it was written about."""
    by_repository: dict[str, list[Issue]] = {}
    for issue in issues:
        by_repository.setdefault(issue.repository, []).append(issue)
    for name, own in by_repository.items():
        repository = repository_in(repositories, name)
        if repository is None:
            print(f"{name}: no clone", file=sys.stderr)
            continue
        checkout = Checkout(repository, work / name.replace("/", "+"))
        host: Host | None = None
        for issue in own:
            checkout.show(issue.commit)
            if host is None:
                opened = open_host(checkout.folder, toolchain=toolchain)
                if isinstance(opened, Refusal):
                    sys.exit(opened.sentence())
                host = opened
                host.open_index(is_agreed=True)
            else:
                host.mark_rules_stale()
                host.look_at_disk()
            host.project.count_terms()
            yield issue, host
        if host is not None:
            host.save()
            host.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--issues", type=Path, required=True)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="keeps the work trees")
    parser.add_argument("--show", action="store_true", help="print what was missed")
    arguments = parser.parse_args()
    hits: Counter[str] = Counter()
    milliseconds: list[int] = []
    toolchain = Toolchain()
    issues = read_issues(arguments.issues)
    for issue, host in hosts(issues, arguments.repositories, arguments.work, toolchain):
        started = time.process_time()
        found = find(host.snapshot, issue.text, most_files=10, most_symbols=10)
        milliseconds.append(int(1000 * (time.process_time() - started)))
        files = [each.path for each in found.files]
        symbols = [f"{each.path}:{each.symbol}" for each in found.symbols]
        hits["issues"] += 1
        hits["with functions"] += bool(issue.functions)
        for count in _FILES_AT:
            hits[f"files at {count}"] += issue.files <= set(files[:count])
        for count in _SYMBOLS_AT if issue.functions else ():
            hits[f"functions at {count}"] += issue.functions <= set(symbols[:count])
        if arguments.show and not issue.files <= set(files[:3]):
            print(f"{issue.name}: {', '.join(sorted(issue.files))}; found {', '.join(files[:3])}")
    toolchain.close()
    for count in _FILES_AT:
        print(f"files at {count:2}      {_share(hits[f'files at {count}'], hits['issues'])}")
    for count in _SYMBOLS_AT:
        share = _share(hits[f"functions at {count}"], hits["with functions"])
        print(f"functions at {count:2}  {share}")
    milliseconds.sort()
    if milliseconds:
        print(
            f"CPU of a query: median {milliseconds[len(milliseconds) // 2]} ms,"
            f" most {milliseconds[-1]} ms"
        )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):5.1f} %  ({part} of {whole})"


if __name__ == "__main__":
    main()
