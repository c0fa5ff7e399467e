"""Applies a choice about being remembered at once: to what comes, to the graph, to summaries that hold their words."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from notes import summaries
from profiles import consent
from profiles.models import Member


@transaction.atomic
def choose(member: Member, *, remember: bool, actor: str, now: datetime) -> None:
    """Record the choice; somebody who says no leaves the graph, and summaries with their words go and are made anew."""
    consent.choose(member, remember=remember, actor=actor, now=now)
    if not remember:
        summaries.leave_out(member)
