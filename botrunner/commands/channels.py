"""/memory channel: what is heard of a channel, for who manages it."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from botrunner import threads
from botrunner.actions import channels
from botrunner.bot import Bot
from botrunner.capture import convert
from botrunner.commands.responding import answer, defer
from botrunner.history.estimate import Historic
from botrunner.history.unseen_changes import UnseenChanges
from botrunner.write_queue import Job
from notes.messages.schemas import IncomingChannel

Named = Historic | discord.CategoryChannel
WHERE = "This channel, if you name none; a category means all its channels"


class Channels(commands.Cog):
    """Switches memory channel by channel; new channels of a category without memory start without it."""

    bot: Bot
    channel = app_commands.Group(name="channel", description="Whether a channel is remembered; for those who manage it")

    @channel.command(name="on")
    @app_commands.describe(channel=WHERE)
    async def on(self, interaction: discord.Interaction, channel: Named | None = None) -> None:
        """Have what is said in a channel remembered."""
        await _switch(interaction, channel, on=True)

    @channel.command(name="off")
    @app_commands.describe(channel=WHERE)
    async def off(self, interaction: discord.Interaction, channel: Named | None = None) -> None:
        """Have nothing of a channel stored from now on."""
        await _switch(interaction, channel, on=False)

    @channel.command(name="status")
    @app_commands.describe(channel=WHERE)
    async def status(self, interaction: discord.Interaction, channel: Named | None = None) -> None:
        """Show whether a channel is remembered, and who may be told what is said there."""
        selection = _managed(interaction, channel)
        caller = await defer(interaction)
        await answer(interaction, await threads.run(channels.status, caller.guild, selection))

    @commands.Cog.listener()
    async def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        """Let a new channel start as its category has it."""
        await self._follow(channel)

    @commands.Cog.listener()
    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """Let a channel that moves into a category without memory lose it."""
        if before.category_id != after.category_id:
            await self._follow(after)

    @commands.Cog.listener()
    async def on_shard_ready(self, shard_id: int) -> None:
        """Look at the channels of every guild: some may be new."""
        for guild in self.bot.guilds:
            if guild.shard_id == shard_id:
                await self.on_guild_available(guild)

    @commands.Cog.listener()
    @commands.Cog.listener("on_guild_join")
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Let channels that came into a category while nothing was seen of the guild start as that has it."""
        pairs = [_in_category(channel) for channel in guild.channels if channel.category_id is not None]
        await self.bot.write_queue.put(Job(channels.follow_unseen, convert.guild_ref(guild), pairs))

    async def _follow(self, channel: discord.abc.GuildChannel) -> None:
        if channel.category_id is not None:
            ref = convert.guild_ref(channel.guild)
            await self.bot.write_queue.put(Job(channels.follow_category, ref, _in_category(channel)))


def _in_category(channel: discord.abc.GuildChannel) -> tuple[str, IncomingChannel]:
    return str(channel.category_id), convert.incoming_channel(channel)


async def _switch(interaction: discord.Interaction, named: Named | None, *, on: bool) -> None:
    selection = _managed(interaction, named)
    caller, now = await defer(interaction), discord.utils.utcnow()
    text = await threads.run(channels.switch, caller.guild, selection, on=on, actor=caller.moderator, now=now)
    if isinstance(named, discord.CategoryChannel) and isinstance(interaction.client, Bot):
        # What is moved into it unseen shows by what was seen before; the guild may be known only now.
        unseen = interaction.client.get_cog(UnseenChanges.__name__)
        assert isinstance(unseen, UnseenChanges)
        await unseen.note(named.guild)
    await answer(interaction, text)


def _managed(interaction: discord.Interaction, named: Named | None) -> channels.Selection:
    """Return the channel or category that is meant; raises MissingPermissions where the caller manages none."""
    channel = named or interaction.channel
    if not isinstance(channel, convert.GuildChannel) or not isinstance(interaction.user, discord.Member):
        raise app_commands.NoPrivateMessage
    if not channel.permissions_for(interaction.user).manage_channels:
        raise app_commands.MissingPermissions(["manage_channels"])
    if isinstance(channel, discord.CategoryChannel):
        inside = [convert.incoming_channel(each) for each in channel.channels]
        return channels.Selection(inside, category=str(channel.id), name=channel.name)
    return channels.Selection([convert.incoming_channel(channel)], name=channel.name)
