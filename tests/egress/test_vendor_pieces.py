"""Keys of vendors that a program or a text keeps in pieces: every piece is covered."""

from __future__ import annotations

import pytest

from sightline.egress import scan

from .values import mixed

_FORMS = [
    'parts = ["{0}", "{1}", "{2}"]\ntoken = "".join(parts)',
    "KEY = %w[{0} {1} {2}].join",
    'b.append("{0}");\n    b.append("{1}");\n    b.append("{2}");',
    "const a = '{0}';\nconst token = `${{a}}{1}`;",
    'let a = "{0}"\nlet token = "\\(a){1}"',
    'head = "{0}"\nrest = "{1}"\nkey = f"{{head}}{{rest}}"',
    "# the key was\n# {0}\n# {1}\n# {2}\n# ask Ann",
    "> {0}\n> {1}\n> {2}\n",
    "the key: {0}=\n{1}=\n{2}\n",
    "<code><span>{0}</span><span class=x>{1}</span><wbr>{2}</code>",
    '+TOKEN = ("{0}"\n+         "{1}")',
    'TOKEN="{0}"\'{1}\'"{2}"',
    "first half: {0}\nsecond half: {1}\n",
    '{{"a": "{0}", "b": "{1}"}}',
]


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("prefix", ["ghp" + "_", "sk-" + "proj-", "xox" + "b-"])
def test_every_piece_of_a_key(form: str, prefix: str) -> None:
    for seed in range(12):
        pieces = [prefix + mixed(14, seed), mixed(16, seed + 100), mixed(13, seed + 200)]
        data = form.format(*pieces).encode()
        covered = bytearray(data)
        for finding in scan(data):
            covered[finding.span.start : finding.span.end] = b" " * finding.span.size
        left = bytes(covered)
        assert [each for each in pieces if each[:8].encode() in left] == []


@pytest.mark.parametrize(
    "text",
    [
        'if value.startswith("ghp" + "_"):\n    return check(value, Token2Kind)',
        'PREFIXES = ["ghp_", "gho_", "ghu_", "xoxb-", "sk-proj-", "AKIA"]',
        "npm_config_registry and npm_package_version1 are set by npm",
        "hf_hub_download2(repo)",
        'key = "AKIAIOSFODNN7EXAMPLE"',
        "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx",
    ],
)
def test_a_prefix_alone_is_no_key(text: str) -> None:
    assert scan(text.encode()) == ()


def test_a_key_of_several_groups_is_covered_to_the_last() -> None:
    """Also where the format of its vendor knows fewer of them."""
    value = f"npm_{mixed(36)}-{mixed(24, 2)}"
    (finding,) = scan(f"see {value} there".encode())
    assert finding.span.end - finding.span.start == len(value)
