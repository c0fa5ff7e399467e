"""Answers who speaks to the bot: by a mention, a reply, a direct message, or in a channel chosen for it."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from math import ceil
from typing import Any, NamedTuple, TypeVar

import discord
from discord.ext import commands
from django.conf import settings

from botrunner import error_text, threads
from botrunner.actions import Caller
from botrunner.actions.escape import as_read
from botrunner.bot import Bot
from botrunner.capture import convert, filters
from botrunner.chat import answer
from botrunner.chat.split import split
from botrunner.commands.why_buttons import WhyButton
from botrunner.grace_period import HeldMessage
from botrunner.write_queue import Job
from memory.replies.responder import TROUBLE, Answer
from memoryhub.community.discord_links import message_url
from memoryhub.community.models import Guild
from notes.messages.schemas import IncomingMessage

logger = logging.getLogger(__name__)
Key = TypeVar("Key")
Value = TypeVar("Value")

SETTINGS_KEPT = 60  # seconds
MOST_OTHERS = 5  # members of a reply chain that are described
MOST_COOLDOWNS = 10_000  # members whose last answer is remembered
MOST_SETTINGS = 1_000  # guilds and direct chats whose settings are
TOO_SOON = "I answer each of you once in a while here. Please ask again in {seconds} seconds."
HERE_ONLY = "Memory belongs to a server. Ask me there, or use `/memory` there; nothing written here is stored."
PING_AUTHOR_ONLY = discord.AllowedMentions(everyone=False, roles=False, users=False, replied_user=True)


class Answered(NamedTuple):
    """When a member was last answered in a channel, to which message, and whether they were told to wait since."""

    at: float
    message_id: int
    told: bool = False


class Replies(commands.Cog):
    """Hears what is said to the bot; it never answers bots, so no two of them go in circles."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.settings: dict[str, tuple[float, Guild]] = {}
        self.answered_at: dict[tuple[int, int], Answered] = {}

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Answer what is addressed to the bot."""
        if message.author.bot or message.webhook_id or message.type not in filters.HUMAN:
            return
        if message.guild is None and not settings.DISCORD_DIRECT_MESSAGES:
            if not await self._too_soon(message, seconds=Guild().reply_seconds, tell=False):
                await self._send(message, Answer(HERE_ONLY))
        elif await self._wants_answer(message):
            await self._reply(message)

    async def _wants_answer(self, message: discord.Message) -> bool:
        """Tell whether an answer is wanted, and not again too soon."""
        ref, now = convert.guild_of(message), time.monotonic()
        read_at, guild = self.settings.get(ref.key, (now - SETTINGS_KEPT, None))
        if guild is None or now - read_at > SETTINGS_KEPT:
            guild = await threads.run(answer.settings_of, ref)
            _put_last(self.settings, ref.key, (now, guild), most=MOST_SETTINGS)
        addressed = filters.is_addressed(message)
        talk = bool(message.content.strip()) and str(message.channel.id) in guild.reply_channels
        if not guild.replies_on or not (addressed or talk):
            return False
        return not await self._too_soon(message, seconds=guild.reply_seconds, tell=addressed)

    async def _too_soon(self, message: discord.Message, *, seconds: float, tell: bool) -> bool:
        """Tell whether the member was answered here just now; with `tell` they are told so once.

        True as well of a message that was answered and comes again; of that nothing is told.
        """
        key, now = (message.channel.id, message.author.id), time.monotonic()
        last = self.answered_at.get(key, Answered(now - seconds, 0, told=True))
        if message.id == last.message_id:
            return True
        if (left := last.at + seconds - now) <= 0:
            _put_last(self.answered_at, key, Answered(now, message.id), most=MOST_COOLDOWNS)
            return False
        if tell and not last.told:
            self.answered_at[key] = last._replace(told=True)
            with suppress(discord.HTTPException):
                await message.reply(TOO_SOON.format(seconds=ceil(left)), allowed_mentions=PING_AUTHOR_ONLY)
        return True

    async def _reply(self, message: discord.Message) -> None:
        """Ask for an answer with the reply chain at hand, and send it."""
        bot_id, target = self.bot.user.id if self.bot.user else 0, filters.replied_to(message)
        channel = convert.incoming_channel(message.channel) if isinstance(message.channel, convert.AnyChannel) else None
        caller = Caller(
            guild=convert.guild_of(message), person=convert.person(message.author), channel=channel,
            needs=tuple(filters.needs(message)),
        )  # fmt: skip
        people = [*([target.author] if target else []), *message.mentions]
        others = {user.id: user for user in people if not user.bot and user.id != message.author.id}
        try:
            async with _typing(message.channel):
                reply = await threads.think(
                    answer.answer, caller, [convert.person(user) for user in list(others.values())[:MOST_OTHERS]],
                    text=convert.readable_text(message, filters.to_the_bot(message)),
                    answered=as_read(target.content) if target and target.author.id == bot_id else "",
                    now=discord.utils.utcnow(),
                )  # fmt: skip
        except discord.Forbidden:
            logger.warning("an answer may not be given here", extra={"channel": message.channel.id})
            return
        except Exception as error:  # noqa: BLE001  the bot's error handler
            logger.error("an answer could not be made", extra=error_text.log_fields(error))
            reply = Answer(TROUBLE)
        await self._send(message, reply)

    async def _send(self, message: discord.Message, reply: Answer) -> None:
        """Send the answer in as many messages as it takes, pinging nobody but the one addressed, and keep it."""
        key = convert.guild_of(message).key
        links = [message_url(key, channel=source.channel, message=source.message) for source in reply.sources]
        try:
            parts = split("\n".join([reply.text, *filter(None, links)]))
            why = WhyButton.below(message.author.id, reply.used)
            for number, part in enumerate(parts, 1):
                below: dict[str, Any] = {"view": why} if why and number == len(parts) else {}
                sent = await message.reply(part, allowed_mentions=PING_AUTHOR_ONLY, suppress_embeds=True, **below)
                await self._keep(message, sent)
        except discord.HTTPException as error:
            logger.warning("an answer could not be sent", extra=error_text.log_fields(error))

    async def _keep(self, message: discord.Message, sent: discord.Message) -> None:
        """Keep our own words after the message that they answer, where that one is kept."""
        channel = message.channel
        if filters.refusal(message) or not isinstance(channel, convert.AnyChannel):
            return

        def job() -> Job:
            reply = IncomingMessage(
                message_id=str(sent.id), channel=convert.incoming_channel(channel),
                author=convert.incoming_author(sent.author, is_bot=True),
                text=as_read(sent.content), sent_at=sent.created_at, reply_to=str(message.id),
            )  # fmt: skip
            return Job(answer.store_replies, convert.guild_of(message), reply)

        await self.bot.grace_period.put(HeldMessage(sent.id, frozenset({channel.id}), job))


def _put_last(kept: dict[Key, Value], key: Key, value: Value, *, most: int) -> None:
    """Keep a value as the newest one, and no longer the oldest where there are more than `most`."""
    kept.pop(key, None)
    kept[key] = value
    if len(kept) > most:
        del kept[next(iter(kept))]


@asynccontextmanager
async def _typing(channel: discord.abc.Messageable) -> AsyncIterator[None]:
    """Show that an answer is being written; raises Forbidden where none may be, and ignores any other failure."""
    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(channel.typing())
        except discord.Forbidden:
            raise
        except discord.HTTPException as error:
            logger.info("nobody sees that an answer is being written", extra=error_text.log_fields(error))
        yield
