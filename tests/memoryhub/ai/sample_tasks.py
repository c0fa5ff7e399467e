"""A small task for the tests of memoryhub.ai: a text in, facts out."""

from __future__ import annotations

from pydantic import BaseModel

from memoryhub.ai import Task


class Said(BaseModel):
    text: str


class Facts(BaseModel):
    facts: list[str]


LEARN: Task[Said, Facts] = Task(
    purpose="extraction",
    tier="fast",
    instructions="Return the facts.",
    answer=Facts,
    prompt=lambda said: said.text,
    offline=lambda said: Facts(facts=[f"offline: {said.text}"]),
)
SAID = Said(text="Alice moved to Porto.")
GOOD = '{"facts": ["Lives in Porto."]}'
EXPECTED = Facts(facts=["Lives in Porto."])
NAMES = {"openai": "openai:gpt-6-luna", "google": "google:gemini-3.5-flash-lite"}
