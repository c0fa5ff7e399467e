"""/memory decisions and plans: what was agreed, as far as the caller can read it, with links and pages."""

from __future__ import annotations

import pytest
from django.utils import timezone

from botrunner import threads
from botrunner.actions import texts_members
from botrunner.actions.community import texts_agenda
from memory import pipeline
from memoryhub.community.models import Guild, Member
from notes.models import Arrangement, Message
from tests.botrunner.scenes import ask, press, private_room, promised, words
from tests.factories import days, make_arrangement

pytestmark = pytest.mark.django_db(transaction=True)


async def agreed(actor, place, text, **fields):
    """Have somebody say something, and keep it as a decision, or with `due` in days from now as a plan."""
    said = await actor.send(place, text)
    if "due" in fields:
        fields["due_at"] = timezone.now() + days(fields.pop("due"))
    return said, await threads.run(kept, str(said.id), fields)


def kept(number, fields):
    message = Message.objects.select_related("guild", "channel").get(platform_id=number)
    return make_arrangement(message, **fields)


def replaced(old, new):
    Arrangement.objects.filter(pk=old.pk).update(replaced_by=new.pk)


async def test_what_is_said_is_found_when_the_conversation_ends(world):
    await world.alice.send(world.general, "We decided on the red tent.")
    said = await world.bob.send(world.general, "Let's meet at the harbour tomorrow at 23:59.")
    await threads.run(digest)
    told = await ask(world.bob, world.general, "decisions")
    assert "• Alice: We decided on the red tent. <t:" in told
    told = await ask(world.alice, world.general, "plans")
    assert "Let's meet at the harbour tomorrow at 23:59." in told
    assert f"/{world.general.id}/{said.id}" in told


def digest():
    pipeline.digest(Guild.objects.get(), now=timezone.now())


async def test_a_decision_shows_what_it_was_before(world):
    _, red = await agreed(world.alice, world.general, "We decided on the red tent.")
    _, blue = await agreed(world.bob, world.general, "We decided on the blue tent.")
    await threads.run(replaced, red, blue)
    told = await ask(world.bob, world.general, "decisions")
    assert told.count("•") == 1
    assert "• Bob: We decided on the blue tent. (before: We decided on the red tent.) <t:" in told


async def test_a_plan_shows_when_it_is_and_what_became_of_it(world):
    _, first = await agreed(world.alice, world.general, "The picnic is on Saturday.", due=4)
    _, moved = await agreed(world.bob, world.general, "The picnic is moved.", due=5, change="moved")
    await threads.run(replaced, first, moved)
    _, raid = await agreed(world.alice, world.general, "The raid is on Friday.", due=3, all_day=True)
    _, off = await agreed(world.bob, world.general, "The raid is off.", change="called_off", decided=False)
    await threads.run(replaced, raid, off)
    told = await ask(world.bob, world.general, "plans")
    _, one, other = told.split("\n")
    assert f"**<t:{int(raid.due_at.timestamp())}:D>** <t:" in one
    assert "*called off*: The raid is on Friday." in one
    assert f"*moved, was <t:{int(first.due_at.timestamp())}:f>*: The picnic is on Saturday." in other


async def test_what_is_over_is_asked_for(world):
    await agreed(world.alice, world.general, "The picnic was soon.", due=-900)
    assert await ask(world.bob, world.general, "plans") == texts_agenda.NO_PLANS
    assert "The picnic was soon." in await ask(world.bob, world.general, "plans", past=True)


async def test_nobody_is_told_what_was_agreed_where_they_cannot_read(world):
    private_room(world)
    await agreed(world.alice, world.staff, "We decided on the secret lantern.")
    await agreed(world.alice, world.staff, "The lantern feast is soon.", due=2)
    for command in ("decisions", "plans"):
        assert "lantern" not in await ask(world.bob, world.general, command)
        assert "lantern" in await ask(world.alice, world.general, command)


async def test_words_narrow_it_and_many_come_by_pages(world):
    for number in range(6):
        await agreed(world.alice, world.general, f"We decided on tent {number}.")
    result = await promised(world.bob, world.bob.slash(world.general, "memory decisions"))
    assert "Page 1 of 2." in words(result.response)
    assert "tent 0" not in words(result.response)
    await press(world.bob, result, "Next")
    assert "tent 0" in words(result.response)
    assert "tent 3" in await ask(world.bob, world.general, "decisions", query="3 TENT")
    assert await ask(world.bob, world.general, "decisions", query="harbour") == texts_agenda.NOTHING_WITH


async def test_long_and_hostile_words_fit_and_stay_words(world):
    for _ in range(5):
        await agreed(world.alice, world.general, "@everyone **We decided** on `x` " + "_" * 200)
        await agreed(world.alice, world.general, "@everyone **The party** is `x` " + "_" * 200, due=2)
    for command in ("decisions", "plans"):
        told = await ask(world.bob, world.general, command)
        assert "@everyone" not in told
        assert "\\*\\*" in told


async def test_where_memory_is_off_or_who_spoke_said_no_nothing_is_told(world):
    await agreed(world.alice, world.general, "We decided on the red tent.")
    await threads.run(lambda: Member.objects.filter(display_name="Alice").update(remember=False))
    assert await ask(world.bob, world.general, "decisions") == texts_agenda.NO_DECISIONS
    await threads.run(lambda: Guild.objects.update(memory_on=False))
    for command in ("decisions", "plans"):
        assert await ask(world.bob, world.general, command) == texts_members.MEMORY_OFF
