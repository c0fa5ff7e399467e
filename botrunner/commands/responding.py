"""How commands are answered: deferred at once, for the caller's eyes only, and honest when it is too late."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Concatenate, ParamSpec

import discord
from discord import app_commands
from discord.app_commands import Choice
from django.conf import settings

from botrunner import error_text, threads
from botrunner.actions import Caller
from botrunner.actions.escape import cut
from botrunner.actions.listing import Page
from botrunner.capture import convert, filters
from botrunner.commands import layout

logger = logging.getLogger(__name__)

CHOICE_LENGTH, MOST_CHOICES = 100, 25  # Discord's limits of suggestions
ANSWERED_BEFORE = 40060  # Discord's code: the same interaction came twice
P = ParamSpec("P")
Autocomplete = Callable[[discord.Interaction, str], Coroutine[Any, Any, list[Choice[str]]]]


class TooLate(app_commands.AppCommandError):
    """Discord waits for no answer any more: 3 seconds for the first, 15 minutes for the rest, and none for a second."""


class NotLoaded(app_commands.CheckFailure):
    """Discord has not told of this guild's channels since the connection was made: nobody knows who reads them."""


def check_loaded(interaction: discord.Interaction) -> None:
    """Raise NotLoaded in a guild that is in an outage, or comes only a while after the start."""
    if interaction.guild is not None and interaction.guild.unavailable:
        raise NotLoaded


def caller_of(interaction: discord.Interaction) -> Caller:
    """Return who asks; raises NoPrivateMessage in a guild without the bot and in a direct chat that is not stored.

    Raises NotLoaded, too.
    """
    check_loaded(interaction)
    guild, user, channel = interaction.guild, interaction.user, interaction.channel
    if isinstance(channel, discord.DMChannel) and settings.DISCORD_DIRECT_MESSAGES:
        return Caller(convert.direct_chat_ref(channel), convert.person(user), convert.incoming_channel(channel))
    if guild is None or not isinstance(user, discord.Member):
        raise app_commands.NoPrivateMessage
    readable = [each for each in convert.channels_of(guild) if each == channel or can_read(user, each)]
    return Caller(
        guild=convert.guild_ref(guild),
        person=convert.person(user),
        channel=convert.incoming_channel(channel) if isinstance(channel, convert.GuildChannel) else None,
        readable=frozenset(str(each.id) for each in readable),
        needs=tuple(filters.place_needs(channel)),
    )


def can_read(user: discord.Member, channel: convert.GuildChannel) -> bool:
    """Tell whether a member surely reads a channel; who was let into a private thread is not known.

    The chat of a voice channel is read by those only who may join it.
    """
    if isinstance(channel, discord.Thread) and (channel.parent is None or channel.is_private()):
        return False
    allowed = channel.permissions_for(user)
    return allowed.view_channel and (channel.type not in convert.VOICE or allowed.connect)


async def defer(interaction: discord.Interaction) -> Caller:
    """Tell Discord that an answer comes, before the database is asked; return who asks. Raises TooLate."""
    caller = caller_of(interaction)
    try:
        await interaction.response.defer(ephemeral=True, thinking=True)
    except discord.HTTPException as error:
        if isinstance(error, discord.NotFound) or error.code == ANSWERED_BEFORE:
            raise TooLate from error
        raise
    return caller


async def answer(interaction: discord.Interaction, said: str | Page, **fields: Any) -> None:
    """Fill in the deferred answer; it may be deleted by now, or older than Discord allows."""
    try:
        await interaction.edit_original_response(**_shown(interaction, said, fields))
    except discord.NotFound:
        logger.info("an answer came too late")
    except discord.HTTPException as error:
        logger.warning("an answer could not be given", extra=error_text.log_fields(error))


def _shown(interaction: discord.Interaction, said: str | Page, fields: dict[str, Any]) -> dict[str, Any]:
    """Return what Discord is sent: a list has no text beside it, and where one stood, no text can stand again."""
    message = interaction.message
    if isinstance(said, str) and (message is None or not message.flags.components_v2):
        return {"content": cut(said), **fields}
    page = said if isinstance(said, Page) else Page(said)
    return fields | {"view": fields.get("view") or layout.still(page)}


async def reply(
    interaction: discord.Interaction, action: Callable[Concatenate[Caller, P], str | Page],
    *args: P.args, **kwargs: P.kwargs,
) -> None:  # fmt: skip
    """Defer, run an action for who asks, and answer what it returns."""
    caller = await defer(interaction)
    await answer(interaction, await threads.run(action, caller, *args, **kwargs))


async def respond(interaction: discord.Interaction, text: str) -> None:
    """Answer whether or not the answer was deferred; what was shown before goes with its buttons."""
    if interaction.response.is_done():
        await answer(interaction, text, view=None, attachments=[])
        return
    try:
        await interaction.response.send_message(cut(text), ephemeral=True)
    except discord.HTTPException:
        logger.info("an answer came too late")


def autocomplete(find: Callable[..., Sequence[tuple[str, str]]], **fields: Any) -> Autocomplete:
    """Return what offers choices while somebody types: what `find` finds for the caller, nothing when it fails."""

    async def suggest(interaction: discord.Interaction, typed: str) -> list[Choice[str]]:
        try:
            choices = await threads.run(find, caller_of(interaction), typed=typed, **fields)
        except app_commands.NoPrivateMessage:
            return []
        except Exception as error:  # noqa: BLE001  the bot's error handler: discord.py would log the error's own words
            logger.error("nothing could be suggested", extra=error_text.log_fields(error))
            return []
        return [Choice(name=text[:CHOICE_LENGTH], value=value) for text, value in choices[:MOST_CHOICES]]

    return suggest
