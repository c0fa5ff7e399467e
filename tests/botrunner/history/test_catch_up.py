"""After an absence: what was said meanwhile is read once, in order, and only where something was heard before."""

from __future__ import annotations

import asyncio
from copy import copy
from datetime import timedelta

import discord
import pytest
from django.db import OperationalError

from botrunner import threads
from botrunner.history import catch_up, gaps
from botrunner.models import Gap, Heard
from memory.erasure import erase_now
from memoryhub.community.models import Channel, Guild
from notes.models import Message
from tests.botrunner import stand_ins

pytestmark = pytest.mark.django_db(transaction=True)


def meanwhile(world, channel, *texts, who="alice"):
    """Let somebody speak while the bot is away; return the messages' ids."""
    author = getattr(world, who).id
    said = [world.env.backend.create_message(channel.id, author, text, broadcast=False) for text in texts]
    return [message.id for message in said]


async def back(world):
    await world.env.restart_bot(world.make_bot())


async def leaves_and_comes_back(world):
    """Let the bot write all that it heard, as a clean stop does; a simulated restart alone is a kill."""
    await world.env.bot.get_cog("CatchUp").note_all()
    await back(world)


async def open_gaps():
    return await threads.run(Gap.objects.count)


async def test_what_was_said_meanwhile_is_read_once_and_in_order(world, texts):
    await world.alice.send(world.general, "before")
    meanwhile(world, world.general, "one", "two")
    await back(world)
    assert await texts() == ["before", "one", "two"]
    await back(world)
    assert await texts() == ["before", "one", "two"]
    assert await open_gaps() == 0


async def test_a_channel_in_which_nobody_spoke_before_is_read_too(world, texts):
    await world.alice.send(world.general, "before")
    meanwhile(world, world.north.create_text_channel("new"), "in a new channel")
    await back(world)
    assert await texts() == ["before", "in a new channel"]


async def test_a_guild_that_was_never_heard_is_not_read(world, texts):
    meanwhile(world, world.general, "long ago")
    await back(world)
    assert await texts() == []


async def test_a_guild_in_which_nobody_spoke_yet_is_read_from_what_was_heard_last_on(world, texts):
    meanwhile(world, world.general, "long ago")
    await world.charlie.send(world.lounge, "in another guild")
    meanwhile(world, world.general, "one", "two")
    await leaves_and_comes_back(world)
    assert await texts() == ["in another guild", "one", "two"]


async def test_a_guild_in_which_nobody_spoke_meanwhile_either_is_not_made(world):
    await world.charlie.send(world.lounge, "in another guild")
    await leaves_and_comes_back(world)
    assert await threads.run(Guild.objects.count) == 1


async def test_a_guild_in_which_nobody_spoke_yet_is_read_after_a_lost_session_too(world, texts):
    await world.charlie.send(world.lounge, "in another guild")
    cog = world.env.bot.get_cog("CatchUp")
    await cog.note_all()
    await cog.on_shard_disconnect(0)
    (number,) = meanwhile(world, world.general, "one")
    await cog.on_shard_connect(0)
    world.env.bot.get_channel(world.general.id).last_message_id = number  # as a new session names it
    await cog.on_shard_ready(0)
    assert await texts() == ["in another guild", "one"]


async def test_what_was_said_before_a_guild_was_purged_is_not_read_again(world, texts):
    await world.charlie.send(world.lounge, "in another guild")
    await world.env.bot.get_cog("CatchUp").note_all()
    await world.alice.send(world.general, "purged")
    now = discord.utils.utcnow()
    await threads.run(lambda: erase_now(Guild.objects.get(name="North"), now=now, by="moderator"))
    await back(world)
    assert await texts() == ["in another guild"]


async def test_what_must_not_be_kept_is_not_read_either(world, texts):
    await world.alice.send(world.general, "before")
    meanwhile(world, world.general, "⛔ not this", "this")
    await back(world)
    assert await texts() == ["before", "this"]


async def test_a_kill_in_the_middle_leaves_the_rest_for_the_next_start(world, texts):
    """The entry opened at the first start is older than what is stored by then, and it is the one that counts."""
    await world.alice.send(world.general, "before")
    meanwhile(world, world.general, "lost in the burst", "also lost")
    world.env.inject_error("GET", f"/channels/{world.general.id}/messages", status=500)
    await back(world)
    await world.bob.send(world.general, "live again")
    assert await open_gaps()
    await back(world)
    assert sorted(await texts()) == ["also lost", "before", "live again", "lost in the burst"]
    assert await open_gaps() == 0


