"""/memory-admin and backfill: who manages the server sees, ends, rebuilds, undoes; nobody else does."""

from __future__ import annotations

import discord
import pytest

from botrunner import threads
from botrunner.actions import texts_members, texts_moderators
from botrunner.actions.community import texts_recap
from botrunner.commands.buttons import TIME_IS_OVER
from memory.models import Action, Fact, Recap
from memoryhub.community import consent
from memoryhub.community.models import Guild, Member
from notes.models import ChannelBuffer
from profiles.models import Profile
from tests.botrunner.capture.test_listener import start_thread
from tests.botrunner.scenes import ask, facts, let_see, manager, named, private_room, promised, refused
from tests.factories import days

pytestmark = pytest.mark.django_db(transaction=True)

NEEDS = "For this you need the permission Manage Server here. Ask somebody who has it."


@pytest.fixture
def olga(world):
    """Return a member who manages North."""
    return manager(world, manage_guild=True)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("admin view", {}), ("admin digest", {}), ("admin rebuild", {}), ("admin undo", {}), ("admin recap", {}),
        ("admin purge-guild", {"name": "North"}), ("backfill", {}), ("backfill", {"action": "cancel"}),
    ],
)  # fmt: skip
@pytest.mark.simcord(check_errors=False)
async def test_who_does_not_manage_the_server_is_refused(world, known, command, options):
    await known("Lives in Toronto.")
    await let_see(world, world.north, world.alice)
    assert await refused(world.alice, world.general, command, **options) == NEEDS
    assert await facts() == ["Lives in Toronto."]


@pytest.mark.simcord(check_errors=False)
async def test_who_does_not_manage_the_server_clears_nobody_and_is_offered_nothing(world, known):
    await known("Lives in Toronto.", who="bob")
    await let_see(world, world.north, world.alice)
    assert await refused(world.alice, world.general, "admin clear", member=world.bob) == NEEDS
    assert await world.alice.autocomplete(world.general, "memory-admin undo", "memory", "") == []


@pytest.mark.simcord(check_errors=False)
async def test_to_manage_one_server_is_nothing_in_another(world, known, olga):
    await known("Lives in Toronto.")
    twin = world.south.add_member(olga.user)
    await let_see(world, world.south, twin)
    assert await refused(twin, world.lounge, "admin view", member=world.alice.user) == NEEDS


async def test_view_shows_the_numbers_of_the_server(world, known, olga):
    assert await ask(olga, world.general, "admin view") == texts_moderators.UNKNOWN_GUILD
    await known("Lives in Toronto.")
    said = await ask(olga, world.general, "admin view")
    assert "messages 1, memories 1, notes 0" in said


async def test_view_shows_what_is_known_of_a_member_as_far_as_one_can_read_oneself(world, known, olga):
    await known("Lives in Toronto.")
    private_room(world)
    await known("Will be promoted.", channel="staff")
    said = await ask(olga, world.general, "admin view", member=world.alice)
    assert "Lives in Toronto." in said
    assert "promoted" not in said
    assert "Nothing is known about them" in await ask(olga, world.general, "admin view", member=world.bob)


async def test_view_shows_nothing_of_somebody_who_is_not_to_be_remembered(world, known, olga):
    fact = await known("Lives in Toronto.")
    await threads.run(consent.choose, fact.subject, remember=False, actor="member", now=fact.said_at)
    assert "Nothing is known about them" in await ask(olga, world.general, "admin view", member=world.alice)


async def test_digest_ends_the_open_conversations_of_this_server_only(world, olga):
    await world.alice.send(world.general, "hello")
    await world.charlie.send(world.lounge, "hello")
    assert "Conversations ended: 1." in await ask(olga, world.general, "admin digest")
    buffers = await threads.run(list, ChannelBuffer.objects.order_by("pk").values_list("guild__name", "status"))
    assert buffers == [("North", "closed"), ("South", "open")]


@pytest.mark.parametrize("command", ["view", "digest", "rebuild", "recap"])
async def test_where_nothing_was_said_yet_that_is_told(world, olga, command):
    assert await ask(olga, world.general, f"admin {command}") == texts_moderators.UNKNOWN_GUILD


