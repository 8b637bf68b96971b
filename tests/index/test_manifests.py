"""Project files that lead names to places: what they say, and what hostile ones cost."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sightline.index import read_manifest
from sightline.toml import read_toml

_HOSTILE = {
    "quotes": ("tsconfig.json", "'\"' * 1_000_000"),
    "escapes": ("tsconfig.json", "'\"' + '\\\\' * 999_999"),
    "comments": ("tsconfig.json", "'/*' * 500_000"),
    "commas": ("tsconfig.json", "'[' + ', ' * 500_000"),
    "brackets": ("package.json", "'[' * 1_000_000"),
    "one dotted key": ("Cargo.toml", "'a.' * 30_000 + 'a = 1'"),
    "one long key": ("Cargo.toml", "'a' * 250_000"),
    "dotted keys": ("Cargo.toml", "'\\n'.join('a.' * 23 + f'k{i} = 1' for i in range(5_000))"),
    "dotted tables": ("Cargo.toml", "'\\n'.join('[' + 'a.' * 23 + f'k{i}]' for i in range(5_000))"),
    "inline tables": ("Cargo.toml", "'a = ' + '{a = ' * 50_000"),
    "modules": ("go.mod", "'module\\n' * 140_000"),
}

_CHILD = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
from sightline.index import read_manifest
read_manifest({name!r}, ({text}).encode())
"""


@pytest.mark.parametrize("kind", _HOSTILE)
def test_a_hostile_manifest_is_read_or_not_at_a_bounded_cost(kind: str) -> None:
    """The limits are generous: what is not linear needs hours, or many gigabytes."""
    name, text = _HOSTILE[kind]
    child = [sys.executable, "-P", "-c", _CHILD.format(name=name, text=text)]
    assert subprocess.run(child, timeout=300, check=False).returncode == 0


def test_comments_and_trailing_commas_are_no_fault_in_a_tsconfig() -> None:
    source = (
        b'{"compilerOptions": {"baseUrl": "./s//c", /* x */ "paths": {"@/*": ["a/*",],},}, // y\n}'
    )
    manifest = read_manifest("tsconfig.json", source)
    assert manifest is not None
    assert manifest.base == "./s//c"
    assert manifest.aliases == (("@/*", ("a/*",)),)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("a = ", "Invalid value"),
        ("x" * (1 << 18) + " = 1", "more than 262144 characters"),
        (".".join("k" * 30) + " = 1", "more than 24 parts"),
        ("a = " + "[" * 9_999, "nested too deeply"),
    ],
    ids=["wrong", "large", "deep key", "deep value"],
)
def test_toml_that_is_wrong_or_too_costly_is_a_value_error(source: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_toml(source)


def test_a_key_of_a_few_parts_is_read() -> None:
    assert read_toml("[tool.a.b]\nc.d.'e.f' = 1\n") == {
        "tool": {"a": {"b": {"c": {"d": {"e.f": 1}}}}}
    }
