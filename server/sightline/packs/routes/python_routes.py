"""Find routes and commands of Python programs in their syntax trees.

Flask, FastAPI and Starlette, Django and its REST framework; Click, Typer and argparse. Prefixes are
followed through imports from file to file. Nothing is run.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

import attrs

from sightline.packs.routes.model import LONGEST_TEXT, Offer, joined, prefixes, routed

_TELLS = re.compile(
    r"\.(?:route|get|post|put|patch|delete|websocket|command|group)\(|add_url_rule|urlpatterns"
    r"|include_router|register_blueprint|add_parser|add_typer|add_command|APIRouter|Blueprint"
    r"|\.register\(|add_api_route|url_prefix|@(?:click\.)?(?:command|group)\("
)
_METHODS = {"get", "post", "put", "patch", "delete", "head", "options"}
_ROUTERS = {"Flask": "flask", "Blueprint": "flask", "FastAPI": "fastapi", "APIRouter": "fastapi"}
_ROUTERS |= {"Starlette": "starlette", "Quart": "quart", "Sanic": "sanic", "APIFlask": "flask"}
_DJANGO = {"path", "re_path", "url"}

Node = tuple[str, str]
"""A variable: the file and its name."""


def python_offers(texts: Mapping[str, str]) -> list[Offer]:
    """Return the routes and commands in the Python files among some texts."""
    modules = _ModuleFiles(texts)
    files = [
        found
        for path, text in texts.items()
        if path.endswith(".py") and len(text) <= LONGEST_TEXT and _TELLS.search(text)
        if (found := _read(path, text)) is not None
    ]
    constants = _constants(texts, files)
    parents: dict[Node, list[tuple[Node, str]]] = {}
    own: dict[Node, str] = {}
    kinds: dict[Node, str] = {}
    for file in files:
        for name, call in file.routers.items():
            own[file.path, name] = _keyword_text(call, ("prefix", "url_prefix"), constants)
            kinds[file.path, name] = _ROUTERS[_last_name(call.func)]
        for parent, child, prefix in _includes(file, modules, constants):
            parents.setdefault(child, []).append((parent, prefix))
    offers = [
        offer for file in files for offer in _routes(file, modules, constants, parents, own, kinds)
    ]
    offers += _django_offers(files, modules, constants)
    offers += [offer for file in files for offer in _commands(file)]
    return sorted(set(offers))


@attrs.frozen
class _PythonFile:
    path: str
    tree: ast.Module
    names: Mapping[str, str]
    """Imports: a local name, and the dotted module, or module and name, that it stands for."""
    routers: Mapping[str, ast.Call]
    calls: Sequence[ast.Call]
    functions: Sequence[ast.FunctionDef | ast.AsyncFunctionDef]


class _ModuleFiles:
    """Finds the file of a module by the end of its path."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._by_tail: dict[str, list[str]] = {}
        for path in texts:
            if path.endswith(".py"):
                module = path.removesuffix(".py").removesuffix("/__init__")
                self._by_tail.setdefault(module.rpartition("/")[2], []).append(module)
        self._paths = {
            path.removesuffix(".py").removesuffix("/__init__"): path
            for path in texts
            if path.endswith(".py")
        }

    def path(self, dotted: str, importer: str) -> str:
        """Return the file of a module as seen from a file; "" if it is not one of the texts."""
        wanted = dotted.replace(".", "/")
        if wanted in self._paths:
            return self._paths[wanted]
        tail = wanted.rpartition("/")[2]
        found = [each for each in self._by_tail.get(tail, ()) if each.endswith(f"/{wanted}")]
        found.sort(key=lambda each: (-len(posixpath.commonprefix([each, importer])), each))
        return self._paths[found[0]] if found else ""


