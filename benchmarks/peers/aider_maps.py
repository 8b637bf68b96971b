"""aider's repository map for a target, in aider's own environment.

    python aider_maps.py TAGS_CACHE

Reads one JSON object a line and answers each with one line: by budget, the text that the map shows
of each file. The target is in the chat, and its symbol is mentioned; without a target the answer is
the whole map. As for what is loaded of
aider, see `aider_map.py`; tokens are estimated by length, at a rate that the question gives.
"""

# mypy: ignore-errors
# It runs where aider is installed and this project is not.

import json
import os
import sys
from pathlib import Path

from aider_map import Console, Model


def main() -> int:
    from aider.repomap import RepoMap

    RepoMap.TAGS_CACHE_DIR = sys.argv[1]
    answers = sys.stdout
    # aider says things on its way, which are no answers.
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(maps(RepoMap, asked)), file=answers, flush=True)
    return 0


class Rated(Model):
    def __init__(self, characters):
        self._characters = characters

    def token_count(self, text):
        return len(text) * 100 // self._characters


def maps(repo_map, asked):
    root = asked["root"]
    if asked["target"] is None:
        return whole_maps(repo_map, asked)
    paths = set(asked["files"])
    target = str(Path(root, asked["target"]))
    others = [str(Path(root, path)) for path in asked["files"] if path != asked["target"]]
    model = Rated(asked["characters"])
    made = repo_map(map_tokens=1, root=root, main_model=model, io=Console())
    ranked = made.get_ranked_tags({target}, others, {asked["target"]}, set(asked["names"]))
    # The ranks are the same for every budget, and take most of the time.
    made.get_ranked_tags = lambda *_, **__: list(ranked)
    return {
        str(budget): by_path(made.get_ranked_tags_map_uncached({target}, others, budget), paths)
        for budget in asked["budgets"]
    }


def whole_maps(repo_map, asked):
    """By budget, the map as text, with no file in the chat."""
    root = asked["root"]
    files = [str(Path(root, path)) for path in asked["files"]]
    made = repo_map(map_tokens=1, root=root, main_model=Rated(asked["characters"]), io=Console())
    return {
        str(budget): made.get_ranked_tags_map_uncached(set(), files, budget) or ""
        for budget in asked["budgets"]
    }


def by_path(text, paths):
    """A file stands on a line of its own, with a colon where code of it follows; every line of
    code begins with a bar."""
    found = {}
    path = None
    for line in (text or "").splitlines():
        if line.removesuffix(":") in paths:
            path = line.removesuffix(":")
            found[path] = ""
        elif path is not None:
            found[path] += line.removeprefix("│") + "\n"
    return found


if __name__ == "__main__":
    sys.exit(main())
