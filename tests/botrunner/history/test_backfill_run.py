"""A channel's older history: read once, page by page, on after a kill, and no further than it is wanted."""

from __future__ import annotations

import asyncio
import threading

import pytest

from botrunner import threads
from botrunner.history import backfill_rows, backfill_run
from botrunner.history.estimate import estimate
from botrunner.models import Backfill
from memory.models import Action
from memoryhub.community.identity import find_guild
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.site import health
from notes.models import Message
from profiles import consent_effects
from tests.botrunner.history.test_catch_up import fails, meanwhile
from tests.botrunner.scenes import ask, manager, private_room
from tests.factories import NOON

PATIENCE = 30.0  # seconds
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    monkeypatch.setattr(backfill_run, "PAUSE", 0)


def cog_of(world):
    return world.env.bot.get_cog("BackfillReader")


def seen(world, channel=None):
    return world.env.bot.get_channel((channel or world.general).id)


async def read(world, channel=None, *, expected=0):
    """Ask for a channel's history and wait until all is read; return what was told."""
    told = await cog_of(world).begin(seen(world, channel), expected=expected, actor="member:1")
    await cog_of(world).work
    return told


async def progress(world, *readable):
    """Return what is told of the guild of the first channel to who can read these."""
    guild = seen(world, readable[0]).guild
    return await cog_of(world).progress(guild, readable={str(channel.id) for channel in readable})


async def books():
    return await threads.run(list, Backfill.objects.values_list("status", "read"))


async def test_what_was_said_before_the_bot_came_is_read_once_and_in_order(world, texts):
    meanwhile(world, world.general, "one", "two", "three")
    assert "has begun" in await read(world, expected=3)
    await read(world)
    assert await texts() == ["one", "two", "three"]
    assert await books() == [("done", 3)]
    assert set(await threads.run(list, Message.objects.values_list("source", flat=True))) == {"import"}
    asked = await threads.run(list, Action.objects.filter(kind="backfill"))
    assert [action.detail["channel"] for action in asked] == [str(world.general.id)] * 2


async def test_what_is_asked_for_while_nothing_was_found_yet_is_read_too(world, texts, monkeypatch):
    looked, go_on, look = threading.Event(), threading.Event(), backfill_rows.next_backfill

    def look_slowly(*asked):
        found = look(*asked)
        looked.set()
        go_on.wait(PATIENCE)
        return found

    meanwhile(world, world.general, "one")
    monkeypatch.setattr(backfill_rows, "next_backfill", look_slowly)
    cog_of(world).keep_going()
    assert await asyncio.to_thread(looked.wait, PATIENCE)
    await cog_of(world).begin(seen(world), expected=1, actor="member:1")
    go_on.set()
    await cog_of(world).work
    assert await texts() == ["one"]


async def test_its_messages_are_as_old_as_they_are(world):
    (message_id,) = meanwhile(world, world.general, "long ago")
    await read(world)
    stored = await threads.run(Message.objects.get)
    assert stored.sent_at == seen(world).get_partial_message(message_id).created_at


async def test_each_guild_has_its_own(world, texts):
    meanwhile(world, world.general, "in the north")
    meanwhile(world, world.lounge, "in the south", who="charlie")
    await read(world)
    assert await texts() == ["in the north"]
    assert await progress(world, world.lounge, world.general) == []
    assert await progress(world, world.general) == ["#general: 1 messages, read to its end"]


async def test_what_must_not_be_kept_is_not_read_either(world, texts):
    await world.alice.send(world.general, "before")
    alice = await threads.run(Member.objects.get, platform_id=str(world.alice.id))
    await threads.run(consent_effects.choose, alice, remember=False, actor="member", now=NOON)
    meanwhile(world, world.general, "from somebody who opted out")
    meanwhile(world, world.general, "\N{NO ENTRY} not this", "this", who="bob")
    await read(world)
    assert await texts() == ["before", "this"]


async def test_a_thread_is_read_with_its_channel_and_belongs_to_it(world, texts):
    thread = world.env.backend.create_thread(world.general.id, "tea talk", world.alice.id)
    await world.env.settle()
    meanwhile(world, thread, "Tea, always.")
    await read(world)
    assert await texts() == ["Tea, always."]
    stored = await threads.run(Channel.objects.select_related("parent").get, platform_id=str(thread.id))
    assert stored.parent.platform_id == str(world.general.id)
    assert await progress(world, world.general) == ["#general: 2 messages (threads: 1), read to its end"]


