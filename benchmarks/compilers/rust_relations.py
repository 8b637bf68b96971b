"""Print rust-analyzer's answers for the names in Rust files, from its SCIP index.

    python rust_relations.py FOLDER_OF_RUST_ANALYZER ROOT < names

One JSON line [path, [[kind, line, column, name, receiver, definitions], …]] for each file. Lines
are 1-based, columns count bytes from 0. Kinds: `call`, and `value` for a function that is named
without being called. No registry of crates is needed: a `rust-project.json` is made from the
manifests, in a temporary folder, so names from other crates and their macros have no answer.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_LOADER = "usr/lib64/ld-linux-x86-64.so.2"
_LIBRARIES = "usr/lib/x86_64-linux-gnu"


def crates(root: Path) -> list[dict[str, Any]]:
    """Return every crate of the workspace: libraries first, then binaries, tests and examples."""
    manifests = {}
    for manifest in sorted(root.rglob("Cargo.toml")):
        content = tomllib.loads(manifest.read_text())
        if "package" in content:
            manifests[manifest.parent] = content
    found: list[dict[str, Any]] = []
    numbers: dict[str, int] = {}
    for folder, content in manifests.items():
        library = folder / content.get("lib", {}).get("path", "src/lib.rs")
        if library.exists():
            numbers[content["package"]["name"]] = len(found)
            found.append(crate(folder, content, library))
    for folder, content in manifests.items():
        own = [folder / "src/main.rs", *sorted(folder.glob("src/bin/*.rs"))]
        for part in ("tests", "examples", "benches"):
            own += sorted(folder.glob(f"{part}/*.rs")) + sorted(folder.glob(f"{part}/*/main.rs"))
        own += [folder / each["path"] for each in content.get("bin", ()) if "path" in each]
        for source in dict.fromkeys(own):
            if source.exists():
                found.append(crate(folder, content, source))
    for each in found:
        content = each.pop("content")
        wanted = {content["package"]["name"]: content["package"]["name"]}
        for table in ("dependencies", "dev-dependencies", "build-dependencies"):
            for alias, value in content.get(table, {}).items():
                wanted[alias] = value.get("package", alias) if isinstance(value, dict) else alias
        each["deps"] = [
            {"crate": numbers[name], "name": alias.replace("-", "_")}
            for alias, name in sorted(wanted.items())
            if name in numbers and found[numbers[name]] is not each
        ]
    return found


def crate(folder: Path, content: dict[str, Any], source: Path) -> dict[str, Any]:
    edition = content["package"].get("edition", "2021")
    features = [f'feature="{name}"' for name in content.get("features", {})]
    return {
        "display_name": content["package"]["name"].replace("-", "_"),
        "root_module": str(source),
        "edition": edition if isinstance(edition, str) else "2021",
        "cfg": ["test", "debug_assertions", "unix", *features],
        "env": {"CARGO_MANIFEST_DIR": str(folder)},
        "is_workspace_member": True,
        "source": {"include_dirs": [str(folder)], "exclude_dirs": []},
        "content": content,
    }


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the fields of a protobuf message: numbers, and bytes for fields with a length."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
        else:
            size = number() if key & 7 == 2 else {1: 8, 5: 4}[key & 7]
            yield key >> 3, data[at : at + size]
            at += size


def numbers(data: bytes) -> list[int]:
    return [value for _, value in fields(b"".join(b"\x08" + each for each in varints(data)))]


def varints(data: bytes) -> Iterator[bytes]:
    start = 0
    for end, byte in enumerate(data, 1):
        if byte < 128:
            yield data[start:end]
            start = end


def index(tools: Path, root: Path, names: list[str]) -> bytes:
    """Index a copy of the files: rust-analyzer ignores files that are not
    beside the project file.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve()
        manifests = [str(each.relative_to(root)) for each in root.rglob("Cargo.toml")]
        for name in (*names, *manifests):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, copy / name)
        source = next((tools / "usr/src").glob("rustc-*/library"))
        project = {"sysroot_src": str(source), "crates": crates(copy)}
        (copy / "rust-project.json").write_text(json.dumps(project))
        command = [str(tools / _LOADER), "--library-path", str(tools / _LIBRARIES)]
        command += [str(tools / "usr/bin/rust-analyzer"), "scip", str(copy)]
        output = copy / "index.scip"
        subprocess.run([*command, "--output", str(output)], check=True, stdout=sys.stderr)
        return output.read_bytes()


