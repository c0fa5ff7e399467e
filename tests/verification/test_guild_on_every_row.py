"""Every row that hangs on another carries the guild of that one, in every table, after a life with all its steps."""

from __future__ import annotations

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from django.apps import apps
from django.db.models import F, ForeignKey, UniqueConstraint

from botrunner.models import Backfill, Gap, SeenChannels
from memory import pipeline
from memory.curation import guild_settings
from memory.events import webhooks
from memory.importing.take_in import SAMPLE
from memory.models import AgentItem, ClientData, Contradiction
from memory.recaps import recap_writing
from memoryhub.community import consent
from memoryhub.community.models import Guild, Member
from memoryhub.db.guild_scope import is_of_a_guild
from notes.messages.schemas import GuildRef, IncomingMessage
from notes.models import Question
from profiles.relationships import relationship_store
from profiles.relationships.strength import Counts
from tests.factories import make_guild

AGAIN = timedelta(hours=3)
OF_GUILDS = [model for model in apps.get_models() if is_of_a_guild(model)]
OF_THE_HUB = {
    "admin.LogEntry", "auth.Group", "auth.Permission", "auth.User", "axes.AccessAttempt",
    "axes.AccessAttemptExpiration", "axes.AccessFailureLog", "axes.AccessLog", "botrunner.BotProcess",
    "botrunner.Heard", "botrunner.Shard", "community.Guild", "community.Tombstone",
    "contenttypes.ContentType", "django_q.OrmQ", "django_q.Schedule", "django_q.Task",
    "memory.Action", "memory.Erasure", "memory.ErasureNeedles", "memory.ModelCall", "memoryhub.ApiKey",
    "memoryhub.AuditEntry",
    "memoryhub.KeptAnswer", "memoryhub.RequestCount", "memoryhub.Role", "memoryhub.SavedFilter",
    "memoryhub.SharedNote", "sessions.Session",
}  # fmt: skip
"""Tables that belong to no guild: access, the queue, logs and receipts of the hub. All but the logs are small."""


def test_every_table_is_a_guilds_or_on_the_list_of_the_hubs():
    others = {model._meta.label for model in apps.get_models()} - {model._meta.label for model in OF_GUILDS}
    django_q = {"django_q.Failure", "django_q.Success"}  # other names of its Task
    assert others - django_q == OF_THE_HUB


def test_no_table_ties_two_others_without_a_guild():
    automatic = [each for each in apps.get_models(include_auto_created=True) if each._meta.auto_created]
    assert sorted(each._meta.label for each in automatic) == [
        "auth.Group_permissions", "auth.User_groups", "auth.User_user_permissions", "memoryhub.Role_guilds"
    ]  # fmt: skip


@pytest.mark.parametrize("model", OF_GUILDS, ids=lambda model: model._meta.label)
def test_whatever_is_unique_in_a_guilds_table_is_so_within_its_guild(model):
    named = [each for each in model._meta.constraints if isinstance(each, UniqueConstraint)]
    for each in named:
        assert "guild" in each.fields or F("guild") in each.expressions, each.name


@pytest.mark.django_db
def test_each_row_has_the_guild_of_every_row_it_names():
    make_guild("discord:1")
    live(GuildRef(key="discord:2", name="Harbour"))
    assert [model._meta.label for model in OF_GUILDS if not model._base_manager.exists()] == []
    for model in OF_GUILDS:
        rows = model._base_manager.all()
        for field in model._meta.concrete_fields:
            if isinstance(field, ForeignKey) and is_of_a_guild(field.related_model):
                strays = rows.exclude(**{field.name: None}).exclude(**{f"{field.name}__guild": F("guild")})
                assert not strays.exists(), f"{model._meta.label}.{field.name} leads to another guild"


def live(ref: GuildRef) -> None:
    """Live through the sample community in this guild, with what people do to its memory."""
    lines = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    said = [IncomingMessage.model_validate({k: v for k, v in line.items() if k != "guild"}) for line in lines]
    # All is said twice on the same day: a topic joins two talks.
    said += [
        message.model_copy(update={"message_id": f"{message.message_id}b", "sent_at": message.sent_at + AGAIN})
        for message in said
    ]
    now = max(message.sent_at for message in said) + timedelta(hours=3)
    pipeline.receive_many(said, guild=ref, now=now)
    guild = Guild.objects.get(key=ref.key)
    pipeline.tick(now=now)
    pipeline.digest(guild, now=now)
    for day in sorted(set(guild.notes.values_list("note_date", flat=True))):
        pipeline.consolidate(guild, day=day, now=now)
    first, second, third = Member.objects.of(guild).filter(is_bot=False)[:3]
    relationship_store.set_level(first, second, level=0.5, actor="operator:test", now=now)
    channel = guild.channels.first()
    relationship_store.set_day(channel, day=now.date(), counts={(first.pk, second.pk): Counts(replies=1)})
    consent.choose(third, remember=True, actor="operator:test", now=now)
    question = Question.objects.create(guild=guild, channel=channel, text="Why?", asked_at=now)
    question.messages.set(guild.messages.all()[:2])
    question.answers.set(guild.messages.all()[2:4])
    AgentItem.objects.create(guild=guild, namespace="a", key="k", value={})
    newer, older = guild.facts.all()[:2]
    Contradiction.objects.create(newer=newer, older=older)
    ClientData.objects.create(guild=guild, message=guild.messages.first(), event=uuid4())
    webhooks.register(guild, url="https://bot.example.org/", kinds=webhooks.KINDS, actor="test", now=now)
    guild_settings.change_settings(guild, {"log_channel": "123456789012345678"}, actor="moderator:test", now=now)
    recap = recap_writing.write_asked(guild, days=31, actor="moderator:test", now=now)
    assert recap.lines.exists()
    Gap.objects.create(guild=guild, after=1)
    SeenChannels.objects.create(guild=guild)
    Backfill.objects.create(guild=guild, channel_id="1", until=1)
