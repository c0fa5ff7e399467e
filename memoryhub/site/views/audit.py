"""The audit log: who looked at whose memory and who changed what, to read and to filter."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from memoryhub.common import address
from memoryhub.common.csv_files import MOST_LINES, between, csv_file
from memoryhub.common.htmx import newest, render_either
from memoryhub.common.permissions import asked_guild, guilds_for, is_operator, role_of, sees_everything
from memoryhub.community.models import Guild, Member
from memoryhub.models import AuditEntry, Role
from memoryhub.site.views.audit_words import in_words, who

LINKED = {
    "fact": "fact", "pin-fact": "fact", "change-fact": "fact", "settle-fact": "fact", "correct-fact": "fact",
    "reword-fact": "fact",
    "message": "message", "note": "note", "channel": "channel", "switch-channel": "channel", "entry": "entry",
}  # fmt: skip
"""By the name of a page: the page that shows the row it was about."""


@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """Show the entries of the guilds that the visitor sees; operators see those of no guild, too."""
    role = role_of(request.user)
    if not is_operator(request.user) and not (role and role.kind == Role.Kind.AUDITOR):
        raise PermissionDenied("The audit log is for operators and auditors.")
    guild = asked_guild(request)
    rows = AuditEntry.objects.all()
    if guild is not None:
        rows = rows.filter(guild_id=guild.pk)
    elif not sees_everything(request.user):
        rows = rows.filter(guild_id__in=guilds_for(request.user).values("pk"))
    verb, by = request.GET.get("verb", AuditEntry.Verb.CHANGED), address.words(request.GET, "who", most=100)
    if verb in AuditEntry.Verb.values:
        rows = rows.filter(verb=verb)
    if by:
        rows = rows.filter(actor__icontains=by)
    if member := address.number(request.GET.get("member")):
        rows = rows.filter(member_id=member)
    rows, first, last = between(rows, request)
    if "csv" in request.GET:
        return csv_file("audit.csv", ("at", "who", "did", "in words", "what", "row", "guild", "member"), (
            (row.at.isoformat(), row.actor, row.verb, in_words(row), row.what, row.row, row.guild_id, row.member_id)
            for row in rows.order_by("-pk")[:MOST_LINES]
        ))  # fmt: skip
    page = newest(rows, before=request.GET.get("before", ""))
    # The guild and the member of today stand beside the ids; what is gone has no name.
    names = Guild.objects.in_bulk({entry.guild_id for entry in page.items if entry.guild_id})
    members = Member.objects.in_bulk({entry.member_id for entry in page.items if entry.member_id})
    context = {
        "entries": [_told(row, names.get(row.guild_id or 0), members.get(row.member_id or 0)) for row in page.items],
        "next": page.next,
        "guild": guild,
        "verbs": AuditEntry.Verb.choices,
        "verb": verb,
        "who": by,
        "first": first,
        "last": last,
    }
    return render_either(request, "memoryhub/audit.html", "memoryhub/_audit.html", context)


def _told(row: AuditEntry, guild: Guild | None, member: Member | None) -> dict[str, Any]:
    """Return an entry as the page shows it; what is there to look at has a link."""
    name, kind = who(row.actor)
    link = LINKED.get(row.what, "") if row.row.isdigit() else ""
    path = reverse(link, args=[int(row.row)]) if link else ""
    return {
        "row": row,
        "guild": guild,
        "member": member,
        "words": in_words(row),
        "name": name,
        "kind": kind,
        "path": path,
    }
