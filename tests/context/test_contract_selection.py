"""What a request is about: targets, selections, exclusions, and no guess between namesakes."""

from __future__ import annotations

import re

import pytest

from sightline.context import BuildRequest, LastError, PlanStep, TargetSpec, read_request
from sightline.refusals import Refusal, RefusalKind
from tests.context import workspaces as w
from tests.context.bench import (
    block_of_type,
    blocks_of,
    everything,
    excluded,
    file_blocks,
    included,
    redactions,
    wanted,
)
from tests.context.conftest import MakeBench

# Targets.


@pytest.mark.parametrize(
    ("target", "symbols"),
    [
        (w.PRICING, []),
        (f"{w.PRICING}:13", ["Pricing.total"]),
        (f"{w.PRICING}:10", ["Pricing"]),
        (f"{w.PRICING}:9", ["Pricing"]),
        (f"{w.PRICING}:1", []),
        (f"{w.PRICING}::total", ["Pricing.total"]),
        (f"{w.PRICING}::Pricing.total", ["Pricing.total"]),
        (f"{w.PRICING}::Pricing", ["Pricing"]),
        (f"{w.PRICING}::free:21", ["free"]),
        ("::free", ["free"]),
        ("::Pricing.total", ["Pricing.total"]),
        (TargetSpec(path=w.PRICING, line=13, column=9), ["Pricing.total"]),
        (TargetSpec(path=w.PRICING, line=13, column=900), ["Pricing.total"]),
        (TargetSpec(path=w.PRICING, line=12, end_line=14), ["Pricing.total"]),
        (TargetSpec(path=w.PRICING, line=13, end_line=17), ["Pricing.total", "Pricing.label"]),
        (TargetSpec(path=w.PRICING, line=17, end_line=22), ["Pricing", "free"]),
        (TargetSpec(path=w.PRICING, line=1, end_line=900), ["log", "Pricing", "free"]),
    ],
)
def test_targets(bench: MakeBench, target: str | TargetSpec, symbols: list[str]) -> None:
    """A file, a line, a range or a symbol; an active position is the symbol around it."""
    made = bench(w.ORDERS)
    expected = tuple(f"{w.PRICING}::{symbol}" for symbol in symbols)
    built = made.build(target)
    assert built.manifest.selection.target_files == (w.PRICING,)
    assert built.manifest.selection.target_symbols == expected
    asked = wanted(target)
    if asked.path is not None:
        active = made.build(request=BuildRequest(active=asked))
        assert active.manifest.selection == built.manifest.selection


_EXPORTED = """\
import { log } from "./log";

/**
 * What it says.
 */
export class Box {
  /** How large. */
  @log()
  size(): number {
    return 1;
  }
}

export function open(): void;
export function open(box?: Box): void {
  log(box);
}
"""


@pytest.mark.parametrize(
    ("line", "column", "symbols"),
    [
        (2, None, []),
        (4, None, ["Box"]),
        (6, None, ["Box"]),
        (6, 3, ["Box"]),
        (7, None, ["Box.size"]),
        (8, None, ["Box.size"]),
        (12, None, ["Box"]),
        (14, None, ["open"]),
        (15, 1, ["open"]),
    ],
)
def test_a_line_means_the_symbol_whose_region_it_is_in(
    bench: MakeBench, line: int, column: int | None, symbols: list[str]
) -> None:
    """Doc comments, decorators and `export` belong to a symbol, for an error's place as well."""
    made = bench({"box.ts": _EXPORTED})
    built = made.build(
        TargetSpec(path="box.ts", line=line, column=column),
        last_error=LastError("no", "box.ts", line),
    )
    selection = built.manifest.selection
    assert selection.target_symbols == tuple(f"box.ts::{each}" for each in symbols)
    if column is None:
        where = "".join(f", in {each}" for each in symbols)
        assert f"at box.ts:{line}{where}\n" in block_of_type(built, "error_context").content


@pytest.mark.parametrize("name", ["LoginAsync", "UserService.LoginAsync"])
def test_a_symbol_in_a_namespace_by_the_end_of_its_name(bench: MakeBench, name: str) -> None:
    built = bench(w.SHOP).build(f"{w.SERVICE}::{name}")
    (symbol,) = built.manifest.selection.target_symbols
    assert symbol == f"{w.SERVICE}::Shop.Services.UserService.LoginAsync"


