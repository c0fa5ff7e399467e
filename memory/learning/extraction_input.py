"""What a model is shown to learn from: a batch, what was said around it, what is known, and who is mentioned."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import F, Window
from django.db.models.functions import RowNumber

from memory.facts.schemas import ExtractionInput, KnownFact
from memory.learning.batches import Batch
from memory.models import Fact
from memoryhub.community.models import Channel, Member
from memoryhub.community.querysets import heard, remembered
from notes.messages.prompt_lines import as_lines
from notes.models import Message

CONTEXT = timedelta(minutes=10)  # what was said just before is shown, to know what "there" means
MOST_CONTEXT = 40
MOST_KNOWN = 80  # facts about the members shown to the model
MOST_KNOWN_A_MEMBER = 40
MOST_MENTIONED = 20


def build(batch: Batch) -> ExtractionInput:
    """Return the batch with what was said around it, what is known of the speakers, and who is mentioned."""
    first, last = batch.messages[0].sent_at, batch.messages[-1].sent_at
    readers = None if batch.audience_id is None else batch.channel
    here = Message.objects.filter(heard(batch.guild, "author"), channel=batch.channel, deleted_at=None, let_go_at=None)
    around = here.heard_in(readers).filter(sent_at__range=(first - CONTEXT, last))
    context = around.exclude(pk__in=batch.ids).select_related("author").order_by("-sent_at", "-pk")[:MOST_CONTEXT]
    return ExtractionInput(
        guild=str(batch.guild),
        lines=as_lines(sorted([*context, *batch.messages], key=lambda m: (m.sent_at, m.pk))),
        learn_from=batch.ids,
        known=_known(batch, readers),
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


def _known(batch: Batch, readers: Channel | None) -> list[KnownFact]:
    """Return what is known about the speakers, the same share for each."""
    share = min(MOST_KNOWN_A_MEMBER, MOST_KNOWN // len(batch.authors))
    turn = Window(RowNumber(), partition_by=F("subject_id"), order_by=["-confidence", "-said_at"])
    rows = Fact.objects.of(batch.guild).active().heard_in(readers).filter(subject__in=batch.authors)
    best = rows.annotate(turn=turn).filter(turn__lte=share).order_by("subject_id", "turn")
    return [KnownFact(id=f.pk, subject=f.subject_id, text=f.text, said_on=f.said_at.date()) for f in best]
