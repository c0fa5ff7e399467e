"""Guilds stay apart: whatever two guilds say, neither reads a word of the other, by any question, route or id."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps
from hypothesis import Phase, given, settings

from memory import pipeline
from memory.index import embeddings
from memory.models import Fact
from memoryhub.community.models import Guild, Member
from notes.models import InteractionNote
from profiles.models import ProfileEntry
from tests.factories import NOON
from tests.verification import answers, pages
from tests.verification.worlds import CHANNELS, SAYINGS, TALK, Said, World, a_world

pytestmark = pytest.mark.django_db
CHANGING = 6  # routes that must change something in the own guild, by ids that both have
SHOWING = 8  # pages on which the guild's own words must stand, else not finding another's would say nothing
REFUSED = {403, 404, 405}
NOW = NOON + timedelta(hours=5)
DOORS = {"recall", "context", "snapshot", "journal", "GET", "POST", "search"}
"""Where a guild must find its own words, else not finding another's would say nothing."""


def build(world: World) -> Guild:
    """Let a world happen, from its messages to the papers of the night."""
    pipeline.receive_many(world.messages(), guild=world.ref, now=NOW)
    guild = Guild.objects.get(key=world.ref.key)
    pipeline.digest(guild, now=NOW)
    pipeline.consolidate(guild, day=NOON.date(), now=NOW)
    embeddings.embed_missing(100)
    return guild


def ids_of(*guilds: Guild) -> dict[str, list[str]]:
    """Return the ids that a thief may try, by their names in the routes."""
    return {
        "other_id": ["u-2"],
        "entry_id": _ids(ProfileEntry.objects.filter(profile__member__guild__in=guilds)) or ["1"],
        "fact_id": _ids(Fact.objects.filter(guild__in=guilds)),
        "note_id": _ids(InteractionNote.objects.filter(guild__in=guilds)),
        "message_id": ["m-0"],
        "member_id": list(Member.objects.filter(guild__in=guilds).values_list("platform_id", flat=True).distinct()),
        "channel_id": list(CHANNELS),
        "webhook_id": ["1"],
        "day": [str(NOON.date())],
    }


def _ids(rows) -> list[str]:
    return [str(pk) for pk in rows.values_list("pk", flat=True)]


@settings(
    max_examples=6, phases=[Phase.generate],  # to shrink takes hundreds of worlds
)  # fmt: skip
@given(here=TALK, there=TALK)
def test_a_guild_never_reads_a_word_of_another(toy, here, there):
    own, foreign = a_world(here), a_world(there)
    guild, other = build(own), build(foreign)
    told = [message.text for world in (foreign, own) for message in world.messages()[:3]]
    questions = [foreign.mark, "Where do you live, and what do you love?", *told]
    member = Member.objects.of(guild).first()
    found = [
        *answers.asked_of(guild, questions, now=NOW),
        *answers.asked_of(guild, questions, now=NOW, channel=guild.channels.first(), member=member),
        *answers.papers_of(guild, now=NOW),
        *answers.read_by_key(guild, questions, ids_of(other)),
        *answers.read_by_key(guild, [], ids_of(guild)),
    ]
    assert not [where for where, text in found if foreign.mark in text.casefold()]
    assert {where.split()[0] for where, text in found if own.mark in text.casefold()} >= DOORS


@settings(
    max_examples=2, phases=[Phase.generate],
)  # fmt: skip
@given(here=TALK, there=TALK)
def test_a_moderator_reads_no_word_of_another_guild_on_any_page(toy, here, there):
    own, foreign = a_world(here), a_world(there)
    guild, other = build(own), build(foreign)
    mona = pages.moderator(guild)
    found = [*pages.read(mona, other, ["Where do you live?"]), *pages.read(mona, guild, ["Where do you live?"])]
    assert not [where for where, text in found if foreign.mark in text.casefold()]
    assert len([where for where, text in found if own.mark in text.casefold()]) >= SHOWING


@settings(
    max_examples=2, phases=[Phase.generate],
)  # fmt: skip
@given(here=TALK, there=TALK)
def test_a_key_changes_nothing_in_another_guild_and_reads_no_word_of_it(toy, here, there):
    own, foreign = a_world(here), a_world(there)
    guild, other = build(own), build(foreign)
    before = _state(other)
    answered = [*answers.changed_by_key(guild, other, ids_of(other))]
    assert _state(other) == before
    assert not [where for where, _, text in answered if foreign.mark in text.casefold().replace(other.key, "")]
    assert {status for where, status, _ in answered if other.key in where} == {404}
    assert len([status for where, status, _ in answered if guild.key in where and status < 300]) >= CHANGING


def test_a_moderator_changes_nothing_in_another_guild(toy):
    talk = (Said("c-1", "u-1", SAYINGS[0], "bodeg", 0), Said("c-1", "u-2", SAYINGS[1], "fiddle", 3))
    guild, other = build(a_world(talk)), build(a_world(talk))
    before = _state(other)
    answered = [status for _, status in pages.change(pages.moderator(guild), other)]
    assert _state(other) == before
    assert max(answered) < 500
    assert set(answered) >= REFUSED


def _state(guild: Guild) -> list[object]:
    """Return what a change would show in: rows of every table that knows its guild."""
    models = [model for label in pages.HOUSE for model in apps.get_app_config(label).get_models()]
    return [
        list(model._default_manager.filter(guild=guild).order_by("pk").values())
        for model in models
        if any(field.name == "guild" for field in model._meta.fields)
    ]
