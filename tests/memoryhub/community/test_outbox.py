"""The outbox: what a change of memory writes into it, in the change's own transaction."""

import pytest
from django.db import transaction

from memory import erasure, pipeline
from memory.curation import corrections, fact_review
from memory.jobs import steps
from memory.models import Fact, JobRun
from memory.withdrawal import withdraw
from memoryhub.community import outbox
from memoryhub.db import leases
from notes.models import Message
from tests.factories import (
    NOON,
    days,
    make_buffer,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_profile,
    minutes,
)  # fmt: skip
from tests.incoming import NORTH, incoming, north
from tests.verification.statements import recorded, unbound

pytestmark = pytest.mark.django_db


def told(guild=None, after=0):
    guild = guild or make_guild()
    return [each.payload for each in outbox.after({guild.pk: after}, keys={guild.pk: guild.key}, limit=100)]


def kinds(guild=None):
    return [each["type"] for each in told(guild)]


def remember(member, text="Plays the cello."):
    return corrections.remember(member.guild, subject=member, text=text, kind="other", actor="test", now=NOON)


def test_a_fact_is_learned_changed_and_forgotten():
    alice = make_member()
    fact = remember(alice)
    corrections.correct(fact, text="Plays the viola.", actor="test", now=NOON + minutes(1))
    corrections.archive(fact, actor="test", now=NOON + minutes(2))
    data = {"guild": "discord:1", "fact": str(fact.pk), "member": alice.platform_id, "member_number": str(alice.pk)}
    assert told() == [
        {"type": "memory.learned", "timestamp": NOON.isoformat(), "data": data},
        {"type": "memory.changed", "timestamp": (NOON + minutes(1)).isoformat(), "data": data},
        {"type": "memory.forgotten", "timestamp": (NOON + minutes(2)).isoformat(), "data": data},
    ]


def test_what_is_said_once_more_is_told_once():
    alice = make_member()
    remember(alice)
    remember(alice)
    assert kinds() == ["memory.learned"]


def test_a_fact_that_waits_is_told_to_reviewers_and_learned_when_it_is_approved():
    make_guild(review_all=True)
    said = "I moved to Toronto last spring and found a flat by the harbour."
    pipeline.receive(incoming(said, "Alice", at=NOON), guild=NORTH, now=NOON)
    pipeline.digest(north(), now=NOON + minutes(60))
    waiting = Fact.objects.filter(status="pending")
    assert kinds().count("review.waiting") == waiting.count() > 0
    assert "memory.learned" not in kinds()
    fact_review.approve(waiting[0], text=None, actor="test", now=NOON + days(1))
    assert kinds().count("memory.learned") == 1


def test_an_erased_fact_is_told_as_forgotten_where_it_was_believed():
    believed, archived = make_fact(), make_fact("Owns a boat.", status="archived")
    for fact in (believed, archived):
        withdraw.forget_fact(fact, actor="test", now=NOON)
    assert [(each["type"], each["data"]["fact"]) for each in told()] == [("memory.forgotten", str(believed.pk))]


def test_a_note_is_told():
    texts = (
        "We sail to Norway next week, all of us, if the weather is fair and the wind is from the south.",
        "The boat is ready, the sails are new, and so are the ropes that we bought in the spring.",
    )
    for number, text in enumerate(texts):
        pipeline.receive(incoming(text, "Alice", id=f"m{number}", at=NOON), guild=NORTH, now=NOON)
    pipeline.digest(north(), now=NOON + minutes(60))
    assert [each["data"].keys() for each in told() if each["type"] == "note.written"] == [{"guild", "note"}]


def test_a_job_is_told_once_it_is_given_up():
    run = JobRun.objects.create(guild=make_guild(), day=NOON.date(), phase="papers", claimed_by="x", claimed_until=NOON)
    for attempt, expected in ((4, []), (5, ["job.failed"])):
        JobRun.objects.filter(pk=run.pk).update(attempts=attempt, claimed_by="x", claimed_until=NOON)
        run.refresh_from_db()
        steps.fail(run, ValueError("secret words"), "a phase failed", now=NOON)
        assert kinds() == expected
    assert told()[0]["data"] == {"guild": "discord:1", "id": str(run.pk), "job": "night:papers"}


@pytest.mark.parametrize(
    ("make", "job"),
    [
        (lambda: make_buffer(status="closed", step="note"), "digest:note"), (make_message, "learning"),
        (lambda: JobRun.objects.create(guild=make_guild(), day=NOON.date(), phase="decay"), "night:decay"),
        (make_profile, "profile"),
    ],
    ids=["digest", "learning", "night", "profile"],
)  # fmt: skip
def test_work_whose_worker_is_killed_each_time_is_told_once_it_is_given_up(make, job, monkeypatch):
    row = make()
    rows = type(row).objects.filter(pk=row.pk)
    monkeypatch.setattr(leases, "is_dead", lambda _: True)
    for _ in range(row.policy.most_attempts):
        assert leases.claim(rows, now=NOON)
        assert "job.failed" not in kinds()
    for _ in range(2):
        assert leases.claim(rows, now=NOON) is None
    failed = [each["data"] for each in told() if each["type"] == "job.failed"]
    assert failed == [{"guild": "discord:1", "id": str(row.pk), "job": job}]


def test_messages_read_together_by_a_worker_that_is_killed_are_told_once():
    messages = [make_message(), make_message(), make_message()]
    Message.objects.update(attempts=4)
    for message in messages:
        message.refresh_from_db()
    assert len(leases.claim_all(messages, Message.objects.all(), now=NOON)) == 3
    leases.recover(Message.objects.all(), now=NOON + Message.policy.length)
    assert [each["data"]["id"] for each in told() if each["type"] == "job.failed"] == [str(messages[0].pk)]
    assert Message.objects.filter(parked_at=None).count() == 0


@pytest.mark.django_db(transaction=True)
def test_an_erased_member_is_told_by_number_and_no_event_names_the_account():
    alice = make_member(platform_id="an account")
    remember(alice)
    number = str(alice.pk)
    receipt = erasure.erase_now(alice, now=NOON, by="operator:test")
    assert receipt.scan["traces"] == 0
    events = told()
    assert events[-1]["data"] == {"guild": "discord:1", "member_number": number, "erasure": receipt.id}
    assert events[-1]["type"] == "member.erased"
    assert "an account" not in str(events)
    assert {each["data"]["member_number"] for each in events} == {number}
    assert {each["data"].get("member") for each in events} == {None}


def test_a_change_that_is_rolled_back_is_not_told():
    alice = make_member()
    with transaction.atomic():
        remember(alice)
        assert kinds() == ["memory.learned"]
        transaction.set_rollback(True)
    assert kinds() == []


def test_a_guild_is_told_nothing_of_another():
    south = make_guild("discord:2")
    remember(make_member(name="Alice"))
    remember(make_member(south, "Charlie"))
    assert [each["data"]["guild"] for each in told(south)] == ["discord:2"]
    assert [each["data"]["guild"] for each in told()] == ["discord:1"]


def test_many_guilds_are_asked_for_in_one_statement_that_names_them():
    guilds = [make_guild(f"discord:{number}") for number in range(1, 4)]
    for guild in guilds:
        remember(make_member(guild))
    keys = {guild.pk: guild.key for guild in guilds}
    with recorded() as kept:
        found = outbox.after(dict.fromkeys(keys, 0), keys=keys, limit=2)
    assert [each.guild for each in found] == [guild.pk for guild in guilds[:2]]
    assert len(kept) == 1
    assert unbound(kept[0]) == []
