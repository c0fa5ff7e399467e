"""The bot says once, when it joins a server, what it stores there."""

from __future__ import annotations

import discord
import pytest

from botrunner.connection import greeting
from memoryhub.community.models import Guild

pytestmark = pytest.mark.django_db(transaction=True)


class Place:
    """A channel or a person that may be written to, or not."""

    def __init__(self, *, writable=True, fails=False):
        self.writable, self.fails, self.said = writable, fails, []

    def permissions_for(self, _member):
        return discord.Permissions(send_messages=self.writable)

    async def send(self, text, *, allowed_mentions):
        if self.fails:
            raise discord.HTTPException(type("Answer", (), {"status": 403, "reason": "no"})(), "no")
        assert allowed_mentions.everyone is False
        self.said.append(text)


class Me:
    """The bot in the server."""

    id = 1

    def __init__(self, *, reads_log):
        self.guild_permissions = discord.Permissions(view_audit_log=reads_log)


class Server:
    """As much of a server as a greeting looks at."""

    def __init__(self, channel, *, inviter=None, reads_log=True):
        self.system_channel, self.me, self.inviter = channel, Me(reads_log=reads_log), inviter

    async def audit_logs(self, *, limit, action):
        assert (limit, action) == (5, discord.AuditLogAction.bot_add)
        for target in (2, 1):
            yield type("Entry", (), {"target": discord.Object(target), "user": self.inviter if target == 1 else None})()


async def test_it_stands_once_in_the_system_channel():
    channel, inviter = Place(), Place()
    await greeting.greet(Server(channel, inviter=inviter), "hello")
    assert (channel.said, inviter.said) == (["hello"], [])


@pytest.mark.parametrize("channel", [None, Place(writable=False), Place(fails=True)])
async def test_where_it_may_not_be_written_the_inviter_is_told(channel):
    inviter = Place()
    await greeting.greet(Server(channel, inviter=inviter), "hello")
    assert inviter.said == ["hello"]


async def test_where_nobody_is_known_nothing_is_said():
    inviter = Place()
    await greeting.greet(Server(None, inviter=inviter, reads_log=False), "hello")
    await greeting.greet(Server(None, inviter=None), "hello")
    await greeting.greet(Server(None, inviter=Place(fails=True)), "hello")
    assert inviter.said == []


@pytest.mark.parametrize(("mode", "words"), [("opt_out", greeting.OTHERWISE), ("opt_in", greeting.ASKS_FIRST)])
def test_it_says_how_this_guild_asks_and_fits_into_a_message(mode, words):
    text = greeting.greeting(Guild(consent_mode=mode))
    assert words in text
    assert "`/memory help`" in text
    assert len(text) <= 2000


async def test_a_server_that_the_bot_joins_is_greeted(world):
    guild = world.env.bot.get_guild(world.north.id)
    guild._system_channel_id = world.general.id
    await world.env.bot.get_cog("GuildMembership").on_guild_join(guild)
    assert [message.content for message in world.general.history()] == [greeting.greeting(Guild())]


async def test_a_server_without_such_a_channel_is_joined_in_silence(world):
    assert world.general.history() == []
    assert world.lounge.history() == []
