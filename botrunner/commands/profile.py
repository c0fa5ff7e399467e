"""/memory profile: the entries of one's own profile."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import Range
from discord.ext import commands

from botrunner import threads
from botrunner.actions import profile, show
from botrunner.commands.responding import answer, autocomplete, defer

ENTRIES = autocomplete(show.suggest, kinds=("entry",))


class Profile(commands.Cog):
    """Shows the entries, and changes or removes one."""

    @app_commands.command()
    @app_commands.describe(line="The number of a line", text="Your own words for it", remove="Take the line out")
    @app_commands.autocomplete(line=ENTRIES)
    async def profile(
        self, interaction: discord.Interaction, line: Range[str, 1, 100] = "", text: Range[str, 1, 400] = "",
        remove: bool = False,  # noqa: FBT001, FBT002  what Discord sends
    ) -> None:  # fmt: skip
        """Show your profile here, word a line anew, or take one out."""
        caller, now = await defer(interaction), discord.utils.utcnow()
        if line and remove:
            reply = await threads.run(profile.remove, caller, entry_id=line, now=now)
        elif line and text:
            reply = await threads.run(profile.reword, caller, entry_id=line, text=text, now=now)
        else:
            reply = await threads.run(profile.show_profile, caller)
        await answer(interaction, reply)
