"""Help for people who do not know the command line yet."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sightline.cli.arguments import command_parser
from sightline.cli.helping import SHELLS, commands_of
from sightline.suggesting import near_paths, suggestions
from tests.cli.conftest import Ask, plain, run_at_terminal


def test_a_start_without_a_command_says_what_to_do_next(ask: Ask) -> None:
    answer = ask()
    assert (answer.code, answer.out) == (2, b"")
    assert "sightline build PATH:LINE" in answer.err
    assert "Traceback" not in answer.err


def test_help_explains_a_command_and_an_action(ask: Ask) -> None:
    assert ask("help", "build").out.startswith(b"usage: sightline build ")
    assert ask("help", "snapshot", "list").out.startswith(b"usage: sightline snapshot list ")
    assert b"COMMAND" in ask("help").out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("buld", "use.py"), "there is no command 'buld'; did you mean build?"),
        (("build", "use.py", "--taks", "x"), "did you mean --task?"),
        (("slice", "use.py", "--level", "ful"), "did you mean full?"),
        (("help", "outlin"), "did you mean outline?"),
        (("build", "us.py"), "Did you mean use.py?"),
        (("build", "lib/shapes.py"), "Did you mean shapes.py?"),
        (("build", "use.py::Sqare"), "did you mean Square?"),
        (("slice", "use.py", "--level", "region", "--symbol", "Sqare"), "did you mean Square?"),
    ],
)
@pytest.mark.usefixtures("workspace")
def test_a_slip_is_answered_with_what_may_be_meant(
    ask: Ask, typed: tuple[str, ...], meant: str
) -> None:
    answer = ask(*typed)
    assert answer.code != 0
    assert meant in answer.err


def test_what_looks_like_nothing_suggests_nothing(ask: Ask) -> None:
    assert "did you mean" not in ask("zzzzzz").err
    assert suggestions("", ["build"]) == []
    assert suggestions("x" * 10_000, ["x" * 10_000]) == []
    assert near_paths("a.py", ["b/a.py", "c.py"]) == ["b/a.py"]


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_knows_every_command(ask: Ask, shell: str) -> None:
    script = ask("completion", shell).out.decode()
    for command in commands_of(command_parser()):
        for word in command.name.split(" "):
            assert word in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("sn", "snapshot"),
        ("snapshot li", "list"),
        ("build --max", "--max-input-tokens"),
        ("snapshot list --si", "--since"),
        ("build use.py --format ma", "markdown"),
        ("snapshot create --keep or", "orphan"),
        ("completion fi", "fish"),
        ("help out", "outline"),
    ],
)
def test_bash_completes(ask: Ask, tmp_path: Path, typed: str, offered: str) -> None:
    script = tmp_path / "completion.bash"
    script.write_bytes(ask("completion", "bash").out)
    words = ["sightline", *typed.split(" ")]
    told = subprocess.run(
        [
            "bash",
            "-c",
            f"source {script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1};"
            ' _sightline; echo "${COMPREPLY[@]}"',
        ],
        capture_output=True,
        check=True,
    )
    assert told.stdout.decode().split() == [offered]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_offers_no_words_where_any_value_will_do(ask: Ask, tmp_path: Path) -> None:
    """Then bash completes the names of files."""
    script = tmp_path / "completion.bash"
    script.write_bytes(ask("completion", "bash").out)
    typed = f"source {script}; COMP_WORDS=(sightline build --output ''); COMP_CWORD=3; _sightline"
    told = subprocess.run(
        ["bash", "-c", f'{typed}; echo "${{COMPREPLY[@]}}"'], capture_output=True, check=True
    )
    assert told.stdout == b"\n"


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_loads_the_script_without_any_set_up(ask: Ask, tmp_path: Path) -> None:
    script = tmp_path / "completion.zsh"
    script.write_bytes(ask("completion", "zsh").out)
    told = subprocess.run(
        ["zsh", "-f", "-c", f"source {script}; (( $+functions[_sightline] )) && echo loaded"],
        capture_output=True,
        check=True,
    )
    assert told.stdout == b"loaded\n"


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes(ask: Ask, tmp_path: Path) -> None:
    script = tmp_path / "completion.fish"
    script.write_bytes(ask("completion", "fish").out)
    told = subprocess.run(
        [
            "fish",
            "--no-config",
            "-c",
            f"source {script}; complete -C 'sightline build --format ma'",
        ],
        capture_output=True,
        check=True,
    )
    assert told.stdout.split() == [b"markdown"]


def test_every_command_is_described_in_whole_sentences() -> None:
    """A description that was cut off by mistake ends without a full stop."""
    cut = {
        command.name: command.parser.description
        for command in commands_of(command_parser())
        if not (command.parser.description or "").endswith((".", ")", '"'))
    }
    assert cut == {}


@pytest.mark.parametrize(
    "typed",
    [
        ("outline", "wide.py"),
        ("refs", "Wide.method"),
        ("explain", "wide.py::Wide.method"),
        ("find", "the method of the wide class returns the first of very many arguments"),
        ("build", "wide.py::Wide", "--explain", "--output", "../bundle.md"),
        ("settings",),
        ("models",),
        ("doctor",),
        ("index", "--stats"),
    ],
    ids=" ".join,
)
def test_tables_fit_a_terminal_of_80_columns(workspace: Path, typed: tuple[str, ...]) -> None:
    names = ", ".join(f"argument_{number}: int" for number in range(20))
    (workspace / "wide.py").write_text(
        f"class Wide:\n    def method(self, {names}) -> int:\n        return argument_1\n"
        f"def use(wide: Wide) -> int:\n    return wide.method({', '.join('1234567' * 20)})\n"
    )
    code, shown, _ = run_at_terminal(workspace, *typed, columns=80)
    lines = [line.split("\r")[-1] for line in plain(shown).split("\n")]
    told = [line for line in lines if not line.startswith(("sightline: ", "your own settings"))]
    too_wide = [line for line in told if len(line) > 80]
    assert (code, too_wide) == (0, [])


def test_settings_say_where_the_users_file_is(workspace: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "own")
    _, shown, _ = run_at_terminal(workspace, "settings", SIGHTLINE_CONFIG_DIR=place, columns=300)
    assert f"your own settings file: {place}/settings.toml (it does not exist yet)" in plain(shown)
