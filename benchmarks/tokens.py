"""Token estimates against real tokenizers: by language, in bundles of ten, and how fast.

    python benchmarks/tokens.py FOLDER… [--limit N] [--claude CLAUDE.json] [--fit FOLDER…]

Every non-empty UTF-8 source file below the folders is counted by tokenizers and estimated by the
lexical model, by `chars4` and by bytes over a constant of its language (the best constant for
these very files, which flatters it). `within` is the share of files whose estimate is at most
20 % off, `low` the share that is more than 20 % too low. `other` are documents and data by their
suffix, `non-latin` those of which more than a quarter is not ASCII; neither is in the total.

Tokenizers come with `sightline-lsp[exact]`. Claude's is read from the `claude.json` of the npm
package `@anthropic-ai/tokenizer`, which is not on PyPI: without it there is no truth for that
profile.

With `--fit`, coefficients are fitted to the files below those folders and printed as the table in
`budget/lexical.py`, and the folders are measured with them. A file is fitted with 1 / √n of its
group, underestimates count 1.3 times, and made-up runs of every kind (base64, hexadecimal, digits,
letters, marks, accents, emoji) take part, so that none is nearly free.
"""

from __future__ import annotations

import argparse
import base64
import json
import math
import random
import statistics
import sys
import time
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import attrs

from sightline.budget import Estimator, estimator, lexical
from sightline.languages import Registry, load_registry
from sightline.refusals import Refusal
from signatures import sample, walk

Tokenizer = Callable[[str], int]

_OTHER, _FOREIGN = "other", "non-latin"
_TEXTS = (
    *(".css", ".gradle", ".html", ".json", ".md", ".po", ".proto", ".rst"),
    *(".sql", ".toml", ".txt", ".xlf", ".xml", ".yaml", ".yml"),
)
_LARGEST = 400_000
_LARGE_TOKENS = 100
_UNDERESTIMATE = 1.3
_MADE_UP = 0.3


@attrs.frozen
class Sample:
    group: str
    data: bytes
    counts: tuple[int, ...]
    truth: dict[str, int]


@attrs.frozen
class Result:
    """One text: its tokens, and what was estimated."""

    actual: int
    estimate: int

    @property
    def ratio(self) -> float:
        return self.estimate / max(1, self.actual)

    @property
    def is_near(self) -> bool:
        return abs(self.ratio - 1) <= 0.2

    @property
    def is_low(self) -> bool:
        return self.ratio < 0.8


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, default=0, help="files per language, 0 for all")
    parser.add_argument("--claude", type=Path, help="claude.json of @anthropic-ai/tokenizer")
    parser.add_argument("--fit", nargs="+", type=Path, default=[], metavar="FOLDER")
    arguments = parser.parse_args()
    tokenizers = load_tokenizers(arguments.claude)
    if not tokenizers:
        return 1
    registry = load_registry()
    coefficients = dict(lexical.COEFFICIENTS)
    if arguments.fit:
        fitted = read(registry, tokenizers, arguments.fit, arguments.limit)
        fitted += made_up(tokenizers)
        coefficients |= {name: fit(fitted, name) for name in tokenizers}
        print(f"fitted to {len(fitted)} texts")
        for number, name in enumerate(lexical.COUNTS):
            row = ", ".join(str(coefficients[each][number]) for each in lexical.PROFILES)
            print(f'    "{name}": ({row}),')
    samples = read(registry, tokenizers, arguments.folders, arguments.limit)
    for name in tokenizers:
        report(name, samples, coefficients[name])
    report_speed(samples, tokenizers)
    return 0


def load_tokenizers(claude: Path | None) -> dict[str, Tokenizer]:
    found: dict[str, Tokenizer] = {}
    for name in ("cl100k", "o200k"):
        exact = estimator(f"exact:{name}")
        if isinstance(exact, Refusal):
            print(f"no exact tokenizer for {name}: {exact.advice}")
        else:
            found[name] = exact.tokens
    if claude is None:
        print("no exact tokenizer for claude: give its claude.json with --claude")
    elif found:
        found["claude"] = load_claude(claude)
    return found


