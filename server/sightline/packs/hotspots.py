"""Find files where a change is risky, each with the lines and numbers that are the evidence.

Complexity is counted inside the regions of functions: decisions in code without comments and
strings. Coupling comes from the index, change from the repository's history, dangerous calls from
`dangerous_calls.toml`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources

import attrs
import msgspec

from sightline.packs.model import RiskHotspot, RiskType
from sightline.packs.routes.model import line_of, without_comments
from sightline.packs.source import FileFacts, PackSource, SymbolFact
from sightline.toml import read_toml

_MANY_BRANCHES = 20
_MANY_USERS = 8
_MANY_USED = 8
_MOST_OF_A_KIND = 6
_MOST_INDICATORS = 8
_LONGEST_TEXT = 1 << 19
_HASHED = (".py", ".rb", ".sh", ".bash")
_BRANCH = re.compile(
    r"\b(?:if|elif|elsif|for|foreach|while|until|case|when|catch|except|rescue|guard|match)\b"
    r"|&&|\|\||\band\b|\bor\b|\?(?![.?:\]>)])"
)
_LOOP = re.compile(r"^([ \t]*)(?:for|foreach|while|until|loop)\b")
_STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
_SLOW: Sequence[tuple[tuple[str, ...], re.Pattern[str], str]] = (
    ((".py",), re.compile(r"\btime\.sleep\("), "waits for a fixed time"),
    ((".py",), re.compile(r"\.iterrows\(\)"), "walks a table row by row"),
    ((".js", ".ts", ".mjs"), re.compile(r"\b(?:read|write)FileSync\("), "blocks on the disk"),
    ((".js", ".ts", ".mjs"), re.compile(r"\bexecSync\("), "blocks on a process"),
    ((".java", ".kt"), re.compile(r"\bThread\.sleep\("), "waits for a fixed time"),
    ((".go",), re.compile(r"\btime\.Sleep\("), "waits for a fixed time"),
)
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|spec|specs|fixtures?|examples?|samples?|demos?|playgrounds?"
    r"|benchmarks?|bench(?:es)?|e2e|integration|docs?|vendor|third_party)/"
    r"|(?:^|/)[^/]*[._-](?:tests?|benchmarks?|bench)/"
    r"|(?:^|/)(?:test_[^/]*|conftest\.py|[^/]*(?:_test|\.test|\.spec)\.[^/]+)$",
    re.IGNORECASE,
)


_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|specs?|e2e|testdata|fixtures?)/"
    r"|(?:^|/)(?:test_[^/]*|tests\.py|conftest\.py|[^/]*(?:_test|_spec|\.test|\.spec|Tests?)\.[^/]+)$"
)


class _DangerousCall(msgspec.Struct, frozen=True):
    endings: tuple[str, ...]
    pattern: str
    reason: str


class _DangerousCalls(msgspec.Struct, frozen=True):
    calls: tuple[_DangerousCall, ...]


@attrs.frozen
class _Risk:
    path: str
    weight: int
    description: str
    indicators: tuple[str, ...]


def is_aside(path: str) -> bool:
    """True if a file is a test, an example, documentation or somebody else's code."""
    return _ASIDE.search(path) is not None


def is_test(path: str) -> bool:
    """True if a file is a test or belongs to tests."""
    return _TEST.search(path) is not None


def risk_hotspots(source: PackSource) -> list[RiskHotspot]:
    """Return the riskiest files of each kind, the riskiest first."""
    complex_, coupled, unsafe, slow = [], [], [], []
    for path in source.paths:
        facts = source.facts(path)
        if facts is None or is_aside(path):
            continue
        if found := _coupling(path, facts, source):
            coupled.append(found)
        text = source.peek(path)
        if text is None or len(text) > _LONGEST_TEXT:
            continue
        code = bare_code(path, text)
        if found := _complexity(path, code, facts, source):
            complex_.append(found)
        if found := _dangerous(path, text, code):
            unsafe.append(found)
        if found := _slowness(path, code, facts):
            slow.append(found)
    kinds: tuple[tuple[RiskType, list[_Risk]], ...] = (
        ("security", unsafe),
        ("complexity", complex_),
        ("coupling", coupled),
        ("performance", slow),
    )
    return [
        RiskHotspot(
            path=each.path,
            risk_type=kind,
            description=each.description,
            indicators=each.indicators[:_MOST_INDICATORS],
        )
        for kind, listed in kinds
        for each in sorted(listed, key=lambda each: (-each.weight, each.path.encode()))[
            :_MOST_OF_A_KIND
        ]
    ]


def bare_code(path: str, text: str) -> str:
    """Return a text without comments and without the contents of strings, with the same lines."""
    code = without_comments(text, hashes=path.endswith(_HASHED))
    if path.endswith(".py"):
        code = re.sub(
            r'"""(?:.*?)"""|\'\'\'(?:.*?)\'\'\'',
            lambda found: "\n" * found[0].count("\n"),
            code,
            flags=re.DOTALL,
        )
    return _STRINGS.sub('""', code)


def branches(code: Sequence[str], symbol: SymbolFact) -> int:
    """Return the number of decisions in a definition, plus one."""
    body = "\n".join(code[symbol.start_line - 1 : symbol.end_line])
    return 1 + len(_BRANCH.findall(body))


