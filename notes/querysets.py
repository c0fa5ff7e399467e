"""Chainable filters over messages, buffers and notes."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.db.models import Q

from profiles.querysets import AudienceScoped, ChannelScoped, GuildScoped

if TYPE_CHECKING:
    from notes.models import ChannelBuffer, InteractionNote, Message, Question  # noqa: F401  named in base classes, as text


class MessageQuerySet(ChannelScoped["Message"]):
    """Messages of one guild, within the audience of their channels."""

    def said(self) -> Self:
        """Return people's own words that were not deleted."""
        return self.filter(deleted_at=None, author__is_bot=False)

    def unprocessed(self, now: datetime) -> Self:
        """Return what extraction has still to read, oldest first, without what waits or is parked."""
        waiting = Q(next_attempt_at__gt=now)
        learnable = Q(author__is_bot=False) | Q(tool_summary=True)
        rows = self.filter(learnable, deleted_at=None, processed_at=None, parked=False)
        return rows.exclude(waiting).order_by("sent_at", "pk")


class BufferQuerySet(GuildScoped["ChannelBuffer"]):
    """Buffers by where they stand."""

    def due(self, now: datetime) -> Self:
        """Return open buffers that went quiet, grew old or grew full."""
        return self.filter(status="open", due_at__lte=now)

    def claimable(self, now: datetime) -> Self:
        """Return closed buffers that nobody works on and that are not waiting for another try."""
        free = Q(claimed_until=None) | Q(claimed_until__lte=now)
        ready = Q(next_attempt_at=None) | Q(next_attempt_at__lte=now)
        return self.filter(free, ready, status="closed").order_by("closed_at", "pk")


class NoteQuerySet(AudienceScoped["InteractionNote"]):
    """Notes of one guild, within an audience."""


class QuestionQuerySet(GuildScoped["Question"]):
    """Questions of one guild."""

    def unanswered(self) -> Self:
        """Return those that no summary has found answered."""
        return self.filter(answered_at=None)
