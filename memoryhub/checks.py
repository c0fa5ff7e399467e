"""System checks: what is wrong with the configuration, each with a stable id and what to do."""

from __future__ import annotations

import resource
from ipaddress import ip_network
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register  # noqa: A004
from django.db import DatabaseError, connection

from memoryhub import db
from memoryhub.db import replica
from memoryhub.db.trouble import explain
from memoryhub.server import tracing

CONFIGURATION = "configuration"
"""The tag of what an operator may have set wrong. A process that starts looks at these: Django's import every page."""
FEWEST_FILES = 256  # a web process has a hundred open when it is busy, beside a socket for each caller


@register(CONFIGURATION)
def model_settings(**_: Any) -> list[CheckMessage]:
    """E001: a model setting cannot be used. W001: no embedder, so recall is by words only."""
    from memoryhub.ai import probe

    messages: list[CheckMessage] = []
    for finding in probe.describe():
        if not finding.ok:
            embeddings = finding.name == "embeddings"
            kind, code = (Warning, "W001") if embeddings else (Error, "E001")
            messages.append(kind(f"{finding.name}: {finding.message}", id=f"memoryhub.{code}"))
    return messages


@register(CONFIGURATION)
def vector_extension(**_: Any) -> list[CheckMessage]:
    """E002: the database can't be used. W002: no vector extension, so search is slower, or fails. W005: no replica."""
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        return [Error(explain(error), id="memoryhub.E002")]
    if reason := db.why_unusable():
        return [Error(reason, id="memoryhub.E002")]
    if reason := replica.why_unused():
        return [Warning(f"DATABASE_REPLICA_URL is not read: {reason}", id="memoryhub.W005")]
    if not (reason := db.why_no_vectors()) or not connection.introspection.table_names():
        return []  # an empty database gets the extension with its tables
    return [Warning(f"The vector extension is not loaded: {reason}", id="memoryhub.W002")]


@register(CONFIGURATION)
def traces(**_: Any) -> list[CheckMessage]:
    """W004: traces are wanted, but what sends them is not installed."""
    if not tracing.is_wanted() or tracing.is_installed():
        return []
    return [Warning(tracing.INSTALL, id="memoryhub.W004")]


@register(CONFIGURATION)
def open_files(**_: Any) -> list[CheckMessage]:
    """E007: the system lets a process have so few files open that the hub would fail under the first load."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most == resource.RLIM_INFINITY or most >= FEWEST_FILES:
        return []
    wrong = f"A process may have {most} files and connections open here, and the hub needs {FEWEST_FILES} at least."
    return [Error(wrong, hint="Raise it: `ulimit -n 1024`, or LimitNOFILE= of the unit.", id="memoryhub.E007")]


@register(CONFIGURATION)
def webhook_networks(**_: Any) -> list[CheckMessage]:
    """E006: a network that webhooks may be sent to can't be read."""
    wrong = []
    for each in settings.MEMORYHUB_WEBHOOK_NETWORKS:
        try:
            ip_network(each, strict=False)
        except ValueError:
            wrong.append(each)
    hint = "Write networks as 10.0.0.0/8 or 127.0.0.1/32."
    return [
        Error(f"MEMORYHUB_WEBHOOK_NETWORKS: {each} is no network.", hint=hint, id="memoryhub.E006") for each in wrong
    ]


@register(CONFIGURATION, deploy=True)
def open_to_the_world(**_: Any) -> list[CheckMessage]:
    """W003: DEBUG shows settings and chat to whoever meets an error."""
    if not settings.DEBUG:
        return []
    return [Warning("DEBUG is on.", hint="Set DEBUG=off where others can reach the server.", id="memoryhub.W003")]
