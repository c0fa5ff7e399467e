"""The OpenAPI document, completed: ninja knows what a route gives, here is said how each may refuse."""

from __future__ import annotations

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
    return document


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
