"""The benchmarks run, and on what they can be run on everywhere they find no difference."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

_ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("package", ["asyncio", "email", "importlib", "unittest"])
def test_python_symbols_agree_with_ast(package: str) -> None:
    result = _run("exactness.py", "python", str(Path(sysconfig.get_path("stdlib"), package)))
    assert result.returncode == 0, result.stdout
    assert "(100.0000 %), 0 additional symbols" in result.stdout


@pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK")
def test_java_symbols_agree_with_javac() -> None:
    result = _run("exactness.py", "java", str(_ROOT / "tests" / "languages" / "java"))
    assert result.returncode == 0, result.stdout
    assert "(100.0000 %), 0 additional symbols" in result.stdout


def test_signatures_of_our_own_sources_and_of_every_fixture_pass_their_checks() -> None:
    folders = [str(_ROOT / folder) for folder in ("server", "tests", "benchmarks")]
    result = _run("signatures.py", *folders)
    assert result.returncode == 0, result.stdout
    rows = [line.split() for line in result.stdout.splitlines()[1:]]
    assert len(rows) == 17
    for language, files, clean, passed, failed, refused in rows:
        assert (files, clean, failed, refused) == (passed, passed, "0", "0"), language


def test_a_file_that_the_grammar_rejects_is_reported(tmp_path: Path) -> None:
    """The comparison sees files the compiler accepts and the grammar does not."""
    (tmp_path / "a.py").write_text("def f():\n    pass\n\nfrom __future__ import *\n")
    (tmp_path / "b.py").write_text("def g(a, /, *, b): return [x async for x in a]\n")
    result = _run("exactness.py", "python", str(tmp_path))
    assert "2 files, 2 declarations" in result.stdout
    assert "a.py: the compiler accepts it, the grammar finds errors" in result.stdout


def test_a_relation_is_right_wrong_or_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each verdict once: confirmed, among candidates, absent, refuted, and where no answer is."""
    monkeypatch.syspath_prepend(str(_ROOT / "benchmarks"))
    relations = importlib.import_module("relations")
    target, truth, ours = relations.Target, relations.Truth, relations.OurRelation
    caller, first, second = (target("a.py", name) for name in ("caller", "first", "second"))
    places = [relations.Reference("call", "a.py", line, "name") for line in range(1, 6)]
    inside, to_first = frozenset([caller]), frozenset([frozenset([first])])
    comparison = relations.compare(
        frozenset([caller]),
        {
            places[0]: truth(to_first, True, inside, ""),
            places[1]: truth(to_first, True, inside, ""),
            places[2]: truth(to_first, True, inside, ""),
            places[3]: truth(frozenset(), True, inside, ""),
            places[4]: truth(frozenset(), False, inside, ""),
        },
        [
            ours(places[0], (first,), "resolved"),
            ours(places[1], (first, second), "ambiguous"),
            ours(places[3], (second,), "resolved"),
            ours(places[4], (second,), "resolved"),
        ],
    )
    counts = {"expected": 3, "listed": 2, "resolved": 1, "right": 1, "wrong": 1, "not judged": 1}
    assert comparison.counts["callees"] == comparison.counts["all"] == counts
    assert not comparison.counts["callers"].total()
    assert [case.reference.line for case in comparison.missing] == [3]
    assert [case.reference.line for case in comparison.wrong] == [4]
    assert [case.reference.line for case in comparison.not_judged] == [5]
    assert (comparison.open_references, comparison.open_candidates) == (1, 2)