def test_several_targets_in_one_bundle(bench: MakeBench) -> None:
    """Each file once, in bytewise order, each with its symbols."""
    built = bench(w.ORDERS).build(f"{w.RULES}::rounded", w.CHECKOUT, w.TOTAL, f"{w.PRICING}::free")
    selection = built.manifest.selection
    assert selection.target_files == (w.CHECKOUT, w.PRICING, w.RULES)
    assert selection.target_symbols == (
        f"{w.PRICING}::Pricing.total",
        f"{w.PRICING}::free",
        f"{w.RULES}::Rules.rounded",
    )
    assert [b.meta.path for b in file_blocks(built) if b.priority == "P0"] == [
        w.CHECKOUT,
        w.PRICING,
        w.RULES,
    ]


def test_the_step_names_files_and_symbols(bench: MakeBench) -> None:
    """A symbol of the step is looked for in the step's files before anywhere else."""
    step = PlanStep(target_files=(w.SERVICE,), target_symbols=("LoginAsync",))
    built = bench(w.SHOP).build(request=BuildRequest(plan_step=step))
    assert built.manifest.selection.target_symbols == (
        f"{w.SERVICE}::Shop.Services.UserService.LoginAsync",
    )


def test_the_step_may_name_a_symbol_with_its_path(bench: MakeBench) -> None:
    step = PlanStep(target_symbols=(w.TOTAL, "free"))
    built = bench(w.ORDERS).build(request=BuildRequest(plan_step=step))
    assert built.manifest.selection.target_symbols == (
        f"{w.PRICING}::Pricing.total",
        f"{w.PRICING}::free",
    )


def test_the_active_file_is_the_target_only_where_none_is_named(bench: MakeBench) -> None:
    made = bench(w.ORDERS)
    active = TargetSpec(path=w.RULES, line=2)
    built = made.build(w.TOTAL, active=active)
    assert built.manifest.selection.target_files == (w.PRICING,)
    derived = made.build(request=BuildRequest(active=active))
    assert derived.manifest.selection.target_symbols == (f"{w.RULES}::Rules.rounded",)


def test_a_selection_alone_is_the_target(bench: MakeBench) -> None:
    built = bench(w.ORDERS).build(user_selected_targets=(TargetSpec(path=w.RULES),))
    assert built.manifest.selection.target_files == (w.RULES,)


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("missing.py", "not_found"),
        ("orders", "is_directory"),
        (f"{w.PRICING}::nothing", "unknown_symbol"),
        ("::nothing", "unknown_symbol"),
        (f"{w.PRICING}:900", "no_such_line"),
        (f"{w.PRICING}::free:3", "unknown_symbol"),
    ],
)
def test_what_is_not_there_is_wrong_use(bench: MakeBench, target: str, reason: str) -> None:
    refused = bench(w.ORDERS).refuse(RefusalKind.INVALID_REQUEST, target)
    assert refused.refusal.reason == reason


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"purpose": "x" * 50},
        {"purpose": "\ud800"},
        {"targets": "a.py"},
        {"targets": [{}]},
        {"targets": [{"line": 3}]},
        {"targets": [{"path": "a.py", "line": 0}]},
        {"targets": [{"path": "a.py", "line": 9, "end_line": 3}]},
        {"targets": [{"path": "a.py", "colour": "red"}]},
        {"active": {"symbol": "f"}},
        {"unknown": 1},
        {"last_error": {"message": "m", "line": 3}},
        {"constraints": [{"text": "x", "scope": "nobody"}]},
        {"intent": {"text": "x" * 200_001}},
        {"targets": [{"path": "a.py"}] * 1001},
        {"intent": {"text": "\ud800"}},
    ],
)
def test_a_request_that_cannot_be_meant_is_refused(value: object) -> None:
    """Whoever asks is not trusted: nothing is repaired, and no value is repeated."""
    refusal = read_request(value)
    assert isinstance(refusal, Refusal)
    assert (refusal.kind, refusal.reason) == (RefusalKind.INVALID_REQUEST, "malformed_request")
    assert "x" * 50 not in refusal.message


# Hard exclusions.

_DENIED = [
    ".git/config",
    ".vs/settings.json",
    "app/bin/tool.py",
    "app/obj/tool.py",
    "node_modules/left/index.js",
    "packages/left/index.js",
    "certs/site.pfx",
    "certs/site.key",
    "certs/site.pem",
    ".env",
    "deep/down/local.env",
    "app/BIN/tool.py",
    "Certs/SITE.PEM",
]


