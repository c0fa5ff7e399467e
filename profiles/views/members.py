"""The page of who is known: the members of the guilds that the visitor sees."""

from __future__ import annotations

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memoryhub import db
from memoryhub.common import address
from memoryhub.common.htmx import newest, render_either
from memoryhub.common.permissions import asked_guild, visible
from memoryhub.community.consent import remembers
from memoryhub.community.models import Member
from memoryhub.community.querysets import name_holds

MAX_NAME = 100  # characters of a name that are searched for
COUNTED = 1000  # beyond, the page says "over"
ORDERS = {"seen": "last_seen_at"}
"""By what the address asks for; else the newest come first."""


@require_safe
@db.on_replica
def members(request: HttpRequest) -> HttpResponse:
    """Show the members or those whose name holds the words: the newest first, or who was seen last."""
    guild = asked_guild(request)
    name = address.words(request.GET, "q", most=MAX_NAME)
    rows = visible(Member.objects.select_related("guild", "profile"), request.user, guild)
    if name:
        rows = rows.filter(name_holds(name) | Q(platform_id=name))
    order = request.GET.get("order", "")
    page = newest(rows, before=request.GET.get("before", ""), by=ORDERS.get(order, ""))
    kinds = list(rows.order_by().values_list("is_bot", flat=True)[: COUNTED + 1])
    context = {
        "members": page.items,
        "told": {row.pk for row in page.items if remembers(row.guild, row)},
        "next": page.next,
        "name": name,
        "order": order,
        "count": kinds.count(False),
        "bots": kinds.count(True),
        "guild": guild,
    }
    return render_either(request, "profiles/members.html", "profiles/_members.html", context)
