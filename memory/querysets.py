"""Chainable filters over facts: guild, audience, subject, validity in time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.apps import apps
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
        """Return what was believed true at a moment: said by then, begun, and not yet ended or put aside by then.

        An end counts from when what ended the fact was said: before that, nobody knew of it.
        """
        started = Q(valid_from=None) | Q(valid_from__lte=moment)
        goes_on = Q(status="active") & (Q(valid_until=None) | Q(valid_until__gt=moment))
        ended_later = Q(status="superseded") & (Q(valid_until__gt=moment) | Q(replaced_by__said_at__gt=moment))
        put_aside = apps.get_model("memory", "FactChange").objects.filter(
            action="archive", undone=False, at__gt=moment, before__status="active"
        )
        put_aside_later = Q(status="archived", pk__in=put_aside.values("fact"))
        return self.filter(started, goes_on | ended_later | put_aside_later, said_at__lte=moment)
