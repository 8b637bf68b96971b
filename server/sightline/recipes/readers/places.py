"""Places in files as tools name them, and the severity of complaints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

from sightline.recipes.model import ParsedError

MOST_ERRORS = 2_000
_LONGEST_MESSAGE = 4_000
_LONGEST_CODE = 100
_LARGEST_NUMBER = 10_000_000

_DRIVE = re.compile(r"/[A-Za-z]:")
_LIBRARY = re.compile(
    r"(?:^|[/\\])(?:site-packages|dist-packages|node_modules|rustc)[/\\]|^<|^/usr/lib/"
    r"|[/\\]lib[/\\]python3\.\d+[/\\]"
)

_WORDS = {
    "error": (
        "error errors fatal failure failed critical blocker major err e f "
        "fehler erreur errore erro fel fejl feil virhe hata błąd chyba ошибка помилка "
        "错误 錯誤 致命错误 エラー 致命的エラー 오류"
    ),
    "warning": (
        "warning warnings warn minor w c r "
        "warnung avertissement attention advertencia aviso avviso varning advarsel varoitus "
        "uyarı ostrzeżenie varování предупреждение попередження 警告 경고"
    ),
    "note": (
        "note info information informational help hint remark none notice i n "
        "hinweis anmerkung remarque nota примечание 附注 附註 备注 備註 備考 注記 注意 참고"
    ),
}
SEVERITIES = {word: severity for severity, words in _WORDS.items() for word in words.split()}
"""Severities by the word that a tool uses. gcc and javac translate theirs."""


def severity_of(word: object) -> str | None:
    """Return `error`, `warning` or `note` for a tool's word; None for any other word."""
    return SEVERITIES.get(word.strip().lower()) if isinstance(word, str) else None


def make_error(
    file: object,
    line: object,
    message: object,
    *,
    column: object = None,
    severity: str | None = "error",
    code: object = None,
) -> ParsedError | None:
    """Return an error from the values in a report; None if they name no file."""
    path = path_of(file)
    if not path:
        return None
    number = _number(line)
    return ParsedError(
        file=path,
        line=number if number is not None else 0,
        message=message.strip()[:_LONGEST_MESSAGE] if isinstance(message, str) else "",
        column=_number(column),
        severity="error" if severity == "error" else "warning",
        code=str(code)[:_LONGEST_CODE]
        if isinstance(code, str | int) and not isinstance(code, bool) and code != ""
        else None,
    )


def path_of(written: object) -> str:
    """Return the path of a file from a path or a `file:` address."""
    if not isinstance(written, str):
        return ""
    path = written.strip()
    if path.startswith("file:"):
        path = unquote(path.removeprefix("file:"))
        path = "/" + path.removeprefix("//").partition("/")[2] if path.startswith("//") else path
        if _DRIVE.match(path):
            path = path[1:]
    return path if "\0" not in path and "\n" not in path else ""


def is_library(path: str) -> bool:
    """True for a stack frame outside of the project."""
    return _LIBRARY.search(path) is not None


def distinct(errors: Iterable[ParsedError]) -> list[ParsedError]:
    return list(dict.fromkeys(errors))


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 9:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _LARGEST_NUMBER else None
