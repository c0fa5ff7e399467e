"""The audit log: who looked at whose memory and who changed what, to read and to filter."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memoryhub.common.htmx import newest, number, render_either
from memoryhub.common.permissions import guilds_for, is_operator, named_guild, role_of, sees_everything
from memoryhub.community.models import Guild, Member
from memoryhub.models import AuditEntry, Role


@require_safe
@login_required
def audit(request: HttpRequest) -> HttpResponse:
    """Show the entries of the guilds that the visitor sees; operators see those of no guild, too."""
    role = role_of(request.user)
    if not is_operator(request.user) and not (role and role.kind == Role.Kind.AUDITOR):
        raise PermissionDenied("The audit log is for operators and auditors.")
    guild = named_guild(request.user, request.GET.get("guild", ""))
    rows = _matching(_seen(request, guild), request)
    page = newest(rows, before=request.GET.get("before", ""))
    context = {
        "entries": _with_names(page.items),
        "next": page.next,
        "guild": guild,
        "guilds": guilds_for(request.user),
        "verbs": AuditEntry.Verb.choices,
        "verb": request.GET.get("verb", ""),
        "who": request.GET.get("who", "")[:100],
    }
    return render_either(request, "memoryhub/audit.html", "memoryhub/_audit.html", context)


def _seen(request: HttpRequest, guild: Guild | None) -> QuerySet[AuditEntry]:
    rows = AuditEntry.objects.all()
    if guild is not None:
        return rows.filter(guild_id=guild.pk)
    return rows if sees_everything(request.user) else rows.filter(guild_id__in=guilds_for(request.user).values("pk"))


def _matching(rows: QuerySet[AuditEntry], request: HttpRequest) -> QuerySet[AuditEntry]:
    verb, who, member = request.GET.get("verb", ""), request.GET.get("who", ""), number(request.GET.get("member"))
    rows = rows.filter(verb=verb) if verb in AuditEntry.Verb.values else rows
    rows = rows.filter(actor__icontains=who.replace("\0", "")[:100]) if who else rows
    return rows.filter(member_id=member) if member else rows


def _with_names(entries: list[AuditEntry]) -> list[tuple[AuditEntry, Guild | None, Member | None]]:
    """Put the guild and the member of today beside the ids; what is gone has no name."""
    guilds = Guild.objects.in_bulk({entry.guild_id for entry in entries if entry.guild_id})
    members = Member.objects.in_bulk({entry.member_id for entry in entries if entry.member_id})
    return [(each, guilds.get(each.guild_id or 0), members.get(each.member_id or 0)) for each in entries]
