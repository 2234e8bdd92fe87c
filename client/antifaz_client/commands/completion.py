"""Completion: a shell script that completes commands and options.

eval "$(antifaz completion bash)"        in ~/.bashrc; zsh in ~/.zshrc
antifaz completion fish | source         in ~/.config/fish/config.fish
"""

import argparse
import shlex
from collections.abc import Mapping

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("shell", choices=SHELLS)


def main(arguments: argparse.Namespace) -> int:
    """Print the script."""
    from antifaz_client.commands.main import build_parser

    words = words_of(build_parser())
    print(_fish(words) if arguments.shell == "fish" else _bash(words, zsh=arguments.shell == "zsh"))
    return 0


def words_of(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """The words that can follow each command; under the empty name, the commands themselves."""
    found: dict[str, list[str]] = {"": _options(parser)}
    for name, command in _subcommands(parser).items():
        found[""].append(name)
        inner = _subcommands(command)
        below = [word for each in inner.values() for word in _options(each)]
        found[name] = list(dict.fromkeys([*_options(command), *inner, *below]))
    return found


def _options(parser: argparse.ArgumentParser) -> list[str]:
    options = [word for action in parser._actions for word in action.option_strings if word.startswith("--")]
    chosen = [str(choice) for action in parser._actions if not action.option_strings for choice in action.choices or ()]
    return options if _subcommands(parser) else options + chosen


def _subcommands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return action.choices
    return {}


def _bash(words: Mapping[str, list[str]], *, zsh: bool) -> str:
    cases = "\n".join(f"    {name}) words={shlex.quote(' '.join(each))} ;;" for name, each in words.items() if name)
    load = "autoload -U +X bashcompinit && bashcompinit\n" if zsh else ""
    return f"""{load}_antifaz() {{
  local words current="${{COMP_WORDS[COMP_CWORD]}}"
  case "${{COMP_WORDS[1]}}" in
{cases}
    *) words={shlex.quote(" ".join(words[""]))} ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words={shlex.quote(" ".join(words[""]))}
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _antifaz antifaz"""


def _fish(words: Mapping[str, list[str]]) -> str:
    lines = [f"complete -c antifaz -n __fish_use_subcommand -a {shlex.quote(' '.join(words['']))}"]
    for name, each in words.items():
        if name:
            lines.append(
                f"complete -c antifaz -n '__fish_seen_subcommand_from {name}' -a {shlex.quote(' '.join(each))}"
            )
    return "\n".join(lines)
