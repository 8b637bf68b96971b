"""Surveys: what is remembered of the last walk never shows in what the next one finds."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pygit2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.refusals import Refusal
from sightline.workspace import (
    RawDocument,
    ReadLimits,
    Stamp,
    Survey,
    SurveyDifference,
    SurveyError,
    Workspace,
    decode_survey,
    encode_survey,
)
from sightline.workspace.defaults import DefaultRules
from sightline.workspace.git_ignores import GitIgnores
from tests.workspace.conftest import TEXT, Write, git, outcome, refused

Step = Callable[[Path], None]

DIRECTORIES = ["", "a/", "a/b/", "b/", "a/B/", "build/", "sub/", "sub/c/", "é/", "e\u0301/"]
NAMES = ["a.py", "A.py", "b.py", "c", "a", "build", ".env", "é.py", "e\u0301.py", "aux.py", "x.pem"]
IGNORES = [".gitignore", ".aiignore", ".git/info/exclude"]
LINES = ["a.py", "b.py", "c", "/a/", "b/", "!a.py", "*", "a/b", "*.py", "é.py", "sub/c/", "", "\0"]

places = st.builds(str.__add__, st.sampled_from(DIRECTORIES), st.sampled_from(NAMES))
contents = st.lists(st.sampled_from(LINES), max_size=2).map("\n".join)


def _write(path: str, content: str) -> Step:
    def step(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content, encoding="utf-8")

    return step


def _remove(path: str) -> Step:
    def step(root: Path) -> None:
        place = root / path
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink()

    return step


def _rename(path: str, other: str) -> Step:
    def step(root: Path) -> None:
        (root / path).rename(root / other)

    return step


def _link(path: str, target: str) -> Step:
    def step(root: Path) -> None:
        (root / path).symlink_to(os.path.relpath(root / target, (root / path).parent))

    return step


def _repository(path: str, ignores_case: bool) -> Step:
    def step(root: Path) -> None:
        repository = pygit2.init_repository(str(root / path))
        repository.config["core.ignorecase"] = ignores_case

    return step


ignore_places = st.builds(str.__add__, st.sampled_from(DIRECTORIES), st.sampled_from(IGNORES))
any_places = places | st.sampled_from([each.removesuffix("/") for each in DIRECTORIES[1:]])
steps = st.one_of(
    st.builds(_write, places, st.just(TEXT)),
    st.builds(_write, ignore_places, contents),
    st.builds(_remove, any_places | ignore_places),
    st.builds(_rename, any_places | ignore_places, any_places | ignore_places),
    st.builds(_link, places | ignore_places, any_places),
    st.builds(_repository, st.sampled_from(["", "sub", "a"]), st.booleans()),
)
FIRST = ["a.py", "a/a.py", "a/b/a.py", "a/b/c", "b/b.py", "sub/a.py", "sub/c/a", "build/a.py"]


@settings(max_examples=70, deadline=None)
@given(st.lists(steps, min_size=1, max_size=10), st.booleans())
def test_a_survey_equals_one_taken_afresh(taken: list[Step], is_stored: bool) -> None:
    """Whatever happened between two surveys, and whether or not the first was stored."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for path in FIRST:
            _write(path, TEXT)(root)
        workspace = Workspace(root)
        survey = workspace.survey()
        for step in taken:
            try:
                step(root)
            except (OSError, ValueError, pygit2.GitError):
                continue
            before = survey
            survey = workspace.survey(decode_survey(encode_survey(survey)) if is_stored else survey)
            fresh = Workspace(root)
            assert list(survey.paths) == list(fresh.files())
            expected = fresh.survey()
            assert survey.policy == expected.policy
            assert survey.files == expected.files
            assert _applied(before, survey.since(before)) == set(survey.paths)


def _applied(survey: Survey, difference: SurveyDifference) -> set[str]:
    paths = set(survey.paths)
    assert paths >= {*difference.removed, *difference.changed}
    assert paths.isdisjoint(difference.added)
    return paths.difference(difference.removed).union(difference.added)


def _aged(survey: Survey) -> Survey:
    """The survey as if it had been taken an hour later, when every stamp had settled."""
    columns = msgspec.msgpack.decode(encode_survey(survey))
    columns[3] += 3600 * 10**9
    return decode_survey(msgspec.msgpack.encode(columns))


