"""Passwords below a column of a table in markup."""

from __future__ import annotations

import pytest

from sightline.egress import scan

from .values import mixed

_TABLES = [
    "[cols=2]\n|===\n|Host |Password\n\n|db01 |{}\n|===\n",
    "|===\n|Host\n|Kennwort\n\n|db01\n|{}\n|===\n",
    '{{| class="wikitable"\n! Host !! Password\n|-\n| db01 || {}\n|}}\n',
    "{{|\n! Host\n! Password\n|-\n| db01\n| {}\n|}}\n",
    "||Host||Password||\n|db01|{}|\n",
    "Host & Password \\\\ \\hline\ndb01 & {} \\\\\n",
    ".. list-table::\n\n   * - Host\n     - Password\n   * - db01\n     - {}\n",
    "HOST     PASSWORD\ndb01     {}\n",
    "Host    Login    Password\n----    -----    --------\ndb01    bob      {}\n",
    "url,username,password,totp,extra\nhttps://db01,bob,{},,\n",
]


@pytest.mark.parametrize("table", _TABLES)
@pytest.mark.parametrize(("value", "is_weak"), [(mixed(18, 3), False), ("Walrus_731", True)])
def test_a_value_below_such_a_name_is_a_password(table: str, value: str, is_weak: bool) -> None:
    text = table.format(value).encode()

    found = [each for each in scan(text) if each.span.start == text.index(value.encode())]

    assert [each.span.end - each.span.start for each in found] == [len(value)]
    assert is_weak or not found[0].is_weak


def test_session_ids_in_a_column_are_secrets() -> None:
    value = b"q7wk2mzx9vb4nt6rj1hc8ygd3fp5sl0a"
    text = b"session_id,user_id,expires\n" + value + b",17,2031-01-14\n"

    assert text.index(value) in [each.span.start for each in scan(text)]


@pytest.mark.parametrize(
    "table",
    [
        "|===\n|Option |Password\n\n|a |required\n|===\n",
        "User & Password field & Meaning \\\\\n a & the password & of the user \\\\\n",
        "NAME      TOKEN\nvalue     description\n",
    ],
)
def test_words_in_a_table_are_none(table: str) -> None:
    assert scan(table.encode()) == ()
