"""Settings: five layers, what each may do, and what happens to what cannot be understood."""

from __future__ import annotations

import argparse
import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sightline
from sightline.budget import MODELS, token_limits
from sightline.cli import settings as command
from sightline.cli.output import Output
from sightline.refusals import Refusal, RefusalKind
from sightline.settings import (
    KEYS,
    USER_PLACE,
    WORKSPACE_FILE,
    Authority,
    Key,
    Layer,
    Loaded,
    Message,
    Origin,
    Settings,
    load,
    read_user_file,
    read_workspace_file,
    settings_schema,
)
from sightline.workspace import Workspace

_SCHEMA = Path(sightline.__file__).parent / "schemas" / "settings.schema.json"
_DIGEST = "0123456789abcdef" * 4
_BY_NAME = {key.name: key for key in KEYS}


def _loaded(
    root: str | None = None,
    user: str | None = None,
    environment: Mapping[str, str] | None = None,
    request: Mapping[str, object] | None = None,
) -> Loaded:
    loaded = load(root, user, environment or {}, request or {})
    assert isinstance(loaded, Loaded), loaded
    return loaded


def _refused(
    root: str | None = None,
    user: str | None = None,
    environment: Mapping[str, str] | None = None,
    request: Mapping[str, object] | None = None,
) -> Refusal:
    refusal = load(root, user, environment or {}, request or {})
    assert isinstance(refusal, Refusal), refusal
    assert (refusal.kind, refusal.reason) == (RefusalKind.INVALID_REQUEST, "bad_setting")
    return refusal


# Layers


def test_without_any_layer_the_defaults_hold() -> None:
    loaded = _loaded()
    assert loaded.settings == Settings()
    assert loaded.messages == ()
    default = Origin(Layer.DEFAULT, ("default",))
    assert loaded.origins == {key.name: default for key in KEYS}


def test_a_later_layer_wins_and_each_value_says_where_it_comes_from() -> None:
    """One key is set in every layer, then the last layer is taken away, one after the other."""
    layers: list[tuple[int, Origin]] = [
        (50_000, Origin(Layer.USER, (USER_PLACE,))),
        (40_000, Origin(Layer.WORKSPACE, (WORKSPACE_FILE,))),
        (60_000, Origin(Layer.ENVIRONMENT, ("SIGHTLINE_BUDGET_MAX_INPUT_TOKENS",))),
        (70_000, Origin(Layer.REQUEST, ("request",))),
    ]
    for count in range(1, 5):
        loaded = _loaded(
            "[budget]\nmax_input_tokens = 40000\n" if count > 1 else None,
            "[budget]\nmax_input_tokens = 50000\n",
            {"SIGHTLINE_BUDGET_MAX_INPUT_TOKENS": "60000"} if count > 2 else {},
            {"budget.max_input_tokens": 70_000} if count > 3 else {},
        )
        value, origin = layers[count - 1]
        assert loaded.settings.budget.max_input_tokens == value
        assert loaded.origins["budget.max_input_tokens"] == origin
        assert loaded.messages == ()


def test_lists_add_up_over_the_layers() -> None:
    """What is denied anywhere stays denied; order and repetition have no meaning."""
    loaded = _loaded(
        '[policy]\ndeny = ["*.sql", "data/**"]\n',
        '[policy]\ndeny = ["z", "*.sql"]\nallow = ["packages/**"]\n',
        {"SIGHTLINE_POLICY_DENY": "b, a", "SIGHTLINE_POLICY_ALLOW": '["config/test.key"]'},
        {"policy.deny": ["é"], "secrets.harmless": [_DIGEST]},
    )
    assert loaded.settings.policy.deny == ("*.sql", "a", "b", "data/**", "z", "é")
    assert loaded.settings.policy.allow == ("config/test.key", "packages/**")
    assert loaded.settings.secrets.harmless == (_DIGEST,)
    assert loaded.origins["policy.deny"] == Origin(
        Layer.REQUEST, (USER_PLACE, WORKSPACE_FILE, "SIGHTLINE_POLICY_DENY", "request")
    )
    assert loaded.deny_sources == {
        "*.sql": USER_PLACE,
        "z": USER_PLACE,
        "data/**": WORKSPACE_FILE,
        "a": "SIGHTLINE_POLICY_DENY",
        "b": "SIGHTLINE_POLICY_DENY",
        "é": "request",
    }


