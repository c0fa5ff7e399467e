"""Erasing a member: all of theirs goes, the others' part stays, and a receipt says so."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from memory import erasure, pipeline
from memory.curation import corrections
from memory.erasure import erase
from memory.erasure.fingerprints import Needles
from memory.erasure.registry import HOLDERS
from memory.erasure.scan import scan
from memory.facts.changes import Batch
from memory.index import writing
from memory.index.documents import message_rows, note_rows
from memory.models import Action, Erasure, ErasureNeedles, Evidence, Fact, FactChange
from memory.records import snapshots
from memory.replies import responder
from memory.replies.responder import MessageToBot
from memoryhub import db
from memoryhub.community import tombstones
from memoryhub.community.models import Member, Tombstone
from memoryhub.models import AuditEntry, SavedFilter
from memoryhub.search import keywords
from notes.models import InteractionNote, Message
from profiles.consent_effects import choose
from profiles.models import ProfileEntry
from tests.factories import (
    NOON,
    make_api_key,
    make_channel,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    minutes,
)
from tests.incoming import SOUTH, north, say
from tests.memory.erasure.erasure_world import ALICE, BOAT, NOW, talk

pytestmark = pytest.mark.django_db(transaction=True)


def run_erasure(member: Member) -> erasure.Receipt:
    return erasure.erase_now(member, now=NOW, by="operator:anna")


def bytes_on_disk() -> bytes:
    """Return the database's file and log, as anybody who takes the disk would read them; else every row of it."""
    if not db.files():
        rows = (row for table in db.tables() for row in db.select(f'SELECT "{table}"::text FROM "{table}"'))
        return "\n".join(text for (text,) in rows).encode()
    return b"".join(block for path in db.files() for block in db.read_blocks(path, 1 << 20))


def test_a_saved_filter_about_the_member_goes_and_others_stay():
    alice, olga = talk(), User.objects.create_superuser("olga")
    about = ["q=who+is+Alice", f"member={alice.pk}&kind=fact"]
    for number, query in enumerate([*about, "sure=doubtful", f"member={alice.pk + 1000}"]):
        SavedFilter.objects.create(user=olga, name=f"f{number}", query=query)
    SavedFilter.objects.create(user=olga, name="Alice again", query="mark=pinned")
    receipt = run_erasure(alice)
    assert receipt.clean
    assert receipt.counts["saved filters"] == 3
    assert {"f2", "f3"} == set(SavedFilter.objects.values_list("name", flat=True))


def test_an_erased_member_is_in_no_table_index_or_file():
    alice = talk()
    snapshots.current_snapshot(north(), now=NOW)
    snapshots.render_journal(north(), day=NOON.date(), now=NOW)
    assert BOAT.encode() in bytes_on_disk()
    receipt = run_erasure(alice)
    assert receipt.scan["found_in"] == {}
    assert receipt.clean
    assert (receipt.scan["pages_cleared"], receipt.scan["file_rewritten"]) == (True, bool(db.files()))
    assert receipt.scan["tables"] > 40
    assert receipt.counts["messages"] == 3
    assert BOAT.encode() not in bytes_on_disk()
    written = [path.read_text() for path in snapshots.folder(north()).iterdir()]
    assert len(written) == 2
    assert not [text for text in written if ALICE in text or "nurse" in text]


def test_the_others_words_and_what_came_of_them_stay():
    run_erasure(talk())
    assert Message.objects.filter(author__platform_id="u-bob").count() == 3
    assert Fact.objects.active().filter(subject__platform_id="u-bob", text__contains="Oslo").exists()


def test_notes_are_written_anew_from_what_the_others_said():
    run_erasure(talk())
    pipeline.digest(north(), now=NOW + minutes(5))
    note = InteractionNote.objects.get()
    assert [member.platform_id for member in note.participants.all()] == ["u-bob"]
    assert "nurse" not in note.summary
    assert "Alice" not in f"{note.title} {note.summary}"


