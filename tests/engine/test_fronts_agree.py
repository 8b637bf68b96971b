"""The same request through the shell, the server and Python gives the same result object."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import msgspec
import pytest

import sightline
from sightline.cli import main
from sightline.engine import results
from tests.lsp.conftest import make_place
from tests.lsp.raw import RawClient, uri_of

_CORRELATION = "00000000-0000-4000-8000-000000000001"
_OF_ONE_RUN = ("created_at", "parsed", "reused")
"""What differs from one run to the next: the time, and what the last scan had to do."""
_OF_THE_SERVER = ("revision", "current_revision")


@attrs.frozen
class Fronts:
    """One workspace, open in all three."""

    root: Path
    client: RawClient
    workspace: sightline.OpenWorkspace

    def shell(self, *arguments: str) -> dict[str, Any]:
        printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            main([*arguments, "--format", "json"])
        return _comparable(json.loads(printed.buffer.getvalue()))

    def server(self, method: str, **params: object) -> dict[str, Any]:
        answer = self.client.ask(f"sightline/{method}", params)
        assert set(_OF_THE_SERVER) <= answer.keys()
        return _comparable({key: answer[key] for key in answer if key not in _OF_THE_SERVER})

    def document(self, path: str) -> dict[str, str]:
        return {"uri": uri_of(self.root / path)}


@pytest.fixture(scope="module")
def fronts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fronts]:
    folder = tmp_path_factory.mktemp("fronts")
    root = make_place(folder / "a place")
    home = folder / "home"
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(home / "cache"))
        monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(home / "config"))
        monkeypatch.setenv("SIGHTLINE_INDEX_JOBS", "1")
        monkeypatch.chdir(root)
        with RawClient(home) as client, sightline.open(root) as workspace:
            client.initialize(root)
            client.wait_until_indexed()
            yield Fronts(root, client, workspace)


@pytest.mark.parametrize(
    ("target", "params"),
    [
        ("use.py::total", {"targets": [("use.py", "total")]}),
        ("shapes.py", {"targets": [("shapes.py", None)]}),
        ("secret.py", {"targets": [("secret.py", None)]}),
        ("gone.py", {"targets": [("gone.py", None)]}),
    ],
)
def test_build(fronts: Fronts, target: str, params: dict[str, Any]) -> None:
    """Bundles and refusals alike, with a budget of the request's own."""
    shell = fronts.shell(
        "build", target, "--max-input-tokens", "20000", "--correlation-id", _CORRELATION
    )
    targets = [{**fronts.document(path), "symbol": symbol} for path, symbol in params["targets"]]
    server = fronts.server(
        "buildContext",
        targets=targets,
        model={"maxInputTokens": 20000},
        format="json",
        correlationId=_CORRELATION,
    )
    python = fronts.workspace.build(
        target, max_input_tokens=20_000, format="json", correlation_id=_CORRELATION
    )
    assert shell == server == _plain(python)
    assert shell.keys() == {*results.BuildResult.__struct_fields__}


@pytest.mark.parametrize(
    ("path", "level", "symbols"),
    [
        ("use.py", "full", ()),
        ("use.py", "region", ("Square.twice",)),
        ("use.py", "signatures", ()),
        ("use.py", "summary", ()),
        ("secret.py", "full", ()),
        ("use.py", "region", ("nobody",)),
        (".env", "full", ()),
        ("pyproject.toml", "signatures", ()),
    ],
)
def test_slice(fronts: Fronts, path: str, level: str, symbols: tuple[str, ...]) -> None:
    named = [argument for symbol in symbols for argument in ("--symbol", symbol)]
    shell = fronts.shell("slice", path, "--level", level, *named)
    server = fronts.server(
        "slice", textDocument=fronts.document(path), level=level, symbols=symbols
    )
    assert shell == server == _plain(fronts.workspace.slice(path, level, symbols))


