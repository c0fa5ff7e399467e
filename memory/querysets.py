"""Chainable filters over facts: guild, audience, subject, validity in time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.db.models import Q

from profiles.querysets import AudienceScoped

if TYPE_CHECKING:
    from memory.models import Fact  # noqa: F401  named in the base class, as text
    from profiles.models import Member


class FactQuerySet(AudienceScoped["Fact"]):
    """Facts of one guild, within an audience."""

    def active(self) -> Self:
        """Return what is believed now."""
        return self.filter(status="active")

    def about(self, member: Member | None) -> Self:
        """Return a member's facts, or the guild's lore for None."""
        return self.filter(subject=member)

    def believed_at(self, moment: datetime) -> Self:
        """Return what was true at a moment by what is known today."""
        started = Q(valid_from=None) | Q(valid_from__lte=moment)
        lasted = Q(valid_until=None) | Q(valid_until__gt=moment)
        return self.filter(started, lasted, status__in=["active", "superseded"], said_at__lte=moment)
