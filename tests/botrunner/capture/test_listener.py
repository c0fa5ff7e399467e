"""Capture: what is said in a guild is stored with its guild, channel and author, and what must not be is not."""

from __future__ import annotations

import asyncio
from copy import copy
from socket import create_server
from types import SimpleNamespace

import discord
import pytest
from simcord.backend import serializers
from simcord.backend.models import Overwrite
from simcord.enums import MessageType, OverwriteType

from botrunner import threads
from botrunner.capture import filters
from botrunner.capture.pluralkit import Speaker
from botrunner.grace_period import GracePeriod
from botrunner.history.page import read_page
from memory import erasure
from memory.models import LeftOut
from memoryhub.community import consent
from memoryhub.community.identity import find_guild
from memoryhub.community.models import Channel, Guild, Member
from notes.models import Message
from tests.factories import NOON
from tests.writers_lock import WritersLock

pytestmark = pytest.mark.django_db(transaction=True)

ROOM = discord.PermissionOverwrite


async def test_what_a_member_says_is_stored(world, texts):
    await world.alice.send(world.general, "I live in Toronto.")
    assert await texts() == ["I live in Toronto."]


async def test_each_guild_keeps_its_own(world, texts):
    await world.alice.send(world.general, "I live in Toronto.")
    await world.charlie.send(world.lounge, "I live in Lisbon.")
    assert await texts(world.north) == ["I live in Toronto."]
    assert await texts(world.south) == ["I live in Lisbon."]


async def test_one_account_is_a_member_of_each_guild_apart(world):
    twin = world.south.add_member(world.mallory.user)
    await world.mallory.send(world.general, "Here I am.")
    await twin.send(world.lounge, "And here I am.")
    guilds = await threads.run(list, Member.objects.values_list("guild__name", flat=True))
    assert sorted(guilds) == ["North", "South"]


async def test_a_reply_names_what_it_answers(world):
    question = await world.alice.send(world.general, "Where do you live?")
    await world.bob.send(world.general, "In Ottawa.", reply_to=question)
    answer = await threads.run(Message.objects.get, text="In Ottawa.")
    assert answer.reply_to == str(question.id)


async def test_a_mention_is_stored_as_a_name_and_as_an_id(world):
    await world.alice.send(world.general, f"{world.bob.mention} lives in Ottawa, ask in {world.general.mention}.")
    message = await threads.run(Message.objects.get)
    assert message.text == "@Bob lives in Ottawa, ask in #general."
    assert message.mentions == [str(world.bob.id)]


# --- Who and what is left out ------------------------------------------------------------------------------------


async def test_other_bots_are_not_heard(world, texts):
    robot = world.north.add_member(world.env.create_user("robot", bot=True))
    await robot.send(world.general, "Beep.")
    assert await texts() == []


async def test_a_bot_and_a_webhook_on_the_guilds_list_are_heard_like_people(world, texts):
    robot = world.north.add_member(world.env.create_user("robot", bot=True))
    hook = world.north.create_webhook(world.general, "relay")
    await world.alice.send(world.general, "Hello.")
    await threads.run(Guild.objects.update, heard_bots=[str(robot.id), str(hook.id)])
    await robot.send(world.general, "Beep.")
    await hook.send("Somebody pushed.", username="relay")
    assert await texts() == ["Hello.", "Beep.", "Somebody pushed."]
    said = await threads.run(list, Message.objects.said().exclude(buffer=None))
    assert len(said) == 3


async def test_the_bot_does_not_hear_itself_even_when_it_is_on_the_list(world, texts):
    await world.alice.send(world.general, "Hello.")
    await threads.run(Guild.objects.update, heard_bots=[str(world.env.bot.user.id)])
    await world.env.bot.get_channel(world.general.id).send("I am the bot.")
    assert await texts() == ["Hello."]


async def test_the_bot_does_not_hear_itself(world, texts):
    await world.env.bot.get_channel(world.general.id).send("I am the bot.")
    assert await texts() == []


async def test_what_is_said_to_the_bot_is_heard_like_anything_else(world, texts):
    await world.alice.send(world.general, f"<@{world.env.bot.user.id}> I live in Toronto.")
    text, *_ = await texts()
    assert text.endswith("I live in Toronto.")


