"""Calls the JSON API as a bot would: a key of some scope, JSON in and out."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.test import Client

from memoryhub.community.models import Guild
from memoryhub.models import ApiKey
from memoryhub.site import auth

PROBLEM = "application/problem+json"


class Api:
    """A caller with one key."""

    def __init__(self, key: str | None) -> None:
        self.client = Client(raise_request_exception=False)
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}

    def call(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None, **query: Any
    ) -> HttpResponse:
        """Send the request; paths are below /api/v1/guilds/ unless they begin with a slash."""
        address = path if path.startswith("/") else f"/api/v1/guilds/{path}"
        sent = {} if body is None else {"data": body, "content_type": "application/json"}
        return self.client.generic(
            method, address, query_params=query, headers=self.headers | (headers or {}), **_encoded(sent),
            RAW_URI=address,  # as web servers hand on what they were sent
        )  # fmt: skip

    def get(self, path: str, **query: Any) -> HttpResponse:
        return self.call("GET", path, **query)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.call("POST", path, body, headers=headers)

    def patch(self, path: str, body: Any) -> HttpResponse:
        return self.call("PATCH", path, body)

    def put(self, path: str, body: Any) -> HttpResponse:
        return self.call("PUT", path, body)

    def delete(self, path: str) -> HttpResponse:
        return self.call("DELETE", path)


def api_for(guild: Guild | None = None, scope: str = "write") -> Api:
    """Return a caller with a new key for the guild, or for all: the first is named test, later ones are numbered."""
    before = ApiKey.objects.filter(guild=guild, name__startswith="test").count()
    return Api(auth.issue(name=f"test{before or ''}", guild=guild, scope=scope))


def a_message(number: int = 1, text: str = "I moved to Toronto last spring.", **fields: Any) -> dict[str, Any]:
    """Return a message as a bot sends it."""
    return {
        "message_id": f"m-{number}",
        "channel": {"id": "c1", "name": "general"},
        "author": {"id": "u1", "name": "alice", "display_name": "Alice"},
        "text": text,
        "sent_at": "2026-02-23T19:04:00Z",
        **fields,
    }


BODIES: dict[str, dict[str, Any]] = {
    "receive_message": a_message(text="Hello, everybody."),
    "receive_batch": {"messages": [a_message()]},
    "edit_message": {"text": "Hello"},
    "build_context": {"text": "Hello", "members": ["u-1"]},
    "ask_memory": {"text": "Hello", "member": "u-1"},
    "remember_fact": {"lore": True, "text": "The cat rules the channel."},
    "change_fact": {"pinned": True},
    "change_settings": {"member_search": False},
    "decide_on_facts": {"approve": ["1"]},
    "add_entry": {"text": "Rides a unicycle to work"},
    "change_entry": {"text": "Rides a unicycle on Sundays"},
    "set_consent": {"remember": False},
    "set_findable": {"findable": False},
    "block_member": {"blocked": True},
    "add_webhook": {"url": "https://bot.example.org/hook"},
    "set_relationship": {"level": 0.5},
    "put_item": {"namespace": ["memories"], "key": "k", "value": {"text": "Sails on Sundays"}},
    "search_items": {"namespace": []},
    "switch_channel": {"memory_on": True},
    "switch_relationships": {"on": False},
}
"""A body that is accepted, for each route that needs one, by its name."""


def _encoded(sent: dict[str, Any]) -> dict[str, Any]:
    import json

    if "data" in sent and not isinstance(sent["data"], bytes):
        sent["data"] = json.dumps(sent["data"])
    return sent
