"""“Why?” below a reply that used memory: for who was answered, with what they can do about it."""

from __future__ import annotations

import pytest

from botrunner import threads
from botrunner.actions import texts_members, why_said
from botrunner.commands.command_tree import ONLY_IN_GUILDS
from botrunner.commands.why_buttons import LONGEST, ONLY_WHO_ASKED, WhyButton, encode
from memory.models import Fact
from memory.replies.used_memories import Used
from memoryhub.community.models import Channel, Guild
from tests.botrunner.scenes import buttons, private_room, to_us, words

pytestmark = pytest.mark.django_db(transaction=True)


async def answered(world, who="alice", text="what do you know about me?"):
    """Have somebody ask the bot, and return what it said."""
    await getattr(world, who).send(world.general, to_us(world, text))
    return [message for message in world.general.history() if message.author.id == world.env.bot.user.id][-1]


def labels(response):
    return [each["label"] for each in buttons(response)]


async def test_who_was_answered_sees_what_it_rests_on(world, known):
    fact = await known("Lives in Toronto.")
    shown = await world.alice.click(await answered(world), label="Why?")
    assert shown.ephemeral
    assert words(shown.response).startswith(f"### {why_said.HEAD}")
    assert f"`#{fact.pk}` Lives in Toronto." in words(shown.response)
    assert f"/{world.north.id}/{world.general.id}/" in words(shown.response)
    assert labels(shown.response) == [f"Correct #{fact.pk}", f"Put #{fact.pk} aside"]


async def test_nobody_else_does(world, known):
    await known("Lives in Toronto.")
    shown = await world.bob.click(await answered(world), label="Why?")
    assert (shown.ephemeral, shown.response.content) == (True, ONLY_WHO_ASKED)


async def test_a_reply_without_memory_has_no_button(world):
    assert not (await answered(world, text="lovely weather")).components


async def test_one_press_puts_a_memory_aside_and_undo_brings_it_back(world, known):
    fact = await known("Lives in Toronto.")
    shown = await world.alice.click(await answered(world), label="Why?")
    done = await world.alice.click(shown.response, label=f"Put #{fact.pk} aside")
    assert done.ephemeral
    assert "Put aside, so it is used no more: Lives in Toronto." in words(done.response)
    assert await status(fact) == "archived"
    await world.alice.slash(world.general, "memory undo", memory=f"#{fact.pk}")
    assert await status(fact) == "active"


async def status(fact):
    return await threads.run(lambda: Fact.objects.get(pk=fact.pk).status)


@pytest.mark.parametrize("restart", [False, True])
async def test_the_words_are_put_right_in_a_box_also_after_a_restart(world, known, restart):
    fact = await known("Lives in Toronto.")
    shown = await world.alice.click(await answered(world), label="Why?")
    box = await world.alice.click(shown.response, label=f"Correct #{fact.pk}")
    (control,) = [part for row in box.modal["components"] for part in row.get("components", [])]
    assert control["value"] == "Lives in Toronto."
    if restart:
        await world.env.restart_bot(world.make_bot())
    done = await world.alice.submit_modal(box, {control["custom_id"]: "Lives in Montreal."})
    assert "says now: Lives in Montreal." in words(done.response)


async def test_in_a_direct_chat_that_is_stored_no_more_the_button_says_where_memory_is(world, settings):
    settings.DISCORD_DIRECT_MESSAGES = True
    alice = world.alice.user
    await alice.send_dm("remember that I live in Porto")
    world.env.bot.get_cog("Replies").answered_at.clear()
    await alice.send_dm("what do you know about me?")
    settings.DISCORD_DIRECT_MESSAGES = False
    shown = await alice.click(alice.dm_channel.last_message, label="Why?")
    assert shown.response.content == ONLY_IN_GUILDS


async def test_what_is_another_members_can_only_be_read(world, known):
    fact = await known("Alice restores old harpsichords.", who="alice")
    guild_id = world.north.id
    found = await threads.run(
        why_said.reasons, caller_of(guild_id, world.bob, world.general), [("fact", fact.pk), ("note", 99), ("x", 1)]
    )
    assert [reason.own for reason in found] == [""]
    assert "Alice: Alice restores old harpsichords." in found[0].line
    caller = caller_of(guild_id, world.bob, world.general)
    done = await threads.run(why_said.put_aside, caller, memory=f"#{fact.pk}", now=fact.said_at)
    assert done == texts_members.NOT_YOURS


def caller_of(guild_id, actor, place):
    from botrunner.actions import Caller
    from memoryhub.community.identity import Person
    from notes.messages.schemas import GuildRef, IncomingChannel

    return Caller(
        GuildRef(key=f"discord:{guild_id}"), Person(id=str(actor.id), name=actor.name),
        IncomingChannel(id=str(place.id), name="general"), frozenset({str(place.id)}),
    )  # fmt: skip


async def test_what_became_private_or_was_forgotten_is_shown_no_more(world, known):
    fact = await known("Lives in Toronto.")
    said = await answered(world)
    private_room(world)

    def close():
        guild = Guild.objects.get(key=f"discord:{world.north.id}")
        room = Channel.objects.create(guild=guild, platform_id=str(world.staff.id), audience="channel")
        Fact.objects.filter(pk=fact.pk).update(audience=room)

    await threads.run(close)
    shown = await world.alice.click(said, label="Why?")
    assert words(shown.response) == why_said.GONE
    await threads.run(lambda: Fact.objects.filter(pk=fact.pk).delete())
    assert words((await world.alice.click(said, label="Why?")).response) == why_said.GONE


async def test_a_member_who_wants_to_be_remembered_no_more_is_told_of_no_more(world, known):
    fact = await known("Alice restores old harpsichords.")
    await world.alice.slash(world.general, "memory optout", state="on")
    caller = caller_of(world.north.id, world.bob, world.general)
    assert await threads.run(why_said.reasons, caller, [("fact", fact.pk)]) == []


def test_the_largest_ids_fit_into_a_button():
    most = 2**63 - 1
    view = WhyButton.below(most, [Used(kind, most) for kind in ("fact", "entry", "note", "message", "fact")])
    assert len(view.children[0].custom_id) <= LONGEST
    assert int(encode(most), 36) == most
    assert WhyButton.below(1, [Used("message", "m-1")]) is None