@pytest.mark.parametrize("path", _DENIED)
def test_never_send_paths(bench: MakeBench, path: str) -> None:
    """As a target: refused. As a candidate: excluded, with the rule and where it stands."""
    made = bench({**w.ORDERS, path: "hidden words\n"})
    refused = made.refuse(RefusalKind.UNSUPPORTED_TARGET, path)
    assert (refused.refusal.reason, refused.refusal.path) == ("deny_rule", path)
    built = made.build(w.TOTAL, user_selected_targets=(TargetSpec(path=path),))
    candidate = excluded(built)[path]
    assert candidate.reason == "deny_rule"
    assert candidate.rule
    assert candidate.rule_source
    assert candidate.rule_source.startswith("default:")
    assert "hidden words" not in everything(built) + everything(refused)


def test_what_an_ignore_file_denies_is_excluded(bench: MakeBench) -> None:
    made = bench({**w.ORDERS, ".aiignore": "# private\nnotes/\n", "notes/a.md": "hidden words\n"})
    built = made.build(w.TOTAL, user_selected_targets=(TargetSpec(path="notes/a.md"),))
    candidate = excluded(built)["notes/a.md"]
    assert (candidate.reason, candidate.rule) == ("deny_rule", "notes/")
    assert candidate.rule_source == ".aiignore:2"
    assert "hidden words" not in everything(built)


def test_what_settings_deny_is_excluded(bench: MakeBench) -> None:
    made = bench(w.ORDERS)
    build_cache = made.build_cache(denied={"model.py": ".sightline.toml"})
    built = made.build(
        w.TOTAL, user_selected_targets=(TargetSpec(path=w.MODEL),), build_cache=build_cache
    )
    candidate = excluded(built)[w.MODEL]
    assert (candidate.reason, candidate.rule) == ("deny_rule", "model.py")
    assert candidate.rule_source == ".sightline.toml"


def test_what_is_outside_the_root_is_excluded(bench: MakeBench) -> None:
    """By its path, or by where a link leads; as a target it is refused."""
    made = bench(w.ORDERS)
    outside = made.root.parent / "outside.py"
    outside.write_text("whispered = 'words'\n")
    (made.root / "link.py").symlink_to(outside)
    paths = ("../outside.py", "/etc/hostname", "link.py")
    built = made.build(
        w.TOTAL, user_selected_targets=tuple(TargetSpec(path=path) for path in paths)
    )
    assert {path: each.reason.value for path, each in excluded(built).items()} == dict.fromkeys(
        paths, "outside_sandbox"
    )
    for path in paths:
        refused = made.refuse(RefusalKind.UNSUPPORTED_TARGET, path)
        assert refused.refusal.reason == "outside_sandbox"
    assert "whispered" not in everything(built)


def test_what_is_too_large_is_excluded(bench: MakeBench) -> None:
    made = bench({**w.ORDERS, "large.py": "#" * 2001})
    build_cache = made.build_cache(max_file_bytes=2000)
    built = made.build(
        w.TOTAL, user_selected_targets=(TargetSpec(path="large.py"),), build_cache=build_cache
    )
    candidate = excluded(built)["large.py"]
    assert (candidate.reason, candidate.rule) == ("too_large", "max_file_bytes=2000")
    refused = made.refuse(RefusalKind.UNSUPPORTED_TARGET, "large.py", build_cache=build_cache)
    assert refused.refusal.reason == "too_large"


def test_a_selection_that_is_not_there_is_wrong_use(bench: MakeBench) -> None:
    """A slip of the hand is told, not excluded."""
    selected = (TargetSpec(path="missing.py"),)
    refused = bench(w.ORDERS).refuse(
        RefusalKind.INVALID_REQUEST, w.TOTAL, user_selected_targets=selected
    )
    assert refused.refusal.reason == "not_found"


# Duplicates.


def test_each_path_is_one_candidate(bench: MakeBench) -> None:
    """The model is imported, named as a type, called and called from: one block, best reason."""
    made = bench(
        {
            **w.ORDERS,
            w.MODEL: str(w.ORDERS[w.MODEL])
            + "\n\ndef check(order):\n    from orders.pricing import free\n    return free()\n",
        }
    )
    built = made.build(w.PRICING)
    (block,) = blocks_of(built, w.MODEL)
    assert (block.priority, block.meta.reason, block.meta.score) == ("P1", "dependency", 60)
    kinds = {each.kind for each in block.meta.further_relations}
    assert "caller" in kinds


def test_a_path_that_is_named_in_several_ways_is_one_target(bench: MakeBench) -> None:
    request = BuildRequest(
        targets=(TargetSpec(path=w.PRICING), TargetSpec(path=w.PRICING)),
        plan_step=PlanStep(target_files=(w.PRICING,)),
        user_selected_targets=(TargetSpec(path=w.PRICING),),
    )
    built = bench(w.ORDERS).build(request=request)
    assert built.manifest.selection.target_files == (w.PRICING,)
    assert len(blocks_of(built, w.PRICING)) == 1


