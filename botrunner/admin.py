"""What the bot has still to read, in Django's admin."""

from __future__ import annotations

from django.contrib import admin

from botrunner.models import Backfill, BotProcess, Gap, Heard, SeenChannels, Shard
from memoryhub.common.admin_base import RecordAdmin


@admin.register(Gap)
class GapAdmin(RecordAdmin[Gap]):
    """Channels of which the bot may have missed something."""

    list_display = ("guild", "channel_id", "after")
    search_fields = ("=channel_id", "=guild__key")


@admin.register(SeenChannels)
class SeenChannelsAdmin(RecordAdmin[SeenChannels]):
    """Which channels each guild had when the bot saw it last."""

    list_display = ("guild", "__str__")
    search_fields = ("=guild__key",)


@admin.register(Heard)
class HeardAdmin(RecordAdmin[Heard]):
    """How far each shard has heard everything."""

    list_display = ("shard", "of", "until")
    search_fields = ("=shard",)


@admin.register(Shard)
class ShardAdmin(RecordAdmin[Shard]):
    """Which process runs which shard."""

    list_display = ("number", "of", "claimed_by", "claimed_until", "identified_at")
    search_fields = ("=number", "claimed_by")


@admin.register(BotProcess)
class BotProcessAdmin(RecordAdmin[BotProcess]):
    """The processes that share the shards."""

    list_display = ("name", "seen_at")
    search_fields = ("name",)


@admin.register(Backfill)
class BackfillAdmin(RecordAdmin[Backfill]):
    """How far the history of channels has been read."""

    list_display = ("guild", "channel_id", "status", "read", "expected", "failed", "asked_at", "ended_at")
    list_filter = ("status",)
    search_fields = ("=channel_id", "=guild__key")
