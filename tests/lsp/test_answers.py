"""Questions about files and symbols, all asked of one server, which is left as it was."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.conftest import SECRET, USE, make_place
from tests.lsp.editor import NEOVIM_11, VS_CODE, Editor, running, uri_of

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_place(tmp_path_factory.mktemp("answers") / "a place")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(folder: Path) -> AsyncIterator[Editor]:
    async with running(VS_CODE, folder.parent / "home", folder) as running_editor:
        await running_editor.indexed(files=5)
        yield running_editor


async def test_a_slice_is_one_file_at_one_level(editor: Editor, folder: Path) -> None:
    """Whole, one region, or signatures; a secret in it is replaced and named."""
    document = {"uri": uri_of(folder / "use.py")}
    whole = await editor.ask("sightline/slice", textDocument=document, level="full")
    assert (whole["status"], whole["content"], whole["document_version"]) == ("ok", USE, None)
    at = {"line": 9, "character": 4}
    region = await editor.ask("sightline/slice", textDocument=document, level="region", position=at)
    assert "return shape.area()" in region["content"]
    assert "twice" not in region["content"]
    named = await editor.ask(
        "sightline/slice", textDocument=document, level="region", symbols=["total"]
    )
    assert named["content"] == region["content"]
    signatures = await editor.ask("sightline/slice", textDocument=document, level="signatures")
    assert "def twice(self) -> int" in signatures["content"]
    assert "return" not in signatures["content"]
    secret = await editor.ask(
        "sightline/slice", textDocument={"uri": uri_of(folder / "secret.py")}, level="full"
    )
    assert SECRET not in json.dumps(secret)
    assert [each["line"] for each in secret["redactions"]] == [3]


@pytest.mark.parametrize(
    ("name", "number"), [("area", 0), ("Shape.area:5", 1), ("Shape.area:6#1", 2)]
)
async def test_a_symbol_is_named_as_the_outline_names_it(
    editor: Editor, folder: Path, name: str, number: int
) -> None:
    """A full name before the end of one, and a line where several share a name."""
    bodies = ["return 0", "return 1", "return 2"]
    uri = editor.open_file(folder / "shapes.py")
    editor.show(
        uri,
        f"def area(): {bodies[0]}\n\n\nclass Shape:\n"
        f"    def area(self): {bodies[1]}\n    def area(self): {bodies[2]}\n",
    )
    found = await editor.ask(
        "sightline/slice", textDocument={"uri": uri}, level="region", symbols=[name]
    )
    editor.close(uri)
    assert [each in found["content"] for each in bodies] == [number == each for each in range(3)]


@pytest.mark.parametrize(
    ("name", "params", "reason"),
    [
        ("use.py", {"level": "everything"}, "unknown_level"),
        ("use.py", {"level": "region", "symbols": ["nobody"]}, "unknown_symbol"),
        ("pyproject.toml", {"level": "region", "symbols": ["name"]}, "unsupported_language"),
        ("nothing.py", {"level": "full"}, "not_found"),
        ("../use.py", {"level": "full"}, "bad_uri"),
    ],
)
async def test_a_slice_that_cannot_be_made_is_refused(
    editor: Editor, folder: Path, name: str, params: dict[str, Any], reason: str
) -> None:
    """A refusal has every field that an answer has."""
    document = {"uri": f"{uri_of(folder)}/{name}"}
    refused = await editor.ask("sightline/slice", textDocument=document, **params)
    assert (refused["status"], refused["refusal"]["reason"]) == ("refused", reason)
    whole = await editor.ask(
        "sightline/slice", textDocument={"uri": uri_of(folder / "use.py")}, level="full"
    )
    assert set(refused) == set(whole)


@pytest.mark.parametrize(
    ("line", "character", "symbol"),
    [(5, 31, "Square.twice"), (5, 99, "Square.twice"), (9, 23, "total"), (10, 0, None)],
)
async def test_a_cursor_at_the_end_of_a_line_is_in_what_ends_there(
    editor: Editor, folder: Path, line: int, character: int, symbol: str | None
) -> None:
    """Where a person stops typing; a build takes it the same way."""
    at = {
        "textDocument": {"uri": uri_of(folder / "use.py")},
        "position": {"line": line, "character": character},
    }
    explained = await editor.ask("sightline/explain", **at)
    assert explained["symbol"] == symbol
    cut = await editor.ask("sightline/slice", level="region", **at)
    assert [each["symbol"] for each in cut["regions"] or []] == ([symbol] if symbol else [])
    built = await editor.ask("sightline/buildContext", **at)
    targets = [f"use.py::{symbol}"] if symbol else []
    assert built["manifest"]["selection"]["target_symbols"] == targets


async def test_what_a_symbol_relates_to_is_explained(editor: Editor, folder: Path) -> None:
    """Callers, bases and the rest, each with its evidence; and whether it would be in."""
    document = {"uri": uri_of(folder / "shapes.py")}
    explained = await editor.ask(
        "sightline/explain",
        textDocument=document,
        position={"line": 1, "character": 8},
        target={"uri": uri_of(folder / "use.py"), "symbol": "total"},
    )
    assert (explained["status"], explained["symbol"]) == ("ok", "Shape.area")
    evidence = {
        (each["evidence"]["path"], each["evidence"]["line"]) for each in explained["relations"]
    }
    assert ("use.py", 10) in evidence
    assert explained["candidate"]["status"] == "included"
    assert explained["candidate"]["target"] == "use.py::total"
    alone = await editor.ask("sightline/explain", textDocument=document)
    assert (alone["symbol"], alone["candidate"]) == (None, None)
    unrelated = await editor.ask(
        "sightline/explain",
        textDocument={"uri": uri_of(folder / "sub" / "ünï code.py")},
        target={"uri": uri_of(folder / "shapes.py")},
    )
    assert unrelated["candidate"]["status"] in ("excluded", "not_a_candidate")
    for name, reason in ((".env", None), ("nothing.py", "not_found")):
        refused = await editor.ask("sightline/explain", textDocument={"uri": uri_of(folder / name)})
        assert refused["status"] == "refused"
        assert refused["relations"] == []
        assert reason in (None, refused["refusal"]["reason"])


async def test_a_build_can_be_verified(editor: Editor, folder: Path) -> None:
    """It is derived again; after an edit it is another, and the file that changed is named."""
    uri = editor.open_file(folder / "use.py")
    built = await editor.build(uri, position={"line": 5, "character": 9}, model={"name": None})
    assert built["status"] == "ok"
    same = await editor.ask("sightline/verify", result=built)
    assert (same["status"], same["differences"]) == ("verified", [])
    editor.replace(uri, "* 2", "* 3")
    other = await editor.ask("sightline/verify", result=built, textDocument={"uri": uri})
    assert other["status"] == "different"
    assert any("use.py" in each["where"] for each in other["differences"])
    assert "* 3" not in json.dumps(other)
    editor.close(uri)
    broken = await editor.ask("sightline/verify", result={"status": "ok"})
    assert broken["status"] == "refused"


async def test_the_index_tells_how_it_is(editor: Editor, folder: Path) -> None:
    """Numbers of one folder; a file of no folder is refused with the same fields."""
    # A refresh after the test before may be under way.
    status = await editor.indexed(uri_of(folder / "use.py"), files=5)
    assert (status["status"], status["root"], status["files"]) == ("ok", "a place", 5)
    assert (status["visible"], status["pending"], status["index_complete"]) == (6, 0, True)
    refused = await editor.ask("sightline/indexStatus", textDocument={"uri": "file:///elsewhere"})
    assert refused["status"] == "refused"
    assert set(refused) == set(status)


async def test_symbols_of_a_document(editor: Editor, folder: Path) -> None:
    """Nested, in the positions of what the editor shows, for a buffer that is no file as well."""
    uri = editor.open_file(folder / "sub" / "ünï code.py")
    editor.replace(uri, "return 'ß😀'", "inner = '😀'; return inner")
    [symbol] = await editor.symbols(uri) or []
    assert (symbol.name, symbol.kind) == ("größe", types.SymbolKind.Function)
    assert symbol.selection_range == types.Range(types.Position(0, 4), types.Position(0, 9))
    editor.close(uri)
    untitled = "untitled:Untitled-1"
    text = "😀 = 1\nclass Draft:\n    def later(self): ...\n"
    editor.open(untitled, text)
    [draft] = [each for each in await editor.symbols(untitled) or [] if each.name == "Draft"]
    assert [each.name for each in draft.children or []] == ["later"]
    editor.open(untitled, text, language="klingon")
    assert await editor.symbols(untitled) is None
    editor.close(untitled)
    assert await editor.symbols(untitled) is None


async def test_symbols_of_the_workspace(editor: Editor, folder: Path) -> None:
    """By a piece of their name, whatever its case."""
    for query, expected in (("squ", [("Square", 3)]), ("TOTAL", [("total", 8)]), ("zzz", [])):
        found: Any = await editor.workspace_symbol_async(types.WorkspaceSymbolParams(query))
        assert [(each.name, each.location.range.start.line) for each in found] == expected
        assert all(each.location.uri == uri_of(folder / "use.py") for each in found)


@pytest.mark.parametrize(
    "written",
    [
        "git:{path}?%7B%22ref%22%3A%22HEAD%22%7D",
        "untitled:{path}",
        "vscode-notebook-cell:{path}#W0sZmlsZQ",
        "http://localhost{path}",
        "file://server{path}",
        "file://{path}?query",
        "file://{path}#L3",
        "file://{path}%00",
        "file://{folder}/sub/../use.py",
        "file://{folder}%2Fuse.py",
        "file:///etc/passwd",
        "{path}",
        "",
        "file:",
        "file://{folder}",
        "file://{folder}/%FF.py",
    ],
)
async def test_only_files_of_the_workspace_are_read(
    editor: Editor, folder: Path, written: str
) -> None:
    """No other URI leads to the disk, be it open in the editor or not."""
    uri = written.format(path=uri_of(folder / "use.py")[7:], folder=uri_of(folder)[7:])
    for is_open in (False, True):
        if is_open:
            editor.open(uri, "canary = 1\n")
        for answer in (
            await editor.build(uri),
            await editor.ask("sightline/slice", textDocument={"uri": uri}, level="full"),
            await editor.ask("sightline/explain", textDocument={"uri": uri}),
        ):
            assert answer["status"] == "refused"
            assert "class Square" not in json.dumps(answer)
            assert "canary" not in json.dumps(answer)
        names = [each.name for each in await editor.symbols(uri) or []]
        assert "Square" not in names
    editor.close(uri)


async def test_an_unknown_command_or_wrong_arguments(editor: Editor, folder: Path) -> None:
    """What writes settings takes one document; nothing is asked or written otherwise."""
    document = {"textDocument": {"uri": uri_of(folder / "use.py")}}
    for command in ("sightline.allowPath", "sightline.markHarmless", "sightline.takeBack"):
        for arguments in ([], [1], ["a", "b"], [None], [{"path": "x"}], [document, document]):
            answer = await editor.command(command, *arguments)
            assert (answer["status"], answer["refusal"]["reason"]) == (
                "refused",
                "malformed_request",
            )
    both = {**document, "rule": "packages/**", "mark": "0123456789ab"}
    for asked in (document, both):
        answer = await editor.command("sightline.takeBack", asked)
        assert answer["refusal"]["reason"] == "malformed_request"
    assert editor.questions == []
    assert not (folder.parent / "home" / "config" / "settings.toml").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [("format", "canary"), ("format", "xml\n"), ("correlationId", "canary"), ("correlationId", "")],
)
async def test_a_value_that_no_result_could_have_is_a_wrong_parameter(
    editor: Editor, folder: Path, name: str, value: str
) -> None:
    """Nothing is built in another format, and no bundle has an id that its schema forbids."""
    with pytest.raises(JsonRpcException) as failed:
        await editor.build(uri_of(folder / "use.py"), **{name: value})
    assert failed.value.code == -32602
    assert "canary" not in str(failed.value)


async def test_a_correlation_is_the_callers(editor: Editor, folder: Path) -> None:
    """However it writes a UUID, it finds it as the contract writes one."""
    given = "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"
    built = await editor.build(uri_of(folder / "use.py"), correlationId=given)
    assert built["bundle"]["correlation_id"] == given.lower()


async def test_requests_that_come_before_anything_else_are_answered(
    place: Path, home: Path
) -> None:
    """An editor that asks in its first breath gets an answer about its folder, complete or not."""
    async with running(NEOVIM_11, home, place) as first:
        built = await first.build(uri_of(place / "shapes.py"))
        assert built["status"] == "ok"
        assert "return 0" in built["rendered"]