def test_a_request_that_leaves_a_key_open_has_not_given_it() -> None:
    """A command line passes all of its options, set or not."""
    loaded = _loaded(None, "[context]\nmax_hops = 3\n", {}, {"context.max_hops": None})
    assert loaded.settings.context.max_hops == 3
    assert loaded.origins["context.max_hops"].layer is Layer.USER


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("model.name", "gpt-5", "gpt-5"),
        ("budget.response_token_reserve", "0", 0),
        ("render.format", "xml", "xml"),
        ("context.optional_blocks", "false", False),
        ("policy.deny", "", ()),
        ("policy.deny", '["a,b", "c"]', ("a,b", "c")),
        ("policy.deny", "c,a", ("a", "c")),
        ("index.jobs", "4", 4),
    ],
)
def test_the_environment_is_read_as_text(name: str, written: str, value: object) -> None:
    key = _BY_NAME[name]
    assert _loaded(environment={key.variable: written}).settings.value(key) == value


def test_every_key_has_a_variable_of_its_own() -> None:
    variables = [key.variable for key in KEYS]
    assert len(set(variables)) == len(KEYS)
    assert _BY_NAME["budget.max_input_tokens"].variable == "SIGHTLINE_BUDGET_MAX_INPUT_TOKENS"


def test_variables_that_are_no_settings_of_this_kind_are_left_alone() -> None:
    others = ("SIGHTLINE_CACHE_DIR", "SIGHTLINE_CONFIG_DIR", "SIGHTLINE_LANGUAGE_PATH", "HOME")
    assert _loaded(environment=dict.fromkeys(others, "x")).messages == ()


# The workspace's file


@pytest.mark.parametrize(
    ("toml", "name", "value"),
    [
        ("[budget]\nmax_input_tokens = 8000\n", "budget.max_input_tokens", 8000),
        ("[budget]\nresponse_token_reserve = 9000\n", "budget.response_token_reserve", 9000),
        ("[budget]\nsoft_limit_threshold_pct = 50\n", "budget.soft_limit_threshold_pct", 50),
        ("[context]\noptional_blocks = false\n", "context.optional_blocks", False),
        ("[context]\nmax_candidates = 10\n", "context.max_candidates", 10),
        ("[limits]\nmax_file_bytes = 1000\n", "limits.max_file_bytes", 1000),
        ("[log]\npaths = false\n", "log.paths", False),
        ('[policy]\ndeny = ["a"]\n', "policy.deny", ("a",)),
    ],
)
def test_a_workspace_tightens(toml: str, name: str, value: object) -> None:
    loaded = _loaded(toml)
    assert loaded.settings.value(_BY_NAME[name]) == value
    assert loaded.origins[name] == Origin(Layer.WORKSPACE, (WORKSPACE_FILE,))
    assert loaded.messages == ()


@pytest.mark.parametrize(
    ("toml", "name"),
    [
        ("[budget]\nmax_input_tokens = 100001\n", "budget.max_input_tokens"),
        ("[budget]\nresponse_token_reserve = 3999\n", "budget.response_token_reserve"),
        ("[budget]\nsoft_limit_threshold_pct = 81\n", "budget.soft_limit_threshold_pct"),
        ("[slicing]\nsignature_docs = 'full'\n", "slicing.signature_docs"),
        ("[context]\nmax_hops = 2\n", "context.max_hops"),
        ("[secrets]\non_target_secret = 'redact'\n", "secrets.on_target_secret"),
        ("[limits]\nmax_file_bytes = 60000000\n", "limits.max_file_bytes"),
        ("[policy]\nallow = ['packages/**']\n", "policy.allow"),
        (f"[secrets]\nharmless = ['{_DIGEST}']\n", "secrets.harmless"),
        ("[model]\nname = 'gpt-5'\n", "model.name"),
        ("[model.profiles.generic]\nmax_input_tokens = 1000000\n", "model.profiles"),
        ("[budget]\nestimator = 'chars4-1'\n", "budget.estimator"),
        ("[render]\nformat = 'json'\n", "render.format"),
        ("[slicing]\nsummary_only = true\n", "slicing.summary_only"),
        ("[index]\njobs = 1\n", "index.jobs"),
    ],
)
def test_a_workspace_that_would_loosen_is_told_so_and_has_no_effect(toml: str, name: str) -> None:
    """The generic model's own limits are what a workspace is compared with where none is set."""
    loaded = _loaded(toml)
    assert loaded.settings == Settings()
    assert loaded.origins[name].layer is Layer.DEFAULT
    [message] = loaded.messages
    assert (message.key, message.source) == (name, WORKSPACE_FILE)
    assert "ignored" in message.problem