async def test_what_failed_is_read_in_a_while_without_a_new_connection(world, texts):
    await world.alice.send(world.general, "before")
    meanwhile(world, world.general, "one")
    for _ in range(2):
        world.env.inject_error("GET", f"/channels/{world.general.id}/messages", status=500)
    await back(world)
    await world.env.advance_time(catch_up.AGAIN_FIRST)
    assert await texts() == ["before"]
    await world.env.advance_time(catch_up.AGAIN_FIRST)
    assert await texts() == ["before"]  # twice as long after the second failure
    await world.env.advance_time(catch_up.AGAIN_FIRST)
    assert await texts() == ["before", "one"]
    assert await open_gaps() == 0


async def test_what_fails_once_more_for_whatever_reason_is_tried_on(world, texts, monkeypatch):
    await world.alice.send(world.general, "before")
    meanwhile(world, world.general, "one")
    world.env.inject_error("GET", f"/channels/{world.general.id}/messages", status=500)
    await back(world)
    with monkeypatch.context() as away:
        away.setattr(gaps, "gaps_of", fails)
        await world.env.advance_time(catch_up.AGAIN_FIRST)
    await world.env.advance_time(2 * catch_up.AGAIN_FIRST)
    assert await texts() == ["before", "one"]


async def test_with_the_database_away_at_the_first_try_it_is_tried_on(world, texts, monkeypatch):
    await world.alice.send(world.general, "before")
    meanwhile(world, world.general, "one")
    with monkeypatch.context() as away:
        away.setattr(gaps, "open_new", fails)
        await back(world)
    await world.env.advance_time(catch_up.AGAIN_FIRST)
    assert await texts() == ["before", "one"]


def fails(*_):
    raise OperationalError


async def test_a_read_that_a_lost_connection_ended_takes_no_later_one_away(world, texts, monkeypatch):
    await world.alice.send(world.general, "before")
    cog, begun, goes_on = world.env.bot.get_cog("CatchUp"), asyncio.Event(), asyncio.Event()
    monkeypatch.setattr(catch_up, "AGAIN_FIRST", 1)

    async def slow(*_):
        begun.set()
        await goes_on.wait()
        return [], None

    with monkeypatch.context() as patched:
        patched.setattr(catch_up, "read_page", slow)
        await cog.on_shard_disconnect(0)
        meanwhile(world, world.general, "one")
        await cog.on_shard_connect(0)
        first = asyncio.create_task(cog.on_shard_ready(0))
        await begun.wait()
        patched.setattr(catch_up, "read_page", fails)
        await cog.on_shard_disconnect(0)
        await cog.on_shard_connect(0)
        await cog.on_shard_ready(0)
        goes_on.set()
        await first
    for again in cog.later.values():
        await again
    assert await texts() == ["before", "one"]


async def test_a_channel_that_may_not_be_read_is_given_up(world, texts):
    await world.alice.send(world.general, "before")
    meanwhile(world, world.general, "unseen")
    world.env.inject_error("GET", f"/channels/{world.general.id}/messages", status=403)
    await back(world)
    assert await texts() == ["before"]
    assert await open_gaps() == 0


async def test_a_lost_connection_opens_gaps_and_a_resumed_one_closes_them(world):
    await world.alice.send(world.general, "before")
    cog = world.env.bot.get_cog("CatchUp")
    await cog.on_shard_disconnect(0)
    last = await threads.run(Message.objects.get)
    assert set(await threads.run(list, Gap.objects.values_list("after", flat=True))) == {int(last.platform_id)}
    await cog.on_shard_resumed(0)
    assert await open_gaps() == 0


async def test_a_bot_that_is_closing_reads_no_further_and_keeps_the_gap_open(world, texts, monkeypatch):
    await world.alice.send(world.general, "before")
    cog = world.env.bot.get_cog("CatchUp")
    await cog.on_shard_disconnect(0)
    await cog.on_shard_connect(0)
    await threads.run(Message.objects.all().delete)
    with monkeypatch.context() as patched:
        patched.setattr(world.env.bot, "is_closed", lambda: True)
        await threads.run(Gap.objects.update, after=1)
        await cog.on_shard_ready(0)
    assert await texts() == []
    assert await open_gaps()
    await cog.on_shard_ready(0)
    assert await texts() == ["before"]


