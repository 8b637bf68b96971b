"""Names that are never sent: state, key stores, logins, histories, and backups of all of these.

And what is source in spite of its name.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.languages import load_registry
from sightline.workspace import Workspace
from sightline.workspace.backups import original_names
from tests.workspace.conftest import TEXT, Write, outcome, refused

SOURCE = load_registry().source_extensions

# A path, and the rule of `credentials` that is named.
NAMES = [
    ("terraform.tfstate", "**/*.tfstate*"),
    ("infra/terraform.tfstate.backup", "**/*.tfstate*"),
    ("terraform.tfstate.d/prod/terraform.tfstate", "**/*.tfstate*"),
    ("prod.tfvars", "**/*.tfvars*"),
    ("prod.auto.tfvars.json", "**/*.tfvars*"),
    ("release.tfplan", "**/*.tfplan"),
    (".terraformrc", "**/.terraformrc"),
    ("terraform.rc", "**/terraform.rc"),
    ("kubeconfig", "**/kubeconfig"),
    ("deploy/prod.kubeconfig", "**/*.kubeconfig"),
    ("prod-kubeconfig", "**/*-kubeconfig"),
    ("prod_kubeconfig", "**/*_kubeconfig"),
    ("kubeconfig.conf", "**/kubeconfig.conf"),
    ("kubeconfig.json", "**/kubeconfig.json"),
    ("kubeconfig.yaml", "**/kubeconfig.yaml"),
    ("KubeConfig.yml", "**/kubeconfig.yml"),
    ("home/.kube/config", "**/.kube/**"),
    (".vault-token", "**/.vault-token"),
    (".vault_pass.txt", "**/.vault_pass*"),
    (".vault-password", "**/.vault-pass*"),
    (".my.cnf", "**/.my.cnf"),
    (".mylogin.cnf", "**/.mylogin.cnf"),
    (".pgpass", "**/.pgpass"),
    ("pgpass.conf", "**/pgpass.conf"),
    (".pg_service.conf", "**/.pg_service.conf"),
    (".netrc", "**/.netrc"),
    ("_netrc", "**/_netrc"),
    (".authinfo.gpg", "**/.authinfo*"),
    (".npmrc", "**/.npmrc"),
    (".pypirc", "**/.pypirc"),
    (".dockerconfigjson", "**/.dockerconfigjson"),
    (".boto", "**/.boto"),
    (".s3cfg", "**/.s3cfg"),
    (".passwd-s3fs", "**/.passwd-s3fs"),
    ("rclone.conf", "**/rclone.conf"),
    (".rclone.conf", "**/.rclone.conf"),
    (".composer/auth.json", "**/.composer/auth.json"),
    (".m2/settings.xml", "**/.m2/settings.xml"),
    (".m2/settings-security.xml", "**/.m2/settings-security.xml"),
    ("application_default_credentials.json", "**/application_default_credentials*.json"),
    (".azure/accessTokens.json", "**/.azure/**"),
    (".config/gcloud/x.json", "**/.config/gcloud/**"),
    (".config/gh/hosts.yml", "**/.config/gh/hosts.yml"),
    ("AuthKey_1.p8", "**/*.p8"),
    ("release.pk8", "**/*.pk8"),
    ("upload.jks", "**/*.jks"),
    ("upload.jceks", "**/*.jceks"),
    ("upload.bks", "**/*.bks"),
    ("upload.bcfks", "**/*.bcfks"),
    ("debug.keystore", "**/*.keystore"),
    ("a.p12", "**/*.p12"),
    ("a.pkcs12", "**/*.pkcs12"),
    ("a.pfx", "**/*.pfx"),
    ("a.kdb", "**/*.kdb"),
    ("http.keytab", "**/*.keytab"),
    ("login.keychain", "**/*.keychain"),
    ("login.keychain-db", "**/*.keychain-db"),
    ("a.agilekeychain/data/1", "**/*.agilekeychain/**"),
    ("a.1pif", "**/*.1pif"),
    ("office.ovpn", "**/*.ovpn"),
    ("secring.gpg", "**/secring.*"),
    ("wallet.dat", "**/wallet.dat"),
    ("id_rsa_work", "**/id_rsa*"),
    ("id_ed448", "**/id_ed448*"),
    ("id_xmss", "**/id_xmss*"),
    ("keys/id_ecdsa_sk", "**/id_ecdsa*"),
    ("id_ed25519_sk", "**/id_ed25519*"),
    ("id_yubi_sk", "**/id_*_sk*"),
    (".bash_history", "**/.*history"),
    (".zsh_history", "**/.*history"),
    (".psql_history", "**/.*history"),
    (".mysql_history", "**/.*history"),
    (".sqlite_history", "**/.*history"),
    (".python_history", "**/.*history"),
    (".node_repl_history", "**/.*history"),
    (".rediscli_history", "**/.*history"),
    (".irb-history", "**/.*history"),
    (".Rhistory", "**/.*history"),
    (".bash_history-01234.tmp", "**/.*_history*"),
    (".octave_hist", "**/.*_hist"),
    (".histfile", "**/.histfile"),
    (".local/share/fish/fish_history", "**/fish_history"),
    (".cassandra/cqlsh_history", "**/cqlsh_history"),
    ("PSReadLine/ConsoleHost_history.txt", "**/consolehost_history.txt"),
    (".dbshell", "**/.dbshell"),
    (".lesshst", "**/.lesshst"),
    (".viminfo", "**/.viminfo"),
]

# A backup, and the rule that denies what it is a copy of.
BACKUPS = [
    ("server.pem.old", "**/*.pem"),
    ("server.pem~", "**/*.pem"),
    ("server.pem.1", "**/*.pem"),
    ("server.pem.orig", "**/*.pem"),
    ("server.pem.save", "**/*.pem"),
    ("server.pem.20240131", "**/*.pem"),
    ("server.pem.2024-01-31", "**/*.pem"),
    ("server.pem_backup", "**/*.pem"),
    ("server.pem-old", "**/*.pem"),
    ("server.pem.bak2", "**/*.pem"),
    ("server.pem.bak~", "**/*.pem"),
    ("server.pem.~3~", "**/*.pem"),
    ("server.pem copy", "**/*.pem"),
    ("server.pem copy 2", "**/*.pem"),
    ("server.pem (1)", "**/*.pem"),
    ("#server.pem#", "**/*.pem"),
    (".#server.pem", "**/*.pem"),
    (".server.pem.swp", "**/*.pem"),
    ("._server.pem", "**/*.pem"),
    ("prod.env.bak", "**/*.env"),
    (".env.bak", "**/.env*"),
    ("..env.swp", "**/*.env"),
    ("#.env#", "**/.env*"),
    ("!home!me!.env~", "**/*.env"),
    ("%home%me%.env.swp", "**/*.env"),
    (".npmrc.bak", "**/.npmrc"),
    (".npmrc.rpmsave", "**/.npmrc"),
    (".netrc.dpkg-old", "**/.netrc"),
    (".NETRC.BAK", "**/.netrc"),
    (".my copy.cnf", "**/.my.cnf"),
    ("Copy of kubeconfig", "**/kubeconfig"),
    ("kubeconfig - Copy (2)", "**/kubeconfig"),
    ("kubeconfig.old", "**/kubeconfig"),
    ("my.p8.disabled", "**/*.p8"),
    (".pgpass.tmp", "**/.pgpass"),
    (".git-credentials~", "**/.git-credentials"),
    (".ssh.bak/known", "**/.ssh/**"),
    ("home/.aws.old/config", "**/.aws/**"),
    # Of other groups, only files: a folder `build.old` may hold anything.
    ("dump.sql.bak", "**/*.sql"),
    ("app.log.1", "**/*.log"),
]

NO_BACKUPS = [
    "build.old/a.py",
    "notes.txt.bak",
    "README~",
    "a.pem.md",
    "copy.py",
    "deepcopy.py",
    "v1.2/a.py",
    "lib-1.0.3/b.py",
    "#notes#",
]

SOURCES = [
    "x_tokenizer.py",
    "secrets.py",
    "token_bucket.go",
    "a_token_bucket.go",
    "secrets_manager.ts",
    "credentials.rb",
    "Credentials.java",
    "my_secret_store.rs",
    "SECRETS.PY",
    "airflow/secrets/base.py",
    "my_tokens/credentials/a.kt",
    "id_rsa.pub",
    "keys/id_ed25519_work.pub",
]

NO_SOURCES = [
    "x_token",
    "x_token.txt",
    "secrets.json",
    "secrets.yaml",
    "secrets.toml",
    "credentials",
    "credentials.csv",
    "client_secret.json",
    "airflow/secrets/base.yaml",
    "airflow/secrets/py",
    "secrets.p\u200by",
    "secrets.py.bak",
    "secrets/.py",
    "id_rsa",
    "id_rsa.py",
    "id_rsa.pub.old",
]


@pytest.mark.parametrize(("path", "rule"), [*NAMES, *BACKUPS])
def test_the_name_is_never_sent(root: Path, write: Write, path: str, rule: str) -> None:
    write(path, TEXT)
    workspace = Workspace(root, source_extensions=SOURCE)
    for refusal in (refused(workspace.read(path)), refused(workspace.judge(path))):
        assert (refusal.reason, refusal.rule, refusal.path) == ("deny_rule", rule, path)
    assert list(workspace.files()) == []
    assert not workspace.survey().rows


@pytest.mark.parametrize(("path", "rule"), [NAMES[0], NAMES[8], *BACKUPS[:6], BACKUPS[-3]])
def test_only_its_full_path_lifts_it(root: Path, write: Write, path: str, rule: str) -> None:
    write(path, TEXT)
    assert outcome(Workspace(root, lifted=(rule,)).read(path)) == "deny_rule"
    assert outcome(Workspace(root, lifted=(path,)).read(path)) == "seen"


def test_a_lift_of_a_file_does_not_lift_its_backups(root: Path, write: Write) -> None:
    write(".npmrc", TEXT)
    write(".npmrc.bak", TEXT)
    assert list(Workspace(root, lifted=(".npmrc",)).files()) == [".npmrc"]


def test_a_rule_that_is_lifted_denies_no_backups(root: Path, write: Write) -> None:
    write("dump.sql.bak", TEXT)
    assert list(Workspace(root, lifted=("**/*.sql",)).files()) == ["dump.sql.bak"]


@pytest.mark.parametrize("path", [*SOURCES, *NO_BACKUPS])
def test_source_and_what_only_looks_alike_is_seen(root: Path, write: Write, path: str) -> None:
    write(path, TEXT)
    workspace = Workspace(root, source_extensions=SOURCE)
    assert workspace.judge(path) is None
    assert outcome(workspace.read(path)) == "seen"
    assert list(workspace.files()) == [path]
    assert list(workspace.survey().rows) == [path]


@pytest.mark.parametrize("path", NO_SOURCES)
def test_a_word_pattern_denies_what_is_no_source(root: Path, write: Write, path: str) -> None:
    write(path, TEXT)
    workspace = Workspace(root, source_extensions=SOURCE)
    assert outcome(workspace.read(path)) == "deny_rule"
    assert list(workspace.files()) == []
    assert not workspace.survey().rows


def test_data_is_no_source_though_a_language_claims_it(root: Path, write: Write) -> None:
    """A person may add a language for YAML: that opens no `secrets.yaml`."""
    write("secrets.yaml", TEXT)
    workspace = Workspace(root, source_extensions=SOURCE | {".yaml"})
    assert outcome(workspace.read("secrets.yaml")) == "deny_rule"


def test_what_is_source_is_part_of_the_policy(root: Path) -> None:
    """Files that were judged with other languages are judged anew."""
    before = Workspace(root, source_extensions=frozenset({".py"})).survey().policy
    assert Workspace(root, source_extensions=frozenset({".py"})).survey().policy == before
    assert Workspace(root, source_extensions=frozenset({".go"})).survey().policy != before


@pytest.mark.parametrize(
    ("name", "originals"),
    [
        (".env.bak~", (".env.bak", ".env")),
        (".id_rsa.swp", (".id_rsa", "id_rsa")),
        ("a.py", ()),
        ("~", ()),
        (".bak", ()),
    ],
)
def test_names_that_a_copy_was_made_of(name: str, originals: tuple[str, ...]) -> None:
    assert original_names(name) == originals