def _read(path: str, text: str) -> _PythonFile | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names: dict[str, str] = {}
    routers: dict[str, ast.Call] = {}
    calls: list[ast.Call] = []
    functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
    package = path.removesuffix(".py").removesuffix("/__init__")
    base = package if path.endswith("__init__.py") else posixpath.dirname(package)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.asname or each.name.partition(".")[0]: each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = _module_of(node, base)
            names |= {each.asname or each.name: f"{module}.{each.name}" for each in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if _last_name(node.value.func) in _ROUTERS:
                routers |= {name: node.value for each in targets if (name := _last_name(each))}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append(node)
        if isinstance(node, ast.Call):
            calls.append(node)
    return _PythonFile(path, tree, names, routers, calls, functions)


def _module_of(node: ast.ImportFrom, base: str) -> str:
    if not node.level:
        return node.module or ""
    folder = base
    for _ in range(node.level - 1):
        folder = posixpath.dirname(folder)
    outer = folder.replace("/", ".")
    return f"{outer}.{node.module}" if node.module and outer else node.module or outer


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        outer = _dotted(node.value)
        return f"{outer}.{node.attr}" if outer else ""
    return node.id if isinstance(node, ast.Name) else ""


def _constants(texts: Mapping[str, str], files: Sequence[_PythonFile]) -> dict[str, str]:
    """Return names that have the same text in every assignment, in files with routes."""
    wanted = {
        _last_name(keyword.value)
        for file in files
        for call in file.calls
        for keyword in call.keywords
        if keyword.arg in {"prefix", "url_prefix"}
    }
    wanted |= {_last_name(arg) for file in files for call in file.calls for arg in call.args[:1]}
    wanted.discard("")
    found: dict[str, set[str]] = {}
    pattern = re.compile(
        r"""^[ \t]*(\w+)(?:\s*:\s*[\w.]+)?\s*=\s*["']([^"'\n]*)["']""", re.MULTILINE
    )
    for path, text in texts.items():
        if path.endswith(".py") and len(text) <= LONGEST_TEXT:
            for name, value in pattern.findall(text):
                if name in wanted:
                    found.setdefault(name, set()).add(value)
    return {name: min(values) for name, values in found.items() if len(values) == 1}


def _text(node: ast.expr | None, constants: Mapping[str, str]) -> str | None:
    """Return the text of a literal, of a known constant, or of both joined."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name | ast.Attribute):
        return constants.get(_last_name(node))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left, constants), _text(node.right, constants)
        return left + right if left is not None and right is not None else None
    if isinstance(node, ast.JoinedStr):
        parts = [
            _text(each.value if isinstance(each, ast.FormattedValue) else each, constants)
            for each in node.values
        ]
        return "".join(part for part in parts if part is not None) if None not in parts else None
    return None


def _keyword(call: ast.Call, names: Sequence[str]) -> ast.expr | None:
    return next((each.value for each in call.keywords if each.arg in names), None)


def _keyword_text(call: ast.Call, names: Sequence[str], constants: Mapping[str, str]) -> str:
    return _text(_keyword(call, names), constants) or ""


def _node_of(expression: ast.expr, file: _PythonFile, modules: _ModuleFiles) -> Node | None:
    """Return the variable that an expression names, in the file where it is assigned."""
    dotted = _dotted(expression)
    if not dotted:
        return None
    first, _, rest = dotted.partition(".")
    if first not in file.names:
        return (file.path, dotted.rpartition(".")[2])
    full = f"{file.names[first]}.{rest}" if rest else file.names[first]
    module, _, name = full.rpartition(".")
    path = modules.path(module, file.path)
    return (path, name) if path else None


def _includes(
    file: _PythonFile, modules: _ModuleFiles, constants: Mapping[str, str]
) -> Iterator[tuple[Node, Node, str]]:
    """Yield each router that is included in another, with its prefix there."""
    for call in file.calls:
        if not isinstance(call.func, ast.Attribute) or not call.args:
            continue
        if call.func.attr not in {"include_router", "register_blueprint", "mount"}:
            continue
        parent = _node_of(call.func.value, file, modules)
        child_at = 1 if call.func.attr == "mount" and len(call.args) > 1 else 0
        child = _node_of(call.args[child_at], file, modules)
        prefix = _keyword_text(call, ("prefix", "url_prefix"), constants)
        if call.func.attr == "mount":
            prefix = _text(call.args[0], constants) or prefix
        if parent is not None and child is not None:
            yield parent, child, prefix


def _routes(
    file: _PythonFile,
    modules: _ModuleFiles,
    constants: Mapping[str, str],
    parents: Mapping[Node, Sequence[tuple[Node, str]]],
    own: Mapping[Node, str],
    kinds: Mapping[Node, str],
) -> Iterator[Offer]:
    for function in file.functions:
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call):
                yield from _route(decorator, file, modules, constants, parents, own, kinds)
    for call in file.calls:
        if _last_name(call.func) in {"add_url_rule", "add_api_route"}:
            yield from _route(call, file, modules, constants, parents, own, kinds)


def _route(
    call: ast.Call,
    file: _PythonFile,
    modules: _ModuleFiles,
    constants: Mapping[str, str],
    parents: Mapping[Node, Sequence[tuple[Node, str]]],
    own: Mapping[Node, str],
    kinds: Mapping[Node, str],
) -> Iterator[Offer]:
    if not isinstance(call.func, ast.Attribute):
        return
    name = call.func.attr
    if name not in {"route", "websocket", "add_url_rule", "add_api_route", "api_route", *_METHODS}:
        return
    node = _node_of(call.func.value, file, modules)
    pattern = _text(call.args[0] if call.args else _keyword(call, ("path", "rule")), constants)
    if node is None or pattern is None or node not in kinds:
        return
    methods = [name] if name in _METHODS else _methods(call, name, kinds[node])
    everywhere = dict(parents)
    for prefix in _prefixes_of(node, everywhere, own, kinds[node]):
        for text in routed(methods, joined(prefix, pattern)):
            yield Offer(file.path, call.lineno, "route", text, kinds[node])


def _methods(call: ast.Call, name: str, framework: str) -> list[str]:
    listed = _keyword(call, ("methods",))
    if isinstance(listed, ast.List | ast.Tuple | ast.Set):
        return [
            each.value
            for each in listed.elts
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
    if name == "websocket":
        return ["websocket"]
    is_default = name in {"route", "add_url_rule"} and framework in {"flask", "quart", "sanic"}
    return ["get"] if is_default else []


def _prefixes_of(
    node: Node,
    parents: Mapping[Node, Sequence[tuple[Node, str]]],
    own: Mapping[Node, str],
    framework: str,
) -> list[str]:
    """Return the prefixes of a router: Flask's registration replaces its own,
    FastAPI's adds to it.
    """
    listed: dict[Node, list[tuple[Node, str]]] = {}
    for child, edges in parents.items():
        for parent, prefix in edges:
            inner = own.get(child, "")
            whole = (prefix or inner) if framework == "flask" else joined(prefix, inner)
            listed.setdefault(child, []).append((parent, whole if whole != "/" else ""))
    found = prefixes(node, listed)
    return [own.get(node, "")] if found == [""] and node not in listed else found


def _django_offers(
    files: Sequence[_PythonFile], modules: _ModuleFiles, constants: Mapping[str, str]
) -> list[Offer]:
    by_path = {file.path: file for file in files}
    included: set[str] = set()
    entries: dict[str, list[tuple[str, str, int]]] = {}
    for file in files:
        rows = []
        for call in _pattern_calls(file):
            pattern = _text(call.args[0] if call.args else None, constants)
            if pattern is None:
                continue
            target = _included(call, file, modules)
            included.update({target} & by_path.keys())
            rows.append((_plain_pattern(pattern, call), target, call.lineno))
        if rows:
            entries[file.path] = rows + _viewsets(file, constants)
    offers: list[Offer] = []
    for path in sorted(entries, key=str.encode):
        if path not in included:
            _walk_patterns(path, "", entries, offers, ())
    return offers


def _pattern_calls(file: _PythonFile) -> list[ast.Call]:
    """Return the calls of `path` and similar functions in a list of URL patterns."""
    found: list[ast.Call] = []
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {_last_name(each) for each in targets}
            if node.value is not None and any(
                "urlpatterns" in name or name.endswith("_urls") for name in names
            ):
                found += _outer_patterns(node.value)
    return found


def _outer_patterns(value: ast.expr) -> list[ast.Call]:
    calls: list[ast.Call] = []
    pending: list[ast.AST] = [value]
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.Call) and _last_name(node.func) in _DJANGO:
            calls.append(node)
            continue
        pending.extend(ast.iter_child_nodes(node))
    return calls


def _included(call: ast.Call, file: _PythonFile, modules: _ModuleFiles) -> str:
    """Return the file that a pattern includes, `?` if it is another list, or "" if none."""
    view = call.args[1] if len(call.args) > 1 else _keyword(call, ("view",))
    if isinstance(view, ast.Attribute) and view.attr == "urls":
        return "?"
    if not isinstance(view, ast.Call) or _last_name(view.func) != "include" or not view.args:
        return ""
    argument = view.args[0]
    if isinstance(argument, ast.Tuple) and argument.elts:
        argument = argument.elts[0]
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return modules.path(argument.value, file.path) or "?"
    if isinstance(argument, ast.Attribute) and argument.attr == "urls":
        return file.path + "#viewsets"
    name = file.names.get(_dotted(argument), "")
    return modules.path(name, file.path) or "?"


def _plain_pattern(pattern: str, call: ast.Call) -> str:
    if _last_name(call.func) == "path":
        return pattern
    return pattern.removeprefix("^").removesuffix("$").removesuffix(r"\Z")


def _viewsets(file: _PythonFile, constants: Mapping[str, str]) -> list[tuple[str, str, int]]:
    """Return the view sets that a REST router registers."""
    rows = []
    for call in file.calls:
        if (
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "register"
            and len(call.args) > 1
        ):
            pattern = _text(call.args[0], constants)
            if pattern is not None and "router" in _dotted(call.func.value).lower():
                rows.append((pattern.strip("^/") + "/", "#viewset", call.lineno))
    return rows


def _walk_patterns(
    path: str,
    prefix: str,
    entries: Mapping[str, Sequence[tuple[str, str, int]]],
    offers: list[Offer],
    seen: tuple[str, ...],
) -> None:
    if path in seen or len(seen) > 8 or len(offers) > 5_000:
        return
    rows = entries.get(path, ())
    routers = [pattern for pattern, target, _ in rows if target == f"{path}#viewsets"] or [""]
    for pattern, target, line in rows:
        if target == "#viewset":
            for outer in routers:
                whole = joined(prefix, outer, pattern)
                offers.append(Offer(path, line, "route", whole, "django rest framework"))
        elif target in entries:
            _walk_patterns(target, prefix + pattern, entries, offers, (*seen, path))
        elif not target.endswith("#viewsets"):
            offers.append(Offer(path, line, "route", joined(prefix + pattern), "django"))


def _commands(file: _PythonFile) -> Iterator[Offer]:
    """Yield the commands of Click, Typer and argparse."""
    modules = {each.partition(".")[0] for each in file.names.values()}
    if modules & {"click", "typer", "flask", "asyncclick", "rich_click"}:
        for function in file.functions:
            for decorator in function.decorator_list:
                call = decorator if isinstance(decorator, ast.Call) else None
                target = call.func if call is not None else decorator
                if _last_name(target) in {"command", "group"} and (
                    isinstance(target, ast.Attribute) or _last_name(target) in file.names
                ):
                    framework = "typer" if "typer" in modules else "click"
                    name = _command_name(call, function.name)
                    yield Offer(file.path, function.lineno, "command", name, framework)
        for call in file.calls:
            offer = _called_command(file.path, call, "typer" if "typer" in modules else "click")
            if offer is not None:
                yield offer
    if "argparse" in modules:
        for call in file.calls:
            if _last_name(call.func) == "add_parser" and call.args:
                parser = _text(call.args[0], {})
                if parser:
                    yield Offer(file.path, call.lineno, "command", parser, "argparse")


def _called_command(path: str, call: ast.Call, framework: str) -> Offer | None:
    """Return the command of `app.command("x")(function)` or `app.add_typer(inner, name="x")`."""
    name: str | None = None
    made = call.func
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and call.args:
        # A wrapper that passes its own arguments on (`*args`) names no command.
        passes_on = any(isinstance(each, ast.Starred) for each in made.args)
        is_command = made.func.attr in {"command", "group"} and not passes_on
        if is_command and (function := _last_name(call.args[0])):
            name = _command_name(made, function)
    elif _last_name(made) == "add_typer":
        name = _text(_keyword(call, ("name",)), {})
    return Offer(path, call.lineno, "command", name, framework) if name else None


def _command_name(call: ast.Call | None, function: str) -> str:
    given = None
    if call is not None:
        given = _text(call.args[0] if call.args else _keyword(call, ("name",)), {})
    shown = re.sub(r"_(?:command|cmd|group|grp)$", "", function)
    return given or shown.replace("_", "-")
