"""Summaries, hotspots and the map of a small project: each sentence rests on something."""

from __future__ import annotations

from sightline.packs import KeyFileDetector
from sightline.packs.hotspots import risk_hotspots
from sightline.packs.manifests import read_manifest
from sightline.packs.model import FileMetadata
from sightline.packs.repository_map import repository_map, without_comments
from sightline.packs.snapshotting import metadata_of
from sightline.packs.source import FileFacts, FileHistory, SymbolFact, SymbolUse
from sightline.packs.summaries import summarize
from tests.packs.plain_source import PlainSource

_BRANCHY = "def decide(x):\n" + "".join(
    f"    if x == {n}:\n        return {n}\n" for n in range(25)
)


def _symbol(path: str, name: str, first: int, last: int, kind: str = "function") -> SymbolFact:
    return SymbolFact(path, name.rpartition(".")[2], name, kind, first, last)


def _project() -> PlainSource:
    texts = {
        "pyproject.toml": '[project]\nname = "shop"\ndescription = "Sells."\n'
        'dependencies = ["flask"]\n',
        "shop/core.py": _BRANCHY,
        "shop/web.py": "from flask import Flask\nimport pickle\napp = Flask('x')\n"
        "@app.route('/buy')\n"
        "def buy(data):\n    return pickle.loads(data)\n",
        "shop/rare.py": "def rare():\n    pass\n",
        "tests/test_core.py": "def test_it():\n    eval('1')\n",
    }
    users = tuple(f"shop/u{number}.py" for number in range(9))
    texts |= dict.fromkeys(users, "from shop import core\n")
    facts = {
        "shop/core.py": FileFacts(
            "python", (_symbol("shop/core.py", "decide", 1, 51),), (), users, users, deepest_block=2
        ),
        "shop/web.py": FileFacts(
            "python", (_symbol("shop/web.py", "buy", 5, 6),), ("flask", "pickle")
        ),
        "shop/rare.py": FileFacts("python", (_symbol("shop/rare.py", "rare", 1, 2),)),
        "tests/test_core.py": FileFacts(
            "python", (_symbol("tests/test_core.py", "test_it", 1, 2),)
        ),
    }
    uses = (SymbolUse("shop/core.py", "decide", 1),)
    facts |= {user: FileFacts("python", uses=uses) for user in users}
    return PlainSource(texts, facts, {"shop/core.py": FileHistory(12, 3)}, commits_seen=40)


def test_hotspots_carry_their_lines_and_numbers() -> None:
    found = {(each.path, each.risk_type): each for each in risk_hotspots(_project())}
    complexity = found["shop/core.py", "complexity"]
    assert complexity.indicators[0] == "`decide`, lines 1–51: 26 branches"
    assert "changed in 12 of the last 40 commits, by 3 authors" in complexity.indicators
    security = found["shop/web.py", "security"]
    assert security.indicators == ("line 6: `pickle.loads` reads objects that can run code",)
    assert "fan-in: 9 files use it" in found["shop/core.py", "coupling"].indicators[0]
    assert not [each for each in found.values() if each.path.startswith("tests/")]


def test_words_in_strings_and_comments_are_no_risk() -> None:
    text = "def f():\n    # eval(x)\n    return 'eval(x)'\n"
    facts = {"a.py": FileFacts("python", (_symbol("a.py", "f", 1, 3),))}
    assert risk_hotspots(PlainSource({"a.py": text}, facts)) == []


def test_a_summary_is_made_from_facts() -> None:
    source = _project()
    manifest = read_manifest(source)
    key = FileMetadata(
        path="shop/web.py",
        relative_path="shop/web.py",
        name="web.py",
        extension=".py",
        size_bytes=1,
        type="text",
        category="api",
        is_key_file=True,
        content_extractable=True,
    )
    summaries = summarize(source, manifest, [key])
    description = summaries.repository.description
    assert 2 <= len(description.split("\n\n")) <= 3
    assert "Sells. (the description in pyproject.toml)" in description
    assert "shop/core.py (by 9)" in description
    assert "It has 1 route (flask) in 1 file." in description
    assert summaries.repository.architecture_pattern.startswith("library") is False
    assert "Flask" in summaries.repository.key_technologies
    assert summaries.key_files[0].dependencies == ("flask", "pickle")
    assert summaries.key_files[0].notable_code == ("def buy(data):",)
    web = next(each for each in summaries.entrypoints if each.path == "shop/web.py")
    assert (web.type, web.routes_or_commands) == ("web", ("GET /buy",))


def test_the_map_holds_its_budget_and_shows_what_is_used_most() -> None:
    source = _project()
    shown = repository_map(source, 12, lambda text: len(text) // 4).text
    assert shown == "shop/core.py:\ndef decide(x):\n"
    assert repository_map(source, 2, lambda text: len(text) // 4).text == ""
    whole = repository_map(source, 1_000, lambda text: len(text) // 4).text
    assert [line for line in whole.splitlines() if line.endswith(":") and "/" in line] == [
        "shop/core.py:",
        "shop/rare.py:",
        "shop/web.py:",
    ]


def test_the_map_fills_its_budget() -> None:
    """Lines may cost more one by one than together."""
    path = "shop/cart.py"
    names = [f"function_{number}" for number in range(40)]
    symbols = tuple(
        _symbol(path, name, line, line, "function") for line, name in enumerate(names, 1)
    )
    text = "".join(f"def {name}(): ...\n" for name in names)
    source = PlainSource({path: text}, {path: FileFacts("python", symbols)})

    def count(text: str) -> int:
        return 6 + len(text) // 4

    made = repository_map(source, 120, count)
    assert 110 <= count(made.text) <= 120
    assert made.shown > 15


def test_where_key_files_are_few_the_most_used_files_are_told_as_well() -> None:
    source = _project()
    files = [
        metadata_of(path, source.size(path)) for path in source.paths if path != "shop/rare.py"
    ]
    told = [each.path for each in summarize(source, read_manifest(source), files).key_files]
    assert told == ["pyproject.toml", "shop/core.py"]


def test_examples_are_key_files_only_where_nothing_else_is() -> None:
    paths = ["examples/app.py", "examples/auth.py", "src/auth.py"]
    assert [each.path for each in KeyFileDetector().detect(paths)] == ["src/auth.py"]
    assert [each.path for each in KeyFileDetector().detect(paths[:2])] == paths[:2]


def test_the_map_shows_a_method_below_its_type_and_one_overload() -> None:
    path = "shop/cart.py"
    symbols = (
        _symbol(path, "Cart", 1, 40, "class"),
        _symbol(path, "Cart.add", 2, 2, "method"),
        _symbol(path, "Cart.add", 3, 30, "method"),
    )
    text = "class Cart:\n    def add(self, a): ...\n    def add(self, a=1):\n        pass\n"
    facts = {
        path: FileFacts("python", symbols, (), (), ("shop/use.py",)),
        "shop/use.py": FileFacts("python", uses=(SymbolUse(path, "Cart.add", 3),)),
    }
    source = PlainSource({path: text, "shop/use.py": ""}, facts)
    shown = repository_map(source, 60, lambda text: len(text) // 4).text
    assert shown == f"{path}:\nclass Cart:\n    def add(self, a=1):\n"


def test_a_signature_has_no_comments_below_its_first_line() -> None:
    ruby = "module Rack\n  # Wraps a body.\n  #\n  class BodyProxy\n"
    assert without_comments(ruby) == "module Rack\n  class BodyProxy"
    assert without_comments("fn f(\n    #[cfg(x)] a: i32,\n)") == "fn f(\n    #[cfg(x)] a: i32,\n)"
