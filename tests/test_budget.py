"""The budget: limits, decisions, profiles, and what each estimator promises."""

from __future__ import annotations

import importlib.metadata
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.budget import (
    GENERIC,
    MODELS,
    Counts,
    Decision,
    Estimator,
    ModelProfile,
    TokenLimits,
    decide,
    estimator,
    estimator_names,
    estimators,
    lexical,
    profile_for,
    token_limits,
)
from sightline.refusals import Refusal, RefusalKind

_ROOT = Path(__file__).parent.parent
_BUILT_IN = (
    "chars4-1",
    "lexical-1:cl100k",
    "lexical-1:claude",
    "lexical-1:max",
    "lexical-1:o200k",
)
_PROFILE = ModelProfile("maker", "model", 1000, 100, 100, 80, "chars4-1")

_SOURCE = """\
import math


class ShapeFactory:
    SIDES_MAX = 12

    def areaOf(self, shape: Shape) -> float:
        \treturn math.pi * shape.radius ** 2  # é, 日本
"""

# Pieces of code, of blobs and of scripts, so that every class of bytes meets every other.
_TEXTS = st.lists(
    st.one_of(
        st.sampled_from(
            ["\n", "\r\n", "\r", "\n\n", "  ", "\t", " ", "_", "...", "();", "--------"]
        ),
        st.sampled_from(["aA", "AAa", "AaA", "strngths", "x" * 16, "007", "123456", "f(x)", "é"]),
        st.sampled_from(["日本語", "привет", "👩‍👧", "\x00", "\u2028", "\ufffd"]),
        st.text(max_size=4),
    ),
    max_size=30,
).map("".join)
_BYTES = st.one_of(_TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")), st.binary())


def named(name: str) -> Estimator:
    found = estimator(name)
    assert isinstance(found, Estimator)
    return found


def test_limits_are_the_formulas_of_the_contract() -> None:
    assert token_limits(GENERIC) == TokenLimits(
        max_input=100_000, hard=96_000, soft=76_800, reserve=4_000
    )
    odd = attrs.evolve(_PROFILE, response_token_reserve=1, soft_limit_threshold_pct=33)
    assert token_limits(odd) == TokenLimits(max_input=1000, hard=999, soft=329, reserve=1)


@pytest.mark.parametrize(
    ("tokens", "decision"),
    [
        (0, Decision.OK),
        (720, Decision.OK),
        (721, Decision.WARN_SOFT_LIMIT),
        (900, Decision.WARN_SOFT_LIMIT),
        (901, Decision.REFUSE_HARD_LIMIT),
    ],
)
def test_a_text_that_costs_exactly_a_limit_is_within_it(tokens: int, decision: Decision) -> None:
    assert decide(tokens, token_limits(_PROFILE)) is decision


def test_decisions_are_spelled_as_in_the_contract() -> None:
    assert list(Decision) == ["ok", "warn_soft_limit", "refuse_hard_limit"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_input_tokens", 0),
        ("max_input_tokens", 100_000_001),
        ("max_input_tokens", 8000.0),
        ("max_input_tokens", True),
        ("max_output_tokens", 0),
        ("response_token_reserve", -1),
        ("response_token_reserve", 1000),
        ("soft_limit_threshold_pct", 0),
        ("soft_limit_threshold_pct", 101),
        ("provider", ""),
        ("model", ""),
        ("estimator", None),
    ],
)
def test_a_profile_that_breaks_an_invariant_cannot_be_made(field: str, value: object) -> None:
    """The error names the field, so that settings can name the place."""
    fields: dict[str, Any] = attrs.asdict(_PROFILE) | {field: value}
    with pytest.raises(ValueError, match=field):
        ModelProfile(**fields)


def test_the_smallest_profile_still_has_a_positive_hard_limit() -> None:
    smallest = ModelProfile("maker", "model", 1, 1, 0, 1, "chars4-1")
    assert token_limits(smallest) == TokenLimits(max_input=1, hard=1, soft=0, reserve=0)


def test_built_in_profiles_are_distinct_and_their_estimators_exist() -> None:
    names = [profile.model for profile in MODELS]
    assert len(names) == len(set(names))
    assert all(name == name.lower() for name in names)
    assert {named(profile.estimator).name for profile in MODELS} < set(_BUILT_IN)


