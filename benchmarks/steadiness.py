"""Check whether a busy machine changes a bundle: the same tree is built repeatedly, idle and
loaded.

    python benchmarks/steadiness.py [--builds N] [--largest BYTES] [--languages NAME ...] [--bomb]
        [--max-input-tokens N]

A tree is written with files of each language, from a few kilobytes up to the largest size that is
read; `--bomb` adds a text that exceeds the limit on processor time. Every build is a process of its
own with an empty cache, so everything is parsed anew. Half of the builds run alone, the other half
together with as many busy processes as there are cores. There must be one index and one bundle; a
bundle may differ only if the index does, and says so.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import attrs

_PIECES = {
    "py": (
        "class C{n}(Base):\n    def method_{n}(self, a: int, b: str = 'x') -> int:\n"
        "        value = compute(a, b, key=[1, 2, 3])\n        if value > {n}:\n"
        "            return self.method_{n}(value - 1)\n        return value + len(b)\n\n\n"
    ),
    "ts": (
        "export class C{n} extends Base {{\n  method_{n}(a: number, b = 'x'): number {{\n"
        "    const value = compute(a, b, [1, 2, 3]);\n"
        "    if (value > {n}) {{ return this.method_{n}(value - 1); }}\n"
        "    return value + b.length;\n  }}\n}}\n"
    ),
    "cpp": (
        "class C{n} : public Base {{\n public:\n  int method_{n}(int a, const std::string& b) {{\n"
        "    auto value = compute(a, b);\n    for (int i = 0; i < {n}; ++i) {{ value += i; }}\n"
        "    return value;\n  }}\n}};\n"
    ),
    "java": (
        "class C{n} extends Base {{\n  public int method_{n}(int a, String b) {{\n"
        "    int value = compute(a, b);\n"
        "    if (value > {n}) {{ return method_{n}(value - 1); }}\n"
        "    return value + b.length();\n  }}\n}}\n"
    ),
    "go": (
        "type C{n} struct {{ Base }}\n\nfunc (c *C{n}) Method{n}(a int, b string) int {{\n"
        "\tvalue := compute(a, b, []int{{1, 2, 3}})\n"
        "\tif value > {n} {{\n\t\treturn c.Method{n}(value - 1)\n\t}}\n"
        "\treturn value + len(b)\n}}\n\n"
    ),
}
_LARGEST = 4 * 1024 * 1024
_SPIN = "while True: pass"


@attrs.frozen
class Outcome:
    index: str
    bundle: str
    """A digest of the rendered text and of every report."""
    quarantined: tuple[str, ...]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--builds", type=int, default=20)
    parser.add_argument("--largest", type=int, default=_LARGEST)
    parser.add_argument("--languages", nargs="+", choices=sorted(_PIECES), default=sorted(_PIECES))
    parser.add_argument("--bomb", action="store_true")
    parser.add_argument("--max-input-tokens", type=int, default=16_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        tree.mkdir()
        write_tree(tree, options.languages, options.largest, has_bomb=options.bomb)
        language = options.languages[0]
        target = f"large.{language}::C7.{'Method7' if language == 'go' else 'method_7'}"
        found: Counter[Outcome] = Counter()
        for number in range(options.builds):
            is_loaded = number % 2 == 1
            begun = time.monotonic()
            outcome = build(
                tree,
                target,
                Path(folder) / f"cache{number}",
                options.max_input_tokens,
                is_loaded=is_loaded,
            )
            found[outcome] += 1
            print(
                f"{number + 1:>3} {'loaded' if is_loaded else 'idle':<6} "
                f"{time.monotonic() - begun:6.1f} s  index {outcome.index[:12]} "
                f"bundle {outcome.bundle[:12]} quarantined {list(outcome.quarantined)}",
                flush=True,
            )
    indexes = {each.index for each in found}
    print(f"{options.builds} builds: {len(indexes)} index(es), {len(found)} bundle(s)")
    return 0 if len(found) == 1 else 1


def write_tree(tree: Path, languages: list[str], largest: int, *, has_bomb: bool) -> None:
    """Write files of a few sizes up to the largest, in each language."""
    for language in languages:
        piece = _PIECES[language]
        for name, size in (("small", largest // 400), ("middle", largest // 8), ("large", largest)):
            count = size // len(piece.format(n=99_999))
            text = "".join(piece.format(n=number) for number in range(count))
            # The largest has exactly the largest size that a file may have.
            is_largest = name == "large"
            (tree / f"{name}.{language}").write_text(
                text + "\n" * (is_largest * (size - len(text)))
            )
    if has_bomb:
        (tree / "bomb.js").write_text('"' * 300_000)


def build(tree: Path, target: str, cache: Path, tokens: int, *, is_loaded: bool) -> Outcome:
    """Build once in a process of its own, with an empty cache."""
    spinning = [
        subprocess.Popen([sys.executable, "-c", _SPIN])
        for _ in range((os.cpu_count() or 1) if is_loaded else 0)
    ]
    try:
        done = subprocess.run(
            [
                *(sys.executable, "-P", "-m", "sightline.cli", "build", target),
                *("--format", "json", "--max-input-tokens", str(tokens)),
            ],
            cwd=tree,
            env={
                **os.environ,
                "SIGHTLINE_CACHE_DIR": str(cache),
                "SIGHTLINE_CONFIG_DIR": str(cache / "config"),
            },
            capture_output=True,
            check=False,
        )
    finally:
        for each in spinning:
            each.kill()
            each.wait()
    result = json.loads(done.stdout)
    manifest = result["manifest"]
    if manifest is None:
        refusal = result["refusal"]
        return Outcome("refused", f"{refusal['reason']}", ())
    index = manifest["fingerprints"]["project_index_fingerprint"]
    for part in (result["bundle"], manifest):
        part["created_at"] = part["correlation_id"] = ""
    content = json.dumps(result, sort_keys=True).encode()
    names = tuple(each["path"] for each in manifest["quarantined"])
    return Outcome(index, hashlib.sha256(content).hexdigest(), names)


if __name__ == "__main__":
    sys.exit(main())
