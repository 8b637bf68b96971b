"""Routes and commands, with the prefixes under which they are reached."""

from __future__ import annotations

import pytest

from sightline.packs.routes import find_offers

CASES: dict[str, tuple[dict[str, str], list[str]]] = {
    "flask": (
        {
            "app/__init__.py": "from flask import Flask\ndef create_app():\n"
            "    app = Flask(__name__)\n"
            "    from . import auth\n    app.register_blueprint(auth.bp)\n"
            "    @app.route('/hello')\n    def hello(): ...\n    return app\n",
            "app/auth.py": "from flask import Blueprint\nbp = Blueprint('auth', __name__, "
            "url_prefix='/auth')\n"
            "@bp.route('/login', methods=('GET', 'POST'))\ndef login(): ...\n"
            "@bp.get('/me')\ndef me(): ...\n",
        },
        ["GET /auth/login", "GET /auth/me", "GET /hello", "POST /auth/login"],
    ),
    "fastapi": (
        {
            "app/main.py": "from fastapi import FastAPI\nfrom app.api import router\n"
            "from app.config import V1\n"
            "app = FastAPI()\napp.include_router(router, prefix=V1)\n",
            "app/config.py": "V1 = '/v1'\n",
            "app/api.py": "from fastapi import APIRouter\nfrom app.routes import items\n"
            "router = APIRouter()\n"
            "router.include_router(items.router)\n",
            "app/routes/items.py": "from fastapi import APIRouter\n"
            "router = APIRouter(prefix='/items')\n"
            "@router.get('/{id}')\nasync def one(id: int): ...\n"
            "cache = {}\ncache.get('/no')\n",
        },
        ["GET /v1/items/{id}"],
    ),
    "django": (
        {
            "site/urls.py": "from django.urls import include, path\n"
            "urlpatterns = [path('blog/', include('blog.urls')),"
            " path('about/', about)]\n",
            "blog/urls.py": "from django.urls import path, re_path\n"
            "urlpatterns = [path('<slug:s>/', show),"
            " re_path(r'^old/$', old)]\n",
        },
        ["/about/", "/blog/<slug:s>/", "/blog/old/"],
    ),
    "click": (
        {
            "cli.py": "import click\n@click.group()\ndef cli(): ...\n@cli.command('add-user')\n"
            "def add(): ...\n"
            "@cli.command()\ndef drop_all(): ...\n",
        },
        ["add-user", "cli", "drop-all"],
    ),
    "commands that are called": (
        {
            "cli.py": "import typer\napp = typer.Typer()\napp.command('send')(post)\n"
            "app.command()(fetch_all)\napp.add_typer(models, name='models')\n"
            "def command(*args):\n"
            "    def decorator(f):\n        return app.command(*args)(f)\n    return decorator\n"
        },
        ["fetch-all", "models", "send"],
    ),
    "typer": (
        {"cli.py": "import typer\napp = typer.Typer()\n@app.command()\ndef run(): ...\n"},
        ["run"],
    ),
    "argparse": (
        {
            "cli.py": "import argparse\nsub = argparse.ArgumentParser().add_subparsers()\n"
            "sub.add_parser('init')\n"
        },
        ["init"],
    ),
    "express": (
        {
            "app.js": "const express = require('express')\nconst app = express()\n"
            "app.use('/api', require('./users'))\napp.get('/ping', (q, r) => r.end())\n"
            "// app.get('/no', x)\n"
            "axios.get('/not-a-route', {})\n",
            "users.js": "const { Router } = require('express')\nconst router = Router()\n"
            "router.route('/users/:id').get(one).delete(drop)\nmodule.exports = router\n",
        },
        ["DELETE /api/users/:id", "GET /api/users/:id", "GET /ping"],
    ),
    "nest": (
        {
            "cats.controller.ts": "@Controller('cats')\nexport class Cats {\n  @Get(':id')\n"
            "  one() {}\n  @Post()\n  add() {}\n}\n"
        },
        ["GET /cats/:id", "POST /cats"],
    ),
    "next": (
        {
            "next.config.js": "",
            "app/(shop)/items/[id]/page.tsx": "",
            "app/api/items/route.ts": "export async function GET() {}\nexport const POST = f\n",
        },
        ["/items/[id]", "GET /api/items", "POST /api/items"],
    ),
    "rails": (
        {
            "config/routes.rb": "Rails.application.routes.draw do\n  root 'home#index'\n"
            "  namespace :api do\n"
            "    resources :posts, only: [:index, :show] do\n      member do\n"
            "        post :like\n      end\n"
            "      resources :comments, only: :create\n    end\n  end\n  get 'up', "
            "to: 'health#show'\nend\n"
        },
        [
            "GET /",
            "GET /api/posts",
            "GET /api/posts/:id",
            "GET /up",
            "POST /api/posts/:id/like",
            "POST /api/posts/:post_id/comments",
        ],
    ),
    "spring": (
        {
            "Owners.java": "import org.springframework.x;\n@Controller\n"
            '@RequestMapping("/owners/{id}")\nclass Owners {\n'
            '  @GetMapping({"/pets", "/animals"})\n  String pets() { return ""; }\n'
            '  @RequestMapping(value = "/x", method = RequestMethod.POST, '
            'produces = "text/plain")\n  void x() {}\n}\n'
        },
        ["GET /owners/{id}/animals", "GET /owners/{id}/pets", "POST /owners/{id}/x"],
    ),
    "asp.net": (
        {
            "Cats.cs": '[Route("api/[controller]")]\npublic class CatsController {\n'
            '  [HttpGet("{id}")]\n  public int A() => 1;\n}\n',
            "Program.cs": 'var api = app.MapGroup("/v1");\napi.MapPost("/cats", Add);\n',
        },
        ["GET /api/Cats/{id}", "POST /v1/cats"],
    ),
    "gin": (
        {
            "main.go": 'package main\nimport "github.com/gin-gonic/gin"\nfunc main() {\n'
            "\tr := gin.Default()\n"
            '\tv1 := r.Group("/api")\n\tusers.Register(v1.Group("/users"))\n}\n',
            "users/routes.go": 'package users\nimport "github.com/gin-gonic/gin"\n'
            'func Register(router *gin.RouterGroup) {\n\trouter.POST("/login", Login)\n}\n',
        },
        ["POST /api/users/login"],
    ),
    "cobra": (
        {
            "cmd/root.go": 'var rootCmd = &cobra.Command{\n\tUse:   "serve [flags]",\n'
            "\tRun: func() {},\n}\n"
        },
        ["serve"],
    ),
    "clap": (
        {
            "src/main.rs": "use clap::Subcommand;\n#[derive(Subcommand)]\nenum Command {\n"
            "    /// Adds.\n    AddUser { name: String },\n    List,\n}\n"
        },
        ["add-user", "list"],
    ),
    "commander": (
        {
            "bin.js": "const { program } = require('commander')\n"
            "program.command('clone <url>').action(f)\n"
        },
        ["clone"],
    ),
}


