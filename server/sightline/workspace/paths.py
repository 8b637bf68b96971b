"""Path forms: the single spelling by which a file of the workspace is named.

A *workspace path* is relative to the root, separated by `/`, and spelled as on disk. Every other
spelling is refused rather than repaired, so that one file has one name: there are no `.`
components, no doubled or trailing slashes, and nothing that some system reads as another file
(backslashes, drive letters, NTFS streams, trailing dots and spaces, device names, short names). The
rules are the same on every system, so an answer does not depend on the machine.

Nothing here reads the disk.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import chain

from sightline.refusals import Refusal, RefusalKind

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255
MAX_DEPTH = 128
"""More levels than any project has; limits the cost of matching a pattern with `**`."""

_SHOWN_CHARACTERS = 240

_DEVICE_NAME = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\..*)?",
    re.IGNORECASE | re.DOTALL,
)
_SHORT_NAME = re.compile(r"[^.~]{1,6}~[0-9]{1,6}(?:\.[^.]{1,3})?")
_DRIVE = re.compile(r"[A-Za-z]:")

# Characters that some file systems and most readers ignore. Category Cf is added in code.
_UNSEEN = frozenset(
    chain(
        (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0),
        range(0x180B, 0x1810),
        range(0xFE00, 0xFE10),
        range(0xE0000, 0xE1000),
    )
)

_ABSOLUTE = "The path is absolute"
_CLIMBS = "The path climbs with '..'"

_WRONG_USE = frozenset({"not_found", "is_directory"})


def refuse(
    reason: str,
    path: str,
    message: str,
    advice: str,
    *,
    rule: str | None = None,
    source: str | None = None,
) -> Refusal:
    """Return a refusal about `path`. `{path}` in the message becomes the path in a form that can be
    shown.

    The refusal's own `path` is exact if it is a workspace path, and otherwise in that form.
    """
    shown = showable(path)
    kind = RefusalKind.INVALID_REQUEST if reason in _WRONG_USE else RefusalKind.UNSUPPORTED_TARGET
    return Refusal(
        kind=kind,
        reason=reason,
        path=shown if _form_problem(path) else path,
        message=message.replace("{path}", shown),
        advice=showable(advice),
        rule=None if rule is None else showable(rule),
        source=None if source is None else showable(source),
    )


def showable(text: str) -> str:
    """Return the text on one line, encodable, without invisible characters, and
    of limited length.
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(
            character if character.isprintable() else _escaped(character) for character in text
        )
    if len(text) > _SHOWN_CHARACTERS:
        text = text[:_SHOWN_CHARACTERS] + "…"
    return text


def check_form(path: str) -> Refusal | None:
    """Return why `path` is not a workspace path, or None if it is one."""
    problem = _form_problem(path)
    if problem is None:
        return None
    if problem in (_ABSOLUTE, _CLIMBS):
        advice = "Name a file inside the workspace, by its path relative to the root."
        return refuse("outside_sandbox", path, f"{problem}: {{path}}", advice)
    advice = "Name the file by its exact path relative to the workspace root, separated by '/'."
    return refuse("invalid_path", path, f"{problem}: {{path}}", advice)


def normal_forms(path: str) -> tuple[str, ...]:
    """Return the spellings of `path` on which a deny rule is tried: case folded, and without
    disguises.

    A rule matches if it matches any of them. The forms are only compared, never opened.
    """
    if path.isascii():
        return (path.lower(),)
    seen = "".join(character for character in path if not _is_unseen(character))
    forms = []
    for spelling in (path, seen):
        for form in ("NFC", "NFKC"):
            folded = unicodedata.normalize(form, spelling).casefold()
            # Folding can undo a normal form, and composing can bring back invisible characters.
            folded = unicodedata.normalize(form, folded)
            forms.append(folded)
            forms.append("".join(c for c in folded if not _is_unseen(c)))
    return tuple(dict.fromkeys(forms))


def same_name_key(name: str) -> str:
    """Return a key that is equal for two names if a normalising file system treats them as one."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _form_problem(path: str) -> str | None:
    if not path:
        return "The path is empty"
    try:
        size = len(path.encode("utf-8"))
    except UnicodeEncodeError:
        return "The path is not valid UTF-8"
    if size > MAX_PATH_BYTES:
        return f"The path is longer than {MAX_PATH_BYTES} bytes"
    if path.startswith(("/", "\\")) or _DRIVE.match(path):
        return _ABSOLUTE
    names = path.replace("\\", "/").split("/")
    if ".." in names:
        return _CLIMBS
    if "\\" in path:
        return "The path holds a backslash"
    if len(names) > MAX_DEPTH:
        return f"The path is deeper than {MAX_DEPTH} directories"
    return next((problem for problem in map(_problem_with, names) if problem is not None), None)


@lru_cache(maxsize=4096)
def _problem_with(name: str) -> str | None:
    if not name:
        return "The path holds an empty component"
    if name == ".":
        return "The path holds a '.' component"
    if name[-1] in ". ":
        return "A name in the path ends in a dot or a space"
    if ":" in name:
        return "A name in the path holds a colon"
    if not name.isprintable() and any(unicodedata.category(c) == "Cc" for c in name):
        return "A name in the path holds a control character"
    if _DEVICE_NAME.fullmatch(name):
        return "A name in the path is a device name on Windows"
    if "~" in name and _SHORT_NAME.fullmatch(name):
        return "A name in the path looks like a short name (8.3) of another file"
    if len(name) > MAX_NAME_BYTES or len(name.encode("utf-8")) > MAX_NAME_BYTES:
        return f"A name in the path is longer than {MAX_NAME_BYTES} bytes"
    return None


def _is_unseen(character: str) -> bool:
    return ord(character) in _UNSEEN or unicodedata.category(character) == "Cf"


def _escaped(character: str) -> str:
    return character if character == " " else character.encode("unicode_escape").decode("ascii")
