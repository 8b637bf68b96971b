"""Other inputs give other bundles, and the fingerprint that changes is the one of what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sightline.bundle import Purpose
from sightline.context import (
    BuildRequest,
    Built,
    Constraint,
    Intent,
    LastError,
    PlanStep,
    Refused,
    TargetSpec,
)
from sightline.engine.build import attempt_build
from sightline.engine.cache import BuildCache
from sightline.settings import Settings
from sightline.text import Text
from sightline.workers import Workers
from tests.properties.bundles import (
    SHOP,
    SHOP_TARGETS,
    build,
    build_cache_on,
    built,
    everything,
    settings,
    write,
)

_FINGERPRINTS = ("project_index_fingerprint", "config_fingerprint", "bundle_fingerprint")
_INDEX, _CONFIG, _BUNDLE = _FINGERPRINTS
_REQUEST = BuildRequest(targets=(SHOP_TARGETS["file"],), last_error=LastError("no", "notes.md", 1))


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(1, time_limit=60) as workers:
        yield workers


@pytest.fixture
def build_cache(tmp_path: Path, workers: Workers) -> Iterator[BuildCache]:
    with build_cache_on(write(tmp_path / "root", SHOP), workers) as build_cache:
        yield build_cache


def test_one_byte_of_any_file_that_is_in_changes_the_bundle(
    build_cache: BuildCache, tmp_path: Path
) -> None:
    """At the beginning, in the middle and at the end, on the disk and in an editor."""
    before = built(build(build_cache, _REQUEST, settings()))
    included = before.manifest.selection.included_files
    assert len(included) >= 6
    for each in included:
        file = tmp_path / "root" / each.path
        content = file.read_bytes()
        for place in sorted({0, len(content) // 2, len(content) - 1}):
            changed = content[:place] + _flipped(content[place : place + 1]) + content[place + 1 :]
            file.write_bytes(changed)
            build_cache.project.refresh()
            after = build(build_cache, _REQUEST, settings())
            if isinstance(after, Built):
                assert _changed(before, after) == {_INDEX, _BUNDLE}, (each.path, place)
            else:
                assert after.refusal.path == each.path, (each.path, place)
        file.write_bytes(content)
        build_cache.project.refresh()
        assert everything(build(build_cache, _REQUEST, settings())) == everything(before)
        build_cache.project.show(each.path, Text.of("# " + _decoded(content)), 7)
        assert _changed(before, build(build_cache, _REQUEST, settings())) == {_INDEX, _BUNDLE}
        build_cache.project.hide(each.path)


def _decoded(content: bytes) -> str:
    """A file as an editor has it, whatever its encoding on the disk."""
    has_mark = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    return content.decode("utf-16" if has_mark else "utf-8", "replace")


def _flipped(byte: bytes) -> bytes:
    """Another visible byte; a line feed becomes one, too."""
    return b"#" if byte != b"#" else b"%"


_WORKSPACES: Mapping[str, tuple[Mapping[str, str], set[str]]] = {
    # One with words could move what is similar: how rare a word is counts all files.
    "a file that is not in": ({"shop/__init__.py": "\n"}, {_INDEX}),
    "a file more": ({"web/more.md": "more\n"}, {_INDEX, _BUNDLE}),
    "lines around the error": ({"notes.md": "# Motes\n"}, {_INDEX, _BUNDLE}),
    "a rule that hides nothing": ({".gitignore": "*.tmp\n/private/\n*.x\n"}, {_INDEX, _CONFIG}),
    "a rule that hides a file": ({".aiignore": "Wide.py\n"}, {_INDEX, _CONFIG, _BUNDLE}),
    "a comment in the rules": (
        # Its words count for what is similar.
        {".gitignore": "# none\n*.tmp\n/private/\n"},
        {_INDEX, _CONFIG, _BUNDLE},
    ),
    "something denied": ({".env": "A=1\n"}, set()),
    "something ignored": ({"private/a.py": "from shop.order import Order\n"}, set()),
}


@pytest.mark.parametrize("name", _WORKSPACES)
def test_what_changed_in_a_workspace_tells_which_fingerprint_changes(
    name: str, build_cache: BuildCache, tmp_path: Path, workers: Workers
) -> None:
    """Contents are the index's, rules the configuration's, and what is shown the bundle's."""
    files, expected = _WORKSPACES[name]
    before = built(build(build_cache, _REQUEST, settings()))
    with build_cache_on(write(tmp_path / "root", files), workers) as other:
        assert _changed(before, build(other, _REQUEST, settings())) == expected