@pytest.mark.parametrize("framework", CASES)
def test_a_framework(framework: str) -> None:
    texts, expected = CASES[framework]
    found = find_offers(texts)
    assert sorted(offer.text for offer in found) == expected


def test_an_offer_names_its_file_and_line() -> None:
    texts = CASES["flask"][0]
    found = next(offer for offer in find_offers(texts) if offer.text == "GET /auth/me")
    assert (found.path, found.line, found.framework) == ("app/auth.py", 5, "flask")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "app.route(" * 3_000),
        ("a.ts", "@Controller(" * 3_000),
        ("a.js", "require('express')\n" + "x.route('/a')" * 2_000),
        ("a.go", 'import "net/http"\n' + 'r.Group("' * 3_000),
        ("config/routes.rb", "end\n" * 3_000),
        ("a.rs", "use clap;\n#[derive(Subcommand)] enum A {" + "(" * 3_000),
        ("a.java", "springframework @GetMapping(" * 2_000),
    ],
)
def test_broken_code_offers_nothing_that_is_not_there(path: str, text: str) -> None:
    assert [offer for offer in find_offers({path: text}) if offer.kind == "command"] == []


def test_routers_that_include_each_other_end() -> None:
    text = (
        "from fastapi import APIRouter\na = APIRouter()\nb = APIRouter()\n"
        "a.include_router(b, prefix='/b')\nb.include_router(a, prefix='/a')\n"
        "@a.get('/x')\ndef x(): ...\n"
    )
    assert len(find_offers({"a.py": text})) <= 1
