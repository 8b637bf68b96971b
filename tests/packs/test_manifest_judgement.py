"""Project files that say more than they mean: parents, fixtures, tools and headings."""

from __future__ import annotations

import pytest

from sightline.packs.manifests import read_manifest
from tests.packs.plain_source import PlainSource


def _pom(artifact: str, inner: str = "") -> str:
    return f"<project><groupId>g</groupId><artifactId>{artifact}</artifactId>{inner}</project>"


def _dependency(name: str, version: str = "") -> str:
    group, _, artifact = name.partition(":")
    told = f"<version>{version}</version>" if version else ""
    inner = f"<groupId>{group}</groupId><artifactId>{artifact}</artifactId>{told}"
    return f"<dependency>{inner}</dependency>"


def test_a_parent_is_called_as_its_main_module() -> None:
    managed = _dependency("com.google:guava", "33") + _dependency("junit:junit", "4")
    parent = _pom(
        "gson-parent",
        f"<modules><module>gson</module><module>extras</module></modules>"
        f"<dependencyManagement><dependencies>{managed}</dependencies></dependencyManagement>",
    )
    inner = f"<dependencies>{_dependency('g:gson', '2')}{_dependency('a:b', '1')}</dependencies>"
    texts = {
        "pom.xml": parent,
        "gson/pom.xml": _pom("gson"),
        "extras/pom.xml": _pom("extras", inner),
    }
    manifest = read_manifest(PlainSource(texts))
    assert manifest.project_name == "gson"
    assert [each.name for each in manifest.dependencies] == ["a:b"]
    assert manifest.test_framework == "junit 4"


def test_a_parent_without_such_a_module_keeps_its_name() -> None:
    parent = _pom("shop-parent", "<modules><module>core</module></modules>")
    texts = {"pom.xml": parent, "core/pom.xml": _pom("core")}
    assert read_manifest(PlainSource(texts)).project_name == "shop-parent"


@pytest.mark.parametrize(
    "written",
    [
        'mainClass = "dev.cli.Main"',
        'mainClass.set("dev.cli.Main")',
        "mainClassName = 'dev.cli.Main'",
    ],
)
def test_the_main_class_of_gradle_is_an_entry_point(written: str) -> None:
    texts = {
        "settings.gradle.kts": 'rootProject.name = "lint"\ninclude("cli")\n',
        "build.gradle.kts": "plugins { kotlin }\n",
        "cli/build.gradle.kts": f"application {{\n    {written}\n}}\n",
        "cli/src/main/kotlin/dev/cli/Main.kt": "fun main() {}\n",
        "core/src/main/kotlin/dev/cli/Main.kt": "fun main() {}\n",
    }
    manifest = read_manifest(PlainSource(texts))
    assert manifest.entry_points == ("cli/src/main/kotlin/dev/cli/Main.kt",)


def test_a_fixture_is_no_program_of_a_crate() -> None:
    texts = {
        "Cargo.toml": '[package]\nname = "args"\n[[bin]]\nname = "stdio-fixture"\n'
        'path = "src/bin/stdio-fixture.rs"\n',
        "src/lib.rs": "",
        "src/bin/stdio-fixture.rs": "fn main() {}\n",
        "src/bin/serve.rs": "fn main() {}\n",
        "src/cli.rs": "",
    }
    assert read_manifest(PlainSource(texts)).entry_points == ("src/lib.rs", "src/bin/serve.rs")


def test_a_project_for_tests_names_the_test_framework() -> None:
    reference = (
        '<Project><ItemGroup><PackageReference Include="{0}" Version="2" /></ItemGroup></Project>'
    )
    texts = {
        "src/Valid/Valid.csproj": reference.format("Poly"),
        "src/Valid/A.cs": "",
        "src/Valid.Tests/Valid.Tests.csproj": reference.format("xunit"),
    }
    manifest = read_manifest(PlainSource(texts))
    assert manifest.test_framework == "xunit"
    assert [each.name for each in manifest.dependencies] == ["Poly"]


def test_phpunit_through_a_bridge_is_phpunit() -> None:
    text = '{"name": "v/c", "require-dev": {"symfony/phpunit-bridge": "^6"}}'
    assert read_manifest(PlainSource({"composer.json": text})).test_framework == "phpunit"


def test_what_no_build_adds_is_no_package_of_cmake() -> None:
    texts = {
        "CMakeLists.txt": "project(Catch # version 1 (sic)\n  VERSION 3\n)\n"
        "add_subdirectory(src)\nadd_subdirectory(extras)\n",
        "src/a.cpp": "",
        "extras/deep/CMakeLists.txt": "project(Deep)\n",
        "tools/CMakeLists.txt": "project(Helper)\n",
    }
    manifest = read_manifest(PlainSource(texts))
    assert manifest.project_name == "Catch"
    assert [each.path for each in manifest.members] == ["extras/deep"]


@pytest.mark.parametrize(
    ("path", "text", "begins"),
    [
        ("lib/transport/wsgi.py", "class WSGITransport: ...\n", False),
        ("site/wsgi.py", "application = get_wsgi_application()\n", True),
        ("site/asgi.py", "app: ASGI = make()\n", True),
        ("src/KoinApplication.kt", "class KoinApplication\n", False),
        ("src/ShopApplication.kt", "@SpringBootApplication\nclass ShopApplication\n", True),
    ],
)
def test_a_name_alone_begins_no_program(path: str, text: str, begins: bool) -> None:
    manifest = read_manifest(PlainSource({path: text, "lib/more.py": ""}))
    assert manifest.entry_points == ((path,) if begins else ())


def test_a_test_in_go_begins_no_program() -> None:
    texts = {
        "go.mod": "module ex.com/cobra\n",
        "cobra.go": "package cobra\n",
        "cobra_test.go": "package cobra\nconst text = `\nfunc main() {}\n`\n",
    }
    assert read_manifest(PlainSource(texts)).entry_points == ()


def test_tools_of_another_language_are_for_development() -> None:
    swift = 'let package = Package(name: "Net")\n'
    texts = {"Package.swift": swift, "Source/a.swift": "", "Gemfile": "gem 'jazzy'\n"}
    assert [each.type for each in read_manifest(PlainSource(texts)).dependencies] == ["dev"]
    gem = "s.name = 'rack'\ns.add_dependency 'a'\n"
    texts = {"rack.gemspec": gem, "lib/rack.rb": "", "Gemfile": "gem 'rubocop'\n"}
    told = {each.name: each.type for each in read_manifest(PlainSource(texts)).dependencies}
    assert told == {"a": "runtime", "rubocop": "dev"}


def test_a_question_is_no_name_of_a_project() -> None:
    texts = {"README.md": "# What is KOIN? ✨\n\nA framework.\n", "a.kt": ""}
    assert read_manifest(PlainSource(texts), "koin").project_name == "koin"


def test_a_root_of_sbt_is_not_the_project() -> None:
    text = 'lazy val root = project.settings(name := "scopt root")\nname := "scopt"\n'
    assert read_manifest(PlainSource({"build.sbt": text, "a.scala": ""})).project_name == "scopt"
