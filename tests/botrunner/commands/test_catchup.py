"""/memory catchup: what the caller missed, as far as they can read it."""

from __future__ import annotations

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from botrunner import threads
from botrunner.actions import Caller, texts_members
from botrunner.actions.community import catchup, texts_catchup
from memoryhub.community.identity import Person
from memoryhub.community.models import Guild, Member
from notes.messages.schemas import GuildRef
from notes.models import InteractionNote, Message
from tests.botrunner.scenes import ask, fits, press, private_room, promised, words
from tests.factories import NOON, days

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_member_reads_what_concerns_them_with_a_link(world):
    await world.alice.send(world.general, "See you!")
    await threads.run(long_ago)
    said = await world.bob.send(world.general, "Alice, the boat is fixed.")
    told = await ask(world.alice, world.general, "catchup")
    assert f"__{texts_catchup.HEADINGS['mention']}__\n• Bob: Alice, the boat is fixed. <t:" in told
    assert f"/{world.general.id}/{said.id}" in told
    assert "Alice" not in (await ask(world.bob, world.general, "catchup", since="hour")).replace("Alice, the", "")


def long_ago():
    """Have all that was said been said three days ago."""
    for message in Message.objects.all():
        Message.objects.filter(pk=message.pk).update(sent_at=message.sent_at - days(3))


async def test_who_missed_nothing_is_told_so(world):
    assert texts_catchup.NOTHING in await ask(world.alice, world.general, "catchup")
    await world.alice.send(world.general, "Hello")
    assert texts_catchup.NOTHING in await ask(world.alice, world.general, "catchup")


async def test_what_they_can_not_read_is_not_told(world):
    private_room(world)
    await world.alice.send(world.staff, "Bob, the prize is yours.")
    await world.alice.send(world.general, "Bob, hello.")
    told = await ask(world.bob, world.general, "catchup", since="day")
    assert "hello" in told
    assert "prize" not in told


async def test_a_channel_that_they_can_not_read_is_refused(world):
    private_room(world)
    await world.alice.send(world.staff, "Bob, the prize is yours.")
    caller = Caller(GuildRef(key=f"discord:{world.north.id}"), Person(id=str(world.bob.id), name="bob"))
    page, _ = await threads.run(
        catchup.show, caller, since=NOON - days(900), channel_id=str(world.staff.id), page=1, now=NOON
    )
    assert page.head == texts_catchup.NOT_READABLE


async def test_one_who_reads_a_closed_channel_is_told_of_it_anywhere(world):
    private_room(world)
    await world.alice.send(world.staff, "Shall we give Mallory the prize?")
    await world.alice.send(world.general, "Hello everybody.")

    def by_bob():
        bob = Member.objects.create(guild=Guild.objects.get(key=f"discord:{world.north.id}"), platform_id="9", name="x")
        Message.objects.filter(text__contains="prize").update(author=bob, mentions=[str(world.alice.id)])

    await threads.run(by_bob)
    assert "prize" in await ask(world.alice, world.general, "catchup", since="day")


async def test_names_and_words_of_members_can_not_format_or_ping(world):
    await world.alice.send(world.general, "**Bob** @everyone https://example.org `look`")
    told = await ask(world.bob, world.general, "catchup", since="day")
    assert "@everyone" not in told
    assert "\\*\\*Bob\\*\\*" in told


async def test_long_absences_come_in_pages_that_fit(world, noted):
    for number in range(12):
        await noted(f"The lantern festival {number} " + "_*" * 20, who="bob", summary="~|" * 300)
    result = await promised(world.alice, world.alice.slash(world.general, "memory catchup", since="day"))
    assert "Page 1 of 3." in words(result.response)
    await press(world.alice, result, "Next")
    assert "Page 2 of 3." in words(result.response)
    fits(result.response)


async def test_where_memory_is_off_nothing_is_told(world):
    await world.bob.send(world.general, "Alice, the boat is fixed.")
    await threads.run(Guild.objects.update, memory_on=False)
    assert await ask(world.alice, world.general, "catchup") == texts_members.MEMORY_OFF


async def test_a_note_of_who_is_not_remembered_any_more_is_not_told(world, noted):
    await noted("The lantern festival", who="bob")
    await ask(world.bob, world.general, "optout", state="on")
    assert await threads.run(InteractionNote.objects.exists)
    assert "lantern" not in await ask(world.alice, world.general, "catchup", since="day")


async def test_the_chat_of_a_voice_channel_is_told_to_those_only_who_may_join_it(world):
    hall, connect = world.north.create_voice_channel("hall"), discord.Permissions.connect.flag
    await world.bob.send(hall, "Alice, the lantern is in the boat.")
    assert "lantern" in await ask(world.alice, world.general, "catchup", since="day")
    out = [Overwrite(world.alice.id, OverwriteType.MEMBER, deny=connect)]
    world.env.backend.edit_channel(hall.id, {}, overwrites=out)
    await world.env.settle()
    assert "lantern" not in await ask(world.alice, world.general, "catchup", since="day")
