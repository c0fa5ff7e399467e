"""/memory list, why, search, ask, summarize, privacy: members see what is known of them, and nobody else's."""

from __future__ import annotations

import pytest
from django.db import OperationalError
from django.urls import reverse

from botrunner import threads
from botrunner.actions import show, texts_members
from botrunner.commands import layout
from botrunner.commands.buttons import NOT_YOURS, OUT_OF_DATE
from memory.answers.schemas import AnswerText, Sentence
from memory.models import Evidence, Fact
from memoryhub.community.models import Channel, Guild, Member
from notes.models import InteractionNote, Message, Summary
from tests.botrunner.capture.test_listener import start_thread
from tests.botrunner.scenes import ask, buttons, index_facts, press, private_room, promised, words
from tests.factories import make_evidence
from tests.scripted import scripted

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
    assert "Page 1 of 2." in await ask(world.alice, world.general, "list", query="cat")
    assert await ask(world.alice, world.general, "list", query="dog") == texts_members.NOTHING_LISTED
    second = await ask(world.alice, world.general, "list", query="cat", page=2)
    assert second.count("Owns cat") == 2
    assert "Page 2 of 2." in await ask(world.alice, world.general, "list", page=99)


async def test_the_fullest_page_and_the_longest_explanation_fit_into_a_message(world, known):
    for number in range(8):
        fact = await known(f"{number} " + "*_" * 190)
    assert (await ask(world.alice, world.general, "list")).count("`#") == 8
    said = [await world.alice.send(world.general, "**" * 120) for _ in range(6)]

    def learn_more():
        for message in Message.objects.filter(platform_id__in=[str(one.id) for one in said]):
            make_evidence(fact, message)

    await threads.run(learn_more)
    assert (await ask(world.alice, world.general, "why", memory=str(fact.pk))).count("https://") == 5


async def test_what_is_said_of_somebody_where_they_cannot_read_stays_there(world, known):
    private_room(world)
    fact = await known("Lives in Toronto.", who="bob")
    closed = await threads.run(Channel.objects.create, guild_id=fact.guild_id, platform_id=str(world.staff.id))
    await threads.run(Fact.objects.update, audience=closed, text="Will be promoted.")
    assert "Nothing is known" in await ask(world.bob, world.general, "list")
    assert "no such memory" in await ask(world.bob, world.general, "why", memory=str(fact.pk))


async def test_why_shows_the_words_and_a_link_to_the_message(world, known):
    fact = await known("Lives in Toronto.")
    message = await threads.run(Message.objects.get)
    said = await ask(world.alice, world.general, "why", memory=f"#{fact.pk}")
    assert "Alice: “Lives in Toronto.”" in said
    assert f"https://discord.com/channels/{world.north.id}/{world.general.id}/{message.platform_id}" in said


async def test_why_tells_no_words_of_others_who_said_no_and_still_ones_own(world, known):
    fact = await known("Lives in Toronto.")
    await world.bob.send(world.general, "Alice moved to Toronto.")

    def bob_confirms():
        make_evidence(fact, Message.objects.get(author__platform_id=str(world.bob.id)))

    await threads.run(bob_confirms)
    for member, told in ((None, 2), (world.bob, 1), (world.alice, 1)):
        if member:
            await member.slash(world.general, "memory optout", state="on")
        said = await ask(world.alice, world.general, "why", memory=str(fact.pk))
        assert "Alice: “Lives in Toronto.”" in said
        assert said.count("https://") == told
    await threads.run(Evidence.objects.exclude(message__author__platform_id=str(world.bob.id)).delete)
    assert texts_members.UNTOLD in await ask(world.alice, world.general, "why", memory=str(fact.pk))


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
    assert await threads.run(Summary.objects.filter(channel__platform_id=str(world.general.id)).exists)
    assert await ask(world.bob, world.general, "summarize") == f"{said}\n{texts_members.SUMMED_UP_BEFORE}"


async def test_where_nothing_was_said_there_is_nothing_to_sum_up(world):
    assert await ask(world.bob, world.general, "summarize") == texts_members.NOTHING_SAID


