"""Nothing that leaves holds a secret: every channel of every front, with secrets of many forms.

A project is made in which secrets stand where people leave them: in a target, beside it, in a
comment of another file, in names of files, folders and functions, in broken source, in a record
that somebody made up. Then everything that can be asked is asked through Python, the shell and
the server, and all that comes out is searched for any eight characters of any of them, and the
store on the disk as well.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import msgspec
import pytest

import sightline
from sightline.cli import main
from tests.egress.values import mixed, private_key
from tests.lsp.raw import PATIENCE_SECONDS, RawClient, uri_of
from tests.properties.canaries import canaries, token

_FOLDER = token("folder")
_FUNCTION = token("function")
_SAID = mixed(22, 4)
"""A secret by the assignment in one file, and said in all the others."""
_KEY = private_key()
_FORMS = canaries("channels")


_ELSEWHERE = "target.py"
"""Says it and does not tell that it is a secret: alone it is clean."""


def _files() -> dict[str, str]:
    forms = {
        f"forms/{name.replace(' ', '_')}.py": f"{each.lines}\n\ndef use_{number}():\n    return 1\n"
        for number, (name, each) in enumerate(_FORMS.items())
    }
    modules = [path.removesuffix(".py").replace("/", ".") for path in forms]
    imports = "".join(f"import {module}\n" for module in modules)
    return {
        **forms,
        "pyproject.toml": '[project]\nname = "farm"\n',
        "told.py": f'password = "{_SAID}"\n\n\ndef told(key="{_SAID}"):\n    return key\n',
        "all.py": f"{imports}import told\n\n\ndef run():\n    return told.told()\n",
        "target.py": "import all\nimport told\n\n\ndef free():\n    return all.run()\n\n\n"
        f"def bound():\n    # {_SAID}\n    return told.told()\n\n\n"
        f"def {_SAID}():\n    return free()\n",
        "named.py": f"def {_FUNCTION}():\n    return 1\n\n\n"
        f"def calls():\n    return {_FUNCTION}()\n",
        f"{_FOLDER}/inside.py": "def inside():\n    return 1\n",
        "broken.py": f"def broken(((:\n  api_key = {token('broken')}\n",
        # It shares no word with a file that says the secret of another one without telling it.
        "bare.sh": f"export API_TOKEN={token('bare')}\nlaunch() {{ true; }}\n",
        "key.txt": f"{_KEY}\n",
        "data.json": json.dumps({"client_secret": mixed(40, 9), "name": "farm"}),
        "big.ts": "".join(
            f"export function f{each}() {{ return {each}; }}\n" for each in range(300)
        )
        + f'const apiKey = "{token("big")}";\n',
    }


_SECRETS = {
    **{f"form {name}": each.value for name, each in _FORMS.items()},
    "folder": _FOLDER,
    "function": _FUNCTION,
    "said": _SAID,
    "key": _KEY.splitlines()[1],
    "last line of the key": _KEY.splitlines()[-2],
    "broken": token("broken"),
    "bare": token("bare"),
    "big": token("big"),
    "client secret": mixed(40, 9),
}
_PIECES = {
    value[start : start + 8].encode(): name
    for name, value in _SECRETS.items()
    for start in range(len(value) - 7)
}
_FILES = _files()
_ASKED_FILES = [
    path for path in _FILES if not path.startswith("forms/") or path == "forms/github.py"
]
_TARGETS = (
    "target.py::free",
    "target.py::bound",
    f"target.py::{_SAID}",
    "all.py",
    "told.py",
    "broken.py",
    "bare.sh",
    "key.txt",
    "big.ts::f7",
    f"{_FOLDER}/inside.py",
)


@attrs.frozen
class Sinks:
    """What came out, by channel."""

    written: dict[str, bytes] = attrs.field(factory=dict)

    def add(self, channel: str, content: bytes | str | msgspec.Struct) -> None:
        if isinstance(content, msgspec.Struct):
            content = msgspec.json.encode(content) + repr(content).encode()
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        assert data or channel.startswith("stderr"), channel
        self.written[channel] = data

    def leaks(self) -> list[tuple[str, list[str]]]:
        """The secrets of which any eight characters came out of a channel."""
        found = ((channel, _told(data)) for channel, data in self.written.items())
        return [(channel, names) for channel, names in found if names]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project, the current directory, with a cache and settings of its own."""
    folder = tmp_path_factory.mktemp("channels")
    root = folder / "root"
    for name, text in _files().items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(folder / "home" / "cache"))
        monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(folder / "home" / "config"))
        monkeypatch.setenv("SIGHTLINE_INDEX_JOBS", "1")
        monkeypatch.chdir(root)
        yield root


