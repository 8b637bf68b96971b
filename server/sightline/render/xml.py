"""Blocks as XML 1.0: one element each, with the content as its text.

Invariants: the whole is well-formed, and a parser returns each content exactly, by two rules that
an attribute announces:

* `line_ends="crlf"`: every line of the content ends in CR LF, which the parser turns into LF.
  Content with mixed line ends has no such attribute: its carriage returns are character references,
  which parsers do not change.
* `escaped="true"`: `\\u{…}` is the character of that number, because XML cannot contain it. A
  backslash of the content that would begin such an escape is itself escaped.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from sightline.bundle import BlockMeta, ContextBlock
from sightline.render.frame import (
    Asked,
    escape,
    is_about_file,
    language_name,
    line_range,
    visible,
)

CLOSING = "</context>\n"

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_FORBIDDEN_OR_ESCAPE = re.compile(_FORBIDDEN.pattern + r"|\\(?=u\{)")
_CARRIAGE_RETURNS = re.compile("\r+")
_OTHER_LINE_END = re.compile("\r(?!\n)|(?<!\r)\n")


def opening(asked: Asked) -> str:
    return f"{steady_opening(asked)}{asked_last(asked)}"


def steady_opening(asked: Asked) -> str:
    """Return the beginning of the text that does not change with an edit in a target."""
    warning = "" if asked.warning is None else f"<warning>{html.escape(asked.warning)}</warning>\n"
    return f'<context purpose="{asked.purpose.value}">\n{warning}'


def asked_last(asked: Asked) -> str:
    """Return the targets, an element each, for the end of a rendering."""
    return "".join(
        _element(
            "target",
            {
                "path": each.path,
                "lines": line_range(each.first_line, each.last_line),
                "symbol": each.symbol,
                "kind": each.kind,
            },
        )
        + "/>\n"
        for each in asked.targets
    )


def block_piece(block: ContextBlock) -> str:
    content = block.content
    is_escaped = _FORBIDDEN.search(content) is not None
    if is_escaped:
        content = _FORBIDDEN_OR_ESCAPE.sub(escape, content)
    is_crlf = "\r\n" in content and _OTHER_LINE_END.search(content) is None
    attributes = {
        **_attributes(block),
        "line_ends": "crlf" if is_crlf else None,
        "escaped": "true" if is_escaped else None,
    }
    return f"{_element('block', attributes)}>{_character_data(content, is_crlf)}</block>\n"


def _element(name: str, attributes: Mapping[str, str | None]) -> str:
    """Return the beginning of a tag, without its closing bracket."""
    shown = "".join(
        f" {key}={_quoted(value)}" for key, value in attributes.items() if value is not None
    )
    return f"<{name}{shown}"


def _attributes(block: ContextBlock) -> dict[str, str | None]:
    meta = block.meta
    return {
        "type": block.block_type.value,
        "priority": block.priority.value,
        "title": None if is_about_file(block) else block.title,
        "path": meta.path,
        "symbol": meta.symbol,
        "level": meta.level,
        "regions": _regions(meta),
        "language": language_name(meta) or None,
        "reason": None if meta.reason is None else meta.reason.value,
    }


def _quoted(value: str) -> str:
    shown = html.escape(visible(value), quote=False).replace('"', "&quot;")
    return f'"{shown}"'


def _regions(meta: BlockMeta) -> str | None:
    shown = "; ".join(
        f"{region.symbol} {line_range(region.start_line, region.end_line)}".lstrip()
        for region in meta.regions
    )
    return shown or None


def _character_data(content: str, is_crlf: bool) -> str:
    # First split every end of a CDATA section between two sections.
    data = content.replace("]]>", "]]]]><![CDATA[>")
    if not is_crlf:
        data = _CARRIAGE_RETURNS.sub(lambda found: f"]]>{'&#13;' * len(found[0])}<![CDATA[", data)
    return f"<![CDATA[{data}]]>"
