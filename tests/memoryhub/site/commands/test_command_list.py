import io
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandError

from memory.management.arguments import guild_of
from memoryhub.site.management.command_list import GROUPS, OWN, CommandLine
from tests.factories import make_guild


def index() -> str:
    with redirect_stdout(io.StringIO()) as told:
        CommandLine(["manage.py"]).execute()
    return told.getvalue()


def test_the_hubs_own_commands_come_first_each_with_a_line():
    own = {name for name, app in get_commands().items() if str(app).partition(".")[0] in OWN}
    ours, others = index().split("Of Django and libraries")
    told = {line.split()[0]: line.split(maxsplit=1)[1:] for line in ours.splitlines() if line.startswith("  ")}
    assert set(told) == own
    assert all(sentence and sentence[0].strip() for sentence in told.values())
    assert "createsuperuser" in others


def test_every_command_that_a_heading_names_is_there():
    assert {name for names in GROUPS.values() for name in names} <= set(get_commands())


def test_the_commands_of_the_readme_are_taken_as_they_stand():
    text = (settings.BASE_DIR / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"manage\.py ([a-z_]+ [^`\n]+)", text)  # a name alone only speaks of the command
    for line in lines:
        name, *given = shlex.split(line, comments=True)
        command = load_command_class(get_commands()[name], name)
        command.create_parser("manage.py", name).parse_args(given)
    assert len(lines) > 8


def said(*arguments: str) -> str:
    """Return what is printed before the command line ends."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(out), pytest.raises(SystemExit):
        CommandLine(["manage.py", *arguments]).execute()
    return out.getvalue()


@pytest.mark.parametrize("name", ["recall", "backup", "runbot", "evaluate"])
def test_a_wrong_argument_is_named_before_the_usage_which_has_no_options_of_django(name):
    told = said(name, "--colour", *["x"] * 9)
    assert told.startswith(f"manage.py {name}: ")
    assert "usage: " in told.splitlines()[1]
    assert "--settings" not in told


@pytest.mark.parametrize(
    "arguments",
    [
        ("create_api_key", "bot", "--guild", ""),  # else it would be for all guilds
        ("consolidate", "--guild", " "),
        ("recall", "who sails?", "--guild", "discord:1", "--member", ""),
        ("backup", ""),
        ("import_messages", "talk.json", ""),
    ],
)
def test_an_empty_name_is_refused_and_not_taken_for_none(arguments):
    assert ": it is empty.\nusage: " in said(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [("create_api_key", "b\udcff"), ("recall", "who?", "--guild", "\udcff"), ("context", "\udcff", "--guild", "a:1")],
)
def test_what_is_no_text_is_refused(arguments):
    assert ": it is not UTF-8.\nusage: " in said(*arguments)


def test_a_file_may_be_called_what_is_no_text():
    command = CommandLine(["manage.py"]).fetch_command("backup")
    assert str(command.create_parser("manage.py", "backup").parse_args(["x\udcff"]).file) == "x\udcff"


def test_an_option_that_is_left_out_is_not_called_empty():
    command = CommandLine(["manage.py"]).fetch_command("create_api_key")
    assert command.create_parser("manage.py", "create_api_key").parse_args(["bot"]).guild == ""


def test_the_help_of_our_commands_has_no_options_of_django_and_theirs_stays_as_it_is():
    assert "--force-color" not in said("recall", "--help")
    assert "--force-color" in said("createsuperuser", "--help")


def test_an_option_of_django_is_taken_by_our_commands_all_the_same():
    command = CommandLine(["manage.py"]).fetch_command("backup")
    assert command.create_parser("manage.py", "backup").parse_args(["x", "--traceback"]).traceback


@pytest.mark.django_db
def test_who_names_an_unknown_guild_is_told_the_known_ones():
    make_guild("demo:harbour")
    with pytest.raises(CommandError, match="Known guilds: demo:harbour"):
        guild_of("demo:harbor")


@pytest.mark.django_db
def test_who_names_a_guild_where_none_is_known_is_told_how_to_get_one():
    with pytest.raises(CommandError, match="loads one to look at"):
        guild_of("demo:harbor")
