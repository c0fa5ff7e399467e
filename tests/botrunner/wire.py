"""A server on loopback that speaks just enough of Discord's protocol: sign-in, gateway, and what a script sends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import WSMsgType, web

from tests.verification.hub import PATIENCE

BOT = {"id": "900000000000000001", "username": "hub", "discriminator": "0", "avatar": None, "bot": True}
GUILD_ID, CHANNEL_ID, SEES_AND_READS = "100000000000000001", "200000000000000001", str(1 << 10 | 1 << 16)
SOUTH_ID, LOUNGE_ID = str(int(GUILD_ID) + (1 << 22)), "200000000000000002"  # of two shards, it is on the other
CHAT_ID = "200000000000000003"
JOINED = "2026-01-01T00:00:00+00:00"
ALICE = {"id": "300000000000000001", "username": "alice", "discriminator": "0", "avatar": None}
APP = {"id": BOT["id"], "name": "hub", "description": "", "icon": None, "bot_public": False, "flags": 1 << 18}
APP |= {"bot_require_code_grant": False, "verify_key": "", "owner": BOT, "team": None, "summary": ""}


def guild(
    guild_id: str = GUILD_ID, channel_id: str = CHANNEL_ID, *, last: str | None = None, joined: str = JOINED
) -> dict[str, Any]:
    """Return a guild with one channel that everybody sees; North, if no other is wanted."""
    everyone = {
        "id": guild_id,
        "name": "@everyone",
        "permissions": SEES_AND_READS,
        "position": 0,
        "color": 0,
        "flags": 0,
    }
    everyone |= {"hoist": False, "managed": False, "mentionable": False}
    channel = {"id": channel_id, "type": 0, "name": "general", "position": 0, "permission_overwrites": []}
    channel["last_message_id"] = last
    me = {"user": BOT, "roles": [], "joined_at": joined, "deaf": False, "mute": False, "flags": 0}
    empty = ("emojis", "threads", "voice_states", "presences", "stickers", "features")
    return {
        "id": guild_id, "name": "North" if guild_id == GUILD_ID else "South", "owner_id": "1",
        "roles": [everyone], "channels": [channel],
        "members": [me], "large": False,
        "unavailable": False, "member_count": 2, "premium_tier": 0, "preferred_locale": "en-US", "nsfw_level": 0,
        **{name: [] for name in empty},
    }  # fmt: skip


def message(number: int, text: str, *, guild_id: str = GUILD_ID, channel_id: str = CHANNEL_ID) -> dict[str, Any]:
    """Return a message of Alice's in a guild as MESSAGE_CREATE brings it."""
    member = {"roles": [], "joined_at": "2026-01-01T00:00:00+00:00", "deaf": False, "mute": False, "flags": 0}
    return {**direct_message(number, text), "channel_id": channel_id, "guild_id": guild_id, "member": member}


def direct_message(number: int, text: str) -> dict[str, Any]:
    """Return a message of Alice's to the bot alone."""
    empty = ("mentions", "mention_roles", "attachments", "embeds", "components")
    return {
        "id": str(1490000000000000000 + number), "channel_id": CHAT_ID, "author": ALICE,
        "content": text, "timestamp": "2026-03-02T12:00:00+00:00", "edited_timestamp": None, "tts": False, "type": 0,
        "mention_everyone": False, "pinned": False, "flags": 0, **{name: [] for name in empty},
    }  # fmt: skip


