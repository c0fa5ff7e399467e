"""Facts, what they rest on and what happened to them, in Django's admin."""

from __future__ import annotations

import time
from collections import defaultdict

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from memory.admin.row_actions import row_action
from memory.curation import corrections, fact_review
from memory.models import AgentItem, ClientData, Contradiction, Evidence, Fact, FactChange
from memoryhub.common.admin_base import RecordAdmin, RowsInside
from memoryhub.common.permissions import actor
from memoryhub.community.models import Guild

Status = Fact.Status


class EvidenceInside(RowsInside):
    """What a fact rests on."""

    model = Evidence
    fields = ("message", "speaker", "quote", "said_at")


class ChangesInside(RowsInside):
    """What happened to a fact."""

    model = FactChange
    fields = ("action", "actor", "at", "before", "undone")


def _waiting(facts: QuerySet[Fact]) -> QuerySet[Fact]:
    return facts.filter(status=Status.PENDING)


@admin.register(Fact)
class FactAdmin(RecordAdmin[Fact]):
    """Facts with their evidence and history."""

    list_display = ("text", "subject", "guild", "kind", "confidence", "source_type", "status", "junk", "said_at")
    list_filter = ("status", "kind", "source_type", "pinned", "possible_conflict", "said_at")
    search_fields = ("text", "subject__display_name", "=subject__platform_id")
    inlines = (EvidenceInside, ChangesInside)
    actions = ("archive", "restore", "pin", "free", "approve", "refuse", "undo", "forget")

    archive = row_action("Archive", corrections.archive, of=lambda facts: facts.exclude(status=Status.ARCHIVED))
    restore = row_action("Restore", corrections.restore, of=lambda facts: facts.exclude(status=Status.ACTIVE))
    pin = row_action("Pin", corrections.correct, of=lambda facts: facts.filter(pinned=False), pinned=True)
    free = row_action("Unpin", corrections.correct, of=lambda facts: facts.filter(pinned=True), pinned=False)
    approve = row_action("Approve what waits for review", fact_review.approve, of=_waiting)
    refuse = row_action("Refuse what waits for review", fact_review.refuse, of=_waiting)
    undo = row_action("Undo the newest change", corrections.undo)

    @admin.action(description="Forget for good, with evidence and history", permissions=["forget"])
    def forget(self, request: HttpRequest, facts: QuerySet[Fact]) -> None:
        """Forget all that are chosen, in the background what takes longer than somebody waits."""
        chosen, left, stop = defaultdict[int, list[int]](list), 0, time.monotonic() + corrections.PATIENCE
        for place, pk in facts.order_by("guild", "pk").values_list("guild", "pk"):
            chosen[place].append(pk)
        for guild in Guild.objects.filter(pk__in=chosen):
            seconds = stop - time.monotonic()
            left += corrections.forget_all(
                guild, chosen[guild.pk], actor=actor(request), now=timezone.now(), seconds=seconds
            )
        done = sum(map(len, chosen.values())) - left
        later = f" The worker forgets the other {left:,}: load this list anew to see what is left." if left else ""
        self.message_user(request, f"Done: {done:,}.{later}")


@admin.register(Evidence)
class EvidenceAdmin(RecordAdmin[Evidence]):
    """What facts rest on."""

    list_display = ("fact", "message", "speaker", "said_at")
    list_filter = ("said_at",)
    search_fields = ("=fact__id", "=message__platform_id", "=speaker__platform_id")


@admin.register(FactChange)
class FactChangeAdmin(RecordAdmin[FactChange]):
    """The history of all facts."""

    list_display = ("fact", "action", "actor", "at", "undone")
    list_filter = ("action", "undone", "at")
    search_fields = ("=fact__id", "actor", "=batch")


@admin.register(Contradiction)
class ContradictionAdmin(RecordAdmin[Contradiction]):
    """Facts that perhaps contradict each other."""

    list_display = ("newer", "older", "guild", "settled")
    search_fields = ("=newer__id", "=older__id")


@admin.register(ClientData)
class ClientDataAdmin(RecordAdmin[ClientData]):
    """What clients of mem0 handed over with words."""

    list_display = ("fact", "message", "guild", "agent_id", "app_id", "categories", "expires_on", "at")
    list_filter = ("at",)
    search_fields = ("=fact__id", "=message__platform_id", "=event")


@admin.register(AgentItem)
class AgentItemAdmin(RecordAdmin[AgentItem]):
    """What agents keep for themselves."""

    list_display = ("namespace", "key", "guild", "updated_at")
    list_filter = ("updated_at",)
    search_fields = ("namespace", "=key")
    exclude = ("vector",)
