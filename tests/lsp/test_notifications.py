"""What the server follows: focus, cursor and typing, configuration, folders, the disk."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from sightline.lsp.scheduling import QUIET_SECONDS, Debouncer
from tests.lsp.conftest import SECRET, make_place
from tests.lsp.editor import EMACS, NEOVIM_10, NEOVIM_11, VS_CODE, Editor, Kind, running, uri_of
from tests.lsp.editor import workspace_folders as folders_of

pytestmark = pytest.mark.asyncio

_WATCHING = [VS_CODE, NEOVIM_10, EMACS]
"""One that watches for the server, one that cannot, and one that offers to and overlooks much."""


async def test_the_status_follows_focus_cursor_and_typing(place: Path, home: Path) -> None:
    """Each status says which file, symbol, version and revision it counted."""
    async with running(NEOVIM_11, home, place) as editor:
        shapes = editor.open_file(place / "shapes.py")
        use = editor.open_file(place / "use.py")
        first = await editor.status(lambda s: s["uri"] == shapes and s["indexComplete"])
        assert (first["decision"], first["version"]) == ("ok", 1)
        assert sum(block["tokens"] for block in first["blocks"]) <= first["tokens"]
        at = editor.at(use, "return self")
        editor.focus(use, types.Position(**at))
        twice = await editor.status(lambda s: s["uri"] == use)
        assert twice["symbol"] == "Square.twice"
        editor.focus(use, types.Position(**editor.at(use, "return shape")))
        await editor.status(lambda s: s["symbol"] == "total")
        editor.replace(use, "return shape", "print('ß😀' * 9)\n    return shape")
        typed = await editor.status(lambda s: s["version"] == 2)
        assert typed["tokens"] > twice["tokens"]
        assert typed["revision"] > twice["revision"]
        editor.focus("untitled:Untitled-1")
        none = await editor.status(lambda s: s["uri"].startswith("untitled:"))
        assert (none["decision"], none["refusal"]["reason"]) == ("none", "not_a_file")
        editor.focus(uri_of(place / ".env"))
        denied = await editor.status(lambda s: s["uri"].endswith(".env"))
        assert (denied["decision"], denied["tokens"]) == ("none", 0)


async def test_what_is_opened_in_the_background_has_no_focus(place: Path, home: Path) -> None:
    """A client that tells where the focus is, or that there is none, is taken at its word."""
    async with running(VS_CODE, home, place) as editor:
        shapes = editor.open_file(place / "shapes.py")
        await editor.status(lambda s: s["uri"] == shapes and s["indexComplete"])
        editor.focus(None)
        use = editor.open_file(place / "use.py")
        # Findings follow what is typed as the status does, and say here that its time has come.
        secret = f'password = "{SECRET}"\n'
        editor.replace(use, "from shapes", secret + "from shapes")
        await editor.until(lambda: editor.diagnostics.get(use))
        editor.replace(use, secret, "")
        await editor.until(lambda: not editor.diagnostics[use])
        assert use not in [each["uri"] for each in editor.statuses]


async def test_a_client_without_a_plugin_gets_no_status(place: Path, home: Path) -> None:
    """It may warn its user of every message that it does not know, until it tells of a focus."""
    async with running(EMACS, home, place) as editor:
        use = editor.open_file(place / "use.py")
        await editor.indexed(files=5)
        # Findings follow what is typed as the status does, and say here that its time has come.
        editor.replace(use, "from shapes", f'password = "{SECRET}"\nfrom shapes')
        await editor.until(lambda: editor.diagnostics.get(use))
        assert not editor.statuses
        editor.focus(use)
        await editor.status(lambda s: s["uri"] == use)


async def test_the_status_comes_while_somebody_types_without_a_pause() -> None:
    """What waits for quiet does not wait for ever; what was poked last is done at last."""
    done: list[int] = []
    poked = 0

    async def work() -> None:
        done.append(poked)

    board = Debouncer(work)
    while len(done) < 2:
        poked += 1
        board.poke()
        await asyncio.sleep(QUIET_SECONDS / 10)
    while done[-1] != poked:
        await asyncio.sleep(QUIET_SECONDS / 10)
    board.stop()


async def test_the_decision_follows_the_limits_of_the_configuration(
    place: Path, home: Path
) -> None:
    """A smaller model warns, then refuses; the build says the same as the status."""
    async with running(VS_CODE, home, place) as editor:
        uri = editor.open_file(place / "use.py")
        status = await editor.status(lambda s: s["indexComplete"])
        assert status["decision"] == "ok"
        # The fit goes down to the soft limit where it can, so only what cannot shrink is above.
        editor.configure({"budget": {"maxInputTokens": 4000, "responseTokenReserve": 100}})
        await editor.status(lambda s: s["hardLimitTokens"] == 3900)
        tokens = (await editor.build(uri))["budget_report"]["estimated_input_tokens"]
        least = await _smallest(editor, uri, tokens)
        editor.configure(_limits(least + 5, 1))
        warned = await editor.status(lambda s: s["decision"] == "warn_soft_limit")
        assert warned["hardLimitTokens"] == least + 5
        assert (await editor.build(uri))["budget_report"]["decision"] == "warn_soft_limit"
        editor.configure(_limits(least - 5, 80))
        refused = await editor.status(lambda s: s["decision"] == "refuse_hard_limit")
        assert refused["refusal"]["kind"] == "ContextTooLarge"
        assert (await editor.build(uri))["refusal"]["kind"] == "ContextTooLarge"
        # A request has the last word, and keeps what it does not name.
        allowed = await editor.build(uri, model={"maxInputTokens": 5000})
        assert allowed["budget_report"]["hard_limit_tokens"] == 4999


def _limits(hard: int, percent: int) -> dict[str, Any]:
    return {
        "budget": {
            "maxInputTokens": hard + 1,
            "responseTokenReserve": 1,
            "softLimitThresholdPct": percent,
        }
    }


async def _smallest(editor: Editor, uri: str, most: int) -> int:
    """The least number of tokens that a bundle can be made with."""
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        model = {"maxInputTokens": middle + 1, "responseTokenReserve": 1}
        fits = (await editor.build(uri, model=model))["status"] == "ok"
        low, high = (low, middle) if fits else (middle + 1, high)
    return low


async def test_configuration_is_pulled_or_pushed(place: Path, home: Path) -> None:
    """Whichever way it comes, what could loosen a guard is not taken, and that is said."""

    def cannot_be_asked(capabilities: types.ClientCapabilities) -> None:
        assert capabilities.workspace is not None
        capabilities.workspace.configuration = False

    loosening = {"secrets": {"onTargetSecret": "redact"}, "policy": {"deny": ["/sub/"]}}
    async with running(VS_CODE, home, place, configuration=loosening) as editor:
        other = uri_of(place / "sub" / "other.py")
        assert (await editor.build(other))["refusal"]["rule"] == "/sub/"
        assert any("onTargetSecret" in m.message or "on_target" in m.message for m in _told(editor))
        refused = await editor.build(uri_of(place / "secret.py"))
        assert refused["refusal"]["kind"] == "SecretRisk"
        editor.configure({})
        await editor.indexed(files=5)
        assert (await editor.build(other))["status"] == "ok"
    async with running(EMACS, home, place, adapt=cannot_be_asked) as editor:
        assert (await editor.build(other))["status"] == "ok"
        for settings in (
            {"sightline": {"policy": {"deny": ["/sub/"]}}},
            {"python": {"policy": {"deny": ["/shapes.py"]}}, "sightline": None},
            {"policy.deny": ["/sub/"]},
            {"python": {"analysis": {"policy": True}}},
        ):
            editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
            is_denied = "sub" in str(settings)
            status = "refused" if is_denied else "ok"
            assert (await editor.build(other))["status"] == status, settings
        assert not _told(editor)


def _told(editor: Editor) -> list[types.ShowMessageParams]:
    return editor.messages


async def test_code_lenses_are_off_unless_they_are_wanted(place: Path, home: Path) -> None:
    """Each outermost symbol has one, which says what it costs and builds for it."""
    params = types.CodeLensParams(types.TextDocumentIdentifier(uri_of(place / "use.py")))
    async with running(VS_CODE, home, place) as editor:
        uri = editor.open_file(place / "use.py")
        await editor.indexed(files=5)
        assert not await editor.text_document_code_lens_async(params)
        editor.configure({"codeLens": {"enabled": True}})
        lenses: Any = await editor.text_document_code_lens_async(params)
        assert [each.range.start.line for each in lenses] == [3, 8]
        assert all(each.command.title.endswith(" tokens") for each in lenses)
        built = await editor.command(lenses[1].command.command, *lenses[1].command.arguments)
        assert built["manifest"]["selection"]["target_symbols"] == ["use.py::total"]
        editor.replace(uri, "from shapes", "\n\nfrom shapes")
        lenses = await editor.text_document_code_lens_async(params)
        assert [each.range.start.line for each in lenses] == [5, 10]


async def test_bad_settings_refuse_and_are_taken_once_they_are_good(
    place: Path, home: Path
) -> None:
    """A settings file that may guard and cannot be read refuses every build, and says so once."""
    settings = place / ".sightline.toml"
    settings.write_text('[policy]\ndeny = "no list"\n')
    async with running(NEOVIM_11, home, place) as editor:
        uri = editor.open_file(place / "use.py")
        for _ in range(2):
            refused = await editor.build(uri)
            assert refused["status"] == "refused"
            assert refused["refusal"]["source"].startswith(".sightline.toml")
        assert await editor.symbols(uri) is not None, "the editor's own text may be looked at"
        assert len(_told(editor)) == 1
        assert ".sightline.toml" in _told(editor)[0].message
        settings.write_text('[policy]\ndeny = ["/sub/"]\n')
        assert (await editor.build(uri))["status"] == "ok"
        await editor.indexed(files=3)
        # The server watches by itself: settings that turn bad refuse from then on.
        settings.write_text("[[[")
        await editor.until(lambda: len(_told(editor)) == 2)
        broken = await editor.build(uri)
        assert broken["refusal"]["source"].startswith(".sightline.toml")


async def test_folders_come_and_go(place: Path, home: Path, tmp_path: Path) -> None:
    """Each folder is a project of its own; a file is of the innermost folder that it is in."""
    second = make_place(tmp_path / "second")
    (second / "shapes.py").write_text("class Second: ...\n")
    async with running(VS_CODE, home, place, second) as editor:
        for folder in (place, second):
            await editor.indexed(uri_of(folder / "use.py"), files=5)
        uri = uri_of(second / "shapes.py")
        assert "class Second" in (await editor.build(uri))["rendered"]
        mixed = await editor.build(uri, targets=[{"uri": uri_of(place / "use.py")}])
        assert mixed["refusal"]["reason"] == "several_folders"
        explained = await editor.ask(
            "sightline/explain",
            textDocument={"uri": uri},
            target={"uri": uri_of(place / "use.py")},
        )
        assert explained["refusal"]["reason"] == "several_folders"
        found: Any = await editor.workspace_symbol_async(types.WorkspaceSymbolParams("Square"))
        assert {each.location.uri for each in found} == {
            uri_of(folder / "use.py") for folder in (place, second)
        }
        event = types.WorkspaceFoldersChangeEvent(added=[], removed=folders_of([second]))
        editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
        assert (await editor.build(uri))["status"] == "refused"
        assert (await editor.build(uri_of(place / "use.py")))["status"] == "ok"
        # Emacs writes a slash behind a folder, and it is the same folder.
        slashed = [types.WorkspaceFolder(uri_of(second) + "/", "second")]
        editor.open(uri, "class Unsaved: ...\n")
        event = types.WorkspaceFoldersChangeEvent(added=slashed, removed=[])
        editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
        assert "class Unsaved" in (await editor.build(uri))["rendered"]
        (second / "new.py").write_text("def fresh(): ...\n")
        _say_changed(editor, (second / "new.py", types.FileChangeType.Created))
        await editor.indexed(uri, files=6)


async def test_a_folder_may_be_gone_for_a_while(place: Path, home: Path, tmp_path: Path) -> None:
    """It is refused with the reason while it is not there, and served as soon as it is again."""
    uri, elsewhere = uri_of(place / "use.py"), tmp_path / "elsewhere"
    place.rename(elsewhere)
    async with running(VS_CODE, home, place) as editor:
        for _ in range(2):
            assert (await editor.build(uri))["refusal"]["message"] == "the folder is not there"
            elsewhere.rename(place)
            assert (await editor.build(uri))["status"] == "ok"
            place.rename(elsewhere)
            await editor.command("sightline.reindex")


async def test_folders_may_lie_in_each_other(place: Path, home: Path) -> None:
    """What is typed into a file counts in every folder that it is in, whichever come and go."""
    (place / "top.py").write_text("from sub.other import Other\n\n\ndef top(): return Other()\n")
    other, top = uri_of(place / "sub" / "other.py"), uri_of(place / "top.py")
    inner = folders_of([place / "sub"])

    def tell(added: list[types.WorkspaceFolder], removed: list[types.WorkspaceFolder]) -> None:
        event = types.WorkspaceFoldersChangeEvent(added=added, removed=removed)
        editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))

    async with running(VS_CODE, home, place) as editor:
        await editor.indexed(files=6)
        editor.open(other, "class Other:\n    first = 1\n")
        for name, added, removed in (("second", inner, []), ("third", [], inner)):
            tell(added, removed)
            editor.show(other, f"class Other:\n    {name} = 1\n")
            for uri in (other, top):
                assert f"{name} = 1" in (await editor.build(uri))["rendered"]
        tell(inner, [])
        (place / "sub" / "new.py").write_text("def fresh(): ...\n")
        _say_changed(editor, (place / "sub" / "new.py", types.FileChangeType.Created))
        for uri, files in ((top, 7), (other, 3)):
            await editor.indexed(uri, files=files)
        await _symbol_is_at(editor, "fresh", [place / "sub" / "new.py"])
        editor.close(other)
        for uri in (other, top):
            assert "third" not in (await editor.build(uri))["rendered"]


def _say_changed(editor: Editor, *changed: tuple[Path, types.FileChangeType]) -> None:
    editor.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams(
            [types.FileEvent(uri_of(path), kind) for path, kind in changed]
        )
    )


@pytest.mark.parametrize("kind", _WATCHING, ids=str)
async def test_files_are_followed_on_the_disk(kind: Kind, place: Path, home: Path) -> None:
    """Created, renamed and deleted: whoever watches, the index and the next bundle know."""
    async with running(kind, home, place) as editor:
        is_told = kind is VS_CODE
        await editor.indexed(files=5)
        if is_told:
            [registration] = await editor.until(lambda: editor.registered)
            assert registration.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        made, moved = place / "made.py", place / "sub" / "moved.py"
        made.write_text("def brand_new(): ...\n")
        if is_told:
            _say_changed(editor, (made, types.FileChangeType.Created))
        await _symbol_is_at(editor, "brand_new", [made])
        made.rename(moved)
        if is_told:
            editor.workspace_did_rename_files(
                types.RenameFilesParams([types.FileRename(uri_of(made), uri_of(moved))])
            )
        await _symbol_is_at(editor, "brand_new", [moved])
        # A build never serves what the index remembers of a file.
        moved.write_text("def brand_new(): return 'newer'\n")
        assert "'newer'" in (await editor.build(uri_of(moved)))["rendered"]
        position = {"line": 0, "character": 5}
        moved.write_text("\n\n\ndef brand_new(): return 'newest'\n")
        sliced = await editor.ask(
            "sightline/slice",
            textDocument={"uri": uri_of(moved)},
            level="region",
            position={**position, "line": 3},
        )
        assert "'newest'" in sliced["content"]
        moved.unlink()
        if is_told:
            editor.workspace_did_delete_files(
                types.DeleteFilesParams([types.FileDelete(uri_of(moved))])
            )
        await _symbol_is_at(editor, "brand_new", [])
        assert (await editor.build(uri_of(moved)))["status"] == "refused"


async def _symbol_is_at(editor: Editor, name: str, paths: list[Path]) -> None:
    async with asyncio.timeout(300):
        while True:
            found: Any = await editor.workspace_symbol_async(types.WorkspaceSymbolParams(name))
            if [each.location.uri for each in found] == [uri_of(path) for path in paths]:
                return
            await asyncio.sleep(0.02)


async def test_a_file_that_is_open_under_two_names_is_what_was_typed_last(
    place: Path, home: Path
) -> None:
    """Never a mixture of both; once one is closed, it is what the other shows."""
    async with running(VS_CODE, home, place) as editor:
        await editor.indexed(files=5)
        one = uri_of(place / "shapes.py")
        other = one.replace("shapes", "%73hapes")

        async def text() -> str:
            params = {"textDocument": {"uri": one}, "level": "full"}
            content: str = (await editor.ask("sightline/slice", **params))["content"]
            return content

        editor.open(one, "class One: ...\n")
        editor.open(other, "\n\nclass Another: ...\n")
        assert await text() == editor.texts[other]
        for uri, old, new in ((one, "One", "First"), (other, "Another", "Second")):
            editor.replace(uri, old, new)
            assert await text() == editor.texts[uri]
        editor.close(other)
        assert await text() == editor.texts[one]
        editor.close(one)
        assert await text() == (place / "shapes.py").read_text()


async def test_a_document_that_is_out_of_step_is_served_to_nobody(place: Path, home: Path) -> None:
    """Neither as a target nor beside one, however its URI is written, until its text is whole."""
    async with running(VS_CODE, home, place) as editor:
        uri = editor.open_file(place / "shapes.py")
        use = editor.open_file(place / "use.py")
        await editor.indexed(files=5)
        beside = {"uri": use, "symbol": "Square.twice"}
        included = (await editor.build(targets=[beside]))["manifest"]["selection"]["included_files"]
        assert "shapes.py" in [each["path"] for each in included]
        stale = types.TextDocumentContentChangeWholeDocument("class Stale: ...\n")
        for _ in range(3):
            editor.change(uri, stale, version=1)
        await editor.until(lambda: editor.messages)
        spelled = uri.replace("shapes", "%73hapes")
        for target in ({"uri": uri}, {"uri": spelled}, {"symbol": "Shape"}, beside):
            refused = await editor.build(targets=[target])
            assert refused["status"] == "refused", target
            assert refused["refusal"]["reason"] == "out_of_step"
        found = await editor.workspace_symbol_async(types.WorkspaceSymbolParams("Shape"))
        assert not found
        for method, params in (
            ("sightline/slice", {"level": "full"}),
            ("sightline/explain", {}),
        ):
            answer = await editor.ask(method, textDocument={"uri": spelled}, **params)
            assert answer["refusal"]["reason"] == "out_of_step"
        assert await editor.symbols(uri) is None
        editor.focus(uri)
        await editor.status(lambda s: s["uri"] == uri and s["decision"] == "none")
        assert len(editor.messages) == 1, "it is said once"
        editor.show(uri, "class Shape:\n    def area(self): return 'recovered'\n")
        assert "'recovered'" in (await editor.build(targets=[beside]))["rendered"]
        # A reversed range is no change that an editor makes.
        start, end = types.Position(0, 5), types.Position(0, 1)
        editor.change(uri, types.TextDocumentContentChangePartial(types.Range(start, end), "x"))
        assert (await editor.build(uri))["refusal"]["reason"] == "out_of_step"
        editor.close(uri)
        assert "return 0" in (await editor.build(uri))["rendered"]


async def test_progress_of_indexing_begins_and_ends_once_for_each_folder(
    place: Path, home: Path, tmp_path: Path
) -> None:
    """Tokens are made once; a client that cancels keeps a server that works."""
    second = make_place(tmp_path / "second")
    for number in range(200):
        (second / f"file{number}.py").write_text(f"def function_{number}(): ...\n")
    async with running(NEOVIM_11, home, place, second) as editor:
        await editor.until(lambda: len(editor.progress_reports) == 2)
        tokens = sorted(map(str, editor.progress_reports))
        editor.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(tokens[1]))
        for token in tokens:
            await editor.until(lambda: "end" in editor.kinds_of_progress(token))  # noqa: B023
            kinds = editor.kinds_of_progress(token)
            assert (kinds[0], kinds.count("begin"), kinds.count("end")) == ("begin", 1, 1)
        await editor.command("sightline.reindex")
        await editor.indexed(uri_of(second / "use.py"), files=205)
        built = await editor.build(uri_of(second / "file7.py"))
        assert built["index_complete"]
