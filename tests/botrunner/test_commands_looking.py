"""/memory list, why, search, summarize, privacy: members see what is known of them, and nobody else's."""

from __future__ import annotations

import pytest

from botrunner import answers, bridge
from memory.models import Fact
from notes.models import Message, Summary
from profiles.models import Channel
from tests.botrunner.scenes import ask, private_room
from tests.factories import make_evidence

pytestmark = pytest.mark.django_db(transaction=True)


# --- list and why --------------------------------------------------------------------------------------------------


async def test_list_shows_the_callers_facts_with_their_numbers(world, known):
    fact = await known("Lives in Toronto.")
    await known("Lives in Ottawa.", who="bob")
    said = await ask(world.alice, world.general, "list")
    assert f"`#{fact.pk}` Lives in Toronto." in said
    assert "Ottawa" not in said


async def test_list_says_when_nothing_is_known(world):
    assert "Nothing is known" in await ask(world.alice, world.general, "list")


async def test_list_shows_nothing_of_another_guild(world, known):
    await known("Lives in Toronto.", who="mallory")
    twin = world.south.add_member(world.mallory.user)
    assert "Nothing is known" in await ask(twin, world.lounge, "list")


async def test_list_narrows_to_a_query_and_turns_pages(world, known):
    for number in range(10):
        await known(f"Owns cat {number}.")
    await known("Lives in Toronto.")
    assert "(10, page 1 of 2)" in await ask(world.alice, world.general, "list", query="cat")
    second = await ask(world.alice, world.general, "list", query="cat", page=2)
    assert second.count("Owns cat") == 2
    assert "page 2 of 2" in await ask(world.alice, world.general, "list", page=99)


async def test_the_fullest_page_and_the_longest_explanation_fit_into_a_message(world, known):
    for number in range(8):
        fact = await known(f"{number} " + "*_" * 190)
    assert (await ask(world.alice, world.general, "list")).count("`#") == 8
    said = [await world.alice.send(world.general, "**" * 120) for _ in range(6)]

    def learn_more():
        for message in Message.objects.filter(platform_id__in=[str(one.id) for one in said]):
            make_evidence(fact, message)

    await bridge.run(learn_more)
    assert (await ask(world.alice, world.general, "why", memory=str(fact.pk))).count("https://") == 5


async def test_what_is_said_of_somebody_where_they_cannot_read_stays_there(world, known):
    private_room(world)
    fact = await known("Lives in Toronto.", who="bob")
    closed = await bridge.run(Channel.objects.create, guild_id=fact.guild_id, platform_id=str(world.staff.id))
    await bridge.run(Fact.objects.update, audience=closed, text="Will be promoted.")
    assert "Nothing is known" in await ask(world.bob, world.general, "list")
    assert "no such memory" in await ask(world.bob, world.general, "why", memory=str(fact.pk))


async def test_why_shows_the_words_and_a_link_to_the_message(world, known):
    fact = await known("Lives in Toronto.")
    message = await bridge.run(Message.objects.get)
    said = await ask(world.alice, world.general, "why", memory=f"#{fact.pk}")
    assert "Alice: “Lives in Toronto.”" in said
    assert f"https://discord.com/channels/{world.north.id}/{world.general.id}/{message.platform_id}" in said


@pytest.mark.parametrize("number", ["999999", "Toronto", "#", "99999999999999999999999"])
async def test_why_knows_no_number_that_is_not_there(world, known, number):
    await known("Lives in Toronto.")
    assert "no such memory" in await ask(world.alice, world.general, "why", memory=number)


async def test_why_does_not_explain_the_facts_of_others(world, known):
    fact = await known("Lives in Toronto.")
    assert "no such memory" in await ask(world.mallory, world.general, "why", memory=str(fact.pk))


async def test_numbers_are_suggested_from_the_callers_own_facts(world, known):
    fact = await known("Lives in Toronto.")
    await known("Lives in Ottawa.", who="bob")
    offered = await world.alice.autocomplete(world.general, "memory why", "memory", "lives")
    assert [(choice["name"], choice["value"]) for choice in offered] == [("Lives in Toronto.", f"#{fact.pk}")]


async def test_text_of_members_cannot_ping_or_format(world, known):
    await known("Is **loud** to @everyone.")
    said = await ask(world.alice, world.general, "list")
    assert "@everyone" not in said
    assert "\\*\\*loud\\*\\*" in said


# --- summarize -----------------------------------------------------------------------------------------------------


async def test_a_channel_is_summed_up_for_who_asks(world):
    for number in range(3):
        await world.alice.send(
            world.general, f"The harbour festival needs {number + 2} more helpers with the lanterns."
        )
    said = await ask(world.bob, world.general, "summarize")
    assert "harbour" in said.lower()
    assert await bridge.run(Summary.objects.filter(channel__platform_id=str(world.general.id)).exists)


async def test_where_nothing_was_said_there_is_nothing_to_sum_up(world):
    assert await ask(world.bob, world.general, "summarize") == answers.NOTHING_SAID


# --- privacy -------------------------------------------------------------------------------------------------------


async def test_privacy_tells_what_is_stored_and_who_reads_it(world, known):
    await known("Lives in Toronto.")
    said = await ask(world.alice, world.general, "privacy")
    assert "messages 1, facts 1, notes 0" in said
    assert "by no model" in said
    assert "What you say is stored." in said
    await ask(world.alice, world.general, "optout", state="on")
    assert "What you say is not stored." in await ask(world.alice, world.general, "privacy")
