"""What tests of commands do again and again: ask in a channel, look at what is stored, close a room."""

from __future__ import annotations

import discord
from simcord.actors import _component_interaction, _interactions
from simcord.backend import serializers
from simcord.components import walk_components
from simcord.enums import InteractionType

from botrunner import threads
from memory.index import embeddings, writing
from memory.models import Fact


async def ask(actor, place, command, /, **options):
    """Ask a command of /memory or /memory-admin; return what it answers, privately and after a promise."""
    result = await promised(actor, actor.slash(place, named(command), **options))
    return words(result.response)


async def promised(actor, asking):
    """Wait for what is asked; it is promised before it is answered, for who asks only, and fits into a message."""
    before = len(actor._env.http_requests)
    result = await asking
    first, *_ = actor._env.http_requests[before:]
    assert first.json["type"] == discord.InteractionResponseType.deferred_channel_message.value
    assert result.ephemeral
    fits(result.response)
    return result


def fits(message):
    """Say that nothing of a message was cut off to fit; its other limits the simulated Discord holds itself."""
    told = words(message)
    assert 0 < len(told) < (2000 if message.content else 3900)


def words(message):
    """Return what a message says: its text, or that of the parts that a list is made of."""
    parts = [part["content"] for part in walk_components(message.components) if "content" in part]
    return "\n".join(parts) or message.content


def buttons(message):
    """Return the buttons of a message, wherever in it they stand."""
    return [part for part in walk_components(message.components) if "custom_id" in part]


async def refused(actor, place, command, /, **options):
    """Ask a command that is refused before anything is looked up; return what it says."""
    result = await actor.slash(place, named(command), **options)
    assert result.ephemeral
    return result.response.content


def index_facts():
    """Do what the worker does, so that no question has to wait for it."""
    writing.index_facts(list(Fact.objects.all()))
    embeddings.embed_missing(100)


async def let_see(world, guild, actor):
    """Let a server show /memory-admin to somebody whom Discord would hide it from."""
    commands = {command.name: command for command in await world.env.bot.tree.fetch_commands()}
    guild.set_command_permissions(commands["memory-admin"].id, {actor: True})


def named(command):
    """Return a command by its whole name: `admin view` is one of /memory-admin."""
    return f"memory-{command}" if command.startswith("admin ") else f"memory {command}"


async def facts(**where):
    """Return the texts of the facts that are stored."""
    return await threads.run(list, Fact.objects.filter(**where).order_by("pk").values_list("text", flat=True))


def private_room(world):
    """Make a channel that only Alice can read."""
    hidden = {
        world.north.default_role: discord.PermissionOverwrite(view_channel=False),
        world.alice: discord.PermissionOverwrite(view_channel=True),
    }
    world.staff = world.north.create_text_channel("staff", overwrites=hidden)


def manager(world, name="olga", **permissions):
    """Return a new member of North who has permissions."""
    role = world.north.create_role(f"{name}s", permissions=discord.Permissions(**permissions))
    return world.north.add_member(world.env.create_user(name, global_name=name.title()), roles=[role])


async def press(actor, result, label):
    """Press a button of a private answer, whoever it was given to; a stolen press, which Discord itself forbids."""
    stored, pressed = _pressed(actor, result, label)
    return await _component_interaction(actor, stored, pressed)


async def press_twice(actor, result, label):
    """Press a button again before the bot has answered the first time."""
    stored, pressed = _pressed(actor, result, label)
    backend = actor._env.backend
    for _ in range(2):
        record, payload = _interactions.base_payload(
            backend, type=InteractionType.MESSAGE_COMPONENT, channel_id=stored.channel_id, guild_id=actor.guild.id,
            user_id=actor.id, data=pressed,
        )  # fmt: skip
        record.source_message_id = stored.id
        backend.emit("INTERACTION_CREATE", payload | {"message": dict(serializers.message_payload(backend, stored))})
    await actor._env.settle()


def _pressed(actor, result, label):
    stored = actor._env.backend.get_message(result.response.channel_id, result.response.id)
    wanted = next(each for each in buttons(stored) if each["label"] == label)
    return stored, {"custom_id": wanted["custom_id"], "component_type": 2}


def to_us(world, text):
    """Return a message that mentions the bot."""
    return f"<@{world.env.bot.user.id}> {text}"
