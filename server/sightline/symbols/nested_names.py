"""Names at any depth of a declaration: `*(*name[3])(int)`, `{ a, b: [c, ...d] }`.

A query has no pattern for "at any depth". If a pattern captures `@name.within`, names are searched
below that node, only through the nodes that `[names]` in `language.toml` lists.
"""

from __future__ import annotations

import tree_sitter

from sightline.languages import Language, NamePath
from sightline.languages.tags import QueryPattern

Captures = dict[str, list[tree_sitter.Node]]


def with_names(captures: Captures, pattern: QueryPattern, language: Language) -> list[Captures]:
    """Return one set of captures for each name below `@name.within`, with `@name` and `@container`.

    Captures without `@name.within` are returned unchanged.
    """
    if "name.within" not in captures:
        return [captures]
    paths = language.name_paths
    through = language.kind_ids(pattern.through)
    found: list[Captures] = []
    # The nodes left to visit, the next one last: a node, the owners above it, and True once the
    # node kind that the pattern demands was passed.
    stack: list[tuple[tree_sitter.Node, tuple[tree_sitter.Node, ...], bool]]
    stack = [(captures["name.within"][0], (), not through)]
    while stack:
        node, owners, is_met = stack.pop()
        path = paths.get(node.kind_id)
        if path is None:
            continue
        if path.is_name:
            if is_met:
                found.append(_named(captures, node, owners))
            continue
        if not is_met and node.kind_id in through:
            is_met = True
        if path.owner and (owner := node.child_by_field_id(path.owner)):
            owners = (*owners, owner)
        stack += [(each, owners, is_met) for each in reversed(_children(node, path))]
    return found


def _children(node: tree_sitter.Node, path: NamePath) -> list[tree_sitter.Node]:
    if not path.fields:
        return node.named_children
    if len(path.fields) == 1:
        return node.children_by_field_id(path.fields[0])
    return sorted(
        (child for field in path.fields for child in node.children_by_field_id(field)),
        key=lambda child: child.start_byte,
    )


def _named(
    captures: Captures, name: tree_sitter.Node, owners: tuple[tree_sitter.Node, ...]
) -> Captures:
    if not owners:
        return {**captures, "name": [name]}
    return {**captures, "name": [name], "container": list(owners)}
