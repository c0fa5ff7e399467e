"""The bridge: the event loop goes on while the database works, and what a call raises comes back."""

from __future__ import annotations

import asyncio
import threading

import pytest

from botrunner import threads
from memoryhub.community.models import Guild

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_call_runs_in_a_thread_of_the_bridge_and_its_answer_comes_back():
    here = await threads.run(lambda: threading.current_thread().name)
    assert here.startswith("bot-database")
    await threads.run(Guild.objects.create, key="discord:1")
    assert await threads.run(Guild.objects.count) == 1


async def test_the_loop_goes_on_while_a_call_takes_its_time():
    done = threading.Event()
    waiting = asyncio.create_task(threads.run(done.wait, 30))
    await asyncio.sleep(0)
    assert not waiting.done()
    done.set()
    assert await waiting


async def test_what_a_call_raises_is_raised():
    with pytest.raises(Guild.DoesNotExist):
        await threads.run(Guild.objects.get, key="discord:9")