async def test_webhooks_are_not_heard(world, texts):
    await world.north.create_webhook(world.general, "relay").send("Somebody pushed.", username="Alice")
    assert await texts() == []


async def test_system_messages_are_not_heard(world, texts):
    world.north.create_system_message(world.general, MessageType.NEW_MEMBER, author=world.alice)
    await world.env.settle()
    assert await texts() == []


async def test_a_forward_is_not_put_into_the_mouth_of_who_forwards_it(world, texts):
    original = await world.alice.send(world.general, "I live in Toronto.")
    await world.bob.forward(original, world.general)
    assert await texts() == ["I live in Toronto."]


async def test_direct_messages_are_not_heard(world, texts):
    await world.alice.send_dm("Between us: I live in Toronto.")
    assert await texts() == []


async def test_direct_messages_are_a_guild_of_their_own_where_the_operator_wants_them(world, texts, settings):
    settings.DISCORD_DIRECT_MESSAGES = True
    await world.alice.send(world.general, "In the open.")
    said = await world.alice.send_dm("Between us: I live in Toronto.")
    chat = await threads.run(Guild.objects.get, kind=Guild.Kind.DIRECT)
    assert chat.key == f"discord-dm:{said.channel.id}"
    kept = Message.objects.filter(guild=chat, author__is_bot=False).values_list("text", flat=True)
    assert await threads.run(list, kept.all()) == ["Between us: I live in Toronto."]
    assert await texts(world.north) == ["In the open."]
    gone = discord.RawMessageDeleteEvent({"id": str(said.id), "channel_id": str(said.channel.id)})
    await world.env.bot.get_cog("Listener").on_raw_message_delete(gone)
    assert await threads.run(list, kept.all()) == [""]


# --- What a guild may want ---------------------------------------------------------------------------------------


@pytest.fixture
def wants(world):
    """Set a guild's settings before anything was said in it."""

    async def wants(guild=None, **settings):
        key = f"discord:{(guild or world.north).id}"
        await threads.run(lambda: Guild.objects.update_or_create(key=key, defaults=settings))

    return wants


async def test_an_age_restricted_channel_is_heard_only_where_the_guild_wants_it(world, texts, wants):
    red, bar = (guild.create_text_channel("red") for guild in (world.north, world.south))
    for channel in (red, bar):
        world.env.bot.get_channel(channel.id).nsfw = True
    await wants(hears_nsfw=True)
    await world.alice.send(red, "wanted")
    await world.charlie.send(bar, "not wanted")
    assert await texts() == ["wanted"]


async def test_a_private_thread_is_heard_only_where_the_guild_wants_it_and_stays_among_its_readers(world, texts, wants):
    await wants(hears_private_threads=True)
    thread = start_thread(world, type=12)
    await world.alice.send(thread, "Psst.")
    assert await texts() == ["Psst."]
    assert await audience_of(thread) == "channel"


async def test_a_no_entry_sign_means_nothing_where_the_guild_says_so(world, texts, wants):
    await wants(heeds_no_entry=False)
    await world.alice.send(world.general, "⛔ closed on Sundays")
    assert await texts() == ["⛔ closed on Sundays"]


async def test_a_guild_may_keep_only_what_is_said_to_the_bot(world, texts, wants):
    await wants(addressed_only=True)
    me = world.env.bot.user.id
    await world.alice.send(world.general, "lovely weather")
    await world.alice.send(world.general, f"{world.bob.mention} lovely weather")
    await world.alice.send(world.general, f"<@{me}> remember that it rains")
    ours = await threads.run(list, Message.objects.filter(author__is_bot=False))
    assert len(ours) == 1
    assert "it rains" in ours[0].text
    await world.bob.send(world.general, "and it pours", reply_to=world.general.last_message)
    assert "and it pours" in await texts()


async def test_the_edit_of_a_stored_message_is_followed_though_it_is_no_longer_addressed(world, texts, wants):
    await wants(addressed_only=True, replies_on=False)
    said = await world.alice.send(world.general, f"<@{world.env.bot.user.id}> it rains")
    await world.alice.edit(said, "it pours")
    assert await texts() == ["it pours"]


