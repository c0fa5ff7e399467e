"""Answers who speaks to the bot: by a mention, a reply, a direct message, or in a channel chosen for it."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import discord
from discord.ext import commands
from django.conf import settings

from botrunner import error_text, threads
from botrunner.actions import Caller
from botrunner.capture import convert, filters
from botrunner.capture.grace_period import Said
from botrunner.capture.write_queue import Job
from botrunner.chat import answer
from botrunner.chat.answer import Manners
from botrunner.chat.split import split
from memory.replies.responder import TROUBLE, Answer
from memoryhub.community.identity import Person
from notes.messages.schemas import GuildRef, IncomingAuthor, IncomingMessage

if TYPE_CHECKING:
    from botrunner.connection.bot import Bot

logger = logging.getLogger(__name__)

MANNERS_KEPT = 60  # seconds
MOST_CHAIN = 5  # members of a reply chain that are described
COOLING = 10_000  # members whose last answer is remembered
HERE_ONLY = "Memory belongs to a server. Ask me there, or use `/memory` there; nothing written here is stored."
ONLY_THEM = discord.AllowedMentions(everyone=False, roles=False, users=False, replied_user=True)


class Replies(commands.Cog):
    """Hears what is said to the bot; it never answers bots, so no two of them go in circles."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.manners: dict[str, tuple[float, Manners]] = {}
        self.answered_at: dict[tuple[int, int], float] = {}

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Answer what is addressed to the bot."""
        if message.author.bot or message.webhook_id or message.type not in filters.HUMAN:
            return
        if message.guild is None and not settings.DISCORD_DIRECT_MESSAGES:
            await self._say(message, Answer(HERE_ONLY))
        elif await self._is_for_us(message):
            await self._reply(message)

    async def _is_for_us(self, message: discord.Message) -> bool:
        """Tell whether an answer is wanted, and not again too soon."""
        kept = await self._manners(convert.home(message))
        chosen = str(message.channel.id) in kept.channels
        if not kept.on or not (chosen or filters.addressed(message)):
            return False
        place, now = (message.channel.id, message.author.id), time.monotonic()
        if now - self.answered_at.get(place, -kept.seconds) < kept.seconds:
            return False
        self.answered_at[place] = now
        if len(self.answered_at) > COOLING:
            del self.answered_at[next(iter(self.answered_at))]
        return True

    async def _manners(self, guild: GuildRef) -> Manners:
        read_at, kept = self.manners.get(guild.key, (float("-inf"), Manners()))
        if time.monotonic() - read_at > MANNERS_KEPT:
            kept = await threads.run(answer.manners, guild)
            self.manners[guild.key] = time.monotonic(), kept
        return kept

    async def _reply(self, message: discord.Message) -> None:
        answered = filters.answered(message)
        ours = answered is not None and self.bot.user is not None and answered.author.id == self.bot.user.id
        caller = Caller(
            guild=convert.home(message), person=_person(message.author),
            channel=convert.described(message.channel) if isinstance(message.channel, convert.Somewhere) else None,
        )  # fmt: skip
        try:
            async with _typing(message.channel):
                said = await threads.think(
                    answer.answer, caller, _company(message, answered), text=self._without_our_name(message),
                    answered=answered.content if ours and answered else "", now=discord.utils.utcnow(),
                )  # fmt: skip
        except discord.Forbidden:
            logger.warning("an answer may not be given here", extra={"channel": message.channel.id})
            return
        except Exception as error:  # noqa: BLE001  the bot's error handler
            logger.error("an answer could not be made", extra=error_text.told(error))
            said = Answer(TROUBLE)
        await self._say(message, said)

    def _without_our_name(self, message: discord.Message) -> str:
        own = self.bot.user.id if self.bot.user else 0
        stripped = message.content.replace(f"<@{own}>", "").replace(f"<@!{own}>", "").strip(" ,:")
        return convert.readable(message, stripped)

    async def _say(self, message: discord.Message, said: Answer) -> None:
        """Send the answer in as many messages as it takes, pinging nobody but the one addressed, and keep it."""
        guild = message.guild.id if message.guild else "@me"
        links = [f"https://discord.com/channels/{guild}/{place.channel}/{place.message}" for place in said.sources]
        try:
            for part in split("\n".join([said.text, *links])):
                sent = await message.reply(part, allowed_mentions=ONLY_THEM, suppress_embeds=True)
                await self._keep(message, sent)
        except discord.HTTPException as error:
            logger.warning("an answer could not be sent", extra=error_text.told(error))

    async def _keep(self, message: discord.Message, sent: discord.Message) -> None:
        """Keep our own words after the message that they answer, where that one is kept."""
        place = message.channel
        if filters.refused(message) or not isinstance(place, convert.Somewhere):
            return

        def job() -> Job:
            author = IncomingAuthor(
                id=str(sent.author.id), name=sent.author.name, display_name=sent.author.display_name, is_bot=True
            )
            kept = IncomingMessage(
                message_id=str(sent.id), channel=convert.described(place), author=author,
                text=sent.content, sent_at=sent.created_at, reply_to=str(message.id),
            )  # fmt: skip
            return Job(answer.keep, convert.home(message), kept)

        await self.bot.holding.put(Said(sent.id, frozenset({place.id}), job))


@asynccontextmanager
async def _typing(place: discord.abc.Messageable) -> AsyncIterator[None]:
    """Show that an answer is being written; raises Forbidden where none may be, and minds no other failure."""
    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(place.typing())
        except discord.Forbidden:
            raise
        except discord.HTTPException as error:
            logger.info("nobody sees that an answer is being written", extra=error_text.told(error))
        yield


def _company(message: discord.Message, answered: discord.Message | None) -> Sequence[Person]:
    """Return the others of the reply chain and who is named, without bots."""
    people = [*([answered.author] if answered else []), *message.mentions]
    there = {user.id: user for user in people if not user.bot and user.id != message.author.id}
    return [_person(user) for user in list(there.values())[:MOST_CHAIN]]


def _person(user: discord.User | discord.Member) -> Person:
    return Person(id=str(user.id), name=user.name, display_name=user.display_name)
