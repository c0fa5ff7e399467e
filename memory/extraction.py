"""Learns facts from messages: read a member's batch, think, guard each candidate, settle it (seeds 000, 002, 004)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import groupby

from django.db.models import F, Window
from django.db.models.functions import RowNumber

from memory import confidence, consolidation, grounding
from memory.ledger import log
from memory.models import Fact
from memory.prompts import EXTRACTION
from memory.proposals import Proposal
from memory.shapes import Candidate, ExtractionInput, KnownFact
from memoryhub.ai import ModelFailed, ask
from notes.lines import as_lines
from notes.models import ChannelBuffer, Message
from profiles.consent import remembers
from profiles.models import Channel, Guild, Member

MOST = 100  # messages a run; seed 002
MOST_A_MEMBER = 25  # seed 002: nobody's flood holds the others up
CONTEXT = timedelta(minutes=10)  # what was said just before is shown, to know what "there" means
MOST_CONTEXT = 40
MOST_KNOWN = 40  # facts about the member shown to the model
MOST_ATTEMPTS = 5
LEASE = timedelta(minutes=10)
BACK_OFF = timedelta(minutes=5)


@dataclass(frozen=True)
class Batch:
    """What one member said in one channel and nobody has read for facts yet, oldest first."""

    guild: Guild
    channel: Channel
    author: Member
    messages: list[Message]


def waiting(mode: Guild.ExtractionMode, *, now: datetime) -> list[Batch]:
    """Return the next batches of the guilds that learn in this way, oldest first and fair over members."""
    rows = Message.objects.unprocessed(now).filter(guild__extraction_mode=mode)
    turn = Window(RowNumber(), partition_by=F("author_id"), order_by=["sent_at", "pk"])
    return _batches(rows.annotate(turn=turn).filter(turn__lte=MOST_A_MEMBER)[:MOST])


def of_buffer(buffer: ChannelBuffer) -> list[Batch]:
    """Return what is left unread of one conversation."""
    return _batches(Message.objects.said().filter(buffer=buffer, processed_at=None, parked=False))


def _batches(messages: Iterable[Message]) -> list[Batch]:
    rows = Message.objects.filter(pk__in=[m.pk for m in messages]).select_related("guild", "channel", "author")
    ordered = sorted(rows, key=lambda m: (m.channel_id, m.author_id, m.sent_at, m.pk))
    split = [list(group) for _, group in groupby(ordered, key=lambda m: (m.channel_id, m.author_id))]
    halves = [part[i : i + MOST_A_MEMBER] for part in split for i in range(0, len(part), MOST_A_MEMBER)]
    batches = [Batch(part[0].guild, part[0].channel, part[0].author, part) for part in halves]
    return sorted(batches, key=lambda batch: batch.messages[0].sent_at)


def learn(batch: Batch, *, now: datetime) -> Counter[str]:
    """Turn one batch into facts and mark its messages as read; running it twice changes nothing.

    Counts `facts` and `refused_<reason>`. Raises ModelFailed after writing down the failure: the messages wait for
    another try, and are parked after five.
    """
    if not _claim(batch, now=now):
        return Counter()
    try:
        answer = ask(EXTRACTION, _given(batch), guild=batch.guild.pk)
    except ModelFailed as error:
        _postpone(batch, error=str(error), now=now)
        raise
    counts = Counter[str]()
    for candidate in answer.facts:
        counts[_take(candidate, batch, now=now)] += 1
    Message.objects.filter(pk__in=[m.pk for m in batch.messages]).update(processed_at=now, last_error="", attempts=0)
    if counts:
        log(
            "memory_fact",
            guild=batch.guild,
            now=now,
            channel=batch.channel.pk,
            member=batch.author.pk,
            counts=dict(counts),
        )
    return counts


def _claim(batch: Batch, *, now: datetime) -> bool:
    """Count the attempt before the work, so that a batch that kills its worker is parked in the end."""
    rows = Message.objects.filter(pk__in=[m.pk for m in batch.messages], processed_at=None, parked=False)
    return bool(rows.update(attempts=F("attempts") + 1, next_attempt_at=now + LEASE))


def _postpone(batch: Batch, *, error: str, now: datetime) -> None:
    rows = Message.objects.filter(pk__in=[m.pk for m in batch.messages], processed_at=None)
    rows.update(next_attempt_at=now + BACK_OFF, last_error=error[:300])
    parked = rows.filter(attempts__gte=MOST_ATTEMPTS).update(parked=True)
    log("memory_extract_error", guild=batch.guild, now=now, messages=len(batch.messages), parked=parked)


def _given(batch: Batch) -> ExtractionInput:
    first, last = batch.messages[0].sent_at, batch.messages[-1].sent_at
    around = Message.objects.filter(channel=batch.channel, deleted_at=None, sent_at__range=(first - CONTEXT, last))
    context = around.select_related("author").order_by("-sent_at", "-pk")[:MOST_CONTEXT]
    rows = {m.pk: m for m in (*context, *batch.messages)}
    return ExtractionInput(
        guild=str(batch.guild),
        lines=as_lines(sorted(rows.values(), key=lambda m: (m.sent_at, m.pk))),
        learn_from=[m.pk for m in batch.messages],
        known=_known(batch),
    )


def _known(batch: Batch) -> list[KnownFact]:
    rows = Fact.objects.of(batch.guild).active().about(batch.author).heard_in(batch.channel)
    newest = rows.order_by("-confidence", "-said_at")[:MOST_KNOWN]
    return [KnownFact(id=f.pk, subject=f.subject_id, text=f.text, said_on=f.said_at.date()) for f in newest]


def _take(candidate: Candidate, batch: Batch, *, now: datetime) -> str:
    """Guard one candidate and settle it; return what became of it: `facts` or `refused_<reason>`."""
    cited = [m for m in batch.messages if m.pk in candidate.messages] or batch.messages[:1]
    source = "\n".join(m.text for m in cited)
    if reason := grounding.refuse(candidate.text, candidate.quote, source):
        return f"refused_{reason.replace(' ', '_')}"
    subject = _subject(candidate, batch)
    if subject is None and candidate.subject is not None:
        return "refused_unknown_subject"
    if subject is not None and not remembers(batch.guild, subject):
        return "refused_opted_out"
    consolidation.settle(_proposal(candidate, batch, subject, cited), actor="extraction", now=now)
    return "facts"


def _subject(candidate: Candidate, batch: Batch) -> Member | None:
    if candidate.subject == batch.author.pk:
        return batch.author
    if candidate.subject is None:
        return None
    return Member.objects.of(batch.guild).filter(pk=candidate.subject, is_bot=False).first()


def _proposal(candidate: Candidate, batch: Batch, subject: Member | None, cited: list[Message]) -> Proposal:
    own = subject is None or subject == batch.author
    since = candidate.valid_from
    return Proposal(
        guild=batch.guild,
        subject=subject,
        text=candidate.text,
        kind="lore" if subject is None else candidate.kind,
        confidence=candidate.confidence if own else confidence.told_by_others(candidate.confidence),
        explicit=candidate.explicit and own,
        quote=candidate.quote,
        said_at=cited[-1].sent_at,
        channel=batch.channel,
        audience_id=batch.channel.heard_by,
        valid_from=datetime.combine(since, time(), UTC) if since else None,
        messages=cited,
    )
