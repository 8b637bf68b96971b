"""Where the bytes come from: the disk as it is now, an editor's text, or nowhere."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from sightline.context import TargetSpec
from sightline.engine.cache import BuildCache
from sightline.index.store import Fault, NoStore
from sightline.languages import Registry
from sightline.project import Project
from sightline.refusals import RefusalKind
from sightline.text import Text
from sightline.workers import Workers
from sightline.workspace import Workspace
from tests.context import workspaces as w
from tests.context.bench import block_of, blocks_of, everything, excluded, included, redactions
from tests.context.conftest import MakeBench


def _sha256(content: str | bytes) -> str:
    data = content if isinstance(content, bytes) else content.encode()
    return hashlib.sha256(data).hexdigest()


def test_a_target_that_changed_after_indexing_is_read_anew(bench: MakeBench) -> None:
    """The bundle has the new bytes, the manifest the new hash, and cuts are those of the new."""
    made = bench(w.ORDERS)
    made.build_cache()
    changed = str(w.ORDERS[w.PRICING]).replace("import logging\n", "import logging\nimport os\n")
    changed = changed.replace("order.amount * self.factor", "order.amount * 3")
    made.write({w.PRICING: changed})
    built = made.build(w.TOTAL)
    assert block_of(built, w.PRICING).content == changed
    assert included(built)[w.PRICING].hash == _sha256(changed)
    cut = made.build(w.TOTAL, settings={"context.target_level": "region"})
    assert "order.amount * 3" in blocks_of(cut, w.PRICING)[0].content


def test_a_candidate_that_changed_after_indexing_is_read_anew(bench: MakeBench) -> None:
    made = bench(w.ORDERS)
    made.build_cache()
    changed = str(w.ORDERS[w.MODEL]) + "\n\nclass Late:\n    pass\n"
    made.write({w.MODEL: changed})
    built = made.build(w.TOTAL)
    assert block_of(built, w.MODEL).content == changed
    assert included(built)[w.MODEL].hash == _sha256(changed)


def test_relations_are_those_of_what_was_read(bench: MakeBench) -> None:
    """A target that uses something else since it was indexed brings that with it."""
    made = bench({**w.ORDERS, "orders/tax.py": "class Tax:\n    rate = 7\n"})
    made.build_cache()
    changed = str(w.ORDERS[w.PRICING]).replace("Order", "Tax").replace("orders.model", "orders.tax")
    made.write({w.PRICING: changed})
    files = included(made.build(w.TOTAL))
    assert files["orders/tax.py"].score == 60
    assert files.get(w.MODEL) is None or files[w.MODEL].score <= 0


def test_a_candidate_that_is_gone_is_not_there(bench: MakeBench) -> None:
    made = bench(w.ORDERS)
    made.build_cache()
    (made.root / w.MODEL).unlink()
    assert w.MODEL not in included(made.build(w.TOTAL))


def test_a_target_that_is_gone_is_refused(bench: MakeBench) -> None:
    made = bench(w.ORDERS)
    made.build_cache()
    (made.root / w.PRICING).unlink()
    refused = made.refuse(RefusalKind.INVALID_REQUEST, w.PRICING)
    assert (refused.refusal.reason, refused.refusal.path) == ("not_found", w.PRICING)


@pytest.mark.parametrize("restless", [w.PRICING, w.MODEL])
def test_a_file_that_keeps_changing_is_not_built_from(
    bench: MakeBench, registry: Registry, workers: Workers, restless: str
) -> None:
    """Target or candidate: if no two reads agree there is no deterministic answer."""
    made = bench(w.ORDERS)
    versions = iter(range(1000))

    class Restless(Project):
        def read(self, path: str) -> Any:
            if path == restless:
                text = f"{w.ORDERS[restless]!s}\n\nversion = {next(versions)}\n"
                (made.root / path).write_text(text)
            return super().read(path)

    project = Restless(Workspace(made.root), registry, workers, NoStore(Fault.UNAVAILABLE))
    project.open()
    refused = made.refuse(
        RefusalKind.INDEX_UNAVAILABLE, w.TOTAL, build_cache=BuildCache(project, registry, workers)
    )
    assert refused.refusal.reason == "unsteady"
    assert next(versions) > 1, "it was tried again before it was given up"


def test_a_target_behind_a_link_to_a_folder_is_refused_by_name(bench: MakeBench) -> None:
    """The index does not know it, and nothing is changing."""
    made = bench(w.ORDERS)
    (made.root / "elsewhere").symlink_to("orders")
    path = w.PRICING.replace("orders/", "elsewhere/")
    refused = made.refuse(RefusalKind.UNSUPPORTED_TARGET, path)
    assert (refused.refusal.reason, refused.refusal.path) == ("behind_link", path)


def test_a_file_that_is_denied_since_it_was_indexed_stays_out(bench: MakeBench) -> None:
    made = bench(w.ORDERS)
    made.build_cache()
    made.write({".gitignore": "model.py\n"})
    made.build_cache().project.refresh()
    built = made.build(w.TOTAL)
    assert w.MODEL not in included(built)
    assert "def describe" not in built.rendering.text
    refused = made.refuse(RefusalKind.UNSUPPORTED_TARGET, w.MODEL)
    assert (refused.refusal.rule, refused.refusal.source) == ("model.py", ".gitignore:1")


# What an editor has.


def test_unsaved_text_is_what_is_built(bench: MakeBench) -> None:
    """The editor's text, under its version, and not what is on the disk."""
    made = bench(w.ORDERS)
    unsaved = str(w.ORDERS[w.PRICING]).replace("self.factor", "9")
    made.show(w.PRICING, unsaved, 17)
    built = made.build(w.TOTAL)
    block = block_of(built, w.PRICING)
    assert block.content == unsaved
    assert (block.meta.source, block.meta.document_version) == ("user", 17)
    assert block.meta.hash == _sha256(unsaved)
    assert included(built)[w.PRICING].source == "user"
    saved = block_of(built, w.MODEL)
    assert (saved.meta.source, saved.meta.document_version) == ("filesystem", None)


