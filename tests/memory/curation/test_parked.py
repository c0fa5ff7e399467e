"""What was given up is shown with its reason and without its text, and can be tried again."""

from datetime import timedelta

import pytest
from django.core.management import call_command

from memory import pipeline
from memory.curation import parked
from memory.models import Action, Fact
from memoryhub.community.models import Guild
from notes.models import ChannelBuffer, Message
from tests.api_client import api_for
from tests.factories import NOON, make_buffer, make_channel, make_guild, minutes
from tests.incoming import SOUTH, north, say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db
LATER = NOON + minutes(60)
BY = {"actor": "operator:bob", "now": NOON + timedelta(days=9)}


def give_up(purpose="extraction", **fields):
    """Say something and let the model fail at it five times."""
    say("I live in Toronto.", id="m-given-up", **fields)
    with scripted() as model:
        model.fail(purpose, 9)
        for day in range(5):
            now = LATER + timedelta(days=day)
            pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=now)
            pipeline.digest(None, now=now)


def test_a_message_is_shown_with_its_reason_and_since_when():
    give_up()
    found = parked.list_parked([north()])
    [message] = found.messages
    assert (found.message_count, message.platform_id, message.attempts) == (1, "m-given-up", 5)
    assert "overloaded" in message.last_error
    assert LATER < message.parked_at <= LATER + timedelta(days=4)


def test_another_guild_s_are_not_shown():
    give_up(guild=SOUTH)
    make_guild()
    assert parked.list_parked([north()]).message_count == 0


def test_replayed_messages_are_learned_from():
    give_up()
    assert parked.replay(north(), **BY) == parked.Replayed(messages=1, buffers=0)
    pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=BY["now"])
    assert Fact.objects.get().text == "Lives in Toronto."
    assert parked.list_parked([north()]).message_count == 0
    assert Action.objects.get(kind="replay").detail == {"messages": 1, "buffers": 0}


def test_where_conversations_are_learned_from_at_their_end_the_conversation_is_digested_again():
    make_guild(extraction_mode="flush")
    give_up()
    ChannelBuffer.objects.update(status="done", step="done")
    parked.replay(north(), **BY)
    pipeline.digest_closed(None, now=BY["now"])
    assert Fact.objects.get().text == "Lives in Toronto."


def test_a_replayed_conversation_goes_on_at_the_step_that_failed():
    say("The workshop is down by the river, behind the old mill, and the boat lies at the bridge all winter long. " * 2)
    with scripted() as model:
        model.fail("note", 9)
        for day in range(5):
            pipeline.digest(None, now=LATER + timedelta(days=day))
    [buffer] = parked.list_parked([north()]).buffers
    assert (buffer.step, buffer.attempts) == ("note", 5)
    assert buffer.parked_at - (LATER + timedelta(days=4)) < timedelta(minutes=1)
    assert parked.replay(north(), buffers=[buffer.pk], **BY) == parked.Replayed(messages=0, buffers=1)
    assert pipeline.digest_closed(None, now=BY["now"]).notes == 1


def test_only_what_is_named_is_replayed():
    give_up()
    assert parked.replay(north(), messages=[], **BY).messages == 0
    assert parked.replay(north(), buffers=[1], **BY).messages == 0
    assert parked.replay(north(), messages=[Message.objects.get().pk], **BY).messages == 1


def test_the_api_shows_and_replays():
    give_up()
    api = api_for(north(), "admin")
    body = api.get("discord:1/parked").json()
    assert (body["message_count"], body["buffer_count"], body["buffers"]) == (1, 0, [])
    assert body["messages"][0]["id"] == "m-given-up"
    assert "Toronto" not in str(body)
    assert api.post("discord:1/parked/replay", {"messages": ["m-none"]}).json() == {"messages": 0, "buffers": 0}
    assert api.post("discord:1/parked/replay").json() == {"messages": 1, "buffers": 0}


def test_replaying_needs_scope_admin():
    assert api_for(make_guild(), "write").post("discord:1/parked/replay").status_code == 403


def test_the_command_shows_and_replays(capsys):
    give_up()
    call_command("parked")
    assert "Parked: 1 message, 0 conversations." in (out := capsys.readouterr().out)
    assert "m-given-up" in out
    assert "Toronto" not in out
    call_command("parked", "--guild", "discord:1", "--replay")
    assert "to be tried again: 1 message and 0 conversations." in capsys.readouterr().out


def test_a_replay_tells_of_no_guild_that_had_nothing_parked(capsys):
    give_up()
    make_guild("discord:2")
    call_command("parked", "--replay")
    assert capsys.readouterr().out == "discord:1: to be tried again: 1 message and 0 conversations.\n"
    call_command("parked", "--replay")
    assert capsys.readouterr().out == "Nothing is parked.\n"


def test_a_long_list_is_shown_page_by_page():
    for number in range(3):
        make_buffer(make_channel(name=f"c{number}"), status="parked", parked_at=NOON)
    first = parked.list_parked([make_guild()], limit=2)
    rest = parked.list_parked([make_guild()], limit=2, buffers_before=first.next_buffer)
    assert [str(row.channel) for row in (*first.buffers, *rest.buffers)] == ["#c2", "#c1", "#c0"]
    assert (first.buffer_count, rest.buffer_count, rest.next_buffer) == (3, 3, None)


def test_the_api_s_list_goes_on_where_it_ended():
    for number in range(3):
        make_buffer(make_channel(name=f"c{number}"), status="parked", parked_at=NOON)
    api = api_for(make_guild())
    first = api.get("/api/v1/guilds/discord:1/parked?limit=2").json()
    rest = api.get(f"/api/v1/guilds/discord:1/parked?limit=2&buffers_cursor={first['next_buffers_cursor']}").json()
    assert [row["channel"] for row in first["buffers"] + rest["buffers"]] == ["c-c2", "c-c1", "c-c0"]
    assert (rest["next_buffers_cursor"], rest["next_messages_cursor"]) == (None, None)
