"""What Discord sends beside plain talk: odd texts, odd channels, webhooks, hostile names, refusals; nothing breaks."""

from __future__ import annotations

from copy import copy
from types import SimpleNamespace

import discord
import pytest
from simcord.backend import serializers

from botrunner import threads
from memory.models import Fact
from memoryhub.community.models import Channel, Guild
from notes.models import Message
from tests.botrunner.capture.test_listener import start_thread
from tests.botrunner.history.test_catch_up import back, meanwhile
from tests.botrunner.scenes import ask, manager

pytestmark = pytest.mark.django_db(transaction=True)

LOUD = "@everyone **loud** <@&123456789012345678>"


async def hear(world, **fields):
    """Let the listener hear the newest message with other fields."""
    other = copy(world.general.last_message)
    other.id += 1
    for name, value in fields.items():
        setattr(other, name, value)
    await world.env.bot.get_cog("Listener").on_message(other)


async def kept(channel):
    """Return how a channel is known."""
    row = await threads.run(Channel.objects.select_related("parent").get, platform_id=str(channel.id))
    return row.kind, row.audience, row.parent and row.parent.name


# --- Texts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("I live in Toronto. " * 600, ("I live in Toronto. " * 600)),
        ("🎉🎉", "🎉🎉"),
        ("<:party:123456789012345678>", ":party:"),
        ("a\x00b", "ab"),
    ],
    ids=["very long", "emoji only", "own emoji only", "null character"],
)
async def test_an_odd_text_is_stored_as_it_is_read(world, texts, said, stored):
    await world.alice.send(world.general, "first")
    await hear(world, content=said)
    assert await texts() == ["first", stored]


async def test_a_reply_to_a_message_that_is_gone_is_stored(world, texts):
    gone = SimpleNamespace(
        message_id=42, type=discord.MessageReferenceType.reply, resolved=discord.DeletedReferencedMessage(None)
    )
    await world.alice.send(world.general, "first")
    await hear(world, content="Yes, it is.", reference=gone, type=discord.MessageType.reply)
    assert (await threads.run(Message.objects.get, text="Yes, it is.")).reply_to == "42"


# --- Channels ------------------------------------------------------------------------------------------------------


async def test_a_post_of_a_forum_is_a_thread_of_it(world, texts):
    forum, backend = world.north.create_forum_channel("help"), world.env.backend
    post = backend.create_thread(forum.id, "How to brew tea?", world.alice.id, broadcast=False)
    backend.announce_thread_create(post)
    backend.create_message(post.id, world.alice.id, "Hot water first?")
    await world.env.settle()
    assert await texts() == ["Hot water first?"]
    assert await kept(post) == ("thread", "guild", "help")


@pytest.mark.parametrize("make", ["create_voice_channel", "create_stage_channel"])
async def test_the_chat_of_a_voice_or_stage_channel_is_voice(world, texts, make):
    place = getattr(world.north, make)("hall")
    await world.alice.send(place, "Can you hear me?")
    assert await texts() == ["Can you hear me?"]
    assert await kept(place) == ("voice", "guild", None)


async def test_an_announcement_that_is_published_is_stored_once_and_no_edit(world, texts):
    news = world.north.create_news_channel("news")
    said = await world.alice.send(news, "Soup night moves to Friday.")
    world.env.backend.crosspost_message(news.id, said.id)
    await world.env.settle()
    assert await texts() == ["Soup night moves to Friday."]
    assert (await threads.run(Message.objects.get)).edited_at is None


async def test_a_thread_that_is_archived_and_opened_again_is_heard(world, texts):
    thread = start_thread(world)
    await world.bob.send(thread, "Tea, always.")
    for archived in (True, False):
        put_away(world, thread, archived=archived)
        await world.env.settle()
    await world.bob.send(thread, "Still tea.")
    assert await texts() == ["Tea, always.", "Still tea."]


async def test_a_thread_that_is_opened_again_by_another_name_is_renamed_in_memory(world, texts):
    thread = start_thread(world)
    await world.bob.send(thread, "Tea, always.")
    put_away(world, thread, archived=True)
    world.env.backend.get_channel(thread.id).name = "coffee talk"
    put_away(world, thread, archived=False)
    await world.env.settle()
    assert (await threads.run(Channel.objects.get, platform_id=str(thread.id))).name == "coffee talk"


async def test_a_thread_that_was_archived_while_the_bot_was_away_is_read(world, texts):
    thread = start_thread(world)
    await world.bob.send(thread, "Tea, always.")
    meanwhile(world, thread, "Still tea.")
    put_away(world, thread, archived=True)
    other = start_thread(world, "begun and ended meanwhile")
    meanwhile(world, other, "Coffee?")
    put_away(world, other, archived=True)
    await world.env.advance_time(2 * 3600)
    await back(world)
    assert sorted(await texts()) == ["Coffee?", "Still tea.", "Tea, always."]


