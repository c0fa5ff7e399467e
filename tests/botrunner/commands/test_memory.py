"""/memory remember, correct, undo, forget, optout: members do as they like with their own memory, and nobody else's."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import OperationalError

from botrunner import threads
from botrunner.actions import memory as own
from botrunner.actions import texts_members
from botrunner.commands.buttons import NOT_YOURS, OUT_OF_DATE
from memory.models import Action, Fact, FactChange
from memoryhub.community.models import Channel, ConsentChoice, Guild, Member
from notes.models import InteractionNote, Message
from profiles.models import ProfileEntry
from tests.botrunner.scenes import ask, facts, manager, press, press_twice, private_room, promised, refused
from tests.factories import make_entry, make_fact

pytestmark = pytest.mark.django_db(transaction=True)


# --- remember ------------------------------------------------------------------------------------------------------


async def test_remember_stores_a_fact_that_is_sure(world):
    assert "Remembered as" in await ask(world.alice, world.general, "remember", text="Lives in Toronto.")
    fact = await threads.run(Fact.objects.select_related("subject").get)
    assert (fact.text, fact.confidence, fact.source_type) == ("Lives in Toronto.", 1.0, "explicit")
    assert fact.subject.platform_id == str(world.alice.id)
    assert "told directly" in await ask(world.alice, world.general, "why", memory=str(fact.pk))


@pytest.mark.parametrize(
    ("typed", "kept"),
    [("I don't smoke", "Doesn't smoke."), ("I live in Lisbon", "Lives in Lisbon."), ("I'm 34", "Is 34.")],
)
async def test_what_members_say_of_themselves_is_told_of_them(world, typed, kept):
    await ask(world.alice, world.general, "remember", text=typed)
    assert await facts() == [kept]


@pytest.mark.parametrize(
    ("before", "typed", "kept"),
    [
        ("I play the cello", "I don't play the cello", "Doesn't play the cello."),
        ("I live in Toronto", "I live in Lisbon", "Lives in Lisbon."),
    ],
)
async def test_what_is_denied_or_over_is_believed_no_more(world, before, typed, kept):
    for text in (before, typed):
        await ask(world.alice, world.general, "remember", text=text)
    assert await facts(status="active") == [kept]


async def test_what_is_typed_is_kept_with_names_in_place_of_ids(world):
    await world.bob.send(world.general, "hello")
    await ask(world.alice, world.general, "remember", text=f"My brother is {world.bob.mention}.")
    assert await facts() == ["Their brother is @Bob."]
    asked = f"Is {world.bob.mention} a brother?"
    assert "Their brother is" in await ask(world.mallory, world.general, "search", query=asked)


async def test_remember_in_a_closed_channel_stays_in_the_channel(world):
    private_room(world)
    said = await ask(world.alice, world.staff, "remember", text="Lives in Toronto.")
    assert "Lives in Toronto.\nIt is used only in this channel" in said
    fact = await threads.run(Fact.objects.select_related("audience").get)
    assert fact.audience.platform_id == str(world.staff.id)


async def test_remember_refuses_a_secret_and_says_why(world):
    said = await ask(world.mallory, world.general, "remember", text="My password is hunter2-Swordfish!")
    assert "That looks like a password or another secret, so I don't keep it. Nothing was stored." in said
    assert await facts() == []


@pytest.mark.simcord(check_errors=False)
async def test_only_who_manages_the_server_insists(world):
    words = {"text": "Answers every question with a riddle, does he not?"}
    assert "may `insist`" in await ask(world.alice, world.general, "remember", **words)
    assert "Manage Server" in await refused(world.alice, world.general, "remember", insist=True, **words)
    assert await facts() == []
    olga = manager(world, manage_guild=True)
    assert "Remembered as" in await ask(olga, world.general, "remember", insist=True, **words)


@pytest.mark.simcord(check_errors=False)
@pytest.mark.parametrize("kind", ["fact", "line"])
async def test_only_who_manages_the_server_insists_on_a_correction(world, kind):
    words = {"text": "Answers every question with a riddle, does he not?"}
    for author in (world.alice, manager(world, manage_guild=True)):
        await ask(author, world.general, "remember", text="Likes riddles.")
        words["memory"] = await threads.run(_memory_of, str(author.id), kind)
        assert "may `insist`" in await ask(author, world.general, "correct", **words)
        if author is world.alice:
            assert "Manage Server" in await refused(author, world.general, "correct", insist=True, **words)
        else:
            await ask(author, world.general, "correct", insist=True, **words)
    insisted = await threads.run(lambda: list(Action.objects.filter(kind="memory_insist").values_list("actor")))
    assert insisted
    assert all(actor.startswith("moderator:") for (actor,) in insisted)


def _memory_of(person, kind):
    """Return the number of their fact, or of a line that says it."""
    fact = Fact.objects.select_related("subject").get(subject__platform_id=person)
    line = make_entry("Likes riddles", member=fact.subject, section="interests") if kind == "line" else None
    return f"p{line.pk}" if line else f"#{fact.pk}"


@pytest.mark.parametrize("scope", [Guild, Channel])
async def test_remember_stores_nothing_where_memory_is_off(world, scope):
    await world.bob.send(world.general, "hello")
    await threads.run(scope.objects.update, memory_on=False)
    assert "switched off" in await ask(world.alice, world.general, "remember", text="Lives in Toronto.")
    assert await facts() == []


async def test_remember_stores_nothing_of_somebody_who_opted_out(world):
    await ask(world.alice, world.general, "optout", state="on")
    assert await ask(world.alice, world.general, "remember", text="Lives in Toronto.") == texts_members.OPTED_OUT
    assert await facts() == []


# --- forget --------------------------------------------------------------------------------------------------------


async def forget(actor, channel, what):
    return await promised(actor, actor.slash(channel, "memory forget", what=what))


async def test_forget_shows_first_and_erases_when_confirmed(world, known):
    await known("Lives in Toronto.")
    await known("Owns a cat.")
    await known("Owns a cat called Bit.", who="bob")
    result = await forget(world.alice, world.general, "cat")
    assert "Forget 1 for good" in result.response.content
    assert len(await facts()) == 3
    await world.alice.click(result.response, label="Forget")
    assert await facts() == ["Lives in Toronto.", "Owns a cat called Bit."]
    assert result.response.content.startswith("Forgotten: 1.\n")


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


@pytest.mark.parametrize("known_text", ["Lives in Toronto.", "Runs *the* snake_case club."])
async def test_what_the_bot_told_of_a_memory_can_be_forgotten_with_it(world, known, texts, known_text):
    await known(known_text)
    await known(known_text, who="bob")
    hub = world.env.bot.user.mention
    for who, asked in (("alice", "what do you know about me?"), ("bob", "what do you know about me?")):
        await getattr(world, who).send(world.general, f"{hub} {asked}")
    result = await forget(world.alice, world.general, "all")
    await world.alice.click(result.response, label="Forget")
    assert "Shall those that you or I wrote (2) be forgotten too?" in result.response.content
    await world.alice.click(result.response, label="Forget them too")
    told = [text for text in await texts() if text.startswith("#")]
    assert [text.partition(" ")[2] for text in told] == [known_text]  # to Bob, of Bob
    assert await facts() == [known_text]


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
    assert result.response.content == "The time to answer is over. Nothing was forgotten."


async def test_forget_without_a_word_offers_nothing(world, known, texts):
    await known("Lives in Toronto.")
    result = await forget(world.alice, world.general, "  ")
    assert result.response.content == texts_members.NOTHING_FOUND
    assert not result.response.components


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

    await threads.run(learn)
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
    choice = await threads.run(ConsentChoice.objects.get)
    assert (choice.remember, choice.actor) == (False, f"member:{world.bob.id}")


async def test_who_is_blocked_is_told_that_no_choice_of_theirs_changes_it(world):
    await world.alice.send(world.general, "hello")
    await threads.run(Guild.objects.update, blocked=[str(world.bob.id)])
    for command, options in (("remember", {"text": "Lives in Toronto."}), ("optout", {"state": "off"})):
        assert await ask(world.bob, world.general, command, **options) == texts_members.BLOCKED
    assert await facts() == []


async def test_where_members_are_asked_first_nobody_is_told_of_a_choice_they_never_made(world):
    await world.alice.send(world.general, "hello")
    await threads.run(Guild.objects.update, consent_mode="opt_in")
    assert await ask(world.bob, world.general, "remember", text="Lives in Toronto.") == (
        "Nothing of you is stored here until you say so: `/memory optout` with `off`."
    )


async def test_optout_in_one_guild_says_nothing_of_another(world, texts):
    twin = world.south.add_member(world.mallory.user)
    await ask(world.mallory, world.general, "optout", state="on")
    await twin.send(world.lounge, "hello")
    assert await texts() == ["hello"]


# --- correct -----------------------------------------------------------------------------------------------------


async def test_correct_puts_new_words_in_place_and_keeps_the_source(world, known):
    fact = await known("Lives in Toronto.")
    said = await ask(world.alice, world.general, "correct", memory=f"#{fact.pk}", text="Lives in Ottawa.")
    assert "says now: Lives in Ottawa." in said
    assert "https://" in await ask(world.alice, world.general, "why", memory=str(fact.pk))


async def test_correct_words_a_line_of_the_profile_anew(world, line):
    entry = await line("Lives in Toronto")
    await ask(world.alice, world.general, "correct", memory=f"p{entry}", text="Lives in Ottawa")
    assert (await threads.run(ProfileEntry.objects.get, pk=entry)).text == "Lives in Ottawa"


async def test_a_correction_that_the_guards_refuse_says_why(world, known):
    fact = await known("Lives in Toronto.")
    said = await ask(world.alice, world.general, "correct", memory=str(fact.pk), text="My password is hunter2-Sword!")
    assert "That looks like a password or another secret, so I don't keep it. Nothing was stored." in said
    assert await facts() == ["Lives in Toronto."]


async def test_a_correction_to_what_is_known_already_says_so(world, known):
    fact = await known("Lives in Toronto.")
    await known("Lives in Ottawa.")
    said = await ask(world.alice, world.general, "correct", memory=str(fact.pk), text="Lives in Ottawa.")
    assert "says the same already" in said


@pytest.mark.parametrize("memory", ["#{fact}", "p{line}", "n1", "all", "#99999999999999999999999"])
async def test_what_is_not_ones_own_cannot_be_corrected(world, known, line, memory):
    fact, entry = await known("Lives in Toronto."), await line("Plays the cello")
    named = memory.format(fact=fact.pk, line=entry)
    said = await ask(world.bob, world.general, "correct", memory=named, text="Lives in Ottawa.")
    assert said in (texts_members.NOT_YOURS, texts_members.NOT_YOUR_LINE)
    assert await facts() == ["Lives in Toronto."]


async def test_nothing_new_is_stored_of_somebody_who_opted_out_by_correcting(world, known):
    fact = await known("Lives in Toronto.")
    await ask(world.alice, world.general, "optout", state="on")
    said = await ask(world.alice, world.general, "correct", memory=str(fact.pk), text="Lives in Ottawa.")
    assert said == texts_members.NOTHING_NEW


# --- undo --------------------------------------------------------------------------------------------------------


async def test_undo_takes_back_ones_own_last_change(world):
    await ask(world.alice, world.general, "remember", text="Lives in Toronto.")
    number = (await threads.run(Fact.objects.get)).pk
    await ask(world.alice, world.general, "correct", memory=str(number), text="Lives in Ottawa.")
    assert "says again: Lives in Toronto." in await ask(world.alice, world.general, "undo")
    assert await facts(status="active") == ["Lives in Toronto."]
    assert "is used no longer" in await ask(world.alice, world.general, "undo")
    assert await facts(status="active") == []
    assert await ask(world.alice, world.general, "undo") == texts_members.NOTHING_TO_UNDO


async def test_undo_of_a_replacement_believes_the_old_fact_again(world):
    await ask(world.alice, world.general, "remember", text="Lives in Toronto.")
    await ask(world.alice, world.general, "remember", text="Lives in Ottawa now.")
    assert await facts(status="active") == ["Lives in Ottawa now."]
    old = await threads.run(Fact.objects.get, status="superseded")
    await ask(world.alice, world.general, "undo", memory=f"#{old.pk}")
    assert await facts(status="active") == ["Lives in Toronto."]


async def test_undo_without_a_number_leaves_alone_what_memory_just_learned(world, known):
    fact = await known("Lives in Toronto.")
    change = FactChange(fact=fact, action="add", batch=uuid4(), actor="extraction")
    await threads.run(change.save)
    assert await ask(world.alice, world.general, "undo") == texts_members.NOTHING_TO_UNDO
    assert "is used no longer" in await ask(world.alice, world.general, "undo", memory=str(fact.pk))


async def test_undo_brings_a_line_back_that_was_taken_out(world, line):
    entry = await line("Lives in Toronto")
    await ask(world.alice, world.general, "profile", line=f"p{entry}", remove=True)
    offered = await world.alice.autocomplete(world.general, "memory undo", "memory", "toronto")
    assert [(choice["name"], choice["value"]) for choice in offered] == [("Taken out: Lives in Toronto", f"p{entry}")]
    assert await ask(world.alice, world.general, "undo", memory=f"p{entry}") == texts_members.BACK
    assert (await threads.run(ProfileEntry.objects.get, pk=entry)).status == "shown"


async def test_nobody_undoes_what_is_known_of_others(world):
    await ask(world.alice, world.general, "remember", text="Lives in Toronto.")
    fact = await threads.run(Fact.objects.get)
    for memory in ({}, {"memory": f"#{fact.pk}"}):
        assert await ask(world.bob, world.general, "undo", **memory) == texts_members.NOTHING_TO_UNDO
    assert await world.bob.autocomplete(world.general, "memory undo", "memory", "") == []
    offered = await world.alice.autocomplete(world.general, "memory undo", "memory", "TORONTO")
    assert [choice["name"] for choice in offered] == ["Added: Lives in Toronto."]


# --- forget: lines, and what somebody else would press ------------------------------------------------------------


async def test_forget_erases_a_line_with_the_facts_that_say_it(world, known, line):
    await known("Lives in Toronto.")
    entry = await line("Lives in Toronto")
    result = await forget(world.alice, world.general, f"p{entry}")
    await world.alice.click(result.response, label="Forget")
    assert await facts() == []
    assert not await threads.run(ProfileEntry.objects.exists)


async def test_forget_all_takes_the_words_along_that_a_person_pinned(world, known, line):
    await known("Owns a cat.")
    await line("Sails the seas", pinned=True, written_by="person")
    result = await forget(world.alice, world.general, "all")
    assert "Forget 2 for good" in result.response.content
    await world.alice.click(result.response, label="Forget")
    assert not await threads.run(ProfileEntry.objects.exists)
    assert await facts() == []


async def test_forget_leaves_what_was_learned_after_the_question(world, known):
    await known("Owns a cat.")
    result = await forget(world.alice, world.general, "cat")
    await known("Owns a cat called Bit.")
    await world.alice.click(result.response, label="Forget")
    assert await facts() == ["Owns a cat called Bit."]


async def test_nobody_else_presses_forget(world, known):
    await known("Lives in Toronto.")
    result = await forget(world.alice, world.general, "all")
    pressed = await press(world.mallory, result, "Forget")
    assert pressed.response.content == NOT_YOURS
    assert await facts() == ["Lives in Toronto."]


@pytest.mark.simcord(check_errors=False)
async def test_forgetting_that_fails_halfway_says_so_and_logs_no_words(world, known, monkeypatch, caplog):
    def away(*_, **__):
        raise OperationalError("Lives in Toronto.")

    await known("Lives in Toronto.")
    result = await forget(world.alice, world.general, "all")
    monkeypatch.setattr(own, "forget", away)
    await world.alice.click(result.response, label="Forget")
    assert "busy just now" in result.response.content
    assert "Toronto" not in caplog.text


async def test_a_button_that_a_restart_left_behind_forgets_nothing(world, known):
    await known("Lives in Toronto.")
    result = await forget(world.alice, world.general, "all")
    await world.env.restart_bot(world.make_bot())
    pressed = await press(world.alice, result, "Forget")
    assert (pressed.ephemeral, pressed.response.content) == (True, OUT_OF_DATE)
    assert await facts() == ["Lives in Toronto."]


async def test_a_button_that_was_pressed_twice_at_once_forgets_once(world, known):
    await known("Lives in Toronto.")
    result = await forget(world.alice, world.general, "all")
    await press_twice(world.alice, result, "Forget")
    assert result.response.content.startswith("Forgotten: 1.\n")
    assert await facts() == []


@pytest.mark.simcord(check_errors=False)
async def test_a_press_that_discord_forgot_meanwhile_forgets_nothing(world, known, caplog):
    await known("Lives in Toronto.")
    result = await forget(world.alice, world.general, "all")
    world.env.inject_error("POST", "/interactions/*/callback", status=404, code=10062)
    await world.alice.click(result.response, label="Forget")
    assert await facts() == ["Lives in Toronto."]
    assert "a button was answered too late" in caplog.text
    assert "a command failed" not in caplog.text


async def test_a_button_whose_time_is_over_says_so(world, known):
    await known("Lives in Toronto.")
    result = await forget(world.alice, world.general, "all")
    world.env.inject_error("PATCH", "/webhooks/*", status=500)  # the buttons stay where they can't be taken away
    await world.env.advance_time(31)
    assert (await press(world.alice, result, "Forget")).response.content == OUT_OF_DATE
    assert await facts() == ["Lives in Toronto."]


async def test_forget_says_and_links_what_says_it_still_and_offers_to_forget_that_too(world, known, noted):
    await known("Lives in Toronto.")
    said = (await threads.run(Message.objects.get)).platform_id
    note = await noted("The lantern festival")
    await threads.run(lambda: InteractionNote.objects.get(pk=note).messages.add(Message.objects.get(platform_id=said)))
    result = await forget(world.alice, world.general, "toronto")
    await world.alice.click(result.response, label="Forget")
    told = result.response.content
    assert told.startswith("Forgotten: 1.\n**It is still said here**")
    assert f"https://discord.com/channels/{world.north.id}/{world.general.id}/{said}" in told
    assert f"`n{note}` The lantern festival" in told
    await world.alice.click(result.response, label="Forget them too")
    assert result.response.content.startswith("Forgotten: 1 messages")
    assert await threads.run(Message.objects.filter(text__contains="Toronto").count) == 0


async def test_forget_leaves_the_messages_of_who_wants_to_keep_them(world, known):
    await known("Lives in Toronto.")
    result = await forget(world.alice, world.general, "toronto")
    await world.alice.click(result.response, label="Forget")
    await world.alice.click(result.response, label="Keep them")
    assert result.response.content == f"Forgotten: 1. {texts_members.MESSAGES_STAY}"
    assert await threads.run(Message.objects.filter(text__contains="Toronto").count) == 1


async def test_forget_offers_messages_that_were_never_learned_from(world, texts):
    await world.alice.send(world.general, "My flight to Toronto was late.")
    await world.bob.send(world.general, "Toronto is cold.")
    result = await forget(world.alice, world.general, "toronto")
    assert result.response.content.startswith(f"{texts_members.NOTHING_FOUND}\n**It is still said here**")
    await world.alice.click(result.response, label="Forget them too")
    assert await texts() == ["Toronto is cold."]


async def test_forget_says_what_of_a_profiles_line_is_said_still(world, noted, line):
    note = await noted("Toronto")
    number = await line("Lives in Toronto.", note=note)
    result = await forget(world.alice, world.general, f"p{number}")
    await world.alice.click(result.response, label="Forget")
    assert f"`n{note}` Toronto" in result.response.content


async def test_forget_quotes_nobody_who_said_no(world, known):
    await known("Alice lives in Toronto.", who="bob")
    alice = await threads.run(lambda: Member.objects.create(guild=Guild.objects.get(), platform_id=str(world.alice.id)))
    await threads.run(Fact.objects.update, subject=alice)
    await threads.run(lambda: Member.objects.exclude(pk=alice.pk).update(remember=False))
    result = await forget(world.alice, world.general, "toronto")
    await world.alice.click(result.response, label="Forget")
    assert result.response.content == "Forgotten: 1."


async def test_forget_offers_nothing_of_others(world, known):
    """What somebody else said of the caller is linked, and stays theirs."""
    await known("Alice lives in Toronto.", who="bob")
    alice = await threads.run(lambda: Member.objects.create(guild=Guild.objects.get(), platform_id=str(world.alice.id)))
    await threads.run(Fact.objects.update, subject=alice)
    result = await forget(world.alice, world.general, "toronto")
    await world.alice.click(result.response, label="Forget")
    assert "Bob: “Alice lives in Toronto.”" in result.response.content
    assert result.response.content.endswith(texts_members.OTHERS_STAY)
    assert result.response.components == []


async def test_a_note_is_not_forgotten_by_one_of_those_it_tells_of(world, noted):
    note = await noted("The lantern festival")
    assert await ask(world.alice, world.general, "forget", what=f"n{note}") == texts_members.NOTE_STAYS