def load_claude(path: Path) -> Tokenizer:
    """The ranks of that file as merges, in the form that the exact extra reads."""
    import splintr

    lines = (line.split() for line in json.loads(path.read_bytes())["bpe_ranks"].splitlines())
    ranks = {
        base64.b64decode(token): int(line[1]) + number
        for line in lines
        for number, token in enumerate(line[2:])
    }
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in visible]
    letter = {byte: chr(byte) for byte in visible}
    letter |= {byte: chr(256 + number) for number, byte in enumerate(hidden)}

    def spelled(token: bytes) -> str:
        return "".join(letter[byte] for byte in token)

    def halves(token: bytes) -> list[bytes]:
        """Return the two tokens that are merged last: what remains if the token itself is not
        allowed.
        """
        parts = [token[at : at + 1] for at in range(len(token))]
        while len(parts) > 2:
            pairs = [parts[at] + parts[at + 1] for at in range(len(parts) - 1)]
            best = min(range(len(pairs)), key=lambda at: ranks.get(pairs[at], len(ranks) + 9))
            parts[best : best + 2] = [pairs[best]]
        return parts

    by_rank = sorted(ranks, key=lambda token: ranks[token])
    merges = [[*map(spelled, halves(token))] for token in by_rank if len(token) > 1]
    level: dict[str, Any] = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
    model = {
        "type": "BPE",
        "vocab": {spelled(token): rank for token, rank in ranks.items()},
        "merges": merges,
    }
    described = {"added_tokens": [], "pre_tokenizer": level, "decoder": level, "model": model}
    encode = splintr.from_json_bytes(json.dumps({"version": "1.0"} | described).encode()).encode_raw
    return lambda text: len(encode(unicodedata.normalize("NFKC", text)))


