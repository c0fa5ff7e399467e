"""Guilds, channels, members and their profiles in Django's admin, with what can be done about them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from memory import pipeline
from memory.admin.row_actions import row_action
from memory.curation import entries, guild_settings
from memory.jobs import profile_rebuilds
from memory.records import snapshots
from memoryhub.admin import ChannelRecords, GuildRecords, MemberRecords
from memoryhub.common.permissions import actor
from memoryhub.community import identity
from memoryhub.community.models import Channel, Guild, Member
from profiles import consent_effects
from profiles.admin import ProfileEntryRecords, ProfileRecords, RelationshipRecords
from profiles.models import Profile, ProfileEntry, Relationship
from profiles.relationships import relationship_store


@admin.register(Guild)
class GuildAdmin(GuildRecords):
    """Guilds: their settings can be changed, with all that a change brings."""

    actions = ("refresh",)

    def save_model(self, request: HttpRequest, obj: Guild, form: Any, change: bool) -> None:  # noqa: FBT001  Django's
        """Change the settings as the settings page does."""
        changed = {name: form.cleaned_data[name] for name in form.changed_data}
        guild_settings.change_settings(obj, changed, actor=actor(request), now=timezone.now())

    @admin.action(description="Render the snapshot anew", permissions=["correct"])
    def refresh(self, request: HttpRequest, guilds: QuerySet[Guild]) -> None:
        """Render the snapshots."""
        for guild in guilds:
            snapshots.current_snapshot(guild, now=timezone.now(), refresh=True)
        self.message_user(request, f"Done: {len(guilds)}.")


@admin.register(Channel)
class ChannelAdmin(ChannelRecords):
    """Channels: their memory can be switched off, and their conversation ended."""

    actions = ("flush",)

    def save_model(self, request: HttpRequest, obj: Channel, form: Any, change: bool) -> None:  # noqa: FBT001  Django's
        """Switch the memory of the channel."""
        identity.switch_channel(obj, on=obj.memory_on)

    @admin.action(description="End the open conversation", permissions=["correct"])
    def flush(self, request: HttpRequest, channels: QuerySet[Channel]) -> None:
        """Have the conversations digested next."""
        done = sum(pipeline.flush(channel, now=timezone.now()) for channel in channels.select_related("guild"))
        self.message_user(request, f"Done: {done}.")


def _with_guild(members: QuerySet[Member]) -> QuerySet[Member]:
    return members.select_related("guild")


@admin.register(Member)
class MemberAdmin(MemberRecords):
    """Members: whether they are remembered; erasing one has a page of its own, with a receipt."""

    actions = ("remember", "do_not_remember", "rebuild")

    remember = row_action("Remember, as they asked", consent_effects.choose, of=_with_guild, remember=True)
    do_not_remember = row_action(
        "Do not remember, as they asked", consent_effects.choose, of=_with_guild, remember=False
    )

    @admin.action(description="Have the profile rebuilt", permissions=["correct"])
    def rebuild(self, request: HttpRequest, members: QuerySet[Member]) -> None:
        """Have the profiles written anew by the worker."""
        people = list(members.select_related("guild"))
        guilds = {person.guild for person in people}
        done = sum(
            profile_rebuilds.mark_dirty(guild, members=[person for person in people if person.guild == guild])
            for guild in guilds
        )
        self.message_user(request, f"Done: {done}.")


@admin.register(Profile)
class ProfileAdmin(ProfileRecords):
    """Profiles, which can be rebuilt."""

    actions = ("rebuild",)

    @admin.action(description="Have it rebuilt", permissions=["correct"])
    def rebuild(self, request: HttpRequest, profiles: QuerySet[Profile]) -> None:
        """Have the profiles written anew by the worker."""
        done = sum(
            profile_rebuilds.mark_dirty(profile.member.guild, members=[profile.member])
            for profile in profiles.select_related("member__guild")
        )
        self.message_user(request, f"Done: {done}.")


def _with_guilds(rows: QuerySet[ProfileEntry]) -> QuerySet[ProfileEntry]:
    return rows.select_related("audience", "profile__member__guild")


@admin.register(ProfileEntry)
class ProfileEntryAdmin(ProfileEntryRecords):
    """Lines of profiles: what persons may do to them."""

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
class RelationshipAdmin(RelationshipRecords):
    """What operators said of two members, which can be taken back."""

    actions = ("clear",)

    @admin.action(description="Take it back: what is counted stands again", permissions=["correct"])
    def clear(self, request: HttpRequest, pairs: QuerySet[Relationship]) -> None:
        """Clear the levels."""
        done = sum(relationship_store.clear_level(pair.first, pair.second) for pair in pairs)
        self.message_user(request, f"Done: {done}.", messages.SUCCESS)
