"""A guild's own models: used for it alone, for each kind of work, and refused in words when they can't be asked."""

import pytest
from django.core.exceptions import ValidationError

from memory.curation import guild_settings
from memory.learning.prompts import CONSOLIDATION, EXTRACTION
from memoryhub.ai import ask_model, model_choice, tool_calling
from memoryhub.community.models import Guild
from tests.factories import NOON, make_guild

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(monkeypatch, settings):
    settings.OPENAI_API_KEY, settings.ANTHROPIC_API_KEY = "key", "key"
    found = []

    def one(choice, task, given, *, guild):
        found.append((task.purpose, str(choice)))

    monkeypatch.setattr(ask_model, "ask_one", one)
    return found


def own(**fields):
    guild = make_guild()
    Guild.objects.filter(pk=guild.pk).update(**fields)
    return guild


def test_a_guild_s_own_models_read_and_settle_for_it(asked):
    guild = own(model_fast="openai:small", model_careful="anthropic:large")
    ask_model.ask(EXTRACTION, None, guild=guild.pk)
    ask_model.ask(CONSOLIDATION, None, guild=guild.pk)
    assert asked == [("extraction", "openai:small"), ("consolidation", "anthropic:large")]


def test_a_guild_s_own_models_are_not_read_where_they_are_at_hand(asked):
    guild, other = own(model_fast="openai:small"), make_guild("discord:2")
    with model_choice.at_hand(guild.pk, fast="anthropic:large"):
        assert model_choice.own(guild.pk, "fast") == "anthropic:large"
        assert [model_choice.own(guild.pk, "careful"), model_choice.own(other.pk, "fast")] == ["", ""]
    assert model_choice.own(guild.pk, "fast") == "openai:small"


def test_another_guild_has_the_hub_s(asked, settings):
    settings.MEMORYHUB_MODEL = "openai:hub"
    own(model_fast="anthropic:large")
    ask_model.ask(EXTRACTION, None, guild=make_guild("discord:2").pk)
    assert asked == [("extraction", "openai:hub")]


def test_a_guild_may_keep_its_chat_from_every_model(settings):
    settings.OPENAI_API_KEY, settings.MEMORYHUB_MODEL = "key", "openai:hub"
    guild = own(model_fast="offline", model_reply="offline")
    assert model_choice.chosen("fast", own=model_choice.own(guild.pk, "fast")) is None
    assert tool_calling.reply(instructions="", prompt="hi", tools=[], guild=guild.pk) is None


@pytest.mark.parametrize(("value", "told"), [("gpt", "write offline"), ("openai:small", "set OPENAI_API_KEY")])
def test_a_model_that_can_not_be_asked_is_refused_in_words(value, told):
    with pytest.raises(ValidationError, match=told):
        guild_settings.change_settings(make_guild(), {"model_fast": value}, actor="operator:olga", now=NOON)
