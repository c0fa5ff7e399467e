"""Traces: sent to a collector where one is named, one tree a request or digest, and never a word of what was said."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from memoryhub import checks
from memoryhub.server import tracing
from tests.house.committed import ROOT

SECRET = "I-live-in-Toronto"
TRACED = f"""
import django
from django.conf import settings
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from memoryhub.server import tracing
provider = tracing.start("web")
from django.test import Client
client = Client(HTTP_HOST="localhost")
parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
client.get("/api/v1/guilds/discord:4711/search?q={SECRET}", headers={{"traceparent": parent}})
from memory import pipeline
from tests.incoming import north, say
from django.utils import timezone
say("{SECRET}")
pipeline.digest(north(), now=timezone.now())
from memoryhub.ai import ModelFailed, call_recorder
try:
    with tracing.span("outer"), call_recorder.recording(purpose="note", model="openai:x", guild=None) as spent:
        spent.tokens_in = 12
        raise ModelFailed("timed_out", "{SECRET}")
except ModelFailed:
    pass
provider.shutdown()
"""


@pytest.fixture
def collector():
    """A collector on loopback: its address, and what it was sent."""
    sent: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            sent.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", sent
    server.shutdown()
    server.server_close()


def run(code, tmp_path, **changes):
    environment = {
        **os.environ, "DJANGO_SETTINGS_MODULE": "memoryhub.settings", "MEMORYHUB_DATA_DIR": str(tmp_path),
        "MEMORYHUB_LOG_LEVEL": "ERROR", "MEMORYHUB_EMBEDDING_MODEL": "none", **changes,
    }  # fmt: skip
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def spans_of(sent):
    for body in sent:
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            own = {each.key: each.value.string_value for each in resource.resource.attributes}
            for scope in resource.scope_spans:
                for span in scope.spans:
                    yield own, span


def value(span, key):
    return next((each.value.string_value or each.value.int_value for each in span.attributes if each.key == key), None)


def test_requests_digests_and_questions_to_models_are_traced_and_no_text_is(collector, tmp_path):
    address, sent = collector
    run(TRACED, tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=address, OTEL_SERVICE_NAME="north")
    found = list(spans_of(sent))
    spans = {span.name: span for _, span in found}
    assert {(own["service.name"], own["memoryhub.role"]) for own, _ in found} == {("north", "web")}
    request = spans["GET /api/v1/guilds/<key>/search"]
    assert request.trace_id.hex() == "4bf92f3577b34da6a3ce929d0e0e4736"
    assert request.parent_span_id.hex() == "00f067aa0ba902b7"
    assert value(request, "http.response.status_code") == 401
    assert value(spans["digest"], "memoryhub.outcome") == "done"
    asked = spans["ask note"]
    assert asked.parent_span_id == spans["outer"].span_id
    assert (value(asked, "gen_ai.request.model"), value(asked, "gen_ai.usage.input_tokens")) == ("openai:x", 12)
    assert (value(asked, "error.type"), value(asked, "memoryhub.reason")) == ("ModelFailed", "timed_out")
    assert not any(SECRET.encode() in body or b"4711" in body for body in sent)


def test_without_a_collector_nothing_is_imported_and_nothing_traced(tmp_path):
    code = """
import sys, django
django.setup()
from memoryhub.server import tracing
assert tracing.start("web") is None
with tracing.span("x") as found:
    found["y"] = 1
print([name for name in sys.modules if name.startswith("opentelemetry.sdk")])
"""
    assert run(code, tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT="").strip() == "[]"


def test_a_collector_that_is_away_keeps_the_end_of_a_process_for_seconds_only(tmp_path):
    code = """
import django
django.setup()
from memoryhub.server import tracing
tracing.start("web")
with tracing.span("x"):
    pass
"""
    run(code, tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:1", OTEL_EXPORTER_OTLP_TIMEOUT="1",
        MEMORYHUB_LOG_LEVEL="CRITICAL")  # fmt: skip


def test_traces_that_are_wanted_and_not_installed_are_told(settings, monkeypatch):
    settings.OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:4318"
    assert checks.traces() == []
    monkeypatch.setattr(tracing, "find_spec", lambda _name: None)
    assert [(each.id, each.msg) for each in checks.traces()] == [("memoryhub.W004", tracing.INSTALL)]
    assert tracing.start("web") is None