def test_what_others_told_of_the_member_goes_and_what_the_member_told_of_others_loses_that_evidence():
    alice, bob = make_member(), make_member(name="Bob")
    hers, his = make_message(author=alice), make_message("I live in Oslo.", author=bob)
    make_fact("Lives in Toronto.", subject=alice, evidence=[his])
    shared = make_fact("Lives in Oslo.", subject=bob, evidence=[hers, his], confidence=0.9)
    make_fact("Owns a barn.", subject=bob, evidence=[hers])
    make_fact("Is married to Alice.", subject=bob, evidence=[his])
    run_erasure(alice)
    assert list(Fact.objects.all()) == [shared]
    assert [row.speaker for row in Evidence.objects.all()] == [bob]
    shared.refresh_from_db()
    assert shared.confidence == pytest.approx(0.8)


def test_a_name_that_another_member_bears_takes_nothing_of_theirs():
    alice = make_member()
    make_member(name="Bob", platform_id="u-2", display_name="Alice Cooper")
    kept = make_fact("Sings with Alice.")
    run_erasure(alice)
    assert list(Fact.objects.all()) == [kept]


def test_the_name_in_others_own_words_stays_and_the_receipt_says_so():
    receipt = run_erasure(talk())
    told = Message.objects.get(text__startswith="Alice showed me")
    assert told.author.platform_id == "u-bob"
    assert receipt.scan["in_words_of_others"] >= 1


def test_the_account_id_goes_out_of_others_messages():
    run_erasure(talk())
    message = Message.objects.get(text__contains="two cats")
    assert message.text == "I live in Oslo and I keep two cats, [erased] fed them all summer."
    assert message.mentions == []


def test_what_the_bot_answered_about_the_member_goes_too():
    run_erasure(talk())
    assert not Message.objects.filter(author__is_bot=True).exists()


def test_logs_keep_what_was_done_and_lose_whom_it_was_about():
    alice = make_member()
    make_fact(subject=alice, evidence=[make_message(author=alice)])
    Action.objects.create(guild=alice.guild, kind="profile_edit", actor=f"member:{ALICE}", detail={"member": alice.pk})
    Action.objects.create(guild=alice.guild, kind="memory_fact", detail={"members": [alice.pk, 9999]})
    AuditEntry.objects.create(actor="operator:a", verb="looked", what="member", row=ALICE, member_id=alice.pk)
    assert run_erasure(alice).clean
    edit, learned = Action.objects.exclude(kind__startswith="erasure").order_by("pk")
    assert (edit.actor, edit.detail) == ("member:erased", {})
    assert learned.detail == {"members": [9999]}
    entry = AuditEntry.objects.get()
    assert (entry.what, entry.row, entry.member_id) == ("member", "", None)


def test_kept_answers_and_queued_work_that_name_the_member_go():
    from django_q.models import OrmQ
    from django_q.tasks import async_task

    alice = make_member(platform_id="12345678901")
    key = make_api_key(alice.guild)
    key.kept_answers.create(idempotency_key="a", request_digest="x", status=201, body='{"member": "12345678901"}')
    kept = key.kept_answers.create(idempotency_key="b", request_digest="x", status=201, body='{"member": "2"}')
    async_task("memory.tasks.learn", "12345678901")
    async_task("memory.tasks.learn")
    receipt = run_erasure(alice)
    assert list(key.kept_answers.all()) == [kept]
    assert OrmQ.objects.count() == 1
    assert (receipt.counts["kept answers"], receipt.counts["queue"]) == (1, 1)


def test_another_guilds_member_of_the_same_account_is_left_alone():
    alice = talk()
    say(BOAT, guild=SOUTH, at=NOON)
    receipt = run_erasure(alice)
    assert receipt.clean
    assert Message.objects.get(guild__key=SOUTH.key).text == BOAT