def test_nothing_is_wrong_for_a_symbol_whose_users_are_all_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A function that is only named as a value has a user; an overload is not its neighbour."""
    monkeypatch.syspath_prepend(str(_ROOT / "benchmarks"))
    relations = importlib.import_module("relations")
    target, truth, ours = relations.Target, relations.Truth, relations.OurRelation
    one, two = (target("A.java", "A.f", line) for line in (3, 5))
    call, value = (relations.Reference(kind, "B.java", 1, "f") for kind in ("call", "value"))
    outside = frozenset([target("B.java", "")])
    comparison = relations.compare(
        frozenset([one, two]),
        {
            call: truth(frozenset([frozenset([one])]), True, outside, ""),
            value: truth(frozenset([frozenset([two])]), True, outside, ""),
        },
        [ours(call, (one, two), "resolved")],
    )
    assert comparison.users[one] == {"expected": 1, "listed": 1, "resolved": 1, "right": 1}
    assert comparison.users[two] == {"expected": 1, "wrong": 1}
    unseen = relations.compare(
        frozenset([one]), {}, [ours(call, (one,), "resolved")], sees_everything=False
    )
    assert unseen.counts["callers"] == {"not judged": 1}


_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "sightline-relations")


@pytest.mark.parametrize(
    ("front_end", "package", "sources"),
    [
        (
            "python",
            "pyright",
            {
                "base.py": "class Base:\n    def run(self):\n        return helper()\n\n\n"
                "def helper():\n    return 'é𝄞', str(len([]))\n",
                "derived.py": "from base import Base, helper as h\n\n\nclass Derived(Base):\n"
                "    def run(self):\n        return '𝄞', h(super().run())\n\n\n"
                "def start():\n    return Derived().run()\n",
            },
        ),
        (
            "typescript",
            "typescript",
            {
                "base.ts": "export class Base {\n  run() {\n    return helper();\n  }\n}\n\n"
                "export function helper() {\n  return ['é𝄞', String(1)];\n}\n",
                "derived.ts": "import { Base, helper as h } from './base';\n\n"
                "class Derived extends Base {\n  run() {\n"
                "    return ['𝄞', ...h(), ...super.run()];\n  }\n}\n\n"
                "function start() {\n  return new Derived().run();\n}\n",
            },
        ),
    ],
)
def test_a_front_end_resolves_every_call_and_base(
    front_end: str, package: str, sources: dict[str, str], tmp_path: Path
) -> None:
    """Six relations: two calls of `helper`, one of each `run`, of `Derived`, and a base. By name
    alone the renamed call is missed, and the two calls of `run` stay ambiguous."""
    installed = _CACHE / package / "node_modules"
    if not installed.exists():
        pytest.skip(f"{package} is installed by the first run of benchmarks/relations.py")
    code, cache = tmp_path / "code", tmp_path / "cache"
    code.mkdir()
    for name, text in sources.items():
        (code / name).write_text(text, encoding="utf-8")
    (cache / package).mkdir(parents=True)
    (cache / package / "node_modules").symlink_to(installed)
    result = _run("relations.py", front_end, str(code), "--by-name", "--cache", str(cache))
    rows = {line[:14].strip(): line[14:].split() for line in result.stdout.splitlines()}
    assert rows["all"][:5] == ["6", "5", "0.833", "3", "0.500"], result.stdout + result.stderr
    assert rows["callees"][:2] == rows["callers"][:2] == ["5", "4"]
    assert rows["base types"][:2] == rows["derived types"][:2] == ["1", "1"]
    assert "plain name, imported; not listed" in result.stdout


def test_a_busy_machine_changes_no_bundle() -> None:
    result = _run("steadiness.py", "--builds", "2", "--largest", "60000", "--languages", "py")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "2 builds: 1 index(es), 1 bundle(s)" in result.stdout
    assert "refused" not in result.stdout


def test_a_blind_corpus_is_measured_by_what_stays_in(tmp_path: Path) -> None:
    """Each way once: replaced, denied by name, in the path, and missed."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    rows: list[dict[str, object]] = [
        {"path": "a.py", "text": f"x = '{key}'", "spans": [[5, 5 + len(key)]]},
        {"path": ".env", "text": "a", "spans": [[0, 1]]},
        {"path": f"{key}/a.py", "text": "", "spans": [], "path_value": key},
        {"path": "b.py", "text": "value = 'plain'", "spans": [[9, 14]]},
    ]
    named = [{"template": f"t{index}", "tier": "certain", **row} for index, row in enumerate(rows)]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in named))
    negative = {"path": "c.py", "text": "password = 'sunshine'", "template": "n0"}
    (tmp_path / "negatives.jsonl").write_text(json.dumps(negative))
    result = _run("secrets.py", "--blind", str(tmp_path), "--misses", "9")
    assert "everything: everything                               4   0.750" in result.stdout
    assert "1 of 1: t3 (certain, None, None, b.py)" in result.stdout
    assert "weak 1" in result.stdout
    assert key not in result.stdout
    assert "sunshine" not in result.stdout


