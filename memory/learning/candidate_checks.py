"""Judges what an extraction proposed: said where it says, safe to keep, no echo, and about a person of this guild."""

from __future__ import annotations

from datetime import UTC, datetime, time

from memory.facts import confidence
from memory.facts.normalization import sentence
from memory.facts.proposal import Proposal
from memory.facts.schemas import Candidate
from memory.learning import echoes, validation
from memory.learning.batches import Batch
from memoryhub.community.consent import remembers
from memoryhub.community.models import Member


def check(candidate: Candidate, batch: Batch) -> Proposal | str:
    """Return what is to be settled, or `refused_<reason>`.

    A candidate that names no message of the batch rests on the one that holds its quote; the guards judge the rest.
    """
    text = sentence(candidate.text)
    messages = [m for m in batch.messages if m.pk in candidate.messages]
    messages = messages or [m for m in batch.messages if candidate.quote in m.text][:1] or batch.messages[:1]
    source = "\n".join(m.text for m in messages)
    if reason := validation.refuse(text, candidate.quote, source, kept=batch.guild.kept_kinds):
        return f"refused_{reason.replace(' ', '_')}"
    if echoes.is_echo(candidate.quote, messages):
        return "refused_echo"
    subject = _subject(candidate, batch)
    if subject is None and candidate.subject is not None:
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


def _subject(candidate: Candidate, batch: Batch) -> Member | None:
    """Return whom it is about: a person of this guild, never a bot."""
    if candidate.subject is None:
        return None
    speaker = batch.authors.get(candidate.subject)
    if speaker and not speaker.is_bot:
        return speaker
    return Member.objects.of(batch.guild).filter(pk=candidate.subject, is_bot=False).first()
