"""`sightline slice PATH --level …`: one file at one level."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import attrs

from sightline.cli.files import Files, Source, require_language
from sightline.cli.output import DONE, Output
from sightline.languages import Language, Registry, load_registry
from sightline.refusals import Refusal, RefusalKind
from sightline.slicing import Level, SignatureDocs, Slice, full_file, regions, summary_only
from sightline.symbols import FileSummary, find_symbol
from sightline.workers import Answer, Request, Task, Workers

_LEVELS = {
    "full": Level.FULL_FILE,
    "region": Level.TARGET_REGION_ONLY,
    "signatures": Level.SIGNATURES_ONLY,
    "summary": Level.SUMMARY_ONLY,
}


def run(options: argparse.Namespace, output: Output) -> int:
    level = _LEVELS[options.level]
    refusal = _wrong_use(level, options)
    if refusal is not None:
        return output.refuse(refusal, path=options.path)
    registry = load_registry()
    source = Files(registry, options.root, options.allow).open(options.path)
    if isinstance(source, Refusal):
        return output.refuse(source, path=options.path)
    outcome = _slice(registry, source, level, options)
    if isinstance(outcome, Refusal):
        return output.refuse(attrs.evolve(outcome, path=source.document.path))
    result, summary = outcome
    if output.json:
        output.record(slice_record(source, result, summary))
        return DONE
    for piece in result.pieces:
        inserted = piece.span is None
        content = piece.literal if piece.span is None else source.document.text.cut(piece.span)
        output.contents(content, inserted=inserted)
    if result.check is not None:
        kept, expected = result.check.declarations_kept, result.check.declarations_expected
        output.note(f"{kept}/{expected} declarations, checked")
    return DONE


def slice_record(source: Source, result: Slice, summary: FileSummary | None) -> dict[str, object]:
    check = result.check
    return {
        "path": source.document.path,
        "language": summary.language if summary else None,
        "parse_clean": summary.parse_clean if summary else None,
        "level": result.level.value,
        "encoding": source.document.encoding,
        "bom": source.document.bom,
        "sha256": source.document.sha256,
        "content": result.content.decode("utf-8"),
        "regions": [
            {
                "symbol": region.symbol,
                "start_line": region.start_line,
                "end_line": region.end_line,
                "sha256": region.sha256,
            }
            for region in result.regions
        ],
        "pieces": [
            {"inserted": piece.literal.decode("utf-8")}
            if piece.span is None
            else {"start_byte": piece.span.start, "end_byte": piece.span.end}
            for piece in result.pieces
        ],
        "check": check
        and {
            "parses_clean": check.parses_clean,
            "same_declarations": check.same_declarations,
            "declarations": f"{check.declarations_kept}/{check.declarations_expected}",
            "no_body_bytes": check.no_body_bytes,
            "in_original_order": check.in_original_order,
        },
    }


def _wrong_use(level: Level, options: argparse.Namespace) -> Refusal | None:
    symbols = options.symbol
    if level is Level.TARGET_REGION_ONLY and not symbols:
        message = "--level region needs a symbol"
        advice = "name it with --symbol NAME; 'sightline outline PATH' lists the names"
    elif level is not Level.TARGET_REGION_ONLY and symbols:
        message = "--symbol goes with --level region only"
        advice = "leave --symbol out, or ask for --level region"
    elif level is not Level.SIGNATURES_ONLY and options.docs is not SignatureDocs.NONE:
        message = "--docs goes with --level signatures only"
        advice = "leave --docs out, or ask for --level signatures"
    else:
        return None
    return Refusal(RefusalKind.INVALID_REQUEST, "usage", None, message, advice)


def _slice(
    registry: Registry, source: Source, level: Level, options: argparse.Namespace
) -> tuple[Slice, FileSummary | None] | Refusal:
    text = source.document.text
    if level is Level.FULL_FILE:
        # No tree is needed, so none is waited for: this level works for any text.
        return full_file(text), None
    language = require_language(source, registry, "cut")
    if isinstance(language, Refusal):
        return language
    task = Task.SIGNATURES if level is Level.SIGNATURES_ONLY else Task.SUMMARIZE
    with Workers(1) as workers:
        answer = workers.ask(Request(task, language.name, text.data, options.docs))
    if isinstance(answer, Refusal):
        return answer
    if level is Level.SIGNATURES_ONLY:
        outcome = answer.signatures or answer.refusal
        assert outcome is not None
        return outcome if isinstance(outcome, Refusal) else (outcome, answer.summary)
    if level is Level.SUMMARY_ONLY:
        result = summary_only(source.document.path, language.title, answer.summary)
        return result, answer.summary
    return _region_slice(source, language, answer, options.symbol)


def _region_slice(
    source: Source, language: Language, answer: Answer, names: Sequence[str]
) -> tuple[Slice, FileSummary] | Refusal:
    chosen = []
    for name in names:
        symbol = find_symbol(answer.summary, name)
        if isinstance(symbol, Refusal):
            return symbol
        if symbol not in chosen:
            chosen.append(symbol)
    chosen.sort(key=lambda symbol: (symbol.region.start, symbol.region.end))
    outcome = regions(language, source.document.text, answer.summary, chosen)
    return outcome if isinstance(outcome, Refusal) else (outcome, answer.summary)
