"""Rules without syntax or form give way to those with one.

A general rule takes a word or a string as it is, so its bounds are wider than those of a rule that
knows the syntax around a value. If another rule covers most of what it found, the bounds of the
other rule are right.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from sightline.egress.model import Finding

_YIELDING = frozenset(("nearby-secret", "unnamed-value"))


def without_repeated(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings without those of general rules that other rules have found too."""
    if not any(each.detector in _YIELDING for each in findings):
        return list(findings)
    covered = _apart(each for each in findings if each.detector not in _YIELDING)
    return [
        each
        for each in findings
        if each.detector not in _YIELDING or not _is_covered(each, covered)
    ]


def _apart(findings: Iterable[Finding]) -> list[tuple[int, int]]:
    """Return what the findings cover, ordered, without overlaps."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted((each.span.start, each.span.end) for each in findings):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(apart[-1][1], end))
        else:
            apart.append((start, end))
    return apart


def _is_covered(finding: Finding, covered: Sequence[tuple[int, int]]) -> bool:
    """True if at least half of it is covered."""
    start, end = finding.span.start, finding.span.end
    first = max(0, bisect_left(covered, (start, 0)) - 1)
    last = bisect_left(covered, (end, 0))
    shared = sum(max(0, min(end, high) - max(start, low)) for low, high in covered[first:last])
    return shared * 2 >= end - start