class Wire:
    """Where the server is, who identified themselves to it, and whom it turns away."""

    def __init__(self) -> None:
        self.port = 0
        self.identified: list[dict[str, Any]] = []
        self.turn_away: list[int] = []  # close codes for the next to identify
        self.sockets: list[web.WebSocketResponse] = []
        self.guilds = {GUILD_ID: CHANNEL_ID}
        self.shards: dict[int, web.WebSocketResponse] = {}
        self.history: list[dict[str, Any]] = []  # of all channels, oldest first
        self.read: list[str] = []  # channels whose history was asked for
        self.late = False  # guilds are named as unavailable, and come later
        self.joined = JOINED  # when the bot was invited
        self.set_back: str | None = None  # what is told of a channel's last message, if it is not the truth
        self.too_many = 0  # requests for the history that are asked to wait first
        self.heartbeat = 41_250  # milliseconds between the bot's signs of life
        self.heartbeats = 0
        self.connected = asyncio.Event()
        self.sequence = 0

    @property
    def api(self) -> str:
        """Return what DISCORD_API_BASE is set to."""
        return f"http://127.0.0.1:{self.port}/api/v10"

    @property
    def gateway(self) -> str:
        """Return what DISCORD_GATEWAY_URL is set to."""
        return f"ws://127.0.0.1:{self.port}/gateway"

    async def say(self, event: str, data: Any, *, shard: int | None = None) -> None:
        """Send an event to who connected last, or to who runs a shard."""
        self.sequence += 1
        socket = self.sockets[-1] if shard is None else self.shards[shard]
        await socket.send_str(json.dumps({"op": 0, "t": event, "s": self.sequence, "d": data}))

    async def burst(self, messages: list[dict[str, Any]], *, a_second: float = 0.0) -> None:
        """Send messages as fast as they go, or so many a second."""
        for number, message in enumerate(messages):
            await self.say("MESSAGE_CREATE", message)
            if a_second and number % 10 == 9:
                await asyncio.sleep(10 / a_second)

    async def forget_session(self) -> None:
        """Tell the bot that its session is over and can't be resumed."""
        self.connected.clear()
        await self.sockets[-1].send_str(json.dumps({"op": 9, "d": False}))

    async def _messages(self, request: web.Request) -> web.Response:
        """Give a page as Discord does: the oldest after the one that is named, the newest of them first."""
        self.read.append(request.match_info["id"])
        if self.too_many:
            self.too_many -= 1
            told = {"message": "You are being rate limited.", "retry_after": 0.05, "global": False}
            return await _saying(told, status=429, headers={"Via": "1.1 wire"})(request)
        after, limit = int(request.query["after"]), int(request.query["limit"])
        here = [message for message in self.history if message["channel_id"] == request.match_info["id"]]
        return await _saying([message for message in here if int(message["id"]) > after][:limit][::-1])(request)

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(json.dumps({"op": 10, "d": {"heartbeat_interval": self.heartbeat}}))
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                break
            await self._answer(socket, json.loads(frame.data))
        return socket

    async def _answer(self, socket: web.WebSocketResponse, frame: dict[str, Any]) -> None:
        match frame["op"]:
            case 1:
                self.heartbeats += 1
                await socket.send_str(json.dumps({"op": 11}))
            case 2:
                await self._identify(socket, frame["d"])
            case 6:
                self.sockets.append(socket)
                await self.say("RESUMED", {})
                self.connected.set()

    async def _identify(self, socket: web.WebSocketResponse, identity: dict[str, Any]) -> None:
        self.identified.append(identity)
        if self.turn_away:
            await socket.close(code=self.turn_away.pop(0))
            return
        self.sockets.append(socket)
        shard, of = identity["shard"]
        here = [name for name in self.guilds if (int(name) >> 22) % of == shard]
        unavailable = [{"id": name, "unavailable": True} for name in here]
        ready = {"v": 10, "user": BOT, "guilds": unavailable, "session_id": "s", "resume_gateway_url": self.gateway}
        await self.say("READY", ready | {"shard": [shard, of], "application": {"id": BOT["id"], "flags": APP["flags"]}})
        for name in () if self.late else here:
            last = self.set_back or self._last(self.guilds[name])
            await self.say("GUILD_CREATE", guild(name, self.guilds[name], last=last, joined=self.joined))
        self.shards[shard] = socket
        self.connected.set()

    def _last(self, channel_id: str) -> str | None:
        return next((each["id"] for each in reversed(self.history) if each["channel_id"] == channel_id), None)


@asynccontextmanager
async def served():
    """Serve until the block ends."""
    wire, app = Wire(), web.Application()
    app.router.add_get("/gateway", wire._gateway)
    app.router.add_get("/api/v10/channels/{id}/messages", wire._messages)
    app.router.add_get(f"/api/v10/channels/{CHAT_ID}", _saying({"id": CHAT_ID, "type": 1, "recipients": [ALICE]}))
    app.router.add_get("/api/v10/channels/{id}/threads/archived/public", _saying({"threads": [], "has_more": False}))
    app.router.add_get("/api/v10/users/@me", _saying(BOT))
    app.router.add_get("/api/v10/oauth2/applications/@me", _saying(APP))
    app.router.add_put("/api/v10/applications/{id}/commands", _saying([]))
    runner = web.AppRunner(app, shutdown_timeout=0, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    wire.port = runner.addresses[0][1]
    try:
        yield wire
    finally:
        await runner.cleanup()


def _saying(body: Any, **options: Any) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(_: web.Request) -> web.Response:
        told = json.dumps(body).encode()
        return web.Response(body=told, content_type="application/json", **options)  # as Discord: no charset

    return answer


async def until(holds: Callable[[], object]) -> None:
    """Wait until something holds that another process brings about."""
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.05)
