"""Measures how long the bot's event loop is kept from its work: `python -m tests.botrunner.lag [A_SECOND] [SECONDS]`.

The bot is a real `manage.py runbot` on a database of its own; the server is on loopback, in this process.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles

from tests.botrunner import wire as wires
from tests.verification.hub import DATABASE, PATIENCE, a_hub

A_TICK = 0.005  # seconds; what is longer is lag
WATCHING = "MEMORYHUB_LAG_FILE"


async def measure(a_second: int, seconds: int) -> dict[str, float]:
    """Send so many messages a second for so long; return milliseconds of lag, and how many messages were stored."""
    with tempfile.TemporaryDirectory() as folder, a_hub(Path(folder), DISCORD_TOKEN="a.b.c") as hub:
        told = Path(folder) / "lag.json"
        async with wires.served() as wire:
            hub.changes |= {"DISCORD_API_BASE": wire.api, "DISCORD_GATEWAY_URL": wire.gateway, WATCHING: str(told)}
            bot = hub.start("-m", "tests.botrunner.lag")
            await asyncio.wait_for(wire.connected.wait(), 120)
            await asyncio.sleep(4)  # it is ready two seconds later, and looks at its channels
            messages = [wires.message(n, f"number {n}: I live in Toronto.") for n in range(a_second * seconds)]
            begun = time.time()
            await wire.burst(messages, a_second=a_second)
            while stored(hub.folder) < len(messages) and time.time() < begun + PATIENCE:
                await asyncio.sleep(0.5)
            ended = time.time()
            bot.terminate()
            await asyncio.to_thread(bot.wait, 60)
        kept = stored(hub.folder)
        lags = [lag for at, lag in json.loads(told.read_text()) if begun < at < ended]
    cuts = quantiles(lags, n=1000)
    return {
        "messages": len(messages), "stored": kept, "seconds": ended - begun,
        "median_ms": median(lags), "p99_ms": cuts[989],
        "p999_ms": cuts[998], "longest_ms": max(lags),
    }  # fmt: skip


def stored(folder: Path) -> int:
    """Return how many messages are in memory."""
    with closing(sqlite3.connect(folder / DATABASE, timeout=30)) as database:
        ((count,),) = database.execute("select count(*) from notes_message")
    return int(count)


async def watch(lags: list[tuple[float, float]]) -> None:
    """Note when, and by how many milliseconds, each short sleep was too long."""
    loop = asyncio.get_running_loop()
    while True:
        begun = loop.time()
        await asyncio.sleep(A_TICK)
        lags.append((time.time(), (loop.time() - begun - A_TICK) * 1000))


def run_watched() -> None:
    """Run the bot as `manage.py runbot` does, with a watch beside it."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    import django

    django.setup()
    from django.core.management import call_command

    from botrunner.management.commands import runbot

    lags: list[tuple[float, float]] = []
    serve = runbot.serve

    async def watched(*given: object, **named: object) -> None:
        watching = asyncio.create_task(watch(lags))
        await serve(*given, **named)
        watching.cancel()

    runbot.serve = watched
    call_command("runbot")
    Path(os.environ[WATCHING]).write_text(json.dumps(lags), encoding="utf-8")


if __name__ == "__main__":
    if os.environ.get(WATCHING):
        run_watched()
    else:
        rate, length = (int(word) for word in (*sys.argv[1:], "200", "10")[:2])
        measured = asyncio.run(measure(rate, length))
        sys.stdout.write(json.dumps({name: round(value, 1) for name, value in measured.items()}) + "\n")
