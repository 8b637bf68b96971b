"""`sightline help`, `sightline completion`, and the text for a start without a command."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping

import attrs

from sightline.cli.output import DONE, Output
from sightline.refusals import Refusal, RefusalKind
from sightline.suggesting import did_you_mean

FIRST_STEPS = """\
Sightline builds context for an AI: the right code, inside a token budget, without secrets.

  sightline build PATH:LINE            the bundle for the symbol around a line
  sightline find "what is wrong"       the code that a text is about
  sightline context review             what a reviewer of your change needs
  sightline pack                       what this codebase is
  sightline doctor                     check the installation

'sightline --help' lists all commands, 'sightline help COMMAND' explains one.
"""


@attrs.frozen
class Command:
    """A command of the shell, or an action of a command."""

    name: str
    """The name as it is typed: `snapshot list`."""
    about: str
    parser: argparse.ArgumentParser

    @property
    def options(self) -> list[argparse.Action]:
        return [each for each in self.parser._actions if each.dest != "help"]


def commands_of(parser: argparse.ArgumentParser, before: str = "") -> Iterator[Command]:
    """Yield every command that can be run, including the actions of commands."""
    for name, (about, own) in subparsers(parser).items():
        inner = list(commands_of(own, f"{before}{name} "))
        yield from inner or [Command(f"{before}{name}", about, own)]


def subparsers(
    parser: argparse.ArgumentParser,
) -> Mapping[str, tuple[str, argparse.ArgumentParser]]:
    """Return the description and the parser of each command, by name."""
    found: dict[str, tuple[str, argparse.ArgumentParser]] = {}
    # argparse has no public list of its commands.
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {each.dest: each.help or "" for each in action._choices_actions}
            found.update((name, (told.get(name, ""), own)) for name, own in action.choices.items())
    return found


def run_help(options: argparse.Namespace, output: Output) -> int:
    """Print the help of a command, or of all commands."""
    parser: argparse.ArgumentParser = options.root_parser
    for word in options.words:
        known = subparsers(parser)
        if word not in known:
            return output.refuse(_unknown(word, known))
        parser = known[word][1]
    output.raw(parser.format_help().encode())
    return DONE


def _unknown(word: str, known: Mapping[str, object]) -> Refusal:
    near = did_you_mean(word, known)
    listed = f"commands: {', '.join(known)}" if known else "it has no commands of its own"
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "usage",
        None,
        f"there is no command '{word[:40]}'",
        "; ".join(each for each in (near, listed) if each),
    )


def run_completion(options: argparse.Namespace, output: Output) -> int:
    """Print the script that completes commands and options in a shell."""
    commands = list(commands_of(options.root_parser))
    output.raw(_SCRIPTS[options.shell](commands).encode())
    return DONE


def _words(command: Command, groups: Iterable[str]) -> list[str]:
    """Return the words that can be typed after a command: its options and fixed values."""
    words = [option for each in command.options for option in each.option_strings]
    for each in command.options:
        if not each.option_strings:
            words += [str(choice) for choice in each.choices or ()]
    return [*words, *groups] if command.name == "help" else words


def _values(command: Command) -> dict[str, list[str]]:
    """Return the values of each option that takes one; empty if any value will do."""
    return {
        option: [str(choice) for choice in each.choices or ()]
        for each in command.options
        for option in each.option_strings
        if each.nargs != 0
    }


def _groups(commands: list[Command]) -> dict[str, list[str]]:
    """Return the first words of commands, each with its second words."""
    found: dict[str, list[str]] = {}
    for command in commands:
        first, _, second = command.name.partition(" ")
        found.setdefault(first, []).extend([second] if second else [])
    return found


def _bash(commands: list[Command]) -> str:
    groups = _groups(commands)
    cases = [f'    "{each.name}") words="{" ".join(_words(each, groups))}" ;;' for each in commands]
    cases += [
        f'    "{first}") words="{" ".join(seconds)}" ;;'
        for first, seconds in groups.items()
        if seconds
    ]
    # The shell completes file names where there are no words.
    values = [
        f'    "{each.name} {option}") words="{" ".join(choices)}" ;;'
        for each in commands
        for option, choices in _values(each).items()
    ]
    nested = "|".join(first for first, seconds in groups.items() if seconds)
    return f"""\
# bash completion for sightline: source <(sightline completion bash)
_sightline() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command="${{COMP_WORDS[1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="{" ".join(groups)}"
  else
    case "$command" in
    {nested}) [ "$COMP_CWORD" -gt 2 ] && command="$command ${{COMP_WORDS[2]}}" ;;
    esac
    case "$command" in
{chr(10).join(cases)}
    esac
    case "$command $before" in
{chr(10).join(values)}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _sightline sightline
"""


def _zsh(commands: list[Command]) -> str:
    return f"""\
# zsh completion for sightline: source <(sightline completion zsh)
(( $+functions[compdef] )) || {{ autoload -U compinit && compinit; }}
autoload -U +X bashcompinit && bashcompinit
{_bash(commands).partition(chr(10))[2]}"""


def _fish(commands: list[Command]) -> str:
    groups = _groups(commands)
    lines = ["# fish completion for sightline: sightline completion fish | source"]
    about = {each.name: each.about for each in commands}
    for first, seconds in groups.items():
        told = about.get(first, "")
        condition = "__fish_use_subcommand"
        lines.append(f"complete -c sightline -f -n {condition} -a {first} -d {_quoted(told)}")
        names = " ".join(seconds)
        for second in seconds:
            condition = (
                f"'__fish_seen_subcommand_from {first}; "
                f"and not __fish_seen_subcommand_from {names}'"
            )
            told = about[f"{first} {second}"]
            lines.append(f"complete -c sightline -f -n {condition} -a {second} -d {_quoted(told)}")
    for command in commands:
        seen = "; and ".join(
            f"__fish_seen_subcommand_from {word}" for word in command.name.split(" ")
        )
        for action in command.options:
            for option in action.option_strings:
                if option.startswith("--"):
                    told = (action.help or "").replace("%%", "%")
                    line = f"complete -c sightline -n '{seen}' -l {option[2:]} -d {_quoted(told)}"
                    lines.append(f"{line}{_fish_values(action)}")
            if not action.option_strings and action.choices:
                choices = " ".join(str(each) for each in action.choices)
                lines.append(f"complete -c sightline -n '{seen}' -f -a '{choices}'")
    helped = (
        f"complete -c sightline -n '__fish_seen_subcommand_from help' -f -a '{' '.join(groups)}'"
    )
    lines.append(helped)
    return "\n".join(lines) + "\n"


def _fish_values(action: argparse.Action) -> str:
    if action.choices:
        return f" -x -a '{' '.join(str(each) for each in action.choices)}'"
    return "" if action.nargs == 0 else " -r"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_SCRIPTS = {"bash": _bash, "fish": _fish, "zsh": _zsh}
SHELLS = tuple(_SCRIPTS)
