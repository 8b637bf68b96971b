"""Estimators: the named, versioned ways to count tokens.

* `chars4-1`                        characters // 4, over the whole text.
* `lexical-1:o200k|cl100k|claude`   the lexical model, fitted to that tokenizer.
* `lexical-1:max`                   the highest of the three: safe if the tokenizer is not known.
* `exact-<version>:o200k|cl100k`    the tokenizer itself, offline; needs `sightline-lsp[exact]`.

A name without its version (`chars4`, `lexical:max`, `exact:o200k`) means the current version; an
estimator's own name always contains it. Special tokens in a text are counted as plain text.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from collections.abc import Callable

import attrs

from sightline.budget import lexical
from sightline.refusals import Refusal, RefusalKind

_SAFE = "max"
_CONTINUATION = bytes(range(0x80, 0xC0))
_EXACT_PACKAGE = "splintr-rs"
_EXACT_VOCABULARIES = {"cl100k": "cl100k_base", "o200k": "o200k_base"}


@attrs.frozen
class Counts:
    """What an estimator counted in a piece. Only counts of the same estimator can be added."""

    estimator: str
    numbers: tuple[int, ...]

    def __add__(self, other: Counts) -> Counts:
        if self.estimator != other.estimator:
            raise ValueError(f"counts of {self.estimator} and of {other.estimator} do not add up")
        return Counts(
            self.estimator,
            tuple(one + two for one, two in zip(self.numbers, other.numbers, strict=True)),
        )


@attrs.frozen
class Estimator:
    """One way to count. `tokens(text)` is `total(count(text))`, for every text."""

    name: str
    is_additive: bool
    """True if the counts of pieces that end in `\\n` add up exactly to the count of the joined
    text.

    A tokenizer may join a line break with white space that follows it, so for exact estimators the
    sum is only close. The final text must then be counted as a whole.
    """
    _count: Callable[[bytes], tuple[int, ...]] = attrs.field(eq=False, repr=False)
    _total: Callable[[tuple[int, ...]], int] = attrs.field(eq=False, repr=False)
    nothing: Counts = attrs.field(init=False, repr=False)
    """The counts of the empty text, to start a sum with."""

    @nothing.default
    def _nothing(self) -> Counts:
        return self.count(b"")

    def tokens(self, text: str | bytes) -> int:
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        return self._total(self._count(data))

    def count(self, text: bytes) -> Counts:
        return Counts(self.name, self._count(text))

    def total(self, counts: Counts) -> int:
        if counts.estimator != self.name:
            raise ValueError(f"counts of {counts.estimator} have no total under {self.name}")
        return self._total(counts.numbers)


def estimator(name: str) -> Estimator | Refusal:
    """Return the estimator of that name, or a refusal that lists the names."""
    kind, _, profile = name.partition(":")
    if kind.partition("-")[0] == "exact" and profile in _EXACT_VOCABULARIES:
        return _exact(name, kind.partition("-")[2], profile)
    found = _built_in().get(name)
    if found is None:
        return _refusal(name, "is no estimator", f"Use one of: {', '.join(estimator_names())}.")
    return found


def estimator_names() -> tuple[str, ...]:
    """Return every estimator name that works on this machine, with its version,
    in a fixed order.
    """
    names = sorted({each.name for each in _built_in().values()})
    version = _exact_version()
    if version is not None:
        names += [f"exact-{version}:{profile}" for profile in sorted(_EXACT_VOCABULARIES)]
    return tuple(names)


@functools.cache
def _built_in() -> dict[str, Estimator]:
    """Return the built-in estimators by name, with and without version."""
    totals: dict[str, Callable[[tuple[int, ...]], int]] = {
        profile: functools.partial(lexical.total, profile) for profile in lexical.PROFILES
    }
    totals[_SAFE] = lexical.highest_total
    found = {
        f"lexical:{profile}": Estimator(
            f"lexical-{lexical.VERSION}:{profile}", True, lexical.count, total
        )
        for profile, total in totals.items()
    }
    found["chars4"] = Estimator("chars4-1", True, _characters, _quarter)
    return found | {each.name: each for each in found.values()}


def _characters(data: bytes) -> tuple[int, ...]:
    """Count the bytes that are not continuation bytes: the characters, if the
    text is valid UTF-8.
    """
    return (len(data.translate(None, _CONTINUATION)),)


def _quarter(numbers: tuple[int, ...]) -> int:
    return numbers[0] // 4


def _exact(name: str, version: str, profile: str) -> Estimator | Refusal:
    installed = _exact_version()
    if installed is None:
        return _refusal(name, "needs an extra", "Install sightline-lsp[exact], or use another one.")
    if version not in ("", installed):
        advice = f"Use exact-{installed}:{profile}, which is installed."
        return _refusal(name, "is of another version", advice)
    return _load_exact(installed, profile)


@functools.cache
def _load_exact(version: str, profile: str) -> Estimator:
    """Import the extra only here, and only when it is needed."""
    package = importlib.import_module("splintr")
    encode = package.Tokenizer.from_pretrained(_EXACT_VOCABULARIES[profile]).encode_ordinary

    def count(data: bytes) -> tuple[int, ...]:
        return (len(encode(data.decode("utf-8", "replace"))),)

    return Estimator(f"exact-{version}:{profile}", False, count, _only)


def _only(numbers: tuple[int, ...]) -> int:
    return numbers[0]


@functools.cache
def _exact_version() -> str | None:
    try:
        return importlib.metadata.version(_EXACT_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None


def _refusal(name: str, problem: str, advice: str) -> Refusal:
    return Refusal(
        kind=RefusalKind.INVALID_REQUEST,
        reason="bad_estimator",
        path=None,
        message=f"{name[:80]!r} {problem}",
        advice=advice,
        rule="estimator",
    )
