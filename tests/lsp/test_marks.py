"""Allowing a file and marking a value over the protocol: the server asks, a person answers.

Nothing is written but as the answer to a question, and only for the workspace that it named.
"""

from __future__ import annotations

import asyncio
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.lsp.conftest import SECRET, make_place
from tests.lsp.editor import KINDS, NEOVIM_11, VS_CODE, Editor, Kind, running, uri_of

pytestmark = pytest.mark.asyncio

_ALLOW = "Allow in This Workspace"
_MARK = "Mark as Harmless in This Workspace"


def _settings(home: Path) -> Any:
    file = home / "config" / "settings.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.exists() else None


async def _finding(editor: Editor, uri: str) -> types.Diagnostic:
    [diagnostic] = await editor.until(lambda: editor.diagnostics.get(uri))
    assert isinstance(diagnostic, types.Diagnostic)
    return diagnostic


async def _mark(editor: Editor, uri: str) -> Any:
    """Choose the action that marks the one finding of a document."""
    diagnostic = await _finding(editor, uri)
    arguments = (await editor.actions(uri, 2, 0, diagnostic))["sightline.markHarmless"]
    return await editor.command("sightline.markHarmless", *arguments)


async def _allow(editor: Editor, uri: str) -> Any:
    arguments = (await editor.actions(uri, 0))["sightline.allowPath"]
    assert arguments == [{"textDocument": {"uri": uri}}]
    return await editor.command("sightline.allowPath", *arguments)


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_a_value_is_marked_once_the_person_confirms_it(
    place: Path, home: Path, kind: Kind
) -> None:
    """The question names file, line, detector and workspace; the mark is the workspace's alone."""
    async with running(kind, home, place) as editor:
        editor.focus(None)
        uri = editor.open_file(place / "secret.py")
        assert (await editor.build(uri))["refusal"]["kind"] == "SecretRisk"
        editor.answers.append(_MARK)
        done = await _mark(editor, uri)
        assert done["status"] == "ok"
        [question] = editor.questions
        for piece in ("line 3", "'secret.py'", "assigned-password", "'a place'"):
            assert piece in question.message
        assert [each.title for each in question.actions or []] == [_MARK, "Cancel"]
        [recorded] = _settings(home)["workspaces"]
        assert recorded["root"] == str(place.resolve())
        assert [each["file"] for each in recorded["harmless"]] == ["secret.py"]
        assert not (place / ".sightline.toml").exists()
        result = await editor.build(uri)
        assert result["status"] == "ok"
        assert SECRET in result["rendered"]
        await editor.until(lambda: not editor.diagnostics[uri])


async def test_a_file_is_allowed_once_the_person_confirms_it(place: Path, home: Path) -> None:
    """The question names file, rule and workspace; what yields to nobody is not offered."""
    async with running(VS_CODE, home, place) as editor:
        editor.focus(None)
        uri = editor.open_file(place / ".env", "plaintext")
        await editor.indexed(files=5)
        refused = await editor.build(uri)
        assert refused["refusal"]["source"].startswith("default:")
        editor.show(uri, "COLOUR=blue\n")
        editor.answers.append(_ALLOW)
        done = await _allow(editor, uri)
        assert done["changed"]["rule"] == ".env"
        [question] = editor.questions
        for piece in ("'.env'", "**/*.env", "default:credentials", "'a place'"):
            assert piece in question.message
        [recorded] = _settings(home)["workspaces"]
        assert (recorded["root"], recorded["allow"][0]["rule"]) == (str(place.resolve()), ".env")
        result = await editor.build(uri)
        assert "COLOUR=blue" in result["rendered"]
        assert list(await editor.actions(uri_of(place / ".git" / "config"), 0)) == [
            "sightline.buildContext"
        ]