@pytest.mark.parametrize(
    ("asked", "provider", "estimator_name", "most_input"),
    [
        ("gpt-4o", "openai", "lexical-1:o200k", 128_000),
        ("gpt-4o-mini-2024-07-18", "openai", "lexical-1:o200k", 128_000),
        ("GPT-4.1-nano", "openai", "lexical-1:o200k", 1_047_576),
        ("gpt-5.2-codex", "openai", "lexical-1:o200k", 272_000),
        ("gpt-5-chat-latest", "openai", "lexical-1:o200k", 128_000),
        ("o3-mini", "openai", "lexical-1:o200k", 200_000),
        ("gpt-4-0613", "openai", "lexical-1:cl100k", 8_192),
        ("gpt-4-32k-0613", "openai", "lexical-1:cl100k", 32_768),
        ("gpt-3.5-turbo", "openai", "lexical-1:cl100k", 16_385),
        ("claude-sonnet-4-5-20260101", "anthropic", "lexical-1:claude", 200_000),
        ("anthropic/claude-opus-4.1", "anthropic", "lexical-1:claude", 200_000),
        ("us.anthropic.claude-haiku-4-5-v1:0", "anthropic", "lexical-1:claude", 200_000),
        ("models/gemini-2.5-flash", "google", "lexical-1:max", 1_048_576),
        ("llama3.3:70b", "meta", "lexical-1:max", 128_000),
        ("qwen3-8b", "qwen", "lexical-1:max", 32_768),
        ("deepseek-chat", "deepseek", "lexical-1:max", 64_000),
        ("mistral-large-latest", "mistral", "lexical-1:max", 128_000),
    ],
)
def test_a_name_finds_its_profile_by_the_longest_family(
    asked: str, provider: str, estimator_name: str, most_input: int
) -> None:
    profile, note = profile_for(asked)
    assert note is None
    assert (profile.provider, profile.estimator) == (provider, estimator_name)
    assert profile.max_input_tokens == most_input


def test_a_profile_found_by_its_family_bears_the_name_asked_for() -> None:
    assert profile_for("claude-sonnet-4-5-20260101")[0].model == "claude-sonnet-4-5-20260101"
    assert profile_for("openai/gpt-4o")[0].model == "gpt-4o"


@pytest.mark.parametrize(
    "asked", ["gpt-45", "gpt-6", "claudette", "o30", "o", "", "nobody/knows.it"]
)
def test_an_unknown_name_has_generic_limits_the_safe_estimator_and_a_note(asked: str) -> None:
    """A part of a word is no family, and no name is a reason to send more."""
    profile, note = profile_for(asked)
    assert profile == attrs.evolve(GENERIC, model=asked or "generic")
    assert note == f"model {asked!r} is not known: generic limits and lexical-1:max are used"


def test_the_generic_profile_is_known_by_its_name() -> None:
    assert profile_for("generic") == (GENERIC, None)


def test_profiles_of_the_user_win_and_make_families_too() -> None:
    extra = {"gpt-4o": _PROFILE, "House-Model": attrs.evolve(_PROFILE, model="House-Model")}
    assert profile_for("gpt-4o", extra) == (_PROFILE, None)
    assert profile_for("house-model", extra)[0].model == "House-Model"
    assert profile_for("house-model-2", extra) == (
        attrs.evolve(_PROFILE, model="house-model-2"),
        None,
    )


def test_names_without_a_version_mean_the_current_one() -> None:
    assert named("chars4").name == "chars4-1"
    assert named("lexical:max").name == "lexical-1:max"
    assert estimator_names()[: len(_BUILT_IN)] == _BUILT_IN


@pytest.mark.parametrize(
    "name",
    ["", "lexical", "lexical-2:max", "lexical-1:gpt", "chars4-1:max", "exact:claude", "x" * 999],
)
def test_a_name_that_is_none_is_refused_with_what_there_is(name: str) -> None:
    refusal = estimator(name)
    assert isinstance(refusal, Refusal)
    assert (refusal.kind, refusal.reason) == (RefusalKind.INVALID_REQUEST, "bad_estimator")
    assert "lexical-1:max" in refusal.advice
    assert len(refusal.message) < 120