async def test_rebuild_marks_one_profile_or_all_of_the_server(world, known, olga):
    await known("Lives in Toronto.")
    await known("Owns a cat.", who="bob")
    await world.charlie.send(world.lounge, "hello")
    assert "to be rebuilt: 1." in await ask(olga, world.general, "admin rebuild", member=world.alice)
    assert "to be rebuilt: 2." in await ask(olga, world.general, "admin rebuild")
    dirty = await threads.run(list, Profile.objects.filter(dirty=True).values_list("member__name", flat=True))
    assert sorted(dirty) == ["alice", "bob"]
    assert await ask(olga, world.general, "admin rebuild", member=world.mallory) == texts_moderators.UNKNOWN


async def test_undo_takes_back_a_replacement_about_anybody(world, olga):
    await ask(world.alice, world.general, "remember", text="Lives in Toronto.")
    await ask(world.alice, world.general, "remember", text="Lives in Ottawa now.")
    offered = await olga.autocomplete(world.general, "memory-admin undo", "memory", "toronto")
    assert [choice["name"] for choice in offered] == ["Invalidated: Lives in Toronto."]
    said = await ask(olga, world.general, "admin undo", memory=offered[0]["value"])
    assert "says again: Lives in Toronto." in said
    assert await facts(status="active") == ["Lives in Toronto."]
    logged = await threads.run(Action.objects.get, kind="memory_undo")
    assert logged.actor == f"moderator:{olga.id}"


async def test_undo_reaches_neither_another_server_nor_a_channel_that_one_cannot_read(world, known, olga):
    private_room(world)
    await ask(world.alice, world.staff, "remember", text="Lives in Toronto.")
    fact = await threads.run(Fact.objects.get)
    assert await ask(olga, world.general, "admin undo", memory=f"#{fact.pk}") != ""
    assert await facts(status="active") == ["Lives in Toronto."]
    twin = manager(world, "otto", manage_guild=True)
    assert await twin.autocomplete(world.general, "memory-admin undo", "memory", "") == []


# --- Recaps ------------------------------------------------------------------------------------------------------


async def test_recap_says_what_is_set_and_writes_a_draft(world, noted, olga):
    assert await ask(olga, world.general, "admin recap") == texts_moderators.UNKNOWN_GUILD
    await noted("The *lantern* festival")
    assert await ask(olga, world.general, "admin recap") == f"{texts_recap.NONE_SET}\n{texts_recap.NONE_YET}"
    await world.env.advance_time(60)
    said = await ask(olga, world.general, "admin recap", days=7)
    recap = await threads.run(Recap.objects.get)
    assert (recap.status, recap.actor) == ("draft", f"moderator:{olga.id}")
    assert f"`/recaps/{recap.pk}/`" in said
    await threads.run(Guild.objects.update, recap="weekly")
    said = await ask(olga, world.general, "admin recap")
    assert said.startswith(
        "Recaps: Each Monday, of the week, as a draft for a moderator to edit and post. The next one"
    )
    assert f": draft in the dashboard, under Recaps: `/recaps/{recap.pk}/`." in said


async def test_recap_says_why_one_could_not_be_posted_and_where_one_stands(world, olga):
    await world.alice.send(world.general, "hello")
    now = discord.utils.utcnow()
    guild = await threads.run(Guild.objects.get)
    fields = {"since": now, "until": now, "status": "waiting", "last_error": "The bot may not write there."}
    recap = await threads.run(lambda: Recap.objects.create(guild=guild, channel_id="7", **fields))
    assert "It could not be posted. The bot may not write there." in await ask(olga, world.general, "admin recap")
    await threads.run(Recap.objects.filter(pk=recap.pk).update, status="posted", message_id="8", last_error="")
    assert f"posted: https://discord.com/channels/{world.north.id}/7/8" in await ask(olga, world.general, "admin recap")


async def test_recap_of_nothing_and_without_memory_says_so(world, olga):
    await world.alice.send(world.general, "hello")
    await threads.run(Member.objects.update, first_seen_at=discord.utils.utcnow() - days(90))
    said = await ask(olga, world.general, "admin recap", days=2)
    assert said == texts_recap.NOTHING_TO_TELL.format(days="2 days")
    assert "of the last day that" in await ask(olga, world.general, "admin recap", days=1)
    assert (await ask(olga, world.general, "admin recap")).endswith(": nothing to tell.")
    await threads.run(Guild.objects.update, memory_on=False)
    assert await ask(olga, world.general, "admin recap", days=2) == texts_members.MEMORY_OFF


# --- Erasing -----------------------------------------------------------------------------------------------------


async def erase(actor, place, command, /, **options):
    return await promised(actor, actor.slash(place, named(command), **options))


