"""When the source goes, what stood on it alone goes, and what it had replaced is believed again."""

from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from memory import pipeline
from memory.facts.proposal import Proposal
from memory.facts.schemas import Decision, Decisions
from memory.learning import consolidation
from memory.models import Evidence, Fact, FactChange
from memory.records import snapshots
from memory.withdrawal import withdraw
from memoryhub.community import consent
from memoryhub.community.models import Member
from memoryhub.db import stored_files
from memoryhub.search import keywords
from memoryhub.search.scope import Scope
from notes.messages import message_store
from notes.models import InteractionNote, Journal, Message
from profiles.models import ProfileEntry
from tests.factories import NOON, days, make_fact, make_guild, make_member, make_message, minutes
from tests.incoming import north, say

pytestmark = pytest.mark.django_db
BY = {"actor": "operator:bob", "now": NOON}
CANARY = "Quillon"
TALK = [
    ("Alice", f"I live in {CANARY}."),
    ("Bob", "I live in Rome. I have a dog named Bento. We walk along the river every single morning before work."),
    ("Alice", "I work as a nurse at the children's hospital. The night shifts there are long and quiet."),
]


def talk():
    for minute, (author, text) in enumerate(TALK):
        say(text, author, at=NOON + minutes(minute), id=f"t-{minute}")
    pipeline.digest(None, now=NOON + minutes(60))
    snapshots.render_journal(north(), day=NOON.date(), now=NOON)
    snapshots.current_snapshot(north(), now=NOON, refresh=True)


def everything_stored() -> str:
    """Return every text of every table of the database, raw index tables too, and every paper on disk."""
    with connection.cursor() as cursor:
        rows = []
        for table in stored_files.tables():
            cursor.execute(f'SELECT * FROM "{table}"')
            rows += cursor.fetchall()
    files = [path.read_text() for path in Path(settings.DATA_DIR, "papers").rglob("*.md")]
    return " ".join(str(cell) for row in rows for cell in row) + " ".join(files)


def test_a_forgotten_fact_is_gone_with_its_history_and_index():
    fact = make_fact("Lives in Toronto.", evidence=[make_message()])
    pk = fact.pk
    withdraw.forget_fact(fact, **BY)
    assert not Fact.objects.exists()
    assert not Evidence.objects.exists()
    assert not FactChange.objects.exists()
    assert pk not in keywords.held(kind="fact")


def test_a_deleted_message_takes_the_facts_that_stood_on_it_alone():
    talk()
    assert Fact.objects.filter(text__contains=CANARY).exists()
    pipeline.delete(north(), message_ids=["t-0"], now=NOON + minutes(70))
    assert not Fact.objects.filter(text__contains=CANARY).exists()
    assert Fact.objects.filter(text__contains="Rome").exists()