def test_python(place: Path) -> None:
    sinks = Sinks()
    with sightline.open(place) as workspace:
        for asked, ask in _asked(workspace).items():
            sinks.add(asked, ask())
    assert sinks.leaks() == []


@pytest.mark.parametrize("field", ["intent", "step", "error", "constraints"])
def test_the_words_of_a_request(place: Path, field: str) -> None:
    """A build whose words hold a secret of a document is refused, and repeats none of them."""
    with sightline.open(place) as workspace:
        for name in ("said", "function", "form github"):
            words: dict[str, Any] = {field: f"it is {_SECRETS[name]} here"}
            result = workspace.build("target.py::free", **words)
            assert (result.status, result.request) == ("refused", {}), name
            assert _told(msgspec.json.encode(result)) == [], name


def test_a_record_that_was_made_up(place: Path) -> None:
    """`diff` and `verify` name paths, models and settings of whatever they are given."""
    sinks = Sinks()
    with sightline.open(place) as workspace:
        built = msgspec.json.encode(workspace.build("all.py::run"))
        for name in ("function", "said"):
            value = _SECRETS[name]
            for number, forged in enumerate(_forged(json.loads(built), value)):
                # Every record tells by a block of its own that the value is a secret.
                block = forged["bundle"]["blocks"][-1]
                block["content"] += f"password = '{value}'\n"
                record = json.dumps(forged).encode()
                sinks.add(f"verify {name} {number}", workspace.verify(record))
                sinks.add(f"diff {name} {number}", sightline.diff(built, record))
    assert sinks.leaks() == []


@pytest.mark.usefixtures("place")
def test_the_shell() -> None:
    sinks = Sinks()
    for number, arguments in enumerate(_commands()):
        printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        said = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
            main(list(arguments))
        sinks.add(f"stdout of {number}: {arguments[0]}", printed.buffer.getvalue() or b"nothing")
        sinks.add(f"stderr of {number}: {arguments[0]}", said.getvalue())
    assert sinks.leaks() == []


def test_the_server(place: Path) -> None:
    """Answers, notifications, diagnostics, errors and the log."""
    sinks = Sinks()
    home = place.parent / "server"
    with RawClient(home) as client:
        client.initialize(place)
        client.wait_until_indexed()
        uris = {path: uri_of(place / path) for path in _ASKED_FILES}
        client.open(uris["told.py"], _FILES["told.py"])
        client.open(uris["target.py"], _FILES["target.py"])
        client.notify("sightline/didChangeActiveFile", {"textDocument": {"uri": uris["told.py"]}})
        awaited = {"sightline/budgetStatus", "textDocument/publishDiagnostics"}
        while awaited:
            message = client.notifications.get(timeout=PATIENCE_SECONDS)
            sinks.add(f"notification {len(sinks.written)}", _without_addresses(message, uris))
            awaited.discard(message["method"])
        for number, (method, params) in enumerate(_requests(uris)):
            answer = client.answer_of(client.begin(method, params))
            sinks.add(f"{number} {method}", _without_addresses(answer, uris))
        while not client.notifications.empty():
            message = client.notifications.get()
            sinks.add(f"notification {len(sinks.written)}", _without_addresses(message, uris))
        sinks.add("shown", "\n".join(["messages", *client.shown]))
    sinks.add("stderr", (home / "stderr").read_bytes())
    sinks.add("store of the server", _stored(home))
    assert sinks.leaks() == []


def test_the_store(place: Path) -> None:
    """With every file indexed, names that are secrets included; and it is still a store."""
    (place / _FOLDER / "inside.py").rename(place / "inside.py")
    (place / _FOLDER).rmdir()
    try:
        with sightline.open(place) as workspace:
            first = workspace.index()
        stored = _stored(place.parent / "home")
        assert b"use_3" in stored
        assert _told(stored) == []
        with sightline.open(place) as workspace:
            again = workspace.index()
            assert workspace.references("named.py::calls").status == "ok"
        assert (again.fingerprint, again.symbols) == (first.fingerprint, first.symbols)
        assert again.parsed == 0
    finally:
        (place / _FOLDER).mkdir()
        (place / "inside.py").rename(place / _FOLDER / "inside.py")


