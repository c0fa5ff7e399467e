"""A bot's account of what a tool found is learned from where its door marks it; no other word of a bot is."""

import pytest

from memory import pipeline
from memory.facts.schemas import Candidate, Candidates
from memory.learning.prompts import extraction_prompt
from memory.models import Fact
from memory.recall.search import recall
from memoryhub.community.models import Guild, Member
from notes.models import InteractionNote, Message
from tests.factories import NOON, make_guild, minutes
from tests.incoming import north, say
from tests.memory.learning.conftest import LATER
from tests.scripted import scripted

pytestmark = pytest.mark.django_db
FOUND = "According to your calendar you play tennis every Tuesday."


def told(**fields):
    """Let Alice ask and the bot tell what the calendar says."""
    say("What does my week look like?", "Alice", id="m-asked")
    values = {"is_bot": True, "tool_summary": True, "reply_to": "m-asked", "mentions": ["u-alice"], **fields}
    say(FOUND, "Hubbot", at=NOON + minutes(1), **values)


def learn(mode=Guild.ExtractionMode.BATCH):
    """Let a model find in it what it says of Alice; return what it was given."""
    said = Message.objects.get(text=FOUND)
    alice = Member.objects.get(display_name="Alice")
    Message.objects.exclude(pk=said.pk).update(processed_at=NOON)
    fact = Candidate(
        text="Plays tennis every Tuesday.", subject=alice.pk, quote="you play tennis every Tuesday",
        messages=[said.pk], confidence=0.9, explicit=True,
    )  # fmt: skip
    with scripted() as model:
        model.will("extraction", Candidates(facts=[fact]))
        pipeline.learn_waiting(mode, now=LATER)
    return [given for purpose, given in model.asked if purpose == "extraction"]


@pytest.mark.parametrize("mode", ["batch", "message", "flush"])
def test_a_marked_summary_is_learned_from_whenever_the_guild_learns(mode):
    make_guild(extraction_mode=mode)
    told()
    [given] = learn(Guild.ExtractionMode.BATCH if mode == "flush" else Guild.ExtractionMode(mode))
    fact = Fact.objects.get()
    assert (str(fact.subject), fact.text) == ("Alice", "Plays tennis every Tuesday.")
    assert given.tool_summaries == {given.learn_from[0]: fact.subject_id}


@pytest.mark.parametrize(
    ("fields", "about"),
    [
        ({}, "Alice"),
        ({"reply_to": None, "mentions": ["u-bob"]}, "Bob"),
        ({"reply_to": None, "mentions": []}, "Bob"),
        ({"reply_to": "m-gone", "mentions": []}, "Bob"),
        ({"reply_to": "m-asked", "mentions": ["u-bob"]}, "Alice"),
    ],
    ids=["whom it answers", "whom it names", "who spoke last", "an answer to what is gone", "both"],
)
@pytest.mark.parametrize("reader", ["rules", "model"])
def test_it_is_about_the_member_that_it_is_for(fields, about, reader):
    say("What does my week look like?", "Alice", id="m-asked")
    say("and the harbour is full again", "Bob", at=NOON + minutes(1))
    values = {"is_bot": True, "tool_summary": True, "reply_to": "m-asked", "mentions": [], **fields}
    say(FOUND, "Hubbot", at=NOON + minutes(2), **values)
    with scripted() as model:
        pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=LATER)
    [(_, given)] = [asked for asked in model.asked if asked[0] == "extraction"]
    member = Member.objects.get(display_name=about)
    if reader == "rules":
        fact = Fact.objects.get(text="Plays tennis every Tuesday.")
        assert (fact.subject, fact.confidence, fact.source_type) == (member, 0.5, "inferred")
    else:
        said = Message.objects.get(text=FOUND)
        assert f"Of a tool, told by the bot: {said.pk} (about {member.pk})" in extraction_prompt(given)


