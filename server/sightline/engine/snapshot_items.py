"""Items that a person or a program names for a snapshot: files, pages, texts, output, images.

Invariants:

* A text is stored with its secrets replaced, and not at all if their bounds are not known. A text
  in an encoding other than UTF-8 is not stored if anything in it looks like a secret.
* A file is stored only if policy shows it; an image also if it is withheld for being binary.
"""

from __future__ import annotations

from pathlib import Path

import attrs

from sightline.context.secret_checks import is_removable
from sightline.egress import ScanFailure, guarded_scan, redacted
from sightline.engine.host import Host
from sightline.engine.snapshot_contents import stored_text
from sightline.provenance.model import ContextItem, preview_of
from sightline.provenance.vocabulary import ActorKind, ActorRef, ContextItemKind, SnapshotError
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Span

LARGEST_ITEM = 16 << 20
_PREVIEW_BYTES = 4_000
_BINARY_RULES = "default:binaries"
_REDACTED = "redacted"


@attrs.frozen
class GivenItem:
    """An item for a snapshot, as named by a person or program."""

    kind: str
    path: str
    content: bytes
    is_text: bool = True
    notes: tuple[str, ...] = ()
    is_clear: bool = False
    """True if the content was already scanned for secrets."""


def actor_of(written: str) -> ActorRef | Refusal:
    """Return the actor that a text names: `agent:coder`, or `ada` for a person."""
    kind, separator, name = written.partition(":")
    if not separator:
        kind, name = ActorKind.HUMAN, written
    if kind not in tuple(ActorKind) or not name.strip():
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "usage",
            None,
            "the actor is missing, or its kind is unknown",
            f"write KIND:ID with one of {', '.join(ActorKind)}: human:ada, agent:coder",
        )
    try:
        return ActorRef(kind, without_secret_words(name) or name)
    except SnapshotError as error:
        return error.refusal


def text_item(kind: str, path: str, content: bytes) -> GivenItem:
    """Return a page, a snippet, the output of a command, or something of another kind."""
    return GivenItem(kind, path, content)


def file_item(host: Host, written: str) -> GivenItem | Refusal:
    """Return a file of the workspace in its current state, from an editor or the disk."""
    path = host.path_of(written)
    refusal = path if isinstance(path, Refusal) else host.judge(path)
    if isinstance(path, Refusal) or refusal is not None:
        assert refusal is not None
        return refusal
    document = host.cache.look_at(path)
    if isinstance(document, Refusal):
        return document
    stored = stored_text(host, document)
    if stored is None:
        return _unclear(GivenItem(ContextItemKind.FILE, path, b""))
    return GivenItem(ContextItemKind.FILE, path, stored.data, notes=stored.notes, is_clear=True)


def image_item(host: Host, written: str, content: bytes) -> GivenItem | Refusal:
    """Return an image, which may be outside of the workspace."""
    path = host.path_of(written)
    name = Path(written).name if isinstance(path, Refusal) else path
    refusal = host.judge(name)
    if refusal is not None and refusal.source != _BINARY_RULES:
        return refusal
    return GivenItem(ContextItemKind.IMAGE, name, content, is_text=False)


def cleared_item(item: GivenItem) -> GivenItem | Refusal:
    """Return an item with its secrets replaced, or why it is not stored."""
    if len(item.content) > LARGEST_ITEM:
        return _not_stored(item, RefusalKind.UNSUPPORTED_TARGET, "it is larger than 16 MiB")
    words = without_secret_words(item.path) or ""
    if words != item.path:
        item = attrs.evolve(item, path=words, notes=(*item.notes, _REDACTED))
    if item.is_clear:
        return item
    found = guarded_scan(item.content)
    if isinstance(found, ScanFailure) or not all(map(is_removable, found)):
        return _unclear(item)
    if not _is_utf_8(item.content):
        # Nothing can be replaced in it, and the wide encoding would hide its contents from the
        # scan.
        plain = guarded_scan(item.content.replace(b"\0", b""))
        return _unclear(item) if found or isinstance(plain, ScanFailure) or plain else item
    if not found:
        return item
    clean = redacted(item.content, Span(0, len(item.content)), found)
    notes = tuple(dict.fromkeys([*item.notes, _REDACTED]))
    return attrs.evolve(item, content=clean, notes=notes)


def without_secret_words(text: str | None) -> str | None:
    """Return a short text with secrets replaced."""
    if text is None:
        return None
    data = text.encode("utf-8", "replace")
    found = guarded_scan(data)
    if isinstance(found, ScanFailure):
        return "[REDACTED]"
    return redacted(data, Span(0, len(data)), found).decode("utf-8")


def draft_item(item: GivenItem) -> ContextItem:
    """Return an item of a draft. Raises `SnapshotError`."""
    preview = None
    if item.is_text and _is_utf_8(item.content):
        preview = preview_of(item.content[:_PREVIEW_BYTES].decode("utf-8", "ignore"))
    notes = ", ".join(dict.fromkeys(item.notes))
    return ContextItem(item.kind, item.path, preview, None, {"note": notes} if notes else {})


def _is_utf_8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in content


def _unclear(item: GivenItem) -> Refusal:
    return _not_stored(
        item, RefusalKind.SECRET_RISK, "it may hold a secret, which cannot be taken out"
    )


def _not_stored(item: GivenItem, kind: RefusalKind, why: str) -> Refusal:
    is_file = item.kind in (ContextItemKind.FILE, ContextItemKind.IMAGE)
    return Refusal(
        kind,
        "not_stored",
        item.path if is_file else None,
        f"an item is not stored: {why}",
        "leave it out, or remove the secret" if "secret" in why else "leave it out",
    )
