"""Signature slices over real repositories: files, clean, passed, failed, by language.

    python benchmarks/signatures.py FOLDER… [--language NAME]… [--limit N] [--list]

Every file of a known language below the folders is cut to its signatures in worker processes.
A file that parses clean must pass the four self-checks. With `--limit`, an even sample of that
many files of each language is taken. Exit 1 if a clean file failed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from sightline.languages import Registry, load_registry
from sightline.refusals import Refusal
from sightline.slicing import SignatureDocs
from sightline.workers import ParseRequest, ParseTask, Workers

_SKIPPED = frozenset([".git", "node_modules"])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--language", action="append", default=[])
    parser.add_argument("--limit", type=int, default=0, help="files per language, 0 for all")
    parser.add_argument("--list", action="store_true", help="name unclean and refused files too")
    parser.add_argument("--docs", type=SignatureDocs, default=SignatureDocs.NONE)
    arguments = parser.parse_args()
    registry = load_registry()
    by_language = collect(registry, arguments.folders, arguments.language)
    failed = 0
    print(f"{'language':12}{'files':>8}{'clean':>8}{'passed':>8}{'failed':>8}{'refused':>8}")
    with Workers() as workers:
        for name in sorted(by_language):
            files = sample(by_language[name], arguments.limit)
            counts: dict[str, int] = defaultdict(int)
            requests = (
                ParseRequest(ParseTask.SIGNATURES, name, file.read_bytes(), arguments.docs)
                for file in files
            )
            for file, outcome in zip(files, workers.ask_all(requests), strict=True):
                if isinstance(outcome, Refusal):
                    verdict, detail = "refused", outcome.reason
                elif not outcome.summary.parse_clean:
                    line = file.read_bytes().count(b"\n", 0, outcome.summary.errors[0].start) + 1
                    verdict, detail = "unclean", f"first error on line {line}"
                elif outcome.refusal is not None:
                    verdict, detail = "failed", outcome.refusal.message
                else:
                    verdict, detail = "passed", ""
                counts[verdict] += 1
                if verdict == "failed" or (arguments.list and verdict != "passed"):
                    print(f"  {verdict}: {file}: {detail}")
            clean = counts["passed"] + counts["failed"]
            failed += counts["failed"]
            print(
                f"{name:12}{len(files):8}{clean:8}{counts['passed']:8}"
                f"{counts['failed']:8}{counts['refused']:8}",
                flush=True,
            )
    return 1 if failed else 0


def collect(registry: Registry, folders: list[Path], only: list[str]) -> dict[str, list[Path]]:
    """Readable UTF-8 source files by language, in path order."""
    found: dict[str, list[Path]] = defaultdict(list)
    for file in (each for folder in folders for each in walk(folder)):
        try:
            data = file.read_bytes()
            data.decode("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        language = registry.for_path(file.as_posix(), data)
        if language and data and (not only or language.name in only):
            found[language.name].append(file)
    return found


def walk(folder: Path) -> Iterator[Path]:
    for base, directories, names in os.walk(folder):
        directories[:] = sorted(set(directories) - _SKIPPED)
        yield from (Path(base, name) for name in sorted(names) if not Path(base, name).is_symlink())


def sample(files: list[Path], limit: int) -> list[Path]:
    if not limit or len(files) <= limit:
        return files
    return [files[index * len(files) // limit] for index in range(limit)]


if __name__ == "__main__":
    sys.exit(main())
