"""One message among its neighbours in the channel, and all that was derived from it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from memory.facts.lineage import derived_from
from memoryhub.common.permissions import visible
from notes.models import Message

NEIGHBOURS = 6


@require_safe
def message(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the message, what was said around it, and what rests on it."""
    rows = visible(Message.objects.select_related("guild", "channel", "author"), request.user)
    row = get_object_or_404(rows, pk=pk)
    around = Message.objects.filter(channel=row.channel).select_related("author", "guild")
    before = around.filter(sent_at__lte=row.sent_at).exclude(pk=pk).order_by("-sent_at", "-pk")[:NEIGHBOURS]
    after = around.filter(sent_at__gt=row.sent_at).order_by("sent_at", "pk")[:NEIGHBOURS]
    context = {"message": row, "before": list(before)[::-1], "after": after, "derived": derived_from(row)}
    return render(request, "memory/message.html", context)
