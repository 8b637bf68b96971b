"""The files in aider's repository map for a target, in aider's own environment.

    python aider_files.py TAGS_CACHE

Reads one JSON object a line and answers each with one line: by budget, the files that the map
names, those of them that it shows code of, and its length in tokens. The target is in the chat,
and its symbol is mentioned. As for the estimate of tokens and what is loaded of aider, see
`aider_map.py`.
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
        print(json.dumps(named_files(RepoMap, asked)), file=answers, flush=True)
    return 0


def named_files(repo_map, asked):
    root = asked["root"]
    paths = set(asked["files"])
    target = str(Path(root, asked["target"]))
    others = [str(Path(root, path)) for path in asked["files"] if path != asked["target"]]
    made = repo_map(map_tokens=1, root=root, main_model=Model(), io=Console())
    ranked = made.get_ranked_tags({target}, others, {asked["target"]}, set(asked["names"]))
    # The ranks are the same for every budget, and take most of the time.
    made.get_ranked_tags = lambda *_, **__: list(ranked)
    found = {}
    for budget in asked["budgets"]:
        text = made.get_ranked_tags_map_uncached({target}, others, budget) or ""
        # A file stands on a line of its own, with a colon where code of it follows; every line of
        # code begins with a bar or dots.
        lines = set(text.splitlines())
        found[str(budget)] = {
            "named": sorted(path for path in paths if {path, f"{path}:"} & lines),
            "shown": sorted(path for path in paths if f"{path}:" in lines),
            "tokens": Model().token_count(text),
        }
    return found


if __name__ == "__main__":
    sys.exit(main())
