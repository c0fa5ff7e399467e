"""The tree of commands: told to Discord when it changed, honest when a command fails, silent about what was said."""

from __future__ import annotations

import re
import threading
from datetime import timedelta

import discord
import pytest
from discord import app_commands
from django.db import OperationalError
from psycopg.errors import DiskFull

from botrunner import threads
from botrunner.actions import memory, show
from botrunner.commands import command_tree
from memory import pipeline
from memory.models import Fact
from memoryhub.community.models import Guild
from memoryhub.db import wait_at_most
from profiles.models import ProfileEntry
from tests.botrunner.chat.test_why_buttons import answered
from tests.botrunner.scenes import ask, fits, manager, refused, words
from tests.writers_lock import WritersLock

pytestmark = pytest.mark.django_db(transaction=True)


def full(words):
    """Return what Django makes of a full disk, by SQLite's words and by PostgreSQL's code."""
    error = OperationalError(words)
    error.__cause__ = DiskFull(words)
    return error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RuntimeError("I live in Toronto."), "did not work"),
        (OperationalError("I live in Toronto."), "busy just now"),
        (full("database or disk is full: I live in Toronto."), "is full"),
    ],
)
@pytest.mark.simcord(check_errors=False)
async def test_a_command_that_fails_says_so_under_a_number_and_logs_no_words(world, monkeypatch, caplog, error, told):
    def away(*_, **__):
        raise error

    monkeypatch.setattr(show, "list_memories", away)
    said = await ask(world.alice, world.general, "list")
    assert told in said
    (number,) = [record.number for record in caplog.records if hasattr(record, "number")]
    assert number in said
    assert "Toronto" not in caplog.text


async def test_the_commands_are_told_to_discord_only_when_they_changed(world):
    def told():
        return sum(entry.method == "PUT" for entry in world.env.http_requests)

    assert told() == 1
    await world.env.restart_bot(world.make_bot())
    assert told() == 1


# --- Too late, too early, not here -------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["list", "channel off", "backfill", "optout"])
@pytest.mark.simcord(check_errors=False)
async def test_in_a_guild_that_is_not_loaded_yet_a_command_says_so_and_does_nothing(world, known, caplog, command):
    """As after each start, until Discord has told of it, and in an outage."""
    fact = await known("Lives in Toronto.")
    olga = manager(world, manage_channels=True, manage_guild=True)
    shown = await world.alice.click(await answered(world), label="Why?")
    world.env.bot._connection._add_guild_from_data({"id": str(world.north.id), "unavailable": True})
    options = {"state": "on"} if command == "optout" else {}
    told = [await refused(olga, world.general, command, **options)]
    pressed = await world.alice.click(shown.response, label=f"Put #{fact.pk} aside")
    assert [*told, pressed.response.content] == [command_tree.NOT_LOADED] * 2
    assert "a command failed" not in caplog.text
    assert await threads.run(Fact.objects.filter(status="active").count) == 1


@pytest.mark.parametrize(("status", "code"), [(404, 10062), (400, 40060)])
@pytest.mark.simcord(check_errors=False)
async def test_a_promise_that_comes_too_late_or_twice_is_no_failure(world, caplog, status, code):
    world.env.inject_error("POST", "/interactions/*/callback", status=status, code=code)
    result = await world.alice.slash(world.general, "memory list")
    assert result.response is None
    assert "a command came too late" in caplog.text
    assert "a command failed" not in caplog.text


@pytest.mark.parametrize(("status", "told"), [(404, "too late"), (500, "could not be given")])
async def test_an_answer_that_finds_no_question_any_more_is_no_failure(world, caplog, status, told):
    world.env.inject_error("PATCH", "/webhooks/*", status=status, code=10008, times=None)
    await world.alice.slash(world.general, "memory list")
    assert told in caplog.text
    assert "a command failed" not in caplog.text


async def test_a_question_that_is_gone_when_its_time_is_up_is_no_failure(world, known, caplog):
    await known("Lives in Toronto.")
    await world.alice.slash(world.general, "memory forget", what="all")
    world.env.inject_error("PATCH", "/webhooks/*", status=404, code=50027)
    await world.env.advance_time(31)
    assert "too late" in caplog.text


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (app_commands.NoPrivateMessage(), command_tree.ONLY_IN_GUILDS),
        (app_commands.MissingPermissions(["manage_guild"]), "the permission Manage Server here"),
        (app_commands.MissingPermissions(["manage_channels"]), "the permission Manage Channels here"),
        (RuntimeError(), ""),
    ],
)
def test_a_refusal_is_told_in_words(error, told):
    assert told in command_tree.refusal(error)
    assert bool(command_tree.refusal(error)) == bool(told)


# --- Direct chats ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["list", "privacy", "optout", "channel off", "backfill", "export"])
@pytest.mark.simcord(check_errors=False)
async def test_in_a_direct_message_a_command_says_where_it_works(world, command):
    options = {"state": "on"} if command == "optout" else {}
    result = await world.alice.user.slash(f"memory {command}", **options)
    assert (result.ephemeral, result.response.content) == (True, command_tree.ONLY_IN_GUILDS)
    assert not await threads.run(Guild.objects.exists)


async def test_nothing_is_suggested_in_a_direct_message(world, known):
    await known("Lives in Toronto.")
    assert await world.alice.user.autocomplete("memory why", "memory", "") == []


async def test_where_direct_messages_are_stored_their_memory_is_in_ones_own_hands(world, settings):
    settings.DISCORD_DIRECT_MESSAGES = True
    alone = world.alice.user
    assert "Remembered as" in (await alone.slash("memory remember", text="Lives in Toronto.")).response.content
    assert "Lives in Toronto." in words((await alone.slash("memory list")).response)
    assert "Nothing is known" in await ask(world.alice, world.general, "list")
    assert "Nothing is known" in words((await world.bob.user.slash("memory list")).response)
    assert (await threads.run(Guild.objects.get)).kind == "direct"


