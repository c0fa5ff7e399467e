"""What a guild keeps no longer goes, a little at a time; what was learned from it stays, as its settings say."""

import pytest
from django.db import IntegrityError

from memory import pipeline
from memory.index import embeddings, writing
from memory.models import Action, Fact, ModelCall
from memory.recall import search
from memory.records import snapshots
from memory.withdrawal import retention
from memoryhub.community.models import Guild
from memoryhub.search import keywords, vectors
from memoryhub.search.scope import WHOLE_GUILD, Scope
from notes.models import ChannelBuffer, InteractionNote, Journal, Message
from tests import toy_embedder
from tests.factories import (
    NOON,
    days,
    make_buffer,
    make_evidence,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
)

pytestmark = pytest.mark.django_db

NOW = NOON + days(31)
READ = {"processed_at": NOON}


def digested(at=NOON, **fields):
    return make_buffer(status=ChannelBuffer.Status.DONE, closed_at=at, digested_at=at, **fields)


def apply_limits(now=NOW, **fields):
    return retention.apply_to_guild(make_guild(), now=now, **fields)


def test_the_text_of_a_message_goes_thirty_days_after_its_digest():
    message = make_message(buffer=digested(), **READ)
    assert apply_limits(now=NOON + days(30))["messages"] == 0
    assert apply_limits(now=NOON + days(30.1))["messages"] == 1
    message.refresh_from_db()
    assert (message.text, message.deleted_at, message.let_go_at) == ("", None, NOON + days(30.1))


def test_what_is_not_digested_yet_waits():
    late = digested(at=NOON + days(20))
    kept = [
        make_message(buffer=make_buffer(status=ChannelBuffer.Status.PARKED, closed_at=NOON), **READ),
        make_message(buffer=late, **READ),
        make_message(buffer=digested()),
        make_message(author=make_member(name="Bob"), processed_at=NOON + days(20)),
    ]
    apply_limits()
    assert Message.objects.filter(let_go_at=None).count() == len(kept)


def test_facts_outlive_the_text_with_their_quotes_and_as_sure_as_before():
    message = make_message(buffer=digested(), **READ)
    fact = make_fact(subject=message.author, evidence=[message], confidence=0.9)
    apply_limits()
    fact.refresh_from_db()
    row = fact.evidence.get()
    assert (fact.confidence, row.message, row.quote) == (0.9, message, "I moved to Toronto last spring.")


def test_a_fact_without_a_quote_goes_with_the_last_text_it_rests_on():
    old, new = make_message(buffer=digested(), **READ), make_message()
    bare, held = make_fact("Lives in Rome."), make_fact("Likes tea.")
    told = make_fact("Was told by a person.")
    for fact, message in ((bare, old), (held, old), (held, new)):
        make_evidence(fact, message, quote="")
    assert apply_limits()["facts"] == 1
    assert set(Fact.objects.all()) == {held, told}


def test_where_facts_may_not_outlive_their_messages_they_go_together():
    Guild.objects.filter(pk=make_guild().pk).update(facts_outlive=False)
    old, new = make_message(buffer=digested(), **READ), make_message()
    make_fact("Lives in Rome.", evidence=[old])
    held = make_fact("Likes tea.", evidence=[old, new])
    apply_limits()
    assert Fact.objects.get() == held
    assert held.evidence.get().message == new


def test_a_note_is_found_no_longer_by_words_that_were_let_go():
    old, new = make_message("The kayak leaks.", buffer=digested(), **READ), make_message("Tar helps.")
    writing.index_notes([note := make_note(messages=[old, new])])
    apply_limits()
    scope = Scope(guild=note.guild_id, audiences=[WHOLE_GUILD])
    asked = [keywords.Asked("note", word, scope, 9) for word in ("kayak", "tar", "Toronto")]
    assert [len(found) for found in keywords.search_all(asked)] == [0, 1, 1]


def test_notes_stay_and_name_the_messages_whose_text_was_let_go():
    message = make_message(buffer=digested(), **READ)
    note = make_note(messages=[message])
    apply_limits()
    assert InteractionNote.objects.get() == note
    shown = note.messages.get()
    assert shown.absence == "its text was deleted on 2 April 2026"


def test_the_text_leaves_the_index_and_recall():
    message = make_message("My kayak leaks at the bow.", buffer=digested(), **READ)
    after = make_message("Try some tape.", author=make_member(name="Bob"), buffer=message.buffer)
    writing.index_messages([message, after])
    apply_limits()
    assert keywords.held(kind="message") == {after.pk}
    asked = {"question": "kayak leaks", "now": NOW, "kinds": ("message",)}
    assert [memory.text for memory in search.recall(make_guild(), **asked)] == ["Try some tape."]