def test_a_folder_that_is_a_secret_is_not_stored(place: Path) -> None:
    with sightline.open(place) as workspace:
        assert workspace.index().index_complete
    assert _told(_stored(place.parent / "home")) == []


@pytest.mark.parametrize(
    ("name", "text", "secret"),
    [
        ("settings.py", "DB_PASSWORD=sunshinedays\nDB_HOST=localhost\n", b"sunshinedays"),
        ("values.ts", "db:\n  password: letmeinplease\n", b"letmeinplease"),
        ("run.sh", "export API_TOKEN=correcthorse\n$API_TOKEN\n", b"correcthorse"),
        ("notes.rb", "Password: trustnoone99\nUser: ann\n", b"trustnoone99"),
        ("broken.kt", "val x = (\npassphrase = opensesameplease\n", b"opensesameplease"),
    ],
)
def test_a_bare_password_is_not_stored_as_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, secret: bytes
) -> None:
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "home" / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "home" / "config"))
    root = tmp_path / "root"
    root.mkdir()
    (root / name).write_text(text)
    (root / "other.py").write_text("def ordinary(): ...\n")
    with sightline.open(root) as workspace:
        first = workspace.index()
    stored = _stored(tmp_path / "home")
    assert b"ordinary" in stored
    assert secret not in stored
    with sightline.open(root) as workspace:
        again = workspace.index()
    assert (again.fingerprint, again.parsed) == (first.fingerprint, 0)


# What is asked.


def _asked(workspace: sightline.OpenWorkspace) -> Mapping[str, Callable[[], msgspec.Struct]]:
    asked: dict[str, Callable[[], msgspec.Struct]] = {
        "index": workspace.index,
        "settings": workspace.settings,
        "doctor": sightline.doctor,
    }
    redact = {"secrets.on_target_secret": "redact"}
    for target in _TARGETS:
        for form in ("json", "markdown", "xml"):
            asked[f"build {target} {form}"] = partial(workspace.build, target, format=form)
        asked[f"build {target}, redacted"] = partial(workspace.build, target, settings=redact)
        asked[f"small {target}"] = partial(workspace.build, target, max_input_tokens=4_700)
        asked[f"status {target}"] = partial(workspace.status, target)
        asked[f"explain for {target}"] = partial(workspace.explain, "told.py", target=target)
    for path in _ASKED_FILES:
        asked[f"explain {path}"] = partial(workspace.explain, path)
        asked[f"explain line of {path}"] = partial(workspace.explain, path, 1)
        if path != _ELSEWHERE:
            for level in ("full", "signatures", "summary"):
                asked[f"slice {path} {level}"] = partial(workspace.slice, path, level)
            asked[f"outline {path}"] = partial(workspace.outline, path)
    for symbol in ("told", "calls", "inside", _FUNCTION, "nobody", _FOLDER):
        asked[f"references {symbol}"] = partial(workspace.references, symbol)
        asked[f"find {symbol}"] = partial(workspace.find, f"`{symbol}` is wrong in named.py")
        asked[f"region {symbol}"] = partial(workspace.slice, "named.py", "region", symbol)
    for kind in ("full", "summary", "map"):
        for form in ("json", "msgpack", "markdown", "xml"):
            asked[f"pack {kind} {form}"] = partial(workspace.pack, type=kind, format=form)
    for name, value in _SECRETS.items():
        words = f"free bound run calls `{value}` {value}\n\nsee {value}.py and {_FOLDER}/{value}.py"
        asked[f"find {name}"] = partial(workspace.find, words, limit=50)
    return asked


