"""Values whose names stand at the same place of another sequence, or on the line above."""

from __future__ import annotations

import pytest

from sightline.egress import scan

_VALUE = "heron" + "2017"

_PLACED = [
    'def open_(host, user, password):\n    pass\nopen_("db1", "bob", "{v}")\n',
    'func Open(host, user, password string) error\nerr := Open("db1", "bob", "{v}")\n',
    'class Db:\n    def __init__(self, host, password):\n        pass\ndb = Db("db1", "{v}")\n',
    'data class Db(val host: String, val password: String)\nval d = Db("db1", "{v}")\n',
    'struct Db {{ host: String, password: String }}\nlet d = Db::new("db1", "{v}");\n',
    '// open(host, user, password)\nopen("db1", "bob", "{v}");\n',
    'Db = namedtuple("Db", "host user password")\nd = Db("db1", "bob", "{v}")\n',
    "open_it() {{ local host=$1 password=$2; }}\nopen_it db1 {v}\n",
    "# usage: open.sh HOST USER PASSWORD\n./open.sh db1 bob {v}\n",
    "set -- db1 bob '{v}'\nPASSWORD=$3\n",
    'const [user, password] = "bob:{v}".split(":");\n',
    "IFS=: read user password <<< 'bob:{v}'\n",
    "keys: [user, password]\nvalues: [bob, {v}]\n",
    "[fields]\n7 = password\n[values]\n7 = {v}\n",
    "<tom> what was the wifi password?\n<anna> {v}\n",
    "/* the password\n * {v}\n */\n",
]


@pytest.mark.parametrize("text", _PLACED)
def test_the_place_tells_what_a_value_is(text: str) -> None:
    """A plain word with digits, which nothing else would find."""
    data = text.format(v=_VALUE).encode()
    start = data.index(_VALUE.encode())
    assert (start, start + len(_VALUE)) in [(each.span.start, each.span.end) for each in scan(data)]


@pytest.mark.parametrize(
    "text",
    [
        'def check(password, hint):\n    pass\ncheck(read(), "see chapter4")\n',
        'def token(kind, text):\n    pass\ntoken("word", "int64")\n',
        "what is the password?\nAsk the person who runs server2 for it.\n",
        "type: password\nlabel: field2\n",
        "# the password field\n# see issue1234\n",
    ],
)
def test_other_places_tell_nothing(text: str) -> None:
    """Other arguments, answers in sentences, settings of fields."""
    assert scan(text.encode()) == ()