# --- privacy -------------------------------------------------------------------------------------------------------


async def test_privacy_tells_what_is_stored_and_who_reads_it(world, known):
    await known("Lives in Toronto.")
    said = await ask(world.alice, world.general, "privacy")
    assert "messages 1, memories 1, notes 0" in said
    assert "by no model" in said
    assert "What you say is stored." in said
    assert "Not private threads, age-restricted channels, messages with" in said
    assert "Texts are kept for 30 days; what was learned from them stays" in said
    await ask(world.alice, world.general, "optout", state="on")
    assert "What you say is not stored." in await ask(world.alice, world.general, "privacy")


async def test_privacy_is_told_where_nothing_was_said_yet(world):
    said = await ask(world.alice, world.general, "privacy")
    assert "Of you here: messages 0, memories 0, notes 0.\nWhat you say is stored." in said


async def test_privacy_follows_the_settings_of_the_guild(world, known):
    await known("Lives in Toronto.")
    kept = {"hears_nsfw": True, "hears_private_threads": True, "heeds_no_entry": False}
    await threads.run(Guild.objects.update, message_days=7, facts_outlive=False, addressed_only=True, **kept)
    said = await ask(world.alice, world.general, "privacy")
    assert "messages that mention it or answer it" in said
    assert "Texts are kept for 7 days; what was learned from them goes with them." in said
    assert "Not private" not in said


async def test_privacy_leads_to_the_whole_policy_and_names_the_model_and_whom_to_ask(world, known, settings):
    await known("Lives in Toronto.")
    settings.CSRF_TRUSTED_ORIGINS = ["https://*.example", "https://hub.example"]
    settings.MEMORYHUB_PRIVACY_CONTACT = "privacy@hub.example"
    settings.OPENAI_API_KEY = "no real key"
    await threads.run(Guild.objects.update, model_fast="openai:gpt-5-mini")
    said = await ask(world.alice, world.general, "privacy")
    assert "by the model openai:gpt-5-mini" in said
    assert "Questions: privacy@hub.example" in said
    assert f"https://hub.example{reverse('guild-privacy', args=[f'discord:{world.north.id}'])}" in said


# --- list: all kinds, by pages -----------------------------------------------------------------------------------


async def test_list_shows_facts_the_profile_and_notes_each_with_its_mark(world, known, line, noted):
    fact = await known("Lives in Toronto.")
    entry = await line("Plays the cello")
    note = await noted("The lantern festival")
    await noted("The secret picnic", who="bob")
    said = await ask(world.alice, world.general, "list")
    assert f"__Facts__\n`#{fact.pk}`" in said
    assert f"__Profile__\n`p{entry}` Bio: Plays the cello" in said
    assert f"`n{note}` The lantern festival" in said
    assert "picnic" not in said


async def test_list_searches_in_all_of_them(world, known, line, noted):
    await known("Lives in Toronto.")
    await line("Plays the cello")
    note = await noted("The lantern festival")
    said = await ask(world.alice, world.general, "list", query="LANTERN")
    assert f"`n{note}`" in said
    assert "here (1)\n" in said


async def test_a_note_of_a_place_that_its_member_can_read_no_longer_is_not_shown(world, noted):
    note = await noted("The lantern festival")
    private_room(world)

    def close():
        row = InteractionNote.objects.get(pk=note)
        room = Channel.objects.create(guild=row.guild, platform_id=str(world.staff.id))
        InteractionNote.objects.update(audience=room)
        row.participants.add(Member.objects.create(guild=row.guild, platform_id=str(world.bob.id)))

    await threads.run(close)
    assert "lantern" in await ask(world.alice, world.general, "list")
    assert "Nothing is known" in await ask(world.bob, world.general, "list")
    assert "no such memory" in await ask(world.bob, world.general, "why", memory=f"n{note}")