def test_a_workspace_is_compared_with_the_model_that_is_asked_for_in_the_end() -> None:
    """8,000 tokens are less than most models take, and more than an old one does."""
    toml = "[budget]\nmax_input_tokens = 9000\n"
    assert _loaded(toml).settings.budget.max_input_tokens == 9000
    old = _loaded(toml, request={"model.name": "gpt-4"})
    assert old.settings.budget.max_input_tokens is None
    assert old.settings.profile()[0].max_input_tokens == 8192
    assert [message.key for message in old.messages] == ["budget.max_input_tokens"]


def test_a_workspace_may_repeat_what_holds() -> None:
    loaded = _loaded('[secrets]\non_target_secret = "refuse"\n[context]\nmax_hops = 1\n')
    assert (loaded.settings, loaded.messages) == (Settings(), ())


def test_a_workspace_that_leaves_no_room_is_refused() -> None:
    refusal = _refused("[budget]\nresponse_token_reserve = 100000\n")
    assert refusal.source == WORKSPACE_FILE
    assert "leaves no room" in refusal.message


# What cannot be understood


@pytest.mark.parametrize(
    ("toml", "rule"),
    [
        ("[budget]\nmax_input_tokens = '8000'\n", "budget.max_input_tokens"),
        ("[budget]\nmax_input_tokens = true\n", "budget.max_input_tokens"),
        ("[budget]\nmax_input_tokens = 8000.0\n", "budget.max_input_tokens"),
        ("[budget]\nmax_input_tokens = 0\n", "budget.max_input_tokens"),
        ("[budget]\nmax_input_tokens = 100000001\n", "budget.max_input_tokens"),
        ("[budget]\nresponse_token_reserve = -1\n", "budget.response_token_reserve"),
        ("[budget]\nsoft_limit_threshold_pct = 101\n", "budget.soft_limit_threshold_pct"),
        ("[budget]\nestimator = 'guess-1'\n", "budget.estimator"),
        ("[secrets]\non_target_secret = 'ignore'\n", "secrets.on_target_secret"),
        ("[secrets]\nharmless = ['abc']\n", "secrets.harmless"),
        (f"[secrets]\nharmless = ['{_DIGEST.upper()}']\n", "secrets.harmless"),
        ("[policy]\nallow = ['**']\n", "policy.allow"),
        ("[policy]\nallow = ['../outside']\n", "policy.allow"),
        ("[policy]\ndeny = '*.sql'\n", "policy.deny"),
        ("[policy]\ndeny = [1]\n", "policy.deny"),
        ("[policy]\ndeny = ['']\n", "policy.deny"),
        ("[policy]\ndeny = ['# comment']\n", "policy.deny"),
        ("[policy]\ndeny = ['a', '!a']\n", "policy.deny"),
        ("[policy]\ndeny = ['[a']\n", "policy.deny"),
        ('[policy]\ndeny = ["a\\nb"]\n', "policy.deny"),
        ("[policy]\ndeny = ['！a']\n", "policy.deny"),
        ("[policy]\ndeny = ['[[:upper:]]*']\n", "policy.deny"),
        ("[policy]\ndeny = ['**/a/**/b/**/c/**/d/**/e']\n", "policy.deny"),
        ("[limits]\nmax_file_bytes = 67108865\n", "limits.max_file_bytes"),
        ("[model]\nname = ''\n", "model.name"),
        ("[model]\nprofiles = 1\n", "model.profiles"),
        ("[model.profiles.mine]\nmax_input_tokens = 0\n", "model.profiles"),
        ("[model.profiles.mine]\nmax_inputs = 5\n", "model.profiles"),
        ("[model.profiles.mine]\nmax_input_tokens = 4000\n", "model.profiles"),
        ("[model.profiles.Mine]\n[model.profiles.mine]\n", "model.profiles"),
    ],
)
def test_a_bad_value_of_what_guards_is_a_refusal(toml: str, rule: str) -> None:
    refusal = _refused(user=toml)
    assert (refusal.rule, refusal.source) == (rule, USER_PLACE)
    assert rule in refusal.message
    assert refusal.advice


