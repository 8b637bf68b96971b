"""Find routes and commands in the text of JavaScript, Go, Java, Kotlin, C#, Ruby and Rust programs.

Patterns read the texts without comments: a call with a literal is a route if its receiver was made
by a framework that the file names. Prefixes are followed through plain variables and imports.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from itertools import islice

from sightline.packs.routes.model import (
    LONGEST_TEXT,
    METHODS,
    Offer,
    closing,
    joined,
    line_of,
    prefixes,
    routed,
    without_comments,
)

_MOST_ROUTES = 500
"""The most of one kind in a file: a file with more is generated."""

Node = tuple[str, str]
Edges = dict[Node, list[tuple[Node, str]]]

_SCRIPTS = (".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", ".mts", ".cts")
_STRING = r"""(?:"([^"\n]*)"|'([^'\n]*)'|`([^`$\n]*)`)"""
_JS_MADE = re.compile(
    r"\b(?:const|let|var)\s+(\w+)(?:\s*:\s*[\w.<>]+)?\s*=\s*(?:module\.exports\s*=\s*)?"
    r"(?:await\s+)?(?:new\s+)?"
    r"((?:[\w$]+\.)?(?:express|Router|fastify|Fastify|Hono|OpenAPIHono|Koa|KoaRouter|Elysia))\s*[(<]"
)
_JS_ROUTE = re.compile(
    rf"\b(\w+)\s*\.\s*(get|post|put|patch|delete|head|options|all)\s*\(\s*{_STRING}\s*,", re.DOTALL
)
_JS_CHAINED = re.compile(rf"(?<=[)\s])\.(get|post|put|patch|delete)\s*\(\s*{_STRING}\s*,")
_JS_ROUTE_CALL = re.compile(rf"\b(\w+)\s*\.\s*route\s*\(\s*{_STRING}\s*\)")
_JS_USE = re.compile(rf"\b(\w+)\s*\.\s*(?:use|route|register)\s*\(\s*(?:{_STRING}\s*,)?")
_JS_CHAIN_USE = re.compile(r"=\s*(?:[\w.]+\(\))((?:\s*\.use\([^()]*\))+)")
_JS_IMPORT = re.compile(
    r"""\bimport\s+(?:(\w+)\s*,?\s*)?(?:\{([^{}]*)\}|\*\s+as\s+(\w+))?\s*from\s*["']([^"'\n]+)["']"""
    r"""|\b(?:const|let|var)\s+(?:(\w+)|\{([^{}]*)\})\s*=\s*require\(\s*["']([^"'\n]+)["']\s*\)"""
)
_JS_REQUIRE = re.compile(r"""require\(\s*["']([^"'\n]+)["']\s*\)""")
_FRAMEWORK = re.compile(
    r"""["'](express|fastify|hono|koa|@koa/router|koa-router|elysia|@hono/zod-openapi)["']"""
    r"""|\b(?:const|let|var)\s+(express)\s*=\s*require\("""
)
_NEST_CLASS = re.compile(
    rf"@Controller\(\s*(?:{_STRING}|\{{[^{{}}]*?path\s*:\s*{_STRING}[^{{}}]*\}})?\s*\)"
)
_NEST_METHOD = re.compile(
    rf"@(Get|Post|Put|Patch|Delete|Head|Options|All|Sse)\(\s*(?:{_STRING})?\s*\)"
)
_NEXT_ROUTE = re.compile(r"(?:^|.*/)app/(.*?/?)(route|page)\.(?:ts|tsx|js|jsx)")
_NEXT_PAGE = re.compile(r"(?:^|(?:apps/[^/]+/)|src/)pages/(.*)\.(?:ts|tsx|js|jsx)")
_NEXT_METHOD = re.compile(
    r"export\s+(?:async\s+)?(?:function|const)\s+(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b"
)
_COMMANDER = re.compile(rf"\.command\(\s*{_STRING}")
_GO_GROUP = re.compile(r'\b(\w+)\s*:?=\s*(\w+)\.(?:Group|PathPrefix|Route)\(\s*"([^"\n]*)"')
_GO_ROUTE = re.compile(
    r"\b(\w+)\.(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete|Head|Options"
    r'|All)\(\s*"([^"\n]*)"\s*,'
)
_GO_HANDLE = re.compile(
    r'\b(\w+)\.(?:HandleFunc|Handle)\(\s*"(?:(GET|POST|PUT|PATCH|DELETE) )?([^"\n]*)"'
)
_GO_FUNCTION = re.compile(r"^func\s+(?:\([^()]*\)\s*)?(\w+)\(([^()]*)\)", re.MULTILINE)
_GO_PARAMETER = re.compile(
    r"(\w+)\s+\*?(?:gin\.(?:RouterGroup|Engine|IRouter|IRoutes)|echo\.(?:Group|Echo)|chi\.Router"
    r"|fiber\.(?:Router|App)|mux\.Router)"
)
_GO_WEB = re.compile(
    r'"(?:github\.com/(gin-gonic/gin|labstack/echo|go-chi/chi|gofiber/fiber|gorilla/mux)[^"]*|net/(http))"'
)
_COBRA = re.compile(r"cobra\.Command\s*\{")
_COBRA_USE = re.compile(r'\bUse:\s*["`]([\w.-]+)')
_SPRING = re.compile(r"@(Request|Get|Post|Put|Patch|Delete)Mapping\b\s*(\()?")
_SPRING_PATH = re.compile(r'(?:^|[({,\s])(?:(?:value|path)\s*=\s*)?\{?\s*"([^"\n]*)"')
_ASP_CLASS = re.compile(r'\[Route\(\s*@?"([^"\n]*)"')
_ASP_METHOD = re.compile(
    r'\[Http(Get|Post|Put|Patch|Delete|Head|Options)(?:\(\s*(?:@?"([^"\n]*)")?)?'
)
_ASP_MAP = re.compile(r'\b(\w+)\s*\.\s*Map(Get|Post|Put|Patch|Delete)\s*\(\s*@?"([^"\n]*)"')
_ASP_GROUP = re.compile(r'\b(\w+)\s*=\s*(\w+)\s*\.\s*MapGroup\(\s*@?"([^"\n]*)"')
_ASP_CLASS_NAME = re.compile(r"\bclass\s+(\w+)")
_CLAP_NEW = re.compile(r'(?:Command|App|SubCommand)::(?:new|with_name)\(\s*"([\w-]+)"')
_CLAP_ENUM = re.compile(
    r"#\[derive\([^()]*\bSubcommand\b[^()]*\)\](?:\s*#\[[^\]]*\])*\s*(?:pub(?:\([^)]*\))?\s+)?enum\s+\w+\s*\{"
)
_CLAP_VARIANT = re.compile(r"^\s*((?:#\[[^\n]*\]\s*)*)([A-Z]\w*)\s*(?:[({,]|$)", re.MULTILINE)