def test_who_had_said_no_stays_unheard_and_who_had_not_starts_with_nothing():
    alice = talk()
    choose(alice, remember=False, actor="member", now=NOW)
    run_erasure(alice)
    assert say("I am back and live in Rome.", at=NOW + minutes(1)).reason == "opted_out"
    bob = Member.objects.get(platform_id="u-bob")
    run_erasure(bob)
    assert say("I am back.", "Bob", at=NOW + minutes(1)).status == "stored"
    assert not Fact.objects.filter(subject__platform_id="u-bob").exists()
    assert not ProfileEntry.objects.exists()
    assert Tombstone.objects.count() == 2


def test_a_receipt_holds_nothing_of_the_member_and_can_be_verified_later():
    receipt = run_erasure(talk())
    again = erasure.verify(f" {receipt.token}\n")
    assert again == receipt
    signed = str(replace(again, token=""))  # a token's letters are random: they spell a short name now and then
    assert [word for word in ("Alice", ALICE, "Toronto", "Bob") if word in signed] == []
    assert Erasure.objects.get().receipt == receipt.token


@pytest.mark.parametrize(
    "change", [lambda t: t[:-1], lambda t: "x" + t, lambda t: "", lambda t: t.replace(":", "."), lambda _: "[]"]
)
def test_a_changed_receipt_is_refused(change):
    token = run_erasure(make_member()).token
    with pytest.raises(erasure.ReceiptInvalid, match="was not signed here"):
        erasure.verify(change(token))


def test_a_trace_that_is_left_stands_in_the_receipt():
    alice = talk()
    stray = settings.DATA_DIR / "imports" / "stray.txt"
    stray.parent.mkdir()
    stray.write_text(f"kept by somebody: {BOAT}")
    receipt = run_erasure(alice)
    assert not receipt.clean
    assert list(receipt.scan["found_in"]) == ["files in imports"]


def test_what_is_planned_is_what_goes_and_planning_changes_nothing():
    alice = talk()
    plan = erasure.preview(alice)
    assert Message.objects.count() == 6
    assert run_erasure(alice).counts == plan
    assert set(plan) == {holder.name for holder in HOLDERS}


def test_nothing_that_is_looked_for_stays_on_disk_afterwards():
    run_erasure(talk())
    assert not ErasureNeedles.objects.exists()


@pytest.mark.sqlite_only("how it deletes")
def test_deleted_text_is_overwritten_even_without_an_erasure():
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA secure_delete").fetchone() == (1,)


def test_a_channel_is_emptied_with_its_threads_and_keeps_its_switch():
    guild = make_guild()
    room = make_channel(guild, "room", memory_on=False)
    thread = make_channel(guild, "thread", parent=room, kind="thread")
    other = make_channel(guild, "other")
    alice = make_member(guild)
    here, there = make_message(BOAT, channel=thread, author=alice), make_message("I own a boat.", channel=other)
    make_fact("Lives in Toronto.", subject=alice, evidence=[here], channel=thread)
    kept = make_fact("Owns a boat.", subject=alice, evidence=[here, there])
    receipt = erasure.erase_now(room, now=NOW, by="operator:anna")
    assert receipt.clean
    assert (receipt.kind, receipt.counts["messages"]) == ("channel", 1)
    assert list(Message.objects.all()) == [there]
    assert list(Fact.objects.all()) == [kept]
    room.refresh_from_db()
    assert room.memory_on is False


def test_a_purged_guild_leaves_nothing_but_who_had_said_no():
    alice = talk()
    say("Another guild talks on, about sails and ropes.", "Charlie", guild=SOUTH, at=NOON)
    snapshots.current_snapshot(north(), now=NOW)
    place = snapshots.folder(north())
    choose(alice, remember=False, actor="member", now=NOW)
    guild = north()
    receipt = erasure.erase_now(guild, now=NOW, by="retention")
    assert receipt.scan["found_in"] == {}
    assert receipt.counts["guild"] == 1
    assert not place.exists()
    assert Message.objects.get().guild.key == SOUTH.key
    assert BOAT.encode() not in bytes_on_disk()
    assert say("We are back.", at=NOW + minutes(1)).reason == "opted_out"
    assert say("We are back.", "Bob", at=NOW + minutes(1)).status == "stored"