async def test_the_pages_of_a_list_are_turned_by_buttons(world, learnt):
    await learnt(20)
    result = await world.alice.slash(world.general, "memory list")
    assert "Page 1 of 3." in words(result.response)
    assert _disabled(result) == ["Back"]
    await world.alice.click(result.response, label="Next")
    assert "Page 2 of 3." in words(result.response)
    await world.alice.click(result.response, label="Next")
    assert "Page 3 of 3." in words(result.response)
    assert _disabled(result) == ["Next"]
    await world.alice.click(result.response, label="Back")
    assert "Page 2 of 3." in words(result.response)


def _disabled(result):
    return [each["label"] for each in buttons(result.response) if each.get("disabled")]


async def test_a_single_page_has_no_buttons(world, learnt):
    await learnt(3)
    result = await world.alice.slash(world.general, "memory list")
    assert buttons(result.response) == []


async def test_what_was_forgotten_meanwhile_is_on_no_page(world, learnt):
    await learnt(20)
    result = await world.alice.slash(world.general, "memory list")
    await threads.run(Fact.objects.all().delete)
    await world.alice.click(result.response, label="Next")
    assert "Nothing is known" in words(result.response)


async def test_after_five_minutes_the_page_stays_and_its_buttons_go(world, learnt):
    await learnt(20)
    result = await world.alice.slash(world.general, "memory list")
    await world.env.advance_time(301)
    assert "Page 1 of 3." in words(result.response)
    assert buttons(result.response) == []


async def test_nobody_else_turns_the_pages(world, learnt):
    await learnt(20)
    result = await world.alice.slash(world.general, "memory list")
    pressed = await press(world.bob, result, "Next")
    assert pressed.response.content == NOT_YOURS
    assert "Page 1 of 3." in words(result.response)


async def test_a_list_is_one_container_which_pings_nobody(world, known):
    await known("Mallory says @everyone **listen**.")
    result = await world.alice.slash(world.general, "memory list")
    (box,) = result.response.components
    assert (result.response.content, result.response.embeds, result.response.flags.components_v2) == ("", [], True)
    assert box["accent_color"] == layout.LEAF
    sent = [each.json for each in world.env.http_requests if each.method == "PATCH"][-1]
    assert sent["allowed_mentions"]["parse"] == []
    assert "\\*\\*listen\\*\\*" in words(result.response)
    assert "@everyone" not in words(result.response)


@pytest.mark.simcord(check_errors=False)
async def test_a_page_that_can_not_be_read_is_told_in_place_of_the_list(world, learnt, monkeypatch):
    def away(*_, **__):
        raise OperationalError("I live in Toronto.")

    await learnt(20)
    result = await world.alice.slash(world.general, "memory list")
    monkeypatch.setattr(show, "list_memories", away)
    await world.alice.click(result.response, label="Next")
    assert words(result.response).startswith("Memory is busy just now.")
    assert buttons(result.response) == []


async def test_after_a_restart_a_press_turns_no_page_and_says_so(world, learnt):
    await learnt(20)
    result = await world.alice.slash(world.general, "memory list")
    await world.env.restart_bot(world.make_bot())
    pressed = await press(world.alice, result, "Next")
    assert (pressed.ephemeral, pressed.response.content) == (True, OUT_OF_DATE)
    assert "Page 1 of 3." in words(result.response)


# --- why: lines and notes ----------------------------------------------------------------------------------------


async def test_why_leads_from_a_line_to_its_notes_and_from_a_note_to_its_messages(world, noted, line):
    note = await noted("The lantern festival")
    entry = await line("Builds lanterns", note=note)
    message = await threads.run(Message.objects.order_by("pk").first)
    address = f"https://discord.com/channels/{world.north.id}/{world.general.id}/{message.platform_id}"
    said = await ask(world.alice, world.general, "why", memory=f"p{entry}")
    assert f"`n{note}` The lantern festival {address}" in said
    said = await ask(world.alice, world.general, "why", memory=f"n{note}")
    assert f"Alice: “{message.text}” {address}" in said


