"""`manage.py` without arguments: the hub's own commands first, each with a line; Django's stay at the end."""

from __future__ import annotations

import ast
import re
from argparse import SUPPRESS, Action, ArgumentError
from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill, shorten
from typing import Any, NoReturn

from django.core.management import ManagementUtility, get_commands
from django.core.management.base import BaseCommand, CommandError, CommandParser, DjangoHelpFormatter

OWN = ("botrunner", "memory", "memoryhub", "notes", "profiles")
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Start": ("demo", "run", "doctor", "sign_in", "create_api_key", "mcp"),
    "Memory": (
        "import_messages", "import_memories", "digest", "consolidate", "recall", "context", "parked",
        "rebuild_profiles", "reindex", "export_guild",
    ),
    "Rights of members": ("export_member", "forget_member"),
    "The database": ("backup", "restore", "move_database", "distribute", "migrate"),
    "Parts of the hub, for containers and units": ("prepare", "qcluster", "runbot", "healthcheck"),
}  # fmt: skip
REST = "For who works on memoryhub"
WIDTH = 110  # columns
FILES = ("FILE", "DIR")
NEVER_EMPTY = ("KEY", "ID", *FILES)
"""What a variable of the shell stands for that is not set: without its guild a command would be for all of them."""
HALVES = re.compile("[\ud800-\udfff]")  # what Python makes of bytes that are no UTF-8


class Parser(CommandParser):
    """Says what is wrong with the arguments first, and then how to write them."""

    def error(self, message: str) -> NoReturn:
        """End with both, or raise CommandError where a program called."""
        if not self.called_from_command_line:
            raise CommandError(f"Error: {message}")
        self.exit(2, f"{self.prog}: {message.rstrip('.')}.\n{self.format_usage()}")

    def _get_values(self, action: Action, arg_strings: list[str]) -> Any:
        """Return what was given; raises ArgumentError for what can be no key, no id, no file and no text."""
        for given in arg_strings:
            if action.metavar in NEVER_EMPTY and not given.strip():
                raise ArgumentError(action, "it is empty")
            if action.metavar not in FILES and HALVES.search(given):
                raise ArgumentError(action, "it is not UTF-8")
        return super()._get_values(action, arg_strings)


class CommandLine(ManagementUtility):
    """Django's command line with an index and with words on wrong arguments that a newcomer can use."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Return the command; one of the hub's own shows its own options only, and takes Django's all the same."""
        command = super().fetch_command(subcommand)
        if _is_own(get_commands()[subcommand]):
            command.create_parser = partial(_own_parser, command.create_parser)  # type: ignore[method-assign]
        return command

    def main_help_text(self, commands_only: bool = False) -> str:  # noqa: FBT001, FBT002  Django's own signature
        """Return the index, or only the names."""
        if commands_only:
            return super().main_help_text(commands_only=True)
        apps = get_commands()
        own = {name: sentence_of(app, name) for name, app in apps.items() if _is_own(app)}
        others = ", ".join(sorted(set(apps) - set(own)))
        parts = [
            f"{self.prog_name} COMMAND, and {self.prog_name} COMMAND --help for its options.",
            *(f"{title}\n{_lines(names, own)}" for title, names in _grouped(own).items()),
            f"Of Django and libraries\n{fill(others, WIDTH, initial_indent='  ', subsequent_indent='  ')}",
        ]
        if self.settings_exception is not None:
            parts.append(
                f"The settings can't be read, and the hub's own commands are missing: {self.settings_exception}"
            )
        return "\n\n".join(parts)


def _is_own(app: object) -> bool:
    return str(app).partition(".")[0] in OWN


def _own_parser(make: Any, *names: str, **options: Any) -> CommandParser:
    parser: CommandParser = make(*names, **options)
    parser.__class__ = Parser
    parser.epilog = "Django's own options, such as --traceback, are taken, too."
    for action in parser._actions:
        if DjangoHelpFormatter.show_last & {*action.option_strings}:
            action.help = SUPPRESS
    return parser


def _grouped(own: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names under their headings; one that no heading names stands under the last."""
    grouped = {title: [name for name in names if name in own] for title, names in GROUPS.items()}
    named = {name for names in grouped.values() for name in names}
    grouped[REST] = sorted(set(own) - named)
    return {title: names for title, names in grouped.items() if names}


def _lines(names: list[str], own: Mapping[str, str]) -> str:
    """Return a line for each command: the first sentence of what it says, or of half a sentence."""
    first = {name: re.split("[.;] |[.]$", own[name])[0] for name in names}
    return "\n".join(f"  {name:<18}{shorten(first[name], WIDTH - 20, placeholder=' ...')}" for name in names)


def sentence_of(app: str, name: str) -> str:
    """Return what a command says of itself, read out of its file: to import all of them takes seconds."""
    spec = find_spec(f"{app}.management.commands.{name}")
    if spec is None or spec.origin is None:
        return ""
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    command = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Command")
    for node in command.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "help":
            return str(ast.literal_eval(node.value))
    return (ast.get_docstring(tree) or "").partition("\n")[0]
