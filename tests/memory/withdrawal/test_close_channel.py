"""A channel that is closed takes along what was learned there; one that is opened keeps what was said before."""

from __future__ import annotations

import pytest

from memory import pipeline
from memory.curation import corrections
from memory.facts import at_odds
from memory.index import embeddings, writing
from memory.models import Contradiction, Fact, Snapshot
from memory.recall.search import recall
from memory.records import snapshots
from memory.withdrawal import close_channel
from memory.withdrawal.close_channel import change_audience
from memoryhub.community.models import Channel
from memoryhub.search import keywords, vectors
from memoryhub.search.scope import WHOLE_GUILD, Scope
from notes.models import InteractionNote, Journal
from profiles.models import Profile, ProfileEntry, RelationshipDay
from profiles.revision.visible_entries import entries_for
from tests import toy_embedder
from tests.factories import (
    NOON,
    days,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    minutes,
)
from tests.incoming import north, say

pytestmark = pytest.mark.django_db
LATER = NOON + days(1)
OPEN, CLOSED = Channel.Audience.GUILD, Channel.Audience.CHANNEL


def close(channel: Channel) -> Channel:
    change_audience(channel, CLOSED, now=LATER)
    return channel


def heard_by(row) -> int | None:
    row.refresh_from_db()
    return row.audience_id


def texts(found) -> list[str]:
    return [memory.text for memory in found]


# --- At once -----------------------------------------------------------------------------------------------------


def test_what_was_learned_in_a_channel_is_narrow_as_soon_as_it_is_closed():
    message = make_message("I live in Toronto.", channel=make_channel(name="crew"))
    fact = make_fact(subject=message.author, channel=message.channel, evidence=[message])
    note = make_note(messages=[message])
    entry = make_entry(member=message.author, notes=[note])
    close(message.channel)
    assert {heard_by(fact), heard_by(note), heard_by(entry)} == {message.channel_id}
    assert recall(make_guild(), question="Where does Alice live? Toronto?", now=LATER) == []
    assert recall(make_guild(), question="Where does Alice live?", channel=message.channel, now=LATER)


def test_facts_of_every_status_are_narrowed_with_their_history():
    message = make_message("I live in Rome.", channel=make_channel(name="crew"))
    facts = [
        make_fact(f"Lives in {status}.", subject=message.author, evidence=[message], status=status)
        for status in Fact.Status.values
    ]
    close(message.channel)
    assert {heard_by(fact) for fact in facts} == {message.channel_id}


def test_what_an_open_channel_taught_first_stays_open_without_the_words_of_the_closed_one():
    openly, closely = make_message(), make_message(channel=make_channel(name="crew"))
    fact = make_fact(subject=openly.author, channel=openly.channel, evidence=[openly, closely], confidence=0.8)
    close(closely.channel)
    assert heard_by(fact) is None
    assert [row.message for row in fact.evidence.all()] == [openly]
    assert fact.confidence < 0.8
    closely.refresh_from_db()
    assert closely.processed_at is None


def test_what_somebody_told_the_whole_guild_stays_open_though_it_was_said_again_in_private():
    told = corrections.remember(
        make_guild(), subject=make_member(), text="Lives in Toronto.", kind="profile", actor="operator:olga", now=NOON
    )
    say("I live in Toronto.", channel="crew", at=NOON + minutes(1))
    pipeline.digest(north(), now=NOON + minutes(60))
    assert told.evidence.exclude(message=None).exists()
    close(make_channel(name="crew"))
    assert heard_by(told) is None
    assert not told.evidence.exclude(message=None).exists()


def test_what_the_closed_channel_worded_is_learned_again_from_open_words():
    say("I live in Toronto.", channel="crew", at=NOON)
    say("I live in Toronto!", channel="general", at=NOON + minutes(1))
    pipeline.digest(None, now=NOON + minutes(60))
    assert Fact.objects.get().evidence.count() == 2
    close(Channel.objects.get(platform_id="c-crew"))
    pipeline.learn_waiting("batch", now=LATER)
    told = {fact.audience: [row.message.channel.name for row in fact.evidence.all()] for fact in Fact.objects.all()}
    assert told == {None: ["general"], Channel.objects.get(platform_id="c-crew"): ["crew"]}


