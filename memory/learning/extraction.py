"""Learns facts from messages: read a channel's batch, think, guard each candidate, settle it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from memory.facts.confidence import LORE_CONFIDENCE, TOLD_BY_OTHERS
from memory.facts.normalization import sentence
from memory.facts.proposal import Proposal
from memory.facts.schemas import Candidate, ExtractionInput
from memory.learning import batch_input, consolidation, echoes, faithfulness, prefilter, reread, validation
from memory.learning.batches import Batch
from memory.learning.prompts import EXTRACTION
from memory.models import Fact, LeftOut
from memory.records import skipped
from memory.records.action_log import log
from memoryhub import safety
from memoryhub.ai import ModelFailed, ask, model_choice
from memoryhub.community.consent import remembers
from memoryhub.community.days import begin_of, local
from memoryhub.community.models import Member
from memoryhub.db import leases
from notes.messages import conversations
from notes.models import Message

logger = logging.getLogger(__name__)

FEW_WORDS = 0.6  # share of a fact's words that its messages have, below which meaning counts as well
HOPELESS = 8  # unusable answers in a row, after which a model is not asked about smaller parts
MOST_IN_VAIN = 24  # unusable answers a batch: enough to find one message among fifty, or several
BREAKING = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)  # what odd words may bring about
BROKEN = "Reading it failed: %s. The log says where."
SKIPPED = {"left_out_": LeftOut.Kind.MESSAGE, "refused_": LeftOut.Kind.CANDIDATE}
OUTCOMES: dict[str, str] = {Fact.Status.PENDING: "waiting", Fact.Status.REFUSED: "refused_by_a_person"}


def learn(batch: Batch, *, now: datetime) -> Counter[str]:
    """Turn one batch into facts and mark its messages as read; running it twice changes nothing.

    Messages that make an answer unusable wait for another try, nobody else's do; after five tries they are parked.
    Counts `facts`, `refused_<reason>` and `left_out_<reason>`. Raises ModelFailed, after writing it down, where the
    provider fails or nothing at all could be read.
    """
    counts = Counter[str]()
    unread = Message.objects.filter(processed_at=None, parked_at=None)
    claimed = _prefilter(Batch(leases.claim_all(batch.messages, unread, now=now)), counts, now=now)
    failed = _read_in_parts(claimed, counts, now=now) if claimed.messages else None
    _write_down(batch, counts, now=now)
    if failed:
        raise failed
    return counts


def _read_in_parts(batch: Batch, counts: Counter[str], *, now: datetime) -> ModelFailed | None:
    """Read the batch and count what became of it; return what failed, None where the rest could be read.

    Where something that was shown makes the answer unusable, the batch is asked about without what was said around it,
    then half by half, until only the messages that spoil it are left.
    """
    clock = leases.ticking(now)
    parts, in_vain, read, failed = [(batch, False)], 0, 0, None
    while parts:
        part, alone = parts.pop(0)
        given = batch_input.gather(part, alone=alone)
        try:
            counts.update(_read(part, given, now=now))
            read += 1
            continue
        except ModelFailed as failure:
            in_vain += 1
            if not failure.of_the_words or (in_vain >= HOPELESS and not read):
                part = Batch([message for each, _ in [(part, alone), *parts] for message in each.messages])
                parts = []
            elif given.known or len(given.lines) > len(part.messages):
                parts = [(part, True), *parts]
                continue
            elif len(part.messages) > 1 and in_vain < MOST_IN_VAIN:
                parts += [(half, True) for half in part.halves()]
                leases.renew([message for each, _ in parts for message in each.messages], now=clock())
                continue
            failed = failure if _leave(part, failure, now=now) else failed
    return None if failed and failed.of_the_words and read else failed


def _leave(part: Batch, failure: ModelFailed, *, now: datetime) -> bool:
    """Leave the messages for another try; False where all of them have failed too often and are parked."""
    wait = timedelta(seconds=failure.retry_after or 0)
    parked = leases.fail(*part.messages, error=str(failure), now=now, wait=wait)
    log("memory_extract_error", guild=part.guild, now=now, messages=len(part.messages), parked=parked)
    return parked < len(part.messages)


def _write_down(batch: Batch, counts: Counter[str], *, now: datetime) -> None:
    """Note in the action log, and among what was left out, what became of the batch."""
    if counts:
        members = list(batch.authors)
        log("memory_fact", guild=batch.guild, now=now, channel=batch.channel.pk, members=members, counts=dict(counts))
    named = [(prefix, kind, name) for name in counts for prefix, kind in SKIPPED.items() if name.startswith(prefix)]
    skipped.add_all(batch.guild, {(kind, name.removeprefix(p)): counts[name] for p, kind, name in named}, now=now)


def _prefilter(batch: Batch, counts: Counter[str], *, now: datetime) -> Batch:
    """Return the batch without what can't hold a fact, which is read herewith; it stays context for the others."""
    reasons: dict[int, str | None] = {}
    for message in batch.messages:
        # Somebody may have said no since they wrote it.
        silent = not message.author.is_bot and not remembers(message.guild, message.author)
        reasons[message.pk] = "opted_out" if silent else prefilter.skip_reason(message.text)
    _mark_instructions(batch)
    _mark_read([message for message in batch.messages if reasons[message.pk]], now=now)
    counts.update(f"left_out_{reason}" for reason in reasons.values() if reason)
    return Batch([message for message in batch.messages if not reasons[message.pk]])