@pytest.mark.parametrize(
    "spelling",
    [f"./{w.PRICING}", "orders//pricing.py", "orders\\pricing.py", "orders/./pricing.py"],
)
def test_no_file_has_a_second_name(bench: MakeBench, spelling: str) -> None:
    """A path is normal already, or refused: so no two candidates can be one file."""
    refused = bench(w.ORDERS).refuse(RefusalKind.UNSUPPORTED_TARGET, spelling)
    assert refused.refusal.reason == "invalid_path"


def test_the_same_content_under_another_path_is_a_duplicate(bench: MakeBench) -> None:
    made = bench({**w.ORDERS, "orders/copied.py": w.ORDERS[w.CHECKOUT]})
    built = made.build(w.TOTAL)
    candidate = excluded(built)["orders/copied.py"]
    assert (candidate.reason, candidate.rule) == ("duplicate", f"same content as {w.CHECKOUT}")
    assert [each.target for each in redactions(built, "path_excluded")] == ["orders/copied.py"]


# Ambiguity.

_LONG = "".join(f"    taken_{number} = {number}\n" for number in range(60))
_TWINS: dict[str, str | bytes] = {
    "first.py": f"def run():\n    return 1\n\n\ndef long():\n{_LONG}\n\n"
    "class A:\n    def go(self):\n        return 1\n",
    "second.py": f"def run():\n    return 2\n\n\ndef long():\n{_LONG}\n\n"
    "class B:\n    def go(self):\n        return 2\n",
}
_OVERLOADS: dict[str, str | bytes] = {
    "Box.java": """\
class Box {
    int put(int one) { return 1; }
    int put(long two) { return 2; } int put(String three) { return 3; }
    void fill() {
"""
    + "".join(f"        long part{number} = {number};\n" for number in range(60))
    + "    }\n}\n",
}


def test_namesakes_are_never_guessed_between(bench: MakeBench) -> None:
    refused = bench(_TWINS).refuse(RefusalKind.AMBIGUOUS_TARGET, "::run")
    assert refused.refusal.reason == "several_matches"
    assert refused.refusal.candidates == ("first.py::run:1", "second.py::run:1")


def test_overloads_are_told_apart_down_to_the_line(bench: MakeBench) -> None:
    refused = bench(_OVERLOADS).refuse(RefusalKind.AMBIGUOUS_TARGET, "Box.java::put")
    assert refused.refusal.candidates == (
        "Box.java::Box.put:2",
        "Box.java::Box.put:3#1",
        "Box.java::Box.put:3#2",
    )


@pytest.mark.parametrize("how", ["target", "selection", "step"])
@pytest.mark.parametrize(("files", "name"), [(_TWINS, "::go"), (_OVERLOADS, "Box.java::put")])
def test_every_choice_is_accepted_as_it_was_printed(
    bench: MakeBench, files: dict[str, str | bytes], name: str, how: str
) -> None:
    """Given back as the target, as the person's selection or by the step: another symbol each."""
    made = bench(files)
    choices = made.refuse(RefusalKind.AMBIGUOUS_TARGET, name).refusal.candidates
    found = []
    for choice in choices:
        path, _, symbol = choice.partition("::")
        chosen = TargetSpec(path=path, symbol=symbol)
        options = {"settings": {"context.target_level": "region"}}
        if how == "target":
            built = made.build(chosen, **options)
        elif how == "selection":
            built = made.build(name, user_selected_targets=(chosen,), **options)
        else:
            step = PlanStep(target_symbols=(choice,))
            built = made.build(request=BuildRequest(plan_step=step), **options)
        (block,) = [each for each in file_blocks(built) if each.priority == "P0"]
        (region,) = block.meta.regions
        line = int(re.findall(r":(\d+)(?:#\d+)?$", choice)[0])
        assert (block.meta.path, region.start_line) == (path, line)
        found.append(built.manifest.fingerprints.bundle_fingerprint)
    assert len(set(found)) == len(choices)


def test_a_selection_by_path_resolves_namesakes(bench: MakeBench) -> None:
    built = bench(_TWINS).build("::run", user_selected_targets=(TargetSpec(path="second.py"),))
    assert built.manifest.selection.target_symbols == ("second.py::run",)


