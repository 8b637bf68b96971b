"""What one file declares and uses: `summarize` turns a parsed text into plain values.

Invariants:

* `summarize` is pure: the same text and language give the same summary. The result holds no path,
  no other file and no tree.
* Every span a later room needs is in the summary: region, declaration, header, body, value, doc and
  name of each symbol, and the headers around it.
* Symbols are in source order, an enclosing one before those inside it.
* The span of a symbol is never repaired. If it contains an error, `reliable` is false.
"""

from sightline.symbols.extracting import extract
from sightline.symbols.facts import Definition, Facts, FactsView
from sightline.symbols.model import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    FileSummary,
    Hidden,
    Import,
    Symbol,
    find_symbol,
)
from sightline.symbols.nesting import summarize

__all__ = [
    "CALLABLE_KINDS",
    "TYPE_KINDS",
    "Definition",
    "Facts",
    "FactsView",
    "FileSummary",
    "Hidden",
    "Import",
    "Symbol",
    "extract",
    "find_symbol",
    "summarize",
]