def web_offers(texts: Mapping[str, str]) -> list[Offer]:
    """Return the routes and commands in some texts, without Python files."""
    plain = {
        path: without_comments(text, hashes=path.endswith(".rb"))
        for path, text in texts.items()
        if len(text) <= LONGEST_TEXT and not path.endswith(".py")
    }
    offers = [*_express(plain), *_go_routes(plain), *_next(plain)]
    for path, text in plain.items():
        if path.endswith(_SCRIPTS):
            offers += _nest(path, text)
            offers += _commander(path, text)
        elif path.endswith(".go"):
            offers += _cobra(path, text)
        elif path.endswith((".java", ".kt")):
            offers += _spring(path, text)
        elif path.endswith(".cs"):
            offers += _asp(path, text)
        elif path.endswith(".rs"):
            offers += _clap(path, text)
    return sorted(set(offers))


def _chosen(found: re.Match[str], first: int) -> str | None:
    """Return the content of a string that matched one of three groups, the
    first of which is given.
    """
    return next((each for each in found.groups()[first - 1 : first + 2] if each is not None), None)


def _express(texts: Mapping[str, str]) -> Iterator[Offer]:
    scripts = {path: text for path, text in texts.items() if path.endswith(_SCRIPTS)}
    parents: Edges = {}
    made: dict[str, set[str]] = {}
    imports: dict[str, dict[str, str]] = {}
    for path, text in scripts.items():
        if _FRAMEWORK.search(text):
            made[path] = {found[1] for found in _JS_MADE.finditer(text)}
        imports[path] = dict(_imported(path, text, scripts))
    routed_files = made.keys()
    for path in routed_files:
        for parent, child, prefix in _uses(path, scripts[path], imports[path], made):
            parents.setdefault(child, []).append((parent, prefix))
    for path in routed_files:
        text, framework = scripts[path], _framework(scripts[path])
        for found in _JS_ROUTE.finditer(text):
            route = _chosen(found, 3)
            if route is not None and (found[1] in made[path]) and route.startswith(("/", "*")):
                yield from _express_offers(path, text, found, route, [found[2]], parents, framework)
        for found in _JS_ROUTE_CALL.finditer(text):
            route = _chosen(found, 2)
            methods = re.findall(r"\.(get|post|put|patch|delete|all)\(", _chain(text, found.end()))
            if route is not None and found[1] in made[path] and methods:
                yield from _express_offers(path, text, found, route, methods, parents, framework)