@pytest.mark.parametrize(
    ("toml", "key", "problem"),
    [
        ("[render]\nformat = 'html'\n", "render.format", "must be one of json, markdown, xml"),
        ("[context]\nmax_hops = 9\n", "context.max_hops", "must be a whole number from 1 to 4"),
        (
            "[log]\npaths = 'no'\n",
            "log.paths",
            "must be true or false, and is a string",
        ),
    ],
)
def test_any_other_bad_value_is_a_message(toml: str, key: str, problem: str) -> None:
    loaded = _loaded(user=toml)
    assert loaded.settings == Settings()
    assert loaded.messages == (Message(key, USER_PLACE, f"{problem}; the default is used"),)


def test_a_bad_value_leaves_the_value_of_the_layer_below() -> None:
    loaded = _loaded(None, "[context]\nmax_hops = 2\n", {"SIGHTLINE_CONTEXT_MAX_HOPS": "two"}, {})
    assert loaded.settings.context.max_hops == 2
    [message] = loaded.messages
    assert message.source == "SIGHTLINE_CONTEXT_MAX_HOPS"
    assert message.problem.endswith(f"the value from {USER_PLACE} is used")


@pytest.mark.parametrize(
    "written", ["", " 8000", "+8000", "8_000", "8e3", "0x10", "٨", "9" * 5000, "true"]
)
def test_a_variable_that_is_no_number_is_none(written: str) -> None:
    refusal = _refused(environment={"SIGHTLINE_BUDGET_MAX_INPUT_TOKENS": written})
    assert refusal.source == "SIGHTLINE_BUDGET_MAX_INPUT_TOKENS"


@pytest.mark.parametrize("written", ["[a].txt,b", '["a"', "[1]", "a,,b", "[" * 5000])
def test_a_variable_that_is_no_list_is_none(written: str) -> None:
    """A text that starts as JSON must be JSON: half of what is denied would open the rest."""
    assert _refused(environment={"SIGHTLINE_POLICY_DENY": written})


@pytest.mark.parametrize(
    ("toml", "suggestion"),
    [
        ("[policy]\ndenny = ['a']\n", "policy.deny"),
        ("[polcy]\ndeny = ['a']\n", "policy.deny"),
        ("[Policy]\nDeny = ['a']\n", "policy.deny"),
        ("[context]\ndeny = ['a']\n", "policy.deny"),
        ("deny = ['a']\n", "policy.deny"),
        ("'policy.deny' = ['a']\n", "policy.deny"),
        ("max_input_tokens = 8000\n", "budget.max_input_tokens"),
        ("[budget]\nmax_input = 8000\n", "budget.max_input_tokens"),
        ("[secret]\non_target = 'refuse'\n", "secrets.on_target_secret"),
    ],
)
def test_a_typing_error_in_what_should_guard_opens_nothing(toml: str, suggestion: str) -> None:
    for refusal in (_refused(toml), _refused(user=toml)):
        assert suggestion in refusal.advice


@pytest.mark.parametrize(
    "toml", ["policy = 1\n", "[[policy]]\ndeny = ['a']\n", "[limits]\nx = 1\n"]
)
def test_a_section_that_guards_holds_nothing_else(toml: str) -> None:
    assert _refused(toml)
    assert _refused(user=toml)


def test_a_guarding_name_in_environment_and_request_is_not_guessed_either() -> None:
    refusal = _refused(environment={"SIGHTLINE_POLICY_DENNY": "a"})
    assert refusal.rule == "SIGHTLINE_POLICY_DENNY"
    assert "SIGHTLINE_POLICY_DENY" in refusal.advice
    assert _refused(environment={"SIGHTLINE_policy_deny": "a"}).rule == "SIGHTLINE_policy_deny"
    assert "budget.max_input_tokens" in _refused(request={"budget.max_input_token": 1}).advice