async def test_why_explains_no_line_and_no_note_of_others(world, noted, line):
    note, entry = await noted("The lantern festival", who="bob"), await line("Hates sanding", who="bob")
    for memory in (f"n{note}", f"p{entry}"):
        assert await ask(world.mallory, world.general, "why", memory=memory) == texts_members.NOT_YOURS


async def test_a_line_that_a_person_worded_says_so(world, line):
    entry = await line("Builds lanterns", written_by="person")
    assert "A person put it in these words." in await ask(world.alice, world.general, "why", memory=f"p{entry}")


async def test_marks_of_all_kinds_are_suggested(world, known, noted, line):
    fact, note, entry = await known("Loves tea."), await noted("Tea at noon"), await line("Brews tea")
    offered = await world.alice.autocomplete(world.general, "memory why", "memory", "tea")
    assert {choice["value"] for choice in offered} == {f"#{fact.pk}", f"n{note}", f"p{entry}"}
    offered = await world.alice.autocomplete(world.general, "memory why", "memory", f"n{note}")
    assert [choice["value"] for choice in offered] == [f"n{note}"]


async def test_nothing_of_another_guild_or_member_is_suggested(world, known):
    await known("Lives in Toronto.")
    twin = world.south.add_member(world.alice.user)
    assert await twin.autocomplete(world.lounge, "memory why", "memory", "") == []
    assert await world.bob.autocomplete(world.general, "memory why", "memory", "") == []


async def test_suggestions_that_fail_are_none_and_log_no_words(world, monkeypatch, caplog):
    def away(*_, **__):
        raise OperationalError("I live in Toronto.")

    monkeypatch.setattr(show, "facts_of", away)
    assert await world.alice.autocomplete(world.general, "memory why", "memory", "tor") == []
    assert "nothing could be suggested" in caplog.text
    assert "Toronto" not in caplog.text


async def test_what_was_said_in_a_private_thread_is_shown_there_and_nowhere_else(world):
    await world.alice.send(world.general, "hello")
    await threads.run(Guild.objects.update, hears_private_threads=True)
    thread = start_thread(world, type=12)
    await ask(world.alice, thread, "remember", text="Will be promoted.")
    assert "Will be promoted." in await ask(world.alice, thread, "list")
    assert "Nothing is known" in await ask(world.alice, world.general, "list")


# --- search ------------------------------------------------------------------------------------------------------


async def test_search_answers_from_what_may_be_told_with_links(world, known):
    await known("Alice restores old harpsichords.")
    message = await threads.run(Message.objects.get)
    await threads.run(index_facts)
    said = await ask(world.bob, world.general, "search", query="Who restores harpsichords?")
    assert "`1` Alice: Alice restores old harpsichords." in said
    assert f"/{world.general.id}/{message.platform_id}" in said


async def test_search_tells_nothing_of_a_closed_channel_elsewhere_nor_of_another_guild(world, known):
    private_room(world)
    await known("Alice restores old harpsichords.", channel="staff")
    await threads.run(index_facts)
    assert await ask(world.bob, world.general, "search", query="harpsichords") == texts_members.NOTHING_MATCHES
    assert await ask(world.alice, world.general, "search", query="harpsichords") == texts_members.NOTHING_MATCHES
    assert await ask(world.charlie, world.lounge, "search", query="harpsichords") == texts_members.NOTHING_MATCHES
    assert "harpsichords" in await ask(world.alice, world.staff, "search", query="harpsichords")


async def test_a_guild_may_switch_searching_off(world, known):
    await known("Alice restores old harpsichords.")
    await threads.run(Guild.objects.update, member_search=False)
    assert await ask(world.bob, world.general, "search", query="harpsichords") == texts_members.NO_SEARCH


async def test_searching_where_memory_is_off_finds_nothing(world, known):
    await known("Alice restores old harpsichords.")
    await threads.run(Guild.objects.update, memory_on=False)
    assert await ask(world.bob, world.general, "search", query="harpsichords") == texts_members.MEMORY_OFF