def test_a_key_or_an_operator_whose_name_ends_like_the_account_still_signs():
    alice, others = make_member(), [f"api:bridge:{ALICE}", f"operator:{ALICE}", f"member:{ALICE.upper()}"]
    for actor in (*others, f"moderator:{ALICE}"):
        Action.objects.create(guild=alice.guild, kind="decay", actor=actor)
    run_erasure(alice)
    assert set(Action.objects.filter(kind="decay").values_list("actor", flat=True)) == {*others, "member:erased"}


def test_who_asked_is_noted_unless_they_are_erased_with_it():
    alice, bob = make_member(), make_member(name="Bob")
    erasure.erase_now(alice, now=NOW, by="moderator:u-bob")
    erasure.erase_now(bob, now=NOW, by="member:u-bob")
    assert set(Erasure.objects.values_list("actor", flat=True)) == {"member:erased"}
    assert not Action.objects.filter(actor__contains="u-bob").exists()


def test_a_direct_line_is_no_longer_named_after_who_was_at_its_other_end():
    guild = make_guild("sms:+49301234567", name="Alice", kind="direct")
    make_message(BOAT, channel=make_channel(guild, "Alice", kind="direct"), author=make_member(guild))
    receipt = run_erasure(make_member(guild))
    guild.refresh_from_db()
    assert (guild.name, guild.channels.get().name) == ("", "")
    assert receipt.clean


def test_a_big_database_is_clean_without_being_rewritten(monkeypatch):
    monkeypatch.setattr(erase, "REWRITTEN_UP_TO", 0)
    receipt = run_erasure(talk())
    assert receipt.scan["found_in"] == {}
    assert (receipt.scan["pages_cleared"], receipt.scan["file_rewritten"]) == (True, False)
    assert BOAT.encode() not in bytes_on_disk()


@pytest.mark.sqlite_only("how it deletes")
def test_a_big_database_is_rewritten_where_its_pages_still_hold_something(monkeypatch):
    monkeypatch.setattr(erase, "REWRITTEN_UP_TO", 0)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA secure_delete=OFF")
    receipt = run_erasure(talk())
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA secure_delete=ON")
    assert receipt.scan["file_rewritten"]
    assert BOAT.encode() not in bytes_on_disk()


@pytest.mark.sqlite_only("how it deletes")
def test_no_word_of_theirs_stays_where_a_page_of_the_index_began():
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    said = [
        # All of one length: what a page begins with is cut to what tells it from the word before.
        make_message(" ".join(f"unheard{number:04}" for number in range(start, start + 100)), author=bob)
        for start in range(0, 2_000, 100)
    ]
    writing.index_messages(said)
    began = page_starts()
    theirs = [message for message in said if began.intersection(message.text.split())]
    assert theirs
    Message.objects.filter(pk__in=[message.pk for message in theirs]).update(author=alice)
    run_erasure(alice)
    assert not page_starts().intersection(word for message in theirs for word in message.text.split())


def page_starts() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT CAST(substr(term, 2) AS text) FROM memoryhub_words_v1_message_idx")
        return {term for (term,) in cursor.fetchall()}


def test_what_they_say_while_they_are_erased_goes_as_well():
    alice = talk()

    def speak(holder: str) -> None:
        if holder == "profiles":
            say("I am saying this in the middle of it all.", at=NOW)

    receipt = erasure.erase_now(alice, now=NOW, by="operator:anna", progress=speak)
    assert receipt.clean
    assert not Message.objects.filter(text__contains="in the middle").exists()


