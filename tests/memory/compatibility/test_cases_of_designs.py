"""Cases that the source designs' own tests cover, decided as ours; those named here stand nowhere else."""

import pytest

from memory import rules
from memory.facts.proposal import Proposal
from memory.facts.schemas import (
    Candidate,
    Candidates,
    ConsolidationInput,
    Decision,
    Decisions,
    ExtractionInput,
    KnownFact,
)
from memory.learning import consolidation, validation
from memory.models import Fact
from memoryhub.ai import Line
from memoryhub.community.models import Guild, Member
from notes.models import Message
from tests.factories import NOON, days, make_fact, make_guild, make_member, make_message, minutes
from tests.incoming import say
from tests.scripted import scripted

LATER = NOON + minutes(60)


# --- What is extracted ---------------------------------------------------------------------------------


def extracted(text: str) -> list[str]:
    line = Line(message=1, author=4, name="Alice", text=text, sent_at=NOON)
    return [fact.text for fact in rules.extract(ExtractionInput(guild="North", lines=[line], learn_from=[1])).facts]


def test_a_possession_is_a_fact():
    assert extracted("I own a PS5 and a projector.") == ["Owns a PS5 and a projector."]


def test_a_life_s_turn_is_a_fact():
    assert extracted("I grew up in Lisbon and I studied medicine.") != []


@pytest.mark.parametrize("text", ["lol that was great", "ok brb in a minute", "what a day", "so tired right now"])
def test_filler_is_no_fact(text):
    assert extracted(text) == []


def test_words_about_somebody_who_is_not_here_are_no_fact_of_the_speaker():
    assert extracted("He hates mondays and he works as a baker.") == []
    assert extracted("Kevin moved to Berlin and works as a baker.") == []


# --- What a new fact means for an old one --------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "new", "old"),
    [
        ("REINFORCE", "Uses Neovim as their editor.", "Uses the Neovim editor."),
        ("REINFORCE", "Now works as a software engineer.", "Works as a software engineer."),
        ("KEEP", "Likes sushi.", "Works as a nurse."),
        ("KEEP", "Plays chess.", "Has a cat named Miso."),
        ("KEEP", "Is visiting Rome in June 2026.", "Lives in Oslo."),
        ("INVALIDATE", "Moved to Berlin.", "Lives in Toronto."),
        # A model merges these (the prompt has such an example); the rules keep both, which loses nothing.
        ("KEEP", "Bought a PS5.", "Owns an Xbox."),
        ("KEEP", "Knows Rust.", "Knows Python."),
    ],
)
def test_the_rules_decide_the_cases_of_the_design(action, new, old):
    given = ConsolidationInput(new=new, old=[KnownFact(id=7, subject=1, text=old)])
    assert [decision.action for decision in rules.decide(given).decisions] == [action]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("new", "old", "merged"),
    [
        ("Bought a PS5.", "Owns an Xbox.", "Owns an Xbox and a PS5."),
        ("Knows Rust.", "Knows Python.", "Knows Python and Rust."),
    ],
)
def test_a_model_s_merger_of_two_consoles_or_skills_is_carried_out(new, old, merged):
    guild = make_guild()
    alice = make_member(guild)

    def settle(text, *decisions):
        proposal = Proposal(
            guild=guild, subject=alice, text=text, kind="profile", confidence=0.7, explicit=True, said_at=NOON,
            messages=[make_message(text, author=alice)], quote=text,
        )  # fmt: skip
        return consolidation.settle(
            proposal, actor="test", now=NOON, decide=lambda _: Decisions(decisions=list(decisions))
        )

    first = settle(old)
    settle(new, Decision(action="MERGE", fact=first.pk, merged_text=merged))
    assert list(Fact.objects.active().values_list("text", flat=True)) == [merged]


# --- The processor -------------------------------------------------------------------------------------


def learn(*facts: dict[str, object]) -> None:
    from memory import pipeline

    with scripted() as model:
        model.will("extraction", Candidates(facts=[Candidate.model_validate(fact) for fact in facts]))
        pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=LATER)