async def test_privacy_speaks_of_the_chat_there_and_of_no_server(world, settings):
    settings.DISCORD_DIRECT_MESSAGES = True
    await world.alice.send_dm("I moved to Toronto last spring.")
    said = (await world.alice.user.slash("memory privacy")).response.content
    assert "The text of messages in this chat, and what it learns" in said
    assert "What is learned here stays in this chat." in said
    assert not re.search("server|channel|thread|members", said)


async def test_what_was_learned_in_a_direct_chat_is_shown_there_with_a_link_into_it(world, settings):
    settings.DISCORD_DIRECT_MESSAGES = True
    alone = world.alice.user
    said = await alone.send_dm("I moved to Toronto last spring.")
    now = said.created_at + timedelta(hours=1)
    await threads.run(lambda: [pipeline.tick(now=now), pipeline.digest(None, now=now)])
    fact = await threads.run(Fact.objects.get)
    link = f"https://discord.com/channels/@me/{said.channel.id}/{said.id}"
    assert "Toronto" in words((await alone.slash("memory list")).response)
    assert link in words((await alone.slash("memory why", memory=f"#{fact.pk}")).response)
    assert link in words((await alone.slash("memory search", query="Toronto")).response)
    line = await threads.run(ProfileEntry.objects.get)  # a talk too short for a note: it rests on the message
    choices = [choice["value"] for choice in await alone.autocomplete("memory why", "memory", "")]
    assert choices == [f"#{fact.pk}", f"p{line.pk}"]
    assert link in words((await alone.slash("memory why", memory=f"p{line.pk}")).response)


@pytest.mark.parametrize("command", ["channel off", "backfill"])
@pytest.mark.simcord(check_errors=False)
async def test_what_is_a_servers_is_refused_there_all_the_same(world, settings, command):
    settings.DISCORD_DIRECT_MESSAGES = True
    assert (await world.alice.user.slash(f"memory {command}")).response.content == command_tree.ONLY_IN_GUILDS


async def test_commands_and_menus_are_for_servers_and_chats_with_the_bot(world):
    told = next(entry.json for entry in world.env.http_requests if entry.method == "PUT")
    contexts = {command["name"]: sorted(command["contexts"]) for command in told}
    both = {name: [0, 1] for name in ("memory", "Remember this message", "Forget this message")}
    assert contexts == both | {"memory-admin": [0]}


async def test_what_is_for_moderators_is_hidden_by_discord_from_others(world):
    told = next(entry.json for entry in world.env.http_requests if entry.method == "PUT")
    needed = {command["name"]: command["default_member_permissions"] for command in told}
    manages = discord.Permissions(manage_guild=True).value
    assert {name for name, permissions in needed.items() if permissions is not None} == {"memory-admin"}
    assert int(needed["memory-admin"]) == manages


# --- Help --------------------------------------------------------------------------------------------------------


async def test_help_lists_what_members_can_do_and_fits_into_a_message(world):
    result = await world.alice.slash(world.general, "memory help")
    said = words(result.response)
    assert result.ephemeral
    fits(result.response)
    for name in ("ask", "catchup", "forget", "list", "optout", "why"):
        assert f"`/memory {name}` " in said
    assert "memory-admin" not in said
    assert "`/memory help` Show what you can ask of this bot's memory." in said


async def test_help_lists_the_rest_for_who_manages_the_server(world):
    result = await manager(world, manage_guild=True).slash(world.general, "memory help")
    said = words(result.response)
    fits(result.response)
    assert "`/memory-admin view` " in said
    assert "`/memory channel off` " in said


# --- The database is locked --------------------------------------------------------------------------------------


@pytest.fixture
def lock(world):
    """Return what takes the lock of the database's writers, and lets go of it."""
    lock = WritersLock()
    yield lock
    lock.release()


async def test_who_only_looks_is_answered_while_the_database_is_locked(world, known, lock):
    fact = await known("Lives in Toronto.")
    lock.take()
    assert "Lives in Toronto." in await ask(world.alice, world.general, "list")
    assert "https://" in await ask(world.alice, world.general, "why", memory=f"#{fact.pk}")
    assert "memories 1" in await ask(world.alice, world.general, "privacy")
    assert "Forget 1 for good" in await ask(world.alice, world.general, "forget", what="all")


async def test_who_stores_something_waits_until_the_lock_is_gone(world, lock, monkeypatch):
    store = memory.remember

    def meanwhile(*given, **named):
        threading.Timer(0.2, lock.release).start()
        return store(*given, **named)

    monkeypatch.setattr(memory, "remember", meanwhile)
    lock.take()
    assert "Remembered as" in await ask(world.alice, world.general, "remember", text="Lives in Toronto.")


@pytest.mark.simcord(check_errors=False)
async def test_who_stores_something_is_told_when_the_lock_stays(world, known, lock, monkeypatch, caplog):
    store = memory.correct

    def impatiently(*given, **named):
        with wait_at_most(1):
            return store(*given, **named)

    fact = await known("Lives in Toronto.")
    monkeypatch.setattr(memory, "correct", impatiently)
    lock.take()
    said = await ask(world.alice, world.general, "correct", memory=f"#{fact.pk}", text="Lives in Ottawa.")
    assert "busy just now" in said
    assert "Ottawa" not in caplog.text
    lock.release()
    assert "Lives in Toronto." in await ask(world.alice, world.general, "list")
