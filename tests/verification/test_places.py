"""Audience while places open and close: nothing is told where somebody could not have read its source."""

from __future__ import annotations

import os
from collections.abc import Iterable

import pytest
from hypothesis import Phase, given, settings

from memoryhub.community.models import Guild
from tests.verification import answers
from tests.verification.places import HAPPENINGS, OPEN_AT_FIRST, WORLD, Places

pytestmark = pytest.mark.django_db
EXAMPLES = int(os.environ.get("MEMORYHUB_TEST_EXAMPLES", "4"))


def told(guild: Guild, world: Places, where: str | None) -> set[str]:
    """Return the words that can be heard in a place, or by the whole guild, whatever one asks."""
    channel = world.channel(where) if where else None
    words = sorted(world.words())
    questions = [" ".join(words), "Where do Alice and Bob live, and what do they love?"]
    form = answers.FORMATS[[None, *OPEN_AT_FIRST].index(where) % len(answers.FORMATS)]
    found = [*answers.asked_of(guild, questions, now=world.now, channel=channel, formats=[form])]
    found += answers.told_by_key(guild, questions, **({"channel": f"c-{where}"} if where else {}))
    if where is None:
        found += answers.papers_of(guild, now=world.now)
    return said(found, world)


def said(found: Iterable[answers.Said], world: Places) -> set[str]:
    text = " ".join(text for _, text in found).casefold()
    return {word for word in world.words() if word in text}


@settings(
    max_examples=EXAMPLES, phases=[Phase.generate],
)  # fmt: skip
@given(happenings=HAPPENINGS)
def test_nothing_is_told_where_somebody_could_not_have_read_it(toy, happenings):
    Guild.objects.filter(key=WORLD.key).delete()
    world = Places()
    guild = world.happen(happenings)
    for where in (None, *OPEN_AT_FIRST):
        heard = told(guild, world, where)
        assert heard <= world.tellable(where), where
        assert heard or not world.tellable(where), where  # else hearing nothing would say nothing
