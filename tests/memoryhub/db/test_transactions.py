"""Writers at once, in threads on a real database: nothing is counted twice, stored twice or let past a limit."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from django.db import OperationalError, connection, transaction
from django.db.transaction import TransactionManagementError

from memory import pipeline, rules
from memory.facts.proposal import Proposal
from memory.learning import consolidation
from memory.models import Action, Fact, FactChange, ModelCall
from memory.records import model_budgets
from memory.withdrawal import fact_limits
from memoryhub import db
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db import leases
from notes.messages import conversations
from notes.models import ChannelBuffer, Message
from tests.factories import NOON, make_buffer, make_channel, make_fact, make_guild, make_member, make_message
from tests.incoming import NORTH, incoming, north, say

pytestmark = pytest.mark.django_db(transaction=True)
WRITERS = 6


def at_once(function, arguments):
    """Call the function with each of the arguments, in threads that begin together; return what they return."""
    arguments = list(arguments)
    gate = threading.Barrier(len(arguments))

    def call(argument):
        try:
            gate.wait(30)
            return function(argument)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(arguments)) as pool:
        return list(pool.map(call, arguments))


def receive(message):
    return pipeline.receive(message, guild=NORTH, now=NOON).status


def test_a_guild_is_locked_inside_a_transaction_only():
    with pytest.raises(TransactionManagementError):
        db.lock_guild(make_guild().pk)


def test_who_locks_a_guild_waits_for_who_has_it_and_sees_what_they_wrote():
    guild = make_guild()

    def count_up(_):
        with transaction.atomic():
            db.lock_guild(guild.pk)
            fresh = Guild.objects.get(pk=guild.pk)
            Guild.objects.filter(pk=guild.pk).update(stale_days=fresh.stale_days + 1)

    before = guild.stale_days
    at_once(count_up, range(WRITERS))
    assert Guild.objects.get(pk=guild.pk).stale_days == before + WRITERS


def test_a_deadlock_is_run_again_and_both_come_through():
    first, second = make_guild("discord:1"), make_guild("discord:2")
    both_have_one, ran = threading.Barrier(2), Counter()

    @db.retrying
    @transaction.atomic
    def change(order):
        ran[order[0].pk] += 1
        Guild.objects.filter(pk=order[0].pk).update(name="changed")
        if ran[order[0].pk] == 1:
            with suppress(threading.BrokenBarrierError):  # SQLite lets one in at a time
                both_have_one.wait(2)
        Guild.objects.filter(pk=order[1].pk).update(name=f"by {order[0].pk}")
        return True

    assert at_once(change, [(first, second), (second, first)]) == [True, True]


def test_what_is_no_lost_race_is_not_run_again():
    ran = []

    @db.retrying
    def fail():
        ran.append(1)
        raise OperationalError("the disk is on fire")

    with pytest.raises(OperationalError):
        fail()
    assert ran == [1]


# --- Messages that come in ---------------------------------------------------------------------------------------


def test_one_message_that_comes_several_times_at_once_is_stored_once():
    say("The first in this guild.")
    answers = at_once(receive, [incoming("Twice is too much.", id="m-1") for _ in range(WRITERS)])
    assert Counter(answers) == {"stored": 1, "duplicate": WRITERS - 1}
    assert Message.objects.filter(platform_id="m-1").count() == 1


def test_the_first_messages_of_a_new_guild_come_in_together():
    answers = at_once(receive, [incoming("Hello there.", f"Member {n}", id=f"m-{n}") for n in range(WRITERS)])
    assert answers == ["stored"] * WRITERS
    assert (Guild.objects.count(), Channel.objects.count(), Member.objects.count()) == (1, 1, WRITERS)
    assert ChannelBuffer.objects.get().message_count == WRITERS


def test_messages_that_come_at_once_go_into_one_conversation_and_are_all_counted():
    say("The first in this guild.")
    at_once(receive, [incoming("We all talk at once.", id=f"m-{n}") for n in range(WRITERS)])
    assert ChannelBuffer.objects.get().message_count == WRITERS + 1
    assert Channel.objects.get().unsummarized == WRITERS + 1


def test_a_flood_from_several_connections_is_read_no_further_than_the_budget():
    say("The first in this guild.", "Bob")
    Guild.objects.update(member_hourly=3)
    at_once(receive, [incoming("Buy my boats.", "Mallory", id=f"m-{n}") for n in range(WRITERS)])
    assert Message.objects.filter(author__name="", author__display_name="Mallory").exclude(buffer=None).count() == 3
    assert Action.objects.filter(kind="flood").count() == 1


def test_nothing_that_is_said_while_memory_is_switched_off_comes_in_after_it():
    say("The first in this guild.")
    guild, locked, asked = north(), threading.Event(), threading.Event()

    def switch_off(_):
        with transaction.atomic():
            db.lock_guild(guild.pk)
            locked.set()
            asked.wait(5)
            Guild.objects.filter(pk=guild.pk).update(memory_on=False)

    def speak(_):
        locked.wait(5)
        threading.Timer(0.5, asked.set).start()
        return receive(incoming("Too late.", id="late"))

    answers = at_once(lambda step: step(None), [switch_off, speak])
    assert answers[1] == "ignored"
    assert not Message.objects.filter(platform_id="late").exists()


def test_twins_who_come_at_once_are_told_apart():
    say("The first in this guild.", "Bob")
    twins = [incoming("Hi.", id=f"m-{n}", author="Alice") for n in range(4)]
    twins = [m.model_copy(update={"author": m.author.model_copy(update={"id": f"u-{n}"})}) for n, m in enumerate(twins)]
    at_once(receive, twins)
    labels = list(Member.objects.filter(display_name="Alice").values_list("label", flat=True))
    assert len(set(labels)) == 4


# --- Facts, claims, budgets --------------------------------------------------------------------------------------


def test_the_same_fact_learned_at_once_is_one_fact_with_all_its_sources():
    guild, alice = make_guild(), make_member()
    said = [make_message("I live in Toronto.") for _ in range(4)]

    def learn(message):
        proposal = Proposal(
            guild=guild, subject=alice, text="Lives in Toronto.", kind="location", confidence=0.7, explicit=True,
            quote="I live in Toronto.", said_at=message.sent_at, channel=message.channel, messages=[message],
        )  # fmt: skip
        return consolidation.settle(proposal, actor="test", now=NOON, decide=rules.decide).pk

    assert len(set(at_once(learn, said))) == 1
    fact = Fact.objects.get()
    assert (fact.evidence.count(), fact.reinforcements) == (4, 3)


@pytest.mark.parametrize("_round", range(3))
def test_each_row_is_claimed_by_one_of_the_workers_that_come_at_once(_round):
    make_guild()
    for n in range(3):
        make_buffer(make_channel(name=f"c{n}"), status="closed", closed_at=NOON)
    claimed = at_once(lambda _: conversations.claim(now=NOON), range(WRITERS))
    taken = [row.pk for row in claimed if row]
    assert len(taken) == len(set(taken))
    assert set(ChannelBuffer.objects.filter(attempts=1).values_list("pk", flat=True)) == set(taken)
    assert not ChannelBuffer.objects.filter(attempts__gt=1).exists()


def test_messages_that_two_workers_found_are_read_by_one_of_them():
    found = [make_message(f"Message number {n}.") for n in range(20)]
    unread = Message.objects.said().filter(processed_at=None, parked_at=None)
    claims = at_once(lambda _: {row.pk for row in leases.claim_all(found, unread, now=NOON)}, range(WRITERS))
    every = [pk for claim in claims for pk in claim]
    assert sorted(every) == sorted({row.pk for row in found})


def test_that_a_budget_is_spent_is_noted_once():
    guild = make_guild(daily_tokens=10)
    ModelCall.objects.create(guild=guild, tokens_in=20, tokens_out=0, purpose="test", model="m", outcome="ok")
    assert not any(at_once(lambda _: model_budgets.allows_call(guild.pk), range(WRITERS)))
    assert Action.objects.filter(kind=model_budgets.SPENT).count() == 1


def test_what_is_beyond_a_members_limit_is_put_aside_once():
    guild, alice = make_guild(facts_a_member=2), make_member()
    for number in range(5):
        make_fact(f"Owns kayak number {number}.", subject=alice)
    archived = at_once(lambda _: fact_limits.enforce_limits(guild, [alice], now=NOON), range(4))
    assert sum(archived) == 3
    assert FactChange.objects.filter(action=FactChange.Action.ARCHIVE).count() == 3


def test_who_gives_way_lets_others_write_before_its_own_work_is_done():
    guild, wrote, began = make_guild(), list[str](), threading.Event()

    def write(who):
        with transaction.atomic():
            db.lock_guild(guild.pk)
            began.set()
            time.sleep(0.03)
        wrote.append(who)

    def work_on():
        connection.gives_way = True
        try:
            for _ in range(40):
                write("the worker")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(work_on)
        began.wait(30)
        write("somebody")
        working.result(30)
    assert wrote[-1] == "the worker"