async def test_a_resumed_connection_closes_only_what_its_loss_had_opened(world):
    """What was open before is still to be read: the gateway tells only of the time of the loss."""
    await world.alice.send(world.general, "before")
    message = await threads.run(Message.objects.select_related("guild").get)
    older = await threads.run(lambda: Gap.objects.create(guild=message.guild, channel_id="42", after=7))
    cog = world.env.bot.get_cog("CatchUp")
    world.env.inject_error("GET", f"/channels/{world.general.id}/messages", status=500)
    await cog.on_shard_disconnect(0)
    with_both = await open_gaps()
    cog.down.add(0)
    await cog.put_for_shard(gaps.close_gaps, 0, cog.opened.pop(0))
    assert (with_both, await threads.run(Gap.objects.get)) == (3, older)


async def test_a_late_ready_of_a_lost_session_closes_nothing(world):
    await world.alice.send(world.general, "before")
    cog = world.env.bot.get_cog("CatchUp")
    await cog.on_shard_disconnect(0)
    await cog.on_shard_ready(0)
    assert await open_gaps()
    await cog.on_shard_connect(0)
    await cog.on_shard_ready(0)
    assert await open_gaps() == 0


async def test_a_connection_lost_while_a_channel_is_read_leaves_it_for_the_next(world, texts, monkeypatch):
    await world.alice.send(world.general, "before")
    cog, listener = world.env.bot.get_cog("CatchUp"), world.env.bot.get_cog("Listener")
    await cog.on_shard_disconnect(0)
    await cog.on_shard_connect(0)
    await threads.run(Gap.objects.update, after=1)
    hear = listener.hear

    async def lost_meanwhile(*messages, **options):
        await hear(*messages, **options)
        await cog.on_shard_disconnect(0)

    with monkeypatch.context() as patched:
        patched.setattr(listener, "hear", lost_meanwhile)
        await cog.on_shard_ready(0)
    assert await open_gaps()


async def test_channels_of_which_nothing_is_kept_are_not_read(world):
    await world.alice.send(world.general, "before")
    await threads.run(Channel.objects.update, memory_on=False)
    meanwhile(world, world.general, "unheard")
    await back(world)
    asked = {(request.method, request.path) for request in world.env.http_requests}
    assert ("GET", f"/channels/{world.general.id}/messages") not in asked
    assert await open_gaps() == 0


# --- Direct chats --------------------------------------------------------------------------------------------------


@pytest.fixture
def chats(settings):
    settings.DISCORD_DIRECT_MESSAGES = True


async def chat_texts():
    rows = Message.objects.filter(guild__kind="direct", author__is_bot=False).order_by("pk")
    return await threads.run(list, rows.values_list("text", flat=True))


@pytest.mark.usefixtures("chats")
async def test_what_was_said_in_a_direct_chat_meanwhile_is_read_once(world, texts):
    said = await world.alice.send_dm("before")
    meanwhile(world, said.channel, "one", "⛔ not this", "two")
    await back(world)
    assert await chat_texts() == ["before", "one", "two"]
    await back(world)
    assert await chat_texts() == ["before", "one", "two"]
    assert await open_gaps() == 0


@pytest.mark.usefixtures("chats")
async def test_a_direct_chat_that_can_not_be_read_now_is_read_at_the_next_start(world):
    said = await world.alice.send_dm("before")
    meanwhile(world, said.channel, "one")
    world.env.inject_error("GET", f"/channels/{said.channel.id}/messages", status=500)
    await back(world)
    assert await chat_texts() == ["before"]
    await back(world)
    assert await chat_texts() == ["before", "one"]


@pytest.mark.usefixtures("chats")
async def test_a_direct_chat_that_failed_is_read_in_a_while(world):
    said = await world.alice.send_dm("before")
    meanwhile(world, said.channel, "one")
    world.env.inject_error("GET", f"/channels/{said.channel.id}/messages", status=500)
    await back(world)
    await world.env.advance_time(catch_up.AGAIN_FIRST)
    assert await chat_texts() == ["before", "one"]


@pytest.mark.usefixtures("chats")
async def test_direct_chats_are_tried_on_with_the_database_away_at_the_first_try(world, monkeypatch):
    said = await world.alice.send_dm("before")
    meanwhile(world, said.channel, "one")
    with monkeypatch.context() as away:
        away.setattr(gaps, "chats_with_gaps", fails)
        await back(world)
    await world.env.advance_time(catch_up.AGAIN_FIRST)
    assert await chat_texts() == ["before", "one"]


