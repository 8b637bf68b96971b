"""Sections in a budget: unchanged where they fit, else never over and hardly below."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.budget import Estimator, estimator
from sightline.recipes import estimate_tokens, fit_to_budget

_TEXTS = st.dictionaries(
    st.sampled_from(["diff", "files", "conventions", "issue", "log"]),
    st.builds(
        lambda word, count: word * count,
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=9),
        st.integers(0, 3_000),
    ),
    min_size=1,
)


def test_a_token_is_four_characters() -> None:
    assert [estimate_tokens("x" * size) for size in (0, 3, 4, 4_003)] == [0, 0, 1, 1_000]


def test_a_calibrated_estimator_counts_instead() -> None:
    assert estimate_tokens("one two", estimator=lambda text: len(text.split())) == 2


def test_what_fits_is_unchanged_and_says_nothing_of_itself() -> None:
    sections = {"a": "x" * 400, "b": "y" * 400}
    assert fit_to_budget(sections, 200) == sections
    assert fit_to_budget({}, 0) == {}


def test_sections_are_cut_in_proportion() -> None:
    fitted = fit_to_budget({"large": "x" * 60_000, "small": "y" * 20_000}, 4_000)
    large, small = len(fitted["large"]), len(fitted["small"])
    assert large + small <= 16_000
    assert abs(large - 3 * small) <= 0.05 * large
    assert fitted["_metadata"] == {
        "truncated": True,
        "original_lines": 2,
        "kept_lines": 0,
        "sections_affected": ["large", "small"],
    }


def test_a_small_section_keeps_its_least() -> None:
    fitted = fit_to_budget({"large": "x" * 400_000, "small": "y" * 400}, 1_000)
    assert fitted["small"] == "y" * 400
    assert fitted["_metadata"]["sections_affected"] == ["large"]


def test_larger_sections_come_first_where_not_all_have_their_least() -> None:
    fitted = fit_to_budget({"small": "y" * 500, "large": "x" * 9_000}, 100)
    assert len(fitted["large"]) == 400
    assert fitted["small"] == ""


def test_lines_that_are_whole_are_counted() -> None:
    fitted = fit_to_budget({"log": "".join(f"line {number:03}\n" for number in range(900))}, 1_000)
    kept = fitted["log"].removesuffix("\n...").split("\n")
    assert kept == [f"line {number:03}" for number in range(len(kept))]
    assert fitted["_metadata"]["kept_lines"] == len(kept)
    assert fitted["_metadata"]["original_lines"] == 900


@given(_TEXTS, st.integers(0, 12_000), st.integers(0, 300))
def test_never_over_and_within_five_percent(
    sections: dict[str, str], budget: int, least: int
) -> None:
    fitted = fit_to_budget(sections, budget, min_section_tokens=least)
    metadata = fitted.pop("_metadata", None)
    assert fitted.keys() == sections.keys()
    if sum(map(estimate_tokens, sections.values())) <= budget:
        assert (fitted, metadata) == (sections, None)
        return
    cost = sum(map(estimate_tokens, fitted.values()))
    assert cost <= budget
    # Each section may lose a fraction of a token.
    assert cost >= 0.95 * budget - len(sections)
    assert metadata is not None
    assert metadata["truncated"]
    assert metadata["kept_lines"] < metadata["original_lines"]
    assert set(metadata["sections_affected"]) <= sections.keys()


@given(_TEXTS, st.integers(0, 12_000), st.integers(0, 300))
@settings(max_examples=40)
def test_a_calibrated_estimator_is_never_over_and_hardly_below(
    sections: dict[str, str], budget: int, least: int
) -> None:
    counting = estimator("lexical-1:o200k")
    assert isinstance(counting, Estimator)
    fitted = fit_to_budget(sections, budget, min_section_tokens=least, estimator=counting.tokens)
    metadata = fitted.pop("_metadata", None)
    cost = sum(map(counting.tokens, fitted.values()))
    if sum(map(counting.tokens, sections.values())) <= budget:
        assert (fitted, metadata) == (sections, None)
        return
    assert cost <= budget
    # The marker and the last character of each section may cost a few tokens.
    assert cost >= 0.95 * budget - 8 * len(sections)
    assert metadata is not None
    assert metadata["truncated"]


def test_estimates_are_near_what_tokenizers_count() -> None:
    """On the files of this repository: within 20 % for nearly all, in sum within 5 %."""
    exact, lexical = estimator("exact:o200k"), estimator("lexical-1:o200k")
    if not isinstance(exact, Estimator) or not isinstance(lexical, Estimator):
        pytest.skip("the exact tokenizer is not installed")
    root = Path(__file__).parents[2]
    files = [*root.glob("server/sightline/**/*.py"), *root.glob("editors/vscode/src/*.ts")]
    texts = [text for each in files if len(text := each.read_text("utf-8")) > 400]
    truth = [exact.tokens(text) for text in texts]
    for estimate, least_share in ((lexical.tokens, 0.95), (estimate_tokens, 0.5)):
        near = sum(
            abs(estimate(text) - count) <= 0.2 * count
            for text, count in zip(texts, truth, strict=True)
        )
        assert near >= least_share * len(texts)
    assert abs(sum(map(lexical.tokens, texts)) - sum(truth)) <= 0.05 * sum(truth)
