"""/memory channel: who manages a channel switches its memory; threads and new channels of a category follow."""

from __future__ import annotations

from contextlib import contextmanager

import discord
import pytest

from botrunner import threads
from botrunner.actions import texts_moderators
from memory.models import Action
from memoryhub.community.models import Channel, Guild
from tests.botrunner.capture.test_listener import start_thread
from tests.botrunner.history.test_catch_up import back, leaves_and_comes_back, meanwhile
from tests.botrunner.scenes import ask, manager, refused

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def olga(world):
    """Return a member who manages North's channels, and nothing else."""
    return manager(world, manage_channels=True)


async def test_off_stores_nothing_from_the_next_message_on_and_on_stores_again(world, olga, texts):
    await world.alice.send(world.general, "before")
    assert "nothing said in #general is stored" in await ask(olga, world.general, "channel off")
    await world.alice.send(world.general, "between")
    assert await texts() == ["before"]
    assert "may be remembered" in await ask(olga, world.general, "channel on")
    await world.alice.send(world.general, "after")
    assert await texts() == ["before", "after"]


async def test_a_channel_in_which_nobody_spoke_yet_can_be_switched_off(world, olga, texts):
    await ask(olga, world.general, "channel off")
    await world.alice.send(world.general, "hello")
    assert await texts() == []


async def test_threads_follow_their_channel_old_ones_and_new_ones(world, olga, texts):
    old = start_thread(world, "old")
    await world.alice.send(old, "before")
    await ask(olga, world.general, "channel off")
    await world.alice.send(old, "between")
    await world.alice.send(start_thread(world, "new"), "between, too")
    assert await texts() == ["before"]
    assert "not remembered" in await ask(olga, old, "channel status")


async def test_a_thread_alone_can_be_switched_off(world, olga, texts):
    thread = start_thread(world)
    await ask(olga, thread, "channel off")
    await world.alice.send(thread, "Psst.")
    await world.alice.send(world.general, "hello")
    assert await texts() == ["hello"]


async def test_another_channel_is_named(world, olga, texts):
    other = world.north.create_text_channel("other")
    await ask(olga, world.general, "channel off", channel=other)
    await world.alice.send(other, "Psst.")
    await world.alice.send(world.general, "hello")
    assert await texts() == ["hello"]


async def test_a_category_means_all_its_channels_and_those_that_come_into_it(world, olga, texts):
    attic = world.north.create_category("Attic")
    boxes = world.north.create_text_channel("boxes", category=attic)
    assert "all channels of Attic (1), and new ones," in await ask(olga, world.general, "channel off", channel=attic)
    trunks = world.north.create_text_channel("trunks", category=attic)
    await world.env.settle()
    for place in (boxes, trunks):
        await world.alice.send(place, "dusty")
    assert await texts() == []
    assert (await threads.run(Guild.objects.get)).off_categories == [str(attic.id)]
    said = await ask(olga, world.general, "channel status", channel=attic)
    assert said.splitlines() == ["#boxes: not remembered", "#trunks: not remembered"]
    await ask(olga, world.general, "channel on", channel=attic)
    await world.alice.send(trunks, "aired")
    assert await texts() == ["aired"]
    assert (await threads.run(Guild.objects.get)).off_categories == []


async def test_a_channel_that_moves_into_a_category_without_memory_loses_it(world, olga, texts):
    attic = world.north.create_category("Attic")
    await ask(olga, world.general, "channel off", channel=attic)
    world.env.backend.edit_channel(world.general.id, {"parent_id": str(attic.id)})
    await world.env.settle()
    await world.alice.send(world.general, "dusty")
    assert await texts() == []


async def test_a_channel_that_came_into_a_category_without_memory_unseen_has_none(world, olga, texts):
    """One of the category's own that was switched on keeps its memory."""
    attic = world.north.create_category("Attic")
    boxes = world.north.create_text_channel("boxes", category=attic)
    await ask(olga, world.general, "channel off", channel=attic)
    await ask(olga, world.general, "channel on", channel=boxes)
    with unheard(world):
        trunks = world.north.create_text_channel("trunks", category=attic)
    meanwhile(world, trunks, "dusty")
    await back(world)
    for place in (trunks, boxes):
        await world.alice.send(place, "still dusty")
    assert await texts() == ["still dusty"]


