"""Bundles as editors get them: of what they show, and the same as the command line's."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import stat
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest
from lsprotocol import types

from sightline.schemas import schema
from tests.lsp.conftest import SECRET
from tests.lsp.editor import EMACS, KINDS, NEOVIM_11, VS_CODE, Kind, running, uri_of, wire

pytestmark = pytest.mark.asyncio

_VALIDATOR = jsonschema.Draft202012Validator(schema("build_result"))
_TYPED = "class Shape:\n    def area(self) -> int:\n        é = '😀'; return len(é) + 1\n"


async def _command_line(folder: Path, home: Path, *arguments: str) -> dict[str, Any]:
    """What `sightline build` answers in a folder."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "sightline.cli", "build", "--format", "json", *arguments),
        cwd=folder,
        env={
            **os.environ,
            "SIGHTLINE_CACHE_DIR": str(home / "other cache"),
            "SIGHTLINE_CONFIG_DIR": str(home / "config"),
        },
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    out, _ = await process.communicate()
    result: dict[str, Any] = json.loads(out)
    return result


def _golden(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what tells when, by whom and from which of the two sources it was made."""
    kept = {key: value for key, value in result.items() if key != "rendered"}
    kept.pop("revision", None)
    kept.pop("current_revision", None)
    golden: dict[str, Any] = json.loads(json.dumps(kept))
    for part in ("bundle", "manifest", "redaction_report", "budget_report"):
        for name in ("created_at", "correlation_id", "bundle_id"):
            golden[part].pop(name, None)
    # The source is part of what a block is, so the typed one and all of them together have
    # another name.
    golden["manifest"]["fingerprints"].pop("bundle_fingerprint")
    for block in golden["bundle"]["blocks"]:
        if block["meta"]["path"] == "shapes.py":
            block["block_id"] = block["meta"]["source"] = block["meta"]["document_version"] = None
    for block in golden["budget_report"]["blocks"]:
        if block["title"] == "shapes.py":
            block["block_id"] = None
    for file in golden["manifest"]["selection"]["included_files"]:
        if file["path"] == "shapes.py":
            file["source"] = None
    return golden


def _differences(one: Any, other: Any, where: str = "") -> list[str]:
    """Where two values are not the same."""
    if isinstance(one, dict) and isinstance(other, dict):
        return [
            found
            for name in sorted({*one, *other})
            for found in _differences(one.get(name), other.get(name), f"{where}.{name}")
        ]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [
            found
            for number, pair in enumerate(zip(one, other, strict=True))
            for found in _differences(*pair, f"{where}[{number}]")
        ]
    return [] if one == other else [where]


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_a_bundle_is_what_the_command_line_gives_for_the_same_text(
    kind: Kind, place: Path, home: Path, tmp_path: Path
) -> None:
    """One golden: typed text, in any encoding and saved nowhere, is as if it were saved."""
    saved = tmp_path / "saved" / "a place"
    async with running(kind, home, place) as editor:
        assert editor.encoding == kind.encoding
        uri = editor.open_file(place / "shapes.py")
        editor.replace(uri, "return 0", "é = '😀'; return 0")
        editor.replace(uri, "return 0", "return len(é)")
        editor.replace(uri, "len(é)", "len(é) + 1")
        assert editor.texts[uri] == _TYPED
        await editor.indexed(files=5)
        target = {"uri": uri, "position": editor.at(uri, "return len")}
        result = await editor.build(targets=[target], format="json")
    assert result["status"] == "ok", result["refusal"]
    assert result["index_complete"]
    assert "é = '😀'; return len(é) + 1" in result["rendered"]
    # The whole file was read from the editor: its version is told.
    block = next(b for b in result["bundle"]["blocks"] if b["meta"]["path"] == "shapes.py")
    assert (block["meta"]["source"], block["meta"]["document_version"]) == ("user", 4)
    assert (place / "shapes.py").read_text() != _TYPED
    shutil.copytree(place, saved)
    (saved / "shapes.py").write_text(_TYPED)
    column = _TYPED.split("\n")[2].index("return") + 1
    expected = await _command_line(saved, home, f"shapes.py:3:{column}")
    assert expected["status"] == "ok", expected["refusal"]
    assert _differences(_golden(result), _golden(expected)) == []
    written = {k: v for k, v in result.items() if k not in ("revision", "current_revision")}
    _VALIDATOR.validate(written)


async def test_a_bundle_is_of_the_text_at_the_time_of_the_request(place: Path, home: Path) -> None:
    """A build that edits overtake answers for the text before them, and says so."""
    async with running(NEOVIM_11, home, place) as editor:
        uri = editor.open_file(place / "shapes.py")
        await editor.indexed(files=5)
        editor.replace(uri, "return 0", "return 1")
        builds = []
        for number in range(1, 9):
            position = editor.at(uri, "return")
            builds.append(editor.begin_build(uri, position=position))
            editor.replace(uri, "class", "\nclass")
            editor.replace(uri, f"return {number}", f"return {number + 1}")
        results = await asyncio.gather(*builds)
        last = await editor.build(uri)
    for number, result in enumerate(results, start=1):
        block = next(b for b in result["bundle"]["blocks"] if b["meta"]["path"] == "shapes.py")
        assert f"return {number}\n" in block["content"]
        assert result["manifest"]["selection"]["target_symbols"] == ["shapes.py::Shape.area"]
        assert result["revision"] <= result["current_revision"]
    revisions = [each["revision"] for each in results]
    assert revisions == sorted(set(revisions))
    assert results[0]["revision"] < results[0]["current_revision"]
    assert last["revision"] == last["current_revision"]
    assert "return 9" in last["rendered"]


async def test_a_closed_file_is_what_the_disk_has(place: Path, home: Path) -> None:
    """Unsaved text is gone with its tab, and is there again when it is opened again."""
    async with running(VS_CODE, home, place) as editor:
        uri = uri_of(place / "shapes.py")
        await editor.indexed(files=5)
        for turn in range(5):
            editor.open(uri, f"unsaved = {turn}\n")
            assert f"unsaved = {turn}" in (await editor.build(uri))["rendered"]
            editor.close(uri)
            closed = editor.begin_build(uri)
            if turn % 2:
                assert "return 0" in (await closed)["rendered"]
            editor.open(uri, f"again = {turn}\n")
            editor.replace(uri, "again", "once")
            assert f"once = {turn}" in (await editor.build(uri))["rendered"]
            rendered = (await closed)["rendered"]
            assert "return 0" in rendered
            assert "unsaved" not in rendered
            editor.close(uri)
        sliced = await editor.ask("sightline/slice", textDocument={"uri": uri}, level="full")
        assert "return 0" in sliced["content"]


async def test_what_is_asked_for_besides_the_active_file(place: Path, home: Path) -> None:
    """Targets, a range, an intent, constraints, an error, additions and omissions all arrive."""
    async with running(VS_CODE, home, place) as editor:
        uri = editor.open_file(place / "use.py")
        await editor.indexed(files=5)
        whole_lines = {"start": editor.at(uri, "class Square"), "end": editor.at(uri, "\n\ndef")}
        result = await editor.build(
            uri,
            range=whole_lines,
            purpose="plan",
            intent="make it round",
            constraints=[{"text": "no new files", "scope": "project"}],
            userSelectedTargets=[{"uri": uri_of(place / "sub" / "other.py")}],
            droppedUris=[uri_of(place / "secret.py")],
            lastError={"message": "it is not", "uri": uri, "line": 5, "severity": "error"},
            correlationId="7f7c1c3e-6f0b-4f2c-9a3e-2b1f0c9d8e7a",
            format="xml",
            unknownField={"of": "another version"},
        )
        assert result["status"] == "ok", result["refusal"]
        request = result["request"]
        assert request["active"]["line"] == 4
        assert request["active"]["end_line"] == 6
        assert request["dropped_paths"] == ["secret.py"]
        assert request["last_error"]["line"] == 6
        assert result["bundle"]["correlation_id"] == "7f7c1c3e-6f0b-4f2c-9a3e-2b1f0c9d8e7a"
        assert result["manifest"]["selection"]["target_symbols"] == ["use.py::Square"]
        paths = {each["path"] for each in result["manifest"]["selection"]["included_files"]}
        assert "sub/other.py" in paths
        assert "secret.py" not in paths
        for word in ("make it round", "no new files", "it is not"):
            assert word in result["rendered"]
        by_command = await editor.command(
            "sightline.buildContext", {"textDocument": {"uri": uri}, "range": whole_lines}
        )
        assert by_command["manifest"]["selection"]["target_symbols"] == ["use.py::Square"]
        symbol = await editor.build(targets=[{"symbol": "total"}])
        assert symbol["manifest"]["selection"]["target_symbols"] == ["use.py::total"]


async def test_a_cursor_may_stand_at_the_end(place: Path, home: Path) -> None:
    """Behind the last line break, or in a file that is empty, no symbol is around it."""
    async with running(VS_CODE, home, place) as editor:
        uri = editor.open_file(place / "use.py")
        await editor.indexed(files=5)
        whole = (await editor.build(uri))["rendered"]
        end = types.Position(editor.texts[uri].count("\n"), 0)
        at_end = await editor.build(uri, position=wire(end))
        assert at_end["rendered"] == whole
        editor.focus(uri, end)
        status = await editor.status(lambda s: s["indexComplete"])
        assert (status["decision"], status["symbol"]) == ("ok", None)
        editor.show(uri, "")
        assert (await editor.build(uri, position=wire(types.Position(0, 0))))["status"] == "ok"


async def test_an_ambiguity_is_refused_with_candidates_and_then_chosen(
    place: Path, home: Path
) -> None:
    """A name that several symbols have is not guessed; a person chooses."""
    async with running(EMACS, home, place) as editor:
        await editor.indexed(files=5)
        refused = await editor.build(targets=[{"symbol": "area"}])
        assert refused["status"] == "refused"
        assert refused["refusal"]["kind"] == "AmbiguousTarget"
        candidates = refused["refusal"]["candidates"]
        assert {each.partition("::")[0] for each in candidates} == {"shapes.py", "sub/other.py"}
        chosen = {"uri": uri_of(place / "sub" / "other.py"), "symbol": "Other.area"}
        result = await editor.build(targets=[{"symbol": "area"}], userSelectedTargets=[chosen])
        assert result["status"] == "ok", result["refusal"]
        assert result["manifest"]["selection"]["target_symbols"] == ["sub/other.py::Other.area"]


async def test_a_refusal_over_a_secret_offers_to_replace_it_once(place: Path, home: Path) -> None:
    """The client asks again with one more parameter, and nothing is written anywhere."""
    async with running(VS_CODE, home, place) as editor:
        await editor.indexed(files=5)
        uri = uri_of(place / "secret.py")
        refusal = (await editor.build(uri))["refusal"]
        assert [each["kind"] for each in refusal["actions"]] == ["redact_once", "mark_harmless"]
        assert refusal["actions"][1]["line"] == 3
        assert refusal["actions"][1]["detector"] == refusal["rule"]
        result = await editor.build(uri, redactTarget=True)
        assert result["status"] == "ok"
        assert SECRET not in json.dumps(result)
        assert (await editor.build(uri))["status"] == "refused"


async def test_a_weak_secret_is_a_hint(place: Path, home: Path) -> None:
    async with running(VS_CODE, home, place) as editor:
        uri = editor.open_file(place / "use.py")
        editor.show(uri, 'password = "sun' + 'shine"\n')
        [diagnostic] = await editor.until(lambda: editor.diagnostics.get(uri))
        assert diagnostic.severity is types.DiagnosticSeverity.Hint
        assert "sun" + "shine" not in diagnostic.message


async def test_findings_go_with_the_tab(place: Path, home: Path) -> None:
    """However soon a file is closed, nothing is said about it afterwards."""
    async with running(VS_CODE, home, place) as editor:
        await editor.indexed(files=5)
        uri = uri_of(place / "secret.py")
        for _ in range(3):
            editor.open_file(place / "secret.py")
            editor.close(uri)
        use = editor.open_file(place / "use.py")
        # What is said is said in order.
        await editor.until(lambda: use in editor.diagnostics)
        assert not editor.diagnostics[uri]


async def test_a_refusal_says_where_and_what_to_choose_from(place: Path, home: Path) -> None:
    """An editor can go to the line, offer smaller symbols, or ask again with what is enough."""
    async with running(VS_CODE, home, place) as editor:
        await editor.indexed(files=5)
        secret = await editor.build(uri_of(place / "secret.py"))
        assert secret["refusal"]["lines"] == [3]
        uri = uri_of(place / "use.py")
        calls = "".join(f"        print({number}, self)\n" for number in range(400))
        editor.open_file(place / "use.py")
        editor.replace(uri, "def total", f"    def many(self) -> None:\n{calls}\n\ndef total")
        small = {"maxInputTokens": 1500, "responseTokenReserve": 100}
        here = {"textDocument": {"uri": uri}, "position": editor.at(uri, "class Square")}
        large = await editor.ask("sightline/buildContext", **here, model=small)
        refusal = large["refusal"]
        assert refusal["kind"] == "ContextTooLarge"
        assert refusal["candidates"][0] == "use.py::Square.twice:5"
        narrowed = await editor.ask(
            "sightline/buildContext", targets=[{"symbol": refusal["candidates"][0]}], model=small
        )
        assert narrowed["status"] == "ok", narrowed["refusal"]
        enough = {**small, "maxInputTokens": refusal["smallest_budget"]}
        raised = await editor.ask("sightline/buildContext", **here, model=enough)
        assert raised["status"] == "ok", raised["refusal"]


async def test_the_users_settings_can_be_opened(place: Path, home: Path) -> None:
    """They are made with a comment if they are not there, and left alone if they are."""
    async with running(NEOVIM_11, home, place) as editor:
        answer = await editor.command("sightline.userSettings")
        file = home / "config" / "settings.toml"
        assert answer == {"status": "ok", "refusal": None, "path": str(file)}
        assert file.read_text().startswith("# ")
        file.write_text("# mine\n")
        await editor.command("sightline.userSettings")
        assert file.read_text() == "# mine\n"


async def test_a_symbol_can_be_built_from_its_code_action(place: Path, home: Path) -> None:
    """The first action that is offered anywhere builds for what stands there."""
    async with running(VS_CODE, home, place) as editor:
        uri = editor.open_file(place / "use.py")
        await editor.indexed(files=5)
        at = editor.at(uri, "return shape")
        offered = await editor.actions(uri, **at)
        assert sorted(offered) == ["sightline.buildContext"]
        built = await editor.command("sightline.buildContext", *offered["sightline.buildContext"])
        assert built["manifest"]["selection"]["target_symbols"] == ["use.py::total"]


async def test_a_client_without_a_plugin_is_shown_what_it_asked_for(
    place: Path, home: Path
) -> None:
    """By a private file outside the workspace, which it is asked to open."""
    async with running(NEOVIM_11, home, place) as editor:
        uri = editor.open_file(place / "use.py")
        await editor.indexed(files=5)
        asked = {"textDocument": {"uri": uri}}
        built = await editor.command("sightline.buildContext", asked)
        await editor.until(lambda: len(editor.shown_documents) == 1)
        file = Path(unquote(urlsplit(editor.shown_documents[0].uri).path))
        assert file.read_text() == built["rendered"]
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert not file.is_relative_to(place)
        for number in range(12):
            editor.show(uri, f"first = {number}\n")
            await editor.command("sightline.buildContext", asked)
            await editor.until(lambda: len(editor.shown_documents) == number + 2)  # noqa: B023
        assert len(list(file.parent.iterdir())) == 10
        secret = {"textDocument": {"uri": uri_of(place / "secret.py")}}
        await editor.command("sightline.buildContext", secret)
        await editor.until(lambda: any("line 3" in each.message for each in editor.messages))
        said = editor.messages[-1].message
        assert said.startswith("secret.py: ")
        assert " [rule " in said


async def test_a_client_without_a_plugin_is_told_what_came_of_a_command(
    place: Path, home: Path
) -> None:
    """Settings are opened, and what they cannot take is said; a plugin of ours does this itself."""
    async with running(NEOVIM_11, home, place) as editor:
        answer = await editor.command("sightline.userSettings")
        await editor.until(lambda: editor.shown_documents)
        file = Path(answer["path"])
        assert [each.uri for each in editor.shown_documents] == [uri_of(file)]
        file.write_text("not [ toml\n")
        mark = {"textDocument": {"uri": uri_of(place / "use.py")}, "mark": "0123456789ab"}
        refused = await editor.command("sightline.takeBack", mark)
        assert refused["status"] == "refused"
        await editor.until(lambda: editor.messages)
        assert refused["refusal"]["message"] in editor.messages[-1].message
        count = len(editor.messages)
        editor.focus(None)
        assert (await editor.command("sightline.takeBack", mark)) == refused
        assert len(editor.messages) == count


async def test_a_cancelled_build_is_answered_at_once(place: Path, home: Path) -> None:
    """By `$/cancelRequest` and by the button of its progress; the server goes on."""
    async with running(VS_CODE, home, place) as editor:
        uri = editor.open_file(place / "use.py")
        await editor.indexed(files=5)
        params = {"textDocument": {"uri": uri}}
        asked = []
        for number in range(20):
            sent = editor.protocol.send_request("sightline/buildContext", params, msg_id=number)
            asked.append(asyncio.wrap_future(sent))
        for number in range(20):
            editor.cancel_request(types.CancelParams(number))
        outcomes = await asyncio.gather(*asked, return_exceptions=True)
        # The first may have been answered before it was cancelled; the last was not begun.
        codes = [getattr(each, "code", None) for each in outcomes]
        assert codes[-10:] == [-32800] * 10
        editor.progress_reports["a token"] = []
        task = editor.begin_build(uri, workDoneToken="a token")
        await editor.until(lambda: editor.progress_reports["a token"] or task.done())
        editor.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams("a token"))
        await asyncio.wait([task])
        assert getattr(task.exception(), "code", -32800) == -32800
        kinds = editor.kinds_of_progress("a token")
        assert (kinds[0], kinds[-1], len(kinds)) == ("begin", "end", 2)
        assert (await editor.build(uri))["status"] == "ok"
