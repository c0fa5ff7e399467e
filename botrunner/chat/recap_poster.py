"""Posts the recaps that are to be posted in the servers of this process, each once."""

from __future__ import annotations

import logging
from datetime import timedelta

import discord
from discord.ext import commands, tasks

from botrunner import error_text, threads
from botrunner.actions.community import recap_post
from botrunner.actions.community.recap_post import Post
from botrunner.bot import Bot
from memory.recaps import recap_posting

logger = logging.getLogger(__name__)

PAUSE = 30.0  # seconds between two looks
LOOKED_THROUGH = 500  # messages, for a post that may stand there already
CLOCKS = timedelta(minutes=2)  # that ours and Discord's may differ
NO_CHANNEL = "The bot knows no such channel here, or may not see it. Choose another, or give it View Channel there."
NOT_ALLOWED = "The bot may not write in that channel. Give it Send Messages there, or choose another."


class RecapPoster(commands.Cog):
    """Looks every half minute; what was begun and not written down is looked for in its channel before it is posted."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot

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
            try:
                await self.post_waiting()
            except Exception as error:  # noqa: BLE001  whatever it is, the next look may do better
                logger.error("recaps could not be posted", extra=error_text.log_fields(error))

    async def post_waiting(self) -> None:
        """Post all that waits in the servers that are here."""
        while found := await threads.write(recap_post.next_post, self._is_here, now=discord.utils.utcnow()):
            await self._post(found)

    def _is_here(self, guild_id: int) -> bool:
        guild = self.bot.get_guild(guild_id)
        return guild is not None and not guild.unavailable

    async def _post(self, found: Post) -> None:
        """Post it, or find that it stands there; note how it went."""
        recap, error, again = found.recap, "", False
        try:
            sent = await self._send(found)
        except discord.Forbidden:
            error = NOT_ALLOWED
        except discord.HTTPException as failure:
            logger.warning("a recap could not be posted", extra=error_text.log_fields(failure))
            error, again = f"Discord answered {failure.status}.", True
        else:
            if sent is not None:
                number = str(sent.id)
                await threads.write(recap_posting.posted, recap, message_id=number, now=discord.utils.utcnow())
                return
            error = NO_CHANNEL
        await threads.write(
            recap_posting.not_posted, recap, error=error, now=discord.utils.utcnow(), again=again
        )  # fmt: skip

    async def _send(self, found: Post) -> discord.Message | None:
        """Return the post; None where there is no such channel."""
        guild = self.bot.get_guild(int(found.recap.guild.key.partition(":")[2]))
        channel = guild.get_channel_or_thread(int(found.recap.channel_id)) if guild else None
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
            logger.warning("whether a recap was posted cannot be seen", extra={"recap": found.recap.pk})
        return None
