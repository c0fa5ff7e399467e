"""An agent of the OpenAI Agents SDK that remembers: MEMORYHUB_KEY=... python openai_agents_memory.py "I sail"."""

import asyncio
import os
import sys

from agents import Agent, RunConfig, Runner, SQLiteSession

from memoryhub.integrations.agents_session import MemorySession


async def main(said: str, model: object = None) -> str:
    """Answer one message of Alice's, with what the hub remembers of her."""
    session = MemorySession(
        SQLiteSession("alice-with-bot"),
        url=os.environ.get("MEMORYHUB_URL", "http://127.0.0.1:8000"),
        key=os.environ["MEMORYHUB_KEY"],
        guild=os.environ.get("MEMORYHUB_GUILD", "web:example"),
        member="alice",
        member_name="Alice",
    )
    agent = Agent(name="Helper", instructions="Help in one sentence.", model=model)
    config = RunConfig(session_input_callback=session.with_memory, tracing_disabled=True)
    try:
        result = await Runner.run(agent, said, session=session, run_config=config)
        return str(result.final_output)
    finally:
        await session.aclose()


if __name__ == "__main__":
    print(asyncio.run(main(sys.argv[1])))