@pytest.fixture
def without_exact(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def version(package: str) -> str:
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(importlib.metadata, "version", version)
    estimators._exact_version.cache_clear()
    yield
    estimators._exact_version.cache_clear()


@pytest.mark.usefixtures("without_exact")
def test_without_the_extra_an_exact_estimator_is_refused_and_not_listed() -> None:
    refusal = estimator("exact:o200k")
    assert isinstance(refusal, Refusal)
    assert "sightline-lsp[exact]" in refusal.advice
    assert estimator_names() == _BUILT_IN


def test_the_exact_estimator_counts_special_tokens_as_the_text_they_are() -> None:
    pytest.importorskip("splintr")
    exact = named("exact:o200k")
    assert exact.name == f"exact-{importlib.metadata.version('splintr-rs')}:o200k"
    assert exact.tokens("hello world") == 2
    assert exact.tokens("<|endoftext|>") > 1
    assert not exact.is_additive
    assert isinstance(estimator("exact-0.0.0:o200k"), Refusal)


def test_the_exact_estimator_gives_any_bytes_a_number() -> None:
    pytest.importorskip("splintr")
    exact = named("exact:cl100k")
    assert exact.tokens(b"\xff\xfe\x00") > 0
    assert exact.tokens("\ud800") > 0
    assert exact.tokens("") == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("word", {"letter_runs": 1, "letter_fours": 1}),
        ("two  words", {"letter_runs": 2, "letter_fours": 1, "spaces": 2}),
        ("parseXMLFile", {"letter_runs": 1, "letter_fours": 3, "humps": 2}),
        ("XyZ", {"letter_runs": 1, "humps": 1, "capital_islands": 1}),
        ("a" * 33, {"letter_runs": 1, "letter_fours": 8, "letter_sixteens": 2}),
        ("bcdfg", {"letter_runs": 1, "letter_fours": 1, "consonant_fives": 1}),
        ("1234567 8", {"digit_runs": 2, "digit_sixes": 1, "spaced_digits": 1, "spaces": 1}),
        ("__((", {"punctuation_runs": 1, "punctuation_pairs": 1}),
        (
            "): ",
            {"punctuation_runs": 1, "punctuation_pairs": 1, "punctuation_space": 1, "spaces": 1},
        ),
        ("(((((((((", {"punctuation_runs": 1, "punctuation_pairs": 4, "mark_eights": 1}),
        ("=========", {"punctuation_runs": 1, "punctuation_pairs": 4}),
        (" \n\t\r\n\r", {"newlines": 3, "indented_lines": 2, "spaces": 1, "tabs": 1}),
        ("é ж日本", {"foreign_runs": 2, "latin_accents": 1, "cyrillic": 1, "han": 2, "spaces": 1}),
        ("👍", {"foreign_runs": 1, "emoji": 1}),
    ],
)
def test_what_each_count_means(text: str, expected: dict[str, int]) -> None:
    counts = dict(zip(lexical.COUNTS, lexical.count(text.encode()), strict=True))
    assert {name: number for name, number in counts.items() if number} == expected


def test_every_byte_that_is_no_utf8_counts_as_a_replacement_character() -> None:
    """So bytes that continue nothing are not free."""
    assert lexical.count(b"a\x80\xff") == lexical.count("a\ufffd\ufffd".encode())


def test_this_version_counts_this_source_so() -> None:
    """The numbers of a version never change: other numbers are a new version."""
    found = {name: named(name).tokens(_SOURCE) for name in _BUILT_IN}
    assert found == {
        "chars4-1": 38,
        "lexical-1:cl100k": 46,
        "lexical-1:claude": 50,
        "lexical-1:max": 50,
        "lexical-1:o200k": 45,
    }


def test_no_coefficient_is_negative() -> None:
    """What makes a longer text never cost less than what it begins with."""
    assert tuple(lexical.COEFFICIENTS) == lexical.PROFILES
    for row in lexical.COEFFICIENTS.values():
        assert len(row) == len(lexical.COUNTS)
        assert min(row) >= 0


@given(pieces=st.lists(_BYTES, max_size=5), last=_BYTES)
@pytest.mark.parametrize("name", _BUILT_IN)
def test_counts_of_pieces_that_end_in_a_line_break_add_up(
    name: str, pieces: list[bytes], last: bytes
) -> None:
    """The sum of the counts is the count of the joined text, so fitting never counts again."""
    counting = named(name)
    assert counting.is_additive
    total = counting.nothing
    for piece in pieces:
        total += counting.count(piece + b"\n")
    total += counting.count(last)
    joined = b"".join(piece + b"\n" for piece in pieces) + last
    assert total == counting.count(joined)
    assert counting.total(total) == counting.tokens(joined)