@pytest.mark.usefixtures("chats")
async def test_a_direct_chat_that_is_closed_is_given_up(world):
    said = await world.alice.send_dm("before")
    meanwhile(world, said.channel, "one")
    world.env.inject_error("GET", f"/channels/{said.channel.id}", status=404, code=10003)
    await back(world)
    assert await chat_texts() == ["before"]
    assert await open_gaps() == 0


@pytest.mark.usefixtures("chats")
async def test_a_lost_connection_opens_gaps_of_direct_chats_too(world):
    said = await world.alice.send_dm("before")
    cog = world.env.bot.get_cog("CatchUp")
    await cog.on_shard_disconnect(0)
    meanwhile(world, said.channel, "one")
    await cog.on_shard_connect(0)
    await cog.on_shard_ready(0)
    assert await chat_texts() == ["before", "one"]
    assert await open_gaps() == 0


async def test_what_was_said_in_a_direct_chat_while_none_was_stored_is_never_read(world, settings):
    settings.DISCORD_DIRECT_MESSAGES = True
    said = await world.alice.send_dm("before")
    settings.DISCORD_DIRECT_MESSAGES = False
    await leaves_and_comes_back(world)
    await world.alice.send_dm("nothing written here is stored")
    meanwhile(world, said.channel, "nor this")
    await leaves_and_comes_back(world)
    await world.alice.send_dm("nor that")
    settings.DISCORD_DIRECT_MESSAGES = True
    meanwhile(world, said.channel, "while away")
    await leaves_and_comes_back(world)
    assert await chat_texts() == ["before", "while away"]


# --- Heard, and not kept -------------------------------------------------------------------------------------------


async def test_what_was_said_while_a_channel_was_off_is_not_read_later_as_missed(world, texts):
    await world.alice.send(world.general, "before")
    await threads.run(Channel.objects.update, memory_on=False)
    await world.alice.send(world.general, "not to be stored")
    await threads.run(Channel.objects.update, memory_on=True)
    meanwhile(world, world.general, "while away")
    await leaves_and_comes_back(world)
    assert await texts() == ["before", "while away"]


async def test_a_kill_leaves_a_minute_before_what_was_heard_last_to_be_read_again(world):
    await world.alice.send(world.general, "before")
    await world.env.advance_time(3600)
    later = await world.alice.send(world.general, "an hour later")
    cog = world.env.bot.get_cog("CatchUp")
    heard = discord.utils.snowflake_time(await threads.run(lambda: Heard.objects.get().until))
    assert timedelta(0) <= heard - (later.created_at - catch_up.LATE) < timedelta(seconds=1)
    await cog.note_all()
    assert (await threads.run(Heard.objects.get)).until == later.id


async def test_a_message_that_is_still_looked_at_keeps_the_mark_before_it(world):
    looked_at = await world.alice.send(world.general, "by a proxy, whose author is still looked up")
    world.env.bot.get_cog("Listener").looked_at.add(looked_at.id)
    await world.env.advance_time(3600)
    await world.alice.send(world.general, "an hour later")
    assert (await threads.run(Heard.objects.get)).until < looked_at.id
    await world.env.bot.get_cog("CatchUp").note_all()
    assert (await threads.run(Heard.objects.get)).until < looked_at.id


async def test_what_discord_withheld_is_read_once_it_is_allowed(world, texts):
    await world.alice.send(world.general, "before")
    (number,) = meanwhile(world, world.general, "withheld at first")
    seen = copy(world.env.bot.get_channel(world.general.id).get_partial_message(number))
    withheld = stand_ins.message("", id=number, guild=world.env.bot.get_guild(world.north.id))
    withheld.created_at = seen.created_at
    for name in ("Listener", "CatchUp"):
        await world.env.bot.get_cog(name).on_message(withheld)
    await world.alice.send(world.general, "after")
    await threads.run(Message.objects.filter(text="after").delete)
    await back(world)
    assert await texts() == ["before", "withheld at first", "after"]


def test_each_shard_has_heard_only_what_is_its_own():
    Heard.objects.create(shard=1, of=2, until=7)
    Heard.objects.create(shard=0, of=1, until=5)
    even, odd = (Guild(key=f"discord:{number << 22}") for number in (2, 3))
    assert [gaps.heard_until(guild) for guild in (even, odd, Guild(key="discord-dm:9"))] == [5, 7, 5]