async def test_a_blocked_member_is_not_stored(world, texts, wants):
    await wants(blocked=[str(world.mallory.id)])
    await world.mallory.send(world.general, "Here I am.")
    assert await texts() == []
    assert not await threads.run(Member.objects.exists)


async def test_where_memory_is_off_nothing_is_stored_also_not_in_a_new_thread(world, texts):
    await world.alice.send(world.general, "before")
    await threads.run(Channel.objects.update, memory_on=False)
    await world.alice.send(world.general, "after")
    await world.alice.send(start_thread(world), "in a thread")
    assert await texts() == ["before"]


# --- PluralKit -----------------------------------------------------------------------------------------------------


@pytest.fixture
def proxy(world, monkeypatch):
    """Post by a webhook that PluralKit owns; Mallory's account is behind it, unless nobody knows."""
    asked, listener = [], world.env.bot.get_cog("Listener")

    async def speaker(message_id):
        asked.append(message_id)
        return proxy.speaker

    monkeypatch.setattr(listener.proxies, "speaker", speaker)
    monkeypatch.setattr(filters, "is_proxied", lambda message: message.webhook_id is not None)
    hook = world.north.create_webhook(world.general, "PluralKit")
    proxy = SimpleNamespace(asked=asked, say=hook.send)
    proxy.speaker = Speaker(member="pk:abcde", name="Robin", account=str(world.mallory.id))
    return proxy


async def test_proxied_words_are_not_stored_and_nobody_is_asked_where_the_guild_does_not_want_them(world, texts, proxy):
    await world.alice.send(world.general, "Hello.")
    await proxy.say("I live in Porto.", username="Robin")
    assert (await texts(), proxy.asked) == (["Hello."], [])


async def test_proxied_words_belong_to_the_member_that_speaks_and_not_to_the_account(world, proxy, wants):
    await wants(hears_proxies=True)
    await proxy.say("I live in Porto.", username="Robin")
    message = await threads.run(Message.objects.select_related("author").get)
    assert (message.author.platform_id, message.author.display_name, message.author.is_bot) == (
        "pk:abcde",
        "Robin",
        False,
    )
    assert message.buffer_id is not None


async def test_proxied_words_are_not_stored_when_nobody_says_whose_they_are(world, texts, proxy, wants):
    await wants(hears_proxies=True)
    proxy.speaker = None
    await proxy.say("I live in Porto.", username="Robin")
    assert await texts() == []


async def test_the_choice_of_the_account_holds_for_what_it_says_by_proxy(world, texts, proxy, wants):
    await wants(hears_proxies=True)
    await world.mallory.send(world.general, "first")
    mallory = await threads.run(Member.objects.get, platform_id=str(world.mallory.id))
    await threads.run(consent.choose, mallory, remember=False, actor="member", now=NOON)
    await proxy.say("I live in Porto.", username="Robin")
    assert await texts() == ["first"]
    await threads.run(erasure.erase_now, mallory, now=NOON, by="member")
    await proxy.say("I live in Lisbon.", username="Robin")
    assert await texts() == []


# --- Held for a moment -------------------------------------------------------------------------------------------


@pytest.fixture
def held(world):
    """Hold what is said for an hour of the simulated clock; what is given lets it pass."""
    world.env.bot.grace_period = GracePeriod(world.env.bot.write_queue, seconds=3600)

    async def let_go():
        await world.env.advance_time(3601)
        await world.env.settle()

    return let_go


async def test_what_a_proxy_takes_back_at_once_is_never_stored(world, texts, held):
    original = await world.alice.send(world.general, "R: I live in Porto.")
    await world.alice.send(world.general, "Something else.")
    await world.alice.delete(original)
    assert await texts() == []
    await held()
    assert await texts() == ["Something else."]
    assert not await threads.run(Message.objects.exclude(deleted_at=None).exists)


async def test_a_typo_that_is_mended_at_once_is_never_stored(world, texts, held):
    message = await world.alice.send(world.general, "I live in Tornoto.")
    await world.alice.edit(message, "I live in Toronto.")
    await held()
    stored = await threads.run(Message.objects.get)
    assert (stored.text, stored.edited_at) == ("I live in Toronto.", None)


