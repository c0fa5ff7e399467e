"""The command: what only a person can put right is said first, in words that tell what to do."""

from __future__ import annotations

import asyncio

import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route
from django.core.checks.registry import registry
from django.core.management import CommandError, call_command

from botrunner import checks
from botrunner.bot import Shards, point_at
from botrunner.management.commands import runbot


@pytest.fixture(autouse=True)
def _no_trace(monkeypatch) -> None:
    """Leave the tests' own process as it is: what a bot's process sets for itself would hold for all tests to come."""
    monkeypatch.setattr("memoryhub.server.instruments.share", lambda role: None)
    monkeypatch.setattr("sys.setswitchinterval", lambda seconds: None)


def test_without_a_token_it_says_where_to_get_one(settings):
    settings.DISCORD_TOKEN = ""
    with pytest.raises(CommandError, match="DISCORD_TOKEN is not set"):
        call_command("runbot")


def test_on_a_database_that_is_not_migrated_it_says_so(settings, monkeypatch):
    settings.DISCORD_TOKEN = "a.b.c"

    def unapplied(*_, **__):
        raise SystemExit(1)

    monkeypatch.setattr(runbot, "call_command", unapplied)
    with pytest.raises(CommandError, match=r"Run manage\.py migrate"):
        call_command("runbot")


@pytest.mark.django_db
def test_with_a_token_and_a_migrated_database_it_starts(settings, monkeypatch):
    settings.DISCORD_TOKEN = "a.b.c"
    started = []

    async def serve(make, *, token, stop, shards, hears_all):
        bot = make(hears_all=False)
        started.append((token, hears_all, bot.intents.message_content, bot.grace_period.seconds))

    monkeypatch.setattr(runbot, "serve_shards", serve)
    call_command("runbot")
    assert started == [("a.b.c", True, False, 3)]


@pytest.mark.django_db
def test_what_the_first_answer_needs_is_loaded_before_it_connects(settings, monkeypatch):
    settings.DISCORD_TOKEN = "a.b.c"
    done = []

    async def serve(*_, **__):
        done.append("connected")

    monkeypatch.setattr(runbot, "serve_shards", serve)
    monkeypatch.setattr(runbot, "warm_up", lambda: done.append("loaded"))
    call_command("runbot")
    assert done == ["loaded", "connected"]


@pytest.mark.django_db
def test_what_can_not_be_loaded_keeps_it_from_nothing(settings, monkeypatch):
    settings.DISCORD_TOKEN = "a.b.c"
    connected = asyncio.Event()

    async def serve(*_, **__):
        connected.set()

    def broken():
        raise ImportError("no such library")

    monkeypatch.setattr(runbot, "serve_shards", serve)
    monkeypatch.setattr(runbot, "warm_up", broken)
    call_command("runbot")
    assert connected.is_set()


@pytest.mark.parametrize(
    ("name", "address"), [("DISCORD_API_BASE", "discord.example"), ("DISCORD_GATEWAY_URL", "http://127.0.0.1:9/")]
)
def test_an_address_that_is_none_is_an_error(settings, name, address):
    setattr(settings, name, address)
    assert [(error.id, error.msg) for error in checks.addresses()] == [("botrunner.E001", f"{name} is no address.")]
    assert checks.addresses in registry.registered_checks


@pytest.mark.parametrize(
    ("ids", "count", "shards"),
    [
        (None, None, None),
        (None, 2, Shards([0, 1], 2)),
        ("2-3", 4, Shards([2, 3], 4)),
        ("1", 4, Shards([1], 4)),
    ],
)
def test_shards_are_split_as_told(ids, count, shards):
    assert runbot.parse_shards(ids, count) == shards


@pytest.mark.parametrize(("ids", "count"), [("0-3", None), ("3-9", 4), ("3-2", 4), ("a-b", 4), ("", 0)])
def test_shards_that_cannot_be_are_refused(ids, count):
    with pytest.raises(CommandError, match="--shard"):
        runbot.parse_shards(ids, count)


def test_it_speaks_to_the_server_it_is_pointed_at(monkeypatch):
    monkeypatch.setattr(Route, "BASE", Route.BASE)
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)
    point_at(api_base="http://127.0.0.1:9/api/v10/", gateway_url="ws://127.0.0.1:8/")
    assert Route("GET", "/users/@me").url == "http://127.0.0.1:9/api/v10/users/@me"
    assert str(DiscordWebSocket.DEFAULT_GATEWAY) == "ws://127.0.0.1:8/"
