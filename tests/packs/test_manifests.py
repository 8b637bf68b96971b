"""Project files of every ecosystem, in the forms that people write."""

from __future__ import annotations

import pytest

from sightline.packs.manifests import read_manifest
from sightline.packs.model import Manifest
from tests.packs.plain_source import PlainSource


def needs(manifest: Manifest) -> list[tuple[str, str | None, str]]:
    return [(each.name, each.version, each.type) for each in manifest.dependencies]


CASES = {
    "npm": (
        {
            "package.json": '{"name": "shop", "description": "Sells things.", '
            '"main": "dist/app.js",'
            ' "dependencies": {"express": "^4"}, "peerDependencies": {"react": "18"},'
            ' "devDependencies": {"vitest": "1"}}',
            "src/app.ts": "",
            "yarn.lock": "",
        },
        ("shop", "node", "yarn", "vitest"),
        [("express", "^4", "runtime"), ("react", "18", "peer"), ("vitest", "1", "dev")],
        ["src/app.ts"],
    ),
    "pyproject": (
        {
            "pyproject.toml": '[project]\nname = "tool"\ndescription = "Does it."\n'
            'dependencies = ["httpx[http2] >=0.27,<1; python_version > \'3.8\'", "attrs"]\n'
            '[project.optional-dependencies]\ntest = ["pytest>=8"]\n'
            '[project.scripts]\ntool = "tool.cli:main"\n'
            '[build-system]\nbuild-backend = "hatchling.build"\n',
            "uv.lock": '[[package]]\nname = "attrs"\nversion = "24.2.0"\n',
            "src/tool/cli.py": "",
        },
        ("tool", "python", "hatch", "pytest"),
        [
            ("httpx", ">=0.27,<1", "runtime"),
            ("attrs", "24.2.0", "runtime"),
            ("pytest", ">=8", "dev"),
        ],
        ["src/tool/cli.py"],
    ),
    "poetry": (
        {
            "pyproject.toml": '[tool.poetry]\nname = "p"\n[tool.poetry.dependencies]\n'
            'python = "^3.11"\n'
            'django = {version = "^5", extras = ["x"]}\n[tool.poetry.group.dev.dependencies]\n'
            'mypy = "*"\n'
            '[build-system]\nbuild-backend = "poetry.core.masonry.api"\n',
            "p/__init__.py": "",
        },
        ("p", "python", "poetry", None),
        [("django", "^5", "runtime"), ("mypy", None, "dev")],
        ["p/__init__.py"],
    ),
    "setup.py": (
        {
            "setup.py": "from setuptools import setup\nneeds = ['six>=1']\n"
            "setup(name='old', description='An old one.', install_requires=needs,\n"
            "      extras_require={'tests': ['nose']})\n",
            "old.py": "",
        },
        ("old", "python", "setuptools", "nose"),
        [("six", ">=1", "runtime"), ("nose", None, "dev")],
        [],
    ),
    "setup.cfg": (
        {
            "setup.cfg": "[metadata]\nname = cfg\n[options]\ninstall_requires =\n    six\n"
            "    idna>=3\n",
            "cfg.py": "",
        },
        ("cfg", "python", "setuptools", None),
        [("six", None, "runtime"), ("idna", ">=3", "runtime")],
        [],
    ),
    "Pipfile": (
        {"Pipfile": '[packages]\nrequests = "*"\n[dev-packages]\npytest = ">=7"\n', "a.py": ""},
        ("project", "python", "pipenv", "pytest"),
        [("requests", None, "runtime"), ("pytest", ">=7", "dev")],
        [],
    ),
    "requirements": (
        {
            "requirements.txt": "# app\nDjango==5.0  # web\n-r other.txt\ngit+https://x/y\n",
            "requirements-dev.txt": "pytest\n",
            "manage.py": "",
        },
        ("project", "python", "pip", "pytest"),
        [("Django", "==5.0", "runtime"), ("pytest", None, "dev")],
        ["manage.py"],
    ),
    "cargo": (
        {
            "Cargo.toml": '[package]\nname = "rg"\ndescription = "Finds."\n[dependencies]\n'
            'serde = {version = "1"}\n'
            '[dev-dependencies]\ninsta = "1.3"\n[[bin]]\nname = "rg"\npath = "cli/main.rs"\n',
            "cli/main.rs": "fn main() {}",
        },
        ("rg", "rust", "cargo", "cargo test"),
        [("serde", "1", "runtime"), ("insta", "1.3", "dev")],
        ["cli/main.rs"],
    ),
    "go": (
        {
            "go.mod": "module example.org/x\n\ngo 1.22\n\nrequire (\n\texample.org/a v1.2.3\n"
            "\texample.org/b v0.1.0 // indirect\n)\n",
            "cmd/x/main.go": "package main\n",
        },
        ("example.org/x", "go", "go", "go test"),
        [("example.org/a", "v1.2.3", "runtime")],
        ["cmd/x/main.go"],
    ),
    "maven": (
        {
            "pom.xml": '<project xmlns="http://maven.apache.org/POM/4.0.0"><artifactId>web</artifactId>'
            "<description>Serves.</description><properties><j.version>2.1</j.version></properties>"
            "<dependencies><dependency><groupId>g</groupId><artifactId>j</artifactId>"
            "<version>${j.version}</version></dependency><dependency><groupId>junit</groupId>"
            "<artifactId>junit</artifactId><version>4.13</version><scope>test</scope></dependency>"
            "</dependencies></project>",
            "src/main/java/x/WebApplication.java": "class WebApplication {}",
        },
        ("web", "java", "maven", "junit 4"),
        [("g:j", "2.1", "runtime"), ("junit:junit", "4.13", "dev")],
        ["src/main/java/x/WebApplication.java"],
    ),
    "gradle": (
        {
            "settings.gradle.kts": 'rootProject.name = "app"\n',
            "build.gradle.kts": 'plugins { kotlin("jvm") }\ndependencies {\n'
            '    implementation("g:a:1.0")\n    testImplementation(libs.junit.jupiter)\n}\n',
            "gradle/libs.versions.toml": '[versions]\nj = "5.10"\n[libraries]\n'
            'junit-jupiter = { module = "org.junit.jupiter:junit-jupiter", version.ref = "j" }\n',
            "src/main/kotlin/A.kt": "",
        },
        ("app", "kotlin", "gradle", "junit 5"),
        [("g:a", "1.0", "runtime"), ("org.junit.jupiter:junit-jupiter", "5.10", "dev")],
        [],
    ),
    "sbt": (
        {
            "build.sbt": 'name := "s"\n'
            'libraryDependencies += "org.typelevel" %% "cats-core" % "2.9"\n'
            'libraryDependencies += "org.scalatest" %% "scalatest" % "3.2" % Test\n',
            "src/main/scala/A.scala": "",
        },
        ("s", "scala", "sbt", "scalatest"),
        [("org.typelevel:cats-core", "2.9", "runtime"), ("org.scalatest:scalatest", "3.2", "dev")],
        [],
    ),
    "nuget": (
        {
            "App.csproj": '<Project Sdk="X"><PropertyGroup><OutputType>Exe</OutputType>'
            '</PropertyGroup><ItemGroup><PackageReference Include="Dapper" />'
            "</ItemGroup></Project>",
            "Directory.Packages.props": "<Project><PropertyGroup><D>2.1</D></PropertyGroup>"
            "<ItemGroup>"
            '<PackageVersion Include="Dapper" Version="$(D)" /></ItemGroup></Project>',
            "Program.cs": "",
        },
        ("App", ".net", "dotnet", None),
        [("Dapper", "2.1", "runtime")],
        ["Program.cs"],
    ),
    "composer": (
        {
            "composer.json": '{"name": "a/b", "require": {"php": ">=8", "monolog/monolog": "^3"},'
            ' "require-dev": {"phpunit/phpunit": "^10"}}',
            "src/A.php": "",
        },
        ("a/b", "php", "composer", "phpunit"),
        [("monolog/monolog", "^3", "runtime"), ("phpunit/phpunit", "^10", "dev")],
        [],
    ),
    "gems": (
        {
            "Gemfile": "source 'x'\ngem 'rails', '~> 7.1'\ngroup :development, :test do\n"
            "  gem 'rspec-rails'\nend\ngem 'pg'\n",
            "app/a.rb": "",
        },
        ("project", "ruby", "bundler", "rspec"),
        [("rails", "~> 7.1", "runtime"), ("rspec-rails", None, "dev"), ("pg", None, "runtime")],
        [],
    ),
    "swift": (
        {
            "Package.swift": 'let package = Package(\n  name: "Kit",\n  dependencies: [\n'
            '    .package(url: "https://x.org/a/swift-nio.git", from: "2.0.0"),\n  ],\n'
            '  targets: [.executableTarget(name: "kit"), .testTarget(name: "KitTests")])\n',
            "Sources/kit/main.swift": "",
        },
        ("Kit", "swift", "swift package manager", "xctest"),
        [("swift-nio", "2.0.0", "runtime")],
        ["Sources/kit/main.swift"],
    ),
    "cmake": (
        {
            "CMakeLists.txt": 'project(fast DESCRIPTION "Runs fast" LANGUAGES C)\n'
            "find_package(ZLIB 1.2 REQUIRED)\n"
            "find_package(GTest)\nadd_executable(fast main.c)\n",
            "main.c": "int main(void) { return 0; }",
        },
        ("fast", "c/c++", "cmake", "googletest"),
        [("ZLIB", "1.2", "runtime"), ("GTest", None, "dev")],
        ["main.c"],
    ),
    "conan": (
        {"conanfile.txt": "[requires]\nfmt/10.1\n[tool_requires]\ncmake/3.27\n", "a.cpp": ""},
        ("project", "c/c++", "conan", None),
        [("fmt", "10.1", "runtime"), ("cmake", "3.27", "dev")],
        [],
    ),
    "pub": (
        {
            "pubspec.yaml": "name: app\ndescription: Shows it.\ndependencies:\n  http: ^1.2.0\n"
            "dev_dependencies:\n  test: any\n",
            "lib/app.dart": "",
        },
        ("app", "dart", "pub", "test"),
        [("http", "^1.2.0", "runtime"), ("test", "any", "dev")],
        ["lib/app.dart"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_ecosystem(name: str) -> None:
    texts, (project, kind, build, tests), dependencies, entries = CASES[name]
    manifest = read_manifest(PlainSource(texts))
    assert (manifest.project_name, manifest.project_type) == (project, kind)
    assert (manifest.build_system, manifest.test_framework) == (build, tests)
    assert needs(manifest) == dependencies
    assert list(manifest.entry_points) == entries


def test_a_monorepo_has_members_with_their_own_dependencies() -> None:
    """Fixtures are no members, and the packages of the workspace are no dependencies of it."""
    manifest = read_manifest(
        PlainSource(
            {
                "package.json": '{"name": "all", "workspaces": ["libs/*"]}',
                "libs/a/package.json": '{"name": "a", "description": "One.", '
                '"dependencies": {"b": "*", "left": "1"}}',
                "libs/b/package.json": '{"name": "b"}',
                "libs/a/__tests__/c/package.json": '{"name": "c"}',
                "libs/a/index.js": "",
            }
        )
    )
    assert [(each.path, each.project_name) for each in manifest.members] == [
        ("libs/a", "a"),
        ("libs/b", "b"),
    ]
    assert manifest.members[0].purpose_guess == "One. (the description in libs/a/package.json)"
    assert needs(manifest) == [("left", "1", "runtime")]


def test_the_type_follows_the_source_where_the_outer_package_is_only_for_tests() -> None:
    texts = {"package.json": '{"name": "e2e"}', "src/App/App.csproj": "<Project></Project>"}
    texts |= {f"src/App/C{number}.cs": "" for number in range(30)}
    manifest = read_manifest(PlainSource(texts))
    assert (manifest.project_type, manifest.build_system) == (".net", "dotnet")


def test_the_purpose_names_what_it_rests_on() -> None:
    described = read_manifest(PlainSource({"package.json": '{"description": "Sells things."}'}))
    assert described.purpose_guess == "Sells things. (the description in package.json)"
    readme = (
        "# Shop\n\n[![b](x)](y)\n\nContributions are welcome here too.\n\n"
        "Shop is a *store* for [toys](z).\n"
    )
    told = read_manifest(PlainSource({"README.md": readme}))
    assert told.project_name == "Shop"
    assert told.purpose_guess == "Shop is a store for toys. (README.md, line 7)"
    silent = read_manifest(PlainSource({"a.txt": "x"}))
    assert silent.purpose_guess == "Nothing in the project says."


HOSTILE = {
    "package.json": "[" * 100_000,
    "pom.xml": '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;">]><project>&b;</project>',
    "pubspec.yaml": "a: &a [x]\nb: [*a, *a]\n",
    "Cargo.toml": ".".join(["a"] * 20_000) + " = 1",
    "setup.py": "setup(" + "(" * 5_000,
    "pyproject.toml": "[project]\nname = [",
    "go.mod": "module",
    "build.gradle": 'implementation("' * 2_000,
    "composer.json": '{"require": "x", "bin": 5}',
    "CMakeLists.txt": "project(" * 5_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_project_file_that_is_none_is_passed_over(name: str) -> None:
    manifest = read_manifest(PlainSource({name: HOSTILE[name], "src/a.c": ""}))
    assert manifest.dependencies == ()
    assert manifest.project_name == "project"


def test_of_several_outermost_projects_the_one_with_most_source_is_the_projects_own() -> None:
    source = PlainSource(
        {
            "src/Shop.Extra/Shop.Extra.csproj": "<Project><ItemGroup/></Project>",
            "src/Shop.Extra/One.cs": "",
            "src/Shop/Shop.csproj": "<Project><ItemGroup/></Project>",
            "src/Shop/One.cs": "",
            "src/Shop/Two.cs": "",
            "src/Shop.Tests.Benchmarks/Program.cs": "",
            "src/Shop.Tests.Benchmarks/Many.cs": "",
            "src/Shop.Tests.Benchmarks/B.csproj": "<Project><ItemGroup/></Project>",
        }
    )
    manifest = read_manifest(source)
    assert (manifest.project_name, manifest.entry_points) == ("Shop", ())


def test_a_library_is_entered_by_the_module_that_it_is_imported_by() -> None:
    project = {"pyproject.toml": '[project]\nname = "my-shop"\n'}
    for path in ("src/my_shop/__init__.py", "my_shop/__init__.py"):
        assert read_manifest(PlainSource({**project, path: ""})).entry_points == (path,)
    started = PlainSource({**project, "my_shop/__init__.py": "", "my_shop/__main__.py": ""})
    assert read_manifest(started).entry_points == ("my_shop/__main__.py",)