@pytest.mark.parametrize(
    "answer", [None, "Cancel", "Yes", RuntimeError("no such method"), {"title": 3}, [_MARK]]
)
async def test_any_other_answer_writes_nothing(place: Path, home: Path, answer: object) -> None:
    """A client that cannot answer has said no."""
    async with running(VS_CODE, home, place) as editor:
        editor.focus(None)
        uri = editor.open_file(place / "secret.py")
        editor.answers += [answer, answer]
        refused = await _mark(editor, uri)
        assert (refused["status"], refused["refusal"]["reason"]) == ("refused", "not_confirmed")
        refused = await _allow(editor, editor.open_file(place / ".env", "plaintext"))
        assert (refused["status"], refused["refusal"]["reason"]) == ("refused", "not_confirmed")
        assert _settings(home) is None
        assert not (home / "config" / "marks.key").exists()
        assert (await editor.build(uri))["status"] == "refused"


async def test_an_answer_that_comes_after_the_request_was_cancelled_writes_nothing(
    place: Path, home: Path
) -> None:
    async with running(VS_CODE, home, place) as editor:
        editor.focus(None)
        uri = editor.open_file(place / "secret.py")
        diagnostic = await _finding(editor, uri)
        arguments = (await editor.actions(uri, 2, 0, diagnostic))["sightline.markHarmless"]
        asked = editor.protocol.send_request(
            "workspace/executeCommand",
            types.ExecuteCommandParams("sightline.markHarmless", arguments=arguments),
            msg_id="marking",
        )
        await editor.until(lambda: editor.questions)
        editor.cancel_request(types.CancelParams("marking"))
        with pytest.raises(Exception, match="cancel"):
            await asyncio.wrap_future(asked)
        editor.answers.append(_MARK)
        editor.arrived.set()
        assert (await editor.build(uri))["status"] == "refused"
        assert _settings(home) is None


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_an_answer_counts_if_the_folder_was_reopened_meanwhile(
    place: Path, home: Path, kind: Kind
) -> None:
    """A person may take a while to answer, and other settings may change in that time."""
    async with running(kind, home, place) as editor:
        editor.focus(None)
        uri = editor.open_file(place / "secret.py")
        asked = asyncio.ensure_future(_mark(editor, uri))
        await editor.until(lambda: editor.questions)
        editor.configure({"maxInputTokens": 30_000})
        assert (await editor.build(uri))["budget_report"] is None
        editor.answers.append(_MARK)
        editor.arrived.set()
        assert (await asked)["status"] == "ok"
        taken = await editor.command(
            "sightline.takeBack",
            {"textDocument": {"uri": uri}, "mark": (await asked)["changed"]["id"]},
        )
        assert taken["status"] == "ok"


async def test_no_message_carries_a_value_or_a_hash_of_it(place: Path, home: Path) -> None:
    """A diagnostic names the detector; a hash that is not keyed would tell a common value."""
    async with running(VS_CODE, home, place) as editor:
        editor.focus(None)
        uri = editor.open_file(place / "secret.py")
        diagnostic = await _finding(editor, uri)
        assert diagnostic.data is None
        arguments = (await editor.actions(uri, 2, 0, diagnostic))["sightline.markHarmless"]
        assert arguments == [
            {
                "textDocument": {"uri": uri},
                "position": {"line": 2, "character": 12},
                "detector": "assigned-password",
            }
        ]
        editor.answers.append(_MARK)
        done = await editor.command("sightline.markHarmless", *arguments)
        said = json.dumps(done) + editor.questions[0].message
        assert SECRET not in said


async def test_a_mark_in_one_workspace_has_no_effect_in_another(place: Path, home: Path) -> None:
    """Neither the value nor a file of the same name, though one server serves both."""
    other = make_place(place.parent / "other")
    async with running(VS_CODE, home, place, other) as editor:
        editor.focus(None)
        uri, other_uri = (editor.open_file(each / "secret.py") for each in (place, other))
        env, other_env = (editor.open_file(each / ".env", "text") for each in (place, other))
        editor.show(env, "COLOUR=blue\n")
        editor.show(other_env, "COLOUR=blue\n")
        editor.answers += [_MARK, _ALLOW]
        assert (await _mark(editor, uri))["status"] == "ok"
        assert (await _allow(editor, env))["status"] == "ok"
        assert (await editor.build(uri))["status"] == "ok"
        assert (await editor.build(env))["status"] == "ok"
        assert (await editor.build(other_uri))["refusal"]["kind"] == "SecretRisk"
        assert (await editor.build(other_env))["refusal"]["reason"] == "deny_rule"