async def test_the_longest_answers_fit_into_a_message(world, known, line, noted):
    for number in range(8):
        await line(f"{number} " + "*_" * 190, section="relationships")
        await known(f"{number} " + "_*" * 180)
    note = await noted("*_" * 39, summary="_*" * 590)
    assert "Page 1 of 3." in await ask(world.alice, world.general, "list")
    assert "Page 2 of 3." in await ask(world.alice, world.general, "list", page=2)
    assert await ask(world.alice, world.general, "profile")
    assert await ask(world.alice, world.general, "why", memory=f"n{note}")
    result = await promised(world.alice, world.alice.slash(world.general, "memory forget", what="all"))
    assert "Forget 16 for good" in result.response.content


async def test_the_most_that_a_search_finds_fits_into_a_message(world, known):
    for number in range(8):
        await known(f"Owns harpsichord number {number} " + "of old " * 20)
    await threads.run(index_facts)
    said = await ask(world.alice, world.general, "search", query="harpsichord")
    assert said.count("https://") == show.HITS


# --- ask ---------------------------------------------------------------------------------------------------------


async def test_an_answer_is_the_lines_that_were_said_with_links(world, known):
    await known("Alice restores old harpsichords.")
    message = await threads.run(Message.objects.get)
    await threads.run(index_facts)
    said = await ask(world.bob, world.general, "ask", question="Who restores harpsichords?")
    assert said.endswith(texts_members.AS_IT_WAS_SAID)
    assert "`1` Alice: Alice restores old harpsichords." in said
    assert f"/{world.general.id}/{message.platform_id}" in said


async def test_what_nobody_told_is_not_known(world, known):
    await known("Alice restores old harpsichords.")
    await threads.run(index_facts)
    assert await ask(world.bob, world.general, "ask", question="Who owns a trumpet?") == texts_members.NOT_KNOWN
    assert await ask(world.charlie, world.lounge, "ask", question="harpsichords?") == texts_members.NOT_KNOWN


async def test_an_answer_tells_nothing_of_a_closed_channel_elsewhere(world, known):
    private_room(world)
    await known("Alice restores old harpsichords.", channel="staff")
    await threads.run(index_facts)
    question = "Who restores harpsichords?"
    assert await ask(world.alice, world.general, "ask", question=question) == texts_members.NOT_KNOWN
    assert "harpsichords" in await ask(world.alice, world.staff, "ask", question=question)


async def test_a_guild_that_lets_nobody_search_answers_no_question(world, known):
    await known("Alice restores old harpsichords.")
    await threads.run(Guild.objects.update, member_search=False)
    assert await ask(world.bob, world.general, "ask", question="harpsichords?") == texts_members.NO_SEARCH
    await threads.run(Guild.objects.update, member_search=True, memory_on=False)
    assert await ask(world.bob, world.general, "ask", question="harpsichords?") == texts_members.MEMORY_OFF


async def test_the_longest_answer_of_a_model_fits_into_a_message(world, known):
    for number in range(4):
        await known(f"Alice restores harpsichord number {number} " + "*_" * 150)
    await threads.run(index_facts)
    sentences = [
        Sentence(text=f"Alice restores harpsichord number {number}. " + "*_" * 150, sources=[1, 2, 3, 4])
        for number in range(4)
    ]
    with scripted() as model:
        model.will("answer", AnswerText(sentences=sentences))
        said = await ask(world.bob, world.general, "ask", question="Who restores a harpsichord number?")
    assert said.count("https://") >= 1


async def test_what_is_told_in_one_channel_only_bears_a_mark(world, known, line, noted):
    private_room(world)
    await known("Lives in Toronto.")
    hidden = await known("Will be promoted.", channel="staff")
    mark = f"(only in <#{world.staff.id}>)"
    said = await ask(world.alice, world.general, "list")
    assert said.count("only in") == 1
    assert f"Will be promoted. {mark}" in said
    assert mark in await ask(world.alice, world.general, "why", memory=str(hidden.pk))
    for number in range(8):
        await known(f"{number} " + "*_" * 190, channel="staff")
    assert (await ask(world.alice, world.general, "list")).count(mark) == 8
