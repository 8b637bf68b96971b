"""Symbols of one file or buffer as an editor shows them: spans, not lines."""

from __future__ import annotations

from concurrent.futures import Future

import attrs
import msgspec

from sightline.budget import Estimator, estimator
from sightline.egress.names import may_be_secret
from sightline.engine.host import Host, Toolchain
from sightline.engine.shown import conceal_names
from sightline.refusals import Refusal
from sightline.slicing import SignatureDocs
from sightline.symbols import FileSummary, Symbol
from sightline.text import Text
from sightline.workers import ParseAnswer, ParseRequest, ParseTask

_LANGUAGE_IDS = {
    "typescriptreact": "tsx",
    "javascriptreact": "javascript",
    "shellscript": "bash",
    "sh": "bash",
    "cs": "csharp",
    "c++": "cpp",
}
"""Names that editors use for languages, if they differ from ours."""


@attrs.frozen
class FileSymbols:
    text: Text
    summary: FileSummary


def file_symbols(host: Host, path: str) -> FileSymbols | None:
    """Return the symbols of a file; None if it is withheld or of no known language."""
    document = host.cache.look_at(path)
    if isinstance(document, Refusal) or document.language is None:
        return None
    docs = SignatureDocs(host.settings.slicing.signature_docs)
    cut = host.cache.cut([document], docs)[path]
    if isinstance(cut, Refusal):
        return None
    return FileSymbols(document.text, _named_safely(host, path, cut.summary))


def _named_safely(host: Host, path: str, summary: FileSummary) -> FileSummary:
    """Return a summary in which secrets in symbol names are replaced."""
    if not any(may_be_secret(each.name) for each in summary.symbols):
        # Only a random-looking name can be a secret, and such names are rare.
        return summary
    names = conceal_names(host, [path], [each.name for each in summary.symbols])
    symbols = tuple(
        msgspec.structs.replace(each, name=names.text(each.name)) for each in summary.symbols
    )
    return msgspec.structs.replace(summary, symbols=symbols)


def symbol_costs(host: Host, path: str) -> tuple[Text, list[tuple[Symbol, int]]] | None:
    """Return the text of a file, and the cost of each outermost symbol's region in tokens."""
    found = file_symbols(host, path)
    counting = estimator(host.settings.profile()[0].estimator)
    if found is None or not isinstance(counting, Estimator):
        return None
    costs = [
        (symbol, counting.tokens(found.text.cut(symbol.region)))
        for symbol in found.summary.symbols
        if symbol.parent < 0
    ]
    return found.text, costs


def begin_buffer_symbols(
    toolchain: Toolchain, language_id: str, text: Text
) -> Future[ParseAnswer | Refusal] | None:
    """Start parsing a text that is not a file; `language` is the editor's name for it."""
    language = toolchain.registry.get(_LANGUAGE_IDS.get(language_id, language_id))
    if language is None:
        return None
    request = ParseRequest(ParseTask.SUMMARIZE, language.name, text.data)
    return toolchain.workers.begin(request)