def _changes(path: str, source: PackSource) -> tuple[int, str]:
    history = source.history(path)
    if history is None or not source.commits_seen:
        return 0, ""
    people = "1 author" if history.authors == 1 else f"{history.authors} authors"
    return history.commits, (
        f"changed in {history.commits} of the last {source.commits_seen} commits, by {people}"
    )


def _complexity(path: str, code: str, facts: FileFacts, source: PackSource) -> _Risk | None:
    lines = code.split("\n")
    counted = [
        (branches(lines, symbol), symbol)
        for symbol in facts.symbols
        if symbol.kind in {"function", "method", "constructor"}
    ]
    inner = _outermost(counted)
    heavy = sorted(inner, key=lambda each: (-each[0], each[1].start_line))
    heavy = [each for each in heavy if each[0] > _MANY_BRANCHES]
    if not heavy:
        return None
    commits, sentence = _changes(path, source)
    indicators = [
        f"`{symbol.qualified_name}`, lines {symbol.start_line}–{symbol.end_line}: {count} branches"
        for count, symbol in heavy[:5]
    ]
    if facts.deepest_block:
        indicators.append(f"blocks are nested {facts.deepest_block} deep")
    if sentence:
        indicators.append(sentence)
    count = len(heavy)
    what = "1 function has" if count == 1 else f"{count} functions have"
    return _Risk(
        path,
        sum(each[0] for each in heavy) * (10 + min(commits, 50)),
        f"{what} more than {_MANY_BRANCHES} branches; "
        f"the largest is `{heavy[0][1].qualified_name}` with {heavy[0][0]}.",
        tuple(indicators),
    )


def _outermost(counted: list[tuple[int, SymbolFact]]) -> list[tuple[int, SymbolFact]]:
    """Drop functions inside functions: they were counted with the outer one."""
    kept: list[tuple[int, SymbolFact]] = []
    for count, symbol in sorted(counted, key=lambda each: (each[1].start_line, -each[1].end_line)):
        if not kept or symbol.start_line > kept[-1][1].end_line:
            kept.append((count, symbol))
    return kept


def _coupling(path: str, facts: FileFacts, source: PackSource) -> _Risk | None:
    users = [each for each in facts.used_by if not is_aside(each)]
    used = facts.depends_on
    if len(users) < _MANY_USERS or len(used) < _MANY_USED:
        return None
    _, sentence = _changes(path, source)
    indicators = [
        f"fan-in: {len(users)} files use it, among them {', '.join(users[:3])}",
        f"fan-out: it uses {len(used)} files, among them {', '.join(used[:3])}",
    ]
    if sentence:
        indicators.append(sentence)
    return _Risk(
        path,
        len(users) * len(used),
        f"{len(users)} files use it and it uses {len(used)}: a change here travels far.",
        tuple(indicators),
    )


@cache
def _calls() -> tuple[tuple[tuple[str, ...], re.Pattern[str], str], ...]:
    text = resources.files("sightline.packs").joinpath("dangerous_calls.toml").read_text("utf-8")
    rows = msgspec.convert(read_toml(text), _DangerousCalls).calls
    return tuple((tuple(each.endings), re.compile(each.pattern), each.reason) for each in rows)


def _dangerous(path: str, text: str, code: str) -> _Risk | None:
    ending = posixpath.splitext(path)[1].lower()
    found: list[tuple[int, str]] = []
    lines = text.split("\n")
    for endings, pattern, reason in _calls():
        if ending in endings:
            for match in pattern.finditer(code):
                line = line_of(code, match.start())
                if line <= len(lines):
                    found.append((line, f"line {line}: `{match[0].strip(' (')}` {reason}"))
    if not found:
        return None
    found.sort()
    count = len(found)
    what = "1 call" if count == 1 else f"{count} calls"
    return _Risk(
        path,
        count,
        f"{what} that should be looked at before the code around is changed.",
        tuple(sentence for _, sentence in found),
    )


def _slowness(path: str, code: str, facts: FileFacts) -> _Risk | None:
    lines = code.split("\n")
    found = list(_nested_loops(lines, facts))
    ending = posixpath.splitext(path)[1].lower()
    for endings, pattern, reason in _SLOW:
        if ending in endings:
            found += [
                (line_of(code, each.start()), 1, f"line {line_of(code, each.start())}: {reason}")
                for each in pattern.finditer(code)
            ]
    if not found:
        return None
    found.sort()
    count = len(found)
    return _Risk(
        path,
        sum(weight for _, weight, _ in found),
        f"{count} place{'s' if count > 1 else ''} where time may be lost.",
        tuple(sentence for _, _, sentence in found),
    )


def _nested_loops(lines: Sequence[str], facts: FileFacts) -> Iterator[tuple[int, int, str]]:
    """Yield the innermost loops inside two others, by their indentation."""
    for symbol in facts.symbols:
        if symbol.kind not in {"function", "method", "constructor"}:
            continue
        open_loops: list[int] = []
        for number in range(symbol.start_line, min(symbol.end_line, len(lines)) + 1):
            line = lines[number - 1].expandtabs(4)
            if not line.strip():
                continue
            indent = len(line) - len(line.lstrip())
            while open_loops and indent <= open_loops[-1]:
                open_loops.pop()
            if _LOOP.match(line):
                open_loops.append(indent)
                if len(open_loops) == 3:
                    yield (
                        number,
                        5,
                        f"line {number}: a loop inside two loops, in `{symbol.qualified_name}`",
                    )
