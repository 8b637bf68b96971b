"""Read reports in JSON, one document or one object a line. The shape tells the tool.

Lines are 1-based in what is returned; LSP and pyright count from zero, as does mypy its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from sightline.recipes.model import ParsedError
from sightline.recipes.readers.places import MOST_ERRORS, make_error, severity_of
from sightline.recipes.readers.sarif import read_sarif
from sightline.recipes.readers.texts import read_text

_MARKER_SEVERITIES = {8: "error", 4: "warning"}
_Found = Iterator[ParsedError | None]


def read_json_report(text: str) -> tuple[str, list[ParsedError]] | None:
    """Return the tool and its complaints; None if the text is no JSON of a known shape."""
    start = _beginning(text)
    if start is None:
        return None
    value = _decoded(text[start:])
    if value is None:
        return _read_lines(text[start:])
    for tool, is_it, read in _SHAPES:
        if is_it(value):
            return tool, _taken(read(value))
    return None


def _beginning(text: str) -> int | None:
    """Return where JSON begins: at the first line that opens an object or a list.

    Tools print other lines before it where both of their streams go to one pipe.
    """
    if text.lstrip()[:1] in ("{", "["):
        return len(text) - len(text.lstrip())
    places = [place for mark in ("\n{", "\n[") if (place := text.find(mark)) >= 0]
    return min(places) + 1 if places else None


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return None


def _read_lines(text: str) -> tuple[str, list[ParsedError]] | None:
    """Read a report that has one object a line; other lines between them are passed over."""
    tool: str | None = None
    found: list[ParsedError] = []
    printed: list[str] = []
    for line in text.split("\n"):
        value = _decoded(line) if line.startswith("{") else None
        if not isinstance(value, dict):
            continue
        if "reason" in value:
            tool = tool or "cargo"
            if value["reason"] == "compiler-message":
                found += _taken(_rustc(value.get("message")))
        elif value.get("$message_type") == "diagnostic":
            tool = tool or "rustc"
            found += _taken(_rustc(value))
        elif "Action" in value:
            tool = tool or "go test"
            if isinstance(output := value.get("Output"), str):
                printed.append(output)
        elif isinstance(_at(value, "location", "file"), str):
            tool = tool or "staticcheck"
            found += _taken(_staticcheck(value))
        elif "filename" in value and "location" in value:
            tool = tool or "ruff"
            found += _taken(_ruff([value]))
        elif _is_plain_error(value):
            tool = tool or "mypy"
            found += _taken(_plain_errors([value]))
        if len(found) >= MOST_ERRORS:
            break
    if printed:
        found += read_text("".join(printed))[1]
    return None if tool is None else (tool, found)


def _taken(found: _Found) -> list[ParsedError]:
    errors: list[ParsedError] = []
    for each in found:
        if each is not None:
            errors.append(each)
        if len(errors) >= MOST_ERRORS:
            break
    return errors


def _is_list_of(*keys: str) -> Callable[[Any], bool]:
    def is_it(value: Any) -> bool:
        return (
            isinstance(value, list)
            and bool(value)
            and all(isinstance(each, dict) for each in value)
            and all(key in value[0] for key in keys)
        )

    return is_it


def _has(*keys: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(key in value for key in keys)


def _at(value: Any, *steps: str | int) -> Any:
    """Return a value inside others; None where a step leads nowhere."""
    for step in steps:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and step < len(value) else None
    return value


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _next(number: Any) -> Any:
    return number + 1 if isinstance(number, int) and not isinstance(number, bool) else None


def _pyright(value: Any) -> _Found:
    for each in _objects(value["generalDiagnostics"]):
        if (severity := severity_of(each.get("severity"))) == "note":
            continue
        start = _at(each, "range", "start")
        yield make_error(
            each.get("file"),
            _next(_at(start, "line")),
            each.get("message"),
            column=_next(_at(start, "character")),
            severity=severity or "error",
            code=each.get("rule"),
        )


def _eslint(value: Any) -> _Found:
    for file in _objects(value):
        for each in _objects(file.get("messages")):
            yield make_error(
                file.get("filePath"),
                each.get("line"),
                each.get("message"),
                column=each.get("column"),
                severity="warning" if each.get("severity") == 1 else "error",
                code=each.get("ruleId"),
            )


def _ruff(value: Any) -> _Found:
    for each in _objects(value):
        yield make_error(
            each.get("filename"),
            _at(each, "location", "row"),
            each.get("message"),
            column=_at(each, "location", "column"),
            severity=severity_of(each.get("severity")) or "error",
            code=each.get("code"),
        )


def _reviewdog(value: Any) -> _Found:
    for each in _objects(value["diagnostics"]):
        start = _at(each, "location", "range", "start")
        yield make_error(
            _at(each, "location", "path"),
            _at(start, "line"),
            each.get("message"),
            column=_at(start, "column"),
            severity=severity_of(each.get("severity") or value.get("severity")) or "error",
            code=_at(each, "code", "value"),
        )


def _gcc(value: Any) -> _Found:
    for each in _objects(value):
        severity = severity_of(str(each.get("kind")).removeprefix("fatal "))
        if severity == "note":
            continue
        caret = _at(each, "locations", 0, "caret")
        yield make_error(
            _at(caret, "file"),
            _at(caret, "line"),
            each.get("message"),
            column=_at(caret, "column"),
            severity=severity or "error",
            code=each.get("option"),
        )


def _code_quality(value: Any) -> _Found:
    for each in _objects(value):
        begin = _at(each, "location", "positions", "begin")
        yield make_error(
            _at(each, "location", "path"),
            _at(begin, "line") or _at(each, "location", "lines", "begin"),
            each.get("description"),
            column=_at(begin, "column"),
            severity=severity_of(each.get("severity")) or "error",
            code=each.get("check_name"),
        )


def _markers(value: Any) -> _Found:
    """Read what VS Code's Problems view copies."""
    for each in _objects(value):
        code = each.get("code")
        yield make_error(
            each.get("resource"),
            each.get("startLineNumber"),
            each.get("message"),
            column=each.get("startColumn"),
            severity=_MARKER_SEVERITIES.get(each.get("severity", 8), "warning"),
            code=_at(code, "value") if isinstance(code, dict) else code,
        )