def fact(message: Message, text: str, **fields: object) -> dict[str, object]:
    values = {"text": text, "subject": message.author_id, "quote": message.text, "messages": [message.pk]}
    return {**values, **fields}


@pytest.mark.django_db
def test_with_no_messages_nobody_is_asked():
    from memory import pipeline

    with scripted() as model:
        assert pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=LATER) == 0
    assert model.asked == []


@pytest.mark.django_db
def test_an_empty_answer_reads_the_messages_all_the_same():
    say("I live in Toronto.")
    learn()
    assert not Fact.objects.exists()
    assert not Message.objects.filter(processed_at=None).exists()


@pytest.mark.django_db
def test_several_facts_of_one_answer_are_stored_and_empty_ones_are_not():
    say("I live in Toronto and I play chess and I have a dog named Bento.")
    message = Message.objects.get()
    learn(*(fact(message, text) for text in ("Lives in Toronto.", "", "  ", "Plays chess.", "Has a dog named Bento.")))
    assert Fact.objects.active().count() == 3


@pytest.mark.django_db
def test_the_same_fact_twice_in_one_answer_is_stored_once_and_not_reinforced_by_one_message():
    say("I live in Toronto.")
    message = Message.objects.get()
    learn(fact(message, "Lives in Toronto."), fact(message, "LIVES IN TORONTO"))
    assert [(row.text, row.reinforcements) for row in Fact.objects.all()] == [("Lives in Toronto.", 0)]


@pytest.mark.django_db
def test_the_model_s_confidence_is_kept_and_a_missing_one_is_a_half_and_inferred():
    say("I live in Toronto and I play chess.")
    message = Message.objects.get()
    learn(fact(message, "Lives in Toronto.", confidence=0.8, explicit=True), fact(message, "Plays chess."))
    stored = {row.text: (row.confidence, row.source_type) for row in Fact.objects.all()}
    assert stored == {"Lives in Toronto.": (0.8, "explicit"), "Plays chess.": (0.5, "inferred")}


def test_a_bare_list_is_taken_for_the_facts():
    bare = [{"text": "Likes tea.", "subject": 1, "quote": "tea", "messages": [1]}]
    assert Candidates.model_validate(bare).facts[0].text == "Likes tea."


@pytest.mark.django_db
def test_a_weak_fact_that_was_just_repeated_is_not_stale():
    from memory.withdrawal import fact_limits

    weak = make_fact("Likes tea.", subject=make_member(), confidence=0.4, said_at=NOON - days(200))
    Fact.objects.filter(pk=weak.pk).update(last_reinforced_at=NOON - days(1))
    assert fact_limits.archive_outgrown(make_guild(), now=NOON)["stale"] == 0


# --- What the filter and the grounding decide ----------------------------------------------------------


@pytest.mark.parametrize("text", ["東京に住んでいます。", "Я живу в Москве.", "أعيش في القاهرة.", "Μένω στην Αθήνα."])
def test_the_same_sentence_is_its_own_ground_in_any_script(text):
    assert validation.refuse(text, text, text) is None


def test_a_quote_from_nowhere_drops_the_fact():
    assert validation.refuse("Lives in Toronto.", "I live in Toronto", "good morning") == "no quote"


# --- What is shown ----------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"name": "al1ce", "display_name": "Alice"}, "Alice"),
        ({"name": "al1ce", "display_name": ""}, "al1ce"),
        ({"name": "", "display_name": ""}, "Member"),
    ],
)
def test_a_member_goes_by_the_guild_s_name_for_them_then_the_account_s_and_never_by_an_id(fields, shown):
    assert str(Member(platform_id="u-7", **fields)) == shown


@pytest.mark.django_db
def test_a_page_shows_120_characters_of_a_piece_of_evidence_and_all_of_it_is_kept(admin_client):
    words = "I live in Toronto, " + "and the lake is lovely in the morning when nobody is there " * 3
    message = make_message(words)
    row = make_fact("Lives in Toronto.", subject=message.author, evidence=[message])
    page = admin_client.get(f"/memories/{row.pk}", follow=True).content.decode()
    assert words[:100] in page
    assert words[:130] not in page
    assert row.evidence.get().quote == words[:240]