def _mark_instructions(batch: Batch) -> None:
    """Mark what orders a bot or a model about, and no longer what was edited and does not."""
    found = {message.pk: safety.carries_instruction(message.text) for message in batch.messages}
    for orders in (True, False):
        those = [message for message in batch.messages if found[message.pk] is orders]
        if wrong := [message.pk for message in those if message.carries_instruction is not orders]:
            Message.objects.filter(pk__in=wrong, deleted_at=None).update(carries_instruction=orders)


def _mark_read(messages: list[Message], *, now: datetime) -> None:
    """Mark what was read, but for messages that were edited meanwhile: nobody has read their new words."""
    ordered = sorted(messages, key=lambda message: message.edited_at.timestamp() if message.edited_at else 0.0)
    for edited_at, group in groupby(ordered, key=lambda message: message.edited_at):
        rows = Message.objects.filter(pk__in=[message.pk for message in group], edited_at=edited_at)
        rows.update(processed_at=now, last_error="", **leases.FRESH, **leases.FREE)


def _read(batch: Batch, given: ExtractionInput, *, now: datetime) -> Counter[str]:
    """Ask about the batch, check each candidate and settle what passes; return what became of them, by name."""
    try:
        answer = ask(EXTRACTION, given, guild=batch.guild.pk)
        people = {**given.mentioned, **{line.author: line.name for line in given.lines}}
        checked = check(answer.facts, batch, people=people)
    except BREAKING as error:
        logger.exception("words broke their reading", extra={"channel": batch.channel.pk})
        raise ModelFailed("bad_answer", BROKEN % type(error).__name__) from error
    proposals = [proposal for proposal in checked if isinstance(proposal, Proposal)]
    waiting = reread.make_way(batch.guild, proposals, now=now).exclude(pk__in=batch.ids).first()
    if waiting:  # a message was edited: what was said later than the first to be read again is read behind it
        first = waiting.sent_at, waiting.pk
        ready = Batch([message for message in batch.messages if (message.sent_at, message.pk) < first])
        conversations.read_again(Message.objects.filter(pk__in=set(batch.ids) - set(ready.ids)), now=now)
        proposals = [p for p in proposals if {message.pk for message in p.messages} <= set(ready.ids)]
        batch = ready
    counts = Counter(reason for reason in checked if isinstance(reason, str))
    for fact in consolidation.settle_all(proposals, actor="extraction", now=now):
        counts[OUTCOMES.get(fact.status, "facts") if fact else "refused_source_gone"] += 1
    _mark_read(batch.messages, now=now)
    return counts


