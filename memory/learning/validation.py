"""The guards before a fact is stored: safe to keep, said where it says, no echo, about a person of this guild."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, time

from memory.facts import confidence
from memory.facts.normalization import sentence
from memory.facts.proposal import Proposal
from memory.facts.schemas import MAX_FACT, Candidate
from memory.learning import echoes
from memory.learning.batches import Batch
from memoryhub.community.consent import remembers
from memoryhub.community.models import Member
from memoryhub.safety import (
    carries_diagnosis,
    carries_instruction,
    carries_secret,
    is_code,
    is_request,
    sensitive,
    supported,
)

MIN_FACT = 4  # characters


def refuse(text: str, quote: str, source_text: str, *, kept: Collection[str] = ()) -> str | None:
    """Return why a fact must not be stored, None when it may; `kept` names the sensitive kinds that the guild keeps.

    Reasons: "too short", "secret", "diagnosis", "health", "finances", "instruction", "code", "request", "too long",
    "no quote", "ungrounded".
    """
    if len(text.strip(" .!?")) < MIN_FACT:
        return "too short"
    texts = {text, quote}
    if any(map(carries_secret, texts)):
        return "secret"
    if any(map(carries_diagnosis, texts)):
        return "diagnosis"
    if kind := next(filter(None, (sensitive(words, kept=kept) for words in texts)), None):
        return kind
    if any(map(carries_instruction, texts)):
        return "instruction"
    if is_code(text):
        return "code"
    if is_request(text):
        return "request"
    if len(text) > MAX_FACT:
        return "too long"
    if not supported(quote, source_text):
        return "no quote"
    return None if text == quote or supported(text, source_text) else "ungrounded"


def check(candidate: Candidate, batch: Batch) -> Proposal | str:
    """Return what is to be settled, or `refused_<reason>`.

    A candidate that names no message of the batch rests on the one that holds its quote; the guards judge the rest.
    """
    text = sentence(candidate.text)
    messages = [m for m in batch.messages if m.pk in candidate.messages]
    messages = messages or [m for m in batch.messages if candidate.quote in m.text][:1] or batch.messages[:1]
    source = "\n".join(m.text for m in messages)
    if reason := refuse(text, candidate.quote, source, kept=batch.guild.kept_kinds):
        return f"refused_{reason.replace(' ', '_')}"
    if echoes.is_echo(candidate.quote, messages):
        return "refused_echo"
    subject = batch.authors.get(candidate.subject or 0)
    if candidate.subject is not None and (subject is None or subject.is_bot):  # a person of this guild, never a bot
        subject = Member.objects.of(batch.guild).filter(pk=candidate.subject, is_bot=False).first()
        if subject is None:
            return "refused_unknown_subject"
    if subject is not None and not remembers(batch.guild, subject):
        return "refused_opted_out"
    own = subject is None or subject in [message.author for message in messages]
    since = candidate.valid_from
    return Proposal(
        guild=batch.guild,
        subject=subject,
        text=text,
        kind="lore" if subject is None else candidate.kind,
        confidence=candidate.confidence if own else confidence.told_by_others(candidate.confidence),
        explicit=candidate.explicit and own,
        quote=candidate.quote,
        said_at=messages[-1].sent_at,
        channel=batch.channel,
        audience_id=batch.audience_id,
        valid_from=datetime.combine(since, time(), UTC) if since else None,
        messages=messages,
    )
