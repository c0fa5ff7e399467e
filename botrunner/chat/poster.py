"""Posts what the hub has to say unasked in the servers of this process, each post once: recaps, and moderators' log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta

import discord
from discord.ext import commands, tasks

from botrunner import error_text, threads
from botrunner.actions.community import posts
from botrunner.actions.community.posts import Post
from botrunner.bot import Bot
from memoryhub.db.trouble import is_told

logger = logging.getLogger(__name__)

PAUSE = 30.0  # seconds between two looks
LOOKED_THROUGH = 500  # messages, for a post that may stand there already
CLOCKS = timedelta(minutes=2)  # that ours and Discord's may differ
NO_CHANNEL = "The bot knows no such channel here, or may not see it. Choose another, or give it View Channel there."
NOT_ALLOWED = "The bot may not write in that channel. Give it Send Messages there, or choose another."


class Poster(commands.Cog):
    """Looks every half minute; what was begun and not written down is looked for in its channel before it is posted."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.bot.post_now = self.post_now

    @commands.Cog.listener()
    async def on_shard_ready(self, _shard_id: int) -> None:
        """Begin to look."""
        if not self.look.is_running():
            self.look.start()

    async def cog_unload(self) -> None:
        """Stop; a post that is just under way is found again by the next start."""
        self.look.cancel()

    @tasks.loop(seconds=PAUSE)
    async def look(self) -> None:
        """Post what waits; not in the very moment of the start, in which much else is read."""
        if self.look.current_loop:
            await self._post_all(self._is_here)

    async def post_now(self, guild_id: int) -> None:
        """Post what waits in this server, without waiting for the next look; a failure is left to that."""
        await self._post_all(lambda number: number == guild_id and self._is_here(number))

    async def _post_all(self, is_here: Callable[[int], bool]) -> None:
        try:
            await self.post_waiting(is_here)
        except Exception as error:  # noqa: BLE001  whatever it is, the next look may do better
            if not is_told(error):
                logger.error("what waits could not be posted", extra=error_text.log_fields(error))

    async def post_waiting(self, is_here: Callable[[int], bool] | None = None) -> None:
        """Post all that waits in the servers that are here."""
        here = is_here or self._is_here
        while found := await threads.write(posts.next_post, here, now=discord.utils.utcnow()):
            await self._post(found)

    def _is_here(self, guild_id: int) -> bool:
        guild = self.bot.get_guild(guild_id)
        return guild is not None and not guild.unavailable

    async def _post(self, found: Post) -> None:
        """Post it, or find that it stands there; note how it went."""
        error, again = "", False
        try:
            sent = await self._send(found)
        except discord.Forbidden:
            error = NOT_ALLOWED
        except discord.HTTPException as failure:
            logger.warning("a post was not taken", extra=error_text.log_fields(failure) | {"post": found.nonce})
            error, again = f"Discord answered {failure.status}.", True
        else:
            if sent is not None:
                await threads.write(found.posted, str(sent.id), discord.utils.utcnow())
                return
            error = NO_CHANNEL
        await threads.write(found.not_posted, error, discord.utils.utcnow(), again)

    async def _send(self, found: Post) -> discord.Message | None:
        """Return the post; None where there is no such channel."""
        guild = self.bot.get_guild(found.guild_id)
        channel = guild.get_channel_or_thread(int(found.channel_id)) if guild else None
        if not isinstance(channel, discord.abc.Messageable):
            return None
        if found.tried_at is not None and (before := await self._standing(channel, found)):
            return before
        return await channel.send(
            found.text, nonce=found.nonce, allowed_mentions=discord.AllowedMentions.none(), suppress_embeds=True
        )

    async def _standing(self, channel: discord.abc.Messageable, found: Post) -> discord.Message | None:
        """Return our post where it stands in the channel since it was first about to be posted.

        Where the history may not be read, nobody knows; Discord takes the same nonce once for some minutes.
        """
        assert found.tried_at is not None
        try:
            async for message in channel.history(limit=LOOKED_THROUGH, after=found.tried_at - CLOCKS):
                if self.bot.user and message.author.id == self.bot.user.id and message.content.endswith(found.mark):
                    return message
        except discord.Forbidden:
            logger.warning("whether it was posted cannot be seen", extra={"post": found.nonce})
        return None
