"""Context packs for tasks: a task file in, a bounded pack out.

Invariants:

* A file that the contract forbids is in no pack, whoever names it.
* Files and docs go through the workspace's door, and every text of the pack was scanned whole.
* Nothing depends on the clock or on the order in which the disk lists files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import msgspec

from sightline.engine.globs import ContractGlobs, contract_globs
from sightline.engine.host import Host, no_workspace, open_host
from sightline.engine.recipe_texts import AnswerTexts, RecipeRoots, ScannedText
from sightline.engine.requests import SliceRequest
from sightline.engine.shown import shown_document
from sightline.engine.slice import slice_file
from sightline.plain_yaml import read_plain_yaml
from sightline.recipes.lines import NO_LIMIT, kept_ranges
from sightline.recipes.mentions import extract_file_paths
from sightline.recipes.patches import split_patches
from sightline.recipes.task import Task, malformed_task, read_task, top_issues
from sightline.recipes.task_packing import (
    MARKER,
    Importance,
    PackedText,
    TaskTexts,
    Tier,
    pack_task,
)
from sightline.refusals import Refusal, RefusalKind
from sightline.slicing import SignatureDocs
from sightline.workspace.ignore_patterns import PatternError

_MOST_CONTRACT_FILES = 200
_LONGEST_DIFF = 6_000
_CONTEXT_LINES = 10
_SHORTEST_BEGINNING = 500
_LONGEST_TASK = 4 << 20


@attrs.frozen
class TaskPack:
    pack: dict[str, Any] | None
    refusal: Refusal | None
    warnings: tuple[str, ...]


class ContextPackError(ValueError):
    """There is no pack for a task; `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence())
        self.refusal = refusal


class PackValues(dict[str, Any]):
    """A dictionary whose fields are attributes as well: `pack.files[0].path`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the pack has no field {name!r}") from None


class ContextPacker:
    """Builds packs for tasks of one workspace. `build` raises `ContextPackError`."""

    def __init__(self, root: Path | str = ".", tier: str = Tier.DEFAULT) -> None:
        self._root = Path(root)
        self._tier = tier

    def build(self, task: object, tier: str | None = None) -> dict[str, Any]:
        """Return the pack for a task, given as in its JSON form or as an object like it.

        The pack is a dictionary, as are the objects in it; their fields are attributes as well.
        """
        host = open_host(self._root, keeps_index=False)
        if isinstance(host, Refusal):
            raise ContextPackError(host)
        with host:
            made = build_task_pack(host, task, tier or self._tier)
        if made.pack is None:
            raise ContextPackError(made.refusal or no_workspace())
        pack = _with_attributes(made.pack)
        assert isinstance(pack, PackValues)
        return pack


def _with_attributes(value: Any) -> Any:
    if isinstance(value, dict):
        return PackValues({name: _with_attributes(each) for name, each in value.items()})
    return [*map(_with_attributes, value)] if isinstance(value, list) else value


def build_task_pack(host: Host, given: object, tier: str = Tier.DEFAULT) -> TaskPack:
    """Return the pack for a task, or why there is none."""
    if tier not in tuple(Tier):
        return TaskPack(None, _unknown_tier(), ())
    task = given if isinstance(given, Task) else read_task(given)
    if isinstance(task, Refusal):
        return TaskPack(None, task, ())
    try:
        contract = task.contract
        globs = contract_globs(contract.allowed_globs, contract.forbidden_globs, str(host.root))
    except PatternError as error:
        return TaskPack(None, malformed_task(f"glob number {error.line} cannot be used"), ())
    texts = AnswerTexts(RecipeRoots(lambda _: host))
    task = _cleared_task(texts, task)
    if task.more:
        texts.warn(f"fields of the task that a pack does not use: {', '.join(sorted(task.more))}")
    gathered = _Gathering(host, texts, task, globs)
    gathered.read()
    made = pack_task(task, gathered.whole_texts(), Tier(tier))
    if isinstance(made, Refusal):
        # Cutting takes a parser: only where something has to be cut.
        made = pack_task(task, gathered.cut_texts(), Tier(tier))
    if texts.redactions:
        kinds = ", ".join(sorted(texts.redactions))
        texts.warn(f"secrets were replaced: {sum(texts.redactions.values())} ({kinds})")
    warnings = tuple(texts.clean_each("warning", texts.warnings))
    return (
        TaskPack(None, made, warnings)
        if isinstance(made, Refusal)
        else TaskPack(made, None, warnings)
    )


def task_from_text(text: bytes) -> Task | Refusal:
    """Return the task that a file's JSON or YAML describes, or what is wrong with it."""
    if len(text) > _LONGEST_TASK:
        return malformed_task("it is larger than 4 MiB")
    try:
        return read_task(msgspec.json.decode(text))
    except RecursionError:
        return malformed_task("it is nested too deeply")
    except msgspec.DecodeError:
        pass
    try:
        return read_task(read_plain_yaml(text))
    except (ValueError, RecursionError):
        return malformed_task("it is neither JSON nor YAML")


def _cleared_task(texts: AnswerTexts, task: Task) -> Task:
    """Return a task without the secrets of its own texts; a secret of one is one in all."""
    plain = msgspec.to_builtins(task)

    def take(text: str) -> str:
        texts.take("task", text)
        return text

    _each_text(plain, take)
    texts.spread()
    cleared = _each_text(plain, lambda text: texts.clean("task", text))
    return msgspec.convert(cleared, Task)


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _each_text(each, change) for key, each in value.items()}
    if isinstance(value, Sequence):
        return [_each_text(each, change) for each in value]
    return value


class _Gathering:
    """Reads what a task names, in the order of the pack."""

    def __init__(self, host: Host, texts: AnswerTexts, task: Task, globs: ContractGlobs) -> None:
        self._host = host
        self._texts = texts
        self._task = task
        self._globs = globs
        self._read: dict[str, tuple[Importance, ScannedText]] = {}
        self._docs: dict[str, ScannedText] = {}
        self._diff: ScannedText | None = None
        self._left_out: str | None = None
        """The first file of the contract that the pack has no room for."""

    def read(self) -> None:
        """Read everything that the pack may hold."""
        task = self._task
        grave = dict.fromkeys(self._issue_files())
        for path in map(self._name, task.context.files):
            self._take(path, Importance.HIGH if path in grave else Importance.MEDIUM)
        for path in grave:
            self._take(path, Importance.HIGH)
        for path in self._contract_files():
            self._take(path, Importance.LOW)
        for path in map(self._name, task.context.docs):
            if path not in self._docs and (found := self._open(path)) is not None:
                self._docs[path] = found
        self._diff = self._texts.take("diff", self._visible_diff())
        self._texts.spread()

    def whole_texts(self) -> TaskTexts:
        """Return every text of the pack as it is."""
        files = tuple(
            PackedText(path, (self._whole(found),), importance)
            for path, (importance, found) in self._read.items()
        )
        docs = tuple(PackedText(path, (self._whole(found),)) for path, found in self._docs.items())
        return self._named(TaskTexts(files, docs, self._diff_forms()[:1], self._left_out))

    def cut_texts(self) -> TaskTexts:
        """Return every text of the pack in its shorter and shorter forms."""
        self._cut_at_once()
        files = tuple(self._file(path, *each) for path, each in self._read.items())
        docs = tuple(self._doc(path, found) for path, found in self._docs.items())
        return self._named(TaskTexts(files, docs, self._diff_forms(), self._left_out))

    def _named(self, texts: TaskTexts) -> TaskTexts:
        """Return texts under paths without secrets."""
        named = (*texts.files, *texts.docs)
        paths = self._texts.clean_each("path", [each.path for each in named])
        clean = [attrs.evolve(each, path=path) for each, path in zip(named, paths, strict=True)]
        left_out = texts.left_out and self._texts.clean("path", texts.left_out)
        count = len(texts.files)
        return TaskTexts(tuple(clean[:count]), tuple(clean[count:]), texts.diff, left_out)

    def _cut_at_once(self) -> None:
        """Cut all files together: the parsers work side by side, and the cache keeps the cuts."""
        found = [shown_document(self._host, path) for path in self._read]
        documents = [
            each for each in found if not isinstance(each, Refusal) and each.language is not None
        ]
        self._host.cache.cut(documents, SignatureDocs(self._host.settings.slicing.signature_docs))

    def _issue_files(self) -> list[str]:
        """Return the files of repair tickets and issues, each once."""
        task = self._task
        named: list[str] = []
        for ticket in task.repair_tickets:
            named += ticket.files
            named += self._mentioned(ticket.instructions, ticket.error_output, ticket.more)
        for issue in top_issues(task):
            named += [issue.file] if issue.file else []
            named += self._mentioned(issue.message, issue.evidence, issue.more)
        return list(dict.fromkeys(map(self._name, named)))

    def _mentioned(self, *values: object) -> list[str]:
        """Return the files that the texts of some values mention."""
        texts: list[str] = []

        def take(text: str) -> str:
            texts.append(text)
            return text

        _each_text(values, take)
        return [path for path in extract_file_paths("\n".join(texts)) if self._exists(path)]

    def _contract_files(self) -> list[str]:
        if self._globs.allows_none:
            return []
        found = [
            path
            for path in self._host.workspace.files()
            if self._globs.allows(path) and not self._globs.forbids(path)
        ]
        if len(found) > _MOST_CONTRACT_FILES:
            self._left_out = found[_MOST_CONTRACT_FILES]
            self._texts.warn(
                f"the contract allows {len(found)} files; the first {_MOST_CONTRACT_FILES} count"
            )
        return found[:_MOST_CONTRACT_FILES]

    def _name(self, written: str) -> str:
        """Return the workspace path of a file that a task names; as written where it has none."""
        plain = written.replace("\\", "/").removeprefix("./")
        found = self._host.path_of(str(self._host.root / plain)) if plain else plain
        return found if isinstance(found, str) else plain

    def _exists(self, path: str) -> bool:
        found = self._host.path_of(str(self._host.root / self._name(path)))
        return isinstance(found, str) and not isinstance(self._host.cache.look_at(found), Refusal)

    def _take(self, path: str, importance: Importance) -> None:
        if path not in self._read and (found := self._open(path)) is not None:
            self._read[path] = (importance, found)

    def _open(self, path: str) -> ScannedText | None:
        place = self._host.root / path
        # A link to a forbidden file is that file.
        real = self._host.path_of(os.path.realpath(place))
        if any(self._globs.forbids(each) for each in (path, real) if isinstance(each, str)):
            self._texts.warn(f"{path}: the contract forbids it")
            return None
        return self._texts.read(place, path)

    def _whole(self, found: ScannedText) -> str:
        return self._texts.show(found, NO_LIMIT)

    def _file(self, path: str, importance: Importance, found: ScannedText) -> PackedText:
        forms = [self._whole(found)]
        for form in (self._regions(path, found), self._signatures(path)):
            if form is not None and len(form) + len(MARKER) < len(forms[-1]):
                forms.append(f"{form.rstrip()}\n{MARKER}\n")
        return PackedText(path, _with_shorter(forms), importance, importance is Importance.LOW)

    def _regions(self, path: str, found: ScannedText) -> str | None:
        """Return the lines around what issues name in a file, below its first lines."""
        lines = [
            issue.line
            for issue in top_issues(self._task)
            if issue.line and issue.file and self._name(issue.file) == path
        ]
        if not lines:
            return None
        count = found.line_count
        most = min(count - 1, len(lines) * (2 * _CONTEXT_LINES + 1))
        return self._texts.show_lines(found, kept_ranges(count, most, lines, _CONTEXT_LINES)).text

    def _signatures(self, path: str) -> str | None:
        result = slice_file(self._host, SliceRequest(path, "signatures"))
        return result.content

    def _doc(self, path: str, found: ScannedText) -> PackedText:
        return PackedText(path, _with_shorter([self._whole(found)]))

    def _visible_diff(self) -> str:
        """Return the last diff without files that policy or the contract withholds."""
        previous = self._task.previous
        before, patches = split_patches(previous.diff if previous is not None else "")
        kept = [
            each
            for each in patches
            if not any(
                self._globs.forbids(name) or self._host.judge(name) is not None
                for name in each.names
            )
        ]
        if len(kept) < len(patches):
            self._texts.warn(f"the diff of {len(patches) - len(kept)} files is withheld")
        return before + "".join(each.text for each in kept)

    def _diff_forms(self) -> tuple[str, ...]:
        whole = self._whole(self._diff) if self._diff is not None else ""
        _, patches = split_patches(whole)
        if not patches:
            forms = [whole]
        else:
            summary = "".join(map(_summary_line, patches)) + MARKER
            forms = [summary] if len(whole) > _LONGEST_DIFF else [whole, summary]
        return tuple([*forms, MARKER] if len(forms[-1]) > len(MARKER) else forms)


def _summary_line(patch: Any) -> str:
    added = sum(row.startswith("+") and not row.startswith("+++") for row in patch.text.split("\n"))
    gone = sum(row.startswith("-") and not row.startswith("---") for row in patch.text.split("\n"))
    names = " → ".join(reversed(patch.names)) or "a file"
    places = _places(patch.text)
    return f"{names}: +{added} −{gone}{' in ' + ', '.join(places) if places else ''}\n"


def _places(patch: str) -> list[str]:
    """Return what git names behind each hunk: mostly the function that it stands in."""
    rows = [row.split("@@", 2) for row in patch.split("\n") if row.startswith("@@")]
    return list(dict.fromkeys(row[2].strip() for row in rows if len(row) == 3 and row[2].strip()))


def _with_shorter(forms: Sequence[str]) -> tuple[str, ...]:
    """Return forms of a text, then beginnings of it, each half as long, then the marker."""
    found = [*forms]
    text = found[-1].removesuffix(f"\n{MARKER}\n")
    size = len(text) // 2
    while size >= _SHORTEST_BEGINNING:
        end = text.rfind("\n", size // 2, size)
        found.append(f"{text[: end if end > 0 else size].rstrip()}\n{MARKER}\n")
        size //= 2
    if len(MARKER) < len(found[-1]):
        found.append(MARKER)
    return tuple(found)


def _unknown_tier() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "unknown_tier",
        None,
        "there is no such tier",
        f"use {', '.join(Tier)}",
    )