def test_another_unknown_key_is_a_message_with_a_suggestion() -> None:
    loaded = _loaded("[render]\nformatt = 'xml'\n[project]\nname = 'x'\n[Log]\npaths = true\n")
    assert loaded.settings == Settings()
    shown = [str(message) for message in loaded.messages]
    assert shown == [
        "render.formatt in .sightline.toml is no setting and has no effect; "
        "did you mean render.format?",
        "project.name in .sightline.toml is no setting and has no effect; see 'sightline settings'",
        "Log.paths in .sightline.toml is no setting and has no effect; did you mean log.paths?",
    ]


@pytest.mark.parametrize(
    ("toml", "source"),
    [
        ("[log]\npaths = maybe\n", ":2"),
        ("[log]\npaths = true\npaths = true\n", ":3"),
        ("[log\n", ":1"),
        ("x = '''\n\n", ":3"),
        ("x = " + "9" * 5000, ""),
        ("x = " + "[" * 5000, ""),
        (".".join(["a"] * 30_000) + " = 1", ""),
        (".".join(['"\\""'] * 9_000) + " = 1", ""),
        ("\n".join(f"key{number} = 1" for number in range(5_000)), ""),
        ("#" * 600_000, ""),
        ("x = '\0'", ":1"),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else None,
)
def test_a_file_that_is_no_settings_file_is_refused(toml: str, source: str) -> None:
    assert _refused(toml).source == WORKSPACE_FILE + source
    assert _refused(user=toml).source == USER_PLACE + source


def test_a_byte_order_mark_is_no_content() -> None:
    assert _loaded("\ufeff[log]\npaths = false\n").settings.log.paths is False


@pytest.mark.parametrize(
    "toml",
    [
        "[secrets]\nharmless = ['{}']\n",
        "[policy]\ndeny = ['!{}']\n",
        "[policy]\nallow = ['*{}']\n",
        "[model]\nname = ['{}']\n",
        "[render]\nformat = '{}'\n",
        "[render]\n{} = 1\n",
        "[policy]\n{} = 1\n",
        "{} = 1\n",
        "x = {}\n",
        "[model.profiles.'{}']\nestimator = '{}'\n",
        "[budget]\nestimator = '{}'\n",
    ],
)
def test_no_answer_repeats_what_was_given(toml: str) -> None:
    """A key in the wrong place is still a secret."""
    value = "sk-" + "Zq7" * 15
    for answer in (
        load(toml.replace("{}", value), None, {}, {}),
        load(None, toml.replace("{}", value), {}, {}),
        load(None, None, {f"SIGHTLINE_{value}": "1"}, {}),
        load(None, None, {"SIGHTLINE_POLICY_DENY": f"[{value}"}, {}),
        load(None, None, {}, {value: value}),
        load(None, None, {}, {"budget.estimator": value}),
    ):
        told = answer.as_dict() if isinstance(answer, Refusal) else answer.messages
        assert "Zq7Zq7" not in repr(told)


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from([*_BY_NAME, "policy.x", "x"]) | st.text(), _ANYTHING),
    st.dictionaries(
        st.sampled_from([key.variable for key in KEYS]), st.text(max_size=20), max_size=3
    ),
    st.text(max_size=40),
)
@example({"model.name": "\ud800"}, {}, "")
@example({"policy.deny": ["\ud800"]}, {}, "")
@example({"model.profiles": {"\ud800": {}}}, {}, "")
def test_nothing_that_is_given_raises(
    request_values: dict[str, object], environment: dict[str, str], text: str
) -> None:
    """Whatever comes from outside ends in settings that hold together, or in a refusal."""
    for root_text in (None, text):
        answer = load(root_text, None, environment, request_values)
        if isinstance(answer, Loaded):
            answer.settings.profile()
            json.dumps(answer.settings.canonical()).encode()


# Only tighter


def _toml(layer: Mapping[str, object]) -> str:
    lines = []
    for name, value in layer.items():
        written = json.dumps(value)
        if name == "model.profiles":
            written = "{ generic = { max_input_tokens = 500000 } }"
        lines.append(f"{name} = {written}\n")
    return "".join(lines)


