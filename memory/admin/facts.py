"""Facts, what they rest on and what happened to them, in Django's admin."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from memory.admin.row_actions import each
from memory.curation import corrections, fact_review
from memory.models import Evidence, Fact, FactChange
from memory.withdrawal import withdraw
from memoryhub.common.admin_base import RecordAdmin, RowsInside

Status = Fact.Status


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

    list_display = ("text", "subject", "guild", "kind", "confidence", "source_type", "status", "junk", "said_at")
    list_filter = ("status", "kind", "source_type", "pinned", "possible_conflict", "said_at")
    list_select_related = ("subject", "guild")
    search_fields = ("text", "subject__display_name", "=subject__platform_id")
    raw_id_fields = ("guild", "subject", "channel", "audience", "replaced_by")
    inlines = (EvidenceInside, ChangesInside)
    actions = ("archive", "restore", "pin", "free", "approve", "refuse", "undo", "forget")

    @admin.action(description="Archive", permissions=["correct"])
    def archive(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Put the facts aside."""
        each(self, request, facts.exclude(status=Status.ARCHIVED), corrections.archive)

    @admin.action(description="Restore", permissions=["correct"])
    def restore(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Believe the facts again."""
        each(self, request, facts.exclude(status=Status.ACTIVE), corrections.restore)

    @admin.action(description="Pin", permissions=["correct"])
    def pin(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Let nothing that is said later end the facts."""
        each(self, request, facts.filter(pinned=False), corrections.correct, pinned=True)

    @admin.action(description="Unpin", permissions=["correct"])
    def free(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Let the facts age and change again."""
        each(self, request, facts.filter(pinned=True), corrections.correct, pinned=False)

    @admin.action(description="Approve what waits for review", permissions=["correct"])
    def approve(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Believe the facts that wait."""
        each(self, request, facts.filter(status=Status.PENDING), fact_review.approve)

    @admin.action(description="Refuse what waits for review", permissions=["correct"])
    def refuse(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Keep the facts that wait away for good."""
        each(self, request, facts.filter(status=Status.PENDING), fact_review.refuse)

    @admin.action(description="Undo the newest change", permissions=["correct"])
    def undo(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Take back what was done last."""
        each(self, request, facts, corrections.undo)

    @admin.action(description="Forget for good, with evidence and history", permissions=["forget"])
    def forget(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Erase the facts."""
        each(self, request, facts, withdraw.forget_fact)


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
