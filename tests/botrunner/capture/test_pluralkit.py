"""Whose words a proxy posted: asked politely, and doubt stores nothing."""

from __future__ import annotations

import json

import pytest
from aiohttp import web

from botrunner.capture.pluralkit import APART, PluralKit, Speaker

ROBIN = {"sender": "42", "member": {"id": "abcde", "name": "robin", "display_name": "Robin"}}
KNOWN = Speaker(member="pk:abcde", name="Robin", account="42")


@pytest.fixture
async def pluralkit(settings):
    """Serve the answers that a test puts on the list; note who asked for what."""
    answers, asked = [], []

    async def answer(request):
        asked.append((request.path, request.headers["User-Agent"]))
        status, body = answers.pop(0)
        return web.Response(status=status, body=body, content_type="application/json")

    app = web.Application()
    app.router.add_get("/v2/messages/{id}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    settings.PLURALKIT_API = f"http://127.0.0.1:{runner.addresses[0][1]}/v2/"
    yield answers, asked
    await runner.cleanup()


@pytest.fixture
def waits():
    return []


@pytest.fixture
def proxies(waits):
    async def pause(seconds):
        waits.append(seconds)

    return PluralKit(pause)


async def test_the_member_who_speaks_and_the_account_behind_are_told(pluralkit, proxies):
    answers, asked = pluralkit
    answers.append((200, json.dumps(ROBIN)))
    assert await proxies.speaker(7) == KNOWN
    [(path, agent)] = asked
    assert path == "/v2/messages/7"
    assert "memoryhub" in agent


async def test_asked_to_wait_it_waits_as_long_and_asks_again(pluralkit, proxies, waits):
    answers, _ = pluralkit
    answers += [(429, '{"retry_after": 1500}'), (200, json.dumps(ROBIN))]
    assert await proxies.speaker(7) == KNOWN
    assert waits == [APART, 1.5, APART]


async def test_asked_to_wait_for_ever_it_gives_up(pluralkit, proxies):
    answers, asked = pluralkit
    answers += [(429, "{}")] * 9
    assert await proxies.speaker(7) is None
    assert len(asked) == 3


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, "{}"),
        (500, "oops"),
        (200, "no JSON"),
        (200, "[]"),
        (200, '{"sender": "42", "member": null}'),
        (200, '{"member": {"id": "abcde"}}'),
    ],
)
async def test_doubt_names_nobody(pluralkit, proxies, status, body):
    answers, _ = pluralkit
    answers.append((status, body))
    assert await proxies.speaker(7) is None


async def test_a_server_that_is_away_names_nobody(settings, proxies, caplog):
    settings.PLURALKIT_API = "http://127.0.0.1:9/v2"
    assert await proxies.speaker(7) is None
    assert "left out" in caplog.text
