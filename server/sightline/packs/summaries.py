"""Describe a project from facts: every sentence names the files or numbers on which it is based."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import resources

import attrs
import msgspec

from sightline.packs.architecture import architecture_pattern
from sightline.packs.hotspots import is_aside, risk_hotspots
from sightline.packs.model import (
    EntrypointSummary,
    EntrypointType,
    FileMetadata,
    KeyFileSummary,
    Manifest,
    RepoSummary,
    RiskHotspot,
)
from sightline.packs.repository_map import without_comments
from sightline.packs.routes import Offer, find_offers
from sightline.packs.source import FileFacts, PackSource
from sightline.toml import read_toml

_ROUTED = (".py", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx")
_ROUTED_COMPILED = (".go", ".java", ".kt", ".cs", ".rb", ".rs")
_PAGES = {"django", "rails", "next", "flask"}
_MOST_ENTRY_POINTS = 25
_LEAST_KEY_FILES = 12
_MOST_OFFERS = 100
_MOST_EXPORTS = 20
_MOST_SIGNATURES = 5
_LARGE_FILE = 100_000
_TYPES = {"class", "interface", "struct", "enum", "trait", "type"}
_FUNCTIONS = {"function", "method", "constructor"}


@attrs.frozen
class Summaries:
    repository: RepoSummary
    key_files: tuple[KeyFileSummary, ...]
    entrypoints: tuple[EntrypointSummary, ...]
    hotspots: tuple[RiskHotspot, ...]


def summarize(source: PackSource, manifest: Manifest, files: Sequence[FileMetadata]) -> Summaries:
    """Return the four parts of a summary pack; key files are those that are marked in `files`."""
    texts = {
        path: text
        for path in source.paths
        if path.endswith((*_ROUTED, *_ROUTED_COMPILED))
        and not is_aside(path)
        and (text := source.peek(path)) is not None
    }
    offers = find_offers(texts)
    hotspots = risk_hotspots(source)
    return Summaries(
        repository=_repository(source, manifest, offers, hotspots),
        key_files=tuple(_key_file(source, each) for each in _telling(source, files)),
        entrypoints=_entrypoints(source, manifest, offers),
        hotspots=tuple(hotspots),
    )


def _telling(source: PackSource, files: Sequence[FileMetadata]) -> list[FileMetadata]:
    """Return the key files; if there are few, also the files that most others use."""
    keys = {each.path for each in files if each.is_key_file}
    used = [path for _, path in _most_used(source) if path not in keys]
    keys.update(used[: max(0, _LEAST_KEY_FILES - len(keys))])
    return [each for each in files if each.path in keys]


def _most_used(source: PackSource) -> list[tuple[int, str]]:
    """Return files by the number of their users, the most used first, without those of a single
    user.
    """
    used = [
        (len([user for user in facts.used_by if not is_aside(user)]), path)
        for path in source.paths
        if not is_aside(path) and (facts := source.facts(path)) is not None
    ]
    return sorted((each for each in used if each[0] > 1), key=lambda each: (-each[0], each[1]))


def _repository(
    source: PackSource,
    manifest: Manifest,
    offers: Sequence[Offer],
    hotspots: Sequence[RiskHotspot],
) -> RepoSummary:
    return RepoSummary(
        description="\n\n".join(
            part
            for part in (
                _what_it_is(manifest),
                _how_it_is_laid_out(source, manifest),
                _what_it_answers(source, offers),
            )
            if part
        ),
        architecture_pattern=architecture_pattern(source, manifest, offers),
        key_technologies=_technologies(source, manifest),
        notable_patterns=_patterns(source),
        potential_concerns=_concerns(source, hotspots),
    )


def _what_it_is(manifest: Manifest) -> str:
    sentences = [f"{manifest.project_name} is a {manifest.project_type} project."]
    if manifest.purpose_guess:
        sentences.append(f"What it is for: {manifest.purpose_guess.rstrip('.')}.")
    tools = []
    if manifest.build_system:
        tools.append(f"built with {manifest.build_system}")
    if manifest.test_framework:
        tools.append(f"tested with {manifest.test_framework}")
    if tools:
        sentences.append(f"It is {' and '.join(tools)}.")
    runtime = [each.name for each in manifest.dependencies if each.type == "runtime"]
    if runtime:
        more = f" and {len(runtime) - 8} more" if len(runtime) > 8 else ""
        sentences.append(f"At run time it needs {', '.join(runtime[:8])}{more}.")
    return " ".join(sentences)


def _how_it_is_laid_out(source: PackSource, manifest: Manifest) -> str:
    sentences = [manifest.structure_summary]
    if most := _most_used(source)[:5]:
        listed = ", ".join(f"{path} (by {count})" for count, path in most)
        sentences.append(f"The files that most other files use: {listed}.")
    if manifest.entry_points:
        sentences.append(f"Programs start in {', '.join(manifest.entry_points[:5])}.")
    return " ".join(sentence for sentence in sentences if sentence)


def _what_it_answers(source: PackSource, offers: Sequence[Offer]) -> str:
    sentences = []
    for kind in ("route", "command"):
        listed = [each for each in offers if each.kind == kind]
        if listed:
            by = ", ".join(sorted({each.framework for each in listed}))
            files = _counted(len({each.path for each in listed}), "file")
            sentences.append(f"It has {_counted(len(listed), kind)} ({by}) in {files}.")
    if source.commits_seen:
        changed = [
            (history.commits, path)
            for path in source.paths
            if not is_aside(path) and (history := source.history(path)) is not None
        ]
        most = sorted((each for each in changed if each[0] > 1), key=lambda e: (-e[0], e[1]))[:5]
        if most:
            listed_ = ", ".join(f"{path} ({count})" for count, path in most)
            sentences.append(
                f"Of the last {source.commits_seen} commits, most changed these files: {listed_}."
            )
    return " ".join(sentences)


@cache
def _known_technologies() -> dict[str, str]:
    text = resources.files("sightline.packs").joinpath("technologies.toml").read_text("utf-8")
    return {
        name.lower(): label
        for group in msgspec.convert(read_toml(text), dict[str, dict[str, str]]).values()
        for name, label in group.items()
    }


def _technologies(source: PackSource, manifest: Manifest) -> tuple[str, ...]:
    """Return languages by number of files, then technologies found in dependencies and files."""
    languages = Counter(
        facts.language for path in source.paths if (facts := source.facts(path)) is not None
    )
    ranked = sorted(languages.items(), key=lambda each: (-each[1], each[0]))[:5]
    found = [f"{name} ({count} file{'s' if count > 1 else ''})" for name, count in ranked]
    known = _known_technologies()
    labels = [
        known[each.name.lower()] for each in manifest.dependencies if each.name.lower() in known
    ]
    names = {posixpath.basename(path).lower() for path in source.paths}
    if names & {"dockerfile", "compose.yaml", "compose.yml", "docker-compose.yml"}:
        labels.append("Docker")
    if any(path.startswith(".github/workflows/") for path in source.paths):
        labels.append("GitHub Actions")
    if any(path.endswith(".tf") for path in source.paths):
        labels.append("Terraform")
    if any(path.endswith(".proto") for path in source.paths):
        labels.append("Protocol Buffers")
    return (*found, *dict.fromkeys(labels))


def _patterns(source: PackSource) -> tuple[str, ...]:
    paths = source.paths
    found: list[str] = []
    tests = [
        path
        for path in paths
        if re.search(r"(?:^|/)(?:tests?|__tests__|spec)/|[._]test\.|\.spec\.|(?:^|/)test_", path)
    ]
    if tests:
        found.append(f"Tests: {len(tests)} of {len(paths)} files, for example {tests[0]}.")
    workflows = [
        path for path in paths if re.search(r"^\.github/workflows/|^\.gitlab-ci|^\.circleci/", path)
    ]
    if workflows:
        found.append(f"Continuous integration: {', '.join(workflows[:3])}.")
    migrations = [path for path in paths if re.search(r"(?:^|/)migrations?/", path)]
    if migrations:
        found.append(
            f"Database migrations: {len(migrations)} files in {posixpath.dirname(migrations[0])}/."
        )
    rules = [
        path
        for path in paths
        if posixpath.basename(path) in {"AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md"}
    ]
    if rules:
        found.append(f"Rules for contributors: {', '.join(rules[:3])}.")
    kinds: Counter[str] = Counter()
    for path in paths:
        facts = source.facts(path)
        if facts is not None and not is_aside(path):
            kinds.update(symbol.kind for symbol in facts.symbols)
    interfaces = kinds["interface"] + kinds["trait"]
    if interfaces >= 5:
        found.append(
            f"Interfaces: {interfaces} interfaces or traits beside "
            f"{kinds['class'] + kinds['struct']} classes or structs."
        )
    return tuple(found)


def _concerns(source: PackSource, hotspots: Sequence[RiskHotspot]) -> tuple[str, ...]:
    found = [
        f"{each.path}: {each.description} ({each.indicators[0]})"
        for each in hotspots[:8]
        if each.indicators
    ]
    large = [
        path
        for path in source.paths
        if not is_aside(path) and source.facts(path) is not None and source.size(path) > _LARGE_FILE
    ]
    if large:
        shown = ", ".join(f"{path} ({source.size(path) // 1000} kB)" for path in large[:5])
        found.append(f"Very large source files: {shown}.")
    if not any(is_aside(path) and "test" in path.lower() for path in source.paths):
        found.append(f"No file among {len(source.paths)} has the name of a test.")
    return tuple(found)


def _key_file(source: PackSource, file: FileMetadata) -> KeyFileSummary:
    facts = source.facts(file.path)
    text = source.peek(file.path)
    lines = text.count("\n") + 1 if text else 0
    outer = [each for each in facts.symbols if "." not in each.qualified_name] if facts else []
    exports = [each.name for each in outer if not each.name.startswith("_")]
    return KeyFileSummary(
        path=file.path,
        category=file.category,
        summary=_file_sentence(file, facts, lines),
        exports=tuple(dict.fromkeys(exports))[:_MOST_EXPORTS],
        dependencies=tuple(facts.imports[:_MOST_EXPORTS]) if facts else (),
        notable_code=_notable(source, facts) if facts else (),
    )


def _file_sentence(file: FileMetadata, facts: FileFacts | None, lines: int) -> str:
    if facts is None:
        return f"{file.category}, {lines} lines."
    kinds = Counter(symbol.kind for symbol in facts.symbols)
    types = sum(kinds[kind] for kind in sorted(_TYPES))
    functions = sum(kinds[kind] for kind in sorted(_FUNCTIONS))
    return (
        f"{facts.language}, {_counted(lines, 'line')}: {_counted(types, 'type')} and "
        f"{_counted(functions, 'function')}, methods included; "
        f"{_users(facts)}, and it uses {len(facts.depends_on)}."
    )


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _users(facts: FileFacts) -> str:
    count = len(facts.used_by)
    return "1 file uses it" if count == 1 else f"{count} files use it"


def _notable(source: PackSource, facts: FileFacts) -> tuple[str, ...]:
    """Return the signatures of the largest public definitions, in the order of the file."""
    public = [
        each
        for each in facts.symbols
        if each.kind in _TYPES | _FUNCTIONS and not each.name.startswith("_")
    ]
    largest = sorted(public, key=lambda each: (each.start_line - each.end_line, each.start_line))
    chosen = sorted(largest[:_MOST_SIGNATURES], key=lambda each: each.start_line)
    signatures = [without_comments(source.signature(each)) for each in chosen]
    return tuple(signature for signature in signatures if signature)


def _entrypoints(
    source: PackSource, manifest: Manifest, offers: Sequence[Offer]
) -> tuple[EntrypointSummary, ...]:
    by_path: dict[str, list[Offer]] = {}
    for offer in offers:
        by_path.setdefault(offer.path, []).append(offer)
    paths = list(dict.fromkeys([*manifest.entry_points, *sorted(by_path, key=str.encode)]))
    return tuple(
        _entrypoint(path, by_path.get(path, []), source) for path in paths[:_MOST_ENTRY_POINTS]
    )


def _entrypoint(path: str, offers: list[Offer], source: PackSource) -> EntrypointSummary:
    texts = tuple(dict.fromkeys(offer.text for offer in offers))
    kind: EntrypointType = "script"
    if offers and offers[0].kind == "command":
        kind = "cli"
    elif offers:
        kind = "web" if offers[0].framework in _PAGES else "api"
    elif re.search(r"(?:^|/)(?:lib\.rs|index\.\w+|__init__\.py)$|^lib/", path):
        kind = "library"
    elif re.search(r"(?:^|/)(?:bin/|cmd/|cli\.|__main__\.py)|main\.(?:rs|go)$", path):
        kind = "cli"
    facts = source.facts(path)
    users = _users(facts) if facts is not None else "the index knows nothing of it"
    if offers:
        noun = "command" if kind == "cli" else "route"
        lines = f"lines {offers[0].line}–{offers[-1].line}"
        description = (
            f"{len(texts)} {noun}{'s' if len(texts) != 1 else ''} of {offers[0].framework}, "
            f"{lines}; {users}."
        )
    else:
        description = f"Declared by the project or named as such files usually are; {users}."
    return EntrypointSummary(
        path=path,
        type=kind,
        description=description,
        routes_or_commands=texts[:_MOST_OFFERS] or None,
    )
