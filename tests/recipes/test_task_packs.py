"""Task packs: what is in, in which order, and what is cut first."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sightline.engine.host import Host, open_host
from sightline.engine.task_packs import TaskPack, build_task_pack, task_from_text
from sightline.recipes import ContextPacker, ContextPackError
from sightline.recipes.task import Task
from sightline.recipes.task_packing import LIMITS, MARKER, Tier
from sightline.refusals import Refusal
from tests.recipes.conftest import SECRET, write

_FUNCTION = """\
def f{0}(value):
    total = 0
    for each in value:
        total += each * {0}
    return total


"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "src/api/auth.py", _functions(10))
    write(tmp_path, "src/middleware/a.py", _functions(10))
    write(tmp_path, "src/middleware/b.py", _functions(10))
    write(tmp_path, "src/middleware/hidden.py", "hidden = 1\n")
    write(tmp_path, "src/named.py", _functions(10))
    write(tmp_path, "docs/guide.md", "A sentence of the guide.\n" * 60)
    return tmp_path


def _functions(count: int) -> str:
    return "".join(_FUNCTION.format(number) for number in range(count))


def _task(**more: Any) -> dict[str, Any]:
    return {
        "id": "T1",
        "title": "Add a limit",
        "goal": "Requests are limited.",
        "acceptance": [{"id": "A1", "description": "It limits.", "verify": "pytest"}],
        "context": {"files": ["src/named.py"], "docs": ["docs/guide.md"]},
        "contract": {
            "allowedGlobs": ["src/middleware/**"],
            "forbiddenGlobs": ["**/hidden.py"],
            "allowNewFiles": True,
        },
        **more,
    }


def _previous(**more: Any) -> dict[str, Any]:
    return {"iteration": 2, "diff": "", "issues": [_issue()], **more}


def _issue(**more: Any) -> dict[str, Any]:
    return {"id": "I1", "severity": "error", "message": "wrong", "file": "src/api/auth.py", **more}


def _packed(root: Path, task: dict[str, Any]) -> TaskPack:
    host = open_host(root, keeps_index=False)
    assert isinstance(host, Host)
    with host:
        return build_task_pack(host, task)


def _paths(pack: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["path"], each["priority"]) for each in pack["files"]]


def test_a_pack_has_every_field_of_the_document(root: Path) -> None:
    tickets = [
        {"id": "R1", "issueIds": ["I1"], "instructions": "mend", "files": [], "errorOutput": "E"}
    ]
    pack = ContextPacker(root).build(_task(previous=_previous(), repairTickets=tickets))
    assert list(pack) == [
        *("task", "constraints", "previousState", "files", "docs", "repairTickets"),
        *("totalChars", "truncated"),
    ]
    assert pack["task"]["acceptance"] == [
        {"id": "A1", "description": "It limits.", "verify": "pytest"}
    ]
    assert pack["constraints"] == {
        "allowedGlobs": ["src/middleware/**"],
        "forbiddenGlobs": ["**/hidden.py"],
        "allowNewFiles": True,
    }
    assert pack["previousState"] == {"iteration": 2, "diffSummary": "", "issues": [_issue()]}
    assert pack["repairTickets"] == tickets
    assert pack["docs"][0]["path"] == "docs/guide.md"
    assert not pack["truncated"]


def test_total_chars_counts_the_compact_json(root: Path) -> None:
    write(root, "src/named.py", "title = 'Ünïcode'\n")
    pack = ContextPacker(root).build(_task())
    compact = json.dumps(pack, ensure_ascii=False, separators=(",", ":"))
    assert pack["totalChars"] == len(compact)


def test_files_come_in_the_order_of_the_document(root: Path) -> None:
    pack = ContextPacker(root, "strong").build(_task(previous=_previous()))
    assert _paths(pack) == [
        ("src/named.py", "medium"),
        ("src/api/auth.py", "high"),
        ("src/middleware/a.py", "low"),
        ("src/middleware/b.py", "low"),
    ]


