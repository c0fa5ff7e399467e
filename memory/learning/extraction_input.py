"""What a model is shown to learn from: a batch, what was said around it, what is known, and who is mentioned."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import F, Window
from django.db.models.functions import RowNumber

from memory.facts.schemas import ExtractionInput, KnownFact
from memory.learning.batches import Batch
from memory.models import Fact
from memoryhub.community.models import Member
from memoryhub.community.querysets import heard, remembered
from notes.messages.prompt_lines import as_lines
from notes.models import Message

CONTEXT = timedelta(minutes=10)  # what was said just before is shown, to know what "there" means
MOST_CONTEXT = 40
MOST_KNOWN = 80  # facts about the members shown to the model
MOST_KNOWN_A_MEMBER = 40
MOST_MENTIONED = 20


def build(batch: Batch) -> ExtractionInput:
    """Return the batch with what was said around it, what is known of the speakers, and who is mentioned.

    Of each speaker the same share of facts is shown. A fact may also be about a person who is mentioned and did not
    speak here.
    """
    guild, readers = batch.guild, None if batch.audience_id is None else batch.channel
    first, last = batch.messages[0].sent_at, batch.messages[-1].sent_at
    here = Message.objects.filter(heard(guild, "author"), channel=batch.channel, deleted_at=None, let_go_at=None)
    around = here.heard_in(readers).filter(sent_at__range=(first - CONTEXT, last))
    context = around.exclude(pk__in=batch.ids).select_related("author").order_by("-sent_at", "-pk")[:MOST_CONTEXT]
    share = min(MOST_KNOWN_A_MEMBER, MOST_KNOWN // len(batch.authors))
    turn = Window(RowNumber(), partition_by=F("subject_id"), order_by=["-confidence", "-said_at"])
    facts = Fact.objects.of(guild).active().heard_in(readers).filter(subject__in=batch.authors)
    known = facts.annotate(turn=turn).filter(turn__lte=share).order_by("subject_id", "turn")
    ids = {platform_id for message in batch.messages for platform_id in message.mentions[:MOST_MENTIONED]}
    people = Member.objects.of(guild).filter(remembered(guild), platform_id__in=ids, is_bot=False)
    mentioned = people.exclude(pk__in=batch.authors)[:MOST_MENTIONED] if ids else []
    return ExtractionInput(
        guild=str(guild),
        lines=as_lines(sorted([*context, *batch.messages], key=lambda m: (m.sent_at, m.pk))),
        learn_from=batch.ids,
        known=[KnownFact(id=f.pk, subject=f.subject_id, text=f.text, said_on=f.said_at.date()) for f in known],
        kept=guild.kept_kinds,
        mentioned={member.pk: str(member) for member in mentioned},
        tool_summaries=[message.pk for message in batch.messages if message.tool_summary],
    )
