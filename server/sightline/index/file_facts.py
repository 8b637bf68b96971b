"""What the index knows about each file, and how the facts of a file are loaded and cached."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping

import msgspec

from sightline.index.resolve import FileScope, ModuleManifest
from sightline.languages import Language
from sightline.symbols import Facts, FactsView

PENDING = "pending"
"""The fault of a file whose text is known, and whose facts are not available yet."""

_MOST_SCOPES = 2048
_MOST_NAMES = 100_000


class FileState(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One visible file as the index knows it."""

    digest: bytes
    """SHA-256 of its text as UTF-8 without byte order mark; of its bytes if it is not text."""
    language: str = ""
    """"" if the file has no language with facts."""
    key: bytes = b""
    """The key under which its facts are stored."""
    fault: str = ""
    """Why a file of a known language has no facts: the reason of a refusal, or `pending`."""
    manifest: ModuleManifest | None = None
    declarations: int = 0
    references: int = 0
    limit: str = ""
    """The limit that its text exceeded, in words; "" if it is not in quarantine."""

    @property
    def content(self) -> bytes:
        """Return what determines which words are counted in the file."""
        return self.key or self.digest


LoadFacts = Callable[[str, FileState], bytes | None]
PushedFacts = bytes | Callable[[], bytes | None]
"""Facts, or a function that returns them on demand, from any thread."""


class Loader:
    """Loads facts by path: those that were pushed in, or those in the store."""

    def __init__(self, facts: Mapping[str, PushedFacts], load: LoadFacts) -> None:
        self._facts = facts
        self._load = load

    def packed(self, path: str, state: FileState) -> bytes | None:
        pushed = self._facts.get(path)
        packed = pushed() if callable(pushed) else pushed
        return self._load(path, state) if packed is None else packed

    def __call__(self, path: str, state: FileState) -> Facts | None:
        packed = self.packed(path, state)
        return msgspec.msgpack.decode(packed, type=Facts) if packed is not None else None


class ScopeCache:
    """The most recently used file scopes, of any snapshot."""

    def __init__(self, languages: Mapping[str, Language]) -> None:
        self._languages = languages
        self._known: OrderedDict[tuple[str, bytes], FileScope] = OrderedDict()
        self._versions: dict[str, tuple[bytes, ...]] = {}
        """The most recently requested keys of a path: each keystroke makes another key."""
        self._names: dict[bytes, str] = {}
        """By key of the facts. Cleared when entries of texts that are gone have filled it."""

    def names(self, path: str, state: FileState, loader: Loader) -> str:
        """Return every name in a file, case folded, one per line."""
        known = self._names.get(state.key)
        if known is None:
            facts = loader(path, state)
            known = "\n".join(facts.names).casefold() if facts is not None else ""
            if len(self._names) >= _MOST_NAMES:
                self._names.clear()
            self._names[state.key] = known
        return known

    def get(self, path: str, state: FileState, loader: Loader) -> FileScope | None:
        key = (path, state.key)
        known = self._known.get(key)
        if known is None:
            facts = loader(path, state)
            if facts is None:
                return None
            language = self._languages[state.language]
            known = FileScope(path, language, FactsView(facts, language))
            self._known[key] = known
            *older, last = *self._versions.get(path, ()), state.key
            self._versions[path] = (*older[-1:], last)
            for each in older[:-1]:
                self._known.pop((path, each), None)
            while len(self._known) > _MOST_SCOPES:
                self._known.popitem(last=False)
        return known
