"""Merge five layers into the effective settings.

The layers, a later one winning: defaults, the user's file, the workspace's file, the environment,
the request. Lists are added instead.

Invariants:

* The workspace's file only tightens: with it, no key that has a direction is looser than without
  it, and a key without one does not change. If a setting stands for the model's own number, that
  number is compared.
* Nothing is ignored silently. A value that cannot be understood is refused if it may guard;
  otherwise it gives a message, and the earlier value stays.
* No refusal or message contains a value that was given.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import attrs

from sightline.budget import ModelProfile
from sightline.refusals import Refusal, RefusalKind
from sightline.settings.keys import (
    GUARDING,
    KEYS,
    Authority,
    Key,
    Settings,
    settings_of,
)
from sightline.settings.kinds import Problem, sorted_entries
from sightline.settings.marks import MARKS_SECTION, WorkspaceMarks, marks_in
from sightline.settings.private_files import CONFIG_VARIABLE
from sightline.settings.profiles import overridden, own_profile
from sightline.workspace import is_default_rule

WORKSPACE_FILE = ".sightline.toml"
USER_FILE = "settings.toml"
USER_PLACE = f"user {USER_FILE}"
REQUEST_PLACE = "request"
DEFAULT_PLACE = "default"
MAX_FILE_BYTES = 64 * 1024
MAX_USER_FILE_BYTES = 512 * 1024
"""The largest user's file: it records every mark of the user."""
_PREFIX = "SIGHTLINE_"
_OTHER_VARIABLES = frozenset({"SIGHTLINE_CACHE_DIR", CONFIG_VARIABLE, "SIGHTLINE_LANGUAGE_PATH"})
_PART_OF_NAME = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.){0,200}+"|'[^'\n]{0,200}+')"""
_DEEP_NAME = re.compile(
    rf"(?<![A-Za-z0-9_-]){_PART_OF_NAME}(?:[ \t]*+\.[ \t]*+{_PART_OF_NAME}){{16}}"
)
"""The parser's time and memory grow with the square of a dotted name's depth."""
_PLACE_IN_TOML = re.compile(r"\(at (?:line ([0-9]+), column [0-9]+|end of document)\)\Z")
_SHOWN_NAME = re.compile(r"(?:SIGHTLINE_)?[A-Za-z0-9_.-]{1,36}", re.ASCII)
"""Longer than any setting's name, but shorter than most secret keys."""
_SIMILAR = 0.7
_MOST_KEYS = 200


class Layer(StrEnum):
    DEFAULT = "default"
    USER = "user"
    WORKSPACE = "workspace"
    ENVIRONMENT = "environment"
    REQUEST = "request"


@attrs.frozen
class Origin:
    """The source of a key's value. A list can have several sources."""

    layer: Layer
    """The last layer that contributed to it."""
    places: tuple[str, ...]
    """`default`, `user settings.toml`, `.sightline.toml`, `SIGHTLINE_…` or `request`."""

    @property
    def place(self) -> str:
        return ", ".join(self.places)


@attrs.frozen
class Message:
    """A given value that has no effect, and why, on one line."""

    key: str
    source: str
    problem: str

    def __str__(self) -> str:
        where = f" in {self.source}" if self.source != self.key else ""
        return f"{self.key}{where} {self.problem}"


@attrs.frozen
class Loaded:
    settings: Settings
    origins: Mapping[str, Origin]
    """For every key, by its dotted name."""
    deny_sources: Mapping[str, str]
    """For every pattern of `policy.deny`, the first place that gives it."""
    messages: tuple[Message, ...]


