"""The menu of a message: its author has it remembered; they, or who manages messages, have it forgotten."""

from __future__ import annotations

import pytest
from django.db import OperationalError, connection

from botrunner import threads
from botrunner.actions import menus, texts_members
from botrunner.actions.caller import LEFT_OUT
from botrunner.capture import filters
from botrunner.grace_period import GracePeriod
from memory.curation import corrections
from memory.curation.refusals import MESSAGE_STAYS
from memory.learning import validation
from memory.models import Fact
from memoryhub.ai import ModelFailed
from memoryhub.community.models import Channel, Guild
from notes.models import Message
from tests.botrunner.capture.test_listener import start_thread
from tests.botrunner.scenes import ask, facts, manager, press, private_room, promised

pytestmark = pytest.mark.django_db(transaction=True)

REMEMBER, FORGET = "Remember this message", "Forget this message"


async def choose(actor, place, entry, message):
    """Choose an entry of a message's menu; what is answered is for who chose only."""
    return await promised(actor, actor.context_menu(place, entry, message))


@pytest.fixture
def deaf(world):
    """Let the bot hear nothing: what it learns comes from the menu alone."""

    async def deaf():
        await world.env.bot.remove_cog("Listener")

    return deaf


async def test_a_message_is_taken_in_and_learned_from_at_once(world, deaf, texts):
    await deaf()
    said = await world.alice.send(world.general, "I live in Toronto.")
    assert await texts() == []
    result = await choose(world.alice, world.general, REMEMBER, said)
    assert "Remembered from it:" in result.response.content
    assert await texts() == ["I live in Toronto."]
    fact = await threads.run(Fact.objects.select_related("subject").get)
    assert (fact.text, fact.subject.platform_id) == ("Lives in Toronto.", str(world.alice.id))
    assert await threads.run(fact.evidence.filter(message__platform_id=str(said.id)).exists)


async def test_a_message_without_a_fact_of_its_own_is_remembered_as_it_says(world, texts):
    said = await world.alice.send(world.general, "The spare key hangs behind the blue door")
    result = await choose(world.alice, world.general, REMEMBER, said)
    assert "Remembered as" in result.response.content
    fact = await threads.run(Fact.objects.get)
    assert (fact.text, fact.confidence) == ("The spare key hangs behind the blue door", 1.0)
    assert await threads.run(fact.evidence.filter(message__platform_id=str(said.id)).exists)


async def test_remembering_a_message_twice_stores_it_once(world, texts):
    said = await world.alice.send(world.general, "I live in Toronto.")
    for _ in range(2):
        await choose(world.alice, world.general, REMEMBER, said)
    assert await texts() == ["I live in Toronto."]
    assert await facts() == ["Lives in Toronto."]


async def test_in_a_closed_channel_it_stays_among_its_readers(world):
    private_room(world)
    said = await world.alice.send(world.staff, "I live in Toronto.")
    await choose(world.alice, world.staff, REMEMBER, said)
    fact = await threads.run(Fact.objects.select_related("audience").get)
    assert fact.audience.platform_id == str(world.staff.id)


async def test_what_a_server_wants_to_review_first_is_told_to_wait(world, known):
    await known("Loves tea.")
    await threads.run(Guild.objects.update, review_all=True)
    said = await world.alice.send(world.general, "I live in Toronto.")
    result = await choose(world.alice, world.general, REMEMBER, said)
    assert "waits until a manager of this server has looked at it" in result.response.content
    assert await facts(status="active") == ["Loves tea."]


async def test_nobody_has_the_words_of_others_remembered(world, deaf):
    await deaf()
    said = await world.alice.send(world.general, "I live in Toronto.")
    result = await choose(world.bob, world.general, REMEMBER, said)
    assert result.response.content == menus.NOT_YOUR_MESSAGE
    assert not await threads.run(Message.objects.exists)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "My password is hunter2-Swordfish!",
            f"That looks like a password or another secret, so no memory is made of it. {MESSAGE_STAYS}",
        ),
        ("I live in Toronto. ⛔", "says not to remember it"),
    ],
)
async def test_what_must_not_be_stored_is_refused_with_the_reason(world, text, told):
    said = await world.alice.send(world.general, text)
    result = await choose(world.alice, world.general, REMEMBER, said)
    assert told in result.response.content
    assert await facts() == []