@pytest.mark.usefixtures("walk")
def test_the_paths_of_a_survey_are_those_of_a_listing(root: Path, write: Write) -> None:
    for path in ("b-c", "b.py", "b/a.py", "b/z/é.py", "b0", ".env", "build/a.py", "Z", "日/🙂"):
        write(path, path)
    workspace = Workspace(root)
    survey = workspace.survey()
    assert list(survey.paths) == list(workspace.files())
    again = workspace.survey(survey)
    assert (again.paths, again.stamps, again.policy) == (
        survey.paths,
        survey.stamps,
        survey.policy,
    )
    assert list(survey.files) == list(survey.paths)
    for path in survey.paths:
        assert survey.stamp(path) == Stamp.of((root / path).stat())
    assert survey.stamp(".env") is None


@pytest.mark.parametrize("year", [1600, 2300])
def test_a_time_that_nanoseconds_do_not_reach(root: Path, write: Write, year: int) -> None:
    """Anybody can date a file, so far off that its nanoseconds are no 64-bit number."""
    file = write("a.py", TEXT)
    seconds = (year - 1970) * 31_556_952
    try:
        os.utime(file, (seconds, seconds))
    except OSError:
        pytest.skip("the file system has no such time")
    survey = Workspace(root).survey()
    assert survey.stamp("a.py") == Stamp.of(file.stat())
    assert decode_survey(encode_survey(survey)).files == survey.files


