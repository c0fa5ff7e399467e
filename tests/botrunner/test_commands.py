"""/memory: members see, explain, tell, forget and refuse what is remembered about them, and nobody else's."""

from __future__ import annotations

import discord
import pytest
from django.db import OperationalError

from botrunner import answers, bridge, desk
from memory.models import Fact
from notes.models import Message, Summary
from profiles.models import Channel, ConsentChoice, Guild, Member, ProfileEntry
from tests.factories import make_entry, make_evidence, make_fact

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def known(world):
    """Learn a fact about somebody of the cast, from a message of theirs in a channel."""

    async def known(text, who="alice", channel="general", **fields):
        actor, place = getattr(world, who), getattr(world, channel)
        said = await actor.send(place, text)

        def learn():
            message = Message.objects.select_related("channel", "author__guild").get(platform_id=str(said.id))
            return make_fact(
                text, subject=message.author, evidence=[message], audience_id=message.channel.heard_by, **fields
            )

        return await bridge.run(learn)

    return known


async def facts():
    return await bridge.run(list, Fact.objects.order_by("pk").values_list("text", flat=True))


def private_room(world):
    hidden = {
        world.north.default_role: discord.PermissionOverwrite(view_channel=False),
        world.alice: discord.PermissionOverwrite(view_channel=True),
    }
    world.staff = world.north.create_text_channel("staff", overwrites=hidden)


async def ask(actor, channel, command, **options):
    before = len(actor._env.http_requests)
    result = await actor.slash(channel, f"memory {command}", **options)
    assert result.ephemeral
    first, *_ = actor._env.http_requests[before:]
    assert first.json["type"] == discord.InteractionResponseType.deferred_channel_message.value
    return result.response.content


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
    assert [(choice["name"], choice["value"]) for choice in offered] == [("Lives in Toronto.", str(fact.pk))]


async def test_text_of_members_cannot_ping_or_format(world, known):
    await known("Is **loud** to @everyone.")
    said = await ask(world.alice, world.general, "list")
    assert "@everyone" not in said
    assert "\\*\\*loud\\*\\*" in said


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


# --- optout and privacy --------------------------------------------------------------------------------------------


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


async def test_privacy_tells_what_is_stored_and_who_reads_it(world, known):
    await known("Lives in Toronto.")
    said = await ask(world.alice, world.general, "privacy")
    assert "messages 1, facts 1, notes 0" in said
    assert "by no model" in said
    assert "What you say is stored." in said
    await ask(world.alice, world.general, "optout", state="on")
    assert "What you say is not stored." in await ask(world.alice, world.general, "privacy")


# --- When it fails -------------------------------------------------------------------------------------------------


@pytest.mark.simcord(check_errors=False)
async def test_a_command_that_fails_says_so_and_logs_no_words(world, monkeypatch, caplog):
    def away(*_, **__):
        raise OperationalError("I live in Toronto.")

    monkeypatch.setattr(desk, "list_facts", away)
    assert "did not work" in await ask(world.alice, world.general, "list")
    assert "Toronto" not in caplog.text


async def test_the_commands_are_told_to_discord_only_when_they_changed(world):
    def told():
        return sum(entry.method == "PUT" for entry in world.env.http_requests)

    assert told() == 1
    await world.env.restart_bot(world.make_bot())
    assert told() == 1


async def test_the_commands_exist_only_in_guilds(world):
    assert "memory list" in world.alice.available_commands(world.general)
    assert world.alice.user.available_commands() == ()


# --- profile -------------------------------------------------------------------------------------------------------


@pytest.fixture
def line(known):
    """Put a line into somebody's profile, resting on something they said."""

    async def line(text, who="alice", **fields):
        await known(text, who=who)

        def put():
            fact = Fact.objects.select_related("subject").order_by("-pk").first()
            return make_entry(text, member=fact.subject, **fields).pk

        return await bridge.run(put)

    return line


async def test_a_member_reads_the_lines_of_their_own_profile(world, line):
    number = await line("Lives in Toronto")
    await line("Hates sanding", who="bob")
    shown = await ask(world.alice, world.general, "profile")
    assert f"`#{number}` Bio: Lives in Toronto" in shown
    assert "sanding" not in shown


async def test_without_a_profile_it_says_so(world):
    assert "Nothing is in your profile" in await ask(world.alice, world.general, "profile")


async def test_a_member_words_a_line_anew(world, line):
    number = await line("Lives in Toronto")
    assert await ask(world.alice, world.general, "profile", line=str(number), text="Lives in Porto") == answers.WORDED
    entry = await bridge.run(ProfileEntry.objects.get, pk=number)
    assert (entry.text, entry.pinned) == ("Lives in Porto", True)


async def test_a_member_takes_a_line_out(world, line):
    number = await line("Lives in Toronto")
    assert await ask(world.alice, world.general, "profile", line=f"#{number}", remove=True) == answers.STRUCK
    assert (await bridge.run(ProfileEntry.objects.get, pk=number)).status == "refused"


async def test_a_line_that_can_not_stand_is_refused_in_words(world, line):
    number = await line("Lives in Toronto")
    said = await ask(world.alice, world.general, "profile", line=str(number), text="My password is hunter2-tango-9")
    assert "cannot stand in a profile" in said
    assert (await bridge.run(ProfileEntry.objects.get, pk=number)).text == "Lives in Toronto"


@pytest.mark.parametrize("options", [{"text": "Sails the seas"}, {"remove": True}])
async def test_a_line_of_another_is_not_found(world, line, options):
    number = await line("Hates sanding", who="bob")
    said = await ask(world.mallory, world.general, "profile", line=str(number), **options)
    assert said == answers.NOT_YOUR_LINE
    entry = await bridge.run(ProfileEntry.objects.get, pk=number)
    assert (entry.text, entry.status) == ("Hates sanding", "shown")


async def test_lines_are_offered_while_typing(world, line):
    number = await line("Lives in Toronto")
    offered = await world.alice.autocomplete(world.general, "memory profile", "line", "tor")
    assert [choice["value"] for choice in offered] == [str(number)]


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