def test_a_named_file_of_an_issue_is_high_and_stays_first(root: Path) -> None:
    previous = _previous(issues=[_issue(file=None, message="see src/named.py:3")])
    pack = ContextPacker(root).build(_task(previous=previous))
    assert _paths(pack)[0] == ("src/named.py", "high")


def test_forbidden_files_are_never_in(root: Path) -> None:
    task = _task(
        context={"files": ["src/middleware/hidden.py"], "docs": ["src/middleware/hidden.py"]},
        previous=_previous(
            diff="diff --git a/src/middleware/hidden.py b/src/middleware/hidden.py\n"
            "--- a/src/middleware/hidden.py\n+++ b/src/middleware/hidden.py\n"
            "@@ -1 +1 @@\n-hidden = 1\n",
            issues=[_issue(file="src/middleware/hidden.py")],
        ),
    )
    pack = ContextPacker(root).build(task)
    assert "hidden = 1" not in json.dumps(pack)
    assert all("hidden" not in path for path, _ in _paths(pack))


@pytest.mark.parametrize("tier", list(LIMITS))
def test_a_tier_is_never_exceeded_and_cuts_low_files_first(root: Path, tier: Tier) -> None:
    for number in range(40):
        write(root, f"src/middleware/more{number:02}.py", _functions(60))
    pack = ContextPacker(root, tier).build(_task(previous=_previous()))
    assert pack["totalChars"] <= LIMITS[tier]
    assert pack["truncated"]
    kept = {each["path"]: each["content"] for each in pack["files"]}
    assert kept["src/named.py"] == _functions(10)
    assert kept["src/api/auth.py"] == _functions(10)


def test_what_is_cut_is_headers_and_says_so(root: Path) -> None:
    write(root, "src/named.py", _functions(600))
    pack = ContextPacker(root, "cheap").build(_task(contract={}))
    [named] = pack["files"]
    assert named["content"].endswith(f"{MARKER}\n")
    assert "def f599(value):" in named["content"]
    assert "total += each" not in named["content"]


def test_lines_of_issues_stay_when_their_file_is_cut(root: Path) -> None:
    write(root, "src/api/auth.py", _functions(900))
    previous = _previous(issues=[_issue(line=2003)])
    pack = ContextPacker(root, "cheap").build(_task(previous=previous, contract={}))
    [_, auth] = pack["files"]
    assert MARKER in auth["content"]
    assert "def f286(value):" in auth["content"]


def test_a_large_diff_is_summarised(root: Path) -> None:
    rows = "".join(f"+line {number}\n" for number in range(2_000))
    head = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,9 @@ def outer():\n"
    diff = f"{head}{rows}-old\n"
    pack = ContextPacker(root).build(_task(previous=_previous(diff=diff)))
    assert pack["previousState"]["diffSummary"] == (f"x.py: +2000 −1 in def outer():\n{MARKER}")


def test_the_ten_gravest_issues_are_kept(root: Path) -> None:
    issues = [_issue(id=f"I{number}", severity="info") for number in range(12)]
    issues.append(_issue(id="worst", severity="critical"))
    pack = ContextPacker(root).build(_task(previous=_previous(issues=issues)))
    kept = [each["id"] for each in pack["previousState"]["issues"]]
    assert kept == ["worst", *(f"I{number}" for number in range(9))]


def test_error_outputs_are_kept_whole_or_the_pack_is_refused(root: Path) -> None:
    for number in range(20):
        write(root, f"src/middleware/more{number:02}.py", _functions(60))
    tickets = [{"id": "R", "errorOutput": "trace\n" * 3_000}]
    pack = ContextPacker(root, "cheap").build(_task(repairTickets=tickets))
    assert pack["repairTickets"][0]["errorOutput"] == "trace\n" * 3_000
    with pytest.raises(ContextPackError) as refused:
        ContextPacker(root, "cheap").build(_task(repairTickets=tickets * 3))
    assert refused.value.refusal.reason == "over_tier_limit"


