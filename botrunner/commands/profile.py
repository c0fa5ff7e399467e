"""/memory profile: the lines of one's own profile."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import Range
from discord.ext import commands

from botrunner import threads
from botrunner.actions import profile, show
from botrunner.commands.responding import answer, promise, suggesting

LINES = suggesting(show.suggest, kinds=("line",))


class Profile(commands.Cog):
    """Shows the lines, and does with one what its owner wants."""

    @app_commands.command()
    @app_commands.describe(line="The number of a line", text="Your own words for it", remove="Take the line out")
    @app_commands.autocomplete(line=LINES)
    async def profile(
        self, interaction: discord.Interaction, line: Range[str, 1, 100] = "", text: Range[str, 1, 400] = "",
        remove: bool = False,  # noqa: FBT001, FBT002  what Discord sends
    ) -> None:  # fmt: skip
        """Show your profile here, word a line anew, or take one out."""
        asked, now = await promise(interaction), discord.utils.utcnow()
        if line and remove:
            said = await threads.run(profile.strike, asked, line=line, now=now)
        elif line and text:
            said = await threads.run(profile.reword, asked, line=line, text=text, now=now)
        else:
            said = await threads.run(profile.profile, asked)
        await answer(interaction, said)