_AFTER = re.compile(rb"\s*(::\s*<[^;{}()]*>)?\s*\(")
_WORD = re.compile(rb"[A-Za-z_][A-Za-z_0-9]*")
_USE = re.compile(rb"^\s*(pub(\([a-z ]+\))?\s+)?use\b[^;]*;", re.MULTILINE)


def main() -> None:
    tools, root = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    names = [line for line in sys.stdin.read().split("\n") if line]
    visible = set(names)
    own = {each["display_name"] for each in crates(root)}
    occurrences: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    defined: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for number, document in fields(index(tools, root, names)):
        if number != 2:
            continue
        content = list(fields(document))
        path = next(value.decode() for key, value in content if key == 1)
        for key, value in content:
            if key != 2:
                continue
            occurrence = dict(fields(value))
            line, column = numbers(occurrence[1])[:2]
            symbol = occurrence.get(2, b"").decode()
            local = f"{path}:{symbol}" if symbol.startswith("local") else symbol
            if occurrence.get(3, 0) & 1:
                defined[local].append((path, line + 1, column))
            else:
                occurrences[path].append((line, column, local))
    for path in names:
        if path not in occurrences:
            continue
        data = (root / path).read_bytes()
        starts = [0, *(match.end() for match in re.finditer(rb"\n", data))]
        imports = [match.span() for match in _USE.finditer(data)]
        rows = []
        for line, column, symbol in sorted(occurrences[path]):
            offset = starts[line] + column
            word = _WORD.match(data, offset)
            is_function = symbol.endswith(").") or ":local" in symbol
            if word is None or any(start <= offset < end for start, end in imports):
                continue
            is_call = _AFTER.match(data, word.end()) is not None
            if is_call and not symbol.endswith(").") and in_pattern(data, word.end()):
                continue
            if not is_call and not symbol.endswith(")."):
                continue
            if is_call and not is_function and not symbol.endswith("#"):
                continue
            places = [list(each) for each in sorted(defined[symbol]) if each[0] in visible]
            before = data[max(0, offset - 200) : offset].decode(errors="replace")
            kind = "call" if is_call else "value"
            name = word.group().decode()
            # A file that is part of several crates is indexed as part of one of them.
            is_ours = len(symbol.split(" ")) > 2 and symbol.split(" ")[2] in own
            answer = places or (None if is_ours else [[None, 0, 0]])
            rows.append([kind, line + 1, column, name, receiver(before), answer])
        print(json.dumps([path, rows]))


def in_pattern(data: bytes, opening: int) -> bool:
    """True if brackets after a name belong to a pattern: `Work(w) =>`, `Some(x) = y`."""
    depth = 0
    for position in range(opening, min(opening + 400, len(data))):
        if data[position] in b"([{":
            depth += 1
        elif data[position] in b")]}":
            depth -= 1
            if not depth:
                # Patterns may be nested.
                behind = data[position + 1 : position + 200].lstrip(b" \t\r\n),]}")
                is_equal = behind.startswith(b"=") and not behind.startswith(b"==")
                return is_equal or re.match(rb"\|(?!\|)|if\b", behind) is not None
    return False


def receiver(before: str) -> str:
    if before.endswith("."):
        name = re.search(r"([A-Za-z_][\w.]*)\s*\.$", before)
        return name[1] if name else "f()" if before[:-1].rstrip().endswith(")") else "?"
    path = re.search(r"([A-Za-z_]\w*)(::<[^<>]*>)?::$", before)
    return path[1] if path else "?" if before.endswith("::") else ""


if __name__ == "__main__":
    main()
