"""What `/metrics` tells, to whom, and that a real parser reads it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from memory.records import action_log
from memoryhub.ai.call_recorder import Call
from memoryhub.models import AuditEntry
from memoryhub.site import auth, metrics
from notes.models import ChannelBuffer
from tests.factories import make_guild
from tests.incoming import say

pytestmark = pytest.mark.django_db
AWAY = {"REMOTE_ADDR": "203.0.113.7"}


@pytest.fixture(autouse=True)
def _shares_nothing(monkeypatch) -> None:
    """Have this process tell its own counts: a test that loaded the web server's start may have named a folder."""
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)


def read(client=None, **extra):
    answer = (client or Client()).get("/metrics", **extra)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=")
    return samples(answer.content.decode())


def samples(text):
    """Return the values by name and labels."""
    families = text_string_to_metric_families(text)
    return {(each.name, *sorted(each.labels.values())): each.value for family in families for each in family.samples}


def names_nobody(told):
    """Say that no label has the number of the guild or page asked for; a value may have its digits by chance."""
    return not [key for key in told if any("4711" in part for part in key)]


def grown(before, after, *key):
    return after[key] - before.get(key, 0.0)


def test_a_request_is_counted_by_its_template_and_names_nobody(client):
    key = auth.issue(name="bot", guild=make_guild("discord:4711"), scope="read")
    before = read()
    client.get("/api/v1/guilds/discord:4711/stats", headers={"authorization": f"Bearer {key}"})
    after = read()
    assert grown(before, after, "memoryhub_requests_total", "/api/v1/guilds/<key>/stats", "200", "GET") == 1
    assert grown(before, after, "memoryhub_request_seconds_count", "/api/v1/guilds/<key>/stats") == 1
    assert names_nobody(after)


def test_an_address_that_no_page_has_adds_no_label_of_its_own(client):
    before = read()
    client.get("/nothing/here/4711")
    after = read()
    assert grown(before, after, "memoryhub_requests_total", "404", "GET", "none") == 1
    assert names_nobody(after)


def test_the_pages_of_the_admin_are_counted_as_one(client):
    before = read()
    client.get("/admin/memory/fact/12/change/")
    assert grown(before, read(), "memoryhub_requests_total", "/admin/", "302", "GET") == 1


def test_a_refused_request_is_counted_by_its_status(client):
    before = read()
    client.get("/api/v1/guilds/discord:1/stats")
    assert grown(before, read(), "memoryhub_requests_total", "/api/v1/guilds/<key>/stats", "401", "GET") == 1


def test_messages_are_counted_by_what_became_of_them():
    before = read()
    for text in ("hello there", " ", "and good bye"):
        say(text)
    after = read()
    assert grown(before, after, "memoryhub_messages_total", "", "stored") == 2
    assert grown(before, after, "memoryhub_messages_total", "empty", "ignored") == 1


def test_a_question_to_a_model_is_counted_with_its_tokens_and_its_cost():
    before = read()
    action_log.record_call(
        Call(
            purpose="note", model="openai:x", guild=None, tokens_in=10, tokens_out=3, cost_usd=Decimal("0.25"),
            seconds=1.5, outcome="failed", error_class="timed_out",
        )
    )  # fmt: skip
    after = read()
    assert grown(before, after, "memoryhub_model_seconds_sum", "failed", "note", "openai:x", "timed_out") == 1.5
    assert grown(before, after, "memoryhub_model_tokens_total", "in", "note", "openai:x") == 10
    assert grown(before, after, "memoryhub_model_cost_usd_total", "note", "openai:x") == 0.25


def test_what_waits_is_told_by_its_kind_with_the_age_of_the_oldest():
    now = timezone.now()
    for text in ("I live in Toronto", "and I sail"):
        say(text)
    closed = {"status": "closed", "closed_at": now - timedelta(minutes=7)}
    ChannelBuffer.objects.update(**closed)
    told = samples(metrics.exposition(now=now).decode())
    assert told["memoryhub_waiting", "message"] == 2
    assert told["memoryhub_waiting", "conversation"] == 1
    assert told["memoryhub_waiting_oldest_seconds", "conversation"] == pytest.approx(420)
    assert told["memoryhub_waiting", "erasure"] == told["memoryhub_waiting_oldest_seconds", "erasure"] == 0
    assert told["memoryhub_database_up",] == 1


def test_a_database_that_is_away_is_told_as_such(monkeypatch):
    def away(_self):
        raise OperationalError("unable to open database file")

    monkeypatch.setattr(metrics._Collected, "_waiting", away)
    told = samples(metrics.exposition(now=timezone.now()).decode())
    assert told["memoryhub_database_up",] == 0
    assert not [key for key in told if key[0] == "memoryhub_waiting"]


class TestWhoMayRead:
    """This machine, a key for everything, and who has the token."""

    def test_a_stranger_may_not(self):
        refused = Client().get("/metrics", **AWAY)
        assert refused.status_code == 403
        assert refused["Content-Type"] == "application/problem+json"
        assert "a key with scope admin that is for all guilds" in refused.json()["detail"]

    @pytest.mark.parametrize("header", ["x-forwarded-for", "x-real-ip", "forwarded", "via"])
    @pytest.mark.parametrize("declared", [0, 1])
    def test_a_visitor_whom_a_proxy_on_this_machine_brings_may_not(self, header, declared, settings):
        settings.MEMORYHUB_PROXIES = declared
        assert Client().get("/metrics", headers={header: "127.0.0.1"}).status_code == 403

    def test_the_machine_itself_may_by_either_kind_of_address(self):
        assert {Client().get("/metrics", REMOTE_ADDR=each).status_code for each in ("127.0.0.1", "::1")} == {200}

    def test_a_key_for_everything_may(self):
        key = auth.issue(name="prometheus", guild=None, scope="admin")
        read(headers={"authorization": f"Bearer {key}"}, **AWAY)
        assert not AuditEntry.objects.exists()

    @pytest.mark.parametrize(("scope", "bound"), [("read", False), ("write", False), ("admin", True)])
    def test_a_lesser_key_may_not(self, scope, bound):
        key = auth.issue(name="bot", guild=make_guild("discord:1") if bound else None, scope=scope)
        assert Client().get("/metrics", headers={"authorization": f"Bearer {key}"}, **AWAY).status_code == 403

    def test_the_machine_itself_may_whatever_key_it_sends(self):
        key = auth.issue(name="bot", guild=make_guild("discord:1"), scope="admin")
        read(headers={"authorization": f"Bearer {key}"})

    def test_the_token_opens_metrics_and_nothing_else(self, settings):
        settings.MEMORYHUB_METRICS_TOKEN = "scrape-me"
        sent = {"authorization": "Bearer scrape-me"}
        read(headers=sent, **AWAY)
        assert Client().get("/api/v1/guilds", headers=sent).status_code == 401

    def test_a_wrong_token_does_not(self, settings):
        settings.MEMORYHUB_METRICS_TOKEN = "scrape-me"
        for sent in ("Bearer scrape-you", "Bearer ", "Basic scrape-me"):
            assert Client().get("/metrics", headers={"authorization": sent}, **AWAY).status_code == 403