def test_a_merged_fact_gets_the_narrowest_audience_and_the_open_part_is_believed_again():
    openly, closely = make_message(), make_message(channel=make_channel(name="crew"))
    part = make_fact("Likes tea.", subject=openly.author, evidence=[openly], channel=openly.channel)
    merged = make_fact(
        "Likes green tea.", subject=openly.author, evidence=[openly, closely], channel=openly.channel
    )  # fmt: skip
    merged.changes.create(action="merge", before={}, batch="0" * 32, actor="extraction")
    Fact.objects.filter(pk=part.pk).update(status="superseded", replaced_by=merged)
    close(closely.channel)
    part.refresh_from_db()
    assert (heard_by(merged), part.audience_id, part.status) == (closely.channel_id, None, "active")


def test_a_fact_of_two_closed_channels_dissolves():
    first, second = make_message(channel=make_channel(name="crew")), make_message(channel=make_channel(name="staff"))
    merged = make_fact(subject=first.author, evidence=[first, second], channel=first.channel)
    merged.changes.create(action="merge", before={}, batch="0" * 32, actor="extraction")
    close(first.channel)
    assert heard_by(merged) == first.channel_id
    close(second.channel)
    assert not Fact.objects.filter(pk=merged.pk).exists()


def test_what_was_replaced_in_private_is_believed_again_by_the_guild():
    openly, closely = make_message("I live in Rome."), make_message(channel=make_channel(name="crew"))
    newer = make_fact(subject=openly.author, evidence=[closely], channel=closely.channel)
    old = make_fact(
        "Lives in Rome.", subject=openly.author, evidence=[openly], channel=openly.channel, status="superseded",
        replaced_by=newer, valid_until=NOON,
    )  # fmt: skip
    close(closely.channel)
    old.refresh_from_db()
    assert (old.status, old.valid_until, heard_by(newer)) == ("active", None, closely.channel_id)


def test_a_fact_that_the_readers_know_already_joins_theirs():
    message = make_message(channel=make_channel(name="crew"))
    known = make_fact(subject=message.author, audience=message.channel, channel=message.channel)
    fact = make_fact(subject=message.author, evidence=[message], channel=message.channel)
    close(message.channel)
    fact.refresh_from_db()
    assert (fact.status, fact.replaced_by, heard_by(fact)) == ("superseded", known, message.channel_id)
    assert [row.message for row in known.evidence.all()] == [message]


@pytest.mark.parametrize("closed", ["older", "newer"])
def test_no_open_memory_is_marked_as_at_odds_with_one_of_a_closed_channel(closed):
    crew, member = make_channel(name="crew"), make_member()
    where = {"older": make_channel(), "newer": make_channel(), closed: crew}
    older = make_fact("Has two kids.", subject=member, channel=where["older"])
    newer = make_fact("Has three kids.", subject=member, channel=where["newer"], possible_conflict=True)
    Contradiction.objects.create(newer=newer, older=older)
    close(crew)
    newer.refresh_from_db()
    assert (newer.possible_conflict, at_odds.beside([newer])) == (False, [])


def test_a_pair_that_closes_together_stays_marked():
    crew, member = make_channel(name="crew"), make_member()
    older, newer = (make_fact(text, subject=member, channel=crew) for text in ("Has two kids.", "Has three kids."))
    Contradiction.objects.create(newer=newer, older=older)
    close(crew)
    assert at_odds.beside([newer]) == [older]


def test_a_topic_gets_the_narrowest_audience_of_its_notes_and_its_day_is_sorted_again():
    guild, crew = make_guild(), make_channel(name="crew")
    notes = [make_note("Cats", channel=crew), make_note("Dogs", channel=make_channel())]
    topic = make_note("Pets", kind="topic_cluster", channel=None)
    InteractionNote.objects.filter(pk=topic.pk).update(channel=None)
    topic.notes.set(notes)
    guild.job_runs.create(day=topic.note_date, phase="cluster", status="done")
    close(crew)
    assert [heard_by(row) for row in (topic, *notes)] == [crew.pk, crew.pk, None]
    assert not guild.job_runs.exists()


def test_a_line_of_both_is_narrow_and_the_profile_is_rebuilt():
    crew, member = make_channel(name="crew"), make_member()
    entry = make_entry(notes=[make_note(channel=crew), make_note(channel=make_channel())], member=member)
    Profile.objects.update(summary="Alice lives in Toronto.")
    close(crew)
    profile = Profile.objects.get()
    assert (heard_by(entry), profile.summary, profile.dirty, profile.outdated) == (crew.pk, "", True, True)