def test_nothing_is_judged_again_where_nothing_changed(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shown by a rule that fails when asked: one new name makes its directory be judged."""
    for path in ("a.py", "src/a.py", "src/deep/b.py", ".env"):
        write(path, TEXT)
    write(".gitignore", "c.py\n")
    write("src/.aiignore", "d.py\n")
    git(root, "init", "-q")
    previous = Workspace(root).survey()
    asked: list[str] = []
    answer = DefaultRules.verdict

    def recording(rules: DefaultRules, subject: str) -> object:
        asked.append(subject)
        return answer(rules, subject)

    monkeypatch.setattr(DefaultRules, "verdict", recording)
    write("src/a.py", TEXT + TEXT)
    survey = Workspace(root).survey(previous)
    assert asked == []
    assert survey.since(previous) == SurveyDifference((), ("src/a.py",), ())
    write("src/new.py", TEXT)
    survey = Workspace(root).survey(survey)
    assert {path.rpartition("/")[0] for path in asked if not path.endswith("/")} == {"src"}
    assert survey.since(previous) == SurveyDifference(("src/new.py",), ("src/a.py",), ())


# How an ignore file changes without its directory showing it, and what it ignores then.
REWRITES = [("b.py\n", ["a.py"]), ("a.pyc\n", ["a.py", "b.py"]), ("\0", []), ("", ["a.py", "b.py"])]


@pytest.mark.parametrize("name", [".gitignore", ".cursorignore", ".git/info/exclude"])
@pytest.mark.parametrize("is_aged", [False, True], ids=["young", "settled"])
@pytest.mark.parametrize(("content", "visible"), REWRITES)
def test_an_ignore_file_that_changes(
    root: Path, write: Write, name: str, is_aged: bool, content: str, visible: list[str]
) -> None:
    write("sub/a.py", TEXT)
    write("sub/b.py", TEXT)
    file = write("sub/" + name, "a.py\n")
    first = Workspace(root).survey()
    times = file.stat()
    file.write_text(content)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    survey = Workspace(root).survey(_aged(first) if is_aged else first)
    assert [path for path in survey.paths if path.endswith(".py")] == [
        f"sub/{path}" for path in visible
    ]
    assert survey.policy != first.policy


def test_a_directory_that_was_denied_by_what_is_in_it(root: Path, write: Write) -> None:
    """Nothing outside tells that the ignore file was repaired."""
    write("a/b/c.py", TEXT)
    ignore = write("a/b/.aiignore", b"\xff")
    first = Workspace(root).survey()
    assert first.paths == ()
    ignore.write_text("")
    survey = Workspace(root).survey(_aged(first))
    assert survey.paths == ("a/b/.aiignore", "a/b/c.py")
    ignore.write_bytes(b"\xff")
    assert Workspace(root).survey(_aged(survey)).paths == ()


def test_git_is_not_asked_about_a_directory_whose_ignore_file_became_a_pipe(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """libgit2 would open it, and wait for whoever writes into it."""
    pygit2.init_repository(str(root))
    write("sub/a.py", TEXT)
    workspace = Workspace(root)
    survey = workspace.survey()
    assert list(survey.paths) == ["sub/a.py"]
    os.mkfifo(root / "sub/.gitignore")
    asked: list[str] = []

    def ask(_: GitIgnores, subjects: Sequence[str]) -> list[bool]:
        asked.extend(subjects)
        return [False] * len(subjects)

    monkeypatch.setattr(GitIgnores, "ask", ask)
    again = workspace.survey(survey)
    assert list(again.paths) == []
    assert again.faulty == ("sub/.gitignore",)
    assert "sub/a.py" not in asked


def test_the_root_that_was_denied_by_what_is_in_it(root: Path, write: Write) -> None:
    write("a.py", TEXT)
    ignore = write(".aiignore", b"\xff")
    first = Workspace(root).survey()
    assert first.paths == ()
    ignore.unlink()
    second = Workspace(root).survey(first)
    assert second.paths == ("a.py",)
    ignore.write_bytes(b"\xff")
    third = Workspace(root).survey(second)
    assert (third.paths, third.policy) == ((), first.policy)


def test_a_link_whose_target_changes_elsewhere(root: Path, write: Write) -> None:
    """What a link leads to can be replaced, ignored or gone without a sign where the link is."""
    write("z/a.py", TEXT)
    (root / "a").mkdir()
    (root / "a/link.py").symlink_to("../z/a.py")
    survey = Workspace(root).survey()
    assert survey.paths == ("a/link.py", "z/a.py")
    write("z/a.py", TEXT + TEXT)
    changed = Workspace(root).survey(survey)
    assert changed.since(survey).changed == ("a/link.py", "z/a.py")
    write("z/.gitignore", "a.py\n")
    assert Workspace(root).survey(changed).paths == ("z/.gitignore",)
    (root / "z/.gitignore").unlink()
    (root / "z/a.py").unlink()
    assert Workspace(root).survey(changed).paths == ()


def test_an_exclude_file_outside_the_root(root: Path) -> None:
    """A linked worktree goes by the exclude file of its repository."""
    main = root / "main"
    git(root, "init", "-q", "main")
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git(main, *identity, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", str(root / "linked"))
    (root / "linked/a.py").write_text(TEXT)
    first = Workspace(root / "linked").survey()
    assert first.paths == ("a.py",)
    (main / ".git/info/exclude").write_text("a.py\n")
    survey = Workspace(root / "linked").survey(first)
    assert survey.paths == ()
    assert survey.policy != first.policy


def test_other_lifts_and_limits_are_another_policy(root: Path, write: Write) -> None:
    write("build/a.py", TEXT)
    write("a.py", TEXT)
    first = Workspace(root).survey()
    lifted = Workspace(root, lifted=("**/build/**",)).survey(first)
    assert lifted.paths == ("a.py", "build/a.py")
    limited = Workspace(root, limits=ReadLimits(max_file_bytes=10)).survey(first)
    assert len({first.policy, lifted.policy, limited.policy}) == 3
    assert Workspace(root).survey(lifted).paths == ("a.py",)


def test_a_policy_is_the_same_wherever_the_workspace_lies(tmp_path: Path) -> None:
    files = {".gitignore": "b\n", "a/.aiignore": "c\n", "a/d.py": TEXT, "a/c": TEXT, "e/f.py": TEXT}
    policies = set()
    for number, order in enumerate((list(files), list(files)[::-1])):
        for path in order:
            file = tmp_path / str(number) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(files[path])
            os.utime(file, ns=(number, number))
        policies.add(Workspace(tmp_path / str(number)).survey().policy)
    assert len(policies) == 1


def test_a_stored_survey_names_nothing_that_is_denied(root: Path, write: Write) -> None:
    write("seen/a.py", TEXT)
    for path in ("seen/canary.pem", "canary-1/x.py", "node_modules/canary-2/x.js", "seen/canary-3"):
        write(path, TEXT)
    write(".gitignore", "canary-*\n.gitignore\n")
    write("canary-barred/.aiignore", b"\xff")
    (root / "seen/canary-4.py").symlink_to("canary.pem")
    survey = Workspace(root).survey()
    assert survey.paths == ("seen/a.py",)
    encoded = encode_survey(survey)
    assert b"a.py" in encoded
    assert b"canary" not in encoded
    assert b"gitignore" not in encoded
    assert b"node_modules" not in encoded


def test_a_survey_survives_storing(root: Path, write: Write) -> None:
    for path in ("a.py", "é/日.py", "x/y/z", ".gitignore"):
        write(path, "q\n")
    (root / "empty/deeper").mkdir(parents=True)
    for survey in (Workspace(root).survey(), Workspace(root / "empty").survey()):
        decoded = decode_survey(encode_survey(survey))
        assert decoded.files == survey.files
        assert decoded.policy == survey.policy
        assert decoded.taken_ns == survey.taken_ns
        assert encode_survey(decoded) == encode_survey(survey)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    root = tmp_path_factory.mktemp("stored")
    for path in ("a.py", "b/c.py", "b/d/e.py", ".gitignore"):
        _write(path, "q")(root)
    return encode_survey(Workspace(root).survey())


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_bytes_that_are_no_survey(stored: bytes, data: st.DataObject) -> None:
    """One error, and no name that leads out of the root, whatever the bytes are."""
    encoded = bytearray(stored)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(encoded) - 1))
        encoded[place] = data.draw(st.sampled_from([*b"\0/.\n", 0xFF, 0x90, encoded[place] ^ 1]))
    cut = data.draw(st.integers(0, len(encoded)) | st.just(len(encoded)))
    try:
        survey = decode_survey(bytes(encoded[:cut]))
    except SurveyError:
        return
    assert all(".." not in path.split("/") for path in survey.paths)
    assert len(survey.files) == len(survey.stamps) // 4


NOT_SURVEYS = [b"", b"\0", b"\x90", b"\xc1", msgspec.msgpack.encode([1] * 11), b"[" * 100_000]


@pytest.mark.parametrize("encoded", NOT_SURVEYS, ids=range(len(NOT_SURVEYS)))
def test_bytes_that_are_nothing_like_a_survey(encoded: bytes) -> None:
    with pytest.raises(SurveyError):
        decode_survey(encoded)


@pytest.mark.parametrize("name", ["..", "../", "./", "/", "b/../../x", "b/c"])
def test_a_stored_name_that_leads_elsewhere(root: Path, write: Write, name: str) -> None:
    write("a.py", TEXT)
    columns = msgspec.msgpack.decode(encode_survey(Workspace(root).survey()))
    assert columns[7] == "a.py"
    columns[7] = name
    with pytest.raises(SurveyError):
        decode_survey(msgspec.msgpack.encode(columns))


@pytest.mark.parametrize("rows", ["a.py\nb/\0c.py", "a.py\0b\nc.py", "a.py\0b/c/\nd", "a.py\0b/"])
def test_stored_directories_that_are_no_tree(root: Path, write: Write, rows: str) -> None:
    """A directory that is not announced, is missing, or comes before the one that holds it."""
    write("a.py", TEXT)
    write("b/c.py", TEXT)
    columns = msgspec.msgpack.decode(encode_survey(Workspace(root).survey()))
    assert columns[7] == "a.py\0b/\nc.py"
    columns[7] = rows
    with pytest.raises(SurveyError):
        decode_survey(msgspec.msgpack.encode(columns))


@pytest.mark.usefixtures("walk")
def test_a_root_that_disappears(root: Path, write: Write) -> None:
    write("a.py", TEXT)
    workspace = Workspace(root)
    survey = workspace.survey()
    root.rename(root.parent / "moved")
    gone = workspace.survey(survey)
    assert gone.paths == ()
    assert gone.since(survey) == SurveyDifference((), (), ("a.py",))


def test_a_denied_root_shows_nothing(root: Path) -> None:
    (root / ".ssh").mkdir()
    (root / ".ssh/a.py").write_text(TEXT)
    survey = Workspace(root / ".ssh").survey()
    assert survey.paths == ()
    assert Workspace(root / ".ssh").survey(survey).paths == ()


def _churn(root: Path, stop: threading.Event) -> None:
    """Make, swap and remove things below `root/busy` until told to stop."""
    busy, aside = root / "busy", root / "aside"
    while not stop.is_set():
        (busy / "deep").mkdir(parents=True)
        (busy / "deep/a.py").write_text(TEXT)
        (busy / ".gitignore").write_text("b.py\n")
        busy.rename(aside)
        busy.symlink_to("../outside")
        busy.unlink()
        shutil.rmtree(aside)


def test_a_tree_that_changes_during_the_walk(root: Path, write: Write) -> None:
    """Nothing outside shows, nothing is raised, and once it is quiet the survey is right."""
    (root.parent / "outside/deep").mkdir(parents=True)
    (root.parent / "outside/OUTSIDE.py").write_text(TEXT)
    write("a.py", TEXT)
    workspace = Workspace(root)
    stop = threading.Event()
    thread = threading.Thread(target=_churn, args=(root, stop))
    thread.start()
    survey = workspace.survey()
    seen: set[str] = set()
    try:
        for _ in range(300):
            survey = workspace.survey(survey)
            seen.update(survey.paths)
    finally:
        stop.set()
        thread.join()
    assert "a.py" in seen
    assert not any("OUTSIDE" in path for path in seen)
    quiet = workspace.survey(survey)
    assert list(quiet.paths) == list(Workspace(root).files()) == ["a.py"]


def _reason(result: RawDocument | Refusal) -> str:
    return result.reason if isinstance(result, Refusal) else "seen"


def test_reading_in_a_row_gives_what_reading_one_by_one_gives(root: Path, write: Write) -> None:
    for path in ("a.py", "b/c.py", "b/d/e.py", "b/f.py", "g/h.py", "b/.env", "b/bin.dat"):
        write(path, path)
    write("b/bin.dat", b"\0\1")
    (root / "link.py").symlink_to("b/d/e.py")
    (root / "up").symlink_to("b/d")
    (root / "b/denied.py").symlink_to(".env")
    asked = ["b/d/e.py", "a.py", "b/c.py", "b/f.py", "link.py", "up/e.py", "b/denied.py", "b/.env",
             "b/bin.dat", "g/h.py", "b", "missing", "../x", "b/d/e.py"]  # fmt: skip
    expected = [Workspace(root).read_raw(path) for path in asked]
    workspace = Workspace(root)
    with workspace.reading() as read_raw:
        assert [read_raw(path) for path in asked] == expected
    workspace.survey()
    with workspace.reading() as read_raw:
        assert [read_raw(path) for path in asked] == expected
    first = expected[0]
    assert isinstance(first, RawDocument)
    assert (first.data, first.stamp) == (b"b/d/e.py", Stamp.of((root / "b/d/e.py").stat()))


def test_a_directory_that_is_moved_out_while_reading_in_a_row(root: Path, write: Write) -> None:
    """An open directory leads to its files wherever it was moved; its name no longer does."""
    write("a/b/c.py", TEXT)
    write("a/b/d.py", TEXT)
    workspace = Workspace(root)
    workspace.survey()
    with workspace.reading() as read_raw:
        assert isinstance(read_raw("a/b/c.py"), RawDocument)
        (root / "a").rename(root.parent / "a")
        assert _reason(read_raw("a/b/d.py")) == "not_found"
        (root / "a").symlink_to("../a")
        assert _reason(read_raw("a/b/d.py")) == "outside_sandbox"
        (root / "a").unlink()
        write("a/b/d.py", "new")
        document = read_raw("a/b/d.py")
        assert isinstance(document, RawDocument)
        assert document.data == b"new"
        root.rename(root.parent / "moved")
        assert _reason(read_raw("a/b/d.py")) == "not_found"


def test_what_a_survey_has_seen_is_judged_again_after_a_refresh(root: Path, write: Write) -> None:
    write("a.py", TEXT)
    write("b.py", TEXT)
    (root / "link.py").symlink_to("a.py")
    workspace = Workspace(root)
    workspace.survey()
    write(".env", TEXT)
    (root / "link.py").unlink()
    (root / "link.py").symlink_to(".env")
    assert refused(workspace.read("link.py")).source == "default:credentials"
    write(".gitignore", "a.py\n")
    workspace.refresh()
    assert refused(workspace.read("a.py")).source == ".gitignore:1"
    write(".gitignore", "b.py\n")
    workspace.survey()
    assert outcome(workspace.read("a.py")) == "seen"
    assert refused(workspace.read("b.py")).source == ".gitignore:1"


def test_no_descriptor_is_left_open(root: Path, write: Write) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("descriptors cannot be counted here")
    for path in ("a/b/c.py", "a/d.py", "e.py"):
        write(path, TEXT)
    workspace = Workspace(root)
    before = len(list(Path("/proc/self/fd").iterdir()))
    survey = workspace.survey(workspace.survey())
    with workspace.reading() as read_raw:
        for path in (*survey.paths, "missing", "a"):
            read_raw(path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