def _commands() -> Iterator[Sequence[str]]:
    for target in _TARGETS:
        yield "build", target, "--summary", "--explain"
    for form in ("json", "xml"):
        yield "build", "target.py::free", "--format", form
    yield "build", "target.py::bound", "--on-target-secret", "redact"
    yield "build", "target.py::free", "--error", f"denied for {_SAID}", "--error-at", "told.py:1"
    yield "explain", "told.py", "--for", "target.py::free"
    yield "explain", "told.py"
    yield "outline", *_ASKED_FILES
    yield "outline", "--format", "json", *_ASKED_FILES
    for path in ("told.py", "named.py", f"{_FOLDER}/inside.py", "key.txt"):
        yield "slice", path, "--level", "full"
    yield "slice", "told.py", "--level", "signatures", "--format", "json"
    for symbol in ("told", "calls", _FUNCTION, "nobody"):
        yield "refs", symbol
    yield "refs", "told", "--format", "json"
    yield "find", f"calls of {_FUNCTION} and {_SAID} in {_FOLDER}/inside.py", "--limit", "40"
    yield "find", f"`{_FUNCTION}`: {_SAID} bound", "--format", "json"
    yield ("index",)
    yield "index", "--format", "json"
    for kind in ("full", "summary", "map"):
        for form in ("json", "msgpack", "markdown", "xml"):
            yield "pack", "--type", kind, "--format", form
    yield "pack", _FOLDER
    yield "build", f"{_FOLDER}/gone.py"
    yield "slice", f"{_FOLDER}/gone.py", "--level", "full"
    yield "build", "target.py", "--format", _FOLDER
    yield _FOLDER, "target.py"


def _requests(uris: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    for path, uri in uris.items():
        document = {"uri": uri}
        place = {"textDocument": document, "position": {"line": 0, "character": 3}}
        for form in ("json", "markdown", "xml"):
            yield "sightline/buildContext", {"textDocument": document, "format": form}
        yield "sightline/buildContext", {"textDocument": document, "redactTarget": True}
        yield "sightline/buildContext", place
        yield "sightline/explain", place
        if path != _ELSEWHERE:
            yield from _about_one_file(document, place)
        yield "textDocument/hover", place
        at = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 20}}
        context: dict[str, object] = {"diagnostics": []}
        yield "textDocument/codeAction", {**place, "range": at, "context": context}
        yield f"sightline/{path}", {"textDocument": document}
        yield "sightline/slice", {"textDocument": document, "level": {path: path}}
    for query in ("", "told", _FUNCTION):
        yield "workspace/symbol", {"query": query}
    yield "sightline/indexStatus", {}
    for kind in ("full", "summary", "map"):
        for form in ("json", "markdown", "xml"):
            yield "sightline/buildProjectPack", {"type": kind, "format": form}
    yield "sightline/verify", {"result": {"request": _SAID}}
    yield "workspace/executeCommand", {"command": "sightline.buildContext", "arguments": [_SAID]}


def _about_one_file(document: object, place: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for level in ("full", "signatures", "summary"):
        yield "sightline/slice", {"textDocument": document, "level": level}
    yield "sightline/slice", {**place, "level": "region"}
    yield "textDocument/documentSymbol", {"textDocument": document}
    yield "textDocument/codeLens", {"textDocument": document}


def _forged(record: dict[str, Any], value: str) -> Iterator[dict[str, Any]]:
    """Records in which somebody put a value where a name stands."""

    def copy() -> dict[str, Any]:
        copied: dict[str, Any] = json.loads(json.dumps(record))
        return copied

    forged = copy()
    forged["manifest"]["selection"]["included_files"][0]["path"] = value
    yield forged
    forged = copy()
    forged["bundle"]["model"]["model"] = value
    yield forged
    forged = copy()
    forged["settings"]["model"]["name"] = value
    yield forged
    forged = copy()
    forged["bundle"]["blocks"][-1]["title"] = value
    yield forged
    forged = copy()
    forged["request"]["targets"] = [{"path": value}]
    yield forged
    forged = copy()
    forged["manifest"]["selection"]["excluded_candidates"] = [{"path": value, "reason": "binary"}]
    yield forged


# What came out.


def _told(data: bytes) -> list[str]:
    """The secrets of which any eight characters stand in some bytes."""
    pieces = {data[start : start + 8] for start in range(len(data) - 7)}
    return sorted({_PIECES[piece] for piece in pieces & _PIECES.keys()})


def _stored(home: Path) -> bytes:
    found = []
    for folder, _, names in os.walk(home / "cache"):
        found += [name.encode() + Path(folder, name).read_bytes() for name in names]
    return b"".join(found) or b"nothing"


def _without_addresses(message: Mapping[str, Any], uris: Mapping[str, str]) -> str:
    """A message without the addresses of documents, which the client gave."""
    text = json.dumps(message)
    for uri in sorted(uris.values(), key=len, reverse=True):
        text = text.replace(uri, "")
    return text