def _values(key: Key) -> st.SearchStrategy[object]:
    """Values that a key takes, of the size of its default and of any other."""
    schema = key.kind.schema()
    if schema.get("type") == "integer":
        least, most = schema["minimum"], schema["maximum"]
        assert isinstance(least, int)
        assert isinstance(most, int)
        near = [each for each in (3_999, 4_000, 8_000, 100_000) if least <= each <= most]
        return st.integers(least, most) | st.sampled_from([least, most, *near])
    if "enum" in schema:
        words = schema["enum"]
        assert isinstance(words, list)
        return st.sampled_from(words)
    return {
        "model.name": st.sampled_from([profile.model for profile in MODELS] + ["unheard-of"]),
        "model.profiles": st.just({"generic": {"max_input_tokens": 500_000}}),
        "budget.estimator": st.just("chars4-1"),
        "policy.allow": st.just(["packages/**"]),
        "policy.deny": st.lists(st.sampled_from("abcd"), max_size=3),
        "secrets.harmless": st.just([_DIGEST]),
    }.get(key.name, st.booleans())


_LAYER = st.lists(st.sampled_from(KEYS), max_size=8, unique=True).flatmap(
    lambda keys: st.fixed_dictionaries({key.name: _values(key) for key in keys})
)


@given(workspace=_LAYER, user=_LAYER, request_values=_LAYER)
@example(workspace={"policy.deny": ["b"]}, user={"policy.deny": ["a"]}, request_values={})
@settings(max_examples=300)
def test_a_workspace_never_loosens(
    workspace: dict[str, object], user: dict[str, object], request_values: dict[str, object]
) -> None:
    """With any workspace file over any user settings, every key is as tight as without it."""
    without = load(None, _toml(user), {}, request_values)
    loaded = load(_toml(workspace), _toml(user), {}, request_values)
    if isinstance(without, Refusal):
        assert isinstance(loaded, Refusal)
        return
    if isinstance(loaded, Refusal):
        return
    for key in KEYS:
        before, after = without.settings.value(key), loaded.settings.value(key)
        match key.authority:
            case Authority.NOTHING:
                assert after == before
            case Authority.ADD:
                assert set(after) >= set(before)
            case Authority.LOWER if key.section != "budget":
                assert key.kind.rank(after) <= key.kind.rank(before)
    before, after = (each.settings.profile()[0] for each in (without, loaded))
    assert after.max_input_tokens <= before.max_input_tokens
    assert after.max_output_tokens <= before.max_output_tokens
    assert after.response_token_reserve >= before.response_token_reserve
    assert after.soft_limit_threshold_pct <= before.soft_limit_threshold_pct
    assert token_limits(after).hard <= token_limits(before).hard
    assert token_limits(after).soft <= token_limits(before).soft


# Models and budget


def test_profiles_of_the_user_come_before_those_that_are_built_in() -> None:
    """A field that is left out is as it is without the profile."""
    toml = """
        [model]
        name = "House-7B"
        [model.profiles.house-7b]
        provider = "house"
        max_input_tokens = 16000
        max_output_tokens = 2000
        response_token_reserve = 1000
        soft_limit_threshold_pct = 70
        estimator = "chars4"
        [model.profiles.gpt-4]
        max_input_tokens = 7000
    """
    profile, note = _loaded(user=toml).settings.profile()
    assert note is None
    assert (profile.provider, profile.max_input_tokens, profile.response_token_reserve) == (
        "house",
        16_000,
        1_000,
    )
    assert profile.estimator == "chars4-1"
    assert token_limits(profile).soft == 10_500
    old, _ = _loaded(user=toml, request={"model.name": "gpt-4"}).settings.profile()
    assert (old.provider, old.max_input_tokens, old.response_token_reserve) == (
        "openai",
        7_000,
        2_000,
    )


def test_budget_settings_take_the_place_of_the_models_own() -> None:
    request = {
        "model.name": "claude-sonnet",
        "budget.max_input_tokens": 20_000,
        "budget.estimator": "chars4",
    }
    loaded = _loaded(request=request)
    assert loaded.settings.budget.estimator == "chars4-1"
    profile, _ = loaded.settings.profile()
    assert (profile.provider, profile.max_input_tokens) == ("anthropic", 20_000)


