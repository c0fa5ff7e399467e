"""`/metrics` as Prometheus reads it: what the processes of this host counted, and what waits in the database."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import Error
from django.db.models import Count, Min, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django_q.models import OrmQ
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector

from memory.models import Erasure
from memoryhub.models import ApiKey
from memoryhub.server import instruments, tracing
from memoryhub.site import problems
from memoryhub.site.auth import key_in
from notes.models import ChannelBuffer, Message
from profiles.models import Profile

COUNTED = 10_000  # rows of a kind that wait; more of them are told as so many, since a scrape must be cheap
ADMIN = "/admin/"
NONE = "none"  # the route of an address that no page has
PROXIED = {"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"}
"""Headers of what a proxy on this machine brings, declared or not."""
REFUSED = (
    "Metrics are told to this machine, to a key with scope admin that is for all guilds, and to who sends "
    "MEMORYHUB_METRICS_TOKEN."
)


class RequestMetrics:
    """Counts and traces each answer by the template of its route; the first middleware: it sees what others answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, and count the time since the request had come whole."""
        with tracing.span(str(request.method), headers=request.headers) as span:
            response = self._answer(request)
            route = request.resolver_match.route if request.resolver_match else ""
            span |= {
                "name": f"{request.method} /{route}",
                "http.request.method": request.method,
                "http.route": f"/{route}",
            }
            span |= {"http.response.status_code": response.status_code}
            span |= {"failed": str(response.status_code)} if response.status_code >= 500 else {}
            return response

    def _answer(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - started + getattr(request, "scope", {}).get("memoryhub.waited", 0.0)
        match, counted = request.resolver_match, instruments.counted()
        # The admin has more pages than all the rest, and each route is a dozen lines of every scrape.
        route = NONE if match is None else ADMIN if "admin" in match.namespaces else "/" + match.route
        counted.requests.labels(str(request.method), route, str(response.status_code)).inc()
        counted.request_seconds.labels(route).observe(seconds)
        return response


@login_not_required
@require_safe
def show_metrics(request: HttpRequest) -> HttpResponse:
    """Answer with the metrics, if the caller may see them."""
    if not _may_read(request):
        return problems.problem(403, REFUSED)
    return HttpResponse(exposition(now=timezone.now()), content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    """Tell whether the caller sends the token or a key for everything, or sits on this machine, behind no proxy."""
    scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        token = settings.MEMORYHUB_METRICS_TOKEN
        if token and hmac.compare_digest(sent.strip().encode(errors="replace"), token.encode()):
            return True
        key = key_in(request)
        if key is not None and key.scope == ApiKey.Scope.ADMIN and key.guild_id is None:
            return True
    try:
        here = ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
    return here and not PROXIED & request.headers.keys()


def exposition(*, now: datetime) -> bytes:
    """Return all metrics of this host and of the database, in the text format."""
    own = CollectorRegistry()
    own.register(_Collected(now))
    return generate_latest(instruments.registry()) + generate_latest(own)


class _Collected:
    """What is looked up when it is asked for: the queues of the database, and the processes of this host."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics; a database that is away is told as such, and the rest all the same."""
        yield InfoMetricFamily("memoryhub_build", "What runs here.", {"version": settings.VERSION})
        up = GaugeMetricFamily("memoryhub_database_up", "1 where the database answers.")
        try:
            families = list(self._waiting())
        except Error:
            families = []
        up.add_metric([], float(bool(families)))
        yield from (up, *families, *_processes())

    def _waiting(self) -> Iterator[Metric]:
        depth = GaugeMetricFamily(
            "memoryhub_waiting", f"Rows that wait to be worked on, counted up to {COUNTED}.", labels=["kind"]
        )
        oldest = GaugeMetricFamily(
            "memoryhub_waiting_oldest_seconds",
            "How long the oldest of them waits.",
            labels=["kind"],
        )
        parked = GaugeMetricFamily(
            "memoryhub_parked", f"Rows given up after too many failures, counted up to {COUNTED}.", labels=["kind"]
        )
        closed = ChannelBuffer.objects.filter(status=ChannelBuffer.Status.CLOSED)
        unread = Message.objects.filter(processed_at=None, deleted_at=None)
        queues: dict[str, tuple[QuerySet[Any], str]] = {
            "conversation": (closed.order_by("due_at"), "closed_at"),
            "message": (unread.filter(parked_at=None).order_by("sent_at"), "received_at"),
            "profile": (Profile.objects.filter(dirty=True, parked_at=None).order_by("pk"), "updated_at"),
            "erasure": (Erasure.objects.filter(finished_at=None).order_by("started_at"), "started_at"),
            "task": (OrmQ.objects.filter(lock__lte=self.now).order_by("lock"), "lock"),  # Redis keeps its own
        }
        for kind, (rows, since) in queues.items():
            found = rows[:COUNTED].aggregate(count=Count("pk"), since=Min(since))
            depth.add_metric([kind], found["count"])
            lag = (self.now - found["since"]).total_seconds() if found["since"] else 0.0
            oldest.add_metric([kind], max(0.0, lag))
        given_up: dict[str, QuerySet[Any]] = {
            "conversation": ChannelBuffer.objects.filter(status=ChannelBuffer.Status.PARKED),
            "message": unread.filter(parked_at__isnull=False),
            "profile": Profile.objects.filter(dirty=True, parked_at__isnull=False),
        }
        for kind, rows in given_up.items():
            parked.add_metric([kind], rows[:COUNTED].count())
        yield from (depth, oldest, parked)


def _processes() -> Iterator[Metric]:
    """Yield what each process of the hub on this machine takes, by its role."""
    families: dict[str, GaugeMetricFamily] = {}
    for number, role, pid in instruments.processes():
        for metric in ProcessCollector(pid=lambda pid=pid: pid, registry=None).collect():  # type: ignore[misc]
            name = f"memoryhub_{metric.name}"
            family = families.setdefault(name, GaugeMetricFamily(name, metric.documentation, labels=["role", "slot"]))
            for sample in metric.samples:
                family.add_metric([role, number], sample.value)
    yield from families.values()
