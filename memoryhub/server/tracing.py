"""Traces by OpenTelemetry, where a collector is named: requests, tasks, digests, questions to models; never any text.

The libraries are an extra (`make setup TRACES=1`) and are imported only where OTEL_EXPORTER_OTLP_ENDPOINT is set; they
read the other names of the standard (OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER, OTEL_EXPORTER_OTLP_HEADERS) themselves.
The provider is our own and not the process's: what other libraries would tell of a prompt goes nowhere.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from django.conf import settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

logger = logging.getLogger(__name__)
INSTALL = "OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: run `make setup TRACES=1`."
_tracers: list[Tracer] = []  # one, once `start` was called and a collector is named


def is_wanted() -> bool:
    """Tell whether the settings name a collector."""
    return bool(settings.OTEL_EXPORTER_OTLP_ENDPOINT or settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)


def is_installed() -> bool:
    """Tell whether the libraries are there."""
    return find_spec("opentelemetry") is not None and find_spec("opentelemetry.exporter") is not None


def start(role: str) -> TracerProvider | None:
    """Trace this process and its forks from now on, as a part of the hub: web, worker or bot."""
    if not is_wanted() or _tracers:
        return None
    if not is_installed():
        logger.warning(INSTALL)
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = settings.OTEL_SERVICE_NAME or "memoryhub"
    own = {SERVICE_NAME: name, SERVICE_VERSION: settings.VERSION, "memoryhub.role": role}
    provider = TracerProvider(resource=Resource.create(own))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=settings.OTEL_EXPORTER_OTLP_TIMEOUT)))
    _tracers.append(provider.get_tracer("memoryhub", settings.VERSION))
    return provider


@contextmanager
def span(
    name: str, attributes: Mapping[str, Any] | None = None, *, headers: Mapping[str, str] | None = None
) -> Iterator[dict[str, Any]]:
    """Trace the block under a name; what is put into the dict that it gets are attributes: ids, counts and kinds only.

    `headers` of a request may name the span that it belongs to. A key `name` renames the span, `failed` marks it.
    """
    if not _tracers:
        yield {}
        return
    from opentelemetry.trace import SpanKind, StatusCode
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    kind, parent = SpanKind.INTERNAL, None
    if headers is not None:
        carrier = {key.lower(): value for key, value in headers.items() if key.lower() in ("traceparent", "tracestate")}
        kind, parent = SpanKind.SERVER, TraceContextTextMapPropagator().extract(carrier)
    found: dict[str, Any] = dict(attributes or {})
    with _tracers[0].start_as_current_span(
        name, parent, kind=kind, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield found
        except BaseException as error:
            found["failed"] = type(error).__name__  # its words may quote a message
            raise
        finally:
            current.update_name(found.pop("name", name))
            if failed := found.pop("failed", ""):
                current.set_status(StatusCode.ERROR)
                found["error.type"] = failed
            current.set_attributes(found)
