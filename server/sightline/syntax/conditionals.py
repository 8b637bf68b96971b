"""Conditional compilation that cuts statements or blocks in two.

A grammar reads `#if` where it stands between whole statements or declarations. Where a condition
holds one half of a block, as in `#ifdef A`, `if (a) {`, `#else`, `if (b) {`, `#endif`, it reports
an error, and everything up to the end of the file may be lost. A compiler reads one alternative:
`one_configuration` blanks the other ones and the directives.

Of most conditions the first alternative is kept. Of one that closes a block in each alternative it
is the last: the block then ends behind all of them.

Invariant: no byte moves. Only bytes of directives and of alternatives that are left out become
blanks; line breaks stay.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

import attrs

from sightline.text import Span

_TOKEN = re.compile(
    rb"""
      (?P<skipped> /\*[\s\S]*?(?:\*/|\Z) | //(?:[^\n\\]|\\[\s\S])*
        | R"(?P<raw>[^()\\\s"]{0,16})\([\s\S]*?(?:\)(?P=raw)"|\Z) )
    | "(?:[^"\\\n]|\\[\s\S])*"? | [0-9](?:[\w.]|'(?=\w))* | '(?:[^'\\\n]|\\[\s\S])*'?
    | (?m:^)[ \t]*\#[ \t]*(?P<directive>\w*)
        (?P<condition>(?:[^\n\\/]|\\[\s\S]|/(?![*])|/\*[\s\S]*?(?:\*/|\Z))*)
    | [(){}\[\];:] | [^\s(){}\[\];:"'/#]+ | [/#]
    """,
    re.VERBOSE,
)
_CONDITION = re.compile(rb"(?m)^[ \t]*#[ \t]*if")
_OPENING = (b"(", b"[", b"{")
_CLOSING = (b")", b"]", b"}")
_STATEMENT_ENDS = (b"", b";", b"{", b"}", b":")
_NEVER = re.compile(rb"\s*(?:0|false)\s*(?:/[/*].*)?\Z", re.DOTALL)
_VISIBLE = re.compile(rb"[^\r\n]")


@attrs.define
class _Alternative:
    """One alternative of a condition, and what its tokens come to."""

    start: int
    end: int = 0
    depth: int = 0
    """How many brackets it opens and leaves open."""
    lowest: int = 0
    """At most so many brackets are closed in it that were opened in front of it, as a negative."""
    last: bytes = b""
    """The last token; nothing where there is none."""

    def take(self, token: bytes) -> None:
        self.depth += (token in _OPENING) - (token in _CLOSING)
        self.lowest = min(self.lowest, self.depth)
        self.last = token

    def take_all(self, other: _Alternative) -> None:
        self.lowest = min(self.lowest, self.depth + other.lowest)
        self.depth += other.depth
        self.last = other.last or self.last


@attrs.define
class _Conditional:
    start: int
    before: bytes
    """The last token in front of it."""
    is_never: bool
    """True if the first alternative is never compiled: `#if 0`."""
    branches: list[_Alternative]
    directives: list[Span]

    def kept(self) -> _Alternative:
        depths = {each.depth for each in self.branches}
        if self.is_never and len(self.branches) > 1:
            return self.branches[1]
        return self.branches[-1 if len(depths) == 1 and self.branches[0].depth < 0 else 0]

    def is_split(self) -> bool:
        """Return True if an alternative is not balanced."""
        return any(each.depth or each.lowest for each in self.branches)

    def is_inside(self) -> bool:
        """Return True if it stands in a statement, or an alternative does not end one."""
        return self.before not in _STATEMENT_ENDS or any(
            each.last not in _STATEMENT_ENDS for each in self.branches
        )


def one_configuration(source: bytes, errors: Sequence[Span]) -> bytes:
    """Return the source with one alternative of each condition that splits code; others stay.

    A condition that merely stands inside a statement counts where an error touches it. `errors` are
    in order and do not overlap.
    """
    if _CONDITION.search(source) is None:
        return source
    left_out: list[tuple[int, int]] = []
    for condition in _conditions(source):
        if condition.is_split() or (condition.is_inside() and _touches(errors, condition)):
            kept = condition.kept()
            left_out += [(each.start, each.end) for each in condition.directives]
            left_out += [(each.start, each.end) for each in condition.branches if each is not kept]
    pieces: list[bytes] = []
    position = 0
    for start, end in sorted(left_out):
        # What is left out may lie in what is left out already.
        start = max(start, position)
        if start < end:
            pieces += [source[position:start], _VISIBLE.sub(b" ", source[start:end])]
            position = end
    return b"".join([*pieces, source[position:]])


def _touches(errors: Sequence[Span], condition: _Conditional) -> bool:
    index = bisect_left(errors, condition.start, key=lambda each: each.end)
    return index < len(errors) and errors[index].start <= condition.directives[-1].end


def _conditions(source: bytes) -> Iterator[_Conditional]:
    """Yield each condition that is closed, an inner one before the one around it."""
    open_: list[_Conditional] = []
    branches = [_Alternative(0)]
    for found in _TOKEN.finditer(source):
        directive = found["directive"]
        if directive is None:
            if found["skipped"] is None:
                branches[-1].take(found[0])
        elif directive in (b"if", b"ifdef", b"ifndef"):
            is_never = directive == b"if" and _NEVER.match(found["condition"]) is not None
            branch = _Alternative(found.end())
            open_.append(
                _Conditional(
                    found.start(), branches[-1].last, is_never, [branch], [Span(*found.span())]
                )
            )
            branches.append(branch)
        elif open_ and directive in (b"elif", b"elifdef", b"elifndef", b"else", b"endif"):
            branches.pop().end = found.start()
            open_[-1].directives.append(Span(*found.span()))
            if directive != b"endif":
                branches.append(_Alternative(found.end()))
                open_[-1].branches.append(branches[-1])
                continue
            closed = open_.pop()
            yield closed
            branches[-1].take_all(closed.kept())
