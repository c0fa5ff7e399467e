"""The slash commands under /memory: what members may ask and decide about their own memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import discord
from discord import app_commands
from discord.app_commands import Choice, Range
from discord.ext import commands

from botrunner import answers, bridge, desk, translate
from botrunner.confirming import Confirm
from botrunner.desk import Caller
from botrunner.translate import Place
from profiles.identity import Person

if TYPE_CHECKING:
    from botrunner.client import Bot

NAMED = 100  # characters of a suggestion


@app_commands.guild_only()
class MemoryCommands(commands.GroupCog, group_name="memory", group_description="What is remembered about you"):
    """Every answer is for the caller's eyes only, and promised to Discord before the database is asked."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot

    @app_commands.command(name="list")
    @app_commands.describe(query="Only what contains these words", page="The page to show")
    async def list_(
        self, interaction: discord.Interaction, query: Range[str, 1, 100] = "", page: Range[int, 1] = 1
    ) -> None:
        """Show what is known about you here."""
        await interaction.response.defer(ephemeral=True)
        await _answer(interaction, await bridge.run(desk.list_facts, caller(interaction), query=query, page=page))

    @app_commands.command()
    @app_commands.describe(memory="The number that /memory list shows")
    async def why(self, interaction: discord.Interaction, memory: Range[str, 1, 100]) -> None:
        """Show where the bot learned something about you."""
        await interaction.response.defer(ephemeral=True)
        await _answer(interaction, await bridge.run(desk.explain, caller(interaction), number=memory))

    @app_commands.command()
    @app_commands.describe(text="One statement about you, for example: Lives in Toronto")
    async def remember(self, interaction: discord.Interaction, text: Range[str, 1, 400]) -> None:
        """Have something about you remembered."""
        await interaction.response.defer(ephemeral=True)
        said = await bridge.run(desk.remember, caller(interaction), text=text, now=discord.utils.utcnow())
        await _answer(interaction, said)

    @app_commands.command()
    @app_commands.describe(what="A number that /memory list shows, words, or: all")
    async def forget(self, interaction: discord.Interaction, what: Range[str, 1, 100]) -> None:
        """Forget what is known about you, after you have seen it and confirmed."""
        await interaction.response.defer(ephemeral=True)
        asking = caller(interaction)
        found = await bridge.run(desk.matching, asking, what=what)
        if not found:
            await _answer(interaction, answers.NOTHING_FOUND)
            return
        numbers = [number for number, _ in found]

        async def act() -> str:
            return answers.forgotten(await bridge.run(desk.forget, asking, numbers, now=discord.utils.utcnow()))

        await interaction.edit_original_response(content=answers.preview(found), view=Confirm(interaction, act))

    @app_commands.command()
    @app_commands.describe(state="on: nothing you say is stored; off: it may be")
    async def optout(self, interaction: discord.Interaction, state: Literal["on", "off"]) -> None:
        """Decide whether what you say here may be remembered."""
        await interaction.response.defer(ephemeral=True)
        asking, now = caller(interaction), discord.utils.utcnow()
        await _answer(interaction, await bridge.run(desk.opt_out, asking, out=state == "on", now=now))

    @app_commands.command()
    @app_commands.describe(line="The number of a line", text="Your own words for it", remove="Take the line out")
    async def profile(
        self, interaction: discord.Interaction, line: Range[str, 1, 100] = "", text: Range[str, 1, 400] = "",
        remove: bool = False,  # noqa: FBT001, FBT002  what Discord sends
    ) -> None:  # fmt: skip
        """Show your profile here, word a line anew, or take one out."""
        await interaction.response.defer(ephemeral=True)
        asking, now = caller(interaction), discord.utils.utcnow()
        if line and remove:
            said = await bridge.run(desk.strike, asking, number=line, now=now)
        elif line and text:
            said = await bridge.run(desk.reword, asking, number=line, text=text, now=now)
        else:
            said = await bridge.run(desk.profile, asking)
        await _answer(interaction, said)

    @profile.autocomplete("line")
    async def suggest_line(self, interaction: discord.Interaction, typed: str) -> list[Choice[str]]:
        """Offer the lines of the caller's profile that match what is typed."""
        found = await bridge.run(desk.suggest_lines, caller(interaction), typed=typed)
        return [Choice(name=text[:NAMED], value=number) for text, number in found]

    @app_commands.command()
    async def summarize(self, interaction: discord.Interaction) -> None:
        """Sum up what this channel talked about lately."""
        await interaction.response.defer(ephemeral=True)
        said = await bridge.think(desk.summarize, caller(interaction), now=discord.utils.utcnow())
        await _answer(interaction, said)

    @app_commands.command()
    async def privacy(self, interaction: discord.Interaction) -> None:
        """Read what this bot stores and who sees it."""
        await interaction.response.defer(ephemeral=True)
        await _answer(interaction, await bridge.run(desk.privacy, caller(interaction)))

    @why.autocomplete("memory")
    @forget.autocomplete("what")
    async def suggest(self, interaction: discord.Interaction, typed: str) -> list[Choice[str]]:
        """Offer the caller's memories that match what is typed."""
        found = await bridge.run(desk.suggest, caller(interaction), typed=typed)
        return [Choice(name=text[:NAMED], value=number) for text, number in found]


def caller(interaction: discord.Interaction) -> Caller:
    """Return who asks; the commands exist only in guilds, and a guild that the bot is not in is refused."""
    guild, user, channel = interaction.guild, interaction.user, interaction.channel
    if guild is None or not isinstance(user, discord.Member):
        raise app_commands.NoPrivateMessage
    return Caller(
        guild=translate.guild_ref(guild),
        person=Person(id=str(user.id), name=user.name, display_name=user.display_name),
        channel=translate.described(channel) if isinstance(channel, Place) else None,
        readable=frozenset(str(place.id) for place in translate.places(guild) if _can_read(user, place)),
    )


def _can_read(user: discord.Member, place: Place) -> bool:
    """Tell whether a member surely reads a channel; who was let into a private thread is not known."""
    if isinstance(place, discord.Thread) and (place.parent is None or place.is_private()):
        return False
    return place.permissions_for(user).view_channel


async def _answer(interaction: discord.Interaction, text: str) -> None:
    await interaction.edit_original_response(content=text)