@pytest.mark.parametrize(
    ("path", "line", "target"),
    [
        ("use.py", 10, None),
        ("shapes.py", None, None),
        ("shapes.py", None, "use.py::total"),
        ("sub/other.py", None, "use.py::total"),
        ("shapes.py", None, "secret.py"),
        (".env", None, None),
    ],
)
def test_explain(fronts: Fronts, path: str, line: int | None, target: str | None) -> None:
    about = path if line is None else f"{path}:{line}"
    shell = fronts.shell("explain", about, *(("--for", target) if target else ()))
    position = {} if line is None else {"position": {"line": line - 1, "character": 4}}
    wanted = {}
    if target is not None:
        inside, _, symbol = target.partition("::")
        wanted = {"target": {**fronts.document(inside), "symbol": symbol or None}}
    server = fronts.server("explain", textDocument=fronts.document(path), **position, **wanted)
    assert shell == server == _plain(fronts.workspace.explain(path, line, target))


def test_verify(fronts: Fronts, tmp_path: Path) -> None:
    """A record that holds, one that does not any more, and what is no record."""
    built = fronts.workspace.build("use.py::total")
    record = tmp_path / "record.json"
    record.write_bytes(msgspec.json.encode(built))
    before = (fronts.root / "shapes.py").read_text()
    for text in (None, "class Shape: ...\n", before):
        if text is not None:
            (fronts.root / "shapes.py").write_text(text)
            fronts.workspace.refresh()
            fronts.client.ask("workspace/executeCommand", {"command": "sightline.reindex"})
        shell = fronts.shell("verify", str(record))
        server = fronts.server("verify", result=msgspec.to_builtins(built))
        assert shell == server == _plain(fronts.workspace.verify(built))
        assert shell["status"] == ("verified" if text in (None, before) else "different")
    assert _plain(fronts.workspace.verify(b"{}")) == fronts.server("verify", result={})


def test_index(fronts: Fronts) -> None:
    shell = fronts.shell("index")
    server = fronts.server("indexStatus")
    assert shell == server == _plain(fronts.workspace.index())
    assert shell["files"] > 0


def test_outline_references_diff_settings_and_doctor(fronts: Fronts, tmp_path: Path) -> None:
    """What the server serves by standard messages or not at all."""
    workspace = fronts.workspace
    for path in ("use.py", "secret.py", ".env", "pyproject.toml"):
        assert fronts.shell("outline", path) == _plain(workspace.outline(path))
    for symbol in ("Shape.area", "shapes.py::Shape", "nobody"):
        assert fronts.shell("refs", symbol) == _plain(workspace.references(symbol))
    records = []
    for target in ("use.py", "shapes.py"):
        built = workspace.build(target)
        records.append((built, tmp_path / f"{target}.json"))
        records[-1][1].write_bytes(msgspec.json.encode(built))
    (first, one), (second, other) = records
    assert fronts.shell("diff", str(one), str(other)) == _plain(sightline.diff(first, second))
    assert fronts.shell("settings") == _plain(workspace.settings())
    assert fronts.shell("doctor") == _plain(sightline.doctor())


def test_the_status_bar_has_what_python_says(fronts: Fronts) -> None:
    """The notification has the status, with the document that it is of."""
    fronts.client.notify(
        "textDocument/didOpen",
        {
            "textDocument": {
                **fronts.document("use.py"),
                "languageId": "python",
                "version": 1,
                "text": (fronts.root / "use.py").read_text(),
            }
        },
    )
    fronts.client.notify(
        "sightline/didChangeActiveFile",
        {"textDocument": fronts.document("use.py"), "position": {"line": 9, "character": 4}},
    )
    sent = fronts.client.wait_for_notification(
        "sightline/budgetStatus", lambda each: each["symbol"] == "total"
    )
    status = _plain(fronts.workspace.status("use.py:10"))
    for name in results.BudgetStatus.__struct_fields__:
        if name not in ("tokens", "blocks"):
            head, *rest = name.split("_")
            assert sent[head + "".join(part.title() for part in rest)] == status[name], name


def _plain(result: msgspec.Struct) -> dict[str, Any]:
    """A result of Python as JSON has it."""
    return _comparable(json.loads(msgspec.json.encode(result)))


def _comparable(value: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = _without(value)
    return found


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without(each) for key, each in value.items() if key not in _OF_ONE_RUN}
    if isinstance(value, list):
        return [_without(each) for each in value]
    return value
