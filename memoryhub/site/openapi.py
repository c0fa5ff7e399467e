"""The OpenAPI document, completed: ninja knows what a route gives, here is said how each may refuse."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from memoryhub.common.etags import VERSIONED
from memoryhub.site import problems
from memoryhub.site.idempotency import HEADER, LONGEST

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


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """Declare every refusal on every route, and the headers for repeated POSTs and for versions."""
    problem = problems.Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas = document["components"]["schemas"]
    schemas |= problem.pop("$defs", {}) | {"Problem": problem}
    for operations in document["paths"].values():
        for method, operation in operations.items():
            responses = operation["responses"]
            # One object may stand under several methods, so nothing of it is changed in place.
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
    return document


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


def parameters(document: dict[str, Any]) -> dict[tuple[str, str], set[str]]:
    """Return the query parameters that each method of each path knows."""
    return {
        (method.upper(), path): {known["name"] for known in operation["parameters"] if known["in"] == "query"}
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }


def bodiless(document: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the method and the path of each POST under /api/v1 that takes no body."""
    return {
        ("POST", path)
        for path, operations in document["paths"].items()
        if path.startswith("/api/v1/") and "post" in operations and "requestBody" not in operations["post"]
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
