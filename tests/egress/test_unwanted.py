"""What a person called unwanted in code that no rule was written for, and what looks like it.

Each line is of a class, written anew: identifiers of shops, public keys, names of a program,
sentences about passwords. Beside it stands what the rule must still find.
"""

from __future__ import annotations

import base64

import pytest

from sightline.egress import scan
from tests.egress.values import cut, hexadecimal, key_lines, mixed, private_key, uuid

_NOTHING = [
    f'"payment_intent": "pi_{mixed(24)}"',
    f"uri: https://shop.test/v1/payment_methods/pm_{mixed(24)}",
    f'{{"tracker": {{"id": "trk_{hexadecimal(32)}"}}}}',
    f'"Idempotency-Key": "{uuid(3)}"',
    f'auth_key = "AAAAB3NzaC1yc2EAAAADAQABAAAA{mixed(64)}"',
    f"key: AAAAC3NzaC1lZDI1NTE5AAAAI{mixed(43)}",
    f"https://ci.test/pipelines/app-webhook-test/4/workflows/{uuid(5)}",
    'encryptionKey = "0123456789abcdef0123456789abcdef"',
    'key = "fedcba9876543210fedcba9876543210"',
    "push(args[0][0].device_token, args[0][0].apns_topic)",
    '"Zum Anmelden mit dem Passwort wird <a href=\\"%s\\">WebAuthn</a>\\" gebraucht."',
    'password = "testpassword"',
    'login("admin", password="fakepass1")',
    'dummy_token = "dummytoken"',
    'secretKey: "sk_xxx"',
    'fernet.decrypt(bytes(self._password, "utf-8"))',
    'fetch(url, {credentials: "include"})',
    '"api_key": "custom-model-key"',
    'EncryptedPrivateKey = "encryptedPrivateKey"',
    "private readonly ISetPasswordCommandV1 _setPasswordCommandV1;",
    "Username on which to perform password check\n",
    "Password to configure\n",
    "Set the users password on switch.\n",
]


@pytest.mark.parametrize("text", _NOTHING)
def test_what_a_reader_called_unwanted(text: str) -> None:
    assert scan(text.encode()) == ()


@pytest.mark.parametrize("value", ["Passw0rd", "P@ssw0rd1", "NewP@$$w0rd"])
def test_the_word_itself_with_signs_for_letters_stops_no_build(value: str) -> None:
    (finding,) = scan(f'password = "{value}"'.encode())
    assert finding.is_weak


def test_an_object_of_a_vendor_that_nobody_knows_is_weak_behind_a_name_for_it() -> None:
    value = f"zzq_{mixed(32)}"
    (finding,) = scan(f'"id": "{value}"'.encode())
    assert finding.is_weak
    (finding,) = scan(f'"value": "{value}"'.encode())
    assert not finding.is_weak
    (finding,) = scan(f'"id": "zzkey_{mixed(32)}"'.encode())
    assert not finding.is_weak


def test_a_secret_of_an_object_is_found() -> None:
    value = f"pi_{mixed(24)}_secret_{mixed(25, 2)}"
    (finding,) = scan(f'"client_secret": "{value}"'.encode())
    assert finding.span.end - finding.span.start == len(value)


@pytest.mark.parametrize(
    "address",
    [f"https://flows.test/webhook/{uuid(5)}", f"https://hooks.test/services/T0/{mixed(24)}"],
)
def test_an_address_that_takes_posts_is_found(address: str) -> None:
    (finding,) = scan(f"url: {address}\n".encode())
    assert finding.detector == "webhook-address"


def test_a_key_ends_where_its_block_ends() -> None:
    """A certificate behind it is no part of it, whichever reading finds the key."""
    certificate = "\n".join(
        ["-----BEGIN CERTIFICATE-----", *cut(mixed(400, 8)), "-----END CERTIFICATE-----"]
    )
    text = f"var key = []byte(`{private_key()}`)\n\nvar cert = []byte(`{certificate}`)\n"
    (finding,) = scan(text.encode())
    assert text[: finding.span.end].endswith("-----END RSA PRIVATE KEY-----")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("# we changed the password to sunshine.\n", "sunshine"),
        ("username admin privilege 15 password sunshine\n", "sunshine"),
        ("username admin password 0 sunshine\n", "sunshine"),
    ],
)
def test_a_sentence_or_a_command_that_sets_a_password_tells_it(text: str, value: str) -> None:
    (finding,) = scan(text.encode())
    assert text[finding.span.start : finding.span.end] == value


@pytest.mark.parametrize(
    "text",
    [
        "uses: aws-actions/configure-credentials@7474bc4690e29a8392af63c5b98e7449536d5c3a # v4",
        'DeleteDeployKey(ctx, ctx.Repo.Repository, ctx.FormInt64("id"))',
    ],
)
def test_a_pin_and_a_call_are_no_values(text: str) -> None:
    assert scan(text.encode()) == ()


def test_the_last_word_of_a_sentence_is_no_certain_password() -> None:
    """Else it would be looked for in every other text."""
    text = '"a": "Je wachtwoord is bijgewerkt. Log in",\n"b": "De taal is bijgewerkt."'
    assert all(finding.is_weak for finding in scan(text.encode()))


def test_a_part_of_an_address_whose_name_says_nothing_is_weak() -> None:
    value = f"{mixed(66, 4)}"
    (finding,) = scan(f"report-uri https://q.shop.test/csp?q={value};".encode())
    assert finding.is_weak
    (finding,) = scan(f"https://q.shop.test/csp?access_token={value}".encode())
    assert not finding.is_weak


@pytest.mark.parametrize(
    "text",
    [
        "SECRET_KEY_CHARSET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!@#'",
        "const mapsApiKey = useSetting('MapView_GMapsAPIKey', '');",
        "The `api_key` option goes with [0.29](#dd-sinks-api-key-options)",
        "total := int64(ts.PassTime)*int64(ts.Pass) + int64(passTime)",
    ],
)
def test_names_links_and_sums_are_no_values(text: str) -> None:
    assert scan(text.encode()) == ()


@pytest.mark.parametrize(
    "name", ["chk_1_aulpn7bjeortljhguy86phdn9", "zzq_7fp024p4rxvr858tsaggvf9dw"]
)
def test_a_made_up_name_of_one_case_is_weak(name: str) -> None:
    """Databases and clusters call their things so; a prefix that tells a key is none of theirs."""
    (finding,) = scan(f"alter table t add constraint {name} check (id != 1)".encode())
    assert finding.is_weak
    (finding,) = scan(f"see zzkey_{name[-25:]} there".encode())
    assert not finding.is_weak


def test_a_public_key_in_base64_once_more_is_public() -> None:
    lines = ["-----BEGIN PUBLIC " + "KEY-----", *key_lines(4), "-----END PUBLIC " + "KEY-----", ""]
    encoded = base64.b64encode("\n".join(lines).encode()).decode()
    assert scan(f'String keyData = "data:application/x-pem-file;base64,{encoded}";'.encode()) == ()
    assert scan(b"<Map mapApiKey={getMapApiKey()} />") == ()
