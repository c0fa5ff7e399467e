import pytest

from memory.curation import corrections
from memory.events import webhooks
from memory.models import Action, Webhook
from memoryhub.community import outbox
from memoryhub.community.models import Guild
from tests.api_client import api_for
from tests.factories import NOON, make_guild

pytestmark = pytest.mark.django_db
URL = "https://bot.example.org/hook"


@pytest.fixture
def api():
    return api_for(make_guild(), "admin")


def learned(text):
    """Return the id of the event that tells of it."""
    guild = Guild.objects.get()
    corrections.remember(guild, subject=None, text=text, kind="lore", actor="api:bot", now=NOON)
    return str(outbox.newest(guild))


def test_a_webhook_is_added_listed_and_removed(api):
    made = api.post("discord:1/webhooks", {"url": URL, "events": ["member.erased", "memory.learned"]})
    assert made.status_code == 201
    hook = Webhook.objects.get()
    shown = made.json()
    assert shown.pop("secret") == webhooks.secret(hook)
    assert (shown["url"], shown["events"]) == (URL, ["memory.learned", "member.erased"])
    assert api.get("discord:1/webhooks").json() == {"items": [shown], "next_cursor": None}
    assert api.delete(f"discord:1/webhooks/{hook.pk}").status_code == 204
    assert api.get("discord:1/webhooks").json()["items"] == []
    assert set(Action.objects.values_list("kind", flat=True)) >= {"webhook_added", "webhook_removed"}


def test_webhooks_are_listed_a_page_at_a_time(api):
    made = [api.post("discord:1/webhooks", {"url": f"{URL}{number}"}).json()["url"] for number in range(3)]
    first = api.get("discord:1/webhooks", limit=2).json()
    second = api.get("discord:1/webhooks", limit=2, cursor=first["next_cursor"]).json()
    assert [hook["url"] for hook in first["items"] + second["items"]] == made
    assert second["next_cursor"] is None


def test_without_events_it_is_sent_all(api):
    assert api.post("discord:1/webhooks", {"url": URL}).json()["events"] == list(webhooks.KINDS)


@pytest.mark.parametrize(
    "body",
    [{}, {"url": ""}, {"url": "x" * 501}, {"url": 7}, {"url": URL, "events": []}, {"url": URL, "events": ["all"]},
     {"url": URL, "secret": "mine"}, {"url": "http://127.0.0.1/"}, {"url": "https://me:word@example.org/"}],
)  # fmt: skip
def test_what_can_not_be_sent_to_is_refused(api, body):
    assert api.post("discord:1/webhooks", body).status_code == 422
    assert not Webhook.objects.exists()


@pytest.mark.parametrize("scope", ["read", "write"])
def test_webhooks_need_scope_admin(api, scope):
    pk = api.post("discord:1/webhooks", {"url": URL}).json()["id"]
    other = api_for(make_guild(), scope)
    answers = [
        other.get("discord:1/webhooks"), other.post("discord:1/webhooks", {"url": URL}),
        other.delete(f"discord:1/webhooks/{pk}"), other.post(f"discord:1/webhooks/{pk}/replay"),
    ]  # fmt: skip
    assert [each.status_code for each in answers] == [403] * 4
    assert Webhook.objects.count() == 1


def test_a_webhook_of_another_guild_is_not_there(api):
    pk = api.post("discord:1/webhooks", {"url": URL}).json()["id"]
    south = api_for(make_guild("discord:2"), "admin")
    assert south.delete(f"discord:2/webhooks/{pk}").status_code == 404
    assert south.post(f"discord:2/webhooks/{pk}/replay").status_code == 404
    assert south.get("discord:2/webhooks").json()["items"] == []


def test_a_replay_begins_after_an_event(api):
    pk = api.post("discord:1/webhooks", {"url": URL}).json()["id"]
    first, newest = learned("Meets on Fridays."), learned("Sails to Norway in May.")
    assert api.post(f"discord:1/webhooks/{pk}/replay", {"after": first}).json()["reached"] == first
    assert api.post(f"discord:1/webhooks/{pk}/replay").json()["reached"] == first
    # What is still to come is not skipped.
    assert api.post(f"discord:1/webhooks/{pk}/replay", {"after": "999"}).json()["reached"] == newest
    assert api.post(f"discord:1/webhooks/{pk}/replay", {"after": "-1"}).status_code == 422