async def test_a_sign_put_in_at_once_keeps_the_message_out(world, texts, held):
    message = await world.alice.send(world.general, "My number is 555-0100.")
    await world.alice.edit(message, "My number is 555-0100. 🚫")
    await held()
    assert not await threads.run(Message.objects.exists)


async def test_what_is_held_tells_of_its_channel_as_it_is_when_it_is_written(world, held):
    """Else the last words of an open channel would open it again after it was closed."""
    await world.alice.send(world.general, "I live in Toronto.")
    world.env.backend.edit_channel(world.general.id, {}, overwrites=await closed(world))
    await world.env.settle()
    await held()
    assert await audience_of(world.general) == "channel"


async def test_what_is_held_goes_with_its_channel(world, texts, held):
    await world.alice.send(start_thread(world), "In a thread.")
    await world.alice.send(world.general, "Here.")
    await world.charlie.send(world.lounge, "Elsewhere.")
    world.env.backend.delete_channel(world.general.id)
    await world.env.settle()
    await held()
    assert await texts() == ["Elsewhere."]


async def test_the_bots_answer_is_kept_after_what_it_answers(world, texts, held):
    await world.alice.send(world.general, f"<@{world.env.bot.user.id}> lovely weather")
    assert await texts() == []
    await held()
    asked, answer = await threads.run(list, Message.objects.order_by("pk").values_list("author__is_bot", flat=True))
    assert (asked, answer) == (False, True)


async def test_an_answer_to_what_was_taken_back_is_not_kept_either(world, texts, held):
    asked = await world.alice.send(world.general, f"<@{world.env.bot.user.id}> lovely weather")
    await world.alice.delete(asked)
    await held()
    assert await texts() == []


async def test_a_member_who_opted_out_is_not_stored(world, texts):
    await world.alice.send(world.general, "first")
    alice = await threads.run(Member.objects.get, platform_id=str(world.alice.id))
    await threads.run(consent.choose, alice, remember=False, actor="member", now=NOON)
    await world.alice.send(world.general, "second")
    assert await texts() == ["first"]


async def test_a_no_entry_sign_keeps_a_message_out(world, texts):
    await world.alice.send(world.general, "⛔ my number is 555-0100")
    assert await texts() == []


async def test_a_picture_without_words_is_no_cause_for_alarm(world, texts, caplog):
    await world.alice.send(world.general, attachments=[("cat.png", b"meow")])
    assert await texts() == []
    assert world.env.bot.get_cog("Listener").left_out == {"no_text": 1}
    assert "withholds" not in caplog.text


async def test_a_withheld_text_is_counted_and_told_but_not_stored(world, texts, caplog):
    """What arrives when the portal's switch is off though the code asks for the texts."""
    message = await world.alice.send(world.general, "I live in Toronto.")
    world.env.backend.get_message(world.general.id, message.id).content = ""
    withheld = world.general.last_message
    await threads.run(Message.objects.all().delete)
    await world.env.bot.get_cog("Listener").on_message(withheld)
    assert await texts() == []
    assert world.env.bot.get_cog("Listener").left_out == {"not_permitted": 1}
    told = await threads.run(list, LeftOut.objects.values_list("guild__key", "reason", "count"))
    assert told == [(f"discord:{world.north.id}", "withheld", 1)]
    assert caplog.text.count("withholds the text") == 1
    assert "Toronto" not in caplog.text


async def test_an_operator_who_wants_it_so_is_not_told_of_withheld_texts(world, settings, caplog):
    settings.DISCORD_MESSAGE_CONTENT = False
    message = await world.alice.send(world.general, "I live in Toronto.")
    world.env.backend.get_message(world.general.id, message.id).content = ""
    await world.env.bot.get_cog("Listener").on_message(world.general.last_message)
    assert not await threads.run(LeftOut.objects.exists)
    assert "withholds" not in caplog.text


# --- Again, late, changed, gone ----------------------------------------------------------------------------------


async def test_an_event_that_comes_twice_is_stored_once(world, texts):
    message = await world.alice.send(world.general, "I live in Toronto.")
    await world.env.bot.get_cog("Listener").on_message(message)
    assert await texts() == ["I live in Toronto."]


async def test_an_edit_replaces_the_text(world, texts):
    message = await world.alice.send(world.general, "I live in Toronto.")
    await world.alice.edit(message, "I live in Ottawa.")
    assert await texts() == ["I live in Ottawa."]


