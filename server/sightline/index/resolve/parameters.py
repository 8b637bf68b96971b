"""Read the parameters of functions as written, and compare them.

Languages write a parameter as `Type name`, `name: Type` or `name Type`, or as a type without a
name. Any other form is a parameter of unknown type.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import attrs

from sightline.index.resolve.expressions import bare_type
from sightline.symbols.argument_shapes import CONSTANT, split_list

_ANNOTATION = re.compile(r"@[\w.]+(?:\([^()]*\))?\s*|^\s*(?:\[[^\]]*\]\s*)+(?=[A-Za-z])")
_DEFAULT = re.compile(r"(?<![=!<>])=(?![=>])")
_MODIFIERS = re.compile(
    r"\b(?:final|params|ref|out|in|this|scoped|vararg|noinline|crossinline|inout|val|var|private|"
    r"protected|public|internal|override|implicit|using|lateinit|readonly|borrowing|"
    r"consuming|__owned|isolated|sending|struct|enum|class|typename|volatile)\s+"
)
_VARIADIC = re.compile(r"\.\.\.|\b(?:params|vararg)\s")
_LAST_NAME = re.compile(
    r"(?P<type>.+?)(?:\s+|(?<=[*&>\]?]))(?P<name>[A-Za-z_]\w*)\s*(?:\[\s*\])*", re.DOTALL
)
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>")
_REFERS = re.compile(r"[^*&]*[*&]")
_CONST = re.compile(r"\bconst\b\s*")
_BUILT_IN = re.compile(r"(?:(?:unsigned|signed|long|short|int|char|double)\b\s*)+(?<=\w)")
_QUALIFIER = re.compile(r"\w+(?:::|\.)")
_COLON = re.compile(r"(?<!:):(?!:)")
TYPE_VARIABLE = re.compile(r"[A-Z][A-Z0-9]?|[A-Z][A-Z0-9_]*T|T[A-Z]\w*")


@attrs.frozen
class Parameter:
    label: str
    """What a caller writes before the argument, if anything; "_" for nothing."""
    name: str
    type: str
    """As written, without modifiers and spaces."""
    bare: str
    """The single name in its type; "" if there is not exactly one."""
    key: str
    """Its type without type arguments and qualifiers."""
    is_optional: bool
    is_variadic: bool
    is_constant: bool | None = None
    """True if the function does not change what it refers to; None if it refers to nothing."""

    @property
    def is_open(self) -> bool:
        """True if its type may be any type: it is not known, or is a type variable."""
        return not self.type or bool(TYPE_VARIABLE.fullmatch(self.bare or self.type))


@attrs.frozen
class Signature:
    parameters: tuple[Parameter, ...]
    is_constant: bool = False
    """True if the member does not change its object."""

    @property
    def least(self) -> int:
        return sum(not (each.is_optional or each.is_variadic) for each in self.parameters)

    @property
    def most(self) -> int | None:
        """The largest number of arguments; None for any number."""
        if any(each.is_variadic for each in self.parameters):
            return None
        return len(self.parameters)

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(each.type for each in self.parameters)


@lru_cache(maxsize=20_000)
def read_signature(written: str, *, names_first: bool = False) -> Signature:
    """Read the signature of a function from the parameters in the facts."""
    listed = written.removesuffix(CONSTANT)
    pieces = split_list(listed)
    if pieces == ["void"]:
        pieces = []
    if names_first:
        return Signature(tuple(_names_before_types(pieces)))
    return Signature(tuple(map(_parameter, pieces)), is_constant=listed != written)


def alike(one: Signature, other: Signature) -> bool:
    """True if functions with these signatures may be the same, or one may override the other."""
    if len(one.parameters) != len(other.parameters) or one.is_constant != other.is_constant:
        return False
    return all(
        first.key == second.key or first.is_open or second.is_open
        for first, second in zip(one.parameters, other.parameters, strict=True)
    )


def _parameter(piece: str) -> Parameter:
    piece = _ANNOTATION.sub("", piece).strip()
    default = _DEFAULT.search(piece)
    if default:
        piece = piece[: default.start()].rstrip()
    is_variadic = bool(_VARIADIC.search(piece))
    refers = _REFERS.match(piece)
    is_constant = bool(_CONST.search(refers[0])) if refers else None
    piece = _built_in(_MODIFIERS.sub("", _CONST.sub("", piece)).replace("...", " ").strip())
    colon = _COLON.search(piece)
    label = name = ""
    if colon:
        names = piece[: colon.start()].split()
        label, name = (names[0], names[-1]) if names else ("", "")
        piece = piece[colon.end() :].strip()
        if piece.endswith("*"):
            is_variadic, piece = True, piece[:-1]
    else:
        found = _LAST_NAME.fullmatch(piece)
        if found and found["type"].strip():
            suffix = piece[found.end("name") :].strip()
            name, piece = found["name"], found["type"].strip() + suffix
        label = name
    found_parameter = _made(label, name, piece, is_optional=bool(default), is_variadic=is_variadic)
    if not is_constant:
        return attrs.evolve(found_parameter, is_constant=is_constant)
    return attrs.evolve(found_parameter, is_constant=True, key=f"const {found_parameter.key}")


def _built_in(piece: str) -> str:
    """Return a parameter with the words of a built-in type joined: `unsignedlong x`."""
    words = _BUILT_IN.match(piece)
    return built_in(words[0]) + piece[words.end() :] if words else piece


def without_const(written: str) -> str:
    return _CONST.sub("", written)


def built_in(written: str) -> str:
    """Return one name for a type of the C family that has several words (`unsignedlong`); other
    types unchanged.
    """
    words = written.split()
    if (len(words) < 2 and "unsigned" not in words) or not _BUILT_IN.fullmatch(written.strip()):
        return written
    kept = [word for word in words if word not in ("signed", "int")]
    return "".join(sorted(kept, key=lambda word: word != "unsigned")) or "int"


def _names_before_types(pieces: Sequence[str]) -> list[Parameter]:
    """Apply `a, b int, c ...string`: a name without a type has the type of the next one."""
    parted = [piece.strip().partition(" ") for piece in pieces]
    has_names = any(
        rest and not first.startswith(("chan", "func", "<-", "*", "[")) for first, _, rest in parted
    )
    found: list[Parameter] = []
    type_ = ""
    for first, _, rest in reversed(parted):
        if has_names:
            type_ = rest or type_
            name = first
        else:
            name, type_ = "", f"{first} {rest}".strip()
        is_variadic = type_.startswith("...")
        found.append(
            _made(name, name, type_.removeprefix("..."), is_optional=False, is_variadic=is_variadic)
        )
    return found[::-1]


def _made(
    label: str, name: str, written: str, *, is_optional: bool, is_variadic: bool
) -> Parameter:
    type_ = "".join(written.split()).rstrip("&")
    key, before = type_, ""
    while key != before:
        before, key = key, _TYPE_ARGUMENTS.sub("", key)
    return Parameter(
        label,
        name,
        type_,
        bare_type(written, ()),
        _QUALIFIER.sub("", key).rstrip("?"),
        is_optional,
        is_variadic,
    )