async def test_status_says_who_may_be_told(world, olga):
    assert "#general: remembered; what is said there may be used everywhere in" in await ask(
        olga, world.general, "channel status"
    )
    hidden, shown = (discord.PermissionOverwrite(view_channel=seen) for seen in (False, True))
    closed = {world.north.default_role: hidden, olga: shown}
    room = world.north.create_text_channel("room", overwrites=closed)
    assert "#room: remembered; what is said there may be used only there" in await ask(
        olga, world.general, "channel status", channel=room
    )
    await world.alice.send(world.general, "hello")
    await threads.run(Guild.objects.update, memory_on=False)
    assert "switched off in the whole server" in await ask(olga, world.general, "channel status")
    assert "switched off in the whole server" in await ask(olga, world.general, "channel on")


@pytest.mark.parametrize("command", ["channel off", "channel on", "channel status"])
@pytest.mark.simcord(check_errors=False)
async def test_who_does_not_manage_the_channel_is_refused(world, command):
    said = await refused(world.alice, world.general, command)
    assert said == "For this you need the permission Manage Channels here. Ask somebody who has it."
    assert not await threads.run(Channel.objects.exists)


@pytest.mark.simcord(check_errors=False)
async def test_who_manages_one_channel_does_not_switch_another(world):
    only_here = {world.alice: discord.PermissionOverwrite(manage_channels=True)}
    own = world.north.create_text_channel("own", overwrites=only_here)
    assert "Manage Channels" in await refused(world.alice, own, "channel off", channel=world.general)
    assert "#own" in await ask(world.alice, own, "channel off")


async def test_a_switch_is_written_down_and_reaches_no_other_guild(world, olga, texts):
    await ask(olga, world.general, "channel off")
    logged = await threads.run(Action.objects.get, kind="channel_switch")
    assert (logged.actor, logged.detail["on"]) == (f"moderator:{olga.id}", False)
    await world.charlie.send(world.lounge, "hello")
    assert await texts() == ["hello"]


async def test_the_fullest_category_fits_into_a_message(world, olga):
    attic = world.north.create_category("Attic")
    for number in range(45):
        world.north.create_text_channel("a" * 90 + str(number), category=attic)
    said = await ask(olga, world.general, "channel status", channel=attic)
    assert said.splitlines()[-1] == f"...and {45 - texts_moderators.SHOWN_CHANNELS} more"


# --- While the bot was away ------------------------------------------------------------------------------------------


@contextmanager
def unheard(world):
    """Let things happen on Discord that the bot is not told of."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.env.backend, "emit", lambda *_, **__: None)
        yield world.env.backend


async def test_a_known_channel_that_was_moved_unseen_into_a_category_without_memory_loses_it(world, olga, texts):
    await world.alice.send(world.general, "before")
    attic = world.north.create_category("Attic")
    await ask(olga, world.general, "channel off", channel=attic)
    with unheard(world) as discords:
        discords.edit_channel(world.general.id, {"parent_id": str(attic.id)})
    meanwhile(world, world.general, "dusty")
    await back(world)
    await world.alice.send(world.general, "still dusty")
    assert await texts() == ["before"]
    await ask(olga, world.general, "channel on")
    await leaves_and_comes_back(world)
    await world.alice.send(world.general, "aired")
    assert await texts() == ["before", "aired"]


async def test_a_channel_that_was_deleted_unseen_is_forgotten(world, texts):
    boxes = world.north.create_text_channel("boxes")
    await world.alice.send(world.general, "kept")
    await back(world)
    await world.alice.send(boxes, "dusty")
    with unheard(world) as discords:
        discords.delete_channel(boxes.id)
    await back(world)
    assert await texts() == ["kept"]


async def test_a_channel_of_which_nothing_is_known_now_is_kept(world, texts):
    boxes = world.north.create_text_channel("boxes")
    await world.alice.send(boxes, "dusty")
    await back(world)
    with unheard(world) as discords:
        discords.delete_channel(boxes.id)
    for status in (500, 403):
        world.env.inject_error("GET", f"/channels/{boxes.id}", status=status)
        await back(world)
        assert await texts() == ["dusty"]
        world.north.create_text_channel("new")  # of which the bot notes that it is there
        await world.env.settle()
    await back(world)
    assert await texts() == []
