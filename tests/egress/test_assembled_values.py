"""Constants that are declared somewhere and put together where a telling name stands."""

from __future__ import annotations

import pytest

from sightline.egress import scan
from tests.egress.values import mixed

_A, _B = mixed(12, 7), mixed(13, 8)

_ASSEMBLED = [
    # Behind the word of a header, and in the words of a comment.
    'steps:\n  - A={a}\n  - B={b}\n  - curl -H "Authorization: Bearer $A$B" https://x.test\n',
    '# the token is LEFT + RIGHT, see below\nLEFT = "{a}"\ndef f():\n    RIGHT = "{b}"\n',
    '// password: first .. second\nlocal first = "{a}"\nlocal second = "{b}"\n',
    # Declared as fields, anchors, macros, entities, definitions.
    'parts:\n  a: &one "{a}"\n  b: &two {b}\ndb:\n  password: !concat [*one, *two]\n',
    'variables:\n  ONE: "{a}"\n  TWO: {b}\n  DB_PASSWORD: "${{ONE}}${{TWO}}"\n',
    "\\newcommand{{\\pwOne}}{{{a}}}\n\\def\\pwTwo{{{b}}}\n"
    "The password is \\texttt{{\\pwOne\\pwTwo}}.\n",
    '<!ENTITY one "{a}">\n<!ENTITY two "{b}">\n<password>&one;&two;</password>\n',
    '-define(ONE, "{a}").\n-define(TWO, "{b}").\npassword() -> ?ONE ++ ?TWO.\n',
    '#define ONE "{a}"\n#define TWO "{b}"\n/* password = ONE + TWO */\n',
    ":one: {a}\n:two: {b}\n\nThe password is `{{one}}{{two}}`.\n",
    '(define one "{a}")\n(setq two "{b}")\n; password = one + two\n',
    'set one to "{a}"\nset two to "{b}"\nset vpnPassword to one & two\n',
    '{{"one": "{a}", "two": "{b}"}}\n# password: one + two\n',
    # A constant and the rest in one string.
    "var head = '{a}'\nvar adminPassword = '${{head}}{b}'\n",
    'HEAD = "{a}"\ndb_password = f"{{HEAD}}{b}"\n',
    'tail = "{b}"\ndb_password = "{a}#{{tail}}"\n',
    'let head = "{a}"\nlet dbPassword = "\\(head){b}"\n',
    "set HEAD={a}\nset DB_PASSWORD=%HEAD%{b}\n",
    "HEAD := {a}\nDB_PASSWORD := $(HEAD){b}\n",
    'head = "{a}"\ndb_password = head + "{b}"\n',
]


@pytest.mark.parametrize("text", _ASSEMBLED)
def test_every_piece_is_found_where_it_is_declared(text: str) -> None:
    """Nothing of any of the constants is left."""
    data = text.format(a=_A, b=_B).encode()
    covered = {place for each in scan(data) for place in range(each.span.start, each.span.end)}
    for value in (_A.encode(), _B.encode()):
        start = data.index(value)
        assert covered.issuperset(range(start, start + len(value)))


@pytest.mark.parametrize(
    "text",
    [
        'base = "/api"\npassword_url = base + "/password/reset"\n',
        'PREFIX = "x-"\nTOKEN_HEADER = PREFIX + "token"\n',
        'first = "Enter your"\nsecond = "new name"\nprint("password", first + second)\n',
        'kind = "text"\nsize = "large"\n# the password field is kind + size\n',
    ],
)
def test_names_and_labels_that_are_put_together_are_none(text: str) -> None:
    """What a program makes near the word for a secret is mostly something else."""
    assert scan(text.encode()) == ()