def test_secrets_are_replaced_everywhere(root: Path) -> None:
    write(root, "src/named.py", f'KEY = "{SECRET}"\n')
    write(root, "docs/guide.md", f"Use {SECRET}\n")
    task = _task(
        goal=f"Rotate {SECRET}",
        previous=_previous(diff=f"+{SECRET}\n", issues=[_issue(evidence=f"printed {SECRET}")]),
        repairTickets=[{"id": "R", "instructions": SECRET, "errorOutput": f"401 {SECRET}"}],
    )
    assert SECRET[4:20] not in json.dumps(ContextPacker(root).build(task))


def test_the_same_task_gives_the_same_pack(root: Path) -> None:
    task = _task(previous=_previous())
    assert ContextPacker(root).build(task) == ContextPacker(root).build(task)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "missing required field `id`"),
        ({"id": 1, "title": "t", "goal": "g"}, "Expected `str`, got `int`"),
        (_task(contract={"forbidenGlobs": []}), "unknown field `forbidenGlobs`"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_a_malformed_task_is_refused(root: Path, given: Any, problem: str) -> None:
    with pytest.raises(ContextPackError) as refused:
        ContextPacker(root).build(given)
    assert refused.value.refusal.reason == "malformed_task"
    assert problem in refused.value.refusal.message


@pytest.mark.parametrize("near", ["contrakt", "acceptence", "repairTicket", "previousStates"])
def test_a_field_that_is_nearly_one_of_ours_is_refused(root: Path, near: str) -> None:
    with pytest.raises(ContextPackError, match=f"no field `{near}`; did you mean"):
        ContextPacker(root).build({**_task(), near: []})


def test_other_fields_of_a_task_are_left_out_and_said(root: Path) -> None:
    given = _task(status="open", dependsOn=["T0"])
    made = _packed(root, given)
    assert made.pack == ContextPacker(root).build(_task())
    assert made.warnings == ("fields of the task that a pack does not use: dependsOn, status",)


@pytest.mark.parametrize("contract", ["fileContract", "file_contract", "constraints"])
@pytest.mark.parametrize("previous", ["previousState", "previous_state"])
def test_fields_have_the_names_of_the_pack_as_well(
    root: Path, contract: str, previous: str
) -> None:
    """What a pack said goes into the task of the next iteration as it is."""
    given = _task(previous=_previous(diff="+x\n"))
    pack = ContextPacker(root).build(given)
    again = {name: each for name, each in given.items() if name not in ("contract", "previous")}
    again |= {contract: pack["constraints"], previous: pack["previousState"]}
    assert ContextPacker(root).build(again) == pack


def test_criteria_issues_and_tickets_keep_fields_of_their_own(root: Path) -> None:
    issue = {"category": "lint", "path": "src/api/auth.py", "description": f"key {SECRET}"}
    ticket = {"instructions": "mend src/middleware/b.py", "error": "Traceback"}
    pack = ContextPacker(root).build(
        _task(
            acceptance=["It limits.", {"text": "It counts."}],
            previous=_previous(issues=[issue, "see src/named.py", {"id": 7}]),
            repairTickets=[ticket],
        )
    )
    assert pack["task"]["acceptance"] == [
        {"id": "1", "description": "It limits."},
        {"id": "2", "description": "", "text": "It counts."},
    ]
    first, second, third = pack["previousState"]["issues"]
    assert {**first, "description": ""} == {
        "id": "1", "severity": "error", "message": "", **issue, "description": ""
    }  # fmt: skip
    assert SECRET not in first["description"]
    assert second["message"] == "see src/named.py"
    assert third["id"] == "7"
    assert pack["repairTickets"][0]["error"] == "Traceback"
    assert _paths(pack)[:3] == [
        ("src/named.py", "high"),
        ("src/middleware/b.py", "high"),
        ("src/api/auth.py", "high"),
    ]


def test_fields_that_are_not_json_are_refused(root: Path) -> None:
    for value in (object(), {1: object()}, {(1, 2): 3}):
        with pytest.raises(ContextPackError, match=r"not JSON|`str`"):
            ContextPacker(root).build(_task(acceptance=[{"text": "x", "own": value}]))


def test_fields_of_a_pack_are_attributes_as_well(root: Path) -> None:
    pack: Any = ContextPacker(root).build(_task())
    assert pack.files[0].path == pack["files"][0]["path"] == "src/named.py"
    assert (pack.task.goal, pack.totalChars) == ("Requests are limited.", pack["totalChars"])
    assert json.loads(json.dumps(pack)) == pack
    with pytest.raises(AttributeError, match="no field 'chars'"):
        _ = pack.chars


def test_an_unknown_tier_is_refused(root: Path) -> None:
    with pytest.raises(ContextPackError, match="there is no such tier"):
        ContextPacker(root, "huge").build(_task())


def test_a_task_file_may_be_json_or_yaml() -> None:
    written = b"id: T1\ntitle: Add\ngoal: |\n  Do it.\nacceptance:\n  - It works.\n"
    task = task_from_text(written)
    assert isinstance(task, Task)
    assert (task.goal, task.acceptance[0].description) == ("Do it.\n", "It works.")
    assert task_from_text(json.dumps(_task()).encode()) == task_from_text(
        json.dumps(_task(), indent=1).encode()
    )


def test_a_hostile_task_file_is_refused() -> None:
    bomb = b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"
    for text in (bomb, b"\xff\xfe", b"[" * 100_000, b"!!python/object:os.system x", b"\0"):
        assert isinstance(task_from_text(text), Refusal)


def test_a_text_is_cut_to_its_beginning_where_nothing_else_is_known_of_it(root: Path) -> None:
    """By halves: a short file stays whole while a long one can be cut. Lines are not shortened."""
    write(root, "notes/one.txt", "word " * 20_000)
    write(root, "notes/two.txt", "".join(f"line {number}\n" for number in range(9_000)))
    write(root, "notes/small.txt", "small\n")
    files = ["notes/one.txt", "notes/two.txt", "notes/small.txt"]
    task = {"id": "T", "title": "t", "goal": "g", "context": {"files": files}}
    pack = ContextPacker(root, "cheap").build(task)
    one, two, small = (each["content"] for each in pack["files"])
    assert small == "small\n"
    for text, beginning in ((one, "word word "), (two, "line 0\nline 1\n")):
        assert text.startswith(beginning)
        assert text.endswith(f"\n{MARKER}\n")
        assert len(text) > 6_000
    assert two.removesuffix(f"\n{MARKER}\n").split("\n")[-1].startswith("line ")
    whole = ContextPacker(root, "strong").build({**task, "context": {"files": files[:1]}})
    assert (whole["files"][0]["content"], whole["truncated"]) == ("word " * 20_000, False)


def test_the_marker_stands_for_files_that_are_left_out(root: Path) -> None:
    """More files than a pack takes, or than its tier has room for: one entry says so."""
    for number in range(250):
        write(root, f"many/f{number:03}.txt", "x\n")
    task = {"id": "T", "title": "t", "goal": "g", "contract": {"allowedGlobs": ["many/**"]}}
    capped = ContextPacker(root).build(task)
    assert capped["files"][200] == {
        "path": "many/f200.txt",
        "content": MARKER,
        "priority": "low",
    }
    tight = ContextPacker(root, "cheap").build({**task, "goal": "g" * 20_000})
    assert tight["truncated"]
    assert tight["files"][-1]["content"] == MARKER
    assert len(tight["files"]) < 100


def test_a_file_that_is_missing_is_not_truncation(root: Path) -> None:
    task = _task(context={"files": ["no/such.py", "src", "", "src/named.py"], "docs": ["no.md"]})
    pack = ContextPacker(root).build(task)
    assert (pack["truncated"], pack["docs"], _paths(pack)[0][0]) == (False, [], "src/named.py")


def test_other_names_of_a_forbidden_file_are_forbidden(root: Path) -> None:
    (root / "alias.py").symlink_to(root / "src/middleware/hidden.py")
    names = ["alias.py", "src/api/../middleware/hidden.py", str(root / "src/middleware/hidden.py")]
    contract = {"forbiddenGlobs": ["src/middleware/hidden.py"]}
    pack = ContextPacker(root).build(_task(context={"files": names}, contract=contract))
    assert pack["files"] == []


def test_names_of_one_file_are_one_file(root: Path) -> None:
    names = ["./src/named.py", str(root / "src/named.py"), "src\\named.py", "../x", "/etc/hosts"]
    pack = ContextPacker(root).build(_task(context={"files": names}, contract={}))
    assert _paths(pack) == [("src/named.py", "medium")]


def test_a_task_may_be_an_object_or_have_other_spellings(root: Path) -> None:
    """Attributes with underscores, and None for what is left out."""
    as_object = SimpleNamespace(
        id="T",
        title="t",
        goal="g",
        acceptance=("It works.",),
        context=SimpleNamespace(files=("src/named.py",), docs=None),
        contract=SimpleNamespace(allowed_globs=["src/api/**"], allow_new_files=True),
        previous=None,
    )
    as_mapping = {
        "id": "T",
        "title": "t",
        "goal": "g",
        "acceptance": [{"id": "1", "description": "It works.", "verify": None}],
        "context": {"files": ["src/named.py"]},
        "contract": {"allowed_globs": ["src/api/**"], "allow_new_files": True},
        "repair_tickets": None,
    }
    pack = ContextPacker(root).build(as_object)
    assert pack == ContextPacker(root).build(as_mapping)
    assert pack["constraints"]["allowedGlobs"] == ["src/api/**"]
    assert _paths(pack) == [("src/named.py", "medium"), ("src/api/auth.py", "low")]


def test_goal_criteria_and_constraints_are_in_the_smallest_pack(root: Path) -> None:
    write(root, "src/named.py", "x = 1\n" * 50_000)
    task = _task(goal="g" * 9_000, acceptance=["a" * 5_000, "b" * 5_000])
    pack = ContextPacker(root, "cheap").build(task)
    assert pack["task"]["goal"] == "g" * 9_000
    assert [each["description"] for each in pack["task"]["acceptance"]] == [
        "a" * 5_000,
        "b" * 5_000,
    ]
    assert pack["constraints"]["allowedGlobs"] == ["src/middleware/**"]
    assert pack["truncated"]


def test_files_of_tickets_are_high(root: Path) -> None:
    task = _task(repairTickets=[{"id": "R", "files": ["src/api/auth.py", "src/named.py"]}])
    assert _paths(ContextPacker(root).build(task))[:2] == [
        ("src/named.py", "high"),
        ("src/api/auth.py", "high"),
    ]


def test_medium_is_cut_before_high(root: Path) -> None:
    write(root, "src/api/auth.py", "a = 1\n" * 2_500)
    write(root, "src/named.py", "b = 2\n" * 2_500)
    task = _task(previous=_previous(), context={"files": ["src/named.py"]}, contract={})
    named, auth = ContextPacker(root, "cheap").build(task)["files"]
    assert auth["content"] == "a = 1\n" * 2_500
    assert named["content"].endswith(f"{MARKER}\n") or named["content"] == MARKER


def test_what_a_task_lacks_its_pack_lacks(root: Path) -> None:
    pack = ContextPacker(root).build({"id": "T", "title": "t", "goal": "g"})
    assert list(pack) == ["task", "constraints", "files", "docs", "totalChars", "truncated"]
    assert pack["constraints"] == {
        "allowedGlobs": [], "forbiddenGlobs": [], "allowNewFiles": False
    }  # fmt: skip
