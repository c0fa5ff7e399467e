"""Routes of mem0's clients for who they are, and for what the hub has no counterpart of: that is said plainly."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Router
from ninja.errors import HttpError

from memory.mem0.selection import guild_of
from memoryhub.common.api_scope import Call

router = Router()
ORGANIZATION = "memoryhub"
PROJECT = "/api/v1/orgs/organizations/{org_id}/projects/{project_id}/"
CHANGES = ["POST", "PUT", "PATCH", "DELETE"]
ANYTHING = ["GET", *CHANGES]
NOT_HERE = {
    "projects": "A project is a guild of the hub, and its settings are changed in the hub: PATCH /api/v1/guilds/KEY/"
    "settings, or on the dashboard; who works with it, on the page /people/. Nothing was changed.",
    "webhooks": "The hub has no webhooks for mem0's clients. Nothing was changed.",
    "profiles": "Profiles are revised by themselves when a talk ends, in sections of the hub's own: there is nothing "
    "to start or to set. Nothing was changed.",
    "server": "This is set up in the hub, not by clients. Nothing was changed.",
    "reset": "No one call erases a whole guild: erase its users, agents and runs one by one. Nothing was changed.",
}


class NotHere(HttpError):
    """The hub does not do this; the words say what to do instead."""

    def __init__(self, what: str) -> None:
        super().__init__(501, NOT_HERE[what])


@router.get("/v1/ping/")
def ping(request: Call) -> dict[str, Any]:
    """Say who is asking: a client takes the guild for its project."""
    guild = guild_of(request)
    return {"status": "ok", "org_id": ORGANIZATION, "project_id": str(guild.pk), "user_email": None}


@router.get(PROJECT)
def show_project(request: Call, org_id: str, project_id: str) -> dict[str, Any]:
    """Show the guild as a project: its instructions and categories are the hub's own."""
    guild = guild_of(request)
    return {
        "id": str(guild.pk), "name": str(guild), "description": guild.key, "custom_instructions": None,
        "custom_categories": None, "multilingual": True, "enable_graph": False, "created_at": guild.created_at,
    }  # fmt: skip


@router.api_operation(CHANGES, PROJECT)
def change_project(request: HttpRequest, org_id: str, project_id: str) -> None:
    """Refuse."""
    raise NotHere("projects")


def _refuse(what: str, methods: list[str], *paths: str) -> None:
    """Have these addresses answer that the hub does not do this; the rest of one may follow as `{path:rest}`."""

    def refused(request: HttpRequest) -> None:
        raise NotHere(what)

    def refused_below(request: HttpRequest, rest: str) -> None:
        raise NotHere(what)

    for path in paths:
        router.add_api_operation(path, methods, refused_below if "{" in path else refused)


_refuse("projects", ANYTHING, "/api/v1/orgs/{path:rest}")
_refuse("webhooks", ANYTHING, "/api/v1/webhooks/{path:rest}")
_refuse("profiles", ANYTHING, "/v2/profiles/jobs/", "/v2/profiles/jobs/{path:rest}")
_refuse("server", ANYTHING, "/configure", "/configure/{path:rest}", "/api-keys", "/api-keys/{path:rest}")
_refuse("server", ANYTHING, "/auth/{path:rest}", "/requests", "/requests/{path:rest}")
_refuse("reset", ANYTHING, "/reset")
