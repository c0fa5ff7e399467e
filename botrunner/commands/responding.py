"""How commands are answered: promised to Discord at once, for the caller's eyes, and honest when it is too late."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import discord
from discord import app_commands
from discord.app_commands import Choice
from django.conf import settings

from botrunner import error_text, threads
from botrunner.actions import Caller
from botrunner.actions.escape import cut
from botrunner.capture import convert
from botrunner.capture.convert import Place
from memoryhub.community.identity import Person

logger = logging.getLogger(__name__)

NAMED = 100  # characters of a suggestion
Suggest = Callable[[discord.Interaction, str], Coroutine[Any, Any, list[Choice[str]]]]
Suggested = Sequence[tuple[str, str]]


ANSWERED_BEFORE = 40060  # Discord's code: the same question came twice


class TooLate(app_commands.AppCommandError):
    """Discord waits for no answer any more: 3 seconds for the first, 15 minutes for the rest, and none for a second."""


def caller(interaction: discord.Interaction) -> Caller:
    """Return who asks; a guild that the bot is not in is refused, and a direct chat of which nothing is stored."""
    guild, user, channel = interaction.guild, interaction.user, interaction.channel
    if isinstance(channel, discord.DMChannel) and settings.DISCORD_DIRECT_MESSAGES:
        return Caller(convert.chat_ref(channel), _person(user), convert.described(channel))
    if guild is None or not isinstance(user, discord.Member):
        raise app_commands.NoPrivateMessage
    return Caller(
        guild=convert.guild_ref(guild),
        person=_person(user),
        channel=convert.described(channel) if isinstance(channel, Place) else None,
        readable=frozenset(
            str(place.id) for place in convert.places(guild) if place == channel or can_read(user, place)
        ),
    )


def _person(user: discord.User | discord.Member) -> Person:
    return Person(id=str(user.id), name=user.name, display_name=user.display_name)


def can_read(user: discord.Member, place: Place) -> bool:
    """Tell whether a member surely reads a channel; who was let into a private thread is not known."""
    if isinstance(place, discord.Thread) and (place.parent is None or place.is_private()):
        return False
    return place.permissions_for(user).view_channel


async def promise(interaction: discord.Interaction) -> Caller:
    """Tell Discord that an answer comes, before the database is asked; return who asks."""
    asking = caller(interaction)
    try:
        await interaction.response.defer(ephemeral=True)
    except discord.HTTPException as error:
        if isinstance(error, discord.NotFound) or error.code == ANSWERED_BEFORE:
            raise TooLate from error
        raise
    return asking


async def answer(interaction: discord.Interaction, text: str, **fields: Any) -> None:
    """Put the answer in; the question may be deleted by now, or older than Discord allows."""
    try:
        await interaction.edit_original_response(content=cut(text), **fields)
    except discord.NotFound:
        logger.info("an answer came too late")
    except discord.HTTPException as error:
        logger.warning("an answer could not be given", extra=error_text.told(error))


async def say(interaction: discord.Interaction, text: str) -> None:
    """Answer whether or not an answer was promised; what was shown before goes with its buttons."""
    if interaction.response.is_done():
        await answer(interaction, text, view=None, attachments=[])
        return
    try:
        await interaction.response.send_message(cut(text), ephemeral=True)
    except discord.HTTPException:
        logger.info("an answer came too late")


def suggesting(find: Callable[..., Suggested], **fields: Any) -> Suggest:
    """Return what offers choices while somebody types: what `find` finds for the caller, nothing when it fails."""

    async def suggest(interaction: discord.Interaction, typed: str) -> list[Choice[str]]:
        try:
            found = await threads.run(find, caller(interaction), typed=typed, **fields)
        except app_commands.NoPrivateMessage:
            return []
        except Exception as error:  # noqa: BLE001  the bot's error handler: discord.py would log the error's own words
            logger.error("nothing could be suggested", extra=error_text.told(error))
            return []
        return [Choice(name=text[:NAMED], value=which) for text, which in found[:25]]

    return suggest
