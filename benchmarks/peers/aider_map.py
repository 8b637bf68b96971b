"""aider's repository map of every file below a folder, made in aider's own environment.

    python aider_map.py FOLDER TAGS_CACHE

Only the map of aider is loaded: no model, no terminal, no network. Its tokens are estimated by
length, which is cheaper than its own tokenizer. The size of the map is aider's for a large model
without a file in the chat.
"""

# mypy: ignore-errors
# It runs where aider is installed and this project is not.

import json
import os
import sys
from pathlib import Path


class Console:
    """The part of aider's input and output that the map uses."""

    def read_text(self, filename, **_):
        try:
            return Path(filename).read_text("utf-8")
        except (OSError, UnicodeError):
            return None

    def tool_output(self, *messages, **_):
        pass

    tool_warning = tool_error = tool_output


class Model:
    def token_count(self, text):
        return len(text) // 4


def main() -> int:
    from aider.repomap import RepoMap

    folder, cache = sys.argv[1:]
    RepoMap.TAGS_CACHE_DIR = cache
    files = sorted(str(Path(base, name)) for base, _, names in os.walk(folder) for name in names)
    repository_map = RepoMap(
        map_tokens=4096,
        root=folder,
        main_model=Model(),
        io=Console(),
        max_context_window=200_000,
    )
    text = repository_map.get_repo_map(chat_files=[], other_files=files)
    scanned = len(repository_map.TAGS_CACHE)
    print(json.dumps({"scanned": scanned, "characters": len(text or "")}))
    return 0 if text else 1


if __name__ == "__main__":
    sys.exit(main())
