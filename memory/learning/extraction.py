"""Learns facts from messages: read a channel's batch, think, guard each candidate, settle it (seeds 000, 002, 004)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from itertools import groupby
from typing import Protocol

from django.db import transaction
from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from memory.facts import confidence
from memory.facts.normalization import sentence
from memory.facts.proposal import Proposal
from memory.facts.schemas import Candidate, ExtractionInput, KnownFact
from memory.learning import consolidation, echoes, prefilter, validation
from memory.learning.batches import Batch
from memory.learning.prompts import EXTRACTION
from memory.models import Fact, LeftOut
from memory.records import skipped
from memory.records.action_log import log
from memoryhub.ai import ModelFailed, ask
from memoryhub.community.consent import remembers
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import heard, remembered
from notes.messages import conversations
from notes.messages.prompt_lines import as_lines
from notes.models import Message

CONTEXT = timedelta(minutes=10)  # what was said just before is shown, to know what "there" means
MOST_CONTEXT = 40
MOST_KNOWN = 80  # facts about the members shown to the model
MOST_KNOWN_A_MEMBER = 40
MOST_MENTIONED = 20
MOST_ATTEMPTS = 5
LEASE = timedelta(minutes=10)
BACK_OFF = timedelta(minutes=5)  # doubled at each failure
ENDINGS: dict[str, str] = {Fact.Status.PENDING: "waiting", Fact.Status.REFUSED: "refused_by_a_person"}


class MakeWay(Protocol):
    """Where an edited message is read, what was said after it may have to be read again."""

    def __call__(self, guild: Guild, proposals: Sequence[Proposal], *, now: datetime) -> QuerySet[Message]:
        """Take back what was learned from later messages, and return which are to be read again."""


def learn(batch: Batch, *, now: datetime, make_way: MakeWay | None = None) -> Counter[str]:
    """Turn one batch into facts and mark its messages as read; running it twice changes nothing.

    Where what was said makes the call fail, each member's part is tried alone. Counts `facts`, `refused_<reason>` and
    `left_out_<reason>`. Raises ModelFailed after writing it down: the messages that failed wait for another try. After
    five they are parked, which is no failure of the batch any more.
    """
    counts = Counter[str]()
    parts = [_sift(_claim(batch, now=now), counts, now=now)]
    failed = None
    while parts:
        part = parts.pop(0)
        if not part.messages:
            continue
        try:
            counts += _read(part, make_way, now=now)
        except ModelFailed as failure:
            if len(part.authors) > 1 and not (failure.again or failure.permanent):
                parts += part.apart()
            elif not _postpone(part, failure, now=now):
                failed = failure
    _write_down(counts, batch, now=now)
    if failed:
        raise failed
    return counts


@transaction.atomic
def _claim(batch: Batch, *, now: datetime) -> Batch:
    """Return what of the batch nobody else took up, its attempt counted before the work.

    So what kills its worker each time is parked in the end, and of two workers that found it only one reads it.
    """
    rows = Message.objects.filter(pk__in=batch.ids, processed_at=None, parked=False, attempts=batch.attempts)
    if batch.attempts >= MOST_ATTEMPTS:
        rows.update(parked=True, parked_at=now, last_error="The worker stopped each time it read this.")
        return Batch([])
    free = set(rows.select_for_update().values_list("pk", flat=True))
    rows.update(attempts=F("attempts") + 1, next_attempt_at=now + LEASE)
    return Batch([message for message in batch.messages if message.pk in free])


def _sift(batch: Batch, counts: Counter[str], *, now: datetime) -> Batch:
    """Return the batch without what can't hold a fact, which is read herewith; it stays context for the others."""
    reasons = {message.pk: _unread(message) for message in batch.messages}
    _mark_read([message for message in batch.messages if reasons[message.pk]], now=now)
    counts.update(f"left_out_{reason}" for reason in reasons.values() if reason)
    return Batch([message for message in batch.messages if not reasons[message.pk]])


