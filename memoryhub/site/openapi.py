"""The OpenAPI document, completed: ninja knows what a route gives, here is said how each may refuse."""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import BODY_CONTENT_TYPES
from ninja.operation import Operation

from memoryhub.common.etags import VERSIONED
from memoryhub.site import problems
from memoryhub.site.idempotency import HEADER, LONGEST

Route = tuple[str, str, Operation]
"""Method, path as the document writes it, and what ninja does there."""
JSON = "application/json"
REFUSAL = {"$ref": "#/components/schemas/Problem"}
IDEMPOTENCY = {
    "in": "header",
    "name": HEADER,
    "required": False,
    "schema": {"type": "string", "maxLength": LONGEST},
    "description": "The same request again with the same key gets the same answer, for 24 hours.",
}

CONDITIONS = {
    "get": ("If-None-Match", "With the ETag of what you have: 304 if it still is so."),
    "patch": ("If-Match", "With the ETag of what you have: 412 if it was changed since."),
    "delete": ("If-Match", "With the ETag of what you have: 412 if it was changed since."),
}
"""By method: the header with which a caller says which version they have seen."""

LINKS = {
    "list_guilds": ("key", "items/0/key", "show_stats list_members list_channels list_facts list_notes"),
    "list_members": ("member_id", "items/0/id", "show_member show_profile list_entries list_relationships"),
    "list_channels": ("channel_id", "items/0/id", "show_channel show_summary switch_channel flush_channel"),
    "list_notes": ("note_id", "items/0/id", "show_note"),
    "list_facts": ("fact_id", "items/0/id", "show_fact show_history"),
    "list_waiting": ("fact_id", "items/0/id", "approve_fact refuse_fact"),
    "list_entries": ("entry_id", "items/0/id", "show_entry change_entry refuse_entry"),
    "receive_message": ("message_id", "id", "show_message show_derived edit_message delete_message"),
    "receive_batch": ("message_id", "results/0/id", "show_message show_derived"),
    "remember_fact": ("fact_id", "id", "show_fact change_fact show_history undo_change forget_fact"),
    "add_entry": ("entry_id", "id", "show_entry change_entry refuse_entry"),
    "erase_member": ("receipt", "receipt", "verify_receipt"),
}
"""By route: the parameter that its answer gives, where it stands there, and the routes that take it."""

TAGS = {
    "messages": "What was said comes in, is edited and deleted. Here a bot begins.",
    "search and context": "What is known, found by a question; and what a bot is handed before it answers.",
    "facts": "Memories one by one: remembered, corrected, approved, forgotten, each with its source and its history.",
    "members and channels": "Who is there, and where.",
    "channels": "The channels, their conversations and their summaries.",
    "notes": "What happened: a note of each conversation that ended.",
    "notes, profiles, summaries": "What happened, and what each member is like, with the messages behind it.",
    "channels, relationships, consent": "Who may be remembered, where memory is on, who interacts with whom.",
    "snapshot and journals": "The readable pages of a guild's memory.",
    "settings": "What holds for one guild.",
    "events": "What changes, as a stream and by webhooks.",
    "agents": "What agents keep for themselves.",
    "work and numbers": "Nightly runs, model calls, the action log, counts.",
    "parked": "What failed five times and needs attention.",
    "health": "How the hub is; needs no key.",
    "kept from the source designs": "Routes of the designs that this hub joins, for bots that know them.",
}
"""The subjects of the routes in the order in which one needs them, each in a sentence."""

