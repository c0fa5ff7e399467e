"""/memory backfill: a channel's older history, read after an estimate and a yes, for who manages the server."""

from __future__ import annotations

from typing import Literal

import discord
from discord import app_commands
from discord.ext import commands

from botrunner.actions import texts_moderators
from botrunner.bot import Bot
from botrunner.commands.admin import MANAGES
from botrunner.commands.buttons import Confirm
from botrunner.commands.responding import answer, can_read, defer
from botrunner.history.backfill_run import BackfillReader
from botrunner.history.estimate import Historic, estimate, is_empty


class Backfill(commands.Cog):
    """Asks the reader of histories, which goes on in the background and over restarts."""

    bot: Bot

    @app_commands.command(name="backfill")
    @app_commands.describe(
        action="start: after an estimate; progress: how far each is; cancel: stop, what was read stays",
        channel="This channel, if you name none",
    )
    @MANAGES
    async def backfill(
        self, interaction: discord.Interaction, action: Literal["start", "progress", "cancel"] = "start",
        channel: Historic | None = None,
    ) -> None:  # fmt: skip
        """Read what was said in a channel before the bot came, and remember it."""
        caller, user = await defer(interaction), interaction.user
        target, reader = channel or interaction.channel, self.bot.get_cog(BackfillReader.__name__)
        assert interaction.guild is not None
        assert isinstance(reader, BackfillReader)
        if action == "progress":
            lines = await reader.progress(interaction.guild, readable=caller.readable)
            await answer(interaction, "\n".join(lines) or texts_moderators.NOT_BACKFILLED)
        elif not isinstance(target, Historic) or not isinstance(user, discord.Member) or not can_read(user, target):
            await answer(interaction, texts_moderators.NOT_READABLE)  # what is read of it may be told to who asks
        elif action == "cancel":
            await answer(interaction, await reader.cancel(target, actor=caller.moderator))
        else:
            try:
                expected = await estimate(target)
                empty = await is_empty(target, expected)
            except discord.Forbidden:
                await answer(interaction, texts_moderators.BOT_MAY_NOT_READ)
                return
            if empty:
                await answer(interaction, texts_moderators.NOTHING_TO_READ)
                return
            view = Confirm(
                interaction, lambda: reader.begin(target, expected=expected.messages, actor=caller.moderator),
                do="Read it", leave="Cancel", kept=texts_moderators.NOTHING_READ,
            )  # fmt: skip
            await answer(interaction, expected.question(), view=view)