def test_a_selection_that_leaves_several_is_ambiguous_still(bench: MakeBench) -> None:
    files = {**_TWINS, "third.py": "def run():\n    return 3\n"}
    selected = (TargetSpec(path="second.py"), TargetSpec(path="third.py"))
    refused = bench(files).refuse(
        RefusalKind.AMBIGUOUS_TARGET, "::run", user_selected_targets=selected
    )
    assert refused.refusal.candidates == ("second.py::run:1", "third.py::run:1")


def test_a_long_list_of_choices_says_how_many_are_missing(bench: MakeBench) -> None:
    files: dict[str, str | bytes] = {
        f"m{number:02}.py": f"def run():\n    return {number}\n" for number in range(60)
    }
    refused = bench(files).refuse(RefusalKind.AMBIGUOUS_TARGET, "::run")
    assert len(refused.refusal.candidates) == 50
    assert "60 symbols, 10 not listed" in refused.refusal.message


# What a person adds and drops.


def test_a_selected_file_is_included_as_selected(bench: MakeBench) -> None:
    made = bench({**w.ORDERS, "docs/notes.md": "# Notes\n"})
    built = made.build(w.TOTAL, user_selected_targets=(TargetSpec(path="docs/notes.md"),))
    (block,) = blocks_of(built, "docs/notes.md")
    assert (block.priority, block.meta.reason, block.meta.score) == ("P1", "user_selected", 100)
    assert included(built)["docs/notes.md"].reason == "user_selected"


def test_a_selected_symbol_is_included_with_its_file(bench: MakeBench) -> None:
    built = bench(w.ORDERS).build(w.TOTAL, user_selected_targets=(TargetSpec(symbol="pay_abroad"),))
    (block,) = blocks_of(built, w.ABROAD)
    assert (block.priority, block.meta.reason, block.meta.score) == ("P1", "user_selected", 90)


def test_a_symbol_selected_in_the_targets_file_is_shown_beside_it(bench: MakeBench) -> None:
    built = bench(w.ORDERS).build(
        w.TOTAL,
        user_selected_targets=(TargetSpec(path=w.PRICING, symbol="free"),),
        settings={"context.target_level": "region"},
    )
    region = blocks_of(built, w.PRICING)[0]
    assert [each.symbol for each in region.meta.regions] == ["Pricing.total", "free"]
    assert "nothing = 0" in region.content
    assert "description.title()" not in region.content


@pytest.mark.parametrize("target", [w.PRICING, w.TOTAL, "::free"])
def test_a_target_cannot_be_dropped(bench: MakeBench, target: str) -> None:
    """Neither in silence nor by leaving out what was asked for."""
    made = bench(w.ORDERS)
    refused = made.refuse(RefusalKind.INVALID_REQUEST, target, dropped_paths=(w.PRICING,))
    assert (refused.refusal.reason, refused.refusal.path) == ("dropped_target", w.PRICING)
    selected = (TargetSpec(path=w.ABROAD),)
    made.refuse(
        RefusalKind.INVALID_REQUEST,
        target,
        dropped_paths=(w.ABROAD,),
        user_selected_targets=selected,
    )


def test_lines_of_a_dropped_file_are_in_no_block(bench: MakeBench) -> None:
    """An error in it does not bring it back."""
    built = bench(w.ORDERS).build(
        w.TOTAL, dropped_paths=(w.MODEL,), last_error=LastError("wrong", w.MODEL, 7)
    )
    assert "def describe" not in everything(built)


def test_a_declaration_and_its_definition_are_one_target(bench: MakeBench) -> None:
    """A header and its source are no namesakes: both are shown."""
    made = bench(
        {
            "area.h": "int area(int side);\n",
            "area.c": '#include "area.h"\n\nint area(int side) {\n    return side * side;\n}\n',
        }
    )
    assert made.build("::area").manifest.selection.target_files == ("area.c", "area.h")


def test_a_dropped_file_stays_out_and_is_reported(bench: MakeBench) -> None:
    built = bench(w.ORDERS).build(w.TOTAL, dropped_paths=(w.MODEL,))
    candidate = excluded(built)[w.MODEL]
    assert (candidate.reason, candidate.rule_source) == ("deny_rule", "request:dropped_paths")
    assert "def describe" not in built.rendering.text


def test_related_files_beyond_the_limit_are_reported(bench: MakeBench) -> None:
    """The best ranked are kept, the others named."""
    built = bench(w.ORDERS).build(w.TOTAL, settings={"context.max_candidates": 2})
    assert set(included(built)) == {w.PRICING, w.MODEL, w.RULES}
    out = excluded(built)
    assert set(out) == {w.CHECKOUT, "pyproject.toml"}
    assert {each.rule for each in out.values()} == {"max_candidates=2"}
