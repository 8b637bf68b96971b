"""Values near a word for a secret, whatever stands between, and values that nothing explains."""

from __future__ import annotations

import pytest

from sightline.egress import Certainty, Finding, scan
from tests.egress.values import hexadecimal, mixed

_FORMS = [
    '01 WS-API-TOKEN PIC X(40) VALUE "{}".',
    "DATA api_token TYPE string VALUE '{}'.",
    '(defparameter *api-token* "{}")',
    "let api_token = {{|{}|}}",
    "set api_token {{{}}}",
    'v_api_token VARCHAR2(64) := "{}";',
    "api_token ~ {}",
    "api_token ........ {}",
    "**api token** `{}`",
    "# the api_token\n{}",
    "// api_token for staging\nconst x = '{}';",
    "const x = '{}'; // api_token",
    "Please use {} as the api_token from now on.",
    "api_token(\n    '{}',\n)",
    "bob> api_token?\namy> {}",
    "- api_token\n- {}",
    "${{API_TOKEN}}    {}",
]
_PASSWORDS = [
    "LET PASSWORD$ = {!r}",
    "db_password ~ {}",
    "Bitte nimm {} als Passwort.",
    "TODO: rotate the password ({}) before launch",
    "# smtp password\n{}",
    "set password {{{}}}",
]


def _covers(data: bytes, value: str) -> list[Finding]:
    start = data.index(value.encode())
    end = start + len(value)
    return [each for each in scan(data) if each.span.start <= start and each.span.end >= end]


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("value", [mixed(32), "zzq_" + mixed(28), hexadecimal(64)])
def test_a_token_near_its_name(form: str, value: str) -> None:
    assert _covers(form.format(value).encode() + b"\n", value)


@pytest.mark.parametrize(
    "form",
    ['createHmac("sha256", "{}").update(x)', "jwt.sign(claims, '{}')", 'decrypt(text, "{}")'],
)
def test_a_literal_in_a_call_that_takes_a_key(form: str) -> None:
    value = mixed(20)
    assert _covers(form.format(value).encode(), value)


def test_a_value_behind_a_name_in_quotes() -> None:
    """The quote behind the name closes a string and opens none."""
    assert _covers(b'$("#password").val("MonkeyCopper2")', "MonkeyCopper2")


@pytest.mark.parametrize("pattern", ["/-/g", "/[-_]/g", "/-+/g"])
def test_signs_that_a_regular_expression_removes(pattern: str) -> None:
    value = "-".join(("sk", "_l", "ive", "_" + mixed(8), mixed(8, 2), mixed(8, 3)))
    data = f'key = "{value}".replace({pattern}, "")'.encode()
    assert _covers(data, value)


@pytest.mark.parametrize("form", _PASSWORDS)
@pytest.mark.parametrize("value", ["Winter2024", "bluebird42", "kaffee_77"])
def test_a_made_up_word_near_a_password(form: str, value: str) -> None:
    data = form.format(value).encode() + b"\n"
    assert [each.certainty for each in _covers(data, value)] == [Certainty.WEAK]


@pytest.mark.parametrize(
    "text",
    [
        "sig := hmac.New(sha256.New, secret)",
        "token, err := auth.GetOAuth2GrantByID(ctx, token.GrantID)",
        "the password must have at least 12 characters, see RFC2289",
        '"password": "Passwort", "pkcs12Export": "Ausgabe"',
        "token commit " + hexadecimal(40),
        '{"token": null, "created_at": "2020-12-11T19:12:11.141Z"}',
        "password := int64(12)",
        "network.PortSet{PASSWORD: x86_64}",
        'NewRequest(t, "GET", "/api/v1/teams/7").AddTokenAuth(token)',
        "$self->semStack[$stackPos-(1-1)] = $self->tokenStartStack[$stackPos-(2-1)];",
        "token = this.stack.tokens[position-(2-1)] ?? self.values[index-1]",
    ],
)
def test_what_else_stands_near_such_a_word(text: str) -> None:
    assert scan(text.encode()) == ()


def test_a_line_that_has_its_value_says_nothing_about_the_next() -> None:
    data = b'password = "sunshine7"\nprint("moonlight8")\n'
    assert [data[each.span.start : each.span.end] for each in scan(data)] == [b"sunshine7"]


def test_a_random_value_that_nothing_explains_is_weak() -> None:
    data = f"seat = {mixed(28)}\n".encode()
    assert [each.certainty for each in scan(data)] == [Certainty.WEAK]


@pytest.mark.parametrize(
    "text",
    [
        '"{}": {{',
        "integrity sha512-{}",
        'Uuid.fromString("{}")',
        "clusterId: {}",
        '<link href="{}">',
        "csrf_token = '{}'",
    ],
)
def test_a_random_value_that_something_explains_is_none(text: str) -> None:
    assert scan(text.format(mixed(28)).encode()) == ()


def test_a_rule_that_knows_the_form_sets_the_bounds() -> None:
    """The word of a shell is longer than the value in it."""
    value = mixed(28)
    data = f"TOKEN=${{TOKEN:-{value}}}".encode()
    assert [data[each.span.start : each.span.end] for each in scan(data)] == [value.encode()]