def test_a_name_counts_in_whatever_letters_it_is_written():
    alice = make_member()
    make_fact("Is visiting alice in May.")
    kept = make_fact("Is full of malice.")
    assert run_erasure(alice).clean
    assert list(Fact.objects.all()) == [kept]
    assert tombstones.name_hider(make_guild())("ALICE and alice") == "somebody and somebody"


@pytest.mark.parametrize(("account", "name"), [("annika", "Annika"), ("ann", "ann"), ("annika", "")])
def test_an_account_that_is_a_name_is_a_name_in_others_words(account, name):
    annika = make_member(platform_id=account, name=name, display_name=name)
    make_message(f"I sail with {account}.", author=make_member(name="Bob"))
    receipt = run_erasure(annika)
    assert receipt.clean
    assert receipt.scan["in_words_of_others"] == 1
    assert tombstones.name_hider(make_guild())(f"Ask {account}.") == "Ask somebody."


PIER = "The old wooden pier beside the harbour was painted green in the spring."


def test_who_is_erased_after_the_one_who_spoke_between_leaves_no_words_before_the_next_message():
    for number, (author, text) in enumerate((("Bob", PIER), ("Alice", BOAT), ("Carol", "I saw it yesterday, too."))):
        say(text, author, at=NOON + minutes(20 * number))
    for name in ("Alice", "Bob"):
        assert run_erasure(make_member(north(), name=name)).scan["traces"] == 0
    assert b"wooden pier" not in bytes_on_disk()


@pytest.mark.sqlite_only("its word index keeps the words; PostgreSQL's has numbers")
def test_words_of_theirs_that_stand_before_anothers_message_in_the_index_are_a_trace():
    alice = talk()
    other = say("Something else altogether, said much later by somebody.", "Bob", at=NOW)
    [row] = message_rows(list(Message.objects.filter(platform_id=other.id)))
    keywords.put(kind="message", rows=[replace(row, before=f"Alice: {BOAT}")])
    assert [place.partition(", ")[2] for place in run_erasure(alice).scan["found_in"]] == ["what was said before"]


@pytest.mark.sqlite_only("its word index keeps the words; PostgreSQL's has numbers")
def test_words_of_theirs_by_which_a_note_is_found_are_a_trace():
    alice = talk()
    assert BOAT.lower() in _words_of_notes()
    said = make_message("Something else.", channel=make_channel(north()), author=make_member(north(), name="Carol"))
    other = make_note("Of something", messages=[said], summary="Carol wrote.")
    keywords.put(kind="note", rows=[replace(row, before=BOAT) for row in note_rows([other])])
    assert list(run_erasure(alice).scan["found_in"]) == ["memoryhub_words_v1_note_content"]


@pytest.mark.sqlite_only("its word index keeps the words; PostgreSQL's has numbers")
def test_a_note_is_found_by_what_the_others_said_in_a_talk_and_by_nothing_of_the_one_who_was_erased():
    run_erasure(talk())
    pipeline.digest(north(), now=NOW + minutes(5))
    assert "nurse" not in _words_of_notes()
    assert "carpenter" in _words_of_notes()


def _words_of_notes() -> str:
    """Return the words by which notes are found."""
    return "\n".join(text for (text,) in db.select("SELECT before FROM memoryhub_words_v1_note"))


def test_what_somebody_else_says_in_the_same_words_is_no_trace():
    alice = talk()
    say(BOAT, "Bob", at=NOW)
    say("That is what I have always said, too.", "Carol", at=NOW + minutes(1))
    assert run_erasure(alice).scan["traces"] == 0


