"""The tools that a reply model is offered: what a model gets wrong is told to it in words, and changes nothing."""

from __future__ import annotations

import json

import pytest

from memory.curation.refusals import MESSAGE_STAYS
from memory.models import Fact
from memory.replies.tools import KNOWN_TO_MORE, MemoryActions, memory_tools
from memoryhub.ai.tool_calling import _Conversation
from tests.factories import NOON, make_channel, make_fact, make_member

pytestmark = pytest.mark.django_db


def call(tool: str, **given: object) -> str:
    """Have a model call the tool for Alice."""
    from pydantic_ai.messages import ToolCallPart

    alice = make_member()
    actions = MemoryActions(guild=alice.guild, speaker=alice, channel=make_channel(alice.guild), now=NOON)
    conversation = _Conversation("", "", {each.name: each for each in memory_tools(actions)})
    return conversation._use(ToolCallPart(tool_name=tool, args=json.dumps(given)))


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("extract_memory", {}, "That could not be read: text."),
        ("extract_memory", {"text": 5}, "That could not be read: text."),
        (
            "extract_memory",
            {"text": ""},
            f"That is too short to say anything, so no memory is made of it. {MESSAGE_STAYS} Write a whole statement.",
        ),
        ("extract_memory", {"text": "a" * 191}, "That could not be read: text."),
        ("list_memories", {"limit": "many"}, "That could not be read: limit."),
        ("update_memory", {"id": 1}, "That could not be read: text."),
        ("update_memory", {"text": "Lives in Rome."}, "That could not be read: id."),
        ("update_memory", {"id": 999_999, "text": "Lives in Rome."}, "There is no such memory here."),
        ("remove_memory", {}, "That could not be read: id."),
        ("remove_memory", {"id": ""}, "That could not be read: id."),
        ("remove_memory", {"id": "a1"}, "That could not be read: id."),
        ("remove_memory", {"id": 999_999}, "There is no such memory here."),
        ("forget_everything", {}, "There is no such tool."),
    ],
)
def test_what_a_model_gets_wrong_is_told_to_it_and_changes_nothing(tool, given, told):
    fact = make_fact(subject=make_member())
    assert call(tool, **given) == told
    assert list(Fact.objects.values_list("pk", "text", "status")) == [(fact.pk, fact.text, "active")]


@pytest.mark.parametrize(("asked", "listed"), [({}, 20), ({"limit": 0}, 1), ({"limit": "5"}, 5), ({"limit": 999}, 100)])
def test_a_list_has_twenty_memories_and_up_to_a_hundred_when_asked(asked, listed):
    for number in range(101):
        make_fact(f"Owns boat {number}.", subject=make_member())
    assert len(call("list_memories", **asked).splitlines()) == listed


def test_what_is_remembered_by_a_tool_is_sure_and_explicit():
    assert call("extract_memory", text="Lives in Rome.", kind="biography").startswith("Remembered: #")
    fact = Fact.objects.get()
    assert (fact.confidence, fact.source_type, fact.kind) == (1.0, "explicit", "profile")


def test_words_of_a_closed_channel_are_not_put_into_what_more_people_know():
    alice, closed = make_member(), make_channel(name="crew", private=True)
    known, told_here = (make_fact(subject=alice, audience=audience) for audience in (None, closed))
    actions = MemoryActions(guild=alice.guild, speaker=alice, channel=closed, now=NOON)
    assert actions.update(known.pk, "Lives in a safe house.") == KNOWN_TO_MORE
    assert actions.update(told_here.pk, "Lives in a safe house.") == f"Changed: #{told_here.pk} Lives in a safe house."
    known.refresh_from_db()
    assert known.text == "Lives in Toronto."