async def test_an_edit_of_a_message_that_is_not_cached_is_followed(world, texts):
    message = await world.alice.send(world.general, "I live in Toronto.")
    world.env.bot._connection._messages.clear()
    await world.alice.edit(message, "I live in Ottawa.")
    assert await texts() == ["I live in Ottawa."]


async def test_an_edit_that_changes_no_text_touches_nothing(world):
    message = await world.alice.send(world.general, "I live in Toronto.")
    await world.alice.edit(message, "I live in Toronto.")
    assert (await threads.run(Message.objects.get)).edited_at is None


async def test_a_pin_is_no_edit(world):
    message = await world.alice.send(world.general, "I live in Toronto.")
    world.env.backend.set_pinned(world.general.id, message.id, True)
    await world.env.settle()
    assert (await threads.run(Message.objects.get)).edited_at is None


@pytest.mark.parametrize("cached", [True, False])
async def test_a_new_name_and_a_link_preview_make_no_edit_of_a_message(world, texts, cached):
    """The text would now read "@Robert": the update brings the mention as an id, and the same person by a new name."""
    message = await world.alice.send(world.general, f"{world.bob.mention} lives in Ottawa.")
    backend = world.env.backend
    backend.users[world.bob.id].global_name = "Robert"
    if cached:
        await world.alice.edit(message, message.content)
    else:
        world.env.bot._connection._messages.clear()
        stored = backend.get_message(world.general.id, message.id)
        backend.emit("MESSAGE_UPDATE", dict(serializers.message_payload(backend, stored)))
        await world.env.settle()
    assert await texts() == ["@Bob lives in Ottawa."]


async def test_an_edit_that_overtakes_its_message_wins(world, texts):
    listener = world.env.bot.get_cog("Listener")
    message = await world.alice.send(world.general, "I live in Toronto.")
    await threads.run(Message.objects.all().delete)
    await world.alice.edit(message, "I live in Ottawa.")
    await listener.on_message(message)
    assert await texts() == ["I live in Ottawa."]


def edit_unseen(world, said, text):
    """Tell of an edit of a message that the bot has not heard."""
    stored = world.env.backend.get_message(world.general.id, said.id)
    edited = {"content": text, "edited_timestamp": discord.utils.utcnow().isoformat(), "guild_id": str(world.north.id)}
    edited["stickers"] = edited["sticker_items"] = [{"id": "1", "name": "wave", "format_type": 1}]
    world.env.backend.emit("MESSAGE_UPDATE", dict(serializers.message_payload(world.env.backend, stored)) | edited)


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("text", ["My number is 555-0100. 🚫", ""])
async def test_an_edit_that_takes_the_text_back_and_overtakes_its_message_keeps_it_out(
    world, texts, request, hold, text
):  # fmt: skip
    let_go = request.getfixturevalue("held") if hold else world.env.settle
    said = world.env.backend.create_message(world.general.id, world.alice.id, "My number is 555-0100.", broadcast=False)
    edit_unseen(world, said, text)
    await world.env.settle()
    stored = dict(serializers.message_payload(world.env.backend, said))
    world.env.backend.emit("MESSAGE_CREATE", stored | {"guild_id": str(world.north.id)})
    await world.env.settle()
    await let_go()
    assert not await threads.run(Message.objects.exists)


@pytest.mark.parametrize(("text", "kept"), [("I live in Ottawa.", ["I live in Ottawa."]), ("I live in Ottawa. 🚫", [])])
async def test_what_is_edited_while_the_history_is_read_is_stored_as_it_reads_now(world, texts, text, kept):
    said = world.env.backend.create_message(world.general.id, world.alice.id, "I live in Toronto.", broadcast=False)
    await world.env.advance_time(3600)
    page, _ = await read_page(world.env.bot.get_channel(world.general.id), 0)
    edit_unseen(world, said, text)
    await world.env.settle()
    await world.env.bot.get_cog("Listener").hear(*page)
    assert await texts() == kept


async def test_an_edit_of_an_old_message_that_was_never_stored_stores_nothing(world, texts):
    message = await world.alice.send(world.general, "I live in Toronto.")
    await threads.run(Message.objects.all().delete)
    await world.env.advance_time(3600)
    await world.alice.edit(message, "I live in Ottawa.")
    assert await texts() == []


