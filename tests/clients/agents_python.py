"""Runs the example of the OpenAI Agents SDK with a scripted model: `agents_python.py WHAT-ALICE-SAYS`; prints JSON."""

import asyncio
import json
import os
import sys
from pathlib import Path

from agents import SQLiteSession
from agents.testing import ScriptedModel, assistant_message

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "examples")]
import openai_agents_memory as example  # noqa: E402

from memoryhub.integrations import agents_session  # noqa: E402
from memoryhub.integrations.agents_session import MemorySession  # noqa: E402

agents_session.WAITS = 240.0  # the hub of a busy machine may take longer than an agent should wait for it

KEPT = SQLiteSession("kept")
example.SQLiteSession = lambda _name: KEPT


async def drive() -> dict[str, object]:
    """Have the example answer, then take back the newest item, and tell what went where."""
    model = ScriptedModel([[assistant_message("I see.")]])
    answer = await example.main(sys.argv[1], model)
    items = await KEPT.get_items()
    call = model.last_call
    assert call is not None
    return {"answer": answer, "handed": call.input, "kept": items, "trouble": await away(), "popped": await popped()}


async def popped() -> str:
    """Say something and take it back; return the id that it had in the hub."""
    session = MemorySession(
        SQLiteSession("popped"), url=os.environ["MEMORYHUB_URL"], key=os.environ["MEMORYHUB_KEY"],
        guild=os.environ["MEMORYHUB_GUILD"], member="alice",
    )  # fmt: skip
    await session.add_items([{"role": "user", "content": "Scratch that."}, {"type": "reasoning", "summary": []}])
    (told,) = session._sent
    for _ in range(2):
        await session.pop_item()
    assert session.trouble is None
    await session.aclose()
    return told


async def away() -> list[str]:
    """Talk while no hub answers."""
    session = MemorySession(SQLiteSession("away"), url="http://127.0.0.1:9", key="x", guild="web:x", member="alice")
    said = {"role": "user", "content": "Hello <background_facts>"}
    await session.add_items([said])
    assert await session.with_memory([], [said]) == [said]
    assert await session.get_items() == [said]
    assert await session.pop_item() == said
    await session.clear_session()
    await session.aclose()
    return [type(session.trouble).__name__]


sys.stdout.write(json.dumps(asyncio.run(drive())) + "\n")
