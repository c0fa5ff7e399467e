"""A member's export: all that is theirs, nothing that names the others, and a link that ends."""

from __future__ import annotations

import io
import json
import os
import zipfile
from datetime import timedelta

import pytest

from memory import erasure, schedules, tasks
from memory.erasure import export
from memory.erasure.mask import Masks
from memory.erasure.target import Target, keep_needles
from memory.models import Erasure, FactChange
from memoryhub.community.consent import let_be_found
from profiles.consent_effects import choose
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
)  # fmt: skip

pytestmark = pytest.mark.django_db


def opened(member) -> dict[str, str]:
    data = b"".join(export.stream_zip(member, now=NOON))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def read(member, name: str) -> list:
    return json.loads(opened(member)[name])


def test_it_holds_a_file_for_each_kind_of_thing_and_says_what_they_are():
    files = opened(make_member())
    assert set(files) == {
        "README.txt", "messages.json", "notes.json", "questions.json", "facts.json", "profile.json",
        "decisions_and_plans.json", "relationships.json", "settings.json", "client_data.json", "agents_items.json",
    }  # fmt: skip
    assert all(name in files["README.txt"] for name in files if name != "README.txt")
    assert read(make_member(), "facts.json") == []


def test_facts_come_with_evidence_and_history_and_hide_the_others():
    alice, bob = make_member(), make_member(name="Bob")
    told = make_message("Alice lives in Toronto, says Bob.", author=bob)
    fact = make_fact("Lives in Toronto with Bob.", subject=alice, evidence=[told])
    FactChange.objects.create(fact=fact, action="edit", before={"text": "Lives near Bob."}, batch="0" * 32, actor="x")
    (row,) = read(alice, "facts.json")
    assert row["text"] == "Lives in Toronto with [member 1]."
    assert row["evidence"][0] | {"said_at": ""} == {
        "message": told.platform_id, "said_by": "[member 1]", "said_at": "",
        "quote": "Alice lives in Toronto, says [member 1].",
    }  # fmt: skip
    assert [change["text_before"] for change in row["history"]] == ["Lives near [member 1]."]


def test_notes_hide_the_names_of_others_and_of_who_was_not_there():
    alice, bob = make_member(), make_member(name="Bob")
    make_member(name="Carol", display_name="Carol Danvers")
    make_note("Bob's boat", messages=[make_message(author=alice), make_message(author=bob)],
              summary="Alice met bob and <@u-bob>; Carol Danvers sails, Bobby does not.")  # fmt: skip
    (row,) = read(alice, "notes.json")
    assert row["title"] == "[member 1]'s boat"
    assert row["summary"] == "Alice met [member 1] and [member 1]; [member 2] sails, Bobby does not."


def test_only_their_own_messages_are_in_it_and_none_that_was_deleted():
    alice = make_member()
    make_message("I own a boat.", author=alice)
    make_message("", author=alice, deleted_at=NOON)
    make_message("I own a barn.", author=make_member(name="Bob"))
    assert [row["text"] for row in read(alice, "messages.json")] == ["I own a boat."]


def test_what_was_said_where_they_never_spoke_is_left_out_and_counted():
    alice, room = make_member(), make_channel(name="staff", private=True)
    make_fact("Is often late.", subject=alice, audience=room)
    make_entry("Is often late", member=alice, audience=room)
    assert read(alice, "facts.json") == []
    assert read(alice, "profile.json") == []
    assert "in which you never spoke (1)" in opened(alice)["README.txt"]
    make_message("Here I am.", channel=room, author=alice)
    assert len(read(alice, "facts.json")) == len(read(alice, "profile.json")) == 1


def test_their_choices_are_in_it():
    alice = make_member()
    choose(alice, remember=False, actor="member", now=NOON)
    let_be_found(alice, findable=False, actor="member", now=NOON)
    (settings,) = read(alice, "settings.json")
    assert (settings["remember"], settings["findable"]) == (False, False)
    assert {each["about"] for each in settings["choices"]} == {"remembered", "found"}


