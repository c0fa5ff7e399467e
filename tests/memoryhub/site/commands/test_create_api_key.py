from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memoryhub.community.models import Guild
from memoryhub.models import ApiKey, AuditEntry
from memoryhub.site.views.audit_words import in_words, who
from tests.api_client import Api
from tests.factories import make_guild

pytestmark = pytest.mark.django_db


def made(*args: str) -> str:
    out = StringIO()
    call_command("create_api_key", *args, stdout=out)
    return out.getvalue()


def test_the_key_is_the_last_word_of_the_output():
    make_guild()
    assert Api(made("bot").split()[-1]).get("discord:1/facts").status_code == 200


def test_a_guild_that_is_new_is_made():
    made("bot", "--guild", "irc:ubuntu")
    assert ApiKey.objects.get().guild == Guild.objects.get(key="irc:ubuntu")


def test_the_audit_log_has_it_as_if_a_page_had_made_it():
    made("bot", "--guild", make_guild().key)
    (entry,) = AuditEntry.objects.all()
    assert (entry.actor, entry.verb, entry.guild_id) == ("command:create_api_key", "changed", make_guild().pk)
    assert (in_words(entry), who(entry.actor)) == ("Created an API key", ("create_api_key", "command"))


def test_a_guild_that_is_there_is_taken():
    made("bot", "--guild", make_guild().key)
    assert Guild.objects.count() == 1


def test_a_key_for_all_guilds_is_said_to_be_one_beside_the_key(capsys):
    assert made("bot").count("\n") == 1  # one line to take the key from
    assert "it opens all guilds" in capsys.readouterr().err
    made("bot", "--guild", "discord:1")
    assert "it opens all guilds" not in capsys.readouterr().err


def test_a_name_that_is_taken_is_refused():
    made("bot", "--guild", "discord:1")
    with pytest.raises(CommandError, match="'bot' for discord:1 is in use"):
        made("bot", "--guild", "discord:1", "--scope", "read")
    assert ApiKey.objects.count() == 1


@pytest.mark.parametrize(
    ("asked", "given"), [([], "write"), (["--scope", "read"], "read"), (["--scope", "read,write,admin"], "admin")]
)
def test_the_widest_scope_named_is_given(asked, given):
    made("bot", *asked)
    assert ApiKey.objects.get().scope == given


@pytest.mark.parametrize(
    "args", [["bot", "--guild", "nonsense"], ["bot", "--scope", "owner"], ["bot", "--scope", ""], [" "], ["x" * 101]]
)
def test_what_makes_no_sense_is_refused(args):
    with pytest.raises(CommandError):
        made(*args)
    assert not ApiKey.objects.exists()
