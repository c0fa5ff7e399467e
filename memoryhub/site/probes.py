"""What an orchestrator asks a web process: whether it lives, and whether it is ready to be sent requests."""

from __future__ import annotations

from collections.abc import Callable

from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse

from memoryhub.site.problems import RETRY, unlogged

LIVE, READY = "/health/live", "/health/ready"


class Probes:
    """Answers both by whatever host name, unlogged, before any middleware that could refuse.

    Live: the process answers; nothing else is asked, since no restart mends a database. Ready: the database answers and
    has this release's tables.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.migrated = False  # a migration that was applied stays so

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer 200 or 503 to a probe; everything else goes on."""
        if request.path_info not in (LIVE, READY) or request.method not in ("GET", "HEAD"):
            return self.get_response(request)
        trouble = "" if request.path_info == LIVE else self._trouble()
        answer = JsonResponse({"status": "unavailable" if trouble else "ok"} | ({"detail": trouble} if trouble else {}))
        if trouble:
            answer.status_code = 503
            answer["Retry-After"] = RETRY
            unlogged(answer)
        answer["Cache-Control"] = "no-store"
        return answer

    def _trouble(self) -> str:
        """Return why no request should come here yet, empty where they may."""
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 FROM django_migrations LIMIT 1")
            if not self.migrated:
                executor = MigrationExecutor(connection)
                self.migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
        except (DatabaseError, InterfaceError):
            return "The database does not answer, or was never migrated."
        return "" if self.migrated else "Migrations wait: run manage.py migrate."