def test_a_line_that_the_readers_have_already_joins_theirs():
    crew, member = make_channel(name="crew"), make_member()
    theirs = make_entry(member=member, audience=crew)
    make_entry(member=member, notes=[make_note(channel=crew)], status=ProfileEntry.Status.REFUSED)
    close(crew)
    entry = ProfileEntry.objects.get()
    assert (entry.pk, entry.status, entry.sources.count()) == (theirs.pk, "refused", 1)


@pytest.mark.parametrize(("by", "kept"), [("person", ["In the crew"]), ("model", [])])
def test_a_pinned_line_of_two_closed_channels_is_told_without_the_second_or_not_at_all(by, kept):
    crew, deck = make_channel(name="crew"), make_channel(name="deck")
    notes = [make_note(f"In the {each.name}", messages=[make_message(channel=each)]) for each in (crew, deck)]
    line = make_entry(notes=notes, pinned=True, written_by=by)
    close(crew)
    close(deck)
    told = entries_for(make_guild(), [line.profile.member], channel=crew)
    assert [source.title for entry in told for source in entry.sources.all()] == kept


def test_papers_that_retell_a_closed_channel_are_gone_at_once_and_rendered_anew(
    settings, django_capture_on_commit_callbacks
):
    say("The harbour is closed today.", channel="general", at=NOON)
    say("The vault holds gold bars.", channel="crew", at=NOON)
    guild = north()
    with django_capture_on_commit_callbacks(execute=True):
        snapshots.render_journal(guild, day=NOON.date(), now=NOON)
        snapshots.current_snapshot(guild, now=NOON)
    files = [snapshots.folder(guild) / "MEMORY.md", snapshots.folder(guild) / f"{NOON.date()}.md"]
    assert all("vault" in file.read_text() for file in files)
    with django_capture_on_commit_callbacks(execute=True):
        close(Channel.objects.get(platform_id="c-crew"))
    assert not any(file.exists() for file in files)
    assert "vault" not in Snapshot.objects.get().text + Journal.objects.get().text
    with django_capture_on_commit_callbacks(execute=True):
        pipeline.tick(now=LATER)
    assert all("harbour" in file.read_text() and "vault" not in file.read_text() for file in files)


def test_counts_of_who_knows_whom_are_told_to_its_readers_only():
    crew = make_channel(name="crew")
    alice, bob = make_member(), make_member(name="Bob")
    RelationshipDay.objects.create(source=alice, target=bob, channel=crew, day=NOON.date(), replies=3)
    close(crew)
    assert not RelationshipDay.objects.told_in(make_guild(), None).exists()
    assert RelationshipDay.objects.told_in(make_guild(), crew).exists()


def test_threads_close_with_their_channel():
    crew = make_channel(name="crew")
    thread = make_channel(name="thread", parent=crew, kind="thread")
    close(crew)
    thread.refresh_from_db()
    assert thread.audience == CLOSED


def test_a_door_cannot_open_a_thread_wider_than_its_channel():
    say("One.", channel={"id": "c-crew", "audience": "channel"})
    say("Two.", channel={"id": "c-thread", "kind": "thread", "parent_id": "c-crew", "audience": "guild"})
    say("Three.", channel={"id": "c-thread", "kind": "thread", "parent_id": "c-crew", "audience": "guild"})
    assert Channel.objects.get(platform_id="c-thread").audience == CLOSED


def test_whoever_tells_that_a_channel_is_closed_closes_what_came_from_it():
    say("I live in Toronto.", channel={"id": "c-crew", "audience": "guild"}, at=NOON)
    pipeline.digest(None, now=NOON + minutes(60))
    assert Fact.objects.get().audience is None
    say("Psst.", channel={"id": "c-crew", "audience": "channel"}, at=NOON + minutes(90))
    assert heard_by(Fact.objects.get()) == Channel.objects.get().pk


def test_what_is_read_while_its_channel_closes_is_stored_narrow(monkeypatch):
    say("I live in Toronto.", channel="crew", at=NOON)
    from memory.learning import extraction

    asked = extraction.ask

    def and_meanwhile(*args, **kwargs):
        answer = asked(*args, **kwargs)
        close(Channel.objects.get())
        return answer

    monkeypatch.setattr(extraction, "ask", and_meanwhile)
    pipeline.digest(None, now=LATER)
    crew = Channel.objects.get().pk
    assert [fact.audience_id for fact in Fact.objects.all()] == [crew]
    assert {entry.audience_id for entry in ProfileEntry.objects.all()} <= {crew}


# --- Opened ------------------------------------------------------------------------------------------------------


