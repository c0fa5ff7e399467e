"""The two entries in a message's menu; Discord sends the message along, so they work without the content intent."""

from __future__ import annotations

from dataclasses import replace

import discord
from discord import app_commands

from botrunner import threads
from botrunner.actions import menus
from botrunner.bot import Bot
from botrunner.capture import convert, filters
from botrunner.commands.buttons import Confirm
from botrunner.commands.responding import answer, defer


async def remember(interaction: discord.Interaction, message: discord.Message) -> None:
    """Have one's own message remembered."""
    caller, now = await defer(interaction), discord.utils.utcnow()
    reason = filters.refusal(message)
    if message.author.id != interaction.user.id:
        await answer(interaction, menus.NOT_YOUR_MESSAGE)
    elif reason:
        await answer(interaction, menus.NOT_TAKEN.get(reason, menus.NO_TEXT))
    else:
        author = convert.incoming_author(interaction.user)  # a menu's message comes without their name in this server
        taken = convert.incoming_message(message).model_copy(update={"author": author})
        caller = replace(caller, needs=tuple(filters.needs(message)))
        await answer(interaction, await threads.think(menus.remember, caller, taken, now=now))


async def forget(interaction: discord.Interaction, message: discord.Message) -> None:
    """Have a message forgotten: one's own, or another's where one manages messages."""
    caller, number = await defer(interaction), str(message.id)
    if message.author.id != interaction.user.id and not interaction.permissions.manage_messages:
        await answer(interaction, menus.MAY_NOT_FORGET)
        return
    if isinstance(interaction.client, Bot):
        await interaction.client.grace_period.write_now(message.id)  # else it would be stored after this
    facts = await threads.run(menus.facts_resting_on, caller, number)
    if facts is None:
        await answer(interaction, menus.NOT_IN_MEMORY)
        return
    view = Confirm(interaction, lambda: threads.run(menus.forget, caller, number, now=discord.utils.utcnow()))
    await answer(interaction, menus.question(facts), view=view)


MENUS = (
    app_commands.ContextMenu(name="Remember this message", callback=remember),
    app_commands.ContextMenu(name="Forget this message", callback=forget),
)
for _menu in MENUS:
    _menu.allowed_contexts = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False)
    _menu.allowed_installs = app_commands.AppInstallationType(guild=True, user=False)