def _run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(_ROOT / "benchmarks" / name), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_visibility_counts_tracked_source_by_rule(tmp_path: Path) -> None:
    paths = ("packages/a.py", "vendor/b.go", "src/c.py", "src/d.txt")
    _commit(tmp_path, dict.fromkeys(paths, "a = 1\n"))
    result = _run("visibility.py", f"sample={tmp_path}")
    assert result.stdout.splitlines()[-1] == (
        "| sample | Python | 3 | 33.3 % | 66.7 % | 100.0 % "
        "| `**/vendor/**` 1, `packages/**` 1 | `packages/**` 1 |"
    )


_BEFORE = {
    "shop/price.py": "from shop.tax import rate\n\n\ndef price(net):\n    return net * rate(net)\n",
    "shop/tax.py": "def rate(net):\n    # of the state\n    return 2\n",
    "shop/bill.py": "from shop.price import price\n\n\ndef bill(items):\n"
    "    return sum(price(each) for each in items)\n",
    "packages/land.py": "def land():\n    return 1\n",
}
_AFTER = {
    "shop/price.py": "from shop.tax import rate\n\n\ndef price(net, land):\n"
    "    assert net\n    assert land\n    assert rate\n    return net * rate(net, land)\n",
    "shop/tax.py": "def rate(net, land):\n    # of the country\n    return 2 + len(land)\n",
    "shop/bill.py": "from shop.price import price\n\n\ndef bill(items, land):\n"
    "    return sum(price(each, land) for each in items)\n",
    "packages/land.py": "def land():\n    return 2\n",
}


def test_context_counts_the_lines_of_a_commit_that_a_bundle_shows(tmp_path: Path) -> None:
    """Of the five lines to find, one stands in a file that a rule hides.

    The comment does not count, nor do lines of the target's file.
    """
    repository = tmp_path / "sample"
    _commit(repository, _BEFORE)
    _commit(repository, _AFTER)
    record = tmp_path / "outcomes.json"
    options = ("--trees", str(tmp_path / "trees"), "--json", str(record), "--missing")
    result = _run("context.py", str(repository), "--budgets", "4000,8000", *options)
    assert result.returncode == 0, result.stderr
    assert "1 commits of 1 repositories, 5 lines to find" in result.stdout
    (outcome,) = json.loads(record.read_text())
    assert (outcome["target"], outcome["wanted"]) == ("shop/price.py::price:4", 5)
    assert outcome["found"]["sightline"] == {"4000": 4, "8000": 4}
    assert outcome["found"]["same folder"] == {"4000": 4, "8000": 4}
    assert outcome["found_nominal"]["oracle files"] == {"4000": 4, "8000": 4}
    assert outcome["related"]["8000"] == {"all": 2, "shown": 2}
    (missed,) = outcome["missed"]["8000"]
    assert (missed["path"], missed["line"]) == ("packages/land.py", 2)
    assert missed["cause"] == "hidden: deny_rule"


def test_a_line_is_shown_where_its_text_stands_in_a_cut_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Marks lead over what is left out, a stub leaves its header, and a body is not there."""
    monkeypatch.syspath_prepend(str(_ROOT / "benchmarks"))
    retrieval = importlib.import_module("retrieval")
    original = (
        "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 1\n"
    )
    aligner = retrieval.Aligner(original)
    assert aligner.shown("class A:\n    def f(self): ...\n\n    def g(self): ...\n") == {1, 2, 5}
    cut = "# enclosing header, line 1:\nclass A:\n    # ... lines 2-4 left out\n"
    region = cut + "    def g(self):\n        return 1\n"
    assert aligner.shown(region) == {1, 5, 6}
    assert aligner.in_ranges([(2, 3)], cut) == set()


def test_a_version_is_measured_against_another(tmp_path: Path) -> None:
    """A version against itself: both have every figure, and nothing has a problem."""
    for path, text in _BEFORE.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    figures = ("--only", "cold,relations,build", "--symbols", "2", "--runs", "1")
    result = _run("versions.py", str(_ROOT), str(tmp_path), *figures)
    assert result.stderr == "   round 1, before\n   round 1, after\n"
    names = [line.partition(",")[0] for line in result.stdout.splitlines()[4:]]
    assert names[:4] == ["cold index CPU", "cold index peak", "relations CPU", "build p50"]


def _commit(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    for arguments in (["init", "-q"], ["add", "-f", "."], ["commit", "-qm", "a"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True)
