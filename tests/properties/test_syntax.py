"""An edited tree equals a fresh one, for every language and any edit."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.languages import Registry
from sightline.symbols import summarize
from sightline.syntax import difference, parse, reparse
from sightline.text import Text

_FIXTURES = Path(__file__).parent.parent / "languages"
_FOLDERS = sorted(each.parent for each in _FIXTURES.glob("*/crlf.*.outline"))
_INSERTED = ["", "x", "\n", " ", "{", "}", "(", '"', "/*", "#", "é", "    pass\n", "class A {}\n"]


@pytest.mark.parametrize("folder", _FOLDERS, ids=lambda each: each.name)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_reparsing_equals_parsing_afresh(
    folder: Path, registry: Registry, data: st.DataObject
) -> None:
    language = registry.languages[folder.name]
    golden = (".outline", ".signatures", ".references")
    file = next(each for each in sorted(folder.iterdir()) if each.suffix not in golden)
    before = parse(language, Text(file.read_bytes()))
    for _ in range(3):
        content = str(before.text)
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 20)))
        inserted = data.draw(st.sampled_from(_INSERTED))
        after = Text.of(content[:start] + inserted + content[end:])
        edited = reparse(before, after, difference(before.text, after))
        fresh = parse(language, after)
        assert str(edited.tree.root_node) == str(fresh.tree.root_node)
        assert edited.errors == fresh.errors
        assert summarize(edited) == summarize(fresh)
        before = edited