def test_what_was_said_before_a_channel_was_opened_stays_with_its_readers():
    say("I live in Toronto.", channel={"id": "c-crew", "audience": "channel"}, at=NOON)
    say("I work at the museum.", channel={"id": "c-crew", "audience": "guild"}, at=LATER)
    say("I love jazz.", channel={"id": "c-crew"}, at=LATER - minutes(9), now=LATER + minutes(1))
    pipeline.digest(None, now=LATER + minutes(60))
    open_facts = Fact.objects.filter(audience=None)
    assert [fact.text for fact in open_facts] == ["Works at the museum."]
    found = recall(north(), question="museum Toronto jazz", now=LATER + minutes(60), limit=24)
    assert found
    assert not [text for text in texts(found) if "Toronto" in text or "jazz" in text]
    journal = snapshots.render_journal(north(), day=NOON.date(), now=LATER).text
    assert "Toronto" not in journal


def test_opening_leaves_old_memory_narrow():
    message = make_message(channel=make_channel(name="crew", private=True))
    fact = make_fact(subject=message.author, evidence=[message], audience=message.channel, channel=message.channel)
    change_audience(message.channel, OPEN, now=LATER)
    assert heard_by(fact) == message.channel_id
    assert message.heard_by == message.channel_id
    assert recall(make_guild(), question="Where does Alice live? Toronto?", now=LATER) == []


# --- In the background -------------------------------------------------------------------------------------------


def scope(audience: int) -> Scope:
    return Scope(guild=make_guild().pk, audiences=[audience])


def test_the_indexes_follow_batch_by_batch_and_a_killed_worker_goes_on(monkeypatch):
    model = toy_embedder.install(monkeypatch)
    monkeypatch.setattr(close_channel, "AT_ONCE", 2)
    crew = make_channel(name="crew")
    said = [make_message(f"Toronto number {n}.", channel=crew) for n in range(5)]
    facts = [make_fact(f"Toronto {m.pk}.", subject=m.author, evidence=[m], channel=crew) for m in said]
    note = make_note("Toronto", messages=said)
    make_entry("Toronto", member=make_member(), notes=[note])
    writing.index_messages(said)
    writing.index_facts(facts)
    writing.index_notes([note])
    embeddings.embed_missing(100)
    close(crew)
    steps = 0
    while Channel.objects.get(pk=crew.pk).narrowing:  # each worker is killed after one batch
        allowed = [False, True]
        close_channel.update_indexes(keep_going=allowed.pop)
        steps += 1
        assert steps < 20
    assert steps > 6
    for kind, count in (("fact", 5), ("note", 1), ("message", 5)):
        assert keywords.search(kind=kind, query="Toronto", scope=scope(WHOLE_GUILD), limit=9) == []
        assert len(keywords.search(kind=kind, query="Toronto", scope=scope(crew.pk), limit=9)) == count
    passage = model.passages(["Toronto"])[0]
    for kind, count in (("fact", 5), ("note", 1), ("message", 5)):
        asked = {"kind": kind, "model": model.identity, "embedding": passage, "limit": 9}
        assert vectors.search(**asked, scope=scope(WHOLE_GUILD)) == []
        assert len(vectors.search(**asked, scope=scope(crew.pk))) == count
    assert close_channel.update_indexes() == 0


def test_until_the_indexes_followed_nothing_leaks(monkeypatch):
    toy_embedder.install(monkeypatch)
    for number in range(3):
        say(f"I live in Toronto, in house {number}.", channel="crew", at=NOON + minutes(number))
    pipeline.digest(None, now=NOON + minutes(60))
    embeddings.embed_missing(100)
    close(Channel.objects.get(platform_id="c-crew"))
    assert Channel.objects.get().narrowing
    assert recall(north(), question="Where does Alice live? In Toronto?", now=LATER, limit=24) == []


def test_a_channel_closed_once_more_begins_anew():
    crew = close(make_channel(name="crew"))
    Channel.objects.update(narrowing="profile 7")
    change_audience(crew, OPEN, now=LATER)
    close(crew)
    assert Channel.objects.get().narrowing == close_channel.BEGIN


def test_short_summaries_are_said_anew_from_what_is_left():
    crew, member = make_channel(name="crew"), make_member()
    make_entry("Lives in Toronto", member=member, notes=[make_note(channel=crew)])
    make_entry("Likes jazz", member=member, notes=[make_note(channel=make_channel())], section="interests")
    Profile.objects.update(summary="Alice lives in Toronto and likes jazz.")
    close(crew)
    close_channel.update_indexes()
    summary = Profile.objects.get().summary
    assert "jazz" in summary
    assert "Toronto" not in summary