def _unread(message: Message) -> str | None:
    """Return why nothing is learned from the message; somebody may have said no since they wrote it."""
    silent = not message.author.is_bot and not remembers(message.guild, message.author)
    return "opted_out" if silent else prefilter.left_out(message.text)


def _mark_read(messages: list[Message], *, now: datetime) -> None:
    """Mark what was read, but for messages that were edited meanwhile: nobody has read their new words."""
    for edited_at, group in groupby(sorted(messages, key=_edited), key=lambda message: message.edited_at):
        rows = Message.objects.filter(pk__in=[message.pk for message in group], edited_at=edited_at)
        rows.update(processed_at=now, last_error="", attempts=0, next_attempt_at=None)


def _edited(message: Message) -> float:
    return message.edited_at.timestamp() if message.edited_at else 0.0


def _write_down(counts: Counter[str], batch: Batch, *, now: datetime) -> None:
    """Tell the action log and the day's counts what became of the batch."""
    if not counts:
        return
    log(
        "memory_fact",
        guild=batch.guild,
        now=now,
        channel=batch.channel.pk,
        members=list(batch.authors),
        counts=dict(counts),
    )
    for kind, prefix in ((LeftOut.Kind.MESSAGE, "left_out_"), (LeftOut.Kind.CANDIDATE, "refused_")):
        reasons = {name.removeprefix(prefix): n for name, n in counts.items() if name.startswith(prefix)}
        skipped.add_counts(batch.guild, kind=kind, reasons=reasons, now=now)


def _read(batch: Batch, make_way: MakeWay | None, *, now: datetime) -> Counter[str]:
    answer = ask(EXTRACTION, _given(batch), guild=batch.guild.pk)
    judged = [_judged(candidate, batch) for candidate in answer.facts]
    if make_way:
        batch, judged = _in_order(batch, judged, make_way, now=now)
    counts = Counter(reason for reason in judged if isinstance(reason, str))
    proposals = [proposal for proposal in judged if isinstance(proposal, Proposal)]
    settled = consolidation.settle_all(proposals, actor="extraction", now=now)
    counts.update(_ending(fact) for fact in settled)
    _mark_read(batch.messages, now=now)
    return counts


def _in_order(
    batch: Batch, judged: list[Proposal | str], make_way: MakeWay, *, now: datetime
) -> tuple[Batch, list[Proposal | str]]:
    """Return what may be settled now: where a message was edited, what was said later is read again behind it."""
    said = [proposal for proposal in judged if isinstance(proposal, Proposal)]
    waiting = make_way(batch.guild, said, now=now).exclude(pk__in=batch.ids).first()
    if waiting is None:
        return batch, judged
    first = waiting.sent_at, waiting.pk
    ready = Batch([message for message in batch.messages if (message.sent_at, message.pk) < first])
    conversations.read_again(Message.objects.filter(pk__in=set(batch.ids) - set(ready.ids)), now=now)
    return ready, [
        each for each in judged if isinstance(each, str) or {message.pk for message in each.messages} <= set(ready.ids)
    ]


def _ending(fact: Fact | None) -> str:
    """Return what a candidate came to: a fact, one that waits for a person, or a reason why it is none."""
    return ENDINGS.get(fact.status, "facts") if fact else "refused_source_gone"


def _postpone(batch: Batch, failure: ModelFailed, *, now: datetime) -> bool:
    """Have the batch tried later, as late as the provider asks; return whether it is parked instead."""
    pause = max(BACK_OFF * 2**batch.attempts, timedelta(seconds=failure.retry_after or 0))
    rows = Message.objects.filter(pk__in=batch.ids, processed_at=None)
    rows.update(next_attempt_at=now + pause, last_error=str(failure)[:300])
    parked = rows.filter(attempts__gte=MOST_ATTEMPTS).update(parked=True, parked_at=now)
    log("memory_extract_error", guild=batch.guild, now=now, messages=len(batch.messages), parked=parked)
    return parked == len(batch.messages)