async def test_clear_shows_what_would_go_erases_it_and_hands_out_a_receipt(world, known, olga):
    await known("Lives in Toronto.")
    await known("Owns a cat.", who="bob")
    result = await erase(olga, world.general, "admin clear", member=world.alice)
    assert "Erase all that is stored of Alice, for good?" in result.response.content
    assert result.response.content.endswith(texts_moderators.THEN_THEIRS)
    assert len(await facts()) == 2
    await olga.click(result.response, label="Erase")
    assert "The receipt, which proves it:" in result.response.content
    assert await facts() == ["Owns a cat."]
    assert not await threads.run(Member.objects.filter(platform_id=str(world.alice.id)).exists)


async def test_clear_asks_nothing_of_whom_nothing_is_known(world, known, olga):
    await known("Lives in Toronto.")
    result = await erase(olga, world.general, "admin clear", member=world.bob)
    assert result.response.content == texts_moderators.UNKNOWN


async def test_purge_asks_for_the_exact_name(world, known, olga):
    await known("Lives in Toronto.")
    for name in ("north", "North ", "South"):
        said = await ask(olga, world.general, "admin purge-guild", name=name)
        assert "not this server's name" in said
    assert await facts() == ["Lives in Toronto."]


async def test_purge_that_is_not_confirmed_erases_nothing(world, known, olga):
    await known("Lives in Toronto.")
    for answer in ("Keep", None):
        result = await erase(olga, world.general, "admin purge-guild", name="North")
        assert result.response.content.endswith(texts_moderators.THEN_ALL)
        await (olga.click(result.response, label=answer) if answer else world.env.advance_time(31))
        assert result.response.content.endswith(texts_moderators.NOTHING_DONE)
        assert result.response.content.startswith(TIME_IS_OVER) == (answer is None)
    assert await facts() == ["Lives in Toronto."]


async def test_purge_erases_the_server_and_no_other(world, known, olga, texts):
    await known("Lives in Toronto.")
    await world.charlie.send(world.lounge, "I live in Oslo.")
    result = await erase(olga, world.general, "admin purge-guild", name="North")
    await olga.click(result.response, label="Erase")
    assert "The receipt" in result.response.content
    assert await facts() == []
    assert await texts() == ["I live in Oslo."]
    assert await ask(olga, world.general, "admin purge-guild", name="North") == texts_moderators.UNKNOWN_GUILD


# --- Backfill ----------------------------------------------------------------------------------------------------


async def test_backfill_shows_an_estimate_and_reads_when_told_to(world, olga):
    world.env.backend.create_message(world.general.id, world.alice.id, "I live in Toronto.")
    result = await erase(olga, world.general, "backfill")
    assert "1 messages" in result.response.content
    await olga.click(result.response, label="Read it")
    said = await ask(olga, world.general, "backfill", action="progress")
    assert said.startswith("#general: ")
    assert await ask(olga, world.general, "backfill", action="cancel")


async def test_backfill_of_a_channel_in_which_nothing_was_said_asks_nothing(world, olga):
    result = await erase(olga, world.general, "backfill")
    assert (result.response.content, result.response.components) == (texts_moderators.NOTHING_TO_READ, [])
    start_thread(world)
    (announced,) = world.general.history()
    world.env.backend.delete_message(world.general.id, announced.id)
    result = await erase(olga, world.general, "backfill")
    assert "0 messages" in result.response.content
    assert "Threads come on top." in result.response.content


async def test_backfill_that_is_not_confirmed_reads_nothing(world, olga):
    world.env.backend.create_message(world.general.id, world.alice.id, "I live in Toronto.")
    result = await erase(olga, world.general, "backfill")
    await olga.click(result.response, label="Cancel")
    assert result.response.content == texts_moderators.NOTHING_READ
    assert await ask(olga, world.general, "backfill", action="progress") == texts_moderators.NOT_BACKFILLED


async def test_nobody_has_a_place_read_of_which_it_is_not_sure_that_they_read_it(world):
    otto = manager(world, "otto", manage_guild=True, manage_threads=True)
    thread = start_thread(world, type=12)
    assert await ask(otto, world.general, "backfill", channel=thread) == texts_moderators.NOT_READABLE


async def test_a_channel_that_the_bot_may_not_read_is_told_of(world, olga):
    world.env.inject_error("GET", "/channels/*/messages", status=403, code=50001)
    assert await ask(olga, world.general, "backfill") == texts_moderators.BOT_MAY_NOT_READ
