"""Values in pieces that no language at hand puts together: every piece of one is covered."""

from __future__ import annotations

import pytest

from sightline.egress import scan
from tests.egress.values import mixed

_HEAD, _TAIL, _THIRD = mixed(13, 3), mixed(12, 4), mixed(11, 5)

_TOGETHER = [
    'db_password = "{a}" * "{b}"',
    "let g:db_password = '{a}'\n      \\ . '{b}'\n",
    'character(len=40) :: db_password = "{a}" // "{b}"',
    "lv_password = '{a}' && '{b}'.",
    'db_password <- "{a}" %+% "{b}"',
    'db_password = "{a}" ...\n    + "{b}"',
    '+db_password = ("{a}"\n+               "{b}")\n',
    '> password: "{a}" +\n> "{b}"\n',
    "password(tom, P) :- atom_concat('{a}', '{b}', P).",
    '{{:db-password (str-join "" ["{a}" "{b}"])}}',
    '{{"MasterUserPassword": {{"Fn::Join": ["", ["{a}", "{b}"]]}}}}',
    "db_password = ['{a}', '{b}'] | join('')",
    'db_password = List.fold_left ["{a}"; "{b}"]',
]


@pytest.mark.parametrize("text", _TOGETHER)
def test_every_string_of_an_expression_is_covered(text: str) -> None:
    """Where one piece is found, those that are put together with it are found too."""
    assert _left(text.format(a=_HEAD, b=_TAIL), _HEAD, _TAIL) == []


@pytest.mark.parametrize(
    "text",
    [
        'login("{a}", "{b}")',
        'user = "{b}"; db_password = "{a}"',
        '{{"password": "{a}", "city": "{b}"}}',
        'db_password = "{a}" if x else y; z = "{b}"',
    ],
)
def test_other_strings_near_a_secret_stay(text: str) -> None:
    """Arguments, fields and statements beside a value are no parts of it."""
    shown = text.format(a=_HEAD, b="Hamburg Altona")
    assert _left(shown, "Hamburg Altona") == ["Hamburg Altona"]


def _left(text: str, *values: str) -> list[str]:
    """The values of which something is outside of every finding."""
    data = text.encode()
    covered = {place for each in scan(data) for place in range(each.span.start, each.span.end)}
    return [
        value
        for value in values
        if not covered.issuperset(
            range(start := data.index(value.encode()), start + len(value.encode()))
        )
    ]
