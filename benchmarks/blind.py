"""A corpus of secrets that was not used for tuning: what is missed, by tier and by form.

    python benchmarks/secrets.py --blind FOLDER [--half a|b] [--misses N] [--values]

FOLDER contains `rows.jsonl`, and `negatives.jsonl` if there are texts without secrets. A row has
`text`, `path`, `spans` (characters of the text that must not be sent), `kind`, `tier` (`certain` or
`weak`), `disguise` (or nothing), `template` (rows of one template differ in their values) and
perhaps `path_value`, a secret in the path. The product's scan and policy read the rows. A row is
covered if its findings hide every span, if a finding without known bounds excludes the file, or if
its name is denied.

`--half` takes the templates with an even (`a`) or odd (`b`) SHA-256: repair the misses in one half,
then measure the other without reading its misses. Misses are listed by template; their values only
with `--values`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from sightline.context.secret_checks import is_removable
from sightline.egress import Finding, ScanFailure, guarded_scan
from sightline.languages.registry import load_registry
from sightline.workspace.defaults import DefaultRules

Row = dict[str, Any]


@attrs.frozen
class Half:
    """The templates to read: all, or those with an even or an odd hash."""

    name: str = ""

    def has(self, row: Row) -> bool:
        if not self.name:
            return True
        is_odd = hashlib.sha256(str(row["template"]).encode()).digest()[-1] % 2
        return bool(is_odd) == (self.name == "b")


def measure_blind(folder: Path, half: Half, misses: int, *, shows_values: bool) -> None:
    """Print the shares of the rows that are covered, and the templates of those that are not."""
    rows = [row for row in _read(folder / "rows.jsonl") if half.has(row)]
    denies = _denial()
    covered = [_is_covered(row, denies) for row in rows]
    print(f"{len(rows)} rows, {len({row['template'] for row in rows})} templates; covered:")
    _print_shares("everything", rows, covered, lambda _: "everything")
    _print_shares("tier", rows, covered, lambda row: row.get("tier") or "certain")
    _print_shares("disguised", rows, covered, lambda row: "yes" if row.get("disguise") else "no")
    print("below 1:")
    for title, field in (("kind", "kind"), ("disguise", "disguise")):
        group = partial(_field, field)
        _print_shares(title, rows, covered, group, below_one=True)
    _print_shares("file", rows, covered, lambda row: _ending(row["path"]), below_one=True)
    _print_misses(rows, covered, misses, shows_values=shows_values)
    if (folder / "negatives.jsonl").exists():
        negatives = [row for row in _read(folder / "negatives.jsonl") if half.has(row)]
        _print_unwanted(negatives, misses, shows_values=shows_values)


def _read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _denial() -> Callable[[str], bool]:
    rules = DefaultRules((), {}, load_registry().source_extensions)
    return lambda path: rules.verdict(path) is not None


def _is_covered(row: Row, denies: Callable[[str], bool]) -> bool:
    if denies(row["path"]):
        return True
    in_path = row.get("path_value")
    if in_path:
        start = row["path"].find(in_path)
        span = (start, start + len(in_path))
        if start >= 0 and not _hides(row["path"], [span], guarded_scan(_encoded(row["path"]))):
            return False
    return _hides(row["text"], row.get("spans") or (), guarded_scan(_encoded(row["text"])))


def _hides(
    text: str, spans: Iterable[Sequence[int]], findings: Sequence[Finding] | ScanFailure
) -> bool:
    if isinstance(findings, ScanFailure) or not all(map(is_removable, findings)):
        return True
    return all(_is_hidden(text, start, end, findings) for start, end in spans)


def _is_hidden(text: str, start: int, end: int, findings: Sequence[Finding]) -> bool:
    reached = len(_encoded(text[:start]))
    last = reached + len(_encoded(text[start:end]))
    for finding in findings:
        if finding.span.start <= reached < finding.span.end:
            reached = finding.span.end
    return reached >= last


def _print_shares(
    title: str,
    rows: Sequence[Row],
    covered: Sequence[bool],
    group: Callable[[Row], str],
    *,
    below_one: bool = False,
) -> None:
    counts: Counter[str] = Counter()
    hidden: Counter[str] = Counter()
    for row, is_covered in zip(rows, covered, strict=True):
        counts[group(row)] += 1
        hidden[group(row)] += is_covered
    for name in sorted(counts):
        share = hidden[name] / counts[name]
        if share < 1 or not below_one:
            print(f"  {title + ': ' + name:48}{counts[name]:6}{share:8.3f}")


def _print_misses(
    rows: Sequence[Row], covered: Sequence[bool], most: int, *, shows_values: bool
) -> None:
    missed: dict[str, list[Row]] = defaultdict(list)
    counts = Counter(row["template"] for row in rows)
    for row, is_covered in zip(rows, covered, strict=True):
        if not is_covered:
            missed[row["template"]].append(row)
    print(f"{sum(map(len, missed.values()))} missed, of {len(missed)} templates")
    for template, some in sorted(missed.items(), key=lambda each: (-len(each[1]), each[0]))[:most]:
        one = some[0]
        about = f"{one.get('tier')}, {one.get('kind')}, {one.get('disguise')}, {one['path']}"
        print(f"  {len(some)} of {counts[template]}: {template} ({about})")
        if shows_values:
            for row in some[:2]:
                values = [row["text"][start:end] for start, end in row.get("spans") or ()]
                print(f"    {row['text']!r}\n    {values!r} {row.get('path_value') or ''}")


def _print_unwanted(rows: Sequence[Row], most: int, *, shows_values: bool) -> None:
    counts: Counter[str] = Counter()
    found: list[str] = []
    lines = 0
    for row in rows:
        data = _encoded(row["text"])
        lines += data.count(b"\n") + 1
        findings = guarded_scan(data)
        for finding in findings if not isinstance(findings, ScanFailure) else ():
            tier = "weak" if finding.is_weak else "certain"
            counts[tier] += 1
            value = data[finding.span.start : finding.span.end] if shows_values else b""
            found.append(f"  {tier}, {finding.detector}: {row['template']} {value!r}")
    for tier in ("certain", "weak"):
        rate = counts[tier] * 1000 / max(1, lines)
        print(f"unwanted in {len(rows)} texts, {lines} lines: {tier} {counts[tier]} ({rate:.2f})")
    print("\n".join(found[:most]))


def _field(name: str, row: Row) -> str:
    return str(row.get(name) or "-")


def _ending(path: str) -> str:
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    return dot + ending if stem else name


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
