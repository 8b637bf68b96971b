"""Blocks to render: plain ones for examples, hostile ones for properties."""

from __future__ import annotations

import hashlib

import msgspec
from hypothesis import strategies as st

from sightline.bundle import (
    BlockMeta,
    BlockRegion,
    BlockRelation,
    BlockType,
    ContextBlock,
    Encoding,
    EvidenceLine,
    Priority,
    Purpose,
    Reason,
    Source,
    identified,
)
from sightline.render import Asked, AskedTarget

_FRAGMENTS = (
    "`", "```", "``````", "~~~", "~~~~~~~", "\n", "\r", "\r\n", "\n\n", "\t", "    ", "> ", "- ",
    "# ", "## `a.py`\n", "---\n", "===\n", "<script>", "</block>", "</context>\n", "<!--", "-->",
    "<![CDATA[", "]]>", "]]", ">", "&#13;", "&amp;", "\\", "\\u{", "\\u{000c}", "\x00", "\x0b",
    "\x0c", "\x1b[2J", "\x7f", "\x85", "\u2028", "\u2029", "\u200b", "\u202e", "\ufeff", "\ufffd",
    "\ufffe", "\uffff", '"', "'", "é", "語", "🙂", "def f():", "[a](b)", "![a](b)", "[a]: b\n",
    "a | b\n--|--\n", "*", "_", " ", "  \n",
)  # fmt: skip
"""Whatever means something to one of the forms, or to a reader of lines."""

HOSTILE = st.one_of(
    st.lists(st.sampled_from(_FRAGMENTS), max_size=12).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
)
"""Text that UTF-8 can hold."""

_SURROGATES = st.lists(st.sampled_from((*_FRAGMENTS, "\ud800", "\udfff")), max_size=12).map("".join)

_REGIONS = st.lists(
    st.builds(
        lambda symbol, first, more: BlockRegion(symbol, first, first + more, "0" * 64),
        HOSTILE,
        st.integers(1, 10_000),
        st.integers(0, 100),
    ),
    max_size=3,
).map(tuple)


def blocks(content: st.SearchStrategy[str] = HOSTILE) -> st.SearchStrategy[ContextBlock]:
    """Any block at all, whether or not a build would make it."""
    inline = _SURROGATES | HOSTILE
    meta = st.builds(
        BlockMeta,
        path=st.none() | inline,
        symbol=st.none() | inline,
        hash=st.none(),
        encoding=st.just(Encoding.UTF_8),
        byte_size=st.integers(0, 10**9),
        line_count=st.integers(0, 10**6),
        source=st.sampled_from(Source),
        level=st.sampled_from((None, "FULL_FILE", "TARGET_REGION_ONLY", "SIGNATURES_ONLY"))
        | HOSTILE,
        language=st.none() | HOSTILE,
        regions=_REGIONS,
        reason=st.none() | st.sampled_from(Reason),
    )
    return st.builds(
        ContextBlock,
        block_id=st.just("6f0c3b52-7d0e-5c3a-9a53-5b8f0e6f4a11"),
        block_type=st.sampled_from(BlockType),
        priority=st.sampled_from(Priority),
        title=inline,
        content=content,
        meta=meta,
    )


def any_content() -> st.SearchStrategy[str]:
    """With what no encoding can hold as well."""
    return HOSTILE | _SURROGATES


def system() -> ContextBlock:
    return _plain(BlockType.SYSTEM, "System rules", "Answer with one diff.\n")


def constraints(content: str = "- User: MUST_NOT add dependencies\n") -> ContextBlock:
    return _plain(BlockType.CONSTRAINTS, "Constraints", content)


def project_meta() -> ContextBlock:
    return _plain(BlockType.PROJECT_META, "Project", "name: shop\nlanguages: python\n")


def error_context(line: int = 4) -> ContextBlock:
    return _plain(
        BlockType.ERROR_CONTEXT,
        f"Error in src/cart.py, line {line}",
        f"{line}: return totl\n",
        path="src/cart.py",
    )


def diff_hint(content: str = "Round the total.\n") -> ContextBlock:
    return _plain(BlockType.DIFF_HINT, "Step", content)


def related(path: str, reason: Reason, kind: str, hops: int) -> ContextBlock:
    """A whole file that relates to the target."""
    block = file(path, "x\n", reason=reason)
    relation = BlockRelation(kind, "resolved", hops, None, EvidenceLine(path, 1, "x"))
    return msgspec.structs.replace(
        block, meta=msgspec.structs.replace(block.meta, relation=relation)
    )


def asked() -> st.SearchStrategy[Asked]:
    """Whatever may be asked for; a warning is in our own words."""
    inline = _SURROGATES | HOSTILE
    targets = st.builds(
        AskedTarget,
        path=inline,
        first_line=st.integers(1, 99),
        last_line=st.integers(1, 99),
        symbol=st.none() | inline,
        kind=st.sampled_from(("function", "class")),
    )
    return st.builds(
        Asked, st.sampled_from(Purpose), st.lists(targets, max_size=3).map(tuple), st.none()
    )


def file(
    path: str,
    content: str,
    priority: Priority = Priority.P1,
    *,
    reason: Reason = Reason.DEPENDENCY,
    level: str = "FULL_FILE",
    symbol: str | None = None,
    regions: tuple[BlockRegion, ...] = (),
    evidence_line: int = 1,
    document_version: int | None = None,
) -> ContextBlock:
    """A block about a file, or about a symbol of it where one is named."""
    data = content.encode()
    relation = BlockRelation(
        "dependency", "resolved", 1, None, EvidenceLine("src/cart.py", evidence_line, "price")
    )
    return identified(
        BlockType.FILE if symbol is None else BlockType.SYMBOL,
        priority,
        path,
        content,
        BlockMeta(
            path=path,
            symbol=symbol,
            hash=hashlib.sha256(data).hexdigest(),
            encoding=Encoding.UTF_8,
            byte_size=len(data),
            line_count=data.count(b"\n"),
            source=Source.FILESYSTEM,
            level=level,
            language="python",
            regions=regions,
            document_version=document_version,
            reason=reason,
            score=100 - evidence_line,
            relation=relation,
        ),
    )


def region(symbol: str, first: int, last: int) -> BlockRegion:
    return BlockRegion(symbol, first, last, hashlib.sha256(symbol.encode()).hexdigest())


def _plain(
    block_type: BlockType, title: str, content: str, path: str | None = None
) -> ContextBlock:
    meta = BlockMeta(
        path, None, None, Encoding.UTF_8, len(content), content.count("\n"), Source.SYSTEM
    )
    return identified(block_type, Priority.P0, title, content, meta)