def check(
    candidates: Sequence[Candidate], batch: Batch, *, people: Mapping[int, str] | None = None
) -> list[Proposal | str]:
    """Return what is to be settled of each, or `refused_<reason>`.

    A candidate that names no message of the batch rests on the one that holds its quote; the guards judge the rest.
    `people` are the names of everybody who was shown, by row number.
    """
    rest = [_rests_on(candidate, batch) for candidate in candidates]
    other_words = [
        _is_paraphrase(candidate, messages, people or {}) for candidate, messages in zip(candidates, rest, strict=True)
    ]
    reasons = [
        _refuse(candidate, messages, batch, people or {}, paraphrased=paraphrased)
        for candidate, messages, paraphrased in zip(candidates, rest, other_words, strict=True)
    ]
    passed = [place for place, reason in enumerate(reasons) if not reason]
    repeated = echoes.echoes([(candidates[place].quote, rest[place]) for place in passed])
    reasons = [reason and f"refused_{reason.replace(' ', '_')}" for reason in reasons]
    for place, is_echo in zip(passed, repeated, strict=True):
        reasons[place] = "refused_echo" if is_echo else None
    return [
        reason or _addressed(candidate, messages, batch, paraphrased=paraphrased)
        for candidate, messages, reason, paraphrased in zip(candidates, rest, reasons, other_words, strict=True)
    ]


def _rests_on(candidate: Candidate, batch: Batch) -> list[Message]:
    messages = [m for m in batch.messages if m.pk in candidate.messages]
    return messages or [m for m in batch.messages if candidate.quote in m.text][:1] or batch.messages[:1]


def _is_paraphrase(candidate: Candidate, messages: Sequence[Message], people: Mapping[int, str]) -> bool:
    """Say if a model's fact is not, or hardly, backed by the words of its messages, but near to them in meaning.

    The rules tell what was said in its own words.
    """
    text, source = sentence(candidate.text), "\n".join(m.text for m in messages)
    by_rules = model_choice.is_offline("fast", own=messages[-1].guild.model_fast)
    if by_rules or (safety.share_said(text, source) >= FEW_WORDS and safety.supported(text, source)):
        return False
    said_on = local(messages[-1].guild, messages[-1].sent_at).date()
    return validation.says_so(text, candidate.quote, source, said_on=said_on, people=people.values())


def _refuse(
    candidate: Candidate, messages: Sequence[Message], batch: Batch, people: Mapping[int, str], *, paraphrased: bool
) -> str | None:
    source, text = "\n".join(m.text for m in messages), sentence(candidate.text)
    reason = validation.refuse(text, candidate.quote, source, kept=batch.guild.kept_kinds)
    reason = None if reason == "ungrounded" and paraphrased else reason
    if reason or candidate.subject is None or any(message.tool_summary for message in messages):
        return reason
    reason = faithfulness.unfaithful(text, candidate.quote, source, said_at=local(batch.guild, messages[-1].sent_at))
    return reason or ("wrong person" if _is_anothers(candidate, messages, people) else None)


def _is_anothers(candidate: Candidate, messages: Sequence[Message], people: Mapping[int, str]) -> bool:
    """Say if the messages tell this of somebody else; who is mentioned, or answered, may be meant by "you"."""
    subject, authors = candidate.subject or 0, {message.author_id for message in messages}
    if subject not in people or (subject not in authors and any(m.mentions or m.reply_to for m in messages)):
        return False
    others = [name for pk, name in people.items() if pk != subject and name != people[subject]]
    source = "\n".join(message.text for message in messages)
    own = [people[subject]]
    return faithfulness.misattributed(candidate.text, source, own=own, others=others, of_author=subject in authors)


def _addressed(candidate: Candidate, messages: list[Message], batch: Batch, *, paraphrased: bool) -> Proposal | str:
    """Return the candidate with the member it is about, or why it is not settled."""
    subject = batch.authors.get(candidate.subject or 0)
    if candidate.subject is not None and (subject is None or subject.is_bot):  # a person of this guild, never a bot
        subject = Member.objects.of(batch.guild).filter(pk=candidate.subject, is_bot=False).first()
        if subject is None:
            return "refused_unknown_subject"
    if subject is not None and not remembers(batch.guild, subject):
        return "refused_opted_out"
    own = subject is None or subject in [message.author for message in messages]
    since, sure = candidate.valid_from, candidate.confidence if own else min(candidate.confidence, TOLD_BY_OTHERS)
    return Proposal(
        guild=batch.guild,
        subject=subject,
        text=sentence(candidate.text),
        kind="lore" if subject is None else candidate.kind,
        confidence=LORE_CONFIDENCE if subject is None else sure,
        explicit=candidate.explicit and own,
        quote=candidate.quote,
        said_at=messages[-1].sent_at,
        channel=batch.channel,
        audience_id=batch.audience_id,
        valid_from=begin_of(batch.guild, since) if since else None,
        messages=messages,
        paraphrased=paraphrased,
    )