def test_budget_settings_that_leave_no_room_are_refused_with_all_their_places() -> None:
    refusal = _refused(
        environment={"SIGHTLINE_BUDGET_RESPONSE_TOKEN_RESERVE": "9000"},
        request={"budget.max_input_tokens": 9_000},
    )
    assert refusal.source == "request, SIGHTLINE_BUDGET_RESPONSE_TOKEN_RESERVE"
    assert _loaded(
        environment={"SIGHTLINE_BUDGET_RESPONSE_TOKEN_RESERVE": "9000"},
        request={"budget.max_input_tokens": 9_001},
    )


def test_a_model_that_is_not_known_has_generic_limits_and_a_note() -> None:
    profile, note = _loaded(request={"model.name": "unheard-of"}).settings.profile()
    assert profile.max_input_tokens == 100_000
    assert note is not None


# Canonical form and schema


def test_canonical_settings_do_not_depend_on_how_they_were_written() -> None:
    one = _loaded(
        None,
        "[policy]\ndeny = ['b', 'a', 'b']\n[model.profiles.y]\n[model.profiles.x]\n",
    )
    other = _loaded(
        "[policy]\ndeny = ['a']\n",
        "[model.profiles.x]\n[model.profiles.y]\n[policy]\ndeny = ['b']\n",
    )
    canonical = json.dumps(one.settings.canonical())
    assert canonical == json.dumps(other.settings.canonical())
    assert '"deny": ["a", "b"]' in canonical


def test_canonical_settings_are_those_that_can_change_a_bundle() -> None:
    """How many workers parse, or whether logs name files, changes no byte of it."""
    plain = _loaded().settings
    environment = {
        "SIGHTLINE_INDEX_JOBS": "3",
        "SIGHTLINE_INDEX_STORE": "false",
        "SIGHTLINE_LOG_PATHS": "false",
    }
    quiet = _loaded(environment=environment).settings
    assert quiet.as_dict() != plain.as_dict()
    assert quiet.canonical() == plain.canonical()
    for key in KEYS:
        if key.section not in ("index", "log"):
            assert key.field in plain.canonical()[key.section]


def test_the_published_schema_is_that_of_the_settings(request: pytest.FixtureRequest) -> None:
    content = json.dumps(settings_schema(), indent=2, ensure_ascii=False) + "\n"
    if request.config.getoption("--update-golden"):
        _SCHEMA.write_text(content, "utf-8", newline="\n")
    assert _SCHEMA.read_text("utf-8") == content
    jsonschema.Draft202012Validator.check_schema(settings_schema())


_VALIDATOR = jsonschema.Draft202012Validator(settings_schema())


@given(_LAYER)
def test_what_the_settings_take_is_valid_under_the_schema(layer: dict[str, object]) -> None:
    _VALIDATOR.validate(tomllib.loads(_toml(layer)))


@pytest.mark.parametrize(
    "toml",
    [
        "[policy]\ndenny = []\n",
        "[polcy]\ndeny = []\n",
        "[budget]\nmax_input_tokens = true\n",
        "[budget]\nmax_input_tokens = 0\n",
        "[render]\nformat = 'html'\n",
        "[secrets]\nharmless = ['abc']\n",
        "[model.profiles.x]\nmax_inputs = 1\n",
    ],
)
def test_what_the_settings_refuse_is_invalid_under_the_schema(toml: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(toml), settings_schema())


# Files


def _read(folder: Path) -> str | Refusal | None:
    return read_user_file({"SIGHTLINE_CONFIG_DIR": str(folder)})


def test_the_users_file_is_read_where_it_is_said_to_be(tmp_path: Path) -> None:
    assert _read(tmp_path) is None
    (tmp_path / "settings.toml").write_bytes(b"\xef\xbb\xbf[log]\r\npaths = false\r\n")
    text = _read(tmp_path)
    assert isinstance(text, str)
    assert _loaded(user=text).settings.log.paths is False


