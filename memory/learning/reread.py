"""Puts an edited message in its place: what was said after it, of whom it tells now, is read once more behind it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from memory.facts.proposal import Proposal
from memory.learning.batches import asks_model
from memory.models import Evidence, Fact
from memory.withdrawal import recompute, withdraw
from memoryhub import db
from memoryhub.community.models import Guild, Member
from notes.messages import conversations
from notes.models import Message

Whose = tuple[Member | None, int | None]
"""Whom facts are about, and who may hear them: only such facts are compared with each other."""


def make_way(guild: Guild, proposals: Sequence[Proposal], *, now: datetime) -> QuerySet[Message]:
    """Take back what was learned from later messages where an edited one is read; return what is to be read again.

    So facts come in the order of what was said, as if it had been said so at once. Models ask for no second reading:
    it would cost as much as the first, and make no surer. What persons changed stays.
    """
    first_edited: dict[Whose, Message] = {}
    for proposal in [] if asks_model(guild, "fast", "careful") else proposals:
        for message in proposal.messages:
            whose = (proposal.subject, proposal.audience_id)
            other = first_edited.get(whose, message)
            if message.edited_at and (message.sent_at, message.pk) <= (other.sent_at, other.pk):
                first_edited[whose] = message
    return _take_back(first_edited, guild, now=now) if first_edited else Message.objects.none()


@transaction.atomic
def _take_back(first_edited: dict[Whose, Message], guild: Guild, *, now: datetime) -> QuerySet[Message]:
    """Take back what was said after the edited messages; return what is to be read again."""
    db.lock_guild(guild.pk)
    later: list[Evidence] = []  # what was said afterwards, as far as reading it again makes the same facts
    for (subject, audience), edited in first_edited.items():
        after = Q(message__sent_at__gt=edited.sent_at) | Q(message__sent_at=edited.sent_at, message__gt=edited.pk)
        rows = Evidence.objects.filter(after, fact__guild=guild, fact__subject=subject, fact__audience=audience)
        facts = Fact.objects.filter(pk__in=rows.values("fact"))
        later += rows.filter(fact__in=[fact.pk for fact in facts if recompute.can_reread(fact)])
    messages = Message.objects.filter(pk__in={row.message_id for row in later})
    if later:
        withdraw.withdraw_evidence(Evidence.objects.filter(pk__in=[row.pk for row in later]), now=now)
        conversations.read_again(messages, now=now)
    return messages