def _lsp(value: Any) -> _Found:
    """Read `textDocument/publishDiagnostics`, one or many, and pulled diagnostics."""
    if isinstance(value, dict):
        value = [_at(value, "params") or _at(value, "result") or value]
    for document in _objects(value):
        document = _at(document, "params") or document
        if "uri" not in document and isinstance(document.get("items"), list):
            yield from _lsp(document["items"]) if _is_list_of("uri")(document["items"]) else ()
            continue
        for each in _objects(document.get("diagnostics") or document.get("items")):
            start = _at(each, "range", "start")
            code = each.get("code")
            yield make_error(
                document.get("uri"),
                _next(_at(start, "line")),
                each.get("message"),
                column=_next(_at(start, "character")),
                severity="error" if each.get("severity", 1) == 1 else "warning",
                code=_at(code, "value") if isinstance(code, dict) else code,
            )


def _is_lsp(value: Any) -> bool:
    value = _at(value, "params") or _at(value, "result") or value
    if isinstance(value, list):
        return any(_is_lsp(each) for each in value[:1] if isinstance(each, dict))
    return isinstance(value, dict) and (
        ("uri" in value and ("diagnostics" in value or "items" in value))
        or (isinstance(value.get("items"), list) and _is_list_of("uri")(value["items"]))
    )


def _go_vet(value: Any) -> _Found:
    for analyzers in value.values():
        for name, found in analyzers.items():
            for each in _objects(found):
                path, _, place = str(each.get("posn")).partition(".go:")
                line, _, column = place.partition(":")
                message = each.get("message")
                yield make_error(f"{path}.go", line, message, column=column, code=name)


def _is_go_vet(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(each, dict) for each in value.values())
        and any("posn" in one for each in value.values() for got in each.values()
                for one in _objects(got))
    )  # fmt: skip


def _rustc(value: Any) -> _Found:
    if not isinstance(value, dict):
        return
    severity = severity_of(value.get("level"))
    spans = [each for each in _objects(value.get("spans")) if each.get("is_primary")]
    if severity == "note" or not spans:
        return
    yield make_error(
        spans[0].get("file_name"),
        spans[0].get("line_start"),
        value.get("message"),
        column=spans[0].get("column_start"),
        severity=severity or "error",
        code=_at(value, "code", "code"),
    )


def _staticcheck(value: Any) -> _Found:
    yield make_error(
        _at(value, "location", "file"),
        _at(value, "location", "line"),
        value.get("message"),
        column=_at(value, "location", "column"),
        severity=severity_of(value.get("severity")) or "error",
        code=value.get("code"),
    )


