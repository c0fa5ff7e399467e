"""The privacy page: public, true to the settings, and silent about who uses the hub."""

import re

import pytest

from memoryhub.community.identity import ensure_guild
from memoryhub.community.models import Guild
from tests.factories import make_guild, make_member

pytestmark = pytest.mark.django_db


def page(client, key=""):
    answer = client.get(f"/privacy/{key}/" if key else "/privacy/")
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", answer.content.decode()))


def test_anybody_may_read_it_without_signing_in(client):
    told = page(client)
    assert "You can say no at any time." in told
    assert "30 days after they were read" in told
    assert "No language model of another company reads it" in told


def test_a_guild_s_settings_are_told(client):
    changed = {"consent_mode": "opt_in", "message_days": 7, "journal_days": 7, "keep_health": True}
    Guild.objects.filter(pk=make_guild().pk).update(**changed, relationships_on=True, facts_outlive=False)
    told = page(client, "discord:1")
    assert "You are asked first." in told
    assert "7 days after they were read" in told
    assert "What you tell of your health is learned here." in told
    assert "Counts of who talks with whom" in told
    assert "no longer than the messages they rest on" in told


def test_an_unknown_guild_reads_as_one_that_changed_nothing(client):
    make_guild()
    assert page(client, "discord:404") == page(client, "discord:1")


def test_nobody_is_named(client):
    make_member(make_guild(name="Secret Society"))
    told = page(client, "discord:1")
    assert "Secret Society" not in told
    assert "Alice" not in told


def test_the_companies_whose_models_read_are_named_with_what_they_read(client, settings):
    settings.OPENAI_API_KEY, settings.MEMORYHUB_MODEL, settings.GEMINI_API_KEY = "key", "openai:small", "key"
    settings.MEMORYHUB_EMBEDDING_MODEL = "google:gemini-embedding-001"
    Guild.objects.filter(pk=make_guild().pk).update(model_reply="offline")
    hub, guild = page(client), page(client, "discord:1")
    assert "OpenAI reads messages" in hub
    assert "to answer" in hub
    assert "to answer" not in guild
    assert "Google turns facts, notes and questions into numbers" in hub


def test_the_contact_is_the_operator_s_setting(client, settings):
    assert "has named no other contact" in page(client)
    settings.MEMORYHUB_PRIVACY_CONTACT = "privacy@example.org"
    assert "privacy@example.org" in page(client)


def test_the_page_for_all_never_says_that_less_is_kept_than_some_community_keeps(client):
    shown = client.get("/privacy/").content.decode()
    assert "Who talks with whom is not counted" not in shown
    assert "Counts of who talks with whom, where a community wants it" in shown
    assert "unless a community has chosen otherwise" in shown


@pytest.mark.parametrize("key", ["sms:1", "discord:1"])
def test_an_unknown_community_reads_as_one_that_is_new(client, key):
    unknown = client.get(f"/privacy/{key}/").content.decode()
    ensure_guild(key=key)
    assert client.get(f"/privacy/{key}/").content.decode() == unknown