def _framework(text: str) -> str:
    found = _FRAMEWORK.search(text)
    return (found[1] or found[2]).strip("@").partition("/")[0] if found else ""


def _express_offers(
    path: str,
    text: str,
    found: re.Match[str],
    route: str,
    methods: list[str],
    parents: Edges,
    framework: str,
) -> Iterator[Offer]:
    node = (path, found[1]) if (path, found[1]) in parents else (path, "*")
    known = [] if methods == ["all"] else methods
    for prefix in prefixes(node, parents):
        for shown in routed(known, joined(prefix, route)):
            yield Offer(path, line_of(text, found.start()), "route", shown, framework)


def _chain(text: str, start: int) -> str:
    """Return the names of the methods in a chain of calls that begins at an offset."""
    names = []
    while found := re.compile(r"\s*\.(\w+)\(").match(text, start):
        names.append(f".{found[1]}(")
        start = closing(text, found.end() - 1) + 1
        if len(names) == 12:
            break
    return "".join(names)


def _imported(path: str, text: str, scripts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield local names and the files that they are imported from."""
    for found in _JS_IMPORT.finditer(text):
        target = _script(path, found[4] or found[7] or "", scripts)
        if target:
            listed = (found[2] or found[6] or "").split(",")
            names = [re.split(r"\s+as\s+|:", each.strip())[-1].strip() for each in listed]
            for name in [found[1], found[3], found[5], *names]:
                if name:
                    yield name, target


def _script(path: str, wanted: str, scripts: Mapping[str, str]) -> str:
    if not wanted.startswith("."):
        return ""
    base = posixpath.normpath(posixpath.join(posixpath.dirname(path), wanted))
    stem = re.sub(r"\.(?:js|mjs|cjs|ts)$", "", base)
    for candidate in (
        base,
        *(f"{stem}{end}" for end in _SCRIPTS),
        *(f"{stem}/index{end}" for end in _SCRIPTS),
    ):
        if candidate in scripts:
            return candidate
    return ""


def _uses(
    path: str, text: str, imports: Mapping[str, str], made: Mapping[str, set[str]]
) -> Iterator[tuple[Node, Node, str]]:
    """Yield each router that is included in another, with its prefix."""
    for found in islice(_JS_USE.finditer(text), _MOST_ROUTES):
        if found[1] not in made[path]:
            continue
        end = closing(text, text.index("(", found.start()))
        inside = text[found.end() : end]
        prefix = _chosen(found, 2) or ""
        parent = (path, found[1])
        for name in re.findall(r"(?<![\w.'\"`/])([A-Za-z_$][\w$]*)(?![\w$(])", inside):
            if name in imports and imports[name] in made:
                yield parent, (imports[name], "*"), prefix
            elif name in made[path] and name != found[1]:
                yield parent, (path, name), prefix
        for wanted in _JS_REQUIRE.findall(inside):
            target = _script(path, wanted, dict.fromkeys(made, ""))
            if target:
                yield parent, (target, "*"), prefix
    for variable in re.finditer(
        r"\b(\w+)\s*=\s*(?:\w+\.)?Router\(\)((?:\s*\.use\([^()]*\))+)", text
    ):
        for name in re.findall(r"\.use\([^()]*?(\w+)\s*\)", variable[2]):
            if name in imports and imports[name] in made:
                yield (path, variable[1]), (imports[name], "*"), ""
    for found in re.finditer(
        rf"(?:=|default|return)\s*(?:\w+\.)?Router\(\)\s*\.use\(\s*{_STRING}\s*,\s*(\w+)\s*\)", text
    ):
        name, prefix = found[4], _chosen(found, 1) or ""
        if name in made[path]:
            yield (path, "*"), (path, name), prefix


def _nest(path: str, text: str) -> Iterator[Offer]:
    if "@Controller" not in text:
        return
    starts = [
        (found.start(), _chosen(found, 1) or _chosen(found, 4) or "")
        for found in _NEST_CLASS.finditer(text)
    ]
    for found in _NEST_METHOD.finditer(text):
        outer = [prefix for start, prefix in starts if start < found.start()]
        if outer:
            method = [] if found[1] == "All" else ["GET" if found[1] == "Sse" else found[1]]
            for shown in routed(method, joined(outer[-1], _chosen(found, 2) or "")):
                yield Offer(path, line_of(text, found.start()), "route", shown, "nest")


def _next(texts: Mapping[str, str]) -> Iterator[Offer]:
    names = {posixpath.basename(path) for path in texts}
    if not names & {"next.config.js", "next.config.mjs", "next.config.ts", "next-env.d.ts"}:
        return
    for path, text in texts.items():
        if found := _NEXT_ROUTE.fullmatch(path):
            folders = [
                part for part in found[1].split("/") if part and not part.startswith(("(", "@"))
            ]
            route = joined(*folders) if folders else "/"
            methods = _NEXT_METHOD.findall(text) if found[2] == "route" else []
            for shown in routed(methods, route):
                yield Offer(path, 1, "route", shown, "next")
        elif (found := _NEXT_PAGE.fullmatch(path)) and not found[1].rpartition("/")[2].startswith(
            "_"
        ):
            route = joined(re.sub(r"(?:^|/)index$", "", found[1])) or "/"
            yield Offer(path, 1, "route", route, "next")


def _commander(path: str, text: str) -> Iterator[Offer]:
    library = re.search(r"""["'](commander|yargs|cac|sade)(?:/[^"']*)?["']""", text)
    if library is None:
        return
    for found in _COMMANDER.finditer(text):
        name = (_chosen(found, 1) or "").split()
        if name and re.fullmatch(r"[\w:-]+", name[0]):
            yield Offer(path, line_of(text, found.start()), "command", name[0], library[1])


def _go_routes(texts: Mapping[str, str]) -> Iterator[Offer]:
    files = {
        path: text
        for path, text in texts.items()
        if path.endswith(".go") and not path.endswith("_test.go") and _GO_WEB.search(text)
    }
    parents: Edges = {}
    parameters: dict[str, list[tuple[str, str]]] = {}
    for path, text in files.items():
        for found in _GO_FUNCTION.finditer(text):
            for name in _GO_PARAMETER.findall(found[2])[:1]:
                parameters.setdefault(found[1], []).append((path, name))
    for path, text in files.items():
        for found in islice(_GO_GROUP.finditer(text), _MOST_ROUTES):
            child = (path, _scoped(text, found.start(), found[1]))
            parents.setdefault(child, []).append(
                ((path, _scoped(text, found.start(), found[2])), found[3])
            )
        call = re.compile(r'\b(?:\w+\.)?(\w+)\(\s*(\w+)(?:\.Group\(\s*"([^"\n]*)"[^()]*\))?\s*[,)]')
        for found in islice(call.finditer(text), 20 * _MOST_ROUTES):
            for target, name in parameters.get(found[1], ()):
                parent = (path, _scoped(text, found.start(), found[2]))
                child = (target, f"{found[1]}.{name}")
                if parent != child and not text[: found.start()].endswith("func "):
                    parents.setdefault(child, []).append((parent, found[3] or ""))
    for path, text in files.items():
        web = [one or other for one, other in _GO_WEB.findall(text)]
        framework = web[0].partition("/")[2] or web[0]
        for pattern in (_GO_ROUTE, _GO_HANDLE):
            for found in pattern.finditer(text):
                route = found[3]
                if pattern is _GO_HANDLE and not route.startswith("/"):
                    continue
                if pattern is _GO_ROUTE and route and not route.startswith(("/", "*", ":")):
                    continue
                if pattern is _GO_ROUTE and framework == "http":
                    continue
                method = [found[2]] if found[2] and found[2].upper() in METHODS else []
                node = (path, _scoped(text, found.start(), found[1]))
                for prefix in prefixes(node, parents):
                    for shown in routed(method, joined(prefix, route)):
                        yield Offer(path, line_of(text, found.start()), "route", shown, framework)


def _scoped(text: str, offset: int, name: str) -> str:
    """Return a variable, together with the enclosing function if it is its parameter."""
    before = list(_GO_FUNCTION.finditer(text, 0, offset))
    found = before[-1] if before else None
    return (
        f"{found[1]}.{name}"
        if found is not None and name in _GO_PARAMETER.findall(found[2])
        else (f"{found[1]}:{name}" if found is not None else name)
    )


def _cobra(path: str, text: str) -> Iterator[Offer]:
    for found in islice(_COBRA.finditer(text), _MOST_ROUTES):
        inside = text[found.end() : closing(text, found.end() - 1, "{}")]
        if use := _COBRA_USE.search(inside):
            yield Offer(path, line_of(text, found.start()), "command", use[1], "cobra")


def _spring(path: str, text: str) -> Iterator[Offer]:
    if "Mapping" not in text or "springframework" not in text:
        return
    prefix = ""
    for found in islice(_SPRING.finditer(text), _MOST_ROUTES):
        arguments, end = "", found.end()
        if found[2]:
            end = closing(text, found.end() - 1)
            arguments = text[found.end() - 1 : end]
        routes = _SPRING_PATH.findall(
            re.sub(
                r"\b(?:produces|consumes|params|headers|name)\s*=\s*(?:\{[^{}]*\}|\"[^\"]*\"|[\w.]+)",
                "",
                arguments,
            )
        ) or [""]
        following = re.split(r"[{;]", text[end + 1 : end + 1_500], maxsplit=1)[0]
        following = re.sub(r"@\w+(?:\([^()]*\))?", "", following)
        if found[1] == "Request" and re.search(r"\b(?:class|interface)\s+\w+", following):
            prefix = routes[0]
            continue
        methods = (
            re.findall(r"RequestMethod\.(\w+)", arguments) if found[1] == "Request" else [found[1]]
        )
        for route in routes:
            for shown in routed(methods, joined(prefix, route)):
                yield Offer(path, line_of(text, found.start()), "route", shown, "spring")


def _asp(path: str, text: str) -> Iterator[Offer]:
    classes = [(found.start(), found[1]) for found in _ASP_CLASS_NAME.finditer(text)]
    outer = [(found.start(), found[1]) for found in _ASP_CLASS.finditer(text)]
    for found in _ASP_METHOD.finditer(text):
        own = [name for start, name in classes if start < found.start()]
        before = [start for start, name in classes if start < found.start()]
        prefix = [route for start, route in outer if not before or start < before[-1]]
        name = own[-1].removesuffix("Controller") if own else ""
        inner = found[2] or ""
        base = "" if inner.startswith(("/", "~/")) or not prefix else prefix[-1]
        route = joined(base, inner.removeprefix("~")).replace("[controller]", name)
        for shown in routed([found[1]], route):
            yield Offer(path, line_of(text, found.start()), "route", shown, "asp.net")
    groups = {found[1]: (found[2], found[3]) for found in _ASP_GROUP.finditer(text)}
    for found in _ASP_MAP.finditer(text):
        group, inside = found[1], ""
        for _ in range(5):
            if group in groups:
                group, part = groups[group]
                inside = joined(part, inside)
        for shown in routed([found[2]], joined(inside, found[3])):
            yield Offer(path, line_of(text, found.start()), "route", shown, "asp.net")


def _clap(path: str, text: str) -> Iterator[Offer]:
    if "clap" not in text and "Subcommand" not in text:
        return
    for found in _CLAP_NEW.finditer(text):
        yield Offer(path, line_of(text, found.start()), "command", found[1], "clap")
    for found in _CLAP_ENUM.finditer(text):
        end = closing(text, found.end() - 1, "{}")
        inside = _flattened(text[found.end() : end])
        for variant in _CLAP_VARIANT.finditer(inside):
            named = re.search(r'name\s*=\s*"([^"]+)"', variant[1])
            if "external_subcommand" in variant[1]:
                continue
            shown = (
                named[1] if named else re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", variant[2]).lower()
            )
            line = line_of(text, found.end() + variant.start(2))
            yield Offer(path, line, "command", shown, "clap")


def _flattened(body: str) -> str:
    """Return the body of an enum with the contents of its variants blanked."""
    out, depth = [], 0
    for character in body:
        if character in "{(":
            depth += 1
            out.append(character if depth == 1 else " ")
            continue
        if character in "})":
            depth -= 1
            out.append(" ")
            continue
        out.append(character if not depth or character == "\n" else " ")
    return "".join(out)
