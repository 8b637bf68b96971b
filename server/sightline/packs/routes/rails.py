"""Find the routes of a Rails program in `config/routes.rb` and the files that it draws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import attrs

from sightline.packs.routes.model import Offer, joined, without_comments

_WORD = re.compile(r"""^\s*(\w+)\b\s*\(?\s*(.*)$""")
_NAME = re.compile(r"""^:(\w+[?!]?)|^["']([^"']*)["']""")
_ONLY = re.compile(r"\b(only|except):\s*(?:\[([^\]]*)\]|%[iw]\[([^\]]*)\]|:(\w+))")
_PATH = re.compile(r"""\bpath:\s*["']([^"']*)["']""")
_ON = re.compile(r"\bon:\s*:(\w+)")
_OPENS = re.compile(r"\bdo\b\s*(?:\|[^|]*\|)?\s*$")
_ACTIONS = {
    "index": ("GET", ""),
    "create": ("POST", ""),
    "new": ("GET", "/new"),
    "edit": ("GET", "/:id/edit"),
    "show": ("GET", "/:id"),
    "update": ("PATCH", "/:id"),
    "destroy": ("DELETE", "/:id"),
}
_VERBS = ("get", "post", "put", "patch", "delete")


@attrs.frozen
class _Block:
    prefix: str
    """The prefix of collection routes."""
    member: str
    """The prefix of member routes."""


def rails_offers(texts: Mapping[str, str]) -> list[Offer]:
    return [
        offer
        for path, text in texts.items()
        if re.search(r"(?:^|/)config/routes(?:\.rb|/.*\.rb)$", path)
        for offer in _read(path, without_comments(text, hashes=True))
    ]


def _read(path: str, text: str) -> Iterator[Offer]:
    blocks = [_Block("", "")]
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(r"\s*end\b", line):
            blocks = blocks[:-1] or [_Block("", "")]
            continue
        found = _WORD.match(line)
        outer = blocks[-1]
        inner = outer
        if found is not None:
            routes, inner = _statement(found[1], found[2], outer)
            for shown in routes:
                yield Offer(path, number, "route", shown, "rails")
        if _OPENS.search(line) or re.match(r"\s*(?:if|unless|case|begin)\b", line):
            blocks.append(inner)


def _statement(word: str, rest: str, outer: _Block) -> tuple[list[str], _Block]:
    """Return the routes of one statement, and the scope of a block after it."""
    named = _NAME.match(rest)
    name = (named[1] or named[2] or "") if named else ""
    if word in _VERBS and name:
        base = outer.prefix
        if (on := _ON.search(rest)) and on[1] == "member":
            base = outer.member
        return [f"{word.upper()} {joined(base, name)}"], outer
    if word == "root":
        return [f"GET {joined(outer.prefix) if outer.prefix else '/'}"], outer
    if word == "match" and name:
        verbs = re.findall(r"\b(?:get|post|put|patch|delete)\b", rest.partition("via:")[2])
        return [f"{verb.upper()} {joined(outer.prefix, name)}" for verb in verbs], outer
    if word in {"namespace", "scope"}:
        path = _PATH.search(rest)
        part = path[1] if path else (name if word == "namespace" or name else "")
        whole = joined(outer.prefix, part) if part else outer.prefix
        return [], _Block(whole, whole)
    if word == "member":
        return [], _Block(outer.member, outer.member)
    if word in {"collection", "new"}:
        return [], outer
    if word in {"resources", "resource"} and name:
        return _resources(word, rest, outer)
    return [], outer


def _resources(word: str, rest: str, outer: _Block) -> tuple[list[str], _Block]:
    names = re.findall(r":(\w+)", re.split(r"\b\w+:\s", rest, maxsplit=1)[0])
    listed = _ONLY.search(rest)
    chosen = list(_ACTIONS)
    if word == "resource":
        chosen.remove("index")
    if listed is not None:
        given = set(re.findall(r"\w+", listed[2] or listed[3] or listed[4] or ""))
        chosen = [each for each in chosen if (each in given) == (listed[1] == "only")]
    path = _PATH.search(rest)
    routes: list[str] = []
    inner = outer
    for name in names:
        base = joined(outer.prefix, path[1] if path else name)
        for action in chosen:
            verb, tail = _ACTIONS[action]
            if word == "resource":
                tail = tail.replace("/:id", "")
            routes.append(f"{verb} {base}{tail}")
        singular = (
            name.removesuffix("ies") + "y" if name.endswith("ies") else name.removesuffix("s")
        )
        single = base if word == "resource" else f"{base}/:id"
        inner = _Block(base if word == "resource" else f"{base}/:{singular}_id", single)
    return routes, inner
