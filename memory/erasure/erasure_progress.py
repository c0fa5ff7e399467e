"""How far an erasure is: its steps in order, what each does in words, and what each holder holds."""

from __future__ import annotations

from memory.erasure.registry import HOLDERS
from memory.models import Erasure

SCAN = "scan"
STEPS = (*(holder.name for holder in HOLDERS), SCAN)
DOING = {
    "reading": "Stopping the reading of older messages",
    "exports": "Removing exports that wait to be fetched",
    "queue": "Removing waiting jobs",
    "kept answers": "Removing kept answers of the API",
    "saved filters": "Removing saved filters",
    "recaps": "Removing lines of recaps",
    "profiles": "Removing profile lines",
    "facts": "Removing memories and what they rest on",
    "client data": "Removing what clients handed over with memories",
    "agents' items": "Removing what agents kept about them",
    "notes": "Rewriting notes from what the others said",
    "messages": "Removing messages",
    "mentions": "Removing mentions in others' messages",
    "summaries": "Rewriting channel summaries from what the others said",
    "questions": "Removing open questions",
    "arrangements": "Removing decisions and plans",
    "conversations": "Removing conversations that are left empty",
    "relationships": "Removing relationships",
    "choices": "Removing choices about being remembered",
    "papers": "Rewriting journals and the snapshot",
    "signatures": "Removing the account's name from changes",
    "action log": "Removing the member's id from the action log",
    "audit log": "Removing the member's id from the audit log",
    "administration log": "Removing names from the administration log",
    "model calls": "Removing the log of calls to models",
    "counts": "Removing counts of nightly runs",
    "member": "Removing the member",
    "guild": "Removing the guild",
    SCAN: "Searching every table, index and file for what is left",
}
"""What is done in a step, as a person reads it."""
HELD = {
    "profiles": "lines of profiles",
    "facts": "memories",
    "reading": "channels still to read",
    "arrangements": "plans and decisions",
    "papers": "journals and snapshots",
    "queue": "queued work",
    "client data": "items of agents' clients",
    "signatures": "signed changes",
    "choices": "consent choices",
    "member": "members",
    "guild": "guilds",
    "counts": "daily counts",
}
"""What a holder holds, in plain words, where its own name is none."""


def held(holder: str) -> str:
    """Return what a holder of this name holds, as a person reads it."""
    return HELD.get(holder, holder)


def steps_done(job: Erasure) -> int:
    """Return how many of the STEPS are done."""
    return len(STEPS) if job.finished_at else STEPS.index(job.step) if job.step in STEPS else 0


def doing(job: Erasure) -> str:
    """Return what is being done right now, in words; empty while it waits for the worker."""
    return DOING.get(job.step, "")
