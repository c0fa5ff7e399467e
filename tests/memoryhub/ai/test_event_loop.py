"""What is asked waits for its turn, and leaves nothing behind where nobody waits for it any more."""

from __future__ import annotations

import asyncio
import gc
import threading

import pytest

from memoryhub.ai import ModelFailed, event_loop

PATIENCE = 20  # seconds


def test_what_is_given_up_before_its_turn_never_begins(recwarn: pytest.WarningsRecorder) -> None:
    held, begun = threading.Event(), []

    async def hold() -> None:
        await asyncio.to_thread(held.wait, PATIENCE)

    async def ask() -> None:
        begun.append(True)

    holders = [event_loop.start(hold) for _ in range(event_loop.AT_ONCE)]
    with pytest.raises(ModelFailed), event_loop.within(0):
        event_loop.run(lambda: event_loop.with_retries(ask))
    held.set()
    for holder in holders:
        holder.result(PATIENCE)
    event_loop.run(lambda: asyncio.sleep(0))
    gc.collect()
    assert begun == []
    assert not list(recwarn)  # a coroutine that was never awaited, for one
