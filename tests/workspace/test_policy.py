"""The default rules, one path at a time, and what the user may lift."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pygit2
import pytest

from sightline.refusals import Refusal
from sightline.workspace import Root, Workspace, find_root
from sightline.workspace.defaults import default_rules
from tests.workspace.conftest import TEXT, Write, outcome, read, refused
from tests.workspace.test_never_send_names import NAMES

# A path, the rule that denies it as written, and the rule's group.
DENIED: list[tuple[str, str, str]] = [
    ("server.pem", "**/*.pem", "credentials"),
    ("a/b/server.PEM", "**/*.pem", "credentials"),
    ("tls.key", "**/*.key", "credentials"),
    ("conf/tls.Key", "**/*.key", "credentials"),
    ("sign.pfx", "**/*.pfx", "credentials"),
    ("ca.crt", "**/*.crt", "credentials"),
    ("store.p12", "**/*.p12", "credentials"),
    ("prod.env", "**/*.env", "credentials"),
    ("conf/prod.ENV", "**/*.env", "credentials"),
    (".env", "**/*.env", "credentials"),
    (".ENV", "**/*.env", "credentials"),
    (".Env", "**/*.env", "credentials"),
    ("app/.env", "**/*.env", "credentials"),
    (".env.local", "**/.env*", "credentials"),
    (".environment", "**/.env*", "credentials"),
    (".envrc", "**/.env*", "credentials"),
    (".envs/a.py", "**/.env*", "credentials"),
    ("prod.env/a.py", "**/*.env", "credentials"),
    ("credentials", "**/credentials*", "credentials"),
    ("Credentials.json", "**/credentials*", "credentials"),
    ("conf/credentials/a.py", "**/credentials*", "credentials"),
    ("secrets.yml", "**/secrets*", "credentials"),
    ("SECRETS/a.py", "**/secrets*", "credentials"),
    ("client_secret.json", "**/*_secret*", "credentials"),
    ("a_SECRETs.txt", "**/*_secret*", "credentials"),
    ("api_token.txt", "**/*_token*", "credentials"),
    ("my_tokens/a.py", "**/*_token*", "credentials"),
    ("a.keystore", "**/*.keystore", "credentials"),
    ("a.jks", "**/*.jks", "credentials"),
    ("pass.kdbx", "**/*.kdbx", "credentials"),
    ("putty.ppk", "**/*.ppk", "credentials"),
    ("id_rsa", "**/id_rsa*", "credentials"),
    ("keys/id_rsa.old", "**/id_rsa*", "credentials"),
    ("id_dsa", "**/id_dsa*", "credentials"),
    ("id_ecdsa", "**/id_ecdsa*", "credentials"),
    ("ID_ED25519", "**/id_ed25519*", "credentials"),
    (".netrc", "**/.netrc", "credentials"),
    ("_netrc", "**/_netrc", "credentials"),
    (".npmrc", "**/.npmrc", "credentials"),
    ("web/.npmrc", "**/.npmrc", "credentials"),
    (".pypirc", "**/.pypirc", "credentials"),
    (".pgpass", "**/.pgpass", "credentials"),
    (".htpasswd", "**/.htpasswd", "credentials"),
    (".git-credentials", "**/.git-credentials", "credentials"),
    (".dockercfg", "**/.dockercfg", "credentials"),
    ("home/.docker/config.json", "**/.docker/config.json", "credentials"),
    ("service-account-1.json", "**/service-account*.json", "credentials"),
    (".aws/config", "**/.aws/**", "credentials"),
    ("home/.ssh/config", "**/.ssh/**", "credentials"),
    (".gnupg/a", "**/.gnupg/**", "credentials"),
    (".kube/config", "**/.kube/**", "credentials"),
    (".git/config", ".git/**", "version_control"),
    (".git/HEAD", ".git/**", "version_control"),
    (".GIT/config", ".git/**", "version_control"),
    (".Git/hooks/a.py", ".git/**", "version_control"),
    ("sub/.git/config", "**/.git/**", "version_control"),
    ("sub/.GIT/config", "**/.git/**", "version_control"),
    (".git", "**/.git", "version_control"),
    ("sub/.git", "**/.git", "version_control"),
    (".svn/entries", "**/.svn/**", "version_control"),
    ("a/.hg/store", "**/.hg/**", "version_control"),
    ("node_modules/a.js", "node_modules/**", "dependencies"),
    ("Node_Modules/a.js", "node_modules/**", "dependencies"),
    ("web/node_modules/a/b.js", "**/node_modules/**", "dependencies"),
    ("packages/a.js", "packages/**", "dependencies"),
    ("PACKAGES/core/src/a.js", "packages/**", "dependencies"),
    ("packages/core/node_modules/a.js", "packages/**", "dependencies"),
    ("vendor/a.go", "**/vendor/**", "dependencies"),
    ("a/Vendor/b.go", "**/vendor/**", "dependencies"),
    (".venv/a.py", "**/.venv/**", "dependencies"),
    ("venv/a.py", "**/venv/**", "dependencies"),
    ("env/a.py", "**/env/**", "dependencies"),
    ("__pypackages__/a.py", "**/__pypackages__/**", "dependencies"),
    ("bin/a.py", "**/bin/**", "build_outputs"),
    ("src/Bin/Debug/a.cs", "**/bin/**", "build_outputs"),
    ("src/obj/a.cs", "**/obj/**", "build_outputs"),
    ("dist/a.js", "**/dist/**", "build_outputs"),
    ("build/a.js", "**/build/**", "build_outputs"),
    ("a/BUILD/b/c.js", "**/build/**", "build_outputs"),
    ("out/a.js", "**/out/**", "build_outputs"),
    ("target/a.rs", "**/target/**", "build_outputs"),
    (".next/a.js", "**/.next/**", "build_outputs"),
    (".nuxt/a.js", "**/.nuxt/**", "build_outputs"),
    ("coverage/a.js", "**/coverage/**", "build_outputs"),
    (".vs/a.json", ".vs/**", "caches"),
    (".VS/a.json", ".vs/**", "caches"),
    (".cache/a", "**/.cache/**", "caches"),
    ("a/__pycache__/b", "**/__pycache__/**", "caches"),
    ("a.pyc", "**/*.pyc", "caches"),
    (".pytest_cache/a", "**/.pytest_cache/**", "caches"),
    (".eslintcache", "**/.eslintcache", "caches"),
    (".tsbuildinfo", "**/.tsbuildinfo", "caches"),
    ("dump.sql", "**/*.sql", "large_data"),
    ("a.db", "**/*.db", "large_data"),
    ("a.sqlite3", "**/*.sqlite*", "large_data"),
    ("a.sqlite-wal", "**/*.sqlite*", "large_data"),
    ("a.log", "**/*.log", "large_data"),
    ("logs/a.txt", "**/logs/**", "large_data"),
    ("a.exe", "**/*.exe", "binaries"),
    ("a.dll", "**/*.dll", "binaries"),
    ("a.so", "**/*.so", "binaries"),
    ("a.dylib", "**/*.dylib", "binaries"),
    ("a.wasm", "**/*.wasm", "binaries"),
    ("a.png", "**/*.png", "binaries"),
    ("a.jpg", "**/*.jpg", "binaries"),
    ("a.JPEG", "**/*.jpeg", "binaries"),
    ("a.gif", "**/*.gif", "binaries"),
    ("a.ico", "**/*.ico", "binaries"),
    ("a.svg", "**/*.svg", "binaries"),
    ("a.mp4", "**/*.mp4", "binaries"),
    ("a.mp3", "**/*.mp3", "binaries"),
    ("a.pdf", "**/*.pdf", "binaries"),
    ("a.zip", "**/*.zip", "binaries"),
    ("a.tar", "**/*.tar*", "binaries"),
    ("a.tar.xz", "**/*.tar*", "binaries"),
    ("a.gz", "**/*.gz", "binaries"),
    # Disguises: invisible characters, wide and other compatibility forms, odd case.
    (".e\u200bnv", "**/*.env", "credentials"),
    (".env\u200d", "**/*.env", "credentials"),
    ("\ufeff.env", "**/*.env", "credentials"),
    (".en\u00adv", "**/*.env", "credentials"),
    (".env\ufe0f", "**/*.env", "credentials"),
    (".e\u034fnv", "**/*.env", "credentials"),
    (".env\U000e0041", "**/*.env", "credentials"),
    ("．env", "**/*.env", "credentials"),
    (".ｅｎｖ", "**/*.env", "credentials"),
    (".ＥＮＶ", "**/*.env", "credentials"),
    ("．ｅ\u200bｎｖ", "**/*.env", "credentials"),
    (".𝐞𝐧𝐯", "**/*.env", "credentials"),
    ("ſecrets.txt", "**/secrets*", "credentials"),
    ("a.\u212aEY", "**/*.key", "credentials"),
    ("a_to\u212aen.txt", "**/*_token*", "credentials"),
    (".g\u200cit/config", ".git/**", "version_control"),
    ("．ｇｉｔ/config", ".git/**", "version_control"),
    ("node\u2060_modules/a.js", "node_modules/**", "dependencies"),
    ("ｂuild/a.py", "**/build/**", "build_outputs"),
    ("é/.env", "**/*.env", "credentials"),
    (unicodedata.normalize("NFD", "é") + "/a.pem", "**/*.pem", "credentials"),
]

# A directory rule is about what is inside; a name that only resembles a rule is free.
VISIBLE = [
    "build",
    "src/dist",
    "vendor",
    "node_modules",
    "packages",
    "env",
    "src/packages/a.py",
    "src/.vs/a.json",
    "builds/a.py",
    "rebuild/a.py",
    "bin.py",
    "objects/a.py",
    "environment.py",
    "env.py",
    "a.envelope",
    "a.pem.txt",
    "a.keys",
    "monkey",
    "pem",
    "secret.py",
    "my_credentials.py",
    "mysecrets.py",
    "token.py",
    "tokens.py",
    "a.sqlx",
    "log.py",
    "logs",
    "log/a.py",
    ".gitignore",
    ".github/workflows/a.yml",
    ".gitattributes",
    "git/a.py",
    "a.png.py",
    "star.py",
    "target.py",
    "src/aws/a.py",
    "ssh/a.py",
    "é.py",
    "ﬁle.py",
]


@pytest.mark.parametrize(("path", "rule", "group"), DENIED)
def test_a_default_rule_denies_and_is_named(
    root: Path, write: Write, path: str, rule: str, group: str
) -> None:
    write(path, TEXT)
    workspace = Workspace(root)
    expected = ("deny_rule", rule, f"default:{group}", path)
    for refusal in (refused(workspace.read(path)), refused(workspace.judge(path))):
        assert (refusal.reason, refusal.rule, refusal.source, refusal.path) == expected
    assert list(workspace.files()) == []


@pytest.mark.parametrize("path", [path for path, _, _ in DENIED])
def test_a_denied_path_is_denied_whether_or_not_it_exists(root: Path, path: str) -> None:
    assert refused(Workspace(root).read(path)).reason == "deny_rule"


@pytest.mark.parametrize("path", VISIBLE)
def test_what_no_rule_means_stays_visible(root: Path, write: Write, path: str) -> None:
    write(path, TEXT)
    workspace = Workspace(root)
    assert workspace.judge(path) is None
    assert outcome(workspace.read(path)) == "seen"
    assert list(workspace.files()) == [path]


def test_every_rule_has_a_path_that_it_denies() -> None:
    """One rule is shadowed by a wider one above it, and so is named only under a lift."""
    named = {rule for _, rule, _ in DENIED} | {rule for _, rule in NAMES}
    shadowed = {"**/packages/*/node_modules/**"}
    assert {rule.pattern for rule in default_rules()} - named == shadowed


# The user's lifts, a path, and the rule that still denies it (None: it is visible).
LIFTS: list[tuple[tuple[str, ...], str, str | None]] = [
    (("packages/**",), "packages/core/a.js", None),
    (("packages/**",), "packages/core/node_modules/a.js", "**/node_modules/**"),
    (("packages/**", "**/node_modules/**"), "packages/core/node_modules/a.js",
     "**/packages/*/node_modules/**"),
    (("packages/**",), "packages/core/.env", "**/*.env"),
    (("packages/**",), "build/a.js", "**/build/**"),
    (("packages",), "packages/core/a.js", "packages/**"),
    (("packages/",), "packages/core/a.js", "packages/**"),
    (("**",), "packages/core/a.js", "packages/**"),
    (("*",), "a.png", "**/*.png"),
    (("**/*.svg",), "docs/a.svg", None),
    (("**/*.SVG",), "docs/a.svg", "**/*.svg"),
    (("node_modules/**",), "node_modules/a.js", "**/node_modules/**"),
    (("build/a.js",), "build/a.js", None),
    (("build/a.js",), "build/b.js", "**/build/**"),
    (("build",), "build/a.js", "**/build/**"),
    (("build/",), "build/a.js", "**/build/**"),
    (("build/sub/a.js",), "build/sub/a.js", None),
    (("**/*.pem",), "a.pem", "**/*.pem"),
    (("**/.env*",), ".env.local", "**/.env*"),
    (("*.pem",), "a.pem", "**/*.pem"),
    (("a.pem",), "a.pem", None),
    (("a.pem",), "src/a.pem", "**/*.pem"),
    (("A.PEM",), "a.pem", "**/*.pem"),
    (("./a.pem",), "a.pem", "**/*.pem"),
    (("tests/certs/a.pem",), "tests/certs/a.pem", None),
    (("build/a.pem",), "build/a.pem", None),
    ((".git/config",), ".git/config", ".git/**"),
    ((".git/**", "**/.git/**", "**/.git"), ".git/config", ".git/**"),
    (("sub/.git/config",), "sub/.git/config", "**/.git/**"),
    (("**/.git",), ".git", "**/.git"),
]  # fmt: skip


@pytest.mark.parametrize(("lifted", "path", "rule"), LIFTS)
def test_lifts(
    root: Path, write: Write, lifted: tuple[str, ...], path: str, rule: str | None
) -> None:
    write(path, TEXT)
    workspace = Workspace(root, lifted=lifted)
    if rule is None:
        assert str(read(workspace, path).text) == TEXT
        assert list(workspace.files()) == [path]
    else:
        assert refused(workspace.read(path)).rule == rule
        assert list(workspace.files()) == []


def test_a_lift_does_not_reach_through_a_link(root: Path, write: Write) -> None:
    """Lifting one path says nothing about the file that a link of that name leads to."""
    write("real.pem", TEXT)
    (root / "a.pem").symlink_to("real.pem")
    assert refused(Workspace(root, lifted=("a.pem",)).read("a.pem")).rule == "**/*.pem"
    assert outcome(Workspace(root, lifted=("a.pem", "real.pem")).read("a.pem")) == "seen"


def test_a_lift_does_not_override_an_ignore_file(root: Path, write: Write) -> None:
    write("packages/a.js", TEXT)
    write(".gitignore", "packages/a.js\n")
    refusal = refused(
        Workspace(root, lifted=("packages/**", "packages/a.js")).read("packages/a.js")
    )
    assert refusal.source == ".gitignore:1"


@pytest.mark.parametrize(
    ("root", "rule"),
    [
        (".ssh", "**/.ssh/**"),
        (".AWS", "**/.aws/**"),
        ("project/.git", ".git/**"),
        ("project/.git/hooks", ".git/**"),
        (".svn/pristine", "**/.svn/**"),
    ],
)
def test_a_denied_directory_is_no_workspace(tmp_path: Path, root: str, rule: str) -> None:
    """Naming it as the root does not show what it holds."""
    folder = tmp_path / root
    folder.mkdir(parents=True)
    (folder / "config").write_text("secret")
    workspace = Workspace(folder, lifted=("config",))
    refusal = workspace.read("config")
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "deny_rule"
    assert refusal.rule is not None
    assert refusal.rule.endswith(rule.removeprefix("**/"))
    assert workspace.judge("config") is not None
    assert list(workspace.files()) == []


@pytest.mark.parametrize("root", ["build", "credentials-service", "vendor/project", "env"])
def test_a_project_may_be_called_like_a_rule(tmp_path: Path, root: str) -> None:
    folder = tmp_path / root
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("x = 1\n")
    assert not isinstance(Workspace(folder).read("a.py"), Refusal)


def test_an_empty_git_does_not_cut_a_folder_off_from_the_rules_above(tmp_path: Path) -> None:
    pygit2.init_repository(str(tmp_path))
    (tmp_path / "private").mkdir()
    for make in (Path.touch, Path.mkdir):
        git = tmp_path / "private" / ".git"
        make(git)
        assert find_root(tmp_path / "private" / "k.txt", tmp_path) == Root(tmp_path)
        if git.is_dir():
            git.rmdir()
        else:
            git.unlink()
