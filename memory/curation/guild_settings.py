"""Changes a guild's settings: validated, their consequences carried out, and logged by name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from memory.models import Snapshot
from memory.records import log_posting
from memory.records.action_log import log
from memoryhub import db
from memoryhub.community.models import SENSITIVE, Guild, Member
from memoryhub.errors import Refused
from profiles.relationships import relationship_store

KEEPS = {f"keep_{kind}" for kind in SENSITIVE}

LEFT_TO_CODE = {"id", "key", "name", "kind", "own_bots", "left_at", "rescan", "created_at"}
"""Fields that no person sets here: what the platform or the bot reports, and how far a job came."""
NAMES = tuple(column.name for column in Guild._meta.fields if column.name not in LEFT_TO_CODE)


class SettingsRefused(Refused):
    """Some of the settings are not valid; `errors` says which and why."""

    def __init__(self, refused: ValidationError) -> None:
        super().__init__("Nothing was changed: see which settings can't be so.")
        self.errors = [
            {"field": field, "message": " ".join(texts)} for field, texts in sorted(refused.message_dict.items())
        ]


def guild_model(guild: int, tier: str) -> str:
    """Return the model that the guild chose for a tier, "" for the hub's."""
    field = f"model_{tier}"
    return Guild.objects.filter(pk=guild).values_list(field, flat=True).first() or ""


@transaction.atomic
def change_settings(guild: Guild, settings: Mapping[str, Any], *, actor: str, now: datetime) -> list[str]:
    """Set these fields and return the names of those that changed; raises ValidationError."""
    db.lock_guild(guild.pk)
    guild = Guild.objects.get(pk=guild.pk)
    changed = sorted(name for name, value in settings.items() if getattr(guild, name) != value)
    if not changed:
        return []
    heard = set(guild.heard_bots)
    for name in changed:
        setattr(guild, name, settings[name])
    guild.full_clean(exclude=["key"])
    guild.save(update_fields=changed)
    # Known as bots all along: what they taught stays.
    Member.objects.of(guild).filter(platform_id__in=heard - set(guild.heard_bots)).update(is_bot=True)
    if "relationships_on" in changed:
        relationship_store.switch(guild, on=guild.relationships_on)
    if {"consent_mode", "blocked"} & set(changed):
        from profiles import consent_effects  # it brings pydantic, and this module is imported at every start

        consent_effects.follow_mode(guild, now=now)
        Snapshot.objects.filter(guild=guild).update(stale=True)
    if any(not getattr(guild, name) for name in KEEPS & set(changed)):
        from memory.withdrawal import sensitive_rescan

        sensitive_rescan.start_rescan(guild)
    if "log_channel" in changed:
        log_posting.follow(guild)
    log("settings", guild=guild, actor=actor, now=now, changed=changed)
    if "log_channel" in changed and guild.log_channel:
        log("log_channel", guild=guild, actor=actor, now=now)
    if "memory_on" in changed:
        log("memory_switch", guild=guild, actor=actor, now=now, on=guild.memory_on)
    return changed


def change_by_api(guild: Guild, settings: Mapping[str, Any], *, actor: str, now: datetime) -> list[str]:
    """Do the same for a caller without a form; raises SettingsRefused."""
    try:
        return change_settings(guild, settings, actor=actor, now=now)
    except ValidationError as refused:
        raise SettingsRefused(refused) from None


@transaction.atomic
def block(guild: Guild, *, platform_id: str, blocked: bool, actor: str, now: datetime) -> None:
    """Stop storing and using anything of this account, or allow it again; it need never have spoken."""
    db.lock_guild(guild.pk)
    from profiles import consent_effects

    consent_effects.block(guild, platform_id=platform_id, blocked=blocked, now=now)
    Snapshot.objects.filter(guild=guild).update(stale=True)
    log("member_blocked" if blocked else "member_unblocked", guild=guild, actor=actor, now=now, member=platform_id)