@pytest.mark.parametrize("scope", [Guild, Channel])
async def test_nothing_is_taken_in_where_memory_is_off(world, deaf, texts, scope):
    await world.bob.send(world.general, "hello")
    await threads.run(scope.objects.update, memory_on=False)
    await deaf()
    said = await world.alice.send(world.general, "I live in Toronto.")
    result = await choose(world.alice, world.general, REMEMBER, said)
    assert "switched off" in result.response.content
    assert await texts() == ["hello"]


async def test_nothing_is_taken_in_of_somebody_who_opted_out(world, texts):
    await world.alice.slash(world.general, "memory optout", state="on")
    said = await world.alice.send(world.general, "I live in Toronto.")
    result = await choose(world.alice, world.general, REMEMBER, said)
    assert result.response.content == texts_members.OPTED_OUT
    assert await texts() == []


async def test_what_was_erased_is_not_taken_in_again(world, texts):
    said = await world.alice.send(world.general, "I live in Toronto.")
    result = await world.alice.slash(world.general, "memory optout", state="on")
    await world.alice.click(result.response, label="Erase all of it")
    await world.alice.slash(world.general, "memory optout", state="off")
    result = await choose(world.alice, world.general, REMEMBER, said)
    assert result.response.content == menus.FORGOTTEN_BEFORE
    assert await texts() == []


def test_there_are_words_for_every_reason_to_leave_a_message_out():
    assert set(menus.NOT_TAKEN) >= {name for name, _ in filters.NEVER} - {"no_text", "not_permitted", "unknown_channel"}
    assert set(LEFT_OUT) == {name for name, _ in (*filters.PLACES, *filters.IF_WANTED)} - {"unaddressed"}


@pytest.mark.parametrize("place", ["private_thread", "nsfw"])
async def test_what_a_server_leaves_out_is_remembered_by_no_door(world, texts, known, line, place):
    fact, entry = await known("Loves tea."), await line("Likes chess")
    if place == "private_thread":
        there = start_thread(world, type=12)
    else:
        there = world.north.create_text_channel("red")
        world.env.bot.get_channel(there.id).nsfw = True
    text = "I live in Toronto."
    said = await world.alice.send(there, text)
    told = [
        (await choose(world.alice, there, REMEMBER, said)).response.content,
        await ask(world.alice, there, "remember", text=text),
    ]
    for words in (
        f"remember that {text}",
        "remember for the server: soup is on Fridays",
        f"update #{fact.pk} to {text}",
    ):
        await threads.run(Guild.objects.update, reply_seconds=0)
        world.env.bot.get_cog("Replies").settings.clear()
        await world.alice.send(there, f"<@{world.env.bot.user.id}> {words}")
        told.append(there.last_message.content)
    assert told == [LEFT_OUT[place]] * 5
    assert await ask(world.alice, there, "correct", memory=f"#{fact.pk}", text=text) == texts_members.NOTHING_NEW
    assert await ask(world.alice, there, "profile", line=f"p{entry}", text="Plays chess") == texts_members.NOTHING_NEW
    assert await facts() == ["Loves tea."]
    assert await texts() == ["Loves tea.", "Likes chess"]


async def test_a_mention_with_a_no_entry_sign_is_remembered_no_more_than_the_message(world, texts):
    await world.alice.send(world.general, f"<@{world.env.bot.user.id}> remember that I live in Toronto ⛔")
    assert world.general.last_message.content == LEFT_OUT["no_entry"]
    assert (await facts(), await texts()) == ([], [])


