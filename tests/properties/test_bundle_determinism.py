"""The same workspace, request and settings give the same bytes, wherever and however."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.properties.bundles import (
    SHOP,
    SHOP_TARGETS,
    write,
)

_REPOSITORY = Path(__file__).parents[2]


_LOCALES = ("C", "C.UTF-8", "POSIX", "tr_TR.UTF-8", "de_DE.ISO-8859-1", "")
_ZONES = ("UTC", "Pacific/Kiritimati", "America/St_Johns", "nonsense")
_FOLDERS = (".", "elsewhere", "roots")


def test_a_bundle_is_the_same_bytes_wherever_and_however_it_is_built(tmp_path: Path) -> None:
    """Hash seed, locale, time zone, working directory, workers, order and age of the files, name
    of the root, and an index that is cold, warm or edited and edited back."""
    combinations = _combinations(
        tmp_path,
        [
            {
                "PYTHONHASHSEED": str(number * 7),
                "LC_ALL": _LOCALES[number % len(_LOCALES)],
                "TZ": _ZONES[number % len(_ZONES)],
                **({"PYTHONOPTIMIZE": "1"} if number % 5 == 4 else {}),
                **({"PYTHONUTF8": "1"} if number % 4 == 3 else {}),
            }
            for number in range(13)
        ],
    )
    assert len(combinations) >= 200
    expected = next(iter(combinations.values()))
    assert len(set(expected.values())) == len(expected) == 2 * len(SHOP_TARGETS)
    assert [key for key, digests in combinations.items() if digests != expected] == []


def test_names_beyond_ascii_are_read_alike_in_every_locale(tmp_path: Path) -> None:
    """A path is what its bytes say as UTF-8, even where the system's encoding is another."""
    combinations = _combinations(
        tmp_path,
        [
            {"LC_ALL": "C.UTF-8"},
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        ],
    )
    expected = next(iter(combinations.values()))
    assert [key for key, digests in combinations.items() if digests != expected] == []


_Combinations = dict[tuple[int, str], dict[str, str]]


def _combinations(place: Path, surroundings: list[dict[str, str]]) -> _Combinations:
    """The digests of every build, by surroundings and by what varies inside of a process."""
    for folder in _FOLDERS:
        (place / folder).mkdir(exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda each: _digests_in(place, *each), enumerate(surroundings)))
    return {
        (number, way): digests
        for number, answer in enumerate(answers)
        for way, digests in answer.items()
    }


def _digests_in(place: Path, number: int, around: Mapping[str, str]) -> dict[str, dict[str, str]]:
    chance = random.Random(number)
    roots = [
        _scattered(place / "roots" / f"{number} {name}", chance)
        for name in ("plain", "with späce", "zz", "A.B-c")
    ]
    kept = place / f"kept{number}"
    kept.mkdir(0o700)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.properties.bundle_child",
            str((1, 1, 3)[number % 3]),
            str(kept),
            *map(str, roots),
        ],
        cwd=place / _FOLDERS[number % len(_FOLDERS)],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(_REPOSITORY),
            "HOME": str(kept),
            **around,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b""), around
    answer: dict[str, dict[str, str]] = json.loads(done.stdout)
    return answer


def _scattered(root: Path, chance: random.Random) -> Path:
    """The workspace, its files made in some order and of some age."""
    paths = list(SHOP)
    chance.shuffle(paths)
    write(root, {path: SHOP[path] for path in paths})
    for path in paths:
        moment = chance.randrange(10**18, 17 * 10**17)
        os.utime(root / path, ns=(moment, moment))
    return root
