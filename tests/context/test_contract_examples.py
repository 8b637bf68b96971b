"""The contract's three examples, each as a small workspace."""

from __future__ import annotations

from sightline.budget import Decision
from sightline.context import BuildRequest, Constraint, PlanStep, TargetSpec
from sightline.refusals import RefusalKind
from tests.context import workspaces as w
from tests.context.bench import block_of_type, blocks_of, everything, excluded, redactions, shape
from tests.context.conftest import MakeBench

_PASSWORD = "kT9" + "vQ2xL7mZ4w"


def test_small_targeted_edit(bench: MakeBench) -> None:
    """Rules, constraints and the whole file; besides, the project in a few lines, and no file."""
    xaml = '<Window Title="Main">\n  <Button Content="Go"/>\n</Window>\n'
    built = bench({"src/MainWindow.xaml": xaml, "src/Other.xaml": xaml + "\n"}).build(
        request=BuildRequest(
            plan_step=PlanStep(target_files=("src/MainWindow.xaml",)),
            constraints=(Constraint("MUST_NOT add dependencies"),),
        ),
        settings={"context.depth": "needed"},
    )
    assert shape(built) == [
        ("P0", "system", "Rules", None),
        ("P0", "constraints", "Constraints", None),
        ("P0", "file", "src/MainWindow.xaml", "FULL_FILE"),
        ("P0", "diff_hint", "Task", None),
        ("P1", "project_meta", "Project", None),
    ]
    assert built.bundle.blocks[2].content == xaml
    assert "MUST_NOT add dependencies" in block_of_type(built, "constraints").content
    assert built.budget_report.decision is Decision.OK
    assert built.redaction_report.redactions == ()
    assert built.manifest.selection.excluded_candidates == ()


def test_large_repository_minimal_context(bench: MakeBench) -> None:
    """The region of the symbol, the interface as signatures, and no caller where there are many."""
    methods = "".join(
        f"""
        public async Task<bool> Step{number}Async(string name)
        {{
            var visitor{number} = await store.FindAsync(name + "{number}");
            var waited{number} = visitor{number} != null && visitor{number}.Matches(name);
            return waited{number} || visitor{number}.Name.Length > {number};
        }}
"""
        for number in range(40)
    )
    service = str(w.SHOP[w.SERVICE])
    further = ", ".join(f"string answerToQuestion{number}" for number in range(40))
    page = str(w.SHOP[w.PAGE]).replace("Submit(string name", f"Submit({further}, string name")
    pages = {
        f"Web/Page{number:03}.cs": page.replace("LoginPage", f"Page{number:03}")
        for number in range(20)
    }
    built = bench(
        {
            **w.SHOP,
            w.STORE: str(w.SHOP[w.STORE]) + "// Where users are kept.\n" * 200,
            w.PAGE: page,
            **pages,
            w.SERVICE: service[: service.rindex("    }")] + methods + "    }\n}\n",
        }
    ).build(
        request=BuildRequest(
            plan_step=PlanStep(target_files=(w.SERVICE,), target_symbols=("LoginAsync",))
        ),
        settings={
            "budget.max_input_tokens": 1620,
            "budget.response_token_reserve": 400,
            "context.depth": "needed",
        },
    )
    assert shape(built) == [
        ("P0", "system", "Rules", None),
        ("P0", "constraints", "Constraints", None),
        ("P0", "file", w.SERVICE, "TARGET_REGION_ONLY"),
        ("P0", "diff_hint", "Task", None),
        ("P1", "project_meta", "Project", None),
        ("P1", "file", w.INTERFACE, "SIGNATURES_ONLY"),
        ("P1", "file", f"{w.SERVICE} (the rest of it)", "SIGNATURES_ONLY"),
    ]
    region = built.bundle.blocks[2]
    assert [each.symbol for each in region.meta.regions] == ["Shop.Services.UserService.LoginAsync"]
    assert "user.Matches(phrase)" in region.content
    assert "visitor7" not in everything(built)
    assert built.manifest.selection.target_symbols == (
        f"{w.SERVICE}::Shop.Services.UserService.LoginAsync",
    )
    out = excluded(built)
    assert {*pages, w.PAGE, w.STORE, "Shop.csproj"} == set(out)
    assert {each.reason.value for each in out.values()} == {"token_budget"}
    assert built.budget_report.decision in (Decision.OK, Decision.WARN_SOFT_LIMIT)


def test_secret_in_an_env_file(bench: MakeBench) -> None:
    """A candidate that the path rule denies is out, reported, and nothing of it leaves."""
    made = bench({**w.ORDERS, ".env": f"PASSWORD={_PASSWORD}\n"})
    built = made.build(w.TOTAL, user_selected_targets=(TargetSpec(path=".env"),))
    (candidate,) = built.manifest.selection.excluded_candidates
    assert (candidate.path, candidate.reason.value) == (".env", "deny_rule")
    assert (candidate.rule, candidate.rule_source) == ("**/*.env", "default:credentials")
    (redaction,) = redactions(built, "path_excluded")
    assert (redaction.target, redaction.reason.value) == (".env", "deny_rule")
    assert not blocks_of(built, ".env")
    assert _PASSWORD not in everything(built)


def test_secret_in_an_env_file_and_in_the_target(bench: MakeBench) -> None:
    made = bench(
        {
            **w.ORDERS,
            ".env": f"PASSWORD={_PASSWORD}\n",
            w.PRICING: str(w.ORDERS[w.PRICING]) + f'\npassword = "{_PASSWORD}"\n',
        }
    )
    refused = made.refuse(
        RefusalKind.SECRET_RISK, w.PRICING, user_selected_targets=(TargetSpec(path=".env"),)
    )
    assert refused.refusal.path == w.PRICING
    assert _PASSWORD not in everything(refused)