def load(
    root_text: str | None,
    user_text: str | None,
    environment: Mapping[str, str],
    request: Mapping[str, object],
    root: str | None = None,
) -> Loaded | Refusal:
    """Return the effective settings, or why there are none.

    `root_text` is the workspace's file and `user_text` the user's; None if it does not exist.
    `request` has dotted keys; None means not given. `root` is the real path of the workspace, which
    selects its marks in the user's file; None selects no marks.
    """
    user = _tables(user_text, Layer.USER, USER_PLACE)
    if isinstance(user, Refusal):
        return user
    marks = _marks(user, root)
    if isinstance(marks, Refusal):
        return marks
    workspace = _tables(root_text, Layer.WORKSPACE, WORKSPACE_FILE)
    if isinstance(workspace, Refusal):
        return workspace
    given = [
        *(each for each in user if not each.is_marks),
        *_marked(marks),
        *workspace,
        *_variables(environment),
        *_requested(request),
    ]
    merged = _Merged()
    for each in given:
        if each.key is None:
            refusal = merged.note_unknown(each)
            if refusal is not None:
                return refusal
    for key in KEYS:
        for each in given:
            if each.key is key:
                refusal = merged.take(key, each)
                if refusal is not None:
                    return refusal
    return merged.finish()


def user_marks(user_text: str | None, root: str) -> WorkspaceMarks | Refusal:
    """Return the marks of one workspace from the user's file."""
    user = _tables(user_text, Layer.USER, USER_PLACE)
    return user if isinstance(user, Refusal) else _marks(user, root)


def bad_file(place: str, problem: str, advice: str) -> Refusal:
    """Return the refusal of a whole settings file."""
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "bad_setting",
        None,
        f"the settings file {problem}",
        advice,
        rule="settings",
        source=place,
    )


_BY_NAME = {key.name: key for key in KEYS}
_BY_VARIABLE = {key.variable: key for key in KEYS}


@attrs.frozen
class _Given:
    """One value in one layer, not validated yet."""

    layer: Layer
    key: Key | None
    """None if the name is not exactly that of a setting."""
    name: str
    place: str
    value: object
    is_of_workspace: bool = False
    """True for a mark: it comes from the user and applies to this workspace alone."""

    @property
    def is_marks(self) -> bool:
        """True if it is the section of the user's file that records marks."""
        return self.layer is Layer.USER and self.key is None and self.name == MARKS_SECTION

    def read(self, key: Key) -> object:
        if self.layer is Layer.ENVIRONMENT:
            return key.kind.read_text(str(self.value))
        return key.kind.read(self.value)


def _tables(text: str | None, layer: Layer, place: str) -> list[_Given] | Refusal:
    """Return the values of a settings file, in its own order."""
    if text is None:
        return []
    most = MAX_USER_FILE_BYTES if layer is Layer.USER else MAX_FILE_BYTES
    if len(text) > most:
        return bad_file(place, f"is larger than {most} bytes", "make it smaller")
    if _DEEP_NAME.search(text):
        return bad_file(place, "has a name of more than 16 parts", "use the names of settings")
    try:
        document = tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        # The error's own text can quote the file.
        found = _PLACE_IN_TOML.search(str(error))
        if found is None:
            return bad_file(place, "is not valid TOML", "correct it, or remove it")
        line = found[1] or str(text.count("\n") + 1)
        problem = f"is not valid TOML on line {line}"
        return bad_file(f"{place}:{line}", problem, "correct it, or remove it")
    given: list[_Given] = []
    for section, content in document.items():
        if not isinstance(content, dict):
            given.append(_Given(layer, None, section, place, content))
            continue
        for field, value in content.items():
            name = f"{section}.{field}"
            # A quoted name can contain a dot.
            key = None if "." in section else _BY_NAME.get(name)
            given.append(_Given(layer, key, name, place, value))
    if len(given) > _MOST_KEYS:
        # Each unknown name is compared with all known names.
        return bad_file(place, f"has more than {_MOST_KEYS} keys", "remove what is no setting")
    return given


