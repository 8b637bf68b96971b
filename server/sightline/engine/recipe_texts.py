"""The texts of an answer that is not a bundle: read, scanned together, and shown.

Invariants:

* Every text of the answer is scanned as a whole before any piece of it is shown. A certain secret
  in one text is a secret in all of them.
* A text that contains a secret without known bounds, or that could not be scanned, is withheld as a
  whole. A warning says so; no warning contains contents.
* A file is read through the workspace, under the policy of its own root.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs

from sightline.context.secret_checks import is_removable
from sightline.egress import (
    NOTHING_KNOWN,
    Finding,
    KnownSecrets,
    ScanFailure,
    guarded_scan,
    known_secrets,
    made_visible,
    redacted,
    with_known,
)
from sightline.engine.hidden_counts import lift_told
from sightline.engine.host import Host
from sightline.recipes.lines import LONGEST_LINE, NO_LIMIT, CutText, joined_pieces
from sightline.recipes.secret_forms import secret_lines
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Span, Text
from sightline.workspace.roots import repository_around

BINARY_RULES = "default:binaries"
_MOST_SUSPICIONS = 20
WITHHELD = "[withheld: it may hold a secret]"


def detect_secrets(content: str) -> list[tuple[int, str]]:
    """Return the line and the kind of each possible secret in a text, in order.

    A line is listed once. Example values from documentation count here, unlike in a build. A text
    that cannot be scanned counts as one: its line is 1 and its kind says why.
    """
    text = Text(content.encode("utf-8", "replace"))
    return _suspicious_lines(text, guarded_scan(text.data))


def _suspicious_lines(
    text: Text, findings: tuple[Finding, ...] | ScanFailure
) -> list[tuple[int, str]]:
    if isinstance(findings, ScanFailure):
        return [(1, findings.reason.value)]
    found = secret_lines(text.data)
    for each in sorted(findings, key=lambda each: (each.span.start, each.detector)):
        found.setdefault(text.line_of(each.span.start) + 1, each.detector)
    return sorted(found.items())


@attrs.frozen
class ScannedText:
    name: str
    """The name in warnings: a path, or the field that the text becomes."""
    text: Text
    findings: tuple[Finding, ...] | ScanFailure

    @property
    def line_count(self) -> int:
        """The number of lines of the text; a line break at the end begins no further line."""
        data = self.text.data
        return data.count(b"\n") + (data != b"" and not data.endswith(b"\n"))


class AnswerTexts:
    """Scans and shows the texts of one answer, and counts what it withholds."""

    def __init__(self, roots: RecipeRoots) -> None:
        self.roots = roots
        self.redactions: Counter[str] = Counter()
        self.warnings: list[str] = []
        self.missing: list[str] = []
        self.binary: list[str] = []
        self._scanned: list[ScannedText] = []
        self._known: KnownSecrets = NOTHING_KNOWN

    def warn(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings.append(warning)

    def take(self, name: str, content: str) -> ScannedText:
        """Scan a text from the caller."""
        data = content.encode("utf-8", "replace")
        scanned = ScannedText(name, Text(data), guarded_scan(data))
        self._scanned.append(scanned)
        return scanned

    def read(
        self, path: Path, name: str | None = None, *, is_optional: bool = False
    ) -> ScannedText | None:
        """Read and scan a file. Return None, with a warning, if it cannot be shown.

        There is no warning if an optional file does not exist.
        """
        name = name or str(path)
        host = self.roots.host_of(path)
        relative = host if isinstance(host, Refusal) else host.path_of(str(path))
        if isinstance(host, Refusal) or isinstance(relative, Refusal):
            if not is_optional:
                self.warn(f"{name}: it cannot be read")
            return None
        found = host.cache.look_at(relative)
        if isinstance(found, Refusal):
            if not (is_optional and found.reason in ("not_found", "is_directory")):
                self._note_refusal(host, name, found)
            return None
        document = host.cache.with_findings(found, host.harmless, keeps_weak=host.keeps_weak)
        assert not isinstance(document, Refusal)
        scanned = ScannedText(name, document.text, document.findings)
        self._scanned.append(scanned)
        return scanned

    def take_version(self, path: Path, name: str, data: bytes) -> ScannedText | None:
        """Scan another version of a file than that on the disk, under the file's own policy."""
        host = self.roots.host_of(path)
        relative = host if isinstance(host, Refusal) else host.path_of(str(path))
        if isinstance(host, Refusal) or isinstance(relative, Refusal):
            self.warn(f"{name}: it cannot be read")
            return None
        refusal = host.judge(relative) or host.workspace.judge_text(relative, data)
        if refusal is not None:
            self._note_refusal(host, name, refusal)
            return None
        if b"\0" in data:
            self.binary.append(name)
            return None
        text = data.decode("utf-8", "replace").encode("utf-8")
        scanned = ScannedText(name, Text(text), host.cache.scan(text, host.harmless))
        self._scanned.append(scanned)
        return scanned

    def warn_of_rule(self, host: Host, refusal: Refusal) -> None:
        """Say how to allow the rule of a refusal, if a person may allow it."""
        told = lift_told(host, refusal)
        if told is not None:
            self.warn(told)

    def _note_refusal(self, host: Host, name: str, refusal: Refusal) -> None:
        if refusal.reason == "not_found":
            self.missing.append(name)
            self.warn(f"{name}: there is no such file")
        elif refusal.reason in ("binary", "encoding") or refusal.source == BINARY_RULES:
            self.binary.append(name)
        elif refusal.kind is RefusalKind.UNSUPPORTED_TARGET and refusal.rule:
            self.warn(f"{name}: withheld by the rule {refusal.rule}")
            self.warn_of_rule(host, refusal)
        else:
            self.warn(f"{name}: withheld ({refusal.reason})")

    def spread(self) -> None:
        """Make each certain secret of one text a secret in all. Call it when all texts have been
        read.
        """
        self._known = known_secrets(
            (each.text.data, each.findings)
            for each in self._scanned
            if not isinstance(each.findings, ScanFailure)
        )

    def suspicions(self) -> Iterator[str]:
        """Yield the places in the answer that look like secrets, without their values."""
        for each in self._scanned:
            for line, kind in _suspicious_lines(each.text, each.findings)[:_MOST_SUSPICIONS]:
                yield f"Potential secret detected in {each.name} at line {line}: {kind}"

    def show(self, scanned: ScannedText, longest_line: int = LONGEST_LINE) -> str:
        """Return a whole text with its secrets replaced."""
        ranges = [(1, scanned.line_count)] if scanned.text.data else []
        return self.show_lines(scanned, ranges, longest_line).text

    def show_lines(
        self,
        scanned: ScannedText,
        ranges: Sequence[tuple[int, int]],
        longest_line: int = LONGEST_LINE,
    ) -> CutText:
        """Return pieces of a text, given by first and last line, with their secrets replaced.

        A line of more than `longest_line` characters is cut.
        """
        count = scanned.line_count
        findings = self._findings_of(scanned)
        if findings is None:
            self.warn(f"{scanned.name}: withheld: it may hold a secret with unclear bounds")
            return CutText(WITHHELD, count, 0)
        data = scanned.text.data
        starts = _line_starts(data)
        pieces = []
        for first, last in ranges:
            end = starts[last] - 1 if last < len(starts) else len(data) - data.endswith(b"\n")
            span = Span(starts[first - 1], max(starts[first - 1], end))
            for each in findings:
                if each.span.start < span.end and span.start < each.span.end:
                    self.redactions[each.detector] += 1
            pieces.append((first, last, made_visible(redacted(data, span, findings))[0]))
        ends_line = data.endswith(b"\n")
        return joined_pieces(pieces, count, ends_line=ends_line, longest_line=longest_line)

    def _findings_of(self, scanned: ScannedText) -> tuple[Finding, ...] | None:
        """Return what must be replaced in a text; None if it must be withheld."""
        if isinstance(scanned.findings, ScanFailure):
            return None
        findings = with_known(scanned.text.data, scanned.findings, self._known)
        return findings if all(map(is_removable, findings)) else None

    def clean(self, name: str, content: str) -> str:
        """Return a short text of the answer, such as a branch's name, with secrets replaced.

        Names are scanned by themselves; call it after `spread`.
        """
        return self.clean_each(name, [content])[0]

    def clean_each(self, name: str, contents: Sequence[str]) -> list[str]:
        """Return short texts with secrets replaced. Most contain none, which a single scan of all
        shows.
        """
        encoded = [each.encode("utf-8", "replace") for each in contents]
        joined = b"\n".join(encoded)
        found = guarded_scan(joined)
        if not isinstance(found, ScanFailure):
            found = with_known(joined, found, self._known)
        cleaned = []
        start = 0
        for content, data in zip(contents, encoded, strict=True):
            end = start + len(data)
            if isinstance(found, ScanFailure) or any(
                each.span.start < end and start < each.span.end for each in found
            ):
                found_alone = ScannedText(name, Text(data), guarded_scan(data))
                cleaned.append(self.show(found_alone, NO_LIMIT))
            else:
                cleaned.append(made_visible(content.encode("utf-8", "replace"))[0])
            start = end + 1
        return cleaned

    def metadata(self, sections: Sequence[tuple[str, CutText]]) -> dict[str, object]:
        """Return `_metadata`: what was cut from which section, what is missing or replaced."""
        if self.redactions:
            kinds = ", ".join(sorted(self.redactions))
            total = sum(self.redactions.values())
            self.warn(f"secrets were replaced: {total} ({kinds})")
        affected = dict.fromkeys(name for name, cut in sections if cut.is_cut)
        return {
            "truncated": bool(affected),
            "original_lines": sum(cut.lines for _, cut in sections),
            "kept_lines": sum(cut.kept for _, cut in sections),
            "sections_affected": list(affected),
            "missing": self.clean_each("path", self.missing),
            "binary": self.clean_each("path", self.binary),
            "redactions": dict(sorted(self.redactions.items())),
            "warnings": self.clean_each("warning", self.warnings),
        }


def _line_starts(data: bytes) -> list[int]:
    starts = [0]
    position = data.find(b"\n")
    while position >= 0:
        starts.append(position + 1)
        position = data.find(b"\n", position + 1)
    return starts


class RecipeRoots:
    """The workspaces of the paths in one call, each opened once."""

    def __init__(self, opener: Callable[[Path], Host | Refusal]) -> None:
        self._open = opener
        self._hosts: dict[Path, Host | Refusal] = {}
        self._roots: dict[Path, Path] = {}

    def host_of(self, path: Path) -> Host | Refusal:
        """Return the workspace of a path: its repository, otherwise its directory."""
        absolute = Path(os.path.normpath(Path.cwd() / path))
        root = self.root_of(absolute)
        if root not in self._hosts:
            self._hosts[root] = self._open(root)
        return self._hosts[root]

    def root_of(self, absolute: Path) -> Path:
        """Return the repository around a file, otherwise its directory."""
        folder = absolute.parent
        if folder not in self._roots:
            self._roots[folder] = repository_around(folder) or folder
        return self._roots[folder]

    def close(self) -> None:
        for host in self._hosts.values():
            if isinstance(host, Host):
                host.close()