async def test_a_mark_is_taken_back_by_a_command(place: Path, home: Path) -> None:
    """Without a question: that only tightens."""
    async with running(VS_CODE, home, place) as editor:
        editor.focus(None)
        uri = editor.open_file(place / "secret.py")
        env = editor.open_file(place / ".env", "text")
        editor.show(env, "COLOUR=blue\n")
        editor.answers += [_MARK, _ALLOW]
        marked, allowed = await _mark(editor, uri), await _allow(editor, env)
        document = {"textDocument": {"uri": uri}}
        mark = {**document, "mark": marked["changed"]["id"]}
        back = await editor.command("sightline.takeBack", mark)
        assert back["mark"] == marked["changed"]
        back = await editor.command("sightline.takeBack", {**document, "rule": ".env"})
        assert back["allowance"] == allowed["changed"]
        assert len(editor.questions) == 2
        assert _settings(home) == {}
        assert (await editor.build(uri))["refusal"]["kind"] == "SecretRisk"
        assert (await editor.build(env))["refusal"]["reason"] == "deny_rule"
        again = await editor.command("sightline.takeBack", mark)
        assert again["refusal"]["reason"] == "not_marked"


async def test_a_client_without_a_plugin_is_offered_to_undo(place: Path, home: Path) -> None:
    async with running(NEOVIM_11, home, place) as editor:
        uri = editor.open_file(place / "secret.py")
        editor.answers += [_MARK, "Undo"]
        assert (await _mark(editor, uri))["status"] == "ok"
        await editor.until(lambda: len(editor.questions) == 2)
        assert "marked as harmless in the workspace 'a place'" in editor.questions[1].message
        assert [each.title for each in editor.questions[1].actions or []] == ["Undo"]
        await editor.until_asked(
            "sightline/buildContext",
            lambda built: built["status"] == "refused",
            textDocument={"uri": uri},
        )
        assert _settings(home) == {}


async def test_of_several_values_on_a_line_the_person_chooses_one(place: Path, home: Path) -> None:
    """A refusal names lines: at the beginning of one, all of its values are meant."""
    other = "Kx7vB2nQw9Lm4RtZc6Yd"
    (place / "two.py").write_text(f'password = "{SECRET}"; token = "{other}"\n')
    async with running(VS_CODE, home, place) as editor:
        editor.focus(None)
        uri = uri_of(place / "two.py")
        asked = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
        editor.answers.append("Mark assigned-secret at Column 45")
        done = await editor.command("sightline.markHarmless", asked)
        assert done["refusal"] is None, (done, editor.questions)
        assert done["changed"]["detector"] == "assigned-secret"
        [question] = editor.questions
        assert [each.title for each in question.actions or []] == [
            "Mark assigned-password at Column 13",
            "Mark assigned-secret at Column 45",
            "Cancel",
        ]


async def test_what_is_not_there_any_more_is_not_asked_about(place: Path, home: Path) -> None:
    async with running(VS_CODE, home, place) as editor:
        editor.focus(None)
        uri = editor.open_file(place / "secret.py")
        diagnostic = await _finding(editor, uri)
        arguments = (await editor.actions(uri, 2, 0, diagnostic))["sightline.markHarmless"]
        editor.show(uri, "# nothing\n")
        answer = await editor.command("sightline.markHarmless", *arguments)
        assert answer["refusal"]["reason"] == "no_secret_there"
        seen = {"textDocument": {"uri": uri}}
        answer = await editor.command("sightline.allowPath", seen)
        assert answer["refusal"]["reason"] == "not_withheld"
        assert editor.questions == []
        assert _settings(home) is None