NAMES = {
    "key": "The guild, as platform:id.", "member_id": "The member's id on the platform.",
    "other_id": "The other member's id on the platform.", "channel_id": "The channel's id on the platform.",
    "message_id": "The message's id on the platform.", "fact_id": "The memory's id.", "note_id": "The note's id.",
    "entry_id": "The id of the line.", "webhook_id": "The webhook's id.", "erasure_id": "The erasure's id.",
    "day": "A day of the guild, as 2026-02-23.", "cursor": "next_cursor of the page before.",
    "limit": "At most so many.", "status": "Only those of this status.", "kind": "Only those of this kind.",
    "channel": "Only of this channel, by its id on the platform.", "member": "Only of this member, by platform id.",
    "q": "The question, in words.", "receipt": "The receipt as it was handed out.", "from": "From this day on.",
    "purpose": "Only calls for this.", "messages_cursor": "next_cursor of the messages.",
    "buffers_cursor": "next_cursor of the conversations.", "max_depth": "Namespaces cut to so many parts.",
    "offset": "Leave out so many.", "guildId": "The guild's key or its id on the platform.",
    "channelId": "The channel's id on the platform.",
}  # fmt: skip
"""What a parameter of this name is, where its route does not say more."""

EXAMPLES: dict[str, Any] = {
    "receive_message": {
        "message_id": "m1", "channel": {"id": "c1", "name": "general"}, "author": {"id": "u1", "name": "alice"},
        "text": "I live in Toronto now", "sent_at": "2026-03-02T18:00:00Z",
    },
    "receive_batch": {"messages": [{
        "message_id": "m2", "channel": {"id": "c1", "name": "general"}, "author": {"id": "u2", "name": "bob"},
        "text": "Alice is my sister", "sent_at": "2026-03-02T18:01:00Z",
    }]},
    "edit_message": {"text": "I live in Porto now"},
    "ask_memory": {"text": "Where does Alice live?", "channel": "c1", "member": "u1"},
    "build_context": {"text": "Where does Alice live?", "members": ["u1"], "channel": "c1", "max_tokens": 600},
    "remember_fact": {"member": "u1", "text": "Lives in Toronto.", "kind": "profile"},
    "change_fact": {"text": "Lives in Porto.", "pinned": True},
    "decide_on_facts": {"approve": ["1"], "refuse": ["2"]},
    "approve_fact": {"text": "Lives in Porto."},
    "add_entry": {"text": "Plays the cello"},
    "change_entry": {"pinned": True},
    "start_consolidation": {"day": "2026-03-02"},
    "change_settings": {"message_days": 30, "journal_days": 30},
    "block_member": {"blocked": True},
    "add_webhook": {"url": "https://bot.example/memory", "events": ["memory.learned"]},
    "search_items": {"namespace": ["agent", "notes"], "query": "where people live", "limit": 5},
    "put_item": {"namespace": ["agent", "notes"], "key": "n1", "value": {"text": "Alice lives in Porto."}},
    "set_relationship": {"level": 0.8},
    "switch_relationships": {"on": True},
    "set_consent": {"remember": True},
    "set_findable": {"findable": False},
    "switch_channel": {"memory_on": False},
    "write_recap": {"days": 7},
}  # fmt: skip
"""By route: a body that it takes, to be tried on the page of the API."""


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """Declare every refusal on every route, and the headers for repeated POSTs and for versions."""
    problem = problems.Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas = document["components"]["schemas"]
    schemas |= problem.pop("$defs", {}) | {"Problem": problem}
    for operations in document["paths"].values():
        for method, operation in operations.items():
            responses = operation["responses"]
            # One object may stand under several methods, so nothing of it is changed in place.
            operation["parameters"] = [_explained(known) for known in operation["parameters"]]
            _say_what_it_does(operation)
            if method == "post":
                operation["parameters"] = [*operation["parameters"], IDEMPOTENCY]
            if operation["operationId"] in VERSIONED:
                name, text = CONDITIONS[method]
                header = {"in": "header", "name": name, "required": False, "schema": {"type": "string"}}
                operation["parameters"] = [*operation["parameters"], header | {"description": text}]
                status = 304 if method == "get" else 412
                responses[status] = {"description": "Not Modified"} if status == 304 else _refusal(status)
            for status in _refusals(method, operation):
                responses.setdefault(status, _refusal(status))
            operation["responses"] = dict(sorted(responses.items()))
    _link(document)
    used = {tag for routes in document["paths"].values() for each in routes.values() for tag in each.get("tags", ())}
    told = [name for name in TAGS if name in used] + sorted(used - TAGS.keys())
    document["tags"] = [{"name": name, "description": TAGS.get(name, "")} for name in told]
    return document


