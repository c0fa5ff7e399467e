"""The cases that a design which memoryhub joins held its budgeter and its builder to, for ours.

Budgeter: stable order · transcript dropped before summaries · total fits · user kept under heavy cut · notice added.
Builder: hints present, absent, in order. Transcript: included when logging is on, skipped when it is off, after the
rolling summary and the profile, omitted when off. Style: deterministic, drops low priority, never the essential.
"""

import pytest

from memory.context.budget import tokens
from memory.context.builder import Turn, build
from memory.context.rendering import CUT
from memory.index import embeddings, writing
from profiles.models import RelationshipDay
from tests.factories import (
    NOON,
    days,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_profile,
    make_summary,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toy")]
NOW = NOON + days(1)
ORDER = ["base", "text", "profiles", "channel", "rolling", "relationships", "facts", "notes", "messages", "transcript"]
BASE = "You are Hubbot, the harbour's own bot."
QUESTION = "So, where does Alice paddle her kayak?"


@pytest.fixture
def harbour():
    """A channel with something to say in every part."""
    guild = make_guild(relationships_on=True)
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    make_profile(alice, summary="Paddles and knits.")
    make_entry("Paddles a kayak on the lake", member=alice)
    messages = [make_message(f"The kayak trip number {number} was wet.", author=alice) for number in range(30)]
    make_summary(text="They planned a trip. The kayak leaks. It rained all week.")
    make_summary(text="A channel for boats. People repair them here.", kind="profile")
    facts = [make_fact(f"Paddled trip {number} in the rain.", subject=alice) for number in range(6)]
    for back in range(3):
        fields = {"day": (NOON - days(back)).date(), "replies": 6, "mentions": 4, "channel": make_channel()}
        RelationshipDay.objects.create(source=alice, target=bob, **fields)
        RelationshipDay.objects.create(source=bob, target=alice, **fields)
    writing.index_facts(facts), writing.index_messages(messages), embeddings.embed_missing(100)
    return {"guild": guild, "channel": make_channel(), "members": [alice, bob]}


def built(harbour, max_tokens=4_000, **fields):
    values = {"text": QUESTION, "base": BASE, "format": "messages", "now": NOW, **harbour, **fields}
    return build(Turn(max_tokens=max_tokens, **values))


def names(context):
    return [part.name for part in context.parts if part.items]


def test_budgeter_the_order_of_the_parts_is_stable(harbour):
    for budget in (8_000, 2_000, 700, 300):
        found = names(built(harbour, budget))
        assert found == [name for name in ORDER if name in found]


def test_budgeter_the_transcript_is_dropped_before_the_summaries(harbour):
    lost = {"rolling": 0, "channel": 0, "transcript": 0}
    for budget in range(2_000, 100, -50):
        dropped = {part.name: part.dropped for part in built(harbour, budget, format="xml", base="").parts}
        for name in lost:
            lost[name] = max(lost[name], budget) if dropped.get(name) else lost[name]
    assert lost["transcript"] > lost["rolling"]
    assert lost["transcript"] > lost["channel"]


@pytest.mark.parametrize("budget", [0, 3, 17, 64, 150, 333, 900, 4_000])
def test_budgeter_the_total_fits(harbour, budget):
    context = built(harbour, budget)
    assert sum(tokens(each["content"]) + 4 for each in context.messages) == context.tokens <= budget


def test_budgeter_the_user_is_kept_under_a_heavy_cut(harbour):
    context = built(harbour, tokens(QUESTION) + 5)
    assert context.messages == [{"role": "user", "content": QUESTION}]


def test_budgeter_a_notice_is_added_when_something_was_cut(harbour):
    cut, whole = built(harbour, 500), built({**harbour, "members": []}, 32_000, text="hello")
    assert CUT in cut.messages[0]["content"]
    assert "transcript" in cut.notice
    assert (CUT in whole.messages[0]["content"], whole.notice) == (False, "")


def test_builder_hints_are_present_when_the_graph_is_on(harbour):
    (hint,) = next(part for part in built(harbour).parts if part.name == "relationships").items
    assert "Alice" in hint.text
    assert "Bob" in hint.text
    assert "probably" in hint.text or "may" in hint.text or "seem" in hint.text
    assert 0 < hint.scores["confidence"] <= 1


def test_builder_hints_are_absent_when_the_graph_is_off(harbour):
    harbour["guild"].relationships_on = False
    assert "relationships" not in names(built(harbour))


def test_builder_hints_stand_after_the_summaries_and_before_the_transcript(harbour):
    found = names(built(harbour))
    assert found.index("rolling") < found.index("relationships") < found.index("transcript")


def test_transcript_is_there_where_memory_is_on_and_after_rolling_summary_and_profile(harbour):
    text = built(harbour, format="xml").text
    assert text.index("A channel for boats.") < text.index("They planned a trip.") < text.index("<transcript>")


def test_transcript_is_left_out_where_memory_is_off(harbour):
    harbour["channel"].memory_on = False
    assert built(harbour).messages == [
        {"role": "system", "content": BASE},
        {"role": "user", "content": QUESTION},
    ]


def test_style_the_same_turn_gives_the_same_context(harbour):
    assert built(harbour, 700) == built(harbour, 700)


def test_style_what_is_essential_is_never_dropped(harbour):
    for budget in (100, 200, 400, 800):
        contents = [each["content"] for each in built(harbour, budget).messages]
        assert contents[0].startswith(BASE)
        assert contents[-1] == QUESTION