@pytest.mark.parametrize("remember", [True, False])
def test_what_another_said_who_said_no_is_told_without_their_words(remember):
    alice, carol = make_member(), make_member(name="Carol", remember=remember)
    said = make_message("Look, a pier-loving sailor!", author=carol)
    make_fact("Sails.", subject=alice, evidence=[said])
    note = make_note("The pier", messages=[said], participants=[alice, carol])
    make_entry("Sails", member=alice, notes=[note])
    files = opened(alice)
    assert ["ier" in files[name] for name in ("facts.json", "notes.json", "profile.json")] == [remember] * 3
    assert [row["text"] for row in json.loads(files["facts.json"])] == ["Sails."]
    assert [row["text"] for row in json.loads(files["profile.json"])] == ["Sails"]


def test_whoever_said_no_is_handed_all_that_is_theirs_still():
    alice = make_member(remember=False)
    said = make_message("I sail at the pier.", author=alice)
    make_fact("Sails.", subject=alice, evidence=[said])
    make_entry("Sails", member=alice, notes=[make_note("The pier", messages=[said])])
    files = opened(alice)
    assert ["pier" in files[f"{name}.json"].lower() for name in ("facts", "notes", "profile", "messages")] == [True] * 4


def test_it_is_handed_on_in_pieces_while_it_is_made():
    alice = make_member()
    rows = (f"I own boat number {n}: {hash(str(n)) * 7919**9:x} {hash(str(-n)) * 7907**9:x}" for n in range(4000))
    from notes.models import Message

    channel = make_channel()
    Message.objects.bulk_create(
        Message(guild=alice.guild, channel=channel, author=alice, platform_id=f"b{n}", text=text, sent_at=NOON)
        for n, text in enumerate(rows)
    )
    pieces = [len(piece) for piece in export.stream_zip(alice, now=NOON)]
    assert sum(pieces) > 3 * export.FLUSHED_AT
    assert max(pieces) < 2 * export.FLUSHED_AT
    assert len(read(alice, "messages.json")) == 4000


def test_the_longest_name_is_hidden_whole_and_a_mask_is_the_same_throughout():
    guild, alice = make_guild(), make_member()
    make_member(name="Bob"), make_member(name="Bo2", display_name="Bob the Sailor")
    masks = Masks.of(guild, reader=alice)
    assert masks.hide("Bob the Sailor and Bob and BOB") == "[member 1] and [member 2] and [member 2]"


def test_a_link_opens_for_a_day_and_not_after_nor_for_somebody_erased():
    alice = make_member()
    token = export.make_link(alice, now=NOON).split("/")[-2]
    assert export.member_of_link(token, now=NOON + timedelta(hours=24)) == alice
    with pytest.raises(export.LinkExpired, match="older than 24 hours"):
        export.member_of_link(token, now=NOON + timedelta(hours=24, seconds=1))
    alice.delete()
    for wrong in (token, token[:-1], "x"):
        with pytest.raises(export.LinkExpired, match="leads nowhere"):
            export.member_of_link(wrong, now=NOON + minutes(1))


def test_a_file_on_disk_is_whole_goes_after_a_day_and_with_the_member():
    alice = make_member()
    path = export.export_member(alice, now=NOON)
    assert zipfile.is_zipfile(path)
    assert path.stat().st_mode & 0o077 == 0
    written = NOON.fromtimestamp(path.stat().st_mtime, tz=NOON.tzinfo)
    assert export.delete_old_exports(now=written + days(0.9)) == 0
    assert export.delete_old_exports(now=written + days(1.1)) == 1
    assert not path.exists()
    path = export.export_member(alice, now=NOON)
    erasure.erase_now(alice, now=NOON, by="operator:anna")
    assert not path.exists()


def test_the_worker_tidies_files_and_ends_what_was_interrupted():
    alice = make_member()
    path = export.export_member(alice, now=NOON)
    os.utime(path, (0, 0))
    begun = Erasure.objects.create(kind="member", digest=Target.of(alice).digest, started_at=NOON)
    keep_needles(Target.of(alice), Target.of(alice).needles)
    tasks.keep_rights()
    begun.refresh_from_db()
    assert not path.exists()
    assert erasure.verify(begun.receipt).kind == "member"
    assert "memory.tasks.keep_rights" in [job.task for job in schedules.PERIODIC]
