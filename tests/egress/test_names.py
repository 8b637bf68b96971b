"""Which names may be secrets, so that nothing on the disk keeps them."""

from __future__ import annotations

import pytest

from sightline.egress.names import may_be_secret
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
