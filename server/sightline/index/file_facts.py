"""What the index knows of each file, and how the facts of a file are loaded and cached."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping

import msgspec

from sightline.index.resolve import FileScope, ModuleManifest
from sightline.languages import Language
from sightline.symbols import Facts, FactsView

PENDING = "pending"
"""The fault of a file whose text is known, and whose facts are not there yet."""

_MOST_SCOPES = 2048
_MOST_NAMES = 100_000


class FileState(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One visible file as the index knows it."""

    digest: bytes
    """SHA-256 of its text, in UTF-8 and without byte order mark; of its bytes where it is none."""
    language: str = ""
    """"" where it is none that has facts."""
    key: bytes = b""
    """Under which its facts are stored."""
    fault: str = ""
    """Why a file of a known language has no facts: the reason of a refusal, or `pending`."""
    manifest: ModuleManifest | None = None
    declarations: int = 0
    references: int = 0
    limit: str = ""
    """The limit that its text hit, in words; "" where it is not in quarantine."""

    @property
    def content(self) -> bytes:
        """What decides which words are counted in it."""
        return self.key or self.digest


LoadFacts = Callable[[str, FileState], bytes | None]
PushedFacts = bytes | Callable[[], bytes | None]
"""Facts, or a function that brings them when somebody asks; any thread may."""


class Loader:
    """Facts by path: pushed in, or from the store."""

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
    """File scopes that were used last, whichever snapshot they were made for."""

    def __init__(self, languages: Mapping[str, Language]) -> None:
        self._languages = languages
        self._known: OrderedDict[tuple[str, bytes], FileScope] = OrderedDict()
        self._versions: dict[str, tuple[bytes, ...]] = {}
        """The keys of a path that were asked for last: each key a person presses makes another."""
        self._names: dict[bytes, str] = {}
        """By key of the facts; forgotten when texts that are gone have filled it."""

    def names(self, path: str, state: FileState, loader: Loader) -> str:
        """Every name in a file, case folded, a line each."""
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
