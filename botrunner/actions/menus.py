"""What a message's menu does: its author has it remembered; they or who moderates there have it forgotten."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from botrunner.actions import texts_members
from botrunner.actions.caller import ONLY_PEOPLE, Caller, guild_of, left_out
from botrunner.actions.escape import plain
from memory import pipeline
from memory.curation import corrections
from memory.curation.corrections import FactRefused
from memory.curation.refusals import of_message
from memory.facts.proposal import SourceGone
from memory.learning import extraction
from memory.learning.batches import Batch
from memory.models import Evidence, Fact
from memoryhub.ai import ModelFailed
from notes.messages.schemas import IncomingMessage
from notes.models import Message

NO_TEXT = "That message has no text, and only text is remembered. `/memory remember` takes your words for it."
NOT_YOUR_MESSAGE = "Only the author of a message can have it remembered. Choose one of your own, or ask its author."
MAY_NOT_FORGET = "Only its author, or those who manage messages here, can have a message forgotten. Ask one of them."
FORGOTTEN_BEFORE = (
    "That message was forgotten before, so it is not taken in again. `/memory remember` takes your words."
)
READ_LATER = "The message is kept. The model gives no answer just now; it is read for memories later."
MESSAGE_GONE = "Forgotten: the message, and what was learned from it alone."
NOT_IN_MEMORY = "That message is not in memory, so nothing was done."
NOT_TAKEN = {
    "own": "That is the bot's own message; it never learns from itself.",
    "system": ONLY_PEOPLE,
    "command": ONLY_PEOPLE,
    "forward": "A forwarded message holds the words of somebody else. `/memory remember` takes your own.",
    "unknown_channel": "The bot cannot see this channel, so nothing of it is remembered. Ask somebody who manages it.",
}
"""What is answered to a message that is never kept, whatever the guild wants."""
SHOWN_STATUSES = (Fact.Status.ACTIVE, Fact.Status.PENDING)
IGNORED = {
    "memory_off": texts_members.MEMORY_OFF,
    "channel_off": texts_members.MEMORY_OFF,
    "blocked": texts_members.BLOCKED,
    "opted_out": texts_members.OPTED_OUT,
    "erased": FORGOTTEN_BEFORE,
    "empty": NO_TEXT,
}


def remember(caller: Caller, message: IncomingMessage, *, now: datetime) -> str:
    """Take the caller's own message in and learn from it at once; what holds no fact of its own is kept as it says.

    `caller.needs` is what the guild must want for this message.
    """
    if why := left_out(caller):
        return why
    received = pipeline.receive(message, guild=caller.guild, now=now)
    if received.status == "ignored":
        return IGNORED[received.reason]
    row = _find(caller, message.message_id)
    if row is None:
        return FORGOTTEN_BEFORE
    try:
        extraction.learn(Batch([row]), now=now)
    except ModelFailed:
        return READ_LATER
    if facts := Fact.objects.filter(evidence__message=row, subject=row.author, status__in=SHOWN_STATUSES).distinct():
        return learned(facts)
    try:
        fact = corrections.remember(
            row.guild, subject=row.author, text=row.text, kind="other", actor=caller.actor, now=now,
            audience=row.channel, said_in=row,
        )  # fmt: skip
    except FactRefused as error:
        return of_message(error)
    except SourceGone:
        return NOT_IN_MEMORY
    return texts_members.remembered(fact)


def facts_resting_on(caller: Caller, message_id: str) -> int | None:
    """Return how many facts rest on a message; None if it is not in memory."""
    row = _find(caller, message_id)
    return Evidence.objects.filter(message=row).values("fact").distinct().count() if row else None


def forget(caller: Caller, message_id: str, *, now: datetime) -> str:
    """Forget a message and what was learned from it alone."""
    guild = guild_of(caller)
    deleted = pipeline.delete(guild, message_ids=[message_id], now=now) if guild else 0
    return MESSAGE_GONE if deleted else NOT_IN_MEMORY


def _find(caller: Caller, message_id: str) -> Message | None:
    rows = Message.objects.filter(guild__key=caller.guild.key, platform_id=message_id, deleted_at=None)
    return rows.select_related("guild", "channel", "author").first()


# --- In words -------------------------------------------------------------------------------------------------------


def learned(facts: Iterable[Fact]) -> str:
    """Return what was learned from a message."""
    lines = ["Remembered from it:"]
    for fact in list(facts)[: texts_members.A_PAGE]:
        waits = "" if fact.status == Fact.Status.ACTIVE else " (waits until a manager of this server has looked at it)"
        lines.append(f"`#{fact.pk}` {plain(fact.text)}{waits}")
    return "\n".join(lines)


def question(facts: int) -> str:
    """Return the question before a message is forgotten."""
    return f"**Forget this message for good?** Memories that rest on it: {facts}. What rests on nothing else goes too."