def test_the_embedding_goes_with_the_text(monkeypatch):
    model = toy_embedder.install(monkeypatch)
    make_message("My kayak leaks at the bow.", buffer=digested(), **READ)
    embeddings.embed_missing(10)
    assert len(vectors.held(kind="message", model=model.identity)) == 1
    apply_limits()
    assert vectors.held(kind="message", model=model.identity) == set()


def test_a_late_copy_of_the_message_is_still_known():
    from tests.incoming import north, say

    said = say("I live in Toronto.", at=NOON)
    pipeline.digest(north(), now=NOON + days(0.1))
    retention.apply_to_guild(north(), now=NOW)
    assert Message.objects.get().let_go_at
    assert say("I live in Toronto.", id=said.id, at=NOON).status == "duplicate"


def test_journals_go_with_their_files(django_capture_on_commit_callbacks):
    guild = make_guild()
    make_message()
    for day in (NOON.date(), (NOON + days(10)).date()):
        Journal.objects.create(guild=guild, day=day, text="x", generated_at=NOON + days(0.5))
        snapshots.folder(guild).mkdir(parents=True, exist_ok=True)
        (snapshots.folder(guild) / f"{day}.md").write_text("x")
    with django_capture_on_commit_callbacks(execute=True):
        assert apply_limits()["journals"] == 1
    assert [row.day for row in Journal.objects.all()] == [(NOON + days(10)).date()]
    assert [path.name for path in snapshots.folder(guild).iterdir()] == [f"{(NOON + days(10)).date()}.md"]


def test_a_journal_goes_with_the_first_text_that_it_repeats():
    guild, message = make_guild(), make_message(buffer=digested(), **READ)
    Journal.objects.create(guild=guild, day=message.sent_at.date(), text="x", generated_at=NOW)
    assert apply_limits()["journals"] == 1
    assert not Journal.objects.exists()


def test_a_journal_of_an_import_is_kept_from_the_day_it_was_written():
    Journal.objects.create(guild=make_guild(), day=(NOON - days(900)).date(), text="x", generated_at=NOON + days(20))
    assert apply_limits()["journals"] == 0


def test_logs_go_by_their_own_days_and_the_run_leaves_a_report():
    guild = make_guild()
    ModelCall.objects.create(guild=guild, purpose="note", model="m", outcome="ok", at=NOON - days(60))
    ModelCall.objects.create(guild=guild, purpose="note", model="m", outcome="ok", at=NOON - days(58))
    Action.objects.create(guild=guild, kind="digest", at=NOON - days(150))
    apply_limits()
    assert ModelCall.objects.count() == 1
    report = Action.objects.get()
    assert (report.kind, report.detail) == ("retention", {"counts": {"model_calls": 1, "actions": 1}})


def test_an_empty_setting_keeps_for_ever():
    settings = ("message_days", "journal_days", "archive_days", "call_days", "action_days")
    Guild.objects.filter(pk=make_guild().pk).update(**dict.fromkeys(settings))
    make_message(buffer=digested(), **READ)
    ModelCall.objects.create(guild=make_guild(), purpose="note", model="m", outcome="ok", at=NOON - days(6000))
    Journal.objects.create(guild=make_guild(), day=NOON.date(), text="x")
    assert sum(apply_limits(now=NOON + days(6000)).values()) == 0


def test_it_goes_on_where_it_was_stopped(monkeypatch):
    monkeypatch.setattr(retention, "MESSAGES_AT_ONCE", 2)
    buffer = digested()
    for _ in range(5):
        make_message(buffer=buffer, sent_at=NOON, **READ)
    steps = iter([True, True, True, True, False])
    assert apply_limits(keep_going=lambda: next(steps, False))["messages"] == 2
    assert apply_limits()["messages"] == 3
    assert apply_limits()["messages"] == 0


def test_an_author_may_still_take_back_what_was_let_go():
    message = make_message(buffer=digested(), **READ)
    fact = make_fact(evidence=[message])
    apply_limits()
    pipeline.delete(make_guild(), message_ids=[message.platform_id], now=NOW)
    message.refresh_from_db()
    assert message.absence == "deleted"
    assert not Fact.objects.filter(pk=fact.pk).exists()


def test_another_guild_s_settings_are_its_own():
    make_message(buffer=digested(), **READ)
    retention.apply_to_guild(make_guild("discord:2"), now=NOW)
    assert not Message.objects.exclude(let_go_at=None).exists()


def test_a_message_that_was_let_go_can_hold_no_text():
    with pytest.raises(IntegrityError):
        make_message(let_go_at=NOON)
