"""Chainable filters over facts: guild, audience, subject, validity in time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.apps import apps
from django.db.models import OuterRef, Q, Subquery
from django.db.models.fields.json import KeyTextTransform

from profiles.querysets import AudienceScoped

if TYPE_CHECKING:
    from memory.models import Fact  # noqa: F401  named in the base class, as text
    from profiles.models import Member


ASIDE = ("archived", "pending", "refused")
RESCAN = "rescan"  # who put away what is not kept any more: looking back does not show it either


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
        put_aside = (
            apps.get_model("memory", "FactChange")
            .objects.filter(action="archive", undone=False, at__gt=moment, before__status="active")
            .exclude(actor=RESCAN)
        )
        put_aside_later = Q(status="archived", pk__in=put_aside.values("fact"))
        stood = Q(status_then=None) | ~Q(status_then__in=ASIDE)
        rows = self.annotate(status_then=_before("status", moment))
        return rows.filter(stood, started, goes_on | ended_later | put_aside_later, said_at__lte=moment)

    def worded_at(self, moment: datetime) -> Self:
        """Add the words as they were at a moment, as `text_then`: None where they are the same."""
        return self.annotate(text_then=_before("text", moment))


def _before(name: str, moment: datetime) -> Subquery:
    """Return what a fact was at a moment, where it was changed since: the first later change tells what was before."""
    changes = apps.get_model("memory", "FactChange").objects.filter(fact=OuterRef("pk"), at__gt=moment)
    first = changes.filter(before__has_key="status").order_by("at", "pk")
    return Subquery(first.values(**{f"{name}_then": KeyTextTransform(name, "before")})[:1])
