"""JSON routes: a guild's settings, read and changed as on their page."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from ninja import Router

from memory.api.schemas.settings import GuildSettings, SettingsPatch, given, shown
from memory.curation import guild_settings
from memoryhub.common.api_scope import Call

router = Router(tags=["settings"])


@router.get("/guilds/{key}/settings", response=GuildSettings)
def show_settings(request: Call, key: str) -> dict[str, Any]:
    """Show what is remembered here, when and by whom, how long and at what cost."""
    return shown(request.auth.guild(key))


@router.patch("/guilds/{key}/settings", response=GuildSettings)
def change_settings(request: Call, key: str, body: SettingsPatch) -> dict[str, Any]:  # type: ignore[valid-type]
    """Change some of them; in force at once, and written down by name. Needs scope admin."""
    guild = request.auth.guild(key)
    guild_settings.change_by_api(guild, given(body), actor=request.auth.actor, now=timezone.now())
    guild.refresh_from_db()
    return shown(guild)
