"""Send every row of a corpus of secrets through every channel, and search what comes out.

    python benchmarks/secrets.py --channels CORPUS

CORPUS is a folder with `positives.jsonl` (`text`, `span` in characters, `kind`). Each row becomes a
file of a project, in one of several kinds of file, followed by a function if the kind has
functions. Then bundles in three formats, slices, outlines, references, explanations, records,
status, and the server's answers and notifications are searched for a half of each value (at least
eight characters). So is the store on the disk.

Rows that look like placeholders or weak credentials are left out. If the scan does not find a row
at all, every channel misses it. Such rows are counted separately, so that the table shows what
channels let through of known secrets.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import msgspec

sys.path.insert(0, str(Path(__file__).parent.parent))

_KINDS = ("py", "txt", "yaml", "sh", "ts", "properties", "rb", "md")
_FUNCTIONS = {
    "py": "\n\ndef use_{0}():\n    return 1\n",
    "ts": "\nexport function use_{0}() {{ return 1; }}\n",
    "sh": "\nuse_{0}() {{ true; }}\n",
    "rb": "\ndef use_{0}\n  1\nend\n",
}
_SOFT = ("placeholder_like", "weak_credential")
"""Rows such as `abcdef1234567890`, which occur in other rows by chance."""
_IN_ONE_PROJECT = 120
_SHORTEST = 8


@attrs.frozen
class Planted:
    path: str
    value: str
    is_found: bool
    """True if the scan of its file covers it."""


def measure_channels(corpus: Path) -> None:
    """Print, for each channel, how many rows it was given and how many it let through."""
    with (corpus / "positives.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    usable = [
        row
        for row in rows
        if row["kind"] not in _SOFT and row["span"] is not None and _value(row) is not None
    ]
    given: dict[str, int] = defaultdict(int)
    out: dict[str, dict[str, bool]] = defaultdict(dict)
    for start in range(0, len(usable), _IN_ONE_PROJECT):
        with tempfile.TemporaryDirectory() as folder:
            some = usable[start : start + _IN_ONE_PROJECT]
            for channel, planted, data in _driven(Path(folder), some, start):
                halves = {each.path: _halves(each.value) for each in planted}
                for each in planted:
                    given[channel] += 1
                    if any(half in data for half in halves[each.path]):
                        out[channel][each.path] = each.is_found
    print(f"\n{len(usable)} rows; a half of the value, at least {_SHORTEST} characters:")
    print(f"{'channel':28}{'looked for':>12}{'came out':>10}{'though it is found':>20}")
    for channel in given:
        known = sum(out[channel].values())
        print(f"{channel:28}{given[channel]:12}{len(out[channel]):10}{known:20}")


def _driven(
    folder: Path, rows: Sequence[dict[str, Any]], first: int
) -> Iterator[tuple[str, list[Planted], bytes]]:
    """Yield the output of each channel for a project, with the secrets that were planted in it."""
    import sightline
    from sightline.engine.packs import pack_bytes

    root = folder / "root"
    root.mkdir()
    planted = [_plant(root, row, first + number) for number, row in enumerate(rows)]
    paths = [each.path for each in planted]
    (root / "start.py").write_text("def start():\n    return 1\n")
    os.environ.update(
        SIGHTLINE_CACHE_DIR=str(folder / "cache"), SIGHTLINE_CONFIG_DIR=str(folder / "config")
    )
    with sightline.open(root) as workspace:
        for form in ("markdown", "xml", "json"):
            built = workspace.build("start.py", add=paths, format=form, max_input_tokens=4_000_000)
            assert built.status == "ok", built.refusal
            yield f"build, {form}", planted, msgspec.json.encode(built)
        yield "verify", planted, msgspec.json.encode(workspace.verify(built))
        yield "index", planted, msgspec.json.encode(workspace.index())
        for kind in ("full", "summary", "map"):
            most = 4_000_000
            for form in ("markdown", "xml", "json"):
                packed = workspace.pack(type=kind, format=form, max_content_bytes=most)
                assert packed.status == "ok", packed.refusal
                yield f"pack, {kind}, {form}", planted, (packed.rendered or "").encode()
            yield f"pack, {kind}, msgpack", planted, pack_bytes(packed.pack)
        redact = {"secrets.on_target_secret": "redact"}
        for each in planted:
            target = [workspace.build(each.path), workspace.build(each.path, settings=redact)]
            levels = [
                workspace.slice(each.path, level) for level in ("full", "signatures", "summary")
            ]
            name = f"use_{each.path.partition('.')[0].removeprefix('row')}"
            answers: dict[str, Sequence[msgspec.Struct]] = {
                "build of the file": target,
                "slice": levels,
                "outline": [workspace.outline(each.path)],
                "explain": [workspace.explain(each.path, 1, "start.py")],
                "references": [workspace.references(name)],
                "status": [workspace.status(each.path)],
            }
            for channel, results in answers.items():
                yield channel, [each], b"\n".join(map(msgspec.json.encode, results))
    yield (
        "store",
        planted,
        b"".join(
            file.read_bytes() for file in sorted((folder / "cache").rglob("*")) if file.is_file()
        ),
    )
    yield "server", planted, _served(folder, root, paths)


def _served(folder: Path, root: Path, paths: Sequence[str]) -> bytes:
    """Yield everything that the server says about every file, including its log."""
    from tests.lsp.raw import RawClient, encoded, uri_of

    written: list[bytes] = []
    with RawClient(folder / "server") as client:
        client.initialize(root)
        client.wait_until_indexed()
        for path in paths:
            uri = uri_of(root / path)
            client.open(uri, (root / path).read_text("utf-8"), language="plaintext")
            document = {"uri": uri}
            for method, params in (
                ("sightline/buildContext", {"textDocument": document}),
                ("sightline/slice", {"textDocument": document, "level": "full"}),
                ("textDocument/documentSymbol", {"textDocument": document}),
            ):
                written.append(encoded(client.answer_of(client.begin(method, params))))
        while not client.notifications.empty():
            written.append(encoded(client.notifications.get()))
    return b"\n".join([*written, (folder / "server" / "stderr").read_bytes()])


def _plant(root: Path, row: dict[str, Any], number: int) -> Planted:
    from sightline.egress import scan

    kind = _KINDS[number % len(_KINDS)]
    text = row["text"] + "\n" + _FUNCTIONS.get(kind, "").format(number)
    path = f"row{number}.{kind}"
    data = text.encode("utf-8")
    (root / path).write_bytes(data)
    value = _value(row)
    assert value is not None
    start = len(row["text"][: row["span"][0]].encode("utf-8"))
    end = start + len(value.encode("utf-8"))
    reached = start
    for finding in scan(data):
        if finding.span.start <= reached:
            reached = max(reached, finding.span.end)
    return Planted(path, value, reached >= end)


def _value(row: dict[str, Any]) -> str | None:
    """Return the value of a row that can be a file, if it is long enough not to be a word."""
    try:
        row["text"].encode("utf-8")
    except UnicodeEncodeError:
        return None
    value: str = row["text"][row["span"][0] : row["span"][1]]
    return value if len(value) >= _SHORTEST and "\0" not in row["text"] else None


def _halves(value: str) -> set[bytes]:
    size = max(_SHORTEST, (len(value) + 1) // 2)
    pieces = (value[start : start + size] for start in range(len(value) - size + 1))
    # JSON writes some characters in another way.
    return {form.encode("utf-8") for piece in pieces for form in (piece, json.dumps(piece)[1:-1])}
