"""A guild's settings over the JSON API."""

import pytest

from memory.models import Action
from memoryhub.community.models import Guild
from tests.api_client import api_for
from tests.factories import make_guild

pytestmark = pytest.mark.django_db
SETTINGS = "discord:1/settings"
OLD_WORDS = ("believed", "told of", "purged", "at night", "settles", "about over time", "midnight", "who talks with")
"""What pages said before their words were made one; the document says the same as the pages."""


def test_all_settings_are_shown_and_some_changed():
    api = api_for(make_guild(), "admin")
    assert api.get(SETTINGS).json()["member_search"] is True
    change = {"member_search": False, "off_categories": ["77"], "daily_usd": 1.5, "daily_tokens": None}
    answer = api.patch(SETTINGS, change)
    assert answer.status_code == 200
    assert answer.json() == api.get(SETTINGS).json() | change
    guild = Guild.objects.get()
    assert (guild.member_search, guild.off_categories, str(guild.daily_usd)) == (False, ["77"], "1.50")
    assert "off_categories" in Action.objects.get(kind="settings").detail["changed"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"time_zone": "Mars/Base"}, "time_zone"),
        ({"facts_a_member": 0}, "facts_a_member"),
        ({"member_search": None}, "member_search"),
        ({"member_search": "no"}, "member_search"),
        ({"consent_mode": "never"}, "consent_mode"),
        ({"key": "discord:2"}, "key"),
        ({"daily_usd": -1}, "daily_usd"),
    ],
)
def test_what_can_t_be_is_refused_by_name_and_nothing_is_changed(change, field):
    api = api_for(make_guild(), "admin")
    answer = api.patch(SETTINGS, {"memory_on": False, **change})
    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/problem+json")
    assert field in {error["field"].split(".")[0] for error in answer.json()["errors"]}
    assert Guild.objects.get().memory_on


@pytest.mark.parametrize("scope", ["read", "write"])
def test_only_an_admins_key_changes_them(scope):
    api = api_for(make_guild(), scope)
    assert api.get(SETTINGS).status_code == 200
    assert api.patch(SETTINGS, {"memory_on": False}).status_code == 403


def test_another_guild_s_are_not_there():
    make_guild("discord:2")
    assert api_for(make_guild(), "admin").get("discord:2/settings").status_code == 404


def test_the_document_describes_each_setting_in_the_words_of_the_pages():
    fields = api_for(make_guild()).get("/api/v1/openapi.json").json()["components"]["schemas"]["GuildSettings"]
    told = {name: field.get("description", "") for name, field in fields["properties"].items()}
    assert [name for name, text in told.items() if not text] == []
    assert [name for name, text in told.items() if any(word in text.lower() for word in OLD_WORDS)] == []