def test_a_folder_that_is_none_has_no_settings(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert _read(tmp_path / "file") is None
    assert _read(tmp_path / "missing" / "folder") is None


@pytest.mark.parametrize(
    "fault", ["directory", "dangling", "loop", "latin", "large", "writable", "pipe", "unreadable"]
)
def test_a_users_file_that_cannot_be_read_is_a_refusal(tmp_path: Path, fault: str) -> None:
    """It may hold what guards."""
    file = tmp_path / "settings.toml"
    match fault:
        case "directory":
            file.mkdir()
        case "dangling":
            file.symlink_to("nowhere.toml")
        case "loop":
            file.symlink_to("settings.toml")
        case "pipe":
            os.mkfifo(file)
        case "latin":
            file.write_bytes("# é".encode("latin-1"))
        case "large":
            file.write_bytes(b"#" * 600_000)
        case "writable":
            file.write_bytes(b"")
            file.chmod(0o666)
        case "unreadable":
            if os.geteuid() == 0:
                pytest.skip("everything is readable for this user")
            file.write_bytes(b"")
            file.chmod(0o000)
    refusal = _read(tmp_path)
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.source) == ("bad_setting", USER_PLACE)
    assert str(tmp_path) not in repr(refusal)


def test_the_workspaces_file_comes_through_the_workspaces_door(tmp_path: Path) -> None:
    assert read_workspace_file(Workspace(tmp_path)) is None
    (tmp_path / WORKSPACE_FILE).write_text("[log]\npaths = false\n")
    assert read_workspace_file(Workspace(tmp_path)) == "[log]\npaths = false\n"


def test_a_workspaces_file_that_is_withheld_is_a_refusal(tmp_path: Path) -> None:
    (tmp_path / WORKSPACE_FILE).write_text("[log]\npaths = false\n")
    (tmp_path / ".gitignore").write_text(".*\n")
    refusal = read_workspace_file(Workspace(tmp_path))
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.source) == ("bad_setting", WORKSPACE_FILE)
    assert ".gitignore:1" in refusal.message


# The command


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace, and a folder of user settings that is empty."""
    for variable in list(os.environ):
        if variable.startswith("SIGHTLINE_"):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    (tmp_path / "root").mkdir()
    return tmp_path


def _run(place: Path, *, as_json: bool) -> int:
    options = argparse.Namespace(root=str(place / "root"))
    return command.run(options, Output(json=as_json))


def test_the_command_prints_what_holds_and_where_it_comes_from(
    place: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (place / "config" / "settings.toml").write_text('[model]\nname = "gpt-4"\n')
    (place / "root" / WORKSPACE_FILE).write_text(
        "[budget]\nmax_input_tokens = 5000\n[context]\nmax_hops = 3\n"
    )
    assert _run(place, as_json=False) == 0
    shown, told = (each.decode() for each in capfdbinary.readouterr())
    rows = {line.split()[0]: line.split(maxsplit=1)[1] for line in shown.splitlines()}
    assert list(rows) == [key.name for key in KEYS]
    assert rows["model.name"].split(maxsplit=1) == ["gpt-4", USER_PLACE]
    assert rows["budget.max_input_tokens"].split() == ["5000", WORKSPACE_FILE]
    assert rows["budget.response_token_reserve"].startswith("2000 (the model's own)")
    assert len({line.index(line.split(maxsplit=1)[1]) for line in shown.splitlines()}) == 1
    assert told.startswith("sightline: context.max_hops in .sightline.toml would loosen it")
    assert str(place) not in shown + told


def test_the_command_answers_programs(
    place: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGHTLINE_POLICY_DENY", "*.sql")
    assert _run(place, as_json=True) == 0
    record = json.loads(capfdbinary.readouterr().out)
    assert record["settings"]["policy"]["deny"] == ["*.sql"]
    assert record["origins"]["policy.deny"] == {
        "layer": "environment",
        "places": ["SIGHTLINE_POLICY_DENY"],
    }
    assert record["model"]["max_input_tokens"] == 100_000
    assert record["messages"] == []


@pytest.mark.parametrize("file", ["config/settings.toml", f"root/{WORKSPACE_FILE}"])
def test_the_command_refuses_bad_settings(
    place: Path, capfdbinary: pytest.CaptureFixture[bytes], file: str
) -> None:
    (place / file).write_text("[policy]\ndenny = ['a']\n")
    assert _run(place, as_json=True) == 2
    captured = capfdbinary.readouterr()
    assert json.loads(captured.out)["refusal"]["rule"] == "policy.denny"
    assert b"did you mean policy.deny?" in captured.err
