"""Maven, Gradle, sbt, NuGet, Composer, RubyGems and pub."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from sightline.packs.manifests.packages import (
    ManifestSource,
    Package,
    Row,
    child,
    child_text,
    dependencies_of,
    first_of,
    local_name,
    read_json,
    read_xml,
    read_yaml,
    string,
    strings,
    table,
    within,
)
from sightline.packs.model import DependencyType
from sightline.toml import read_toml

_JVM_TESTS = (
    ("org.junit.jupiter:junit-jupiter", "junit 5"),
    ("org.junit.jupiter:junit-jupiter-api", "junit 5"),
    ("org.junit.jupiter:junit-jupiter-engine", "junit 5"),
    ("org.junit:junit-bom", "junit 5"),
    ("org.springframework.boot:spring-boot-starter-test", "junit 5"),
    ("org.jetbrains.kotlin:kotlin-test", "kotlin.test"),
    ("io.kotest:kotest-runner-junit5", "kotest"),
    ("org.scalatest:scalatest", "scalatest"),
    ("org.scalameta:munit", "munit"),
    ("org.specs2:specs2-core", "specs2"),
    ("org.testng:testng", "testng"),
    ("org.spockframework:spock-core", "spock"),
    ("junit:junit", "junit 4"),
)
_COMPOSER_GROUPS: tuple[tuple[str, DependencyType], ...] = (
    ("require", "runtime"),
    ("require-dev", "dev"),
)
_PUB_GROUPS: tuple[tuple[str, DependencyType], ...] = (
    ("dependencies", "runtime"),
    ("dev_dependencies", "dev"),
)
_RUNTIME: DependencyType = "runtime"
_MAVEN_KINDS: dict[str, DependencyType] = {"test": "dev", "provided": "peer"}
_VARIABLE = re.compile(r"\$\((\w+)\)")
_PROPERTY = re.compile(r"\$\{([^}]+)\}")
_GRADLE = re.compile(
    r"^[ \t]*(\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|kapt|ksp"
    r"|annotationProcessor|compile|testCompile))[ \t(]+"
    r"""(?:platform|enforcedPlatform|kotlin|project|testFixtures)?\(?[ \t]*["']([^"'\n]+)["']""",
    re.MULTILINE,
)
_GRADLE_MAP = re.compile(
    r"""^[ \t]*(\w*(?:[iI]mplementation|[aA]pi|compile|testCompile))[ \t(]+"""
    r"""group:\s*["']([^"']+)["'],"""
    r"""\s*name:\s*["']([^"']+)["'](?:,\s*version:\s*["']([^"']+)["'])?""",
    re.MULTILINE,
)
_GRADLE_ALIAS = re.compile(
    r"^[ \t]*(\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|kapt|ksp))"
    r"[ \t(]+(?:platform\()?libs\.([\w.]+)",
    re.MULTILINE,
)
_GRADLE_MAIN = re.compile(
    r"""^[ \t]*mainClass(?:Name)?(?:\.set)?[ \t]*[=( ][ \t]*["']([\w.]{1,200})["']""", re.MULTILINE
)
_PARENT_ENDING = re.compile(r"[-_.](?:parent|root|aggregator|reactor|project|build)$")
_GRADLE_INCLUDE = re.compile(r"^[ \t]*include\b(.*(?:\n[ \t]+[\"'(].*)*)", re.MULTILINE)
_QUOTED = re.compile(r"""["']([^"'\n]+)["']""")
_SBT = re.compile(r'"([\w.-]+)"\s*(%{1,3})\s*"([\w.-]+)"\s*%\s*("?[\w.-]+"?)(?:\s*%\s*"?(\w+)"?)?')
_SBT_NAME = re.compile(r'\bname\s*:=\s*"([^"]+)"')
_SBT_ROOT = re.compile(r"(?:^|[ _-])(?:root|parent|aggregate)$")
_GEM = re.compile(
    r"""^[ \t]*gem[ \t(]+["']([^"']+)["'](?:[ \t]*,[ \t]*["']([^"']+)["'])?""", re.MULTILINE
)
_GEM_GROUP = re.compile(r"^[ \t]*group\b([^\n]*)\bdo\b", re.MULTILINE)
_GEMSPEC_DEPENDENCY = re.compile(
    r"""\.add_((?:runtime_|development_)?)dependency[ \t(]+["']([^"']+)["']"""
    r"""(?:[ \t]*,[ \t]*["']([^"']+)["'])?"""
)
_DOTNET_TESTS = (
    ("xunit", "xunit"),
    ("xunit.v3", "xunit"),
    ("NUnit", "nunit"),
    ("MSTest", "mstest"),
    ("MSTest.TestFramework", "mstest"),
    ("TUnit", "tunit"),
)
_PHP_TESTS = (
    ("pestphp/pest", "pest"),
    ("phpunit/phpunit", "phpunit"),
    ("symfony/phpunit-bridge", "phpunit"),
    ("codeception/codeception", "codeception"),
)
_RUBY_TESTS = (
    ("rspec", "rspec"),
    ("rspec-rails", "rspec"),
    ("rspec-core", "rspec"),
    ("minitest", "minitest"),
    ("test-unit", "test-unit"),
)


def read_pom(path: str, text: str, _source: ManifestSource) -> Package | None:
    root = read_xml(text)
    if root is None or local_name(root.tag) != "project":
        return None
    listed_properties = child(root, "properties")
    properties = {
        local_name(each.tag): (each.text or "").strip()
        for each in (listed_properties if listed_properties is not None else ())
    }
    properties["project.version"] = child_text(root, "version")
    # A managed dependency counts only if a module declares it, possibly without a version.
    managed = {
        name: (version, kind) for name, version, kind in _pom_rows(_managed(root), properties)
    }
    rows: list[Row] = [
        (name, version or managed.get(name, ("",))[0], kind)
        for name, version, kind in _pom_rows(child(root, "dependencies"), properties)
    ]
    dependencies = dependencies_of(rows)
    listed = child(root, "modules")
    modules = [(each.text or "").strip() for each in listed] if listed is not None else []
    return Package(
        path=path,
        ecosystem="java",
        name=_project_of(child_text(root, "artifactId"), modules),
        purpose=" ".join(child_text(root, "description").split()),
        dependencies=dependencies,
        build_system="maven",
        test_framework=first_of(_JVM_TESTS, [*(each.name for each in dependencies), *managed]),
        members=tuple(modules),
        is_library=child_text(root, "packaging") in {"", "jar", "bundle"},
    )


def _pom_rows(
    listed: ElementTree.Element | None, properties: dict[str, str]
) -> Iterator[tuple[str, str, DependencyType]]:
    for each in listed if listed is not None else ():
        name = f"{child_text(each, 'groupId')}:{child_text(each, 'artifactId')}"
        version = _expanded(child_text(each, "version"), properties)
        kind = _MAVEN_KINDS.get(child_text(each, "scope"), _RUNTIME)
        yield _expanded(name, properties), version, kind


def _project_of(artifact: str, modules: Sequence[str]) -> str:
    """Return the name of a project: a parent is often named after its main module."""
    plain = _PARENT_ENDING.sub("", artifact)
    return plain if plain in modules else artifact


def read_gradle(path: str, text: str, source: ManifestSource) -> Package | None:
    rows: list[Row] = []
    for group, reference in _GRADLE.findall(text):
        parts = reference.split(":")
        if len(parts) >= 2 and parts[0]:
            version = parts[2] if len(parts) > 2 and "$" not in parts[2] else ""
            rows.append((":".join(parts[:2]), version, _gradle_kind(group)))
    for group, vendor, name, version in _GRADLE_MAP.findall(text):
        rows.append((f"{vendor}:{name}", version, _gradle_kind(group)))
    catalog = _catalog(path, source)
    for group, alias in _GRADLE_ALIAS.findall(text):
        if found := catalog.get(alias.removesuffix(".get")):
            rows.append((*found, _gradle_kind(group)))
    dependencies = dependencies_of(rows)
    settings, members = _gradle_settings(path, source)
    ecosystem = "kotlin" if "kotlin" in text or path.endswith(".kts") else "java"
    if "com.android" in text or "libs.plugins.android" in text:
        ecosystem = "android"
    tests = first_of(_JVM_TESTS, (each.name for each in dependencies))
    return Package(
        path=path,
        ecosystem=ecosystem,
        name=settings,
        dependencies=dependencies,
        entry_points=_main_classes(path, text, source),
        build_system="gradle",
        test_framework=tests or ("junit 5" if "useJUnitPlatform" in text else ""),
        members=members,
        is_library="java-library" in text or "maven-publish" in text,
    )


def _main_classes(path: str, text: str, source: ManifestSource) -> tuple[str, ...]:
    """Return the files of the classes that a build file starts."""
    folder = posixpath.dirname(path)
    prefix = f"{folder}/" if folder else ""
    found = []
    for name in _GRADLE_MAIN.findall(text):
        # Kotlin names the class of a file's functions after the file.
        place = name.replace(".", "/")
        endings = {f"/{place}.kt", f"/{place}.java", f"/{place}.groovy", f"/{place}.scala"}
        if place.endswith("Kt"):
            endings.add(f"/{place.removesuffix('Kt')}.kt")
        found += [
            each
            for each in source.paths
            if each.startswith(prefix) and any(each.endswith(ending) for ending in sorted(endings))
        ]
    return tuple(dict.fromkeys(found))


def read_sbt(path: str, text: str, _source: ManifestSource) -> Package | None:
    rows: list[Row] = []
    for vendor, _, name, version, scope in _SBT.findall(text):
        shown = version.strip('"') if version.startswith('"') else ""
        kind: DependencyType = "dev" if scope in {"test", "Test"} else "runtime"
        rows.append((f"{vendor}:{name}", shown, kind))
    dependencies = dependencies_of(rows)
    names = _SBT_NAME.findall(text)
    own = [each for each in names if not _SBT_ROOT.search(each)]
    return Package(
        path=path,
        ecosystem="scala",
        name=next(iter([*own, *names]), ""),
        dependencies=dependencies,
        build_system="sbt",
        test_framework=first_of(_JVM_TESTS, (each.name for each in dependencies)),
        is_library=True,
    )


def read_csproj(path: str, text: str, source: ManifestSource) -> Package | None:
    root = read_xml(text)
    if root is None or local_name(root.tag) != "Project":
        return None
    central = _central_versions(path, source)
    rows: list[Row] = []
    settings: dict[str, str] = {}
    for group in root:
        for each in group:
            tag = local_name(each.tag)
            if tag == "PackageReference":
                name = each.get("Include") or ""
                version = (
                    each.get("Version") or child_text(each, "Version") or central.get(name, "")
                )
                rows.append((name, version, "runtime"))
            elif local_name(group.tag) == "PropertyGroup" and each.text:
                settings.setdefault(tag, each.text.strip())
    names = [row[0] for row in rows]
    tests = first_of(_DOTNET_TESTS, names)
    rows = [(name, version, "dev" if tests else kind) for name, version, kind in rows]
    is_program = settings.get("OutputType", "").lower() in {"exe", "winexe"}
    is_web = (root.get("Sdk") or "").endswith(".Web")
    start = within(path, "Program.cs")
    stem = posixpath.basename(path).rpartition(".")[0]
    return Package(
        path=path,
        ecosystem=".net",
        name=settings.get("PackageId") or settings.get("AssemblyName") or stem,
        purpose=settings.get("Description", ""),
        dependencies=dependencies_of(rows),
        entry_points=(start,) if (is_program or is_web) and start in set(source.paths) else (),
        commands=(stem,) if is_program else (),
        build_system="dotnet",
        test_framework=tests,
        is_library=not is_program and not is_web,
    )


def read_packages_config(path: str, text: str, _source: ManifestSource) -> Package | None:
    root = read_xml(text)
    if root is None:
        return None
    rows: list[Row] = [
        (each.get("id") or "", each.get("version") or "", "runtime")
        for each in root
        if local_name(each.tag) == "package"
    ]
    return Package(
        path=path, ecosystem=".net", dependencies=dependencies_of(rows), build_system="nuget"
    )


def read_composer(path: str, text: str, _source: ManifestSource) -> Package | None:
    data = read_json(text)
    if data is None:
        return None
    dependencies = dependencies_of(
        (name, string(version), kind)
        for group, kind in _COMPOSER_GROUPS
        for name, version in table(data.get(group)).items()
        if "/" in name
    )
    programs = strings(data.get("bin"))
    return Package(
        path=path,
        ecosystem="php",
        name=string(data.get("name")),
        purpose=string(data.get("description")),
        dependencies=dependencies,
        entry_points=tuple(found for each in programs if (found := within(path, each))),
        commands=tuple(posixpath.basename(each) for each in programs),
        build_system="composer",
        test_framework=first_of(_PHP_TESTS, (each.name for each in dependencies)),
        is_library=string(data.get("type")) in {"", "library"},
    )


def read_gemfile(path: str, text: str, _source: ManifestSource) -> Package | None:
    dependencies = dependencies_of(_gem_rows(text))
    return Package(
        path=path,
        ecosystem="ruby",
        dependencies=dependencies,
        build_system="bundler",
        test_framework=first_of(_RUBY_TESTS, (each.name for each in dependencies)),
    )


def read_gemspec(path: str, text: str, source: ManifestSource) -> Package | None:
    dependencies = dependencies_of(
        (name, version, "dev" if kind == "development_" else "runtime")
        for kind, name, version in _GEMSPEC_DEPENDENCY.findall(text)
    )
    name = re.search(r"""\.name\s*=\s*["']([^"']+)["']""", text)
    purpose = re.search(r"""\.(?:summary|description)\s*=\s*["']([^"'\n]+)["']""", text)
    stem = posixpath.basename(path).removesuffix(".gemspec")
    programs = re.search(r"\.executables?\s*(?:=|<<)\s*(.+)", text)
    start = within(path, f"lib/{stem.replace('-', '/')}.rb")
    return Package(
        path=path,
        ecosystem="ruby",
        name=name[1] if name else stem,
        purpose=purpose[1] if purpose else "",
        dependencies=dependencies,
        entry_points=(start,) if start in set(source.paths) else (),
        commands=tuple(_QUOTED.findall(programs[1])) if programs else (),
        build_system="rubygems",
        test_framework=first_of(_RUBY_TESTS, (each.name for each in dependencies)),
        is_library=True,
    )


def read_pubspec(path: str, text: str, source: ManifestSource) -> Package | None:
    data = read_yaml(text)
    if data is None:
        return None
    rows: list[Row] = [
        (name, string(version), kind)
        for group, kind in _PUB_GROUPS
        for name, version in table(data.get(group)).items()
        if name not in {"flutter", "flutter_test"} or not isinstance(version, dict)
    ]
    is_flutter = "flutter" in table(data.get("dependencies"))
    starts = [within(path, "lib/main.dart"), within(path, f"lib/{string(data.get('name'))}.dart")]
    present = set(source.paths)
    development = table(data.get("dev_dependencies"))
    tests = "flutter_test" if "flutter_test" in development else ""
    return Package(
        path=path,
        ecosystem="flutter" if is_flutter else "dart",
        name=string(data.get("name")),
        purpose=" ".join(string(data.get("description")).split()),
        dependencies=dependencies_of(rows),
        entry_points=tuple(each for each in starts if each in present),
        commands=tuple(table(data.get("executables"))),
        build_system="flutter" if is_flutter else "pub",
        test_framework=tests or ("test" if "test" in development else ""),
        members=strings(data.get("workspace")),
        is_library=starts[0] not in present,
    )


def _managed(root: ElementTree.Element) -> ElementTree.Element | None:
    """Return the managed dependencies of a parent pom, which has few of its own."""
    outer = child(root, "dependencyManagement")
    return child(outer, "dependencies") if outer is not None else None


def _expanded(text: str, properties: dict[str, str]) -> str:
    shown = _PROPERTY.sub(lambda found: properties.get(found[1], found[0]), text)
    return "" if "${" in shown and ":" not in shown else shown


def _gradle_kind(group: str) -> DependencyType:
    if group.lower().startswith(("test", "androidtest", "integrationtest")):
        return "dev"
    return "peer" if group.lower().endswith("compileonly") else "runtime"


def _catalog(path: str, source: ManifestSource) -> dict[str, tuple[str, str]]:
    """Return the aliases of the nearest version catalogue above: module and version."""
    folder = posixpath.dirname(path)
    while True:
        text = source.read(posixpath.join(folder, "gradle/libs.versions.toml"))
        if text is not None or not folder:
            break
        folder = posixpath.dirname(folder)
    try:
        data = read_toml(text or "")
    except ValueError:
        return {}
    versions = table(data.get("versions"))
    found: dict[str, tuple[str, str]] = {}
    for alias, value in table(data.get("libraries")).items():
        entry = table(value)
        module = string(value) or string(entry.get("module"))
        module = module or f"{string(entry.get('group'))}:{string(entry.get('name'))}"
        version = entry.get("version")
        shown = string(version) or string(versions.get(string(table(version).get("ref"))))
        parts = module.split(":")
        if len(parts) > 2:
            module, shown = ":".join(parts[:2]), parts[2]
        found[re.sub(r"[-_]", ".", alias)] = (module, shown)
    return found


def _gradle_settings(path: str, source: ManifestSource) -> tuple[str, tuple[str, ...]]:
    for name in ("settings.gradle", "settings.gradle.kts"):
        text = source.read(posixpath.join(posixpath.dirname(path), name))
        if text is not None:
            named = re.search(r"""rootProject\.name\s*=\s*["']([^"']+)["']""", text)
            members = [
                each.strip(":").replace(":", "/")
                for line in _GRADLE_INCLUDE.findall(text)
                for each in _QUOTED.findall(line)
            ]
            return named[1] if named else "", tuple(dict.fromkeys(members))
    return "", ()


def _central_versions(path: str, source: ManifestSource) -> dict[str, str]:
    """Return the versions of the nearest Directory.Packages.props above."""
    folder = posixpath.dirname(path)
    while True:
        text = source.read(posixpath.join(folder, "Directory.Packages.props"))
        if text is not None or not folder:
            break
        folder = posixpath.dirname(folder)
    root = read_xml(text) if text else None
    listed = [each for group in (root if root is not None else ()) for each in group]
    variables = {local_name(each.tag): (each.text or "").strip() for each in listed}
    return {
        each.get("Include") or "": _VARIABLE.sub(
            lambda found: variables.get(found[1], ""), each.get("Version") or ""
        )
        for each in listed
        if local_name(each.tag) == "PackageVersion"
    }


def _gem_rows(text: str) -> Iterator[Row]:
    """Read the gems of a Gemfile; those in a group for development or tests get that type."""
    kind: DependencyType = "runtime"
    for line in text.splitlines():
        if found := _GEM_GROUP.match(line):
            kind = "dev" if re.search(r"development|test", found[1]) else "runtime"
        elif line.startswith("end"):
            kind = "runtime"
        elif found := _GEM.match(line):
            own: DependencyType = (
                "dev" if re.search(r"groups?:.*(?:development|test)", line) else kind
            )
            yield found[1], found[2] or "", own
