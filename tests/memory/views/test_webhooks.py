"""Webhooks on their page."""

import pytest
from django.urls import reverse

from memory.events import webhooks
from memory.models import Webhook
from tests.factories import NOON, make_guild
from tests.verification.pages import moderator

pytestmark = pytest.mark.django_db
URL = "https://bot.example.org/hook"


def add(client, guild, **fields):
    given = {"guild": guild.key, "url": URL, "kinds": ["note.written"], **fields}
    return client.post(reverse("webhooks"), given)


def test_a_webhook_is_added_and_its_secret_shown_once(olga):
    guild = make_guild()
    page = add(olga, guild).content.decode()
    hook = Webhook.objects.get()
    assert (hook.url, hook.kinds) == (URL, ["note.written"])
    assert webhooks.secret(hook) in page
    again = olga.get(reverse("webhooks"), {"guild": guild.key}).content.decode()
    assert URL in again
    assert "whsec_" not in again


def test_a_page_that_is_loaded_anew_adds_no_second_webhook(olga):
    guild = make_guild()
    add(olga, guild)
    again = add(olga, guild)
    assert again.status_code == 422
    assert "Events are sent there already." in again.content.decode()
    assert Webhook.objects.count() == 1
    add(olga, make_guild("discord:2"))
    assert Webhook.objects.count() == 2  # another guild's is another matter


@pytest.mark.parametrize("wrong", [{"url": "http://127.0.0.1/"}, {"url": "nothing at all"}, {"kinds": []}])
def test_what_can_not_be_sent_to_is_refused_on_the_page(olga, wrong):
    answer = add(olga, make_guild(), **wrong)
    assert answer.status_code == 422
    assert b"field-error" in answer.content
    assert not Webhook.objects.exists()


def test_the_refusal_of_a_private_address_names_the_setting_that_allows_it(olga):
    refusal = add(olga, make_guild(), url="http://127.0.0.1/").context["form"].errors["url"][0]
    assert "MEMORYHUB_WEBHOOK_NETWORKS" in refusal


def test_a_parked_webhook_says_why_and_is_tried_again(olga):
    hook = webhooks.register(make_guild(), url=URL, kinds=webhooks.KINDS, actor="test", now=NOON)
    Webhook.objects.update(parked_at=NOON, last_error="It answered 500.")
    assert b"It answered 500." in olga.get(reverse("webhooks")).content
    olga.post(reverse("replay-webhook", args=[hook.pk]))
    hook.refresh_from_db()
    assert hook.parked_at is None


def test_a_webhook_is_removed_once_that_is_confirmed(olga):
    hook = webhooks.register(make_guild(), url=URL, kinds=webhooks.KINDS, actor="test", now=NOON)
    address = reverse("remove-webhook", args=[hook.pk])
    assert b"Remove it" in olga.get(address).content
    assert Webhook.objects.exists()
    olga.post(address)
    assert not Webhook.objects.exists()


def test_the_page_is_about_the_guild_of_the_switch_and_comes_back_to_it(olga):
    make_guild("discord:1", name="A first one")
    line = make_guild("sms:+15550100", name="Line")
    olga.post(reverse("choose-guild"), {"guild": line.key})
    assert olga.get(reverse("webhooks")).context["guild"] == line
    hook = webhooks.register(line, url=URL, kinds=webhooks.KINDS, actor="test", now=NOON)
    removed = olga.post(reverse("remove-webhook", args=[hook.pk]), follow=True)
    assert removed.context["guild"] == line


def test_a_moderator_of_another_guild_does_nothing(olga):
    hook = webhooks.register(make_guild(), url=URL, kinds=webhooks.KINDS, actor="test", now=NOON)
    mona = moderator(make_guild("discord:2"))
    assert mona.get(reverse("webhooks"), {"guild": "discord:1"}).status_code == 404
    assert add(mona, make_guild()).status_code == 404
    assert mona.post(reverse("remove-webhook", args=[hook.pk])).status_code == 404
    assert mona.post(reverse("replay-webhook", args=[hook.pk])).status_code == 404
    assert Webhook.objects.count() == 1
