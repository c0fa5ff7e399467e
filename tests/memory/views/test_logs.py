"""The pages of model calls and actions."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.models import LeftOut, ModelCall
from memory.records import skipped
from memory.records.action_log import log
from memoryhub.models import Role
from tests.factories import NOON, make_guild

pytestmark = pytest.mark.django_db


def make_call(guild=None, **fields):
    given = {"purpose": "extraction", "model": "openai:small", "tokens_in": 1200, "tokens_out": 30, "outcome": "ok"}
    return ModelCall.objects.create(guild=guild, **{**given, **fields})


def test_calls_are_summed_and_listed(olga):
    make_call(make_guild(), cost_usd="0.25"), make_call(outcome="failed", error_class="timeout")
    page = olga.get(reverse("model-calls"))
    assert page.context["sums"]["tokens_in"] == 2400
    assert "timeout" in page.content.decode()


def test_calls_are_narrowed_by_outcome(olga):
    make_call(), make_call(outcome="failed")
    calls = olga.get(reverse("model-calls"), {"outcome": "failed"}).context["calls"]
    assert [call.outcome for call in calls] == ["failed"]


def test_calls_are_narrowed_to_days_and_handed_out_as_a_file(olga):
    make_call(make_guild(name="=cmd()"), cost_usd="0.25"), make_call(model="openai:large")
    ModelCall.objects.filter(model="openai:large").update(at=NOON)
    calls = olga.get(reverse("model-calls"), {"from": "2026-03-02", "to": "2026-03-02"}).context["calls"]
    assert [call.model for call in calls] == ["openai:large"]
    assert "With fewer filters" in olga.get(reverse("model-calls"), {"from": "2999-01-01"}).content.decode()
    file = olga.get(reverse("model-calls"), {"csv": "1", "outcome": "ok", "to": "nonsense"}).content.decode()
    assert len(file.splitlines()) == 3
    assert "'=cmd()" in file
    assert "0.25" in file


def test_actions_are_told_in_words(olga):
    log("memory_fact", guild=make_guild(), now=timezone.now(), counts={"facts": 2})
    assert "Read a conversation: 2 memories learned" in olga.get(reverse("actions")).content.decode()


def test_what_was_left_out_is_told_by_reason(olga):
    reasons = {"instruction": 3}
    skipped.add_counts(make_guild(), kind=LeftOut.Kind.CANDIDATE, reasons=reasons, now=timezone.now())
    page = olga.get(reverse("actions")).content.decode()
    assert "Refused: instruction" in page


@pytest.mark.parametrize("page", ["model-calls", "actions"])
def test_a_moderator_reads_of_their_guilds_only(page):
    north, south = make_guild("discord:1"), make_guild("discord:2")
    for guild in (north, south, None):
        make_call(guild, purpose=f"for-{guild.pk if guild else 'nobody'}")
        log(f"did_{guild.pk if guild else 'nobody'}", guild=guild, now=timezone.now())
    mona = User.objects.create_user("mona")
    Role.objects.create(user=mona, kind=Role.Kind.MODERATOR).guilds.add(north)
    visitor = Client()
    visitor.force_login(mona)
    shown = visitor.get(reverse(page)).context
    rows = shown["calls"] if page == "model-calls" else shown["actions"]
    assert [row.guild for row in rows] == [north]


@pytest.mark.parametrize("page", ["model-calls", "actions"])
@pytest.mark.parametrize("value", ["\0", "x" * 5000, "🦊", "' OR 1=1"])
def test_an_odd_filter_finds_nothing(olga, page, value):
    make_call()
    answer = olga.get(reverse(page), {"purpose": value, "kind": value, "before": value})
    assert answer.status_code == 200


def test_the_log_is_narrowed_to_days_and_handed_out_as_a_file(olga):
    log("settings", guild=make_guild(name="=cmd()"), actor="operator:olga", now=timezone.now(), changed=["keep_health"])
    file = olga.get(reverse("actions"), {"csv": "1"}).content.decode()
    assert "Changed settings: keep health" in file
    assert "'=cmd()" in file
    assert olga.get(reverse("actions"), {"from": "2999-01-01"}).context["actions"] == []
    assert olga.get(reverse("actions"), {"from": "nonsense"}).status_code == 200