def test_a_name_with_accents_is_found_in_json_too():
    jose = make_member(name="José Álvarez")
    fact = make_fact("Shares a flat.", subject=make_member(name="Bob"))
    before = {"text": "Shares a flat with JOSÉ ÁLVAREZ.", "normalized": "shares a flat with josé álvarez"}
    batch = {"batch": "00000000-0000-0000-0000-000000000001", "actor": "operator:olga", "at": NOW}
    change = FactChange.objects.create(fact=fact, action="edit", before=before, **batch)
    run_erasure(jose)
    change.refresh_from_db()
    assert change.before == {"text": "[erased]", "normalized": "[erased]"}
    FactChange.objects.update(before=before)
    needles = Needles(guild=fact.guild_id, names=["José Álvarez"])
    assert scan(needles).traces == {"memory.FactChange.before": 2}


@pytest.mark.parametrize("repeated", [False, True])
def test_what_the_member_told_the_bot_about_others_goes_unless_others_say_so_too(repeated):
    alice, words = talk(), "The raid begins each Friday at eight in the old harbour"
    ask = {"guild": alice.guild, "channel": make_channel(name="raids"), "now": NOW}
    say(f"Remember for the server: {words}", channel="raids", at=NOW)
    responder.answer(MessageToBot(speaker=alice, text=f"Remember for the server: {words}", **ask))
    if repeated:
        bob = Member.objects.get(display_name="Bob")
        responder.answer(MessageToBot(speaker=bob, text=f"Remember for the server: {words}", **ask))
    assert Fact.objects.filter(subject=None, text__startswith=words).exists()
    receipt = run_erasure(alice)
    assert Fact.objects.filter(text__startswith=words).exists() == repeated
    if not repeated:
        assert receipt.scan["traces"] == 0


@pytest.mark.parametrize(("by_person", "left"), [("reworded", "Moved to Porto."), ("pinned", "She moved to Porto.")])
def test_a_fact_that_others_told_too_keeps_no_words_of_the_member(by_person, left):
    alice = talk()
    said = [make_message("Carol moved to Porto with three grumpy cats.", author=alice)]
    said.append(make_message("She moved to Porto.", author=make_member(name="Bob")))
    fact = Fact(guild=alice.guild, subject=make_member(name="Carol"), text="Moved to Porto with three grumpy cats.")
    fact.normalized, fact.kind, fact.said_at = "moved to porto with three grumpy cats", "other", NOW
    first, again = (Evidence(message=row, speaker=row.author, quote=row.text, said_at=NOW) for row in said)
    Batch(actor="extraction", now=NOW).add(fact, [first])
    repeat = Batch(actor="extraction", now=NOW)
    repeat.cite(fact, [again])
    repeat.change(fact, repeat_action := FactChange.Action.REINFORCE, reinforcements=1)
    if by_person == "reworded":
        corrections.correct(fact, text="Moved to Porto.", actor="operator:anna", now=NOW)
    else:
        corrections.correct(fact, pinned=True, actor="operator:anna", now=NOW)
    assert run_erasure(alice).scan["traces"] == 0
    fact.refresh_from_db()
    assert fact.text == left
    assert "cats" not in str(list(FactChange.objects.values_list("before", flat=True)))
    corrections.undo(fact, actor="operator:anna", now=NOW)
    fact.refresh_from_db()
    assert (fact.text, fact.changes.filter(action=repeat_action).exists()) == (left, True)


def test_who_told_before_tellers_were_named_is_named_by_the_migration():
    alice, bob = make_member(), make_member(name="Bob")
    told = {
        f"member:{alice.platform_id}": "The harbour is closed.", f"moderator:{bob.platform_id}": "Dogs may come in.",
        "operator:olga": "Rent is paid in spring.", "member:unknown": "Our boat has a blue sail.",
    }  # fmt: skip
    for actor, text in told.items():
        corrections.remember(alice.guild, subject=None, text=text, kind="lore", actor=actor, now=NOON)
    import_module("memory.migrations.0003_tellers").name_tellers(apps, None)
    assert [row.speaker for row in Evidence.objects.order_by("pk")] == [alice, bob, None, None]