async def test_a_channel_is_being_read_as_long_as_one_of_its_threads_is(world):
    thread = world.env.backend.create_thread(world.general.id, "tea talk", world.alice.id)
    await world.env.settle()
    meanwhile(world, world.general, "one", "two")
    world.env.inject_error("GET", f"/channels/{thread.id}/messages", status=500)
    await read(world, expected=2)
    await threads.run(Backfill.objects.filter(under=str(world.general.id)).update, expected=40)
    state = "being read (failures in a row: 1; tried again within the hour)"
    assert await progress(world, world.general) == [f"#general: 3 of about 43 messages (threads: 1), {state}"]


async def test_progress_names_no_channel_that_the_manager_can_not_read(world):
    private_room(world)
    olga = manager(world, manage_guild=True)
    await read(world, world.staff)
    await read(world)
    assert await ask(olga, world.general, "backfill", action="progress") == "#general: 0 messages, read to its end"


async def test_the_longest_progress_fits_into_a_message(world):
    def fill():
        guild = Guild.objects.create(key=f"discord:{world.north.id}")
        for number in range(20):
            place = world.north.create_text_channel("_" * 96 + f"{number:03}")
            asked = {"until": 1, "expected": 10_000_000, "read": 9_999_999, "status": "reading", "asked_at": NOON}
            Backfill.objects.create(guild=guild, channel_id=str(place.id), **asked)
            Backfill.objects.create(guild=guild, channel_id=f"1{place.id}", under=str(place.id), **asked)

    await threads.run(fill)
    said = await ask(manager(world, manage_guild=True), world.general, "backfill", action="progress")
    assert said.count("being read") == 12


async def test_a_channel_that_may_not_be_read_is_given_up(world, texts):
    meanwhile(world, world.general, "unseen")
    world.env.inject_error("GET", f"/channels/{world.general.id}/messages", status=403)
    await read(world)
    assert await texts() == []
    assert await books() == [("refused", 0)]


async def test_what_fails_goes_on_at_the_next_start(world, texts):
    meanwhile(world, world.general, "one")
    world.env.inject_error("GET", f"/channels/{world.general.id}/messages", status=500)
    await read(world)
    assert await books() == [("reading", 0)]
    await world.env.restart_bot(world.make_bot())
    await cog_of(world).work
    assert await texts() == ["one"]
    assert await books() == [("done", 1)]


async def test_what_failed_goes_on_when_a_lost_connection_is_resumed(world, texts):
    meanwhile(world, world.general, "one")
    world.env.inject_error("GET", f"/channels/{world.general.id}/messages", status=500)
    await read(world)
    world.env.bot.dispatch("shard_resumed", 0)
    await world.env.settle()
    await cog_of(world).work
    assert await texts() == ["one"]


async def test_what_failed_goes_on_in_a_while(world, texts, monkeypatch):
    monkeypatch.setattr(backfill_run, "AGAIN_FIRST", 0)
    meanwhile(world, world.general, "one")
    world.env.inject_error("GET", f"/channels/{world.general.id}/messages", status=500)
    await read(world)
    await cog_of(world).later
    await cog_of(world).work
    assert await texts() == ["one"]


async def test_what_fails_each_time_waits_longer_and_is_told_of(world, texts, monkeypatch):
    meanwhile(world, world.general, "one")
    waited = []

    async def wait(_cog, seconds):
        waited.append(seconds)

    monkeypatch.setattr(backfill_run.BackfillReader, "_go_on_later", wait)
    pauses = [300, 600, 1200, 2400, 3600, 3600]
    for count, _ in enumerate(pauses, 1):
        world.env.inject_error("GET", f"/channels/{world.general.id}/messages", status=500)
        await read(world)
        await cog_of(world).later
        assert f"failures in a row: {count}" in (await progress(world, world.general))[0]
        assert await threads.run(lambda: len(list(health._of_histories()))) == (count >= 3)
    assert waited == pauses
    await read(world)
    assert await texts() == ["one"]
    assert await threads.run(lambda: list(health._of_histories())) == []
    assert "failures" not in (await progress(world, world.general))[0]


async def test_what_the_database_was_away_for_goes_on_in_a_while(world, texts, monkeypatch):
    monkeypatch.setattr(backfill_run, "AGAIN_FIRST", 0)
    meanwhile(world, world.general, "one")
    with monkeypatch.context() as away:
        away.setattr(backfill_rows, "next_backfill", fails)
        await read(world)
    await cog_of(world).later
    await cog_of(world).work
    assert await texts() == ["one"]


@pytest.mark.parametrize(("wanted", "status"), [(True, 200), (False, 200), (True, 403)])
async def test_an_archived_private_thread_is_read_where_it_is_wanted_and_the_bot_may(world, texts, wanted, status):
    await threads.run(Guild.objects.create, key=f"discord:{world.north.id}", hears_private_threads=wanted)
    thread = archived_private_thread(world)
    meanwhile(world, world.general, "in the open")
    meanwhile(world, thread, "in private")
    if status != 200:
        joined = f"/channels/{world.general.id}/users/@me/threads/archived/private"
        world.env.inject_error("GET", joined, status=status)
    await read(world)
    assert await texts() == ["in the open", *(["in private"] if wanted and status == 200 else [])]
    assert {status for status, _ in await books()} == {"done"}


