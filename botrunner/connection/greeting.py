"""Says, when the bot joins a server, what is stored there and how to see and stop it: once, in one message."""

from __future__ import annotations

import logging

import discord

from botrunner import error_text
from memoryhub.community.models import Guild

logger = logging.getLogger(__name__)

STORES = (
    "Hello! I remember what is said in the channels that I can read: facts, notes of conversations, what each of you "
    "is like. What is learned where not everybody can read stays there, and what you delete is forgotten."
)
ASKS_FIRST = "Nothing of yours is stored until you say so: `/memory optout` with `off`."
OTHERWISE = "`/memory optout` with `on` stops it for you, and erases what is stored of you if you like."
HOW = (
    "`/memory privacy` says what is stored, how long and who reads it; `/memory list` shows what is known about you, "
    "`/memory forget` erases it; `/memory help` lists the rest.\n"
    "For server managers: `/memory channel off` leaves channels out, `/memory-admin` shows and erases."
)


def greeting(guild: Guild) -> str:
    """Return the message, by how this guild asks its members."""
    asks = guild.consent_mode == Guild.ConsentMode.OPT_IN
    return "\n".join([STORES, ASKS_FIRST if asks else OTHERWISE, HOW])


async def greet(guild: discord.Guild, text: str) -> None:
    """Post it where Discord posts its own messages there, else hand it to who invited the bot, if that is known.

    Where neither may be written to, nothing is said: no other channel was meant for it.
    """
    channel = guild.system_channel
    if channel is not None and channel.permissions_for(guild.me).send_messages and await _send(channel, text):
        return
    inviter = await _inviter(guild)
    if inviter is not None:
        await _send(inviter, text)


async def _send(place: discord.abc.Messageable, text: str) -> bool:
    try:
        await place.send(text, allowed_mentions=discord.AllowedMentions.none())
    except discord.HTTPException as error:
        logger.info("a greeting could not be sent", extra=error_text.log_fields(error))
        return False
    return True


async def _inviter(guild: discord.Guild) -> discord.Member | discord.User | None:
    """Return who added the bot, where it may read the audit log."""
    if not guild.me.guild_permissions.view_audit_log:
        return None
    try:
        async for entry in guild.audit_logs(limit=5, action=discord.AuditLogAction.bot_add):
            if entry.target is not None and entry.target.id == guild.me.id:
                return entry.user
    except discord.HTTPException as error:
        logger.info("who invited the bot is not known", extra=error_text.log_fields(error))
    return None
