"""Capture: what is said in a guild is stored with its guild, channel and author, and what must not be is not."""

from __future__ import annotations

import discord
import pytest
from simcord.backend import serializers
from simcord.backend.models import Overwrite
from simcord.enums import MessageType, OverwriteType

from botrunner import bridge
from notes.models import Message
from profiles import consent
from profiles.identity import find_guild
from profiles.models import Channel, Guild, Member
from tests.factories import NOON

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
    guilds = await bridge.run(list, Member.objects.values_list("guild__name", flat=True))
    assert sorted(guilds) == ["North", "South"]


async def test_a_reply_names_what_it_answers(world):
    question = await world.alice.send(world.general, "Where do you live?")
    await world.bob.send(world.general, "In Ottawa.", reply_to=question)
    answer = await bridge.run(Message.objects.get, text="In Ottawa.")
    assert answer.reply_to == str(question.id)


async def test_a_mention_is_stored_as_a_name_and_as_an_id(world):
    await world.alice.send(world.general, f"{world.bob.mention} lives in Ottawa, ask in {world.general.mention}.")
    message = await bridge.run(Message.objects.get)
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
    await bridge.run(Guild.objects.update, heard_bots=[str(robot.id), str(hook.id)])
    await robot.send(world.general, "Beep.")
    await hook.send("Somebody pushed.", username="relay")
    assert await texts() == ["Hello.", "Beep.", "Somebody pushed."]
    said = await bridge.run(list, Message.objects.said().exclude(buffer=None))
    assert len(said) == 3


async def test_the_bot_does_not_hear_itself_even_when_it_is_on_the_list(world, texts):
    await world.alice.send(world.general, "Hello.")
    await bridge.run(Guild.objects.update, heard_bots=[str(world.env.bot.user.id)])
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


async def test_a_member_who_opted_out_is_not_stored(world, texts):
    await world.alice.send(world.general, "first")
    alice = await bridge.run(Member.objects.get, platform_id=str(world.alice.id))
    await bridge.run(consent.choose, alice, remember=False, actor="member", now=NOON)
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
    await bridge.run(Message.objects.all().delete)
    await world.env.bot.get_cog("Listener").on_message(withheld)
    assert await texts() == []
    assert world.env.bot.get_cog("Listener").left_out == {"not_permitted": 1}
    assert caplog.text.count("withholds the text") == 1
    assert "Toronto" not in caplog.text


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
    assert (await bridge.run(Message.objects.get)).edited_at is None


async def test_a_pin_is_no_edit(world):
    message = await world.alice.send(world.general, "I live in Toronto.")
    world.env.backend.set_pinned(world.general.id, message.id, True)
    await world.env.settle()
    assert (await bridge.run(Message.objects.get)).edited_at is None


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
    await bridge.run(Message.objects.all().delete)
    await world.alice.edit(message, "I live in Ottawa.")
    await listener.on_message(message)
    assert await texts() == ["I live in Ottawa."]


async def test_an_edit_of_an_old_message_that_was_never_stored_stores_nothing(world, texts):
    message = await world.alice.send(world.general, "I live in Toronto.")
    await bridge.run(Message.objects.all().delete)
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
    assert not (await bridge.run(Message.objects.get)).text


async def test_a_deletion_that_overtakes_its_message_wins(world, texts):
    message = await world.alice.send(world.general, "I live in Toronto.")
    await bridge.run(Message.objects.all().delete)
    await world.alice.delete(message)
    await world.env.bot.get_cog("Listener").on_message(message)
    assert await texts() == []


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
    assert (await bridge.run(Message.objects.get)).edited_at is None


async def test_what_is_said_in_a_thread_belongs_to_the_thread_and_its_parent(world):
    thread = start_thread(world)
    await world.bob.send(thread, "Tea, always.")
    kept = await bridge.run(Channel.objects.select_related("parent").get, platform_id=str(thread.id))
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
    return (await bridge.run(Channel.objects.get, platform_id=str(channel.id))).audience


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
    assert (await bridge.run(Channel.objects.get)).name == "plaza"


async def test_a_channel_in_which_nobody_spoke_is_not_known(world):
    world.env.backend.edit_channel(world.general.id, {"name": "plaza"})
    await world.env.settle()
    assert not await bridge.run(Channel.objects.exists)


async def test_what_changed_while_the_bot_was_away_is_seen_when_it_is_back(world):
    await world.alice.send(world.general, "I live in Toronto.")
    guild = await bridge.run(find_guild, f"discord:{world.north.id}")
    await bridge.run(guild.channels.update, name="old name", audience="guild")
    await world.env.restart_bot(world.make_bot())
    assert (await bridge.run(Channel.objects.get)).name == "general"