def _explained(parameter: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter with what it is, where the route says nothing."""
    known = parameter.get("description") or parameter["schema"].get("description")
    text = None if known else NAMES.get(parameter["name"])
    return parameter | {"description": text} if text else parameter


def _say_what_it_does(operation: dict[str, Any]) -> None:
    """Let the first sentence of a route's description stand for it, and its body have an example."""
    first, _, _ = operation["description"].partition("\n")
    operation["summary"] = re.split(r"(?<=[a-z)])[.;:] ", first)[0].rstrip(".")
    body = operation.get("requestBody")
    if body and operation["operationId"] in EXAMPLES:
        content = body["content"][JSON] | {"example": EXAMPLES[operation["operationId"]]}
        operation["requestBody"] = body | {"content": {**body["content"], JSON: content}}


def _link(document: dict[str, Any]) -> None:
    """Say in the answers that name something how to go on to it, so that clients can walk from making to reading."""
    paths = {each["operationId"]: path for path, routes in document["paths"].items() for each in routes.values()}
    for operation in (each for routes in document["paths"].values() for each in routes.values()):
        name = operation["operationId"]
        parameter, place, targets = LINKS.get(name, ("", "", ""))
        links = {}
        for target in targets.split():
            needed = [each for each in re.findall(r"{(\w+)}", paths[target]) if each != parameter]
            known = {each: f"$request.path.{each}" for each in needed}
            links[target] = {"operationId": target, "parameters": {**known, parameter: f"$response.body#/{place}"}}
        for status, response in operation["responses"].items():
            if links and int(status) in (200, 201) and "content" in response:
                operation["responses"][status] = response | {"links": links}


def names_by_method(api: NinjaAPI) -> dict[str, dict[str, str]]:
    """Return, by the name of each address, the routes that answer there by their methods.

    Django knows an address by its first route alone.
    """
    views = [view for _, router in api._routers for view in router.path_operations.values()]
    routes = [
        {method: route.view_func.__name__ for route in view.operations for method in route.methods} for view in views
    ]
    return {next(iter(names.values())): names for names in routes}


def parameters(routes: Iterable[Route]) -> dict[tuple[str, str], set[str]]:
    """Return the query parameters that each method of each path knows."""
    return {
        (method, path): {
            name
            for model in operation.models
            if model.__ninja_param_source__ == "query"
            for name in model.__ninja_flatten_map__
        }
        for method, path, operation in routes
    }


def bodiless(routes: Iterable[Route]) -> set[tuple[str, str]]:
    """Return the method and the path of each POST under /api/v1 that takes no body."""
    return {
        (method, path)
        for method, path, operation in routes
        if method == "POST" and path.startswith("/api/v1/")
        if not any(model.__ninja_param_source__ in BODY_CONTENT_TYPES for model in operation.models)
    }


def _refusal(status: int) -> dict[str, Any]:
    """An address that is too long is refused by the web server, in its own form."""
    form = {} if status == 414 else {"content": {problems.MEDIA_TYPE: {"schema": REFUSAL}}}
    return {"description": HTTPStatus(status).phrase, **form}


def _refusals(method: str, operation: dict[str, Any]) -> set[int]:
    has_body = "requestBody" in operation
    possible = {
        503: True,
        401: "security" in operation,
        429: "security" in operation,
        403: "security" in operation,
        404: "security" in operation,
        414: any(parameter["in"] == "query" for parameter in operation["parameters"]),
        422: "security" in operation or bool(operation["parameters"]),
        409: method in ("post", "patch"),
        400: has_body or method == "post",
        413: has_body or method == "post",
        415: has_body or method == "post",
    }
    return {status for status, holds in possible.items() if holds}