def test_the_text_of_a_deleted_message_is_gone_from_every_table_and_file(django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        talk()
    assert CANARY in everything_stored()
    with django_capture_on_commit_callbacks(execute=True):
        pipeline.delete(north(), message_ids=["t-0"], now=NOON + minutes(70))
    left = everything_stored()
    assert CANARY.lower() not in left.lower()
    assert "Bento" in left


def test_the_conversation_is_told_again_without_the_deleted_message():
    talk()
    pipeline.delete(north(), message_ids=["t-0"], now=NOON + minutes(70))
    assert not InteractionNote.objects.exists()
    pipeline.digest(None, now=NOON + minutes(80))
    note = InteractionNote.objects.get()
    assert CANARY not in note.summary
    assert set(note.messages.values_list("platform_id", flat=True)) == {"t-1", "t-2"}


def test_the_profile_follows_at_once():
    talk()
    assert ProfileEntry.objects.filter(text__contains=CANARY).exists()
    pipeline.delete(north(), message_ids=["t-0"], now=NOON + minutes(70))
    assert not ProfileEntry.objects.filter(text__contains=CANARY).exists()


def test_the_journal_follows_at_once():
    talk()
    pipeline.delete(north(), message_ids=["t-0"], now=NOON + minutes(70))
    assert CANARY not in Journal.objects.get().text


def test_deleting_twice_or_an_unknown_message_changes_nothing():
    talk()
    assert pipeline.delete(north(), message_ids=["t-0"], now=NOON) == 1
    assert pipeline.delete(north(), message_ids=["t-0", "never"], now=NOON) == 0


def test_a_late_copy_of_a_deleted_message_is_a_duplicate():
    talk()
    pipeline.delete(north(), message_ids=["t-0"], now=NOON)
    assert say(TALK[0][1], id="t-0").status == "duplicate"
    assert Message.objects.get(platform_id="t-0").text == ""


def test_a_fact_with_other_evidence_stays_and_is_less_sure():
    one, two = make_message(), make_message()
    fact = make_fact(subject=make_member(), evidence=[one, two], confidence=0.8)
    withdraw.withdraw_message_text([one], now=NOON)
    fact.refresh_from_db()
    assert (fact.status, fact.confidence, fact.evidence.count()) == ("active", 0.7, 1)


def settle(text, message, *decisions, at=NOON):
    proposal = Proposal(
        guild=message.guild, subject=message.author, text=text, kind="profile", confidence=0.7, explicit=False,
        said_at=at, messages=[message],
    )  # fmt: skip
    return consolidation.settle(proposal, actor="test", now=NOON, decide=lambda _: Decisions(decisions=list(decisions)))


def test_what_a_deleted_message_had_replaced_is_believed_again():
    first, second = make_message(), make_message()
    old = settle("Lives in Toronto.", first)
    settle("Lives in Berlin.", second, Decision(action="INVALIDATE", fact=old.pk), at=NOON + days(1))
    withdraw.withdraw_message_text([second], now=NOON)
    assert [(fact.text, fact.valid_until) for fact in Fact.objects.all()] == [("Lives in Toronto.", None)]


def test_a_merged_fact_dissolves_when_one_of_its_messages_goes():
    first, second = make_message("I own an Xbox."), make_message("I bought a PS5.")
    old = settle("Owns an Xbox.", first)
    settle("Bought a PS5.", second, Decision(action="MERGE", fact=old.pk, merged_text="Owns an Xbox and a PS5."))
    withdraw.withdraw_message_text([second], now=NOON)
    assert [(fact.text, fact.status) for fact in Fact.objects.all()] == [("Owns an Xbox.", "active")]


def test_what_was_told_in_a_merger_only_is_read_again_when_another_of_its_messages_goes():
    said = [make_message(text, processed_at=NOON) for text in ("I own an Xbox.", "I bought a PS5.", "I own a Wii.")]
    old = settle("Owns an Xbox.", said[0])
    both = settle(
        "Bought a PS5.", said[1], Decision(action="MERGE", fact=old.pk, merged_text="Owns an Xbox and a PS5.")
    )
    every = "Owns an Xbox, a PS5 and a Wii."
    settle("Owns a Wii.", said[2], Decision(action="MERGE", fact=both.pk, merged_text=every))
    pipeline.delete(make_guild(), message_ids=[said[0].platform_id], now=NOON)
    assert not Fact.objects.exists()
    assert set(Message.objects.filter(processed_at=None)) == set(said[1:])


def test_an_edited_message_withdraws_the_old_words_and_is_read_again():
    talk()
    pipeline.edit(
        north(), message_id="t-0", text="I live in Lisbon and I work as a nurse in Lisbon.", now=NOON + minutes(70)
    )
    assert not Fact.objects.filter(text__contains=CANARY).exists()
    pipeline.digest(None, now=NOON + minutes(80))
    assert Fact.objects.active().filter(text__contains="Lisbon").exists()
    assert "Lisbon" in InteractionNote.objects.get().summary


def test_an_edit_that_changes_nothing_does_nothing():
    talk()
    pipeline.edit(north(), message_id="t-0", text=TALK[0][1], now=NOON + minutes(70))
    assert Message.objects.get(platform_id="t-0").edited_at is None
    assert InteractionNote.objects.exists()


def test_an_edit_to_nothing_is_a_deletion():
    talk()
    message = pipeline.edit(north(), message_id="t-0", text="  ", now=NOON + minutes(70))
    assert message.deleted_at is not None
    assert not Fact.objects.filter(text__contains=CANARY).exists()


def test_an_edited_message_is_found_by_its_new_words_only():
    talk()
    pipeline.edit(
        north(), message_id="t-0", text="I live in Lisbon and I work as a nurse in Lisbon.", now=NOON + minutes(70)
    )
    scope = Scope(guild=north().pk, audiences=[0])
    assert keywords.search(kind="message", query=CANARY, scope=scope, limit=5) == []
    assert len(keywords.search(kind="message", query="Lisbon", scope=scope, limit=5)) >= 1


def test_an_edit_by_who_opted_out_meanwhile_stores_nothing_and_deletes():
    talk()
    consent.choose(Member.objects.get(display_name="Alice"), remember=False, actor="member", now=NOON)
    pipeline.edit(north(), message_id="t-0", text="I live in Lisbon.", now=NOON)
    assert Message.objects.get(platform_id="t-0").text == ""


def test_a_late_edit_of_a_deleted_message_brings_no_text_back():
    talk()
    pipeline.delete(north(), message_ids=["t-0"], now=NOON)
    with pytest.raises(message_store.MessageUnknown):
        pipeline.edit(north(), message_id="t-0", text=TALK[0][1], now=NOON)
    assert Message.objects.get(platform_id="t-0").text == ""


@pytest.mark.parametrize("gone", ["n-0", "n-1"])
def test_a_fact_that_two_messages_worded_is_not_held_by_one_of_them(gone):
    for minute, text in enumerate(["I adopted a puppy in Rome", f"she's called {CANARY}"]):
        say(text, at=NOON + minutes(minute), id=f"n-{minute}")
    pipeline.digest(None, now=NOON + minutes(60))
    assert Fact.objects.filter(text=f"Has a puppy named {CANARY}.").exists()
    pipeline.delete(north(), message_ids=[gone], now=NOON + minutes(61))
    pipeline.digest(None, now=NOON + minutes(120))
    assert not Fact.objects.filter(text__contains=CANARY).exists()
