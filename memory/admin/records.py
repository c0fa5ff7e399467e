"""What the hub did, in Django's admin: to read."""

from __future__ import annotations

import django_q.admin  # noqa: F401  it registers the table that is registered anew here
from django.contrib import admin
from django_q.models import Schedule

from memory.models import (
    Action,
    EmbeddedTo,
    Erasure,
    ErasureNeedles,
    JobRun,
    LeftOut,
    ModelCall,
    ModeratorLog,
    Recap,
    RecapLine,
    Snapshot,
    Webhook,
)
from memoryhub.common.admin_base import RecordAdmin

admin.site.unregister(Schedule)


@admin.register(ModelCall)
class ModelCallAdmin(RecordAdmin[ModelCall]):
    """Calls of models."""

    list_display = ("at", "purpose", "model", "guild", "tokens_in", "tokens_out", "cost_usd", "seconds", "outcome")
    list_filter = ("at",)  # the others would read the whole table to offer their values
    search_fields = ("purpose", "model", "outcome", "error_class")


@admin.register(LeftOut)
class LeftOutAdmin(RecordAdmin[LeftOut]):
    """What was not learned, counted by reason."""

    list_display = ("day", "guild", "kind", "reason", "count")
    list_filter = ("kind", "reason", "day")
    search_fields = ("guild__name", "guild__key", "reason")


@admin.register(JobRun)
class JobRunAdmin(RecordAdmin[JobRun]):
    """Runs of the nightly job."""

    list_display = ("day", "guild", "phase", "status", "counts", "last_error", "started_at", "finished_at")
    list_filter = ("status", "phase", "day")
    search_fields = ("guild__name", "guild__key", "last_error")


@admin.register(Action)
class ActionAdmin(RecordAdmin[Action]):
    """The action log."""

    list_display = ("at", "kind", "guild", "actor", "detail")
    list_filter = ("kind", "at")
    search_fields = ("kind", "actor")


@admin.register(Webhook)
class WebhookAdmin(RecordAdmin[Webhook]):
    """Where events are sent to, and how that goes."""

    list_display = ("guild", "url", "kinds", "delivered_at", "attempts", "parked_at", "last_error")
    list_filter = ("parked_at",)
    search_fields = ("guild__key", "url")


@admin.register(Recap)
class RecapAdmin(RecordAdmin[Recap]):
    """Recaps, and how far they came."""

    list_display = ("until", "guild", "every", "status", "actor", "posted_at", "parked_at", "last_error")
    list_filter = ("status", "every")
    search_fields = ("guild__name", "guild__key")


@admin.register(RecapLine)
class RecapLineAdmin(RecordAdmin[RecapLine]):
    """Lines of recaps."""

    list_display = ("recap", "section", "place", "text")
    list_filter = ("section",)
    search_fields = ("text",)


@admin.register(ModeratorLog)
class ModeratorLogAdmin(RecordAdmin[ModeratorLog]):
    """How far moderators were told of the action log."""

    list_display = ("guild", "reached", "tried_at", "attempts", "next_attempt_at", "last_error")
    search_fields = ("guild__name", "guild__key")


@admin.register(Snapshot)
class SnapshotAdmin(RecordAdmin[Snapshot]):
    """Snapshots as they were last rendered."""

    list_display = ("guild", "generated_at", "stale")
    list_filter = ("stale",)
    search_fields = ("guild__name", "guild__key")


@admin.register(Erasure)
class ErasureAdmin(RecordAdmin[Erasure]):
    """Erasures and their receipts."""

    list_display = ("started_at", "kind", "actor", "finished_at")
    list_filter = ("kind", "started_at")
    search_fields = ("id", "actor")


@admin.register(ErasureNeedles)
class ErasureNeedlesAdmin(RecordAdmin[ErasureNeedles]):
    """That something is kept for an open erasure."""

    list_display = ("digest", "part", "kept_at")
    list_filter = ("kept_at",)
    search_fields = ("digest",)


@admin.register(EmbeddedTo)
class EmbeddedToAdmin(RecordAdmin[EmbeddedTo]):
    """Up to where the rows of each guild have embeddings."""

    list_display = ("guild", "kind", "reached", "compared_at", "set_name")
    list_filter = ("kind",)
    search_fields = ("guild__key",)


@admin.register(Schedule)
class ScheduleAdmin(RecordAdmin[Schedule]):
    """When the worker looks for work: the code says so; a row that a person writes could have it call any function."""

    list_display = ("name", "func", "schedule_type", "minutes", "repeats", "next_run")
    list_filter = ("schedule_type",)
    search_fields = ("name", "func")