def _given(batch: Batch) -> ExtractionInput:
    first, last = batch.messages[0].sent_at, batch.messages[-1].sent_at
    here = Message.objects.filter(heard(batch.guild, "author"), channel=batch.channel, deleted_at=None, let_go_at=None)
    around = here.heard_in(_readers(batch)).filter(sent_at__range=(first - CONTEXT, last))
    context = around.exclude(pk__in=batch.ids).select_related("author").order_by("-sent_at", "-pk")[:MOST_CONTEXT]
    return ExtractionInput(
        guild=str(batch.guild),
        lines=as_lines(sorted([*context, *batch.messages], key=lambda m: (m.sent_at, m.pk))),
        learn_from=batch.ids,
        known=_known(batch),
        kept=batch.guild.kept_kinds,
        mentioned=_mentioned(batch),
        tool_summaries=[message.pk for message in batch.messages if message.tool_summary],
    )


def _mentioned(batch: Batch) -> dict[int, str]:
    """Return who is mentioned and did not speak here, so that a fact may be about them."""
    ids = {each for message in batch.messages for each in message.mentions[:MOST_MENTIONED]}
    people = Member.objects.of(batch.guild).filter(platform_id__in=ids, is_bot=False)
    rows = people.filter(remembered(batch.guild)).exclude(pk__in=batch.authors)
    return {member.pk: str(member) for member in rows[:MOST_MENTIONED]} if ids else {}


def _known(batch: Batch) -> list[KnownFact]:
    """Return what is known about the speakers, the same share for each."""
    share = min(MOST_KNOWN_A_MEMBER, MOST_KNOWN // len(batch.authors))
    turn = Window(RowNumber(), partition_by=F("subject_id"), order_by=["-confidence", "-said_at"])
    rows = Fact.objects.of(batch.guild).active().heard_in(_readers(batch)).filter(subject__in=batch.authors)
    best = rows.annotate(turn=turn).filter(turn__lte=share).order_by("subject_id", "turn")
    return [KnownFact(id=f.pk, subject=f.subject_id, text=f.text, said_on=f.said_at.date()) for f in best]


def _readers(batch: Batch) -> Channel | None:
    return None if _heard_by(batch) is None else batch.channel


def _heard_by(batch: Batch) -> int | None:
    """Return the audience of what is read; what is shown with it is no narrower."""
    return batch.channel.heard_by_at(batch.messages[0].sent_at)


def _judged(candidate: Candidate, batch: Batch) -> Proposal | str:
    """Guard one candidate; return what is to be settled, or `refused_<reason>`."""
    candidate = candidate.model_copy(update={"text": sentence(candidate.text)})
    cited = _cited(candidate, batch)
    source = "\n".join(m.text for m in cited)
    if reason := validation.refuse(candidate.text, candidate.quote, source, kept=batch.guild.kept_kinds):
        return f"refused_{reason.replace(' ', '_')}"
    if echoes.echoed(candidate.quote, cited):
        return "refused_echo"
    subject = _subject(candidate, batch)
    if subject is None and candidate.subject is not None:
        return "refused_unknown_subject"
    if subject is not None and not remembers(batch.guild, subject):
        return "refused_opted_out"
    return _proposal(candidate, batch, subject, cited)


def _cited(candidate: Candidate, batch: Batch) -> list[Message]:
    """Return the messages that the candidate names, else the one that holds its quote; the guards judge the rest."""
    named = [m for m in batch.messages if m.pk in candidate.messages]
    return named or [m for m in batch.messages if candidate.quote in m.text][:1] or batch.messages[:1]


def _subject(candidate: Candidate, batch: Batch) -> Member | None:
    """Return whom it is about: a person of this guild, never a bot."""
    if candidate.subject is None:
        return None
    speaker = batch.authors.get(candidate.subject)
    if speaker and not speaker.is_bot:
        return speaker
    return Member.objects.of(batch.guild).filter(pk=candidate.subject, is_bot=False).first()


def _proposal(candidate: Candidate, batch: Batch, subject: Member | None, cited: list[Message]) -> Proposal:
    own = subject is None or subject in [message.author for message in cited]
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
        audience_id=_heard_by(batch),
        valid_from=datetime.combine(since, time(), UTC) if since else None,
        messages=cited,
    )
