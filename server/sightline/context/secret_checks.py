"""Where secrets cause refusals: the request's own words, names, targets and the finished text.

Invariants:

* Everything that leaves is scanned: what a person wrote, names, documents, and the rendered text.
* If a scan fails, the text is withheld, as if it had found something.
* No refusal contains a byte of a secret: it names the detector and the lines.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from sightline.bundle import ContextBlock, QuarantinedFile
from sightline.context.request import BuildRequest
from sightline.context.sources import Sources
from sightline.context.targets import Targets
from sightline.egress import Certainty, Finding, ScanFailure
from sightline.refusals import Refusal, RefusalKind
from sightline.render import Rendering

UNNAMED = "[REDACTED:path]"
"""Replaces a path that looks like it contains a secret."""
_MOST_QUARANTINED = 50


def secret_in_request(sources: Sources, request: BuildRequest) -> Refusal | None:
    """Refuse a request whose own words contain a secret: they are sent like any other text."""
    for name, content in _words(request).items():
        found = sources.scan(content)
        if isinstance(found, ScanFailure):
            return unscanned(None, name, found)
        if found:
            data = content.encode("utf-8")
            lines = sorted({data.count(b"\n", 0, each.span.start) + 1 for each in found})
            detectors = sorted({each.detector for each in found})
            return Refusal(
                RefusalKind.SECRET_RISK,
                "secret_in_request",
                None,
                f"'{name}' holds what looks like a secret ({', '.join(detectors)}) on line "
                f"{', '.join(map(str, lines))}",
                "take the secret out of it and ask again",
                rule=detectors[0],
                source="egress",
            )
    return None


def secret_in_names(sources: Sources, targets: Targets) -> Refusal | None:
    """Refuse targets whose path or symbol contains a secret, because the manifest names them."""
    names = [
        str(name)
        for file in (*targets.files, *targets.selected)
        for name in (file.path, *map(sources.snapshot.place, file.symbols))
    ]
    found = sources.scan("".join(f"{name}\n" for name in names))
    if isinstance(found, ScanFailure):
        return unscanned(None, "the targets' names", found)
    if not found:
        return None
    return Refusal(
        RefusalKind.SECRET_RISK,
        "secret_in_name",
        None,
        f"the name of a target holds what looks like a secret ({found[0].detector})",
        "give the file or the symbol another name, or choose another target",
        rule=found[0].detector,
        source="egress",
    )


def is_removable(finding: Finding) -> bool:
    """True if a secret can be replaced: its bounds and its kind are certain."""
    return finding.is_bounded and finding.certainty is not Certainty.UNCERTAIN


def suspicious_paths(
    sources: Sources, rendering: Rendering, blocks: Sequence[ContextBlock]
) -> frozenset[str] | Refusal:
    """Return the paths of the blocks in which a scan of the rendered text still finds a secret."""
    found = sources.scan(rendering.text)
    if isinstance(found, ScanFailure):
        return unscanned(None, "the final text", found)
    if not found:
        return frozenset()
    paths: set[str] = set()
    ends: list[int] = []
    end = 0
    for piece in rendering.pieces:
        end += len(piece.encode("utf-8"))
        ends.append(end)
    for each in found:
        first = next(index for index, end in enumerate(ends) if each.span.start < end)
        last = next(index for index, end in enumerate(ends) if each.span.end <= end)
        for index in range(first, last + 1):
            if not 1 <= index <= len(rendering.order):
                return secret_in_final_text([])
            path = blocks[rendering.order[index - 1]].meta.path
            if path is None:
                return secret_in_final_text([])
            paths.add(path)
    return frozenset(paths)


def without_secret_names(sources: Sources, refusal: Refusal) -> Refusal:
    """Return the refusal with its path and choices replaced if they look like secrets."""
    told = tuple(
        choice if is_free_of_secrets(sources, choice) else UNNAMED for choice in refusal.candidates
    )
    path = refusal.path
    if path is not None and not is_free_of_secrets(sources, path):
        path = UNNAMED
    return attrs.evolve(refusal, candidates=told, path=path)


def is_free_of_secrets(sources: Sources, name: str) -> bool:
    found = sources.scan(name)
    return not isinstance(found, ScanFailure) and not found


def quarantined_files(sources: Sources) -> tuple[QuarantinedFile, ...]:
    """Return the first quarantined files as a manifest names them, in bytewise order."""
    return tuple(
        QuarantinedFile(
            path if is_free_of_secrets(sources, path) else UNNAMED,
            state.digest.hex(),
            state.language,
            state.fault,
            state.limit,
        )
        for path in sources.snapshot.quarantined[:_MOST_QUARANTINED]
        if (state := sources.snapshot.files.get(path)) is not None
    )


def secret_in_final_text(paths: Sequence[str]) -> Refusal:
    where = f" in {', '.join(paths)}" if paths else ""
    return Refusal(
        RefusalKind.SECRET_RISK,
        "secret_in_final_text",
        paths[0] if len(paths) == 1 else None,
        f"the last scan of the finished text still finds what looks like a secret{where}",
        "move the secret out of the project, or add a deny rule for the file",
        rule="final rescan",
        source="egress",
    )


def unscanned(path: str | None, what: str, failure: ScanFailure) -> Refusal:
    return Refusal(
        RefusalKind.SECRET_RISK,
        failure.reason.value,
        path,
        f"{what} could not be scanned for secrets, so it is withheld",
        "run 'sightline doctor'; if it finds nothing, report the file's size and kind",
        rule="what is not scanned is not sent",
        source="egress",
    )


def _words(request: BuildRequest) -> dict[str, str]:
    """Return the texts in a request, by field."""
    words: dict[str, str] = {}
    if request.intent is not None:
        words["intent"] = f"{request.intent.text}\n{request.intent.id}"
    step = request.plan_step
    if step is not None:
        words["plan_step"] = "\n".join(
            [step.description, step.title, step.id, *step.target_files, *step.target_symbols]
        )
    if request.constraints:
        words["constraints"] = "\n".join(each.text for each in request.constraints)
    error = request.last_error
    if error is not None:
        words["last_error"] = "\n".join(
            [error.message, error.path or "", error.code or "", error.severity]
        )
    named = [*request.targets, *request.user_selected_targets]
    if request.active is not None:
        named.append(request.active)
    if named or request.dropped_paths:
        words["targets"] = "\n".join([*map(str, named), *request.dropped_paths])
    return words