@given(text=_BYTES, more=_BYTES)
@pytest.mark.parametrize("name", ["lexical-1:max", "lexical-1:o200k"])
def test_appending_a_line_never_makes_a_text_cheaper(name: str, text: bytes, more: bytes) -> None:
    counting = named(name)
    assert 0 <= counting.tokens(text) <= counting.tokens(text + b"\n" + more)


@given(text=_TEXTS, more=_TEXTS)
def test_appending_to_a_valid_text_never_makes_it_cheaper(text: str, more: str) -> None:
    """Within a line too. Bytes that are cut inside a character can become fewer characters."""
    counting = named("lexical-1:max")
    assert counting.tokens(text) <= counting.tokens(text + more)


@given(text=_TEXTS)
def test_text_and_its_bytes_cost_the_same_and_the_safe_estimator_most(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    for name in _BUILT_IN:
        assert named(name).tokens(text) == named(name).tokens(data)
        assert type(named(name).tokens(text)) is int
    profiles = [named(f"lexical:{profile}").tokens(text) for profile in lexical.PROFILES]
    assert named("lexical:max").tokens(text) == max(profiles)
    assert named("chars4").tokens(text) == len(text) // 4


def test_counts_of_different_estimators_do_not_mix() -> None:
    first, second = named("chars4"), named("lexical:max")
    with pytest.raises(ValueError, match="do not add up"):
        first.count(b"a") + second.count(b"a")
    with pytest.raises(ValueError, match="no total"):
        first.total(second.count(b"a"))
    assert first.nothing == Counts("chars4-1", (0,))


@pytest.mark.parametrize("profile", ["cl100k", "o200k"])
def test_estimates_are_near_the_tokenizer_on_our_own_sources(profile: str) -> None:
    """Every source and every fixture in 17 languages: at least 97 % are within a fifth."""
    pytest.importorskip("splintr")
    exact, estimate = named(f"exact:{profile}"), named(f"lexical:{profile}")
    files = [
        file
        for folder in (_ROOT / "server", _ROOT / "tests")
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.suffix not in (".pyc", "")
    ]
    ratios = []
    for file in files:
        data = file.read_bytes()
        tokens = exact.tokens(data)
        if tokens:
            ratios.append(estimate.tokens(data) * 100 // tokens)
    assert len(ratios) > 100
    assert sum(80 <= ratio <= 120 for ratio in ratios) * 100 >= 97 * len(ratios)


@pytest.mark.parametrize("profile", ["cl100k", "o200k"])
@pytest.mark.parametrize(
    "alphabet",
    [
        pytest.param(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", id="base64"
        ),
        pytest.param("0123456789abcdef", id="hexadecimal"),
        pytest.param("0123456789", id="digits"),
        pytest.param("ACGT", id="bases"),
        pytest.param("abcdefghijklmnopqrstuvwxyz", id="small"),
        pytest.param("ABCDEFGHIJKLMNOPQRSTUVWXYZ", id="capitals"),
        pytest.param("!$%&(),:;<>?@[]^{|}", id="marks"),
        pytest.param("éèàüöäß", id="accents"),
    ],
)
def test_blobs_are_not_underestimated_by_more_than_a_fifth(profile: str, alphabet: str) -> None:
    """What no tokenizer has words for, in lines of 64 characters."""
    pytest.importorskip("splintr")
    chance = random.Random(7)
    lines = ("".join(chance.choices(alphabet, k=64)) for _ in range(40))
    blob = "".join(line + "\n" for line in lines)
    actual = named(f"exact:{profile}").tokens(blob)
    assert named(f"lexical:{profile}").tokens(blob) * 5 >= actual * 4


def test_the_benchmark_measures_and_fits() -> None:
    """On our own sources: a table for each tokenizer there is, and what is missing by name."""
    pytest.importorskip("splintr")
    command = [sys.executable, "benchmarks/tokens.py", "server/sightline/budget"]
    command += ["--limit", "4", "--fit", "server/sightline/index"]
    result = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "no exact tokenizer for claude" in result.stdout
    assert '    "letter_runs": (' in result.stdout
    assert "o200k: within 20 %" in result.stdout
