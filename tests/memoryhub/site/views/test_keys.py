"""Keys as operators make and revoke them."""

import re
import shlex
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from memoryhub.models import ApiKey
from memoryhub.site import auth
from tests.factories import make_guild

pytestmark = pytest.mark.django_db


def test_a_key_is_shown_once_and_works(olga):
    guild = make_guild("discord:1")
    answer = olga.post(reverse("add-key"), {"name": "bot", "guild": guild.pk, "scope": "read", "per_minute": "60"})
    row = auth.verify(answer.context["key"], now=timezone.now())
    assert (row.guild, row.scope, row.per_minute) == (guild, "read", 60)
    assert answer.context["key"] not in olga.get(reverse("keys")).content.decode()


def test_a_revoked_key_opens_nothing_and_that_is_asked_first(olga):
    key = auth.issue(name="bot", guild=None, scope="read")
    asked = olga.get(reverse("revoke-key", args=[ApiKey.objects.get().pk]))
    assert "Revoke the key bot?" in asked.text
    assert auth.verify(key, now=timezone.now()) is not None
    olga.post(reverse("revoke-key", args=[ApiKey.objects.get().pk]))
    assert auth.verify(key, now=timezone.now()) is None


def test_a_key_without_a_name_is_refused_in_words(olga):
    answer = olga.post(reverse("add-key"), {"name": " ", "scope": "read"})
    assert answer.status_code == 422
    assert b"This field is required" in answer.content
    assert not ApiKey.objects.exists()


def test_a_key_with_a_taken_name_is_refused_in_words_and_the_list_says_since_when(olga):
    auth.issue(name="bot", guild=None, scope="read")
    ApiKey.objects.update(created_at=datetime(2026, 3, 2, tzinfo=UTC))
    answer = olga.post(reverse("add-key"), {"name": "bot", "scope": "read"})
    assert answer.status_code == 422
    assert "is in use since 2026-03-02" in unescape(answer.text)
    assert 'data-label="Made"><time datetime="2026-03-02' in answer.text
    assert ApiKey.objects.count() == 1


def test_the_narrowest_key_is_offered_first(olga):
    guild = make_guild("discord:1")
    form = olga.get(reverse("keys")).context["form"]
    assert (form["scope"].value(), form["guild"].value()) == ("read", guild.pk)


def test_the_first_message_that_is_shown_can_be_sent_as_it_stands(olga, client):
    guild = make_guild("discord:1")
    shown = olga.post(reverse("add-key"), {"name": "bot", "guild": guild.pk, "scope": "write"}).content.decode()
    command = unescape(re.search(r'id="first">(.*?)</pre>', shown, re.DOTALL)[1])
    _, _, address, _, key, _, kind, _, body = shlex.split(command)
    sent = client.post(
        address.removeprefix("http://testserver"), body, content_type=kind.partition(": ")[2],
        headers={"Authorization": key.partition(": ")[2]},
    )  # fmt: skip
    assert sent.status_code == 201, sent.content


def test_how_much_a_key_is_used_is_drawn_by_day(olga):
    auth.issue(name="idle", guild=None, scope="read")
    key, now = auth.issue(name="busy", guild=None, scope="read"), timezone.now()
    for _ in range(3):
        auth.verify(key, now=now)
    auth.verify(key, now=now + timedelta(seconds=3))
    shown = olga.get(reverse("keys"))
    assert {row.name: row.chart and row.chart.total for row in shown.context["keys"]} == {"busy": 4, "idle": None}
    assert 'class="spark"' in shown.text
