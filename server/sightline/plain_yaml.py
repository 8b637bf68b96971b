"""Read YAML files of other people as plain values.

Aliases are rejected, because a few lines of them can expand to gigabytes. So is deep nesting.
"""

from __future__ import annotations

import yaml

_DEEPEST = 100


class _PlainLoader(yaml.SafeLoader):
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("references are not followed")
        self.depth += 1
        if self.depth > _DEEPEST:
            raise yaml.YAMLError("is nested too deeply")
        node: yaml.Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node


def read_plain_yaml(text: str | bytes) -> object:
    """Return the value of a YAML file. Raises `ValueError` for invalid, aliased or deeply nested
    YAML.
    """
    try:
        return yaml.load(text, _PlainLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError("is not plain YAML") from error
