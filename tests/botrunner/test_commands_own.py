"""/memory remember, correct, undo, forget, optout: members do as they like with their own memory, and nobody else's."""

from __future__ import annotations

import pytest

from botrunner import bridge
from memory.models import Fact
from profiles.models import Channel, ConsentChoice, Guild, Member
from tests.botrunner.scenes import ask, facts, private_room
from tests.factories import make_fact

pytestmark = pytest.mark.django_db(transaction=True)


# --- remember ------------------------------------------------------------------------------------------------------


async def test_remember_stores_a_fact_that_is_sure(world):
    assert "Remembered as" in await ask(world.alice, world.general, "remember", text="Lives in Toronto.")
    fact = await bridge.run(Fact.objects.select_related("subject").get)
    assert (fact.text, fact.confidence, fact.source_type) == ("Lives in Toronto.", 1.0, "explicit")
    assert fact.subject.platform_id == str(world.alice.id)
    assert "told directly" in await ask(world.alice, world.general, "why", memory=str(fact.pk))


async def test_remember_in_a_closed_channel_stays_in_the_channel(world):
    private_room(world)
    assert "only in this channel" in await ask(world.alice, world.staff, "remember", text="Lives in Toronto.")
    fact = await bridge.run(Fact.objects.select_related("audience").get)
    assert fact.audience.platform_id == str(world.staff.id)


async def test_remember_refuses_a_secret_and_says_why(world):
    said = await ask(world.mallory, world.general, "remember", text="My password is hunter2-Swordfish!")
    assert "cannot be remembered" in said
    assert await facts() == []


@pytest.mark.parametrize("scope", [Guild, Channel])
async def test_remember_stores_nothing_where_memory_is_off(world, scope):
    await world.bob.send(world.general, "hello")
    await bridge.run(scope.objects.update, memory_on=False)
    assert "switched off" in await ask(world.alice, world.general, "remember", text="Lives in Toronto.")
    assert await facts() == []


async def test_remember_stores_nothing_of_somebody_who_opted_out(world):
    await ask(world.alice, world.general, "optout", state="on")
    assert "not to be remembered" in await ask(world.alice, world.general, "remember", text="Lives in Toronto.")
    assert await facts() == []


# --- forget --------------------------------------------------------------------------------------------------------


async def forget(actor, channel, what):
    result = await actor.slash(channel, "memory forget", what=what)
    assert result.ephemeral
    return result


async def test_forget_shows_first_and_erases_when_confirmed(world, known):
    await known("Lives in Toronto.")
    await known("Owns a cat.")
    await known("Owns a cat called Bit.", who="bob")
    result = await forget(world.alice, world.general, "cat")
    assert "Forget 1 for good" in result.response.content
    assert len(await facts()) == 3
    await world.alice.click(result.response, label="Forget")
    assert await facts() == ["Lives in Toronto.", "Owns a cat called Bit."]
    assert result.response.content == "Forgotten: 1."


async def test_forget_by_number_and_all(world, known):
    first = await known("Lives in Toronto.")
    await known("Owns a cat.")
    await known("Plays the cello.")
    result = await forget(world.alice, world.general, f"#{first.pk}")
    await world.alice.click(result.response, label="Forget")
    assert await facts() == ["Owns a cat.", "Plays the cello."]
    result = await forget(world.alice, world.general, "all")
    await world.alice.click(result.response, label="Forget")
    assert await facts() == []


async def test_keep_erases_nothing(world, known):
    await known("Lives in Toronto.")
    result = await forget(world.alice, world.general, "all")
    await world.alice.click(result.response, label="Keep")
    assert await facts() == ["Lives in Toronto."]
    assert result.response.content == "Nothing was forgotten."


async def test_no_answer_within_30_seconds_erases_nothing(world, known):
    await known("Lives in Toronto.")
    result = await forget(world.alice, world.general, "all")
    await world.env.advance_time(31)
    assert await facts() == ["Lives in Toronto."]
    assert result.response.content == "Nothing was forgotten."


async def test_forget_never_reaches_the_facts_of_others(world, known):
    fact = await known("Lives in Toronto.")
    for what in ("all", str(fact.pk), "Toronto"):
        result = await forget(world.mallory, world.general, what)
        assert "Nothing of what is known about you" in result.response.content


async def test_more_facts_than_are_shown_are_counted_and_all_erased(world):
    def learn():
        member = Member.objects.create(
            guild=Guild.objects.create(key=f"discord:{world.north.id}"), platform_id=str(world.alice.id)
        )
        for number in range(120):
            make_fact(f"Owns cat {number}.", subject=member)

    await bridge.run(learn)
    result = await forget(world.alice, world.general, "all")
    assert "...and 112 more" in result.response.content
    await world.alice.click(result.response, label="Forget")
    assert await facts() == []


# --- optout --------------------------------------------------------------------------------------------------------


async def test_optout_holds_from_the_next_message_and_keeps_what_is_stored(world, texts):
    await world.alice.send(world.general, "before")
    assert "stays until it is forgotten" in await ask(world.alice, world.general, "optout", state="on")
    await world.alice.send(world.general, "after")
    assert await texts() == ["before"]
    await ask(world.alice, world.general, "optout", state="off")
    await world.alice.send(world.general, "again")
    assert await texts() == ["before", "again"]


async def test_optout_works_for_somebody_who_never_spoke(world, texts):
    await ask(world.bob, world.general, "optout", state="on")
    await world.bob.send(world.general, "hello")
    assert await texts() == []
    choice = await bridge.run(ConsentChoice.objects.get)
    assert (choice.remember, choice.actor) == (False, f"member:{world.bob.id}")


async def test_optout_in_one_guild_says_nothing_of_another(world, texts):
    twin = world.south.add_member(world.mallory.user)
    await ask(world.mallory, world.general, "optout", state="on")
    await twin.send(world.lounge, "hello")
    assert await texts() == ["hello"]
