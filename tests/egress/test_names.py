"""Which names may be secrets, so that nothing on the disk keeps them."""

from __future__ import annotations

import pytest

from sightline.egress.names import may_be_secret, names_a_secret
from tests.egress.values import hexadecimal, letters, mixed, uuid


@pytest.mark.parametrize(
    "name",
    [
        mixed(20),
        mixed(36),
        "ghp_" + mixed(36),
        hexadecimal(32),
        uuid(),
        letters(40),
        "aBcDeFgHiJ12",
    ],
)
def test_names_that_look_like_chance(name: str) -> None:
    assert may_be_secret(name)
    assert may_be_secret(f"some/folder/{name}/file.py")


@pytest.mark.parametrize(
    "name",
    [
        "self",
        "get_user_by_id",
        "getUserByIdFromDatabase",
        "HTTPResponse",
        "base64_encode",
        "sha256_hexdigest",
        "int32ToInt64",
        "test_a_secret_in_the_target_is_refused",
        "NSURLSessionConfiguration",
        "src/main/java/Shop.java",
    ],
)
def test_names_of_words(name: str) -> None:
    assert not may_be_secret(name)


@pytest.mark.parametrize(
    ("text", "is_clean"),
    [
        ("DB_PASSWORD=sunshine\nDB_HOST=localhost\n", True),
        ("export API_TOKEN=hunter2isgreat\n", True),
        ("db:\n  password: letmein2024\n", True),
        ("curl -u admin:Winter!2024 https://x.test\n", False),
        ("password: sunshine\n", False),
    ],
)
def test_a_plain_word_that_is_a_secret_where_it_stands(text: str, is_clean: bool) -> None:
    names = ["DB_HOST", "db", "curl", "sunshine", "hunter2isgreat", "letmein2024", "Winter"]
    assert names_a_secret(text.encode(), names, is_clean=is_clean)
    # The same words are none without the text.
    assert not names_a_secret(b"pass\n", names, is_clean=is_clean)


def test_a_secret_in_a_string_is_no_name() -> None:
    text = b'password = "sunshine"\n\n\ndef use(password: str) -> None: ...\n'
    assert not names_a_secret(text, ["password", "use", "str"], is_clean=True)


def test_an_account_with_its_password_as_one_word() -> None:
    """To a shell it is the name of a command."""
    word = "Username:master/Password:dipPr125Gg!"
    assert names_a_secret(f"{word}\n".encode(), [word], is_clean=True)
    names = ["std::string", "println!", "./lib/a", "github.com/a/b", "Map<string, X>", "a.b"]
    assert not names_a_secret(b"x\n", names, is_clean=True)