async def test_a_no_entry_sign_put_in_later_takes_the_text_back(world, texts):
    message = await world.alice.send(world.general, "My number is 555-0100.")
    await world.alice.edit(message, "My number is 555-0100. 🚫")
    assert await texts() == []


async def test_a_deleted_message_is_emptied(world, texts):
    message = await world.alice.send(world.general, "I live in Toronto.")
    await world.alice.delete(message)
    assert await texts() == []
    assert not (await threads.run(Message.objects.get)).text


async def test_a_deletion_that_overtakes_its_message_wins(world, texts):
    message = await world.alice.send(world.general, "I live in Toronto.")
    await threads.run(Message.objects.all().delete)
    await world.alice.delete(message)
    await world.env.bot.get_cog("Listener").on_message(message)
    assert await texts() == []


@pytest.mark.parametrize("event", ["message", "edit", "history"])
async def test_what_is_deleted_while_it_is_asked_who_speaks_is_not_stored(
    world, texts, proxy, wants, monkeypatch, event
):
    await wants(hears_proxies=True)
    proxy.speaker, known = None, proxy.speaker
    said = await proxy.say("I live in Porto.", username="Robin")
    listener, message = world.env.bot.get_cog("Listener"), world.env.bot.cached_messages[-1]

    async def slow(_message_id):
        await listener.on_raw_message_delete(discord.RawMessageDeleteEvent(gone))
        return known

    gone = {"id": str(said.id), "channel_id": str(world.general.id), "guild_id": str(world.north.id)}
    monkeypatch.setattr(listener.proxies, "speaker", slow)
    match event:
        case "message":
            await listener.on_message(message)
        case "edit":
            world.env.backend.edit_message(world.general.id, said.id, {"content": "I live in Lisbon."})
            await world.env.settle()
        case "history":
            await listener.hear(message)
    assert (message.id in listener.deleted, await texts()) == (True, [])


async def test_many_messages_deleted_at_once_are_all_emptied(world, texts):
    sent = [await world.alice.send(world.general, f"number {n}") for n in range(4)]
    world.env.backend.bulk_delete_messages(world.general.id, [message.id for message in sent[:3]])
    await world.env.settle()
    assert await texts() == ["number 3"]


async def test_a_deletion_in_one_guild_leaves_the_same_id_of_another_alone(world, texts):
    message = await world.alice.send(world.general, "I live in Toronto.")
    gone = discord.RawMessageDeleteEvent(
        {"id": str(message.id), "channel_id": str(world.lounge.id), "guild_id": str(world.south.id)}
    )
    await world.env.bot.get_cog("Listener").on_raw_message_delete(gone)
    assert await texts() == ["I live in Toronto."]


@pytest.mark.parametrize("gone", ["thread", "channel"])
async def test_what_was_read_of_a_thread_that_is_deleted_meanwhile_is_not_stored(world, texts, gone):
    thread, backend = start_thread(world), world.env.backend
    backend.create_message(thread.id, world.alice.id, "In a thread.", broadcast=False)
    page, _ = await read_page(world.env.bot.get_channel(thread.id), 0)
    backend.delete_channel(thread.id if gone == "thread" else world.general.id)
    await world.env.settle()
    await world.env.bot.get_cog("Listener").hear(*page)
    assert ([message.content for message in page][-1:], await texts()) == (["In a thread."], [])


# --- Threads and channels ----------------------------------------------------------------------------------------


def start_thread(world, name="tea talk", *, root=None, **fields):
    """Open a thread as Discord announces it: a system message named like it, and an edit of the root that is none."""
    backend = world.env.backend
    thread = backend.create_thread(world.general.id, name, world.alice.id, message_id=root and root.id, **fields)
    if root:
        stored = backend.get_message(world.general.id, root.id)
        backend.emit("MESSAGE_UPDATE", dict(serializers.message_payload(backend, stored)))
    return next(handle for handle in world.general.threads if handle.id == thread.id)


async def test_the_start_of_a_thread_says_nothing_and_edits_nothing(world, texts):
    root = await world.alice.send(world.general, "Tea or coffee?")
    start_thread(world, root=root)
    await world.env.settle()
    assert await texts() == ["Tea or coffee?"]
    assert (await threads.run(Message.objects.get)).edited_at is None


