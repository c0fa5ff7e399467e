"""Guilds, channels, members and their profiles in Django's admin, with what can be done about them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from memory import pipeline
from memory.admin.row_actions import by_guild, count_action, row_action
from memory.curation import entries, guild_settings
from memory.curation.channel_switch import switch_channels
from memory.jobs import profile_rebuilds
from memory.records import snapshots
from memoryhub.common.admin_base import RecordAdmin, RowsInside
from memoryhub.common.permissions import actor
from memoryhub.community.models import Channel, ConsentChoice, Guild, Member
from profiles import consent_effects
from profiles.models import Profile, ProfileEntry, Relationship
from profiles.relationships import relationship_store


@admin.register(Guild)
class GuildAdmin(RecordAdmin[Guild]):
    """Guilds: their settings can be changed, with all that a change brings."""

    list_display = ("name", "key", "kind", "memory_on", "consent_mode", "extraction_mode", "created_at")
    list_display_links = ("name", "key")
    list_filter = ("kind", "memory_on", "consent_mode", "extraction_mode")
    search_fields = ("name", "key")
    settable = (
        "name", "time_zone", "memory_on", "consent_mode", "extraction_mode", "relationships_on", "quiet_minutes",
        "summary_messages", "summary_minutes", "summary_profile_hours", "heard_bots", "own_bots", "blocked",
        "addressed_only", "heeds_no_entry", "hears_nsfw", "hears_private_threads", "hears_proxies", "off_categories",
        "leaving_days", "replies_on", "reply_channels", "reply_seconds", "member_search",
        "recap", "recap_as", "recap_channel", "log_channel", "daily_tokens", "daily_usd", "review_all",
        "review_above", "member_hourly", "model_fast", "model_careful", "model_reply", "keep_health",
        "keep_finances", "strictness", "facts_a_member", "lore_facts", "stale_days", "message_days", "facts_outlive",
        "journal_days", "archive_days", "call_days", "action_days",
    )  # fmt: skip
    actions = ("refresh",)

    refresh = row_action(
        "Render the snapshot anew",
        lambda guild, *, actor, now: snapshots.current_snapshot(guild, now=now, refresh=True),
    )

    def save_model(self, request: HttpRequest, obj: Guild, form: Any, change: bool) -> None:  # noqa: FBT001  Django's
        """Change the settings as the settings page does."""
        changed = {name: form.cleaned_data[name] for name in form.changed_data}
        guild_settings.change_settings(obj, changed, actor=actor(request), now=timezone.now())


@admin.register(Channel)
class ChannelAdmin(RecordAdmin[Channel]):
    """Channels: their memory can be switched off, and their conversation ended."""

    list_display = ("__str__", "guild", "kind", "audience", "memory_on", "parent")
    list_filter = ("kind", "audience", "memory_on")
    search_fields = ("name", "platform_id")
    settable = ("memory_on",)
    actions = ("flush",)

    flush = count_action(
        "End the open conversation",
        lambda rows, *, now, **_: sum(pipeline.flush(row, now=now) for row in rows.select_related("guild")),
    )

    def save_model(self, request: HttpRequest, obj: Channel, form: Any, change: bool) -> None:  # noqa: FBT001  Django's
        """Switch the memory of the channel."""
        switch_channels(obj.guild, [obj], on=obj.memory_on, actor=actor(request), now=timezone.now())


def _with_guild(members: QuerySet[Member]) -> QuerySet[Member]:
    return members.select_related("guild")


class ConsentInside(RowsInside):
    """A member's choices."""

    model = ConsentChoice


@admin.register(Member)
class MemberAdmin(RecordAdmin[Member]):
    """Members: whether they are remembered; erasing one has a page of its own, with a receipt."""

    list_display = ("__str__", "guild", "platform_id", "is_bot", "remember", "findable", "last_seen_at")
    list_filter = ("is_bot", "remember", "findable")
    search_fields = ("display_name", "name", "platform_id")
    inlines = (ConsentInside,)
    actions = ("remember", "do_not_remember", "rebuild")

    remember = row_action("Remember, as they asked", consent_effects.choose, of=_with_guild, remember=True)
    do_not_remember = row_action(
        "Do not remember, as they asked", consent_effects.choose, of=_with_guild, remember=False
    )

    rebuild = count_action(
        "Have the profile rebuilt",
        lambda rows, **_: sum(profile_rebuilds.mark_dirty(guild, members=some) for guild, some in by_guild(rows)),
    )


class EntryInside(RowsInside):
    """The lines of a profile."""

    model = ProfileEntry
    fk_name = "profile"
    fields = ("section", "text", "status", "pinned", "written_by", "audience", "created_at")


@admin.register(Profile)
class ProfileAdmin(RecordAdmin[Profile]):
    """Profiles, which can be rebuilt."""

    list_display = ("member", "dirty", "outdated", "attempts", "updated_at")
    list_filter = ("dirty", "outdated")
    search_fields = ("member__display_name", "member__platform_id")
    inlines = (EntryInside,)
    actions = ("rebuild",)

    rebuild = count_action(
        "Have it rebuilt",
        lambda rows, **_: sum(
            profile_rebuilds.mark_dirty(row.member.guild, members=[row.member])
            for row in rows.select_related("member__guild")
        ),
    )


def _with_guilds(rows: QuerySet[ProfileEntry]) -> QuerySet[ProfileEntry]:
    return rows.select_related("audience", "profile__member__guild")


@admin.register(ProfileEntry)
class ProfileEntryAdmin(RecordAdmin[ProfileEntry]):
    """Lines of profiles: what persons may do to them."""

    list_display = ("text", "section", "profile", "status", "pinned", "written_by", "audience", "created_at")
    list_filter = ("section", "status", "pinned", "written_by")
    list_select_related = ("profile__member", "audience")
    search_fields = ("text",)
    actions = ("pin", "free", "refuse", "restore")

    pin = row_action("Pin", entries.pin_entry, of=lambda rows: _with_guilds(rows).filter(pinned=False), pinned=True)
    free = row_action("Unpin", entries.pin_entry, of=lambda rows: _with_guilds(rows).filter(pinned=True), pinned=False)
    refuse = row_action(
        "Refuse: it is not so", entries.refuse_entry,
        of=lambda rows: _with_guilds(rows).exclude(status=ProfileEntry.Status.REFUSED),
    )  # fmt: skip
    restore = row_action(
        "Bring a refused line back", entries.restore_entry,
        of=lambda rows: _with_guilds(rows).filter(status=ProfileEntry.Status.REFUSED),
    )  # fmt: skip


@admin.register(Relationship)
class RelationshipAdmin(RecordAdmin[Relationship]):
    """What operators said of two members, which can be taken back."""

    list_display = ("first", "second", "level", "actor", "set_at")
    search_fields = ("first__display_name", "second__display_name", "actor")
    actions = ("clear",)

    clear = count_action(
        "Take it back: what is counted stands again",
        lambda rows, **_: sum(relationship_store.clear_level(pair.first, pair.second) for pair in rows),
    )
