"""Routes and commands that are read from a project, against what its framework lists when it runs.

    python benchmarks/routes.py FOLDER --python INTERPRETER --flask APP
    python benchmarks/routes.py FOLDER --python INTERPRETER --fastapi MODULE:APP
    python benchmarks/routes.py FOLDER --python INTERPRETER --django URLS
    python benchmarks/routes.py FOLDER --express FILE
    python benchmarks/routes.py FOLDER --python INTERPRETER --click MODULE:COMMAND   (Typer as well)

FOLDER is a checkout of public code, and its framework must be installed for INTERPRETER, or below
FOLDER for Node. **The project's code runs**: take only what you would run anyway. Printed are the
routes that both have, those that only one has, precision and recall. Routes that a framework adds
by itself (`/static`, documentation) are left out, as are HEAD and OPTIONS.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from pathlib import Path

from sightline.packs.routes import find_offers

_LISTERS = {
    "flask": """
import json, sys
from flask.cli import ScriptInfo
app = ScriptInfo(app_import_path=sys.argv[1]).load_app()
rows = [(m, r.rule) for r in app.url_map.iter_rules() if r.endpoint != "static" for m in r.methods]
print(json.dumps(rows))
""",
    "fastapi": """
import importlib, json, sys
module, _, name = sys.argv[1].partition(":")
app = getattr(importlib.import_module(module), name or "app")
rows = [(m.upper(), p) for p, methods in app.openapi()["paths"].items() for m in methods]
print(json.dumps(rows))
""",
    "click": """
import importlib, json, sys
module, _, name = sys.argv[1].partition(":")
command = getattr(importlib.import_module(module), name)
if not hasattr(command, "name"):
    import typer
    command = typer.main.get_command(command)
def walk(each):
    yield "", each.name
    for inner in getattr(each, "commands", {}).values():
        yield from walk(inner)
print(json.dumps(list(walk(command))))
""",
    "django": """
import importlib, json, sys
from django.conf import settings
apps = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.admin",
        "django.contrib.messages", "django.contrib.sessions", *sys.argv[2:]]
settings.configure(ROOT_URLCONF=sys.argv[1], INSTALLED_APPS=apps, DEBUG=True, SECRET_KEY="x",
                   STATIC_URL="/static/")
import django
django.setup()
def walk(patterns, prefix):
    for each in patterns:
        whole = prefix + str(each.pattern).lstrip("^").rstrip("$")
        inner = getattr(each, "url_patterns", None)
        if inner is None:
            yield "", "/" + whole
        elif getattr(each, "app_name", None) == "admin":
            yield "", "/" + whole
        else:
            yield from walk(inner, whole)
print(json.dumps(list(walk(importlib.import_module(sys.argv[1]).urlpatterns, ""))))
""",
}
_EXPRESS = """
// Express 5 keeps no path of what is mounted: it is noted where routers mount.
const path = require('path')
const near = { paths: [path.dirname(path.resolve(process.argv[1]))] }
let express
try {
  express = require(require.resolve('express', near))
} catch {
  express = require(process.cwd())  // the repository of Express itself
}
for (const owner of [express.Router, express.Router.prototype]) {
  const use = owner && Object.prototype.hasOwnProperty.call(owner, 'use') && owner.use
  if (!use) continue
  owner.use = function (...given) {
    const before = (this.stack || []).length
    const answer = use.apply(this, given)
    const mount = typeof given[0] === 'string' && given[0] !== '/' ? given[0] : ''
    for (const layer of (this.stack || []).slice(before)) layer.mountedAt = mount
    return answer
  }
}
const app = require(path.resolve(process.argv[1]))
const rows = []
function walk (stack, prefix) {
  for (const layer of stack || []) {
    if (layer.route) {
      const methods = Object.keys(layer.route.methods)
      const isAll = methods.includes('_all') || methods.length > 20
      for (const method of isAll ? [''] : methods) {
        rows.push([method.toUpperCase(), prefix + layer.route.path])
      }
    } else if (layer.handle && layer.handle.stack) {
      walk(layer.handle.stack, prefix + (layer.mountedAt || ''))
    }
  }
}
walk((app.router || app._router).stack, '')
console.log(JSON.stringify(rows))
process.exit(0)
"""
_SKIPPED = {"HEAD", "OPTIONS"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default="python3")
    for name in (*_LISTERS, "express"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--app", action="append", default=[], help="another app that Django needs")
    parser.add_argument("--only", default="", help="the folder below FOLDER whose files count")
    options = parser.parse_args()
    listed = _listed(options)
    read = _read(options.folder, options.only, "command" if options.click else "route")
    both = listed & read
    for route in sorted(read - listed):
        print(f"only read    {route}")
    for route in sorted(listed - read):
        print(f"only listed  {route}")
    precision = len(both) / len(read) if read else 0
    recall = len(both) / len(listed) if listed else 0
    print(f"{len(listed)} listed, {len(read)} read, precision {precision:.3f}, recall {recall:.3f}")


def _listed(options: argparse.Namespace) -> set[str]:
    """Return the routes that the framework lists; its code runs in the project's folder."""
    for name, script in _LISTERS.items():
        if target := getattr(options, name):
            command = [options.python, "-c", script, target, *options.app]
            return _answered(command, options.folder)
    return _answered(["node", "-e", _EXPRESS, options.express], options.folder)


def _answered(command: list[str], folder: Path) -> set[str]:
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise SystemExit(f"the framework's own listing failed:\n{answer.stderr[-2000:]}")
    rows = json.loads(answer.stdout.strip().splitlines()[-1])
    return {_plain(f"{method} {path}") for method, path in rows if method not in _SKIPPED}


def _read(folder: Path, only: str, kind: str) -> set[str]:
    texts = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        is_own = "node_modules" not in name and not name.startswith(".") and name.startswith(only)
        if path.suffix in {".py", ".js", ".ts", ".mjs"} and is_own:
            texts[name] = path.read_text("utf-8", errors="replace")
    return {_plain(each.text) for each in find_offers(texts) if each.kind == kind}


def _plain(route: str) -> str:
    """Return a route in the compared form: single slashes, and no marks of a pattern."""
    return re.sub(r"(?<=[^ /])/$", "", re.sub(r"/{2,}", "/", route.strip()))


if __name__ == "__main__":
    main()
