"""Read a task: which of its words occur in which section, and what it mentions.

Every line belongs to a section. Words count by section: a title says more than a paragraph, and the
name of an error more than the code around it. Every pattern takes time linear in its line, and the
length of the text is limited, so the time is, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from itertools import groupby, pairwise

import attrs

from sightline.index.finding.traceback_frames import TraceFrame, read_frame

MOST_CHARACTERS = 60_000
"""Text after so many characters is not read."""
_LONGEST_LINE = 2_000


class TaskSection(IntEnum):
    TITLE = 0
    PROSE = 1
    INLINE = 2
    """Text between backticks in a title or in prose."""
    CODE = 3
    TRACE = 4
    ERROR = 5
    """A line with the name of an error and its message."""
    ENVIRONMENT = 6
    """Versions and platforms."""


@attrs.define
class Mention:
    """How a name is written in a task."""

    sections: Counter[TaskSection] = attrs.Factory(Counter)
    own: int = 0
    """How often the name occurs as something that the code in the task defines itself."""
    is_code: bool = False
    """True if it is written as a name and not as a word: `like_this`,
    `likeThis`, `like()`, a.like.
    """


@attrs.frozen
class TaskText:
    words: Mapping[str, Mapping[TaskSection, int]]
    """By word as written: how often it occurs in each section, without what the task itself
    defines.
    """
    mentions: Mapping[str, Mention]
    """By name as written."""
    dotted: Mapping[tuple[str, str], Mapping[TaskSection, int]]
    """Neighbouring parts of dotted names."""
    pointed: Sequence[str]
    """Names that stand alone between backticks, in order, each once; split at dots."""
    frames: Sequence[TraceFrame]
    """The innermost last."""
    paths: Sequence[str]
    """Paths that are mentioned outside of frames, in order, each once."""

    @cached_property
    def title_words(self) -> frozenset[str]:
        return frozenset(word for word, found in self.words.items() if TaskSection.TITLE in found)


_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_URL = re.compile(r"\w{1,20}://[^\s<>\"'`)\]]{1,2000}")
_WORD = re.compile(r"[^\W\d]\w*")
_DOTTED = re.compile(r"\b[^\W\d]\w*+(?:(?:\.|::)[^\W\d]\w*+)++")
_INLINE = re.compile(r"`([^`\n]{1,500})`")
_POINTED = re.compile(r"[^\W\d]\w*+(?:(?:\.|::|#)[^\W\d]\w*+)*+(?:\(\))?")
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,120})[\"']")
_PATH = re.compile(
    r"(?<![\w.+@$-])/?(?:[\w.+@$-]{1,100}+/){0,30}+[\w.+@$-]{1,100}\.[A-Za-z][A-Za-z0-9_+]{0,9}\b"
)
_TRACEBACK = re.compile(
    r"Traceback \(most recent call last\)|^\s*(?:goroutine \d+ \[|stack backtrace:)"
)
_ERROR = re.compile(
    r"^(?:E\s{1,8}|>\s?)?(?:[\w.$]+\.)?[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit|Fault)\b[:(]?"
    r"|^E\s{2,}\S|^(?:panic|error(?:\[E\d+\])?|fatal(?: error)?|thread '[^']*' panicked)\b ?[:a]"
)
_ENVIRONMENT = re.compile(
    r"^[\s*-]*+[\w .()+/-]{1,40}(?:version)?\s*[:=]{1,2}\s*v?\d+(?:\.\d+)+\S*\s*$"
    r"|^[\s*-]*+(?:Python|Windows|Linux|macOS|Darwin|Ubuntu|OS|Platform|Operating System)\b"
    r".{0,60}\d",
    re.IGNORECASE,
)
_CODE_LINE = re.compile(
    r"\s*+(?:>>>|\.\.\.\s|In \[\d+\]:|Out\[\d+\]:|\$ |(?:import|from) [\w.]+(?:$|\s+import| as )"
    r"|(?:async )?def \w|class \w+\s*[(:{]|@\w[\w.]*(?:\(|$)|[\w.\[\]'\", ]{1,80}\s=\s"
    r"|return\b|raise \w|assert \w|(?:for|if|while|with|elif|else|try|except)\b.{0,200}:\s*+$"
    r"|print[ (]|[\w.]++\(.{0,300}\)\s*+;?\s*+$|[-+]{3} |@@ |[{}]\s*$|(?:func|fn|let|const|var) \w)"
)
_SIGNS = re.compile(r"[()\[\]{}=_:.]")
_DEFINES = re.compile(
    r"^\s*+(?:>>>\s*+|In \[\d+\]:\s*)?(?:(?:class|def|function|func|fn|struct)\s+([^\W\d]\w*)"
    r"|(?:let|const|var)?\s*([^\W\d]\w*)(?:\s*:\s*[\w.\[\]]{1,60})?\s*=[^=]|for\s+([^\W\d]\w*)\s+in\b)"
)
_SNAKE_OR_CAMEL = re.compile(r".*[a-z0-9][A-Z]|[A-Z][A-Z][a-z]|.*[^_]_+[^_]|__")


def _is_outermost_first(frame: TraceFrame) -> bool:
    return frame.is_outermost_first


def read_task(text: str) -> TaskText:
    """Read a task, at most `MOST_CHARACTERS` of it."""
    reader = _TaskReader()
    for section, line in _sections(_COMMENT.sub(" ", text[:MOST_CHARACTERS])):
        reader.take(section, line)
    return reader.task()


def _sections(text: str) -> Iterator[tuple[TaskSection, str]]:
    """Yield each line that is not blank, with the section that it belongs to."""
    has_title = is_fenced = is_trace = False
    for whole in text.splitlines():
        line = whole[:_LONGEST_LINE]
        if _FENCE.match(line):
            is_fenced, is_trace = not is_fenced, False
            continue
        if not line.strip():
            continue
        if not has_title:
            has_title = True
            yield TaskSection.TITLE, line.lstrip("# ")
            continue
        if _TRACEBACK.search(line):
            is_trace = True
            yield TaskSection.TRACE, line
        elif read_frame(line) is not None:
            yield TaskSection.TRACE, line
        elif _ERROR.match(line.strip()) or _ERROR.match(line):
            is_trace = False
            yield TaskSection.ERROR, line
        elif is_trace and line[:1] in " \t>":
            yield TaskSection.TRACE, line
        elif _ENVIRONMENT.match(line):
            is_trace = False
            yield TaskSection.ENVIRONMENT, line
        else:
            is_trace = False
            yield (TaskSection.CODE if is_fenced or _is_code(line) else TaskSection.PROSE), line


def _is_code(line: str) -> bool:
    if _CODE_LINE.match(line):
        return True
    bare = line.strip()
    is_indented = len(line) - len(line.lstrip()) >= 4
    return is_indented and len(_SIGNS.findall(bare)) * 100 > 12 * len(bare)


class _TaskReader:
    def __init__(self) -> None:
        self._words: dict[str, Counter[TaskSection]] = {}
        self._mentions: dict[str, Mention] = {}
        self._dotted: dict[tuple[str, str], Counter[TaskSection]] = {}
        self._pointed: dict[str, None] = {}
        self._frames: list[TraceFrame] = []
        self._paths: dict[str, None] = {}
        self._own: set[str] = set()

    def take(self, section: TaskSection, line: str) -> None:
        if section is TaskSection.CODE:
            defined = _DEFINES.match(line)
            if defined is not None:
                self._own.add(next(each for each in defined.groups() if each))
        is_frame = self._take_frame(line)
        for url in _URL.findall(line):
            self._take_paths(url)
        bare = _URL.sub(" ", line)
        if not is_frame:
            self._take_paths(bare)
        if section is TaskSection.TRACE:
            bare = _PATH.sub(" ", bare)
        if section in (TaskSection.TITLE, TaskSection.PROSE):
            for inline in _INLINE.findall(bare):
                self._count(TaskSection.INLINE, inline, is_quoted=True)
                self._take_pointed(inline.strip())
            bare = _INLINE.sub(" ", bare)
        self._count(section, bare, is_quoted=False)

    def _take_frame(self, line: str) -> bool:
        frame = read_frame(line)
        if frame is None:
            return False
        self._frames.append(frame)
        if frame.function:
            self._mention(frame.function, TaskSection.TRACE).is_code = True
        return True

    def _take_paths(self, text: str) -> None:
        for path in _PATH.findall(text.replace("\\", "/")):
            self._paths.setdefault(path.lstrip("./"))

    def _take_pointed(self, inline: str) -> None:
        if _POINTED.fullmatch(inline):
            self._pointed.setdefault(re.sub("::|#", ".", inline.removesuffix("()")))

    def _count(self, section: TaskSection, text: str, *, is_quoted: bool) -> None:
        for word in _WORD.findall(text):
            self._words.setdefault(word, Counter())[section] += 1
        quoted = (
            {each for group in _QUOTED.findall(text) for each in _WORD.findall(group)}
            if section is not TaskSection.PROSE or "'" in text or '"' in text
            else set()
        )
        for found in _WORD.finditer(text):
            name = found.group()
            if len(name) < 2:
                continue
            mention = self._mention(name, section)
            is_called = text[found.end() : found.end() + 1] == "("
            mention.is_code |= (
                is_quoted or is_called or name in quoted or _SNAKE_OR_CAMEL.match(name) is not None
            )
        for dotted in _DOTTED.findall(text):
            parts = dotted.replace("::", ".").split(".")
            for part in parts:
                if len(part) >= 2:
                    self._mentions[part].is_code = True
            for left, right in pairwise(parts):
                self._dotted.setdefault((left, right), Counter())[section] += 1

    def _mention(self, name: str, section: TaskSection) -> Mention:
        mention = self._mentions.setdefault(name, Mention())
        mention.sections[section] += 1
        return mention

    def task(self) -> TaskText:
        for name in self._own:
            self._disown(name)
        return TaskText(
            self._words,
            self._mentions,
            self._dotted,
            tuple(each for each in self._pointed if each not in self._own),
            self._inwards(),
            tuple(self._paths),
        )

    def _inwards(self) -> tuple[TraceFrame, ...]:
        """Return the frames, with the innermost frame of the last traceback at the end."""
        ordered: list[TraceFrame] = []
        for is_outermost_first, group in groupby(self._frames, _is_outermost_first):
            frames = list(group)
            ordered += frames if is_outermost_first else reversed(frames)
        return tuple(ordered)

    def _disown(self, name: str) -> None:
        """Ignore names that the code in the task defines: they say little about the workspace."""
        mention = self._mentions.get(name)
        words = self._words.get(name)
        for section in (TaskSection.CODE, TaskSection.TRACE, TaskSection.PROSE, TaskSection.INLINE):
            if mention is not None:
                mention.own += mention.sections.pop(section, 0)
            if words is not None:
                words.pop(section, None)
