"""Imports that lead to files which may not be shown are in the manifest, with the rule."""

from __future__ import annotations

from tests.context.bench import everything, excluded
from tests.context.conftest import MakeBench

_MAIN = """\
from orders import binary, hidden, missing
from orders.build.made import made
import json


def run():
    return made(hidden)
"""


def test_an_import_that_leads_to_a_withheld_file_is_excluded(bench: MakeBench) -> None:
    """By an ignore file or by its content; what is not there is not named."""
    made = bench(
        {
            "orders/__init__.py": "",
            "orders/main.py": _MAIN,
            "orders/hidden.py": "words = 'hidden words'\n",
            "orders/binary.py": "a = 1\0\0",
            "orders/build/made.py": "def made(each):\n    return each\n",
            ".aiignore": "hidden.py\norders/binary/\n",
        }
    )
    built = made.build("orders/main.py::run")
    found = {path: (each.reason.value, each.rule) for path, each in excluded(built).items()}
    assert found.pop("orders/hidden.py") == ("deny_rule", "hidden.py")
    assert found.pop("orders/binary.py") == ("binary", "NUL bytes")
    assert not [path for path in found if "missing" in path or "json" in path]
    assert "hidden words" not in everything(built)


def test_a_relative_import_of_typescript(bench: MakeBench) -> None:
    """A default rule decides by the path alone; of a file that is not there it says so too."""
    made = bench(
        {
            "src/main.ts": 'import { a } from "./kept";\nimport b from "../dist/b";\n'
            "export function run() {\n  return a() + b();\n}\n",
            "src/kept.ts": "export const a = () => 1;\n",
            ".sightlineignore": "src/kept.ts\n",
        }
    )
    found = excluded(made.build("src/main.ts::run"))
    assert {path: each.rule_source for path, each in found.items()} == {
        "dist/b": "default:build_outputs",
        "src/kept.ts": ".sightlineignore:1",
    }
