"""The features of the bot: the one list of its cogs, and the bot with all of them in it."""

from __future__ import annotations

from botrunner.bot import Bot, Shards
from botrunner.capture.listener import Listener
from botrunner.chat.listen import Replies
from botrunner.commands import MemoryCommands
from botrunner.commands.command_tree import CommandTree
from botrunner.connection.guild_membership import GuildMembership
from botrunner.history.backfill_run import BackfillReader
from botrunner.history.catch_up import CatchUp


def make_bot(*, hears_all: bool = True, shards: Shards | None = None, hold: float = 0.0) -> Bot:
    """Return a bot with every feature; `hold` is the grace period of new messages in seconds."""
    return Bot(hears_all=hears_all, shards=shards, hold=hold, load_cogs=load_cogs, tree_cls=CommandTree)


async def load_cogs(bot: Bot) -> None:
    """Add each cog, then register the commands with Discord."""
    listener = Listener(bot)
    await bot.add_cog(listener)
    await bot.add_cog(GuildMembership(bot))
    await bot.add_cog(CatchUp(bot, listener))
    await bot.add_cog(BackfillReader(bot, listener))
    await bot.add_cog(MemoryCommands(bot))
    await bot.add_cog(Replies(bot))
    assert isinstance(bot.tree, CommandTree)
    await bot.tree.sync_changes()