def _marks(user: Iterable[_Given], root: str | None) -> WorkspaceMarks | Refusal:
    content = next((each.value for each in user if each.is_marks), [])
    marks = marks_in(content, root)
    if isinstance(marks, Problem):
        advice = "take it back with 'sightline allow --remove' or 'sightline harmless --remove', "
        return _bad_setting(MARKS_SECTION, USER_PLACE, marks.text, advice + "or correct it")
    return marks


def _marked(marks: WorkspaceMarks) -> Iterable[_Given]:
    """Yield the marks of a workspace as values of two settings."""
    for name, value in (
        ("policy.allow", [each.rule for each in marks.allow]),
        ("secrets.harmless", [each.hash for each in marks.harmless]),
    ):
        if value:
            yield _Given(Layer.USER, _BY_NAME[name], name, USER_PLACE, value, is_of_workspace=True)


def _variables(environment: Mapping[str, str]) -> Iterable[_Given]:
    for variable in sorted(environment):
        if variable.startswith(_PREFIX) and variable not in _OTHER_VARIABLES:
            key = _BY_VARIABLE.get(variable)
            section, _, field = variable.removeprefix(_PREFIX).lower().partition("_")
            name = f"{section}.{field}" if key is None else key.name
            place = _showable(variable, "environment")
            yield _Given(Layer.ENVIRONMENT, key, name, place, environment[variable])


def _requested(request: Mapping[str, object]) -> Iterable[_Given]:
    for name, value in request.items():
        if value is not None:
            yield _Given(Layer.REQUEST, _BY_NAME.get(name), name, REQUEST_PLACE, value)


