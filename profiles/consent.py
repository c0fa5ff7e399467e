"""Who may be remembered: a member's own choice, else the guild's mode."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from profiles.models import ConsentChoice, Guild, Member


def remembers(guild: Guild, member: Member | None) -> bool:
    """Tell whether what this member says may be stored; somebody never seen has made no choice."""
    if member is not None and member.remember is not None:
        return member.remember
    return guild.consent_mode == Guild.ConsentMode.OPT_OUT


@transaction.atomic
def choose(member: Member, *, remember: bool, actor: str, now: datetime) -> None:
    """Record the choice and apply it at once; what is already stored stays until it is forgotten."""
    ConsentChoice.objects.create(member=member, remember=remember, actor=actor, chosen_at=now)
    member.remember = remember
    member.save(update_fields=["remember"])