def test_unsaved_text_has_its_own_symbols_and_relations(bench: MakeBench) -> None:
    made = bench({**w.ORDERS, "orders/tax.py": "class Tax:\n    rate = 7\n"})
    made.show(
        "orders/new.py", "from orders.tax import Tax\n\n\ndef fresh() -> Tax:\n    return Tax()\n"
    )
    built = made.build("orders/new.py:5")
    assert built.manifest.selection.target_symbols == ("orders/new.py::fresh",)
    assert "orders/tax.py" in included(built)


def test_unsaved_text_of_a_candidate_counts(bench: MakeBench) -> None:
    made = bench(w.ORDERS)
    unsaved = str(w.ORDERS[w.MODEL]) + "\n\nclass Late:\n    pass\n"
    made.show(w.MODEL, unsaved, 3)
    block = block_of(made.build(w.TOTAL), w.MODEL)
    assert (block.content, block.meta.source, block.meta.document_version) == (unsaved, "user", 3)


def test_a_denied_path_is_denied_in_the_editor_too(bench: MakeBench) -> None:
    made = bench(w.ORDERS)
    made.build_cache().project.show("local.env", Text(b"NAME=hidden words\n"), 1)
    refused = made.refuse(RefusalKind.UNSUPPORTED_TARGET, "local.env")
    assert refused.refusal.reason == "deny_rule"
    assert "hidden words" not in everything(refused)


def test_an_editor_text_that_is_too_large_is_refused(bench: MakeBench) -> None:
    made = bench(w.ORDERS)
    build_cache = made.build_cache(max_file_bytes=1000)
    build_cache.project.show(w.PRICING, Text(b"#" * 1001), 1)
    refused = made.refuse(RefusalKind.UNSUPPORTED_TARGET, w.PRICING, build_cache=build_cache)
    assert refused.refusal.reason == "too_large"


# Encodings and binaries.

_SOURCE = "class Café:\n    def open(self):\n        return 'naïve'\n"


@pytest.mark.parametrize(
    ("stored", "encoding"),
    [
        (_SOURCE.encode("utf-8"), "utf-8"),
        (b"\xef\xbb\xbf" + _SOURCE.encode("utf-8"), "utf-8"),
        (b"\xff\xfe" + _SOURCE.encode("utf-16-le"), "utf-16le"),
        (b"\xfe\xff" + _SOURCE.encode("utf-16-be"), "utf-16be"),
        (_SOURCE.encode("cp1252"), "windows-1252"),
        (_SOURCE.encode("ascii", "ignore"), "ascii"),
    ],
)
def test_supported_encodings(bench: MakeBench, stored: bytes, encoding: str) -> None:
    """Decoded for the reader; hash and size are of the bytes on the disk."""
    built = bench({"place.py": stored}).build("place.py")
    block = block_of(built, "place.py")
    text = _SOURCE if encoding != "ascii" else stored.decode()
    assert block.content == text
    assert (block.meta.encoding, block.meta.byte_size) == (encoding, len(stored))
    assert block.meta.hash == _sha256(stored)
    assert block.meta.line_count == 3


_UNREADABLE = [
    pytest.param(_SOURCE.encode("utf-32"), "encoding", id="utf-32"),
    pytest.param("имя = 'значение'\n".encode("cp1251"), "encoding", id="cyrillic code page"),
    pytest.param(_SOURCE.encode("utf-8")[:10], "encoding", id="utf-8 cut off"),
    pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(40), "binary", id="picture"),
    pytest.param(b"name = 1\n\x00more = 2\n", "binary", id="a NUL"),
    pytest.param(b"ab\x01\x02\x03\x04\n" * 9, "binary", id="control characters"),
]


@pytest.mark.parametrize(("stored", "reason"), _UNREADABLE)
def test_a_target_that_is_no_certain_text_is_refused(
    bench: MakeBench, stored: bytes, reason: str
) -> None:
    refused = bench({"odd.py": stored}).refuse(RefusalKind.UNSUPPORTED_TARGET, "odd.py")
    assert (refused.refusal.reason, refused.refusal.path) == (reason, "odd.py")
    assert refused.refusal.rule


@pytest.mark.parametrize(
    "stored", [pytest.param(each.values[0], id=each.id) for each in _UNREADABLE]
)
def test_a_candidate_that_is_no_certain_text_is_excluded(bench: MakeBench, stored: bytes) -> None:
    """Excluded and recorded, under the one reason that the contract has for all of them."""
    made = bench({**w.ORDERS, "odd.py": stored})
    built = made.build(w.TOTAL, user_selected_targets=(TargetSpec(path="odd.py"),))
    candidate = excluded(built)["odd.py"]
    assert candidate.reason == "binary"
    assert candidate.rule
    assert [each.target for each in redactions(built, "path_excluded")] == ["odd.py"]
    assert not blocks_of(built, "odd.py")


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
def test_line_ends_and_a_missing_last_one_survive(bench: MakeBench, ending: str) -> None:
    text = ending.join(["def one():", "    return 1", "", "two = 2"])
    built = bench({"lines.py": text}).build("lines.py")
    assert block_of(built, "lines.py").content == text


def test_an_empty_target(bench: MakeBench) -> None:
    block = block_of(bench({"empty.py": ""}).build("empty.py"), "empty.py")
    assert (block.content, block.meta.byte_size, block.meta.level) == ("", 0, "FULL_FILE")