class _Merged:
    """The effective values so far. Keys are merged in the order of `KEYS`, each from every
    layer.
    """

    def __init__(self) -> None:
        self._values: dict[str, Any] = {key.name: key.default for key in KEYS}
        default = Origin(Layer.DEFAULT, (DEFAULT_PLACE,))
        self._origins = {key.name: default for key in KEYS}
        self._deny_sources: dict[str, str] = {}
        self._messages: list[Message] = []

    def note_unknown(self, given: _Given) -> Refusal | None:
        similar = _similar(given.name)
        name = _showable(given.name, "a key")
        hint = (
            f"did you mean {similar.name}?" if similar is not None else "see 'sightline settings'"
        )
        if given.layer is Layer.ENVIRONMENT:
            name = given.place
            if similar is not None:
                hint = f"did you mean {similar.variable}?"
        if _may_guard(given.name, similar):
            return _bad_setting(name, given.place, "is no setting, and may be meant to guard", hint)
        self._note(name, given, f"is no setting and has no effect; {hint}")
        return None

    def take(self, key: Key, given: _Given) -> Refusal | None:
        if given.layer is Layer.WORKSPACE and key.authority is Authority.NOTHING:
            self._note(key.name, given, "is ignored: only your own settings may set it")
            return None
        value = given.read(key)
        if isinstance(value, Problem):
            if key.guards:
                advice = f"correct {key.name} in {given.place}, or remove it"
                return _bad_setting(key.name, given.place, value.text, advice)
            self._note(key.name, given, f"{value.text}; {self._instead(key)}")
        elif key.adds_up:
            self._add(key, given, self._user_wide(key, given, value))
        elif given.layer is not Layer.WORKSPACE:
            self._set(key, given, value)
        else:
            self._tighten(key, given, value)
        return None

    def finish(self) -> Loaded | Refusal:
        """Return all settings, if they fit together."""
        budget = {key.field: self._values[key.name] for key in KEYS if key.section == "budget"}
        profile = overridden(self._model(), budget)
        if isinstance(profile, Problem):
            places = [
                place
                for name in ("budget.max_input_tokens", "budget.response_token_reserve")
                for place in self._origins[name].places
                if place != DEFAULT_PLACE
            ]
            return _bad_setting(
                "budget.max_input_tokens",
                ", ".join(dict.fromkeys(places)),
                profile.text,
                "raise max_input_tokens or lower response_token_reserve",
            )
        return Loaded(
            settings_of(self._values),
            MappingProxyType(self._origins),
            MappingProxyType(self._deny_sources),
            tuple(self._messages),
        )

    def _model(self) -> ModelProfile:
        profile, _ = own_profile(self._values["model.name"], self._values["model.profiles"])
        return profile

    def _note(self, name: str, given: _Given, problem: str) -> None:
        self._messages.append(Message(name, given.place, problem))

    def _instead(self, key: Key) -> str:
        origin = self._origins[key.name]
        if origin.layer is Layer.DEFAULT:
            return "the default is used"
        return f"the value from {origin.place} is used"

    def _user_wide(self, key: Key, given: _Given, value: Any) -> Any:
        """Return the part of a list that the user's file may set for every workspace."""
        if given.layer is not Layer.USER or given.is_of_workspace:
            return value
        if key.name == "secrets.harmless" and value:
            self._note(
                key.name,
                given,
                "has no effect any more: a value is marked in one workspace, with "
                "'sightline harmless PATH:LINE'",
            )
            return ()
        if key.name == "policy.allow":
            rules = tuple(each for each in value if is_default_rule(each))
            if rules != value:
                self._note(
                    key.name,
                    given,
                    "names files, which has no effect any more: a file is allowed in one "
                    "workspace, with 'sightline allow PATH'",
                )
            return rules
        return value

    def _set(self, key: Key, given: _Given, value: object) -> None:
        self._values[key.name] = value
        self._origins[key.name] = Origin(given.layer, (given.place,))

    def _add(self, key: Key, given: _Given, value: Any) -> None:
        before = self._values[key.name]
        added = [entry for entry in value if entry not in before]
        if not added:
            return
        self._values[key.name] = sorted_entries([*before, *added])
        places = self._origins[key.name].places if before else ()
        self._origins[key.name] = Origin(given.layer, (*places, given.place))
        if key.name == "policy.deny":
            self._deny_sources.update((entry, given.place) for entry in added)

    def _tighten(self, key: Key, given: _Given, value: object) -> None:
        """Use the workspace's value if it is tighter."""
        standing = self._values[key.name]
        if standing is None:
            standing = getattr(self._model(), key.field)
        difference = key.kind.rank(value) - key.kind.rank(standing)
        if key.authority is Authority.RAISE:
            difference = -difference
        if difference < 0:
            self._set(key, given, value)
        elif difference > 0:
            shown = str(standing).lower() if isinstance(standing, bool) else standing
            problem = f"would loosen it and is ignored: {shown} holds, and a workspace may only"
            self._note(key.name, given, f"{problem} {key.tightening}")


def _similar(name: str) -> Key | None:
    """Return the setting that a misspelled name probably means."""
    name = name.casefold()
    if name in _BY_NAME:
        return _BY_NAME[name]
    field = name.rpartition(".")[2]
    for key in KEYS:
        # Many things have a `name`, so that field does not suggest the model's.
        if key.field == field and key.section != "model":
            return key
    found = difflib.get_close_matches(name, _BY_NAME, n=1, cutoff=_SIMILAR)
    return _BY_NAME[found[0]] if found else None


def _may_guard(name: str, similar: Key | None) -> bool:
    """Return True if a misspelled name may guard: it must not loosen anything."""
    section = name.partition(".")[0].casefold()
    if similar is not None and similar.guards:
        return True
    return bool(difflib.get_close_matches(section, sorted(GUARDING), n=1, cutoff=_SIMILAR))


def _showable(name: str, otherwise: str) -> str:
    """Return a name that could be a setting's, else the replacement: it may be misplaced
    content.
    """
    return name if _SHOWN_NAME.fullmatch(name) else otherwise


def _bad_setting(key: str, place: str, problem: str, advice: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "bad_setting",
        None,
        f"{key} {problem}",
        advice,
        rule=key,
        source=place,
    )
