"""What a build answers with: four objects that belong together, valid by the published schemas."""

from __future__ import annotations

import json
from collections.abc import Callable

import attrs
import msgspec
import pytest

from sightline.bundle import (
    BudgetReport,
    ContextBundle,
    ContextManifest,
    RedactionReport,
    RedactionType,
)
from sightline.context import BuildRequest, Built, TargetSpec
from sightline.refusals import RefusalKind
from sightline.render import to_json
from sightline.settings import Loaded, load
from tests.context import workspaces as w
from tests.context.bench import ESTIMATOR, check, excluded, included, redactions, result
from tests.context.conftest import MakeBench


def test_a_build_has_all_four_outputs(bench: MakeBench) -> None:
    """Bundle, manifest, redaction report and budget report, all of one bundle."""
    built = bench(w.ORDERS).build(w.TOTAL)
    assert isinstance(built.bundle, ContextBundle)
    assert isinstance(built.manifest, ContextManifest)
    assert isinstance(built.redaction_report, RedactionReport)
    assert isinstance(built.budget_report, BudgetReport)
    assert built.bundle.bundle_version == 1


def test_the_bundle_says_for_which_model_it_was_made(bench: MakeBench) -> None:
    settings = {
        "model.name": "my-model",
        "budget.max_input_tokens": 9000,
        "budget.max_output_tokens": 700,
        "budget.response_token_reserve": 500,
        "budget.soft_limit_threshold_pct": 70,
    }
    built = bench(w.ORDERS).build(w.TOTAL, settings=settings)
    assert json.loads(to_json(built.bundle.model)) == {
        "provider": "generic",
        "model": "my-model",
        "max_input_tokens": 9000,
        "max_output_tokens": 700,
        "response_token_reserve": 500,
        "soft_limit_threshold_pct": 70,
    }
    assert any("not known" in note for note in built.budget_report.notes)


def test_a_file_block_describes_its_file(bench: MakeBench) -> None:
    """Path, hash, encoding, size, lines and source are those of the whole original."""
    made = bench({**w.ORDERS, w.MODEL: "class Order:\n    größe = 1\n    ort = 'Köln'"})
    cut = {"context.target_level": "region"}
    for built in (made.build(w.MODEL), made.build(f"{w.MODEL}::Order", settings=cut)):
        file = included(built)[w.MODEL]
        size = (made.root / w.MODEL).stat().st_size
        assert (file.encoding, file.byte_size, file.source) == ("utf-8", size, "filesystem")


def test_a_refusal_is_a_result_with_all_its_fields(bench: MakeBench) -> None:
    """Over the wire it is an answer like another, and says what can be done."""
    refused = bench(w.ORDERS).refuse(RefusalKind.UNSUPPORTED_TARGET, ".env")
    wire = json.loads(to_json(result(refused)))
    assert wire["status"] == "refused"
    assert wire["bundle"] is None
    assert wire["refusal"] == {
        "kind": "UnsupportedTarget",
        "reason": "deny_rule",
        "path": ".env",
        "message": "A default rule withholds this file: .env",
        "advice": "If the file holds no secret, allow it in this workspace by its full path: "
        "sightline allow .env (--allow does it for once)",
        "rule": "**/*.env",
        "source": "default:credentials",
        "candidates": [],
        "lines": [],
        "smallest_budget": None,
        "actions": [],
    }


def test_an_exclusion_has_one_reason_and_one_redaction(bench: MakeBench) -> None:
    made = bench({**w.ORDERS, "orders/copied.py": w.ORDERS[w.CHECKOUT], "a.bin": b"\0\1"})
    built = made.build(
        w.TOTAL, user_selected_targets=(TargetSpec(path="a.bin"),), dropped_paths=(w.MODEL,)
    )
    assert {path: each.reason.value for path, each in excluded(built).items()} == {
        "a.bin": "binary",
        "orders/copied.py": "duplicate",
        w.MODEL: "deny_rule",
    }
    targets = [each.target for each in redactions(built, "path_excluded")]
    assert sorted(targets) == sorted(excluded(built))


# The rules that this suite checks on every bundle are rules that can be broken.


def _swapped(built: Built) -> Built:
    blocks = built.bundle.blocks
    bundle = msgspec.structs.replace(built.bundle, blocks=(blocks[1], blocks[0], *blocks[2:]))
    return attrs.evolve(built, bundle=bundle)


def _silent(built: Built) -> Built:
    kept = tuple(
        each
        for each in built.redaction_report.redactions
        if each.type is not RedactionType.CONTENT_SLICED
    )
    report = msgspec.structs.replace(built.redaction_report, redactions=kept)
    return attrs.evolve(built, redaction_report=report)


def _cheaper(built: Built) -> Built:
    tokens = built.budget_report.estimated_input_tokens - 1
    report = msgspec.structs.replace(built.budget_report, estimated_input_tokens=tokens)
    return attrs.evolve(built, budget_report=report)


def _rewritten(built: Built) -> Built:
    first, *others = built.bundle.blocks
    changed = msgspec.structs.replace(first, content="Do as you like.")
    bundle = msgspec.structs.replace(built.bundle, blocks=(changed, *others))
    return attrs.evolve(built, bundle=bundle)


def _unlisted(built: Built) -> Built:
    selection = msgspec.structs.replace(built.manifest.selection, included_files=())
    return attrs.evolve(
        built, manifest=msgspec.structs.replace(built.manifest, selection=selection)
    )


@pytest.mark.parametrize("broken", [_swapped, _silent, _cheaper, _rewritten, _unlisted])
def test_a_bundle_that_breaks_a_rule_is_noticed(
    bench: MakeBench, broken: Callable[[Built], Built]
) -> None:
    loaded = load(None, None, {}, {"budget.estimator": ESTIMATOR, "context.target_level": "region"})
    assert isinstance(loaded, Loaded)
    built = bench(w.ORDERS).build(w.TOTAL, settings={"context.target_level": "region"})
    check(built, loaded, BuildRequest())
    with pytest.raises(AssertionError):
        check(broken(built), loaded, BuildRequest())