def archived_private_thread(world):
    """Return a private thread of the open channel that the bot joined, archived since."""
    backend = world.env.backend
    thread = backend.create_thread(world.general.id, "psst", world.alice.id, type=12)
    backend.add_thread_member(thread.id, world.env.bot.user.id)
    backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})
    return thread


async def test_a_kill_between_two_pages_reads_on_after_the_first(world, texts):
    one, two = meanwhile(world, world.general, "one", "two")
    await threads.run(Guild.objects.create, key=f"discord:{world.north.id}")
    guild = await threads.run(find_guild, f"discord:{world.north.id}")
    await threads.run(
        lambda: Backfill.objects.create(guild=guild, channel_id=str(world.general.id), after=one, until=two, read=1)
    )
    cog_of(world).keep_going()
    await cog_of(world).work
    assert await texts() == ["two"]
    assert await books() == [("done", 2)]


async def test_one_that_is_cancelled_stops_and_begins_again_where_it_was(world, texts, monkeypatch):
    meanwhile(world, world.general, "one", "two")
    cog = cog_of(world)
    hear = world.env.bot.get_cog("Listener").hear

    async def cancelled_meanwhile(*messages, **options):
        await hear(*messages, **options)
        assert (await cog.cancel(seen(world), actor="member:1")).startswith("Cancelled")

    with monkeypatch.context() as patched:
        patched.setattr(world.env.bot.get_cog("Listener"), "hear", cancelled_meanwhile)
        await read(world)
    assert await books() == [("cancelled", 0)]
    assert await cog.cancel(seen(world), actor="member:1") == "Nothing of this channel is being read."
    await read(world)
    assert await texts() == ["one", "two"]
    assert await books() == [("done", 2)]


async def test_its_threads_that_were_cancelled_with_it_are_read_when_it_begins_again(world, texts, monkeypatch):
    thread = world.env.backend.create_thread(world.general.id, "tea talk", world.alice.id)
    await world.env.settle()
    meanwhile(world, world.general, "one")
    meanwhile(world, thread, "Tea, always.")
    hear = world.env.bot.get_cog("Listener").hear

    async def cancelled_meanwhile(*messages, **options):
        await hear(*messages, **options)
        await cog_of(world).cancel(seen(world), actor="member:1")

    with monkeypatch.context() as patched:
        patched.setattr(world.env.bot.get_cog("Listener"), "hear", cancelled_meanwhile)
        await read(world)
    assert await texts() == ["one"]
    await read(world)
    assert sorted(await texts()) == ["Tea, always.", "one"]
    assert {status for status, _ in await books()} == {"done"}


async def test_what_is_read_anew_is_read_anew_with_its_threads(world, texts):
    thread = world.env.backend.create_thread(world.general.id, "tea talk", world.alice.id)
    await world.env.settle()
    await read(world)
    meanwhile(world, thread, "Tea, always.")
    await read(world)
    assert await texts() == ["Tea, always."]


async def test_where_memory_is_off_nothing_is_read(world):
    await threads.run(Guild.objects.create, key=f"discord:{world.north.id}", memory_on=False)
    assert (await read_refused(world)).startswith("Memory is off")
    assert await books() == []


async def read_refused(world):
    return await cog_of(world).begin(seen(world), expected=0, actor="member:1")


async def test_who_asks_twice_is_told_that_it_is_being_read(world):
    await threads.run(Guild.objects.create, key=f"discord:{world.north.id}")
    guild = await threads.run(find_guild, f"discord:{world.north.id}")
    await threads.run(
        lambda: Backfill.objects.create(guild=guild, channel_id=str(world.general.id), until=5, read=1_200)
    )
    assert await read_refused(world) == "It is being read already: 1,200 messages so far."
    await cog_of(world).work


async def test_a_short_history_is_counted_exactly(world):
    meanwhile(world, world.general, "a" * 40, "b" * 80)
    found = await estimate(seen(world))
    assert (found.messages, found.exact, found.pages, found.tokens) == (2, True, 1, 30)
    assert "2 messages; reading takes about 1 second." in found.question()


async def test_old_history_says_nothing_of_what_was_heard_last(world, texts):
    """A cancelled reading is not taken up by the next start as if it were a gap."""
    meanwhile(world, world.general, "old")
    await read(world)
    meanwhile(world, world.general, "newer, and never asked for")
    await world.env.restart_bot(world.make_bot())
    assert await texts() == ["old"]