async def test_what_is_said_in_a_thread_belongs_to_the_thread_and_its_parent(world):
    thread = start_thread(world)
    await world.bob.send(thread, "Tea, always.")
    kept = await threads.run(Channel.objects.select_related("parent").get, platform_id=str(thread.id))
    assert (kept.name, kept.kind, kept.audience) == ("tea talk", "thread", "guild")
    assert (kept.parent.name, kept.parent.audience) == ("general", "guild")


async def test_a_private_thread_is_not_heard(world, texts):
    await world.alice.send(start_thread(world, type=12), "Psst.")
    assert await texts() == []


async def test_a_deleted_thread_takes_its_messages_along(world, texts):
    thread = start_thread(world)
    await world.bob.send(thread, "Tea, always.")
    await world.bob.send(world.general, "Elsewhere.")
    world.env.backend.delete_channel(thread.id)
    await world.env.settle()
    assert await texts() == ["Elsewhere."]


async def test_a_deleted_channel_takes_its_messages_and_its_threads_along(world, texts):
    await world.bob.send(start_thread(world), "Tea, always.")
    await world.bob.send(world.general, "Here.")
    await world.charlie.send(world.lounge, "Elsewhere.")
    world.env.backend.delete_channel(world.general.id)
    await world.env.settle()
    assert await texts() == ["Elsewhere."]


async def audience_of(channel):
    return (await threads.run(Channel.objects.get, platform_id=str(channel.id))).audience


async def test_a_channel_that_not_everybody_sees_has_only_its_own_readers(world):
    hidden = {world.north.default_role: ROOM(view_channel=False), world.alice: ROOM(view_channel=True)}
    staff = world.north.create_text_channel("staff", overwrites=hidden)
    await world.alice.send(staff, "I resign.")
    assert await audience_of(staff) == "channel"


async def test_a_thread_of_a_closed_channel_is_as_closed_and_so_is_its_parent(world):
    world.env.backend.edit_channel(world.general.id, {}, overwrites=await closed(world))
    thread = start_thread(world)
    await world.alice.send(thread, "I resign.")
    assert (await audience_of(thread), await audience_of(world.general)) == ("channel", "channel")


async def closed(world):
    view = discord.Permissions.view_channel.flag
    return [
        Overwrite(world.north.id, OverwriteType.ROLE, deny=view),
        Overwrite(world.alice.id, OverwriteType.MEMBER, allow=view),
    ]


async def test_a_channel_that_closes_later_is_closed_in_memory_at_once(world):
    await world.alice.send(world.general, "I live in Toronto.")
    assert await audience_of(world.general) == "guild"
    world.env.backend.edit_channel(world.general.id, {}, overwrites=await closed(world))
    await world.env.settle()
    assert await audience_of(world.general) == "channel"


async def test_all_channels_close_when_everybody_loses_the_right_to_see_them(world):
    await world.alice.send(world.general, "I live in Toronto.")
    world.env.backend.edit_role(world.north.id, world.north.id, {"permissions": 0})
    await world.env.settle()
    assert await audience_of(world.general) == "channel"


async def test_a_renamed_channel_is_renamed_in_memory(world):
    await world.alice.send(world.general, "I live in Toronto.")
    world.env.backend.edit_channel(world.general.id, {"name": "plaza"})
    await world.env.settle()
    assert (await threads.run(Channel.objects.get)).name == "plaza"


async def test_a_channel_in_which_nobody_spoke_is_not_known(world):
    world.env.backend.edit_channel(world.general.id, {"name": "plaza"})
    await world.env.settle()
    assert not await threads.run(Channel.objects.exists)


async def test_what_changed_while_the_bot_was_away_is_seen_when_it_is_back(world):
    await world.alice.send(world.general, "I live in Toronto.")
    guild = await threads.run(find_guild, f"discord:{world.north.id}")
    await threads.run(guild.channels.update, name="old name", audience="guild")
    await world.env.restart_bot(world.make_bot())
    assert (await threads.run(Channel.objects.get)).name == "general"


