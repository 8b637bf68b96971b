"""Likeness: which units share words with a query, and how that follows edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sightline.index import Like, Snapshot, Unit
from sightline.index.likeness.querying import query_words
from sightline.index.store import Fault, NoStore, open_store
from sightline.languages import load_registry
from sightline.project import Project
from sightline.text import Text
from sightline.workers import IndexAnswer, IndexRequest, Workers
from sightline.workspace import Workspace
from tests.index.editing import edit

_FILES = {
    "retry.py": '''"""Retrying."""

LIMIT = 3


class RetryPolicy:
    """How often a request is sent again."""

    limit = LIMIT

    def delays(self, backoff):
        # The first attempt comes at once.
        return [backoff * attempt for attempt in range(self.limit)]


def send_with_retries(request, retry_policy):
    for delay in retry_policy.delays(2):
        request.send(delay)
''',
    "shapes.py": "def area(width, height):\n    return width * height\n",
    "notes.md": "# Notes\n\nHow the backoff of a retry policy is chosen.\n",
    "settings.yaml": "retries: 3\npassword: hunter2seven\n",
}

Open = Callable[..., Project]


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(1, time_limit=60) as workers:
        yield workers


@pytest.fixture(scope="module")
def limited() -> Iterator[Workers]:
    with Workers(1, time_limit=5) as workers:
        yield workers


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    root.mkdir()
    for path, text in _FILES.items():
        (root / path).write_text(text)
    return root


@pytest.fixture
def start(root: Path, tmp_path: Path, workers: Workers) -> Open:
    """Starts a project as a new process would, with the store of the last one or without any."""
    cache = tmp_path / "cache"
    cache.mkdir(0o700)

    def start(*, is_stored: bool = False) -> Project:
        workspace = Workspace(root)
        store = open_store(str(workspace.root), cache) if is_stored else NoStore(Fault.UNAVAILABLE)
        return Project(workspace, load_registry(), workers, store)

    return start


def test_units_are_functions_and_pieces_of_the_rest(start: Open) -> None:
    project = start()
    project.open()
    assert project.count_terms().units("retry.py") == (
        Unit("retry.py", 1, 3, None),
        Unit("retry.py", 6, 9, "RetryPolicy"),
        Unit("retry.py", 11, 13, "RetryPolicy.delays"),
        Unit("retry.py", 16, 18, "send_with_retries"),
    )


def test_terms_are_counted_behind_the_scan(start: Open) -> None:
    project = start()
    opened = project.open()
    assert (opened.index_complete, opened.terms_complete) == (True, False)
    assert opened.like([("retry_policy", 1)], 10) == []
    assert project.count_terms().terms_complete


def test_an_answer_names_the_words_that_are_shared(start: Open) -> None:
    project = start()
    project.open()
    found = project.count_terms().like([("retry_policy", 1), ("backoff", 1), ("area", 1)], 10)
    assert [(each.unit.path, each.unit.symbol, each.shared) for each in found] == [
        ("retry.py", "send_with_retries", ("retry_policy",)),
        ("retry.py", "RetryPolicy", ("retry_policy",)),
        ("shapes.py", "area", ("area",)),
        ("notes.md", None, ("backoff", "policy", "retry")),
        ("retry.py", "RetryPolicy.delays", ("backoff",)),
        ("settings.yaml", None, ("retry",)),
        ("retry.py", None, ("retry",)),
    ]


def test_of_files_it_counts_which_words_they_have(start: Open) -> None:
    project = start()
    project.open()
    files = project.count_terms().matches([("retry_policy", 1), ("area", 1)], 10).files
    assert max(files, key=lambda path: files[path]) == "retry.py"
    assert files["shapes.py"] > 0
    assert project.snapshot.matches([("nowhere", 1)], 10).files == {}


def test_values_do_not_depend_on_the_key_of_the_terms(start: Open) -> None:
    one, other = start(), start()
    for project in (one, other):
        project.open()
        project.count_terms()
    assert _answers(one.snapshot) == _answers(other.snapshot)


def test_counts_are_kept_in_the_store(start: Open, root: Path) -> None:
    with start(is_stored=True) as project:
        project.open()
        counted = _answers(project.count_terms())
        project.save()
    (root / "shapes.py").write_text("def area(radius):\n    return backoff(radius)\n")
    with start(is_stored=True) as project:
        assert project.open().uncounted == {"shapes.py"}
        changed = _answers(project.count_terms())
    fresh = start()
    fresh.open()
    assert changed == _answers(fresh.count_terms())
    assert changed != counted


def test_an_editors_text_is_counted_when_somebody_asks(start: Open, root: Path) -> None:
    project = start()
    project.open()
    project.count_terms()
    project.show("shapes.py", Text(_FILES["shapes.py"].encode()))
    snapshot = edit(project, "shapes.py", 4, 8, b"backoff")
    assert isinstance(snapshot, Snapshot)
    assert snapshot.terms_complete
    (root / "shapes.py").write_text(_FILES["shapes.py"].replace("area", "backoff"))
    fresh = start()
    fresh.open()
    assert _answers(snapshot) == _answers(fresh.count_terms())


def test_a_removed_file_is_not_found(start: Open, root: Path) -> None:
    project = start()
    project.open()
    project.count_terms()
    (root / "retry.py").unlink()
    found = project.refresh().like([("retry_policy", 1)], 10)
    assert {each.unit.path for each in found} == {"notes.md", "settings.yaml"}


def test_what_may_be_a_secret_is_not_counted(start: Open, root: Path) -> None:
    (root / "keys.py").write_text(
        'password = "correcthorse"\n'
        'connect("postgres://robot:swordfish@host/db")\n'
        'TOKEN = "ghp_Zk3vQx9LmN2pR7sT4uWbYdFgHjKl"\n'
        "# the secret: openbarley\n"
    )
    (root / "setup.sh").write_text("export DB_PASSWORD=hunter2seven\nPGPASS=turnstile ./run\n")
    project = start()
    project.open()
    snapshot = project.count_terms()
    for word in ("correcthorse", "swordfish", "hunter2seven", "openbarley", "turnstile"):
        assert snapshot.like([(word, 1)], 10) == []
    assert [each.unit.path for each in snapshot.like([("connect", 1)], 10)] == ["keys.py"]


def test_a_name_that_is_a_secret_is_not_kept(start: Open, root: Path) -> None:
    (root / "broken.py").write_text(
        "PASSWORD=hunter2\nexport PASSWORD=hunter2 !!\ndef hunter2(): pass\n"
    )
    project = start()
    project.open()
    snapshot = project.count_terms()
    assert {unit.symbol for unit in snapshot.units("broken.py")} == {None}


def _answers(snapshot: Snapshot) -> list[object]:
    queries = [query_words(text.encode(), None) for text in _FILES.values()]
    found: list[object] = [tuple(snapshot.like(query, 20)) for query in queries]
    return [*found, *(snapshot.units(path) for path in snapshot.paths)]


def test_a_query_is_the_words_of_a_text() -> None:
    language = load_registry().languages["python"]
    text = b'def send(request, retries=3):\n  # Try again.\n  token = "hidden"\n  send(request)\n'
    assert query_words(text, language) == (
        ("def", 1),
        ("send", 2),
        ("request", 2),
        ("retries", 1),
        ("Try", 1),
        ("again", 1),
        ("token", 1),
    )


def test_the_order_is_total(start: Open, root: Path) -> None:
    for name in ("b", "a", "c"):
        (root / f"{name}.py").write_text("def twin():\n    return marker\n" * 2)
    project = start()
    project.open()
    found: list[Like] = list(project.count_terms().like([("marker", 1)], 5))
    assert [(each.unit.path, each.unit.start_line) for each in found] == [
        ("a.py", 1),
        ("a.py", 3),
        ("b.py", 1),
        ("b.py", 3),
        ("c.py", 1),
    ]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", b'"""' * 100_000),
        ("python", b"def f(a):\n    return a\n" * 12_000),
        ("python", b'password = token = "' * 15_000),
        ("javascript", b"/*" * 150_000),
        ("javascript", b"`\\" * 150_000),
        ("javascript", b"class A { m() {} }\n" * 12_000),
        ("", b"secret:" * 17_000),
        ("", b"a://b" * 24_000),
        ("", b"-----BEGIN\n" * 11_000),
    ],
)
def test_counting_is_linear_in_hostile_texts(
    workers: Workers, limited: Workers, language: str, text: bytes
) -> None:
    """One that was not would hit the limit on processor time and be refused."""
    facts = b""
    if language:
        answer = workers.index(IndexRequest(0, language, text))
        assert isinstance(answer, IndexAnswer)
        facts = answer.facts
    request = IndexRequest(0, language, text, facts, bytes(16))
    assert isinstance(limited.index(request), IndexAnswer)