@pytest.mark.parametrize("wanted", [True, False])
async def test_a_private_thread_that_was_archived_meanwhile_is_read_where_the_guild_wants_it(world, texts, wanted):
    await world.bob.send(world.general, "Hello.")
    await threads.run(Guild.objects.update, hears_private_threads=wanted)
    thread = start_thread(world, type=12)
    world.env.backend.add_thread_member(thread.id, world.env.bot.user.id)
    meanwhile(world, thread, "Psst.")
    put_away(world, thread, archived=True)
    await world.env.advance_time(2 * 3600)
    await back(world)
    assert await texts() == ["Hello.", "Psst."][: 1 + wanted]


async def test_archived_threads_that_can_not_be_listed_now_keep_the_book_open(world, texts):
    thread = start_thread(world)
    await world.bob.send(thread, "Tea, always.")
    meanwhile(world, thread, "Still tea.")
    put_away(world, thread, archived=True)
    await world.env.advance_time(2 * 3600)
    world.env.inject_error("GET", f"/channels/{world.general.id}/threads/archived/public", status=500)
    await back(world)
    assert await texts() == ["Tea, always."]
    await back(world)
    assert await texts() == ["Tea, always.", "Still tea."]


def put_away(world, thread, *, archived):
    """Archive a thread as Discord tells it: from then on no start of a session names it."""
    backend = world.env.backend
    named = backend.get_guild(world.north.id).thread_ids
    named.remove(thread.id) if archived else named.append(thread.id)
    channel = backend.get_channel(thread.id)
    channel.thread_metadata.archived = archived
    channel.thread_metadata.archive_timestamp = discord.utils.utcnow().isoformat()
    backend.emit("THREAD_UPDATE", dict(serializers.channel_payload(backend, channel)))


# --- Webhooks ------------------------------------------------------------------------------------------------------


async def test_the_edit_of_a_webhooks_message_is_followed_only_where_it_is_heard(world, texts):
    heard, other = (world.north.create_webhook(world.general, name) for name in ("relay", "noise"))
    await world.alice.send(world.general, "Hello.")
    await threads.run(Guild.objects.update, heard_bots=[str(heard.id)])
    for hook in (heard, other):
        said = await hook.send("Somebody pushed.", username="hook")
        world.env.backend.edit_message(world.general.id, said.id, {"content": "Somebody pushed twice."})
        await world.env.settle()
    assert await texts() == ["Hello.", "Somebody pushed twice."]


# --- Names ---------------------------------------------------------------------------------------------------------


async def test_hostile_names_neither_ping_nor_format(world):
    place = world.north.create_voice_channel(LOUD)
    mallory = world.north.add_member(world.env.create_user("mal", global_name=LOUD))
    olga = manager(world, manage_guild=True, manage_channels=True)
    await mallory.send(world.general, "I live in Toronto.")
    told = [
        await ask(olga, world.general, "channel status", channel=place),
        await ask(olga, world.general, "channel off", channel=place),
        await ask(olga, world.general, "admin clear", member=mallory),
    ]
    assert [name for name in told if "@everyone" in name or "**loud**" in name or "<@&1" in name] == []


async def test_a_guild_that_is_renamed_is_renamed_in_memory(world):
    await world.alice.send(world.general, "I live in Toronto.")
    world.env.backend.edit_guild(world.north.id, {"name": "Far North"})
    await world.env.settle()
    assert (await threads.run(Guild.objects.get)).name == "Far North"


async def test_a_new_name_that_went_unseen_is_known_after_a_restart(world):
    await world.alice.send(world.general, "I live in Toronto.")
    await threads.run(Guild.objects.update, name="Old North")
    await back(world)
    assert (await threads.run(Guild.objects.get, key=f"discord:{world.north.id}")).name == "North"


# --- Refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [50013, 50001])
async def test_an_answer_that_may_not_be_sent_undoes_nothing(world, caplog, code):
    world.env.inject_error("POST", f"/channels/{world.general.id}/messages", status=403, code=code)
    await world.alice.send(world.general, f"<@{world.env.bot.user.id}> remember that I live in Porto")
    assert await threads.run(Fact.objects.count) == 1
    assert "an answer could not be sent" in caplog.text
    assert "Porto" not in caplog.text


async def test_an_answer_comes_though_nobody_can_be_shown_that_it_is_written(world):
    world.env.inject_error("POST", f"/channels/{world.general.id}/typing", status=500)
    await world.alice.send(world.general, f"<@{world.env.bot.user.id}> remember that I live in Porto")
    assert "Lives in Porto" in world.general.last_message.content


async def test_a_member_who_left_is_still_found_and_erased_by_who_manages(world, known):
    await known("Lives in Toronto.")
    world.env.backend.remove_member(world.north.id, world.alice.id)
    await world.env.settle()
    olga = manager(world, manage_guild=True)
    assert "Lives in Toronto." in await ask(olga, world.general, "admin view", member=world.alice.user)
    assert "memories 1" in await ask(olga, world.general, "admin clear", member=world.alice.user)
