"""Chainable filters over messages, buffers and notes."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from profiles.querysets import AudienceScoped, ChannelScoped, GuildScoped, remembered

if TYPE_CHECKING:
    from notes.models import ChannelBuffer, InteractionNote, Message, Question  # noqa: F401  named in base classes, as text
    from profiles.models import Guild


class MessageQuerySet(ChannelScoped["Message"]):
    """Messages of one guild, within the audience of their channels."""

    def said(self) -> Self:
        """Return people's own words that are still here: neither deleted nor let go by retention."""
        return self.posted().filter(let_go_at=None)

    def posted(self) -> Self:
        """Return what people wrote and did not delete, also where retention let the words go: it still counts."""
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

    def told(self, guild: Guild) -> Self:
        """Return the guild's notes without those that tell of somebody who is not to be remembered."""
        return self.filter(~Exists(self._of_the_left_out(guild)), guild=guild)

    def untold(self, guild: Guild) -> Self:
        """Return the guild's notes that tell of somebody who is not to be remembered."""
        return self.filter(Exists(self._of_the_left_out(guild)), guild=guild)

    def _of_the_left_out(self, guild: Guild) -> QuerySet[Model]:
        links = self.model.participants.through.objects.filter(interactionnote=OuterRef("pk"))
        return links.exclude(remembered(guild, "member__"))


class QuestionQuerySet(GuildScoped["Question"]):
    """Questions of one guild."""

    def unanswered(self) -> Self:
        """Return those that no summary has found answered."""
        return self.filter(answered_at=None)