def read(
    registry: Registry, tokenizers: dict[str, Tokenizer], folders: list[Path], limit: int
) -> list[Sample]:
    """Yield readable UTF-8 texts, each once under its group, in path order."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for file in (each for folder in folders for each in walk(folder)):
        try:
            data = file.read_bytes()
            data.decode("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        group = group_of(registry, file, data)
        if group is not None and data and len(data) <= _LARGEST and b"\0" not in data:
            groups[group].append(file)
    files = ((name, file) for name in sorted(groups) for file in sample(groups[name], limit))
    return [measured(name, file.read_bytes(), tokenizers) for name, file in files]


def group_of(registry: Registry, file: Path, data: bytes) -> str | None:
    """Return a language, `non-latin`, or `other` with a suffix, because each is
    fitted as a group.
    """
    language = registry.for_path(file.as_posix(), data)
    if language is not None:
        return language.name
    if file.suffix not in _TEXTS:
        return None
    ascii_bytes = len(data.translate(None, bytes(range(0x80, 0x100))))
    return _FOREIGN if ascii_bytes * 4 < len(data) * 3 else f"{_OTHER} {file.suffix}"


def measured(group: str, data: bytes, tokenizers: dict[str, Tokenizer]) -> Sample:
    text = data.decode("utf-8")
    truth = {name: count(text) for name, count in tokenizers.items()}
    return Sample(group, data, lexical.count(data), truth)


def report(name: str, samples: list[Sample], coefficients: tuple[int, ...]) -> None:
    beside = {_OTHER: [e for e in samples if e.group.startswith(_OTHER)]}
    beside[_FOREIGN] = [e for e in samples if e.group == _FOREIGN]
    apart = {each.group for found in beside.values() for each in found}
    groups = sorted({each.group for each in samples} - apart)
    by_group = {group: [each for each in samples if each.group == group] for group in groups}
    sources = [each for group in groups for each in by_group[group]]
    rows = {
        **by_group,
        "total": sources,
        f">= {_LARGE_TOKENS} tokens": [e for e in sources if e.truth[name] >= _LARGE_TOKENS],
        **beside,
    }
    rates = {group: rate(found, name) for group, found in rows.items()}
    ways: dict[str, Callable[[Sample], int]] = {
        f"lexical:{name}": lambda each: weighted(coefficients, each.counts),
        "lexical:max": lambda each: lexical.highest_total(each.counts),
        "chars4": lambda each: len(each.data.decode("utf-8")) // 4,
        "bytes": lambda each: int(len(each.data) / rates[each.group.partition(" ")[0]]),
    }
    print(f"\n{name}: within 20 %, median error, more than 20 % too low")
    print(f"{'':14}{'files':>7}" + "".join(f"{way:>24}" for way in ways))
    for group, found in rows.items():
        if not found:
            continue
        cells = (summary([Result(e.truth[name], way(e)) for e in found]) for way in ways.values())
        print(f"{group:14}{len(found):7}" + "".join(cells))
    if len(sources) >= 10:
        print(f"{'bundles of ten':21}" + "".join(bundles(sources, name, w) for w in ways.values()))
        print("    (within 20 %, 99th percentile of actual / estimate)")


def rate(samples: list[Sample], name: str) -> float:
    return statistics.median([len(e.data) / max(1, e.truth[name]) for e in samples] or [4])


def summary(results: list[Result]) -> str:
    near = sum(each.is_near for each in results) / len(results)
    low = sum(each.is_low for each in results) / len(results)
    error = statistics.median(abs(each.ratio - 1) for each in results)
    return f"{near:9.1%}{error:7.1%}{low:8.1%}"


def bundles(sources: list[Sample], name: str, way: Callable[[Sample], int]) -> str:
    """Return two thousand draws of ten files each, the same for every way to count."""
    chance = random.Random(0)
    results = []
    for _ in range(2000):
        drawn = chance.sample(sources, 10)
        results.append(Result(sum(e.truth[name] for e in drawn), sum(map(way, drawn))))
    near = sum(each.is_near for each in results) / len(results)
    worst = sorted(each.actual / max(1, each.estimate) for each in results)
    return f"{near:12.1%}{worst[len(worst) * 99 // 100]:12.3f}"


def report_speed(samples: list[Sample], tokenizers: dict[str, Tokenizer]) -> None:
    size = sum(len(each.data) for each in samples)
    texts = [each.data.decode("utf-8") for each in samples]
    print(f"\nspeed over {size / 1e6:.1f} MB, processor time")
    for name in ("chars4", "lexical:o200k", "lexical:max"):
        found = estimator(name)
        assert isinstance(found, Estimator)
        print_speed(name, size, found.tokens, (each.data for each in samples))
    for name, count in tokenizers.items():
        print_speed(f"exact {name}", size, count, texts)


def print_speed(name: str, size: int, count: Callable[[Any], int], texts: Iterable[Any]) -> None:
    begin = time.process_time()
    for text in texts:
        count(text)
    print(f"{name:16}{size / 1e6 / max(1e-9, time.process_time() - begin):8.1f} MB/s")


def weighted(coefficients: tuple[int, ...], counts: tuple[int, ...]) -> int:
    return (sum(map(int.__mul__, coefficients, counts)) + 500) // 1000


def made_up(tokenizers: dict[str, Tokenizer]) -> list[Sample]:
    """Yield kinds of texts that are too rare in repositories to be fitted to, each as a group."""
    chance = random.Random(5)
    small = "abcdefghijklmnopqrstuvwxyz"
    words = (__doc__ or "").lower().split()
    alphabets = {
        "base64": f"{small}{small.upper()}0123456789+/",
        "hexadecimal": "0123456789abcdef",
        "small": small,
        "capital": small.upper(),
        "bases": "ACGT",
        "digits": "0123456789",
        "marks": '!"$%&(),:;<>?@[]^`{|}+.',
        "accents": "éèàüöäßñçøåæî",
        "emoji": "".join(map(chr, range(0x1F300, 0x1F650))),
        "words": [word for word in words if word.isalpha()],
    }
    samples = []
    for name, alphabet in alphabets.items():
        for _ in range(40 if name in ("base64", "hexadecimal") else 14):
            width = chance.choice((40, 64, 200, 1000, 4000))
            lines = (
                "".join(chance.choices(alphabet, k=width))[:width]
                for _ in range(max(1, 2000 // width))
            )
            samples.append(measured(f"~{name}", "\n".join(lines).encode() + b"\n", tokenizers))
    return samples


def fit(samples: list[Sample], name: str) -> tuple[int, ...]:
    """Return coefficients, none negative, with the least absolute relative error.

    Least squares of relative errors, reweighted fifteen times by the previous error.
    """
    sizes: dict[str, int] = defaultdict(int)
    for each in samples:
        sizes[each.group] += 1
    rows, shares = [], []
    for each in samples:
        scale = max(each.truth[name], 20)
        row = [(at, number / scale) for at, number in enumerate(each.counts) if number]
        rows.append((row, each.truth[name] / scale))
        shares.append((_MADE_UP if each.group[0] == "~" else 1) / math.sqrt(sizes[each.group]))
    solution = [0.0] * len(lexical.COUNTS)
    weights = list(shares)
    for _ in range(15):
        solution = solve(rows, weights, solution)
        for number, (row, target) in enumerate(rows):
            error = sum(solution[at] * value for at, value in row) - target
            price = _UNDERESTIMATE if error < 0 else 1
            weights[number] = shares[number] * price / max(abs(error), 0.03)
    return tuple(round(each * 1000) for each in solution)


def solve(
    rows: list[tuple[list[tuple[int, float]], float]], weights: list[float], start: list[float]
) -> list[float]:
    """Least squares without negative numbers: one coordinate after another until none moves."""
    size = len(start)
    products = [[0.0] * size for _ in range(size)]
    targets = [0.0] * size
    for (row, target), weight in zip(rows, weights, strict=True):
        for first, value in row:
            share = value * weight
            targets[first] += share * target
            line = products[first]
            for second, other in row:
                line[second] += share * other
    solution = list(start)
    for _ in range(3000):
        moved = 0.0
        for at in range(size):
            if not products[at][at]:
                continue
            pull = targets[at] - sum(map(float.__mul__, products[at], solution))
            better = max(0.0, solution[at] + pull / products[at][at])
            moved = max(moved, abs(better - solution[at]))
            solution[at] = better
        if moved < 1e-6:
            break
    return solution


if __name__ == "__main__":
    sys.exit(main())
