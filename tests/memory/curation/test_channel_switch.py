"""Whoever switches a channel's memory, by whatever door, it is written down."""

from __future__ import annotations

import pytest
from django.urls import reverse

from memory.models import Action
from memoryhub.community.models import Channel
from tests.api_client import api_for
from tests.factories import make_channel, make_guild

pytestmark = pytest.mark.django_db


def by_page(client, channel):
    client.post(f"/channels/{channel.pk}/memory/")


def by_api(_client, channel):
    api_for(make_guild(), "admin").patch(f"discord:1/channels/{channel.platform_id}", {"memory_on": False})


def by_admin(client, channel):
    client.post(reverse("admin:community_channel_change", args=[channel.pk]), {"_save": "Save"})


@pytest.mark.parametrize(
    ("switch", "actor"), [(by_page, "operator:admin"), (by_api, "api:test"), (by_admin, "operator:admin")]
)
def test_each_door_writes_down_who_switched_which(admin_client, switch, actor):
    channel = make_channel()
    switch(admin_client, channel)
    assert Channel.objects.get(pk=channel.pk).memory_on is False
    logged = Action.objects.get(kind="channel_switch")
    assert (logged.guild, logged.actor) == (channel.guild, actor)
    assert logged.detail == {"on": False, "channels": [channel.pk]}
