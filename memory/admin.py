"""What we know and what the hub did, in Django's admin; the actions call the verbs that the other doors call too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from memory import corrections, forgetting, pipeline
from memory.changes import FactConflict, NothingToUndo
from memory.models import Action, Erasure, Evidence, Fact, FactChange, JobRun, LeftOut, ModelCall, Snapshot
from memoryhub.access import actor
from memoryhub.desk import RecordAdmin, RowsInside
from notes.admin import MessageRecords, NoteRecords
from notes.models import InteractionNote, Message

Verb = Callable[..., Any]


def _each(door: admin.ModelAdmin[Any], request: HttpRequest, rows: Iterable[Model], verb: Verb) -> None:
    """Call the verb for each row and say how many it did; what can't be done is told, not raised."""
    done, now = 0, timezone.now()
    for row in rows:
        try:
            verb(row, actor=actor(request), now=now)
        except (FactConflict, NothingToUndo) as refusal:
            door.message_user(request, f"{row}: {refusal}", messages.WARNING)
        else:
            done += 1
    door.message_user(request, f"Done: {done}.")


class EvidenceInside(RowsInside):
    """What a fact rests on."""

    model = Evidence
    fields = ("message", "speaker", "quote", "said_at")


class ChangesInside(RowsInside):
    """What happened to a fact."""

    model = FactChange
    fields = ("action", "actor", "at", "before", "undone")


@admin.register(Fact)
class FactAdmin(RecordAdmin[Fact]):
    """Facts with their evidence and history."""

    list_display = ("text", "subject", "guild", "kind", "confidence", "source_type", "status", "said_at")
    list_filter = ("status", "kind", "source_type", "pinned", "possible_conflict", "said_at")
    list_select_related = ("subject", "guild")
    search_fields = ("text", "subject__display_name", "=subject__platform_id")
    raw_id_fields = ("guild", "subject", "channel", "audience", "replaced_by")
    inlines = (EvidenceInside, ChangesInside)
    actions = ("archive", "restore", "undo", "forget")

    @admin.action(description="Archive", permissions=["correct"])
    def archive(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Put the facts aside."""
        _each(self, request, facts.exclude(status=Fact.Status.ARCHIVED), corrections.archive)

    @admin.action(description="Restore", permissions=["correct"])
    def restore(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Believe the facts again."""
        _each(self, request, facts.exclude(status=Fact.Status.ACTIVE), corrections.restore)

    @admin.action(description="Undo the newest change", permissions=["correct"])
    def undo(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Take back what was done last."""
        _each(self, request, facts, corrections.undo)

    @admin.action(description="Forget for good, with evidence and history", permissions=["forget"])
    def forget(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Erase the facts."""
        _each(self, request, facts, forgetting.forget_fact)

    def has_correct_permission(self, request: HttpRequest) -> bool:
        """Let those correct who may change facts."""
        return request.user.has_perm("memory.change_fact")

    def has_forget_permission(self, request: HttpRequest) -> bool:
        """Let those forget who may delete facts."""
        return request.user.has_perm("memory.delete_fact")


@admin.register(InteractionNote)
class NoteAdmin(NoteRecords):
    """Notes, which can be forgotten."""

    actions = ("forget",)

    @admin.action(description="Forget for good", permissions=["forget"])
    def forget(self, request: HttpRequest, notes: QuerySet[InteractionNote]) -> None:
        """Erase the notes."""
        _each(self, request, notes, forgetting.forget_note)

    def has_forget_permission(self, request: HttpRequest) -> bool:
        """Let those forget who may delete notes."""
        return request.user.has_perm("notes.delete_interactionnote")


@admin.register(Message)
class MessageAdmin(MessageRecords):
    """Messages, whose text can be deleted with all that rests on it."""

    actions = ("forget",)

    @admin.action(description="Delete the text, and what was learned from it", permissions=["forget"])
    def forget(self, request: HttpRequest, rows: QuerySet[Message]) -> None:
        """Empty the messages, guild by guild."""
        found = rows.select_related("guild").order_by("guild")
        done = sum(
            pipeline.delete(guild, message_ids=[row.platform_id for row in said], now=timezone.now())
            for guild, said in groupby(found, key=lambda row: row.guild)
        )
        self.message_user(request, f"Done: {done}.")

    def has_forget_permission(self, request: HttpRequest) -> bool:
        """Let those forget who may delete messages."""
        return request.user.has_perm("notes.delete_message")


@admin.register(Evidence)
class EvidenceAdmin(RecordAdmin[Evidence]):
    """What facts rest on."""

    list_display = ("fact", "message", "speaker", "said_at")
    list_filter = ("said_at",)
    list_select_related = ("fact", "message", "speaker")
    search_fields = ("=fact__id", "=message__platform_id", "=speaker__platform_id")
    raw_id_fields = ("fact", "message", "speaker")


@admin.register(FactChange)
class FactChangeAdmin(RecordAdmin[FactChange]):
    """The history of all facts."""

    list_display = ("fact", "action", "actor", "at", "undone")
    list_filter = ("action", "undone", "at")
    list_select_related = ("fact",)
    search_fields = ("=fact__id", "actor", "=batch")
    raw_id_fields = ("fact",)


@admin.register(ModelCall)
class ModelCallAdmin(RecordAdmin[ModelCall]):
    """Calls of models."""

    list_display = ("at", "purpose", "model", "guild", "tokens_in", "tokens_out", "cost_usd", "seconds", "outcome")
    list_filter = ("at",)  # the others would read the whole table to offer their values
    list_select_related = ("guild",)
    search_fields = ("purpose", "model", "outcome", "error_class")
    raw_id_fields = ("guild",)


@admin.register(LeftOut)
class LeftOutAdmin(RecordAdmin[LeftOut]):
    """What was not learned, counted by reason."""

    list_display = ("day", "guild", "kind", "reason", "count")
    list_filter = ("kind", "reason", "day")
    list_select_related = ("guild",)
    search_fields = ("guild__name", "guild__key", "reason")
    raw_id_fields = ("guild",)


@admin.register(JobRun)
class JobRunAdmin(RecordAdmin[JobRun]):
    """Runs of the nightly job."""

    list_display = ("day", "guild", "phase", "status", "counts", "error", "started_at", "finished_at")
    list_filter = ("status", "phase", "day")
    list_select_related = ("guild",)
    search_fields = ("guild__name", "guild__key", "error")
    raw_id_fields = ("guild",)


@admin.register(Action)
class ActionAdmin(RecordAdmin[Action]):
    """The action log."""

    list_display = ("at", "kind", "guild", "actor", "detail")
    list_filter = ("kind", "at")
    list_select_related = ("guild",)
    search_fields = ("kind", "actor")
    raw_id_fields = ("guild",)


@admin.register(Snapshot)
class SnapshotAdmin(RecordAdmin[Snapshot]):
    """Snapshots as they were last rendered."""

    list_display = ("guild", "generated_at", "stale")
    list_filter = ("stale",)
    list_select_related = ("guild",)
    search_fields = ("guild__name", "guild__key")
    raw_id_fields = ("guild",)


@admin.register(Erasure)
class ErasureAdmin(RecordAdmin[Erasure]):
    """Erasures and their receipts."""

    list_display = ("started_at", "kind", "actor", "finished_at")
    list_filter = ("kind", "started_at")
    search_fields = ("id", "actor")