def _golangci(value: Any) -> _Found:
    for each in _objects(value["Issues"]):
        yield make_error(
            _at(each, "Pos", "Filename"),
            _at(each, "Pos", "Line"),
            each.get("Text"),
            column=_at(each, "Pos", "Column"),
            severity=severity_of(each.get("Severity")) or "error",
            code=each.get("FromLinter"),
        )


def _phpstan(value: Any) -> _Found:
    for path, file in value["files"].items():
        for each in _objects(_at(file, "messages")):
            yield make_error(
                path, each.get("line"), each.get("message"), code=each.get("identifier")
            )


def _pytest(value: Any) -> _Found:
    for test in _objects(value["tests"]):
        for phase in ("setup", "call", "teardown"):
            crash = _at(test, phase, "crash")
            if _at(test, phase, "outcome") == "failed" and crash is not None:
                message = f"{test.get('nodeid')}: {_at(crash, 'message')}"
                yield make_error(_at(crash, "path"), _at(crash, "lineno"), message)


def _jest(value: Any) -> _Found:
    for file in _objects(value["testResults"]):
        for test in _objects(file.get("assertionResults")):
            messages = test.get("failureMessages")
            for message in messages if isinstance(messages, list) else ():
                if not isinstance(message, str):
                    continue
                title = (
                    f"{test.get('fullName') or test.get('title')}: {message.partition(chr(10))[0]}"
                )
                places: list[tuple[Any, int]]
                places = [(each.file, each.line) for each in read_text(message)[1]]
                for path, line in places[:1] or [(file.get("name"), 0)]:
                    yield make_error(path, line, title)


_FILE_KEYS = ("file", "path", "filename", "filePath")


def _is_plain_error(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and any(isinstance(value.get(key), str) for key in _FILE_KEYS)
        and isinstance(value.get("line"), int)
        and isinstance(value.get("message"), str)
    )


def _plain_errors(value: Any) -> _Found:
    for each in _objects(value):
        severity = severity_of(each.get("severity") or each.get("type") or "error")
        if severity == "note":
            continue
        file = next((each[key] for key in _FILE_KEYS if isinstance(each.get(key), str)), None)
        column = each.get("column")
        yield make_error(
            file,
            each.get("line"),
            each["message"] if isinstance(each.get("message"), str) else "",
            # mypy alone says `hint`, and counts columns from zero.
            column=_next(column) if "hint" in each else column,
            severity=severity or "error",
            code=each.get("code") or each.get("symbol") or each.get("rule"),
        )


_SHAPES: tuple[tuple[str, Callable[[Any], bool], Callable[[Any], _Found]], ...] = (
    ("sarif", _has("runs"), read_sarif),
    ("reviewdog", lambda value: _has("diagnostics")(value) and "uri" not in value
     and _is_list_of("location")(value["diagnostics"]), _reviewdog),
    ("pyright", _has("generalDiagnostics"), _pyright),
    ("golangci-lint", lambda value: _has("Issues")(value)
     and (value["Issues"] is None or isinstance(value["Issues"], list)), _golangci),
    ("phpstan", lambda value: _has("files", "totals")(value) and isinstance(value["files"], dict),
     _phpstan),
    ("pytest", lambda value: _has("tests", "exitcode")(value), _pytest),
    ("jest", _has("testResults", "success"), _jest),
    ("staticcheck", lambda value: isinstance(_at(value, "location", "file"), str), lambda value:
     _staticcheck(value)),
    ("eslint", _is_list_of("filePath", "messages"), _eslint),
    ("ruff", _is_list_of("filename", "location"), _ruff),
    ("gcc", _is_list_of("kind", "locations"), _gcc),
    ("code quality", _is_list_of("check_name", "location"), _code_quality),
    ("problems", _is_list_of("resource", "startLineNumber"), _markers),
    ("lsp", _is_lsp, _lsp),
    ("go vet", _is_go_vet, _go_vet),
    ("rustc", _has("$message_type"), _rustc),
    ("json", lambda value: isinstance(value, list) and all(map(_is_plain_error, value)),
     _plain_errors),
    ("json", _is_plain_error, lambda value: _plain_errors([value])),
)  # fmt: skip
"""Each tool with how its report is known. An empty list is a report without complaints."""
