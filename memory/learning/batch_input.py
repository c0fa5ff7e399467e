"""Gathers what is read with a batch: what was said around it, whom it is about, and what is known of these."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from itertools import chain
from operator import attrgetter

from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from memory import rules
from memory.facts.schemas import ExtractionInput, KnownFact
from memory.learning.batches import Batch
from memory.models import Fact
from memoryhub import language
from memoryhub.ai import model_choice
from memoryhub.community.days import day_of
from memoryhub.community.models import Member
from memoryhub.community.querysets import heard, remembered
from notes.messages.prompt_lines import as_lines
from notes.models import Message
from notes.models.messages import MessageQuerySet

CONTEXT = timedelta(minutes=10)  # what was said just before is shown, to know what "there" means
MOST_CONTEXT = 40
MOST_KNOWN = 80  # facts about the members shown to the model
MOST_KNOWN_A_MEMBER = 40
MOST_LORE = 20
MOST_KNOWN_BY_RULES = 120  # of a member: rules read them for what is over, and pay no tokens for it
MOST_MENTIONED = 20
in_order = attrgetter("sent_at", "pk")


def gather(batch: Batch, *, alone: bool = False) -> ExtractionInput:
    """Return the batch with what was said around it, what it answers, what is known of the people, who is mentioned.

    Of each person the same share of facts is shown. A fact may also be about a person who is mentioned or named and did
    not speak here. `alone`: neither what was said around it nor what is known.
    """
    answered = _answered(batch)
    context = {} if alone else {message.pk: message for message in (*_around(batch), *answered)}
    shown = sorted([*context.values(), *batch.messages], key=in_order)
    mentioned = [*_mentioned(batch), *_called_by_name(batch)]
    summarised = dict(_summarised(batch, shown, answered, mentioned))
    subjects = batch.authors.keys() | {member.pk for member in summarised.values()}
    silent = {member.pk: str(member) for member in (*mentioned, *summarised.values()) if member.pk not in batch.authors}
    return ExtractionInput(
        guild=str(batch.guild),
        lines=as_lines(batch.guild, shown),
        learn_from=batch.ids,
        known=[] if alone else _known(batch, subjects),
        kept=batch.guild.kept_kinds,
        mentioned=silent,
        tool_summaries={message: member.pk for message, member in summarised.items()},
    )


def _others(batch: Batch) -> MessageQuerySet:
    """Return the messages of the channel that may be shown beside the batch."""
    here = Message.objects.readable().filter(heard(batch.guild, "author"), channel=batch.channel)
    heard_here = here.heard_in(batch.readers).filter(parked_at=None)
    return heard_here.exclude(pk__in=batch.ids).select_related("author")


def _answered(batch: Batch) -> list[Message]:
    """Return what the batch replies to, however long ago it was said."""
    ids = {message.reply_to for message in batch.messages if message.reply_to}
    return list(_others(batch).filter(platform_id__in=ids)[:MOST_CONTEXT]) if ids else []


def _around(batch: Batch) -> list[Message]:
    """Return what was said shortly before the batch, and in between."""
    first, last = batch.messages[0].sent_at, batch.messages[-1].sent_at
    around = _others(batch).filter(sent_at__range=(first - CONTEXT, last))
    return list(around.order_by("-sent_at", "-pk")[:MOST_CONTEXT])


def _mentioned(batch: Batch) -> list[Member]:
    ids = {platform_id for message in batch.messages for platform_id in message.mentions[:MOST_MENTIONED]}
    people = Member.objects.of(batch.guild).filter(remembered(batch.guild), platform_id__in=ids, is_bot=False)
    return list(people[:MOST_MENTIONED]) if ids else []


def _called_by_name(batch: Batch) -> list[Member]:
    """Return whom the batch names without a mention, for a model: the rules learn of nobody who is only named."""
    if model_choice.is_offline("fast", own=batch.guild.model_fast):
        return []
    names = {name for message in batch.messages for name in language.names(message.text)}
    spelled = {form for name in names for word in (name, *name.split()) for form in (word, word.lower())}
    called = Q(display_name__in=spelled) | Q(name__in=spelled)
    people = Member.objects.of(batch.guild).filter(called, remembered(batch.guild), is_bot=False)
    return list(people[:MOST_MENTIONED]) if spelled else []


def _summarised(
    batch: Batch, shown: Sequence[Message], answered: Sequence[Message], mentioned: Sequence[Member]
) -> Iterator[tuple[int, Member]]:
    """Yield whom each tool's summary is about: whom it answers, else whom it names, else who spoke before it."""
    for message in filter(attrgetter("tool_summary"), batch.messages):
        replies = (other.author for other in (*answered, *batch.messages) if other.platform_id == message.reply_to)
        named = (member for member in mentioned if member.platform_id in message.mentions)
        before = (other.author for other in reversed(shown) if in_order(other) < in_order(message))
        people = (member for member in chain(replies, named, before) if not member.is_bot)
        if (member := next(people, None)) is not None:
            yield message.pk, member


def _known(batch: Batch, subjects: Collection[int]) -> list[KnownFact]:
    """Return what is believed of the subjects, and the community's lore, the surest first.

    Rules look at what is known of whoever says that something is over, and at nothing else of it.
    """
    if by_rules := model_choice.is_offline("fast", own=batch.guild.model_fast):
        subjects = {message.author_id for message in batch.messages if rules.may_end(message.text)}
        if not subjects:
            return []
    share = MOST_KNOWN_BY_RULES if by_rules else min(MOST_KNOWN_A_MEMBER, MOST_KNOWN // max(len(subjects), 1))
    about = Q(subject__in=subjects) if by_rules else Q(subject__in=subjects) | Q(subject=None)
    turn = Window(RowNumber(), partition_by=F("subject_id"), order_by=["-confidence", "-said_at"])
    facts = Fact.objects.of(batch.guild).active().heard_in(batch.readers).filter(about)
    within = facts.annotate(turn=turn).filter(Q(subject__isnull=False) | Q(turn__lte=MOST_LORE), turn__lte=share)
    rows = within.order_by("subject_id", "turn")
    return [
        KnownFact(id=row.pk, subject=row.subject_id, text=row.text, said_on=day_of(batch.guild, row.said_at))
        for row in rows.values_list("pk", "subject_id", "text", "said_at", named=True)
    ]