_REQUESTS: Mapping[str, BuildRequest] = {
    "intent": BuildRequest(targets=_REQUEST.targets, intent=Intent("quickly")),
    "step": BuildRequest(targets=_REQUEST.targets, plan_step=PlanStep("s-1")),
    "title of the step": BuildRequest(targets=_REQUEST.targets, plan_step=PlanStep(title="t")),
    "text of the step": BuildRequest(targets=_REQUEST.targets, plan_step=PlanStep(description="t")),
    "constraint": BuildRequest(targets=_REQUEST.targets, constraints=(Constraint("none"),)),
    "target": BuildRequest(targets=(TargetSpec(path="shop/desk.py"),)),
    "symbol": BuildRequest(targets=(SHOP_TARGETS["method"],)),
    "selection": BuildRequest(
        targets=_REQUEST.targets, user_selected_targets=(TargetSpec(path="web/cart.ts"),)
    ),
    "dropped path": BuildRequest(targets=_REQUEST.targets, dropped_paths=("shop/money.py",)),
    "error": BuildRequest(targets=_REQUEST.targets, last_error=LastError("it broke")),
    "line of the error": BuildRequest(
        targets=_REQUEST.targets, last_error=LastError("it broke", "shop/desk.py", 2)
    ),
    "purpose": BuildRequest(targets=_REQUEST.targets, purpose=Purpose.PLAN),
}


def test_another_request_changes_the_bundle_alone(build_cache: BuildCache) -> None:
    """And no two of them give the same one."""
    plain_request = BuildRequest(targets=_REQUEST.targets)
    before = built(build(build_cache, plain_request, settings()))
    outcomes = {name: build(build_cache, each, settings()) for name, each in _REQUESTS.items()}
    assert {name: _changed(before, each) for name, each in outcomes.items()} == {
        name: {_BUNDLE} for name in _REQUESTS
    }
    fingerprints = {built(each).manifest.fingerprints for each in outcomes.values()}
    assert len(fingerprints) == len(_REQUESTS)


_SETTINGS: Mapping[str, tuple[Settings, set[str]]] = {
    "model": (settings(model__name="gpt-4o"), {_CONFIG, _BUNDLE}),
    "input": (settings(budget__max_input_tokens=90_000), {_CONFIG, _BUNDLE}),
    "reserve": (settings(budget__response_token_reserve=1), {_CONFIG, _BUNDLE}),
    "percentage": (settings(budget__soft_limit_threshold_pct=79), {_CONFIG, _BUNDLE}),
    "estimator": (settings(budget__estimator="chars4"), {_CONFIG}),
    "format": (settings(render__format="xml"), {_CONFIG}),
    "doc comments": (settings(slicing__signature_docs="full"), {_CONFIG}),
    "summaries": (settings(slicing__summary_only=True), {_CONFIG}),
    "hops": (settings(context__max_hops=2), {_CONFIG}),
    "candidates": (settings(context__max_candidates=1), {_CONFIG, _BUNDLE}),
    "optional blocks": (settings(context__optional_blocks=False), {_CONFIG, _BUNDLE}),
    "target's secrets": (settings(secrets__on_target_secret="redact"), {_CONFIG}),
    "harmless": (settings(secrets__harmless=["0" * 64]), {_CONFIG}),
    "denials": (settings(policy__deny=["nowhere/**"]), {_CONFIG}),
    "largest file": (settings(limits__max_file_bytes=1_000_000), {_CONFIG}),
    "paths in logs": (settings(log__paths=False), set()),
    "store": (settings(index__store=False), set()),
    "workers": (settings(index__jobs=7), set()),
}


@pytest.mark.parametrize("name", _SETTINGS)
def test_another_setting_changes_the_configuration(name: str, build_cache: BuildCache) -> None:
    """And the bundle where it shows there; settings that change no byte have no part in it."""
    chosen, expected = _SETTINGS[name]
    before = built(build(build_cache, _REQUEST, settings()))
    assert _changed(before, build(build_cache, _REQUEST, chosen)) == expected


def test_when_and_for_whom_a_bundle_is_made_changes_no_fingerprint(build_cache: BuildCache) -> None:
    """Nor any id: these two values are all that differs."""
    one = built(
        attempt_build(
            build_cache, _REQUEST, settings(), created_at="1", correlation_id="one"
        ).outcome
    )
    other = built(
        attempt_build(
            build_cache, _REQUEST, settings(), created_at="2", correlation_id="other"
        ).outcome
    )
    assert everything(one) != everything(other)
    assert everything(one) == everything(other).replace(
        b'"created_at":"2"', b'"created_at":"1"'
    ).replace(b'"correlation_id":"other"', b'"correlation_id":"one"')


def _changed(before: Built, after: Built | Refused) -> set[str]:
    one, other = before.manifest.fingerprints, built(after).manifest.fingerprints
    return {name for name in _FINGERPRINTS if getattr(one, name) != getattr(other, name)}