async def test_a_role_that_is_kept_out_later_closes_a_channel_and_what_came_from_it(world):
    role = world.env.backend.create_role(world.north.id, "guests")
    await world.alice.send(world.general, "I live in Toronto.")
    view = discord.Permissions.view_channel.flag
    overwrites = [Overwrite(role.id, OverwriteType.ROLE, deny=view)]
    world.env.backend.edit_channel(world.general.id, {}, overwrites=overwrites)
    await world.env.settle()
    assert await audience_of(world.general) == "channel"
    message = await threads.run(Message.objects.select_related("channel").get)
    assert message.heard_by == message.channel_id


# --- Guilds come and go ------------------------------------------------------------------------------------------


async def left_at(world):
    return (await threads.run(Guild.objects.get, key=f"discord:{world.north.id}")).left_at


async def test_a_guild_that_removes_the_bot_has_a_time_of_grace_though_it_is_told_twice(world):
    await world.alice.send(world.general, "I live in Toronto.")
    presence, guild = world.env.bot.get_cog("GuildMembership"), world.env.bot.get_guild(world.north.id)
    await presence.on_guild_remove(guild)
    first = await left_at(world)
    await presence.on_guild_remove(guild)
    assert first is not None
    assert await left_at(world) == first
    await presence.on_guild_join(guild)
    assert await left_at(world) is None


async def test_a_guild_that_was_never_heard_is_not_made_by_leaving(world):
    await world.env.bot.get_cog("GuildMembership").on_guild_remove(world.env.bot.get_guild(world.north.id))
    assert not await threads.run(Guild.objects.exists)


async def test_guilds_that_came_and_went_unseen_are_noticed_at_the_start(world):
    """One that came by an import or by another bot was never left: the bot is known to have been in it, or not."""
    await world.alice.send(world.general, "I live in Toronto.")
    me = str(world.env.bot.user.id)
    gone = await threads.run(lambda: Guild.objects.create(key="discord:77", name="Gone", own_bots=[me]))
    imported = await threads.run(lambda: Guild.objects.create(key="discord:78", name="Imported"))
    await threads.run(Guild.objects.filter(name="North").update, left_at=NOON)
    await world.env.restart_bot(world.make_bot())
    for guild in (gone, imported):
        await threads.run(guild.refresh_from_db)
    assert gone.left_at is not None
    assert imported.left_at is None
    assert await left_at(world) is None
    assert (await threads.run(Guild.objects.get, name="North")).own_bots == [me]


# --- Faults ------------------------------------------------------------------------------------------------------


async def test_while_the_database_is_locked_the_bot_hears_on_and_loses_nothing(world, texts):
    await world.alice.send(world.general, "before")
    listener, message = world.env.bot.get_cog("Listener"), world.general.last_message
    lock = WritersLock()
    await asyncio.to_thread(lock.take)
    waiting = [asyncio.create_task(listener.on_message(copy_of(message, number))) for number in range(1, 6)]
    assert await texts() == ["before"]
    assert len(world.env.bot.write_queue.waiting) == 5
    await asyncio.to_thread(lock.release)
    await asyncio.wait_for(asyncio.gather(*waiting), timeout=60)
    assert await texts() == ["before", *(f"number {number}" for number in range(1, 6))]


def copy_of(message, number):
    other = copy(message)
    other.id, other.content = message.id + number, f"number {number}"
    return other


async def test_a_model_that_is_away_or_slow_is_never_asked_for_what_is_heard(world, texts, settings, wants):
    """The one address that a model could be asked at is a port on which we listen: nobody comes."""
    with create_server(("127.0.0.1", 0)) as port:
        port.setblocking(False)
        settings.MEMORYHUB_MODEL, settings.OPENAI_API_KEY = "openai:gpt-test", "k"
        settings.MEMORYHUB_MODEL_BASE_URL = f"http://127.0.0.1:{port.getsockname()[1]}/v1"
        await wants(extraction_mode=Guild.ExtractionMode.MESSAGE, replies_on=False)
        message = await world.alice.send(world.general, "I live in Toronto.")
        await world.alice.edit(message, "I live in Ottawa.")
        assert await texts() == ["I live in Ottawa."]
        await world.alice.delete(message)
        assert await texts() == []
        with pytest.raises(BlockingIOError):
            port.accept()