async def test_what_a_message_means_is_looked_at_with_no_transaction_open(world, monkeypatch):
    open_then, refuse_told = [], validation.refuse_told

    def watched(text, **named):
        open_then.append(connection.in_atomic_block)
        return refuse_told(text, **named)

    monkeypatch.setattr(validation, "refuse_told", watched)
    said = await world.alice.send(world.general, "The spare key hangs behind the blue door")
    await choose(world.alice, world.general, REMEMBER, said)
    assert open_then == [False]


@pytest.mark.simcord(check_errors=False)
async def test_what_was_remembered_stands_where_making_room_for_it_fails(world, texts, monkeypatch):
    def away(*_, **__):
        raise OperationalError("the disk is full")

    monkeypatch.setattr(corrections.fact_limits, "may_be_beyond", away)
    said = await world.alice.send(world.general, "The spare key hangs behind the blue door")
    await choose(world.alice, world.general, REMEMBER, said)
    assert await facts() == ["The spare key hangs behind the blue door"]
    monkeypatch.undo()
    result = await choose(world.alice, world.general, REMEMBER, said)
    assert "Remembered from it:" in result.response.content
    assert await facts() == ["The spare key hangs behind the blue door"]


async def test_a_model_that_gives_no_answer_costs_nothing(world, texts, monkeypatch):
    def away(*_, **__):
        raise ModelFailed("unavailable")

    monkeypatch.setattr(menus.extraction, "learn", away)
    said = await world.alice.send(world.general, "I live in Toronto.")
    result = await choose(world.alice, world.general, REMEMBER, said)
    assert result.response.content == menus.READ_LATER
    assert await texts() == ["I live in Toronto."]


# --- Forget ------------------------------------------------------------------------------------------------------


async def test_a_message_is_forgotten_with_what_was_learned_from_it_alone(world, known, texts):
    await known("Lives in Toronto.")
    (said,) = [message for message in world.general.history() if message.content == "Lives in Toronto."]
    result = await choose(world.alice, world.general, FORGET, said)
    assert "Memories that rest on it: 1." in result.response.content
    assert await facts() == ["Lives in Toronto."]
    await world.alice.click(result.response, label="Forget")
    assert result.response.content == menus.MESSAGE_GONE
    assert await facts() == []
    assert await texts() == []
    again = await choose(world.alice, world.general, REMEMBER, said)
    assert again.response.content == menus.FORGOTTEN_BEFORE


async def test_keep_and_silence_forget_nothing(world, texts):
    said = await world.alice.send(world.general, "hello")
    for label in ("Keep", None):
        result = await choose(world.alice, world.general, FORGET, said)
        await (world.alice.click(result.response, label=label) if label else world.env.advance_time(31))
        late = "" if label else "The time to answer is over. "
        assert result.response.content == f"{late}Nothing was forgotten."
    assert await texts() == ["hello"]


async def test_who_manages_messages_has_the_words_of_others_forgotten_and_nobody_else_has(world, texts):
    said = await world.alice.send(world.general, "hello")
    result = await choose(world.bob, world.general, FORGET, said)
    assert result.response.content == menus.MAY_NOT_FORGET
    olga = manager(world, manage_messages=True)
    result = await choose(olga, world.general, FORGET, said)
    pressed = await press(world.bob, result, "Forget")
    assert pressed.response.content.startswith("Only who asked")
    assert await texts() == ["hello"]
    await olga.click(result.response, label="Forget")
    assert await texts() == []


async def test_a_message_that_is_still_held_is_forgotten_too(world, texts):
    world.env.bot.grace_period = GracePeriod(world.env.bot.write_queue, seconds=3600)
    said = await world.alice.send(world.general, "hello")
    await world.alice.send(world.general, "goodbye")
    result = await choose(world.alice, world.general, FORGET, said)
    await world.alice.click(result.response, label="Forget")
    assert result.response.content == menus.MESSAGE_GONE
    await world.env.bot.grace_period.flush()
    assert await texts() == ["goodbye"]


async def test_what_is_not_in_memory_need_not_be_forgotten(world, deaf):
    await deaf()
    said = await world.alice.send(world.general, "hello")
    result = await choose(world.alice, world.general, FORGET, said)
    assert result.response.content == menus.NOT_IN_MEMORY
