"""Routes of mem0's clients for whom memories are about: users, agents, apps and runs; profiles; erasing them."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Value, When
from django.http import Http404
from django.utils import timezone
from ninja import Body, Router

from memory import erasure
from memory.curation import corrections
from memory.mem0 import selection
from memory.mem0.projects import NotHere
from memory.mem0.schemas import ExportIn
from memory.mem0.selection import guild_of
from memory.models import ClientData, Erasure, Fact
from memoryhub.common.api_scope import Call, PathId, channel_of, one
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import same_guild
from memoryhub.errors import Refused
from notes.models import Message
from profiles.models import ProfileEntry
from profiles.revision.visible_entries import entries_for

router = Router()
Json = dict[str, Any]


@router.get("/v1/entities/")
def list_entities(request: Call, page: int = 1, page_size: int = 100) -> Json:
    """List the members and bots that are known, the apps that clients named, and the direct channels."""
    guild = guild_of(request)
    page, size = max(1, page), min(max(1, page_size), 1_000)
    members, apps, runs = _members(guild), _apps(guild), _runs(guild)
    people = members.aggregate(users=Count("pk", filter=Q(is_bot=False)), agents=Count("pk", filter=Q(is_bot=True)))
    counts = {**people, "apps": apps.count(), "runs": runs.count()}
    count, link = sum(counts.values()), f"{request.path}?page={{}}&page_size={size}"
    start, left = (page - 1) * size, size
    results = list[Json]()
    # One kind after the other: a page begins in the kind that the earlier ones ended in.
    for rows, known in ((members, sum(people.values())), (apps, counts["apps"]), (runs, counts["runs"])):
        if left and start < known:
            found = [_entity(*row) for row in rows[start : start + left]]
            results += found
            left -= len(found)
        start = max(0, start - known)
    return {
        "count": count, "next": link.format(page + 1) if page * size < count else None,
        "previous": link.format(page - 1) if page > 1 else None,
        "results": results, **{f"total_{kind}": number for kind, number in counts.items()},
    }  # fmt: skip


def _members(guild: Guild) -> QuerySet[Member, Any]:
    kind = Case(When(is_bot=True, then=Value("agent")), default=Value("user"))
    rows = Member.objects.of(guild).order_by("pk")
    return rows.values_list("pk", "platform_id", kind, "first_seen_at", "last_seen_at")


def _apps(guild: Guild) -> QuerySet[ClientData, Any]:
    rows = ClientData.objects.of(guild).exclude(app_id="").order_by("app_id")
    return rows.values_list("app_id", "app_id", Value("app")).distinct()


def _runs(guild: Guild) -> QuerySet[Channel, Any]:
    here = {"channel": OuterRef("pk")}
    used = Exists(Message.objects.filter(same_guild(), **here)) | Exists(Fact.objects.filter(same_guild(), **here))
    runs = Channel.objects.of(guild).filter(used, kind=Channel.Kind.DIRECT).order_by("pk")
    return runs.values_list("pk", "platform_id", Value("run"))


def _entity(number: int | str, name: str, kind: str, created: Any = None, updated: Any = None) -> Json:
    return {
        "id": str(number), "name": name, "type": kind, "owner": None, "metadata": {}, "created_at": created,
        "updated_at": updated,
    }  # fmt: skip


# The longer address first: an id may hold a slash.
@router.get("/v2/entities/user/{path:member_id}/profile/")
def show_user_profile(request: Call, member_id: PathId) -> Json:
    """Show what a member is like, section by section: what the whole guild may know."""
    guild = guild_of(request)
    member = one(Member.objects.of(guild).select_related("profile"), "user", platform_id=member_id)
    profile = getattr(member, "profile", None)
    sections: dict[str, list[str]] = {}
    for entry in entries_for(guild, [member], channel=None):
        sections.setdefault(ProfileEntry.Section(entry.section).value, []).append(entry.text)
    return {
        "profile": sections or None, "status": "succeeded" if sections else "insufficient_data", "entity_type": "user",
        "entity_id": member_id, "updated_at": profile.updated_at if profile else None,
        "generation_count": profile.revision if profile else 0,
    }  # fmt: skip


@router.delete("/v2/entities/{kind}/{path:member_id}/")
def erase_entity(request: Call, kind: str, member_id: PathId) -> Json:
    """Erase somebody and all that they said; of a run its channel, of an app the memories that came by it.

    What takes longer than a few seconds goes on in the background.
    """
    guild, now, actor = guild_of(request), timezone.now(), request.auth.actor
    job: Erasure | None = None
    left = 0
    if kind in ("user", "agent"):
        job = erasure.request_erasure(guild, member=member_id, now=now, by=actor)
    elif kind == "run":
        job = erasure.request_erasure(guild, channel=channel_of(guild, member_id), now=now, by=actor)
    elif kind == "app":
        ids = list(selection.to_forget(guild, {"app_id": member_id}).values_list("pk", flat=True))
        left = corrections.forget_all(guild, ids, actor=actor, now=now)
        ClientData.objects.of(guild).filter(app_id=member_id).delete()
    else:
        raise Refused("An entity is a user, an agent, an app or a run.")
    if job is None and kind != "app":
        raise Http404(f"There is no such {kind} in this guild.")
    done = job.finished_at if job else not left
    message = "Entity deleted successfully!" if done else "It is being erased in the background."
    return {"message": message, "event_id": str(job.pk) if job else None}


@router.delete("/v1/entities/{kind}/{path:member_id}/")
def erase_entity_v1(request: Call, kind: str, member_id: PathId) -> Json:
    """Do the same for an older method of the npm client."""
    return erase_entity(request, kind, member_id)


# --- Profiles ----------------------------------------------------------------------------------------------------


@router.get("/v2/profiles/settings/")
def show_profile_settings(request: Call) -> Json:
    """Say how profiles are made: of themselves, in sections of the hub's own."""
    settings = {"schema": None, "custom_instructions": None}
    return {"enabled": guild_of(request).memory_on, "entities": {"user": settings}, "capabilities": {}}


@router.api_operation(["POST", "PUT", "PATCH"], "/v2/profiles/settings/")
def change_profile_settings(request: Call) -> None:
    """Refuse."""
    raise NotHere("profiles")


@router.post("/v1/summary/")
def show_user_summary(request: Call, body: Body[ExportIn]) -> list[Json]:
    """Return the short summary of each member that the filters name."""
    guild = guild_of(request)
    rows = selection.listed(guild, body.wanted, now=timezone.now(), show_expired=True)
    about = rows.order_by().filter(same_guild(), subject=OuterRef("pk"))
    members = Member.objects.of(guild).filter(Exists(about), is_bot=False).select_related("profile", "guild")
    return [
        {"user_id": member.platform_id, "summary": member.profile.summary, "updated_at": member.profile.updated_at}
        for member in members[:100]
        if hasattr(member, "profile")
    ]
