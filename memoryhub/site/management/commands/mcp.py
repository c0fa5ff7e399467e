"""Serves models over standard input and output, for a program on this machine: `manage.py mcp`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.http import HttpRequest, HttpResponse
from django.urls import resolve
from django.utils import timezone

from memory.management.database import require_database
from memory.model_context.visits import NotDone, Visit
from memoryhub.db.guild_scope import inside
from memoryhub.site import auth, problems
from memoryhub.site.audit import AuditMiddleware
from memoryhub.site.views import model_context

T = TypeVar("T")
ADDRESS = "/mcp"  # whose rules hold here, too
NO_KEY = (
    "Put a key into MEMORYHUB_MCP_KEY, or a file's path into MEMORYHUB_MCP_KEY_FILE: manage.py create_api_key NAME."
)
BAD_KEY = "The key in MEMORYHUB_MCP_KEY is not known here, or was revoked. manage.py create_api_key NAME makes another."


class Command(BaseCommand):
    """mcp [--guild KEY]."""

    help = "Serve the Model Context Protocol over standard input and output, with the key in MEMORYHUB_MCP_KEY."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the guild."""
        parser.add_argument("--guild", default="", metavar="KEY", help="which guild, where the key is for all of them")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Serve until the other side closes; raises CommandError where the key or the guild is no good."""
        if not settings.MEMORYHUB_MCP_KEY:
            raise CommandError(NO_KEY)
        require_database()
        if auth.verify(settings.MEMORYHUB_MCP_KEY, now=timezone.now()) is None:
            raise CommandError(BAD_KEY)
        try:
            visited(options["guild"], lambda visit: visit.writes)
        except NotDone as refused:
            raise CommandError(str(refused)) from None
        asyncio.run(serve(options["guild"]))


def visited(guild: str, work: Callable[[Visit], T]) -> T:
    """Do a piece of work as a request would: the key is looked up, counted and written down anew. Raises NotDone."""
    request, done = HttpRequest(), list[T]()
    request.method, request.path, request.resolver_match = "POST", ADDRESS, resolve(ADDRESS)
    request.META["HTTP_AUTHORIZATION"] = f"Bearer {settings.MEMORYHUB_MCP_KEY}"

    def answer(request: HttpRequest) -> HttpResponse:
        try:
            visit = model_context.admit(request, guild=guild)
        except problems.EXPECTED as error:
            raise NotDone(model_context.words_of(request, error)) from None
        done.append(model_context.attempt(visit, work))
        return HttpResponse()

    with inside(None):
        AuditMiddleware(answer)(request)
    return done[0]


async def serve(guild: str) -> None:
    """Answer what comes in, by the SDK, until the input ends."""
    from mcp.server.stdio import stdio_server

    from memory.model_context.sdk_server import server_for

    async def door(work: Callable[[Visit], T]) -> T:
        return await sync_to_async(visited)(guild, work)

    server = server_for(door)
    async with stdio_server() as (came, sent):
        await server.run(came, sent, server.create_initialization_options())