@pytest.mark.parametrize(
    ("summary", "fact"),
    [
        ("Your calendar shows that you swim on Mondays.", "Swims on Mondays."),
        ("I found in your profile that you work as a nurse.", "Works as a nurse."),
        ("You live in Toronto.", "Lives in Toronto."),
        ("You are a member of the rowing club.", "Is a member of the rowing club."),
    ],
)
def test_the_rules_understand_how_bots_tell(summary, fact):
    say("What do you know?", "Alice", id="m-asked")
    say(summary, "Hubbot", at=NOON + minutes(1), is_bot=True, tool_summary=True, reply_to="m-asked")
    pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=LATER)
    assert [(str(row.subject), row.text) for row in Fact.objects.all()] == [("Alice", fact)]


def test_it_is_never_surer_than_what_others_say_and_never_explicit():
    told()
    learn()
    fact = Fact.objects.get()
    assert (fact.confidence, fact.source_type, str(fact.evidence.get().speaker)) == (0.5, "inferred", "Hubbot")


def test_unmarked_words_of_a_bot_are_not_read():
    told(tool_summary=False)
    assert learn() == []
    assert not Fact.objects.exists()


def test_a_person_s_message_is_no_tool_s_summary_whatever_its_door_says():
    say("I live in Toronto.", "Mallory", tool_summary=True)
    assert not Message.objects.get().tool_summary


def test_nothing_is_learned_about_the_bot_itself():
    told()
    said = Message.objects.get(text=FOUND)
    own = Candidate(text="Plays tennis every Tuesday.", subject=said.author_id, quote=FOUND, messages=[said.pk])
    with scripted() as model:
        model.will("extraction", Candidates(facts=[own]), Candidates(facts=[own]))
        pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=LATER)
    assert not Fact.objects.exists()


def test_a_digest_by_hand_reads_it_too():
    told()
    assert pipeline.digest(None, now=LATER).facts == 1
    assert [(str(fact.subject), fact.text) for fact in Fact.objects.all()] == [("Alice", "Plays tennis every Tuesday.")]


def test_it_is_part_of_no_note_and_is_not_recalled_as_a_message():
    told()
    pipeline.digest(None, now=LATER)
    assert not InteractionNote.objects.exists()
    found = recall(north(), question="tennis every Tuesday", now=LATER, kinds=["message"])
    assert FOUND not in [memory.text for memory in found]


def test_an_edited_summary_is_read_again():
    told(id="m-told")
    learn()
    pipeline.edit(north(), message_id="m-told", text="According to your calendar you swim on Mondays.", now=LATER)
    assert not Fact.objects.exists()
    assert Message.objects.get(platform_id="m-told").processed_at is None


def test_who_is_mentioned_may_be_told_about():
    say("good morning", "Bob")
    say("Bob moved to Berlin last spring.", "Alice", at=NOON + minutes(30), mentions=["u-bob"])
    Message.objects.filter(author__display_name="Bob").update(processed_at=NOON)
    with scripted() as model:
        pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=LATER)
    [(_, given)] = [asked for asked in model.asked if asked[0] == "extraction"]
    bob = Member.objects.get(display_name="Bob")
    assert given.mentioned == {bob.pk: "Bob"}
    assert [fact.subject for fact in Fact.objects.all()] == [bob]


def test_who_is_only_named_may_be_told_about_by_a_model():
    say("good morning", "Bob")
    say("so Bob moved to Berlin last spring", "Alice", at=NOON + minutes(30))
    Message.objects.filter(author__display_name="Bob").update(processed_at=NOON)
    bob = Member.objects.get(display_name="Bob")
    with scripted() as model:
        moved = Candidate(
            text="Moved to Berlin in spring 2025.", subject=bob.pk, quote="Bob moved to Berlin", messages=[]
        )
        model.will("extraction", Candidates(facts=[moved]))
        pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=LATER)
    [(_, given)] = [asked for asked in model.asked if asked[0] == "extraction"]
    assert given.mentioned == {bob.pk: "Bob"}
    assert [fact.subject for fact in Fact.objects.all()] == [bob]
