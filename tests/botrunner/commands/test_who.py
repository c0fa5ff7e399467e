"""/memory who: who told of something, as far as it may be told in the channel; `/memory privacy` with `findable`."""

from __future__ import annotations

import pytest

from botrunner import threads
from botrunner.actions import texts_members
from botrunner.actions.community import texts_who
from memoryhub.community.models import Guild, Member
from tests.botrunner.scenes import ask, fits, index_facts, press, private_room, promised, words
from tests.factories import make_evidence, make_fact, make_message

pytestmark = pytest.mark.django_db(transaction=True)


async def learnt(known, *said, **fields):
    for text in said:
        await known(text, **fields)
    await threads.run(index_facts)


async def test_who_told_of_it_is_named_with_their_words_and_a_link(world, known):
    await learnt(known, "I restore old harpsichords.")
    said = await ask(world.bob, world.general, "who", about="Who knows about harpsichords?")
    assert "• Alice: I restore old harpsichords. <t:" in said
    assert f"/channels/{world.north.id}/{world.general.id}/" in said
    assert await ask(world.bob, world.general, "who", about="trumpets") == texts_who.NOBODY


async def test_nothing_of_a_closed_channel_or_of_another_server_is_told(world, known):
    private_room(world)
    await learnt(known, "I restore old harpsichords.", channel="staff")
    for actor, place in ((world.bob, world.general), (world.alice, world.general), (world.charlie, world.lounge)):
        assert await ask(actor, place, "who", about="harpsichords") == texts_who.NOBODY
    assert "harpsichords" in await ask(world.alice, world.staff, "who", about="harpsichords")


async def test_who_will_not_be_found_is_not_and_sees_so(world, known):
    await learnt(known, "I restore old harpsichords.")
    assert texts_who.IS_FOUND in await ask(world.alice, world.general, "privacy")
    assert await ask(world.alice, world.general, "privacy", findable="off") == texts_who.NOT_FOUND
    assert await ask(world.bob, world.general, "who", about="harpsichords") == texts_who.NOBODY
    assert texts_who.IS_NOT_FOUND in await ask(world.alice, world.general, "privacy")
    assert await ask(world.alice, world.general, "privacy", findable="on") == texts_who.FOUND
    assert "Alice" in await ask(world.bob, world.general, "who", about="harpsichords")


async def test_who_never_spoke_may_choose(world):
    assert await ask(world.bob, world.general, "privacy", findable="off") == texts_who.NOT_FOUND
    bob = await threads.run(Member.objects.get, platform_id=str(world.bob.id))
    assert (bob.findable, bob.remember) == (False, None)


async def test_where_only_those_are_remembered_who_said_yes_nobody_else_is_found(world, known):
    await learnt(known, "I restore old harpsichords.")
    await threads.run(Guild.objects.update, consent_mode="opt_in")
    assert await ask(world.bob, world.general, "who", about="harpsichords") == texts_who.NOBODY
    await ask(world.alice, world.general, "optout", state="off")
    assert "Alice" in await ask(world.bob, world.general, "who", about="harpsichords")


async def test_who_opted_out_is_not_found(world, known):
    await learnt(known, "I restore old harpsichords.")
    await ask(world.alice, world.general, "optout", state="on")
    assert await ask(world.bob, world.general, "who", about="harpsichords") == texts_who.NOBODY


async def test_names_and_words_can_not_format_or_ping(world, known):
    await learnt(known, "I restore **old** harpsichords @everyone https://x.example")
    said = await ask(world.bob, world.general, "who", about="**harpsichords** @here")
    assert "@everyone" not in said
    assert "@here" not in said
    assert "\\*\\*old\\*\\*" in said


async def test_the_longest_answers_come_in_pages_that_fit(world, known):
    await known("I restore harpsichords. " + "_*" * 80)

    def more():
        guild = Guild.objects.get(key=f"discord:{world.north.id}")
        channel = guild.channels.get(platform_id=str(world.general.id))
        for number in range(7):
            name = f"{number}~|" * 20
            member = Member.objects.create(guild=guild, platform_id=f"9{number:018}", display_name=name)
            message = make_message(
                "I tune harpsichords. " + "~|" * 100, channel=channel, author=member, platform_id=f"8{number:018}"
            )
            make_evidence(make_fact("Tunes harpsichords " + "_*" * 90 + str(number), subject=member), message)
        index_facts()

    await threads.run(more)
    result = await promised(world.bob, world.bob.slash(world.general, "memory who", about="harpsichords " + "_" * 280))
    assert "Page 1 of 2." in words(result.response)
    await press(world.bob, result, "Next")
    assert "Page 2 of 2." in words(result.response)
    fits(result.response)


async def test_a_server_may_switch_searching_or_memory_off(world, known):
    await learnt(known, "I restore old harpsichords.")
    await threads.run(Guild.objects.update, member_search=False)
    assert await ask(world.bob, world.general, "who", about="harpsichords") == texts_members.NO_SEARCH
    await threads.run(Guild.objects.update, memory_on=False)
    assert await ask(world.bob, world.general, "who", about="harpsichords") == texts_members.MEMORY_OFF
