"""A simulated Discord with the real bot in it: two guilds; Alice, Bob and Mallory in North, Charlie in South."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from botrunner import threads
from botrunner.bot import Shards
from botrunner.connection import run_forever
from memoryhub.community.models import Guild, Member
from memoryhub.search import keywords, vectors
from notes.models import InteractionNote, Message
from tests.factories import make_entry, make_fact, make_note


@pytest.fixture(autouse=True)
def _empty_indexes(request):
    """Clear the raw tables after what is not rolled back; asks for the database before it is too late to."""
    writes = request.node.get_closest_marker("django_db")
    if writes:
        request.getfixturevalue("transactional_db")
    yield
    if writes:
        vectors.clear()
        keywords.clear()


@pytest.fixture(autouse=True, scope="module")
def _threads_of_its_own():
    """Start the bot's threads anew: those of before stopped tracing lines when other tests did."""
    for name in ("_writer", "_pool", "_thinkers"):
        old = getattr(threads, name)
        old.shutdown(wait=False)
        setattr(threads, name, ThreadPoolExecutor(old._max_workers, old._thread_name_prefix))


def make_bot():
    return run_forever.make_bot(shards=Shards([0], 1))


@pytest.fixture
def simcord_bot():
    return make_bot()


PATIENCE = 90.0  # seconds; simcord's five are too few where all cores are busy


@pytest.fixture
def world(simcord_env):
    """The cast and the places; builders act at once, actors wait until the bot has done its part."""
    simcord_env.settle_timeout = PATIENCE
    north, south = simcord_env.create_guild("North"), simcord_env.create_guild("South")
    mallory = simcord_env.create_user("mallory", global_name="Mallory")
    return SimpleNamespace(
        env=simcord_env,
        make_bot=make_bot,
        north=north,
        south=south,
        general=north.create_text_channel("general"),
        lounge=south.create_text_channel("lounge"),
        alice=north.add_member(simcord_env.create_user("alice", global_name="Alice")),
        bob=north.add_member(simcord_env.create_user("bob", global_name="Bob")),
        charlie=south.add_member(simcord_env.create_user("charlie", global_name="Charlie")),
        mallory=north.add_member(mallory),
    )


@pytest.fixture
def texts():
    """Return the texts that are stored, in order; of one guild if a handle is given."""

    async def texts(guild=None):
        rows = Message.objects.filter(deleted_at=None).order_by("pk")
        if guild is not None:
            rows = rows.filter(guild__key=f"discord:{guild.id}")
        return await threads.run(list, rows.values_list("text", flat=True))

    return texts


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

        return await threads.run(learn)

    return known


@pytest.fixture
def line(world):
    """Put a line into somebody's profile, resting on something they said."""

    async def line(text, who="alice", note=None, **fields):
        actor = getattr(world, who)
        await actor.send(world.general, text)

        def put():
            member = Member.objects.get(guild__key=f"discord:{world.north.id}", platform_id=str(actor.id))
            notes = InteractionNote.objects.filter(pk=note)
            return make_entry(text, member=member, notes=list(notes), **fields).pk

        return await threads.run(put)

    return line


@pytest.fixture
def noted(world):
    """Write a note of something that somebody said in the open channel."""

    async def noted(title, who="alice", **fields):
        said = await getattr(world, who).send(world.general, f"Let us talk about it: {title}.")

        def write():
            message = Message.objects.select_related("channel", "author__guild").get(platform_id=str(said.id))
            return make_note(title, messages=[message], **fields).pk

        return await threads.run(write)

    return noted


@pytest.fixture
def learnt(world):
    """Have many facts known about Alice."""

    async def learnt(count):
        def learn():
            guild, _ = Guild.objects.get_or_create(key=f"discord:{world.north.id}")
            member = Member.objects.create(guild=guild, platform_id=str(world.alice.id))
            return [make_fact(f"Owns cat {number}.", subject=member) for number in range(count)]

        return await threads.run(learn)

    return learnt
