"""The machine of claims: whoever works on a row, dies, fails or comes too late, the row is worked on and ends once."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memory.models import JobRun
from memoryhub.community.models import Channel
from memoryhub.db import leases
from notes.models import ChannelBuffer, Message
from profiles.models import Profile
from tests.factories import NOON, make_buffer, make_channel, make_guild, make_message, make_profile, minutes

pytestmark = pytest.mark.django_db
TABLES = (ChannelBuffer, Message, Channel, Profile, JobRun)
ELSEWHERE = "another-machine:1"


def make_row(model):
    """Return a row that waits for work."""
    if model is JobRun:
        return JobRun.objects.create(guild=make_guild(), day=NOON.date(), phase="cluster")
    make = {ChannelBuffer: make_buffer, Message: make_message, Channel: make_channel, Profile: make_profile}[model]
    return make(status="closed") if model is ChannelBuffer else make()


def claim(model=ChannelBuffer, now=NOON, **fields):
    return leases.claim(model.objects.order_by("pk"), now=now, **fields)


def columns(row):
    return type(row).objects.filter(pk=row.pk).values().get()


@pytest.fixture
def dead(monkeypatch):
    """Have every process be dead that holds a claim on this machine."""
    monkeypatch.setattr(leases, "is_dead", lambda holder: holder != ELSEWHERE)


# --- Processes ---------------------------------------------------------------------------------------------------


def test_a_process_is_dead_once_it_has_ended():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    holder = f"{socket.gethostname()}:{child.pid}"
    assert not leases.is_dead(holder)
    child.communicate(b"\n")
    assert leases.is_dead(holder)


@pytest.mark.parametrize("holder", ["", ELSEWHERE, "nonsense", f"{socket.gethostname()}:", f"{socket.gethostname()}:1"])
def test_of_processes_elsewhere_or_of_others_nothing_is_assumed(holder):
    assert not leases.is_dead(holder)


# --- Each table has the whole machine ----------------------------------------------------------------------------


@pytest.mark.parametrize("model", TABLES)
def test_a_row_is_claimed_by_one_worker_only_and_its_attempt_counts_at_once(model):
    make_row(model)
    row = claim(model)
    assert (row.attempts, row.claimed_by) == (1, f"{socket.gethostname()}:{os.getpid()}")
    assert row.claimed_until == NOON + model.policy.length
    assert claim(model) is None


@pytest.mark.parametrize("model", TABLES)
def test_a_claim_ends_with_its_time_or_with_its_process(model, monkeypatch):
    make_row(model)
    claim(model)
    assert claim(model, NOON + model.policy.length - minutes(1)) is None
    assert claim(model, NOON + model.policy.length).attempts == 2
    monkeypatch.setattr(leases, "is_dead", lambda holder: True)
    assert claim(model, NOON + model.policy.length).attempts == 3


@pytest.mark.parametrize("model", TABLES)
def test_each_failure_doubles_the_pause_and_the_last_one_parks(model):
    make_row(model)
    now, waits = NOON, []
    for attempt in range(1, 6):
        row = claim(model, now)
        assert leases.fail(row, error="The model is away.", now=now) == (attempt == 5 and model.policy.parks)
        row.refresh_from_db()
        waits.append((row.next_attempt_at - now) / model.policy.pause)
        assert (row.claimed_until, row.claimed_by, row.last_error) == (None, "", "The model is away.")
        assert claim(model, row.next_attempt_at - minutes(1)) is None
        now = row.next_attempt_at
    assert waits == [1, 2, 4, 8, 16]
    assert (claim(model, now) is None) == model.policy.parks == (row.parked_at is not None)


@pytest.mark.parametrize("model", TABLES)
def test_a_row_that_ends_its_worker_each_time_is_given_up_in_the_end(model, dead):
    make_row(model)
    for _ in range(model.policy.most_attempts):
        assert claim(model)
    assert claim(model) is None
    row = model.objects.get()
    assert row.last_error == "The worker ended 5 times while it worked on this."
    assert (row.parked_at == NOON) == model.policy.parks
    assert row.next_attempt_at == NOON + 16 * model.policy.pause


@pytest.mark.parametrize("model", TABLES)
def test_a_lost_claim_writes_nothing(model):
    make_row(model)
    slept = claim(model)
    later = NOON + model.policy.length
    awake = claim(model, later)
    before = columns(awake)
    assert not leases.hold(slept, now=later)
    assert not leases.checkpoint(slept, now=later)
    assert leases.fail(slept, error="Too late.", now=later) == 0
    leases.release(slept)
    leases.finish(slept)
    assert columns(awake) == before
    assert leases.hold(awake, now=later)


@pytest.mark.parametrize("model", TABLES)
def test_unparking_forgets_the_attempts(model):
    make_row(model)
    model.objects.update(attempts=5, parked_at=NOON, next_attempt_at=NOON + minutes(90), **model.policy.parked)
    assert claim(model) is None
    assert leases.unpark(model.objects.all(), last_error="") == 1
    assert claim(model).attempts == 1


# --- Single rules ------------------------------------------------------------------------------------------------


def test_a_checkpoint_renews_the_claim_and_counts_failures_anew():
    make_row(ChannelBuffer)
    ChannelBuffer.objects.update(attempts=3)
    row = claim()
    assert leases.checkpoint(row, now=NOON + minutes(10), reached="7")
    assert columns(row) | {"attempts": 1, "reached": "7"} == columns(row)
    assert claim(now=NOON + ChannelBuffer.policy.length) is None
    assert claim(now=NOON + minutes(10) + ChannelBuffer.policy.length).reached == "7"


def test_what_is_released_is_as_if_nobody_had_begun():
    before = columns(make_row(ChannelBuffer))
    leases.release(claim())
    assert columns(ChannelBuffer.objects.get()) == before


def test_success_forgets_failures():
    make_row(ChannelBuffer)
    leases.fail(claim(), error="The model is away.", now=NOON)
    row = claim(now=NOON + minutes(30))
    leases.finish(row, status="done")
    row = ChannelBuffer.objects.get()
    assert (row.status, row.attempts, row.next_attempt_at, row.last_error) == ("done", 0, None, "")


@pytest.mark.parametrize("end", [lambda row: leases.fail(row, error="", now=NOON), leases.finish, leases.release])
def test_a_row_that_was_reset_meanwhile_is_only_freed(end):
    before = columns(make_row(ChannelBuffer))
    row = claim()
    ChannelBuffer.objects.update(**leases.FRESH)
    assert not leases.hold(row, now=NOON)
    end(row)
    assert columns(row) == before


def test_a_provider_that_asks_for_a_longer_wait_gets_it():
    make_row(ChannelBuffer)
    leases.fail(claim(), error="Wait.", now=NOON, wait=minutes(50))
    assert claim(now=NOON + minutes(49)) is None
    assert claim(now=NOON + minutes(50))


def test_by_hand_what_waits_or_is_parked_is_taken_but_never_what_another_holds():
    make_row(ChannelBuffer)
    ChannelBuffer.objects.update(attempts=5, parked_at=NOON, next_attempt_at=NOON + minutes(90))
    row = claim(by_hand=True)
    assert (row.attempts, row.parked_at) == (6, None)
    assert claim(by_hand=True) is None


def test_of_rows_found_together_only_those_are_claimed_that_nobody_took_since():
    first, second, third = make_message(), make_message(), make_message()
    Message.objects.filter(pk=second.pk).update(attempts=1)
    claimed = leases.claim_all([first, second, third], Message.objects.exclude(pk=third.pk), now=NOON)
    assert claimed == [first]
    assert (claimed[0].attempts, Message.objects.get(pk=second.pk).claimed_by) == (1, "")
    assert leases.claim_all([], Message.objects.all(), now=NOON) == []


def test_rows_claimed_together_fail_together_but_for_those_that_were_reset():
    rows = leases.claim_all([make_message(), make_message()], Message.objects.all(), now=NOON)
    Message.objects.filter(pk=rows[0].pk).update(**leases.FRESH)
    leases.fail(*rows, error="The model is away.", now=NOON)
    assert list(Message.objects.order_by("pk").values_list("attempts", "last_error", "claimed_by")) == [
        (0, "", ""), (1, "The model is away.", ""),
    ]  # fmt: skip


@given(attempts=st.integers(1, 400), wait=st.integers(0, 500))
@settings(max_examples=30)
def test_a_pause_is_never_shorter_than_asked_for_and_has_an_end(attempts, wait):
    row = make_row(Channel)
    Channel.objects.update(attempts=attempts - 1, **leases.FREE, next_attempt_at=None)
    row = claim(Channel)
    leases.fail(row, error="", now=NOON, wait=minutes(wait))
    pause = row.next_attempt_at - NOON
    assert max(minutes(wait), Channel.policy.pause) <= pause <= max(minutes(wait), Channel.policy.pause * 64)


# --- Anything may happen -----------------------------------------------------------------------------------------


class Workers(RuleBasedStateMachine):
    """Three workers at one conversation: they claim, go on, fail, finish, sleep and die in any order."""

    @initialize()
    def begin(self):
        ChannelBuffer.objects.all().delete()
        make_row(ChannelBuffer)
        self.now, self.claims, self.dead, self.number = NOON, [], set(), 0

    def row(self):
        return ChannelBuffer.objects.get()

    def holding(self):
        """Return the claims that stand in the row: at most one of all that were ever made."""
        row = self.row()
        identity = (row.claimed_by, row.claimed_until)
        return [claim for claim in self.claims if (claim.claimed_by, claim.claimed_until) == identity]

    def drop(self, worker):
        self.claims = [claim for claim in self.claims if claim is not worker]  # rows of one id are equal

    @rule(passed=st.sampled_from([0, 1, 5, 14, 16, 300]))
    def time_goes_on(self, passed):
        self.now += minutes(passed)

    @rule(by_hand=st.booleans())
    def somebody_claims(self, by_hand):
        before, self.number = self.row(), self.number + 1
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(leases, "process_id", lambda: f"worker:{self.number}")
            patched.setattr(leases, "is_dead", self.dead.__contains__)
            free = leases.is_free(before, now=self.now)
            claimed = claim(now=self.now, by_hand=by_hand)
        if claimed is None:
            return
        assert free
        assert by_hand or before.parked_at is None
        assert by_hand or before.next_attempt_at is None or before.next_attempt_at <= self.now
        assert claimed.attempts == before.attempts + 1
        self.claims.append(claimed)

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), how=st.sampled_from(["hold", "checkpoint", "finish", "fail", "release"]))
    def somebody_writes(self, data, how):
        worker = data.draw(st.sampled_from(self.claims))
        before, held = columns(worker), any(claim is worker for claim in self.holding())
        if how in ("hold", "checkpoint"):
            still = held and before["attempts"] == worker.attempts
            assert getattr(leases, how)(worker, now=self.now, reached="x") == still
        elif how == "fail":
            leases.fail(worker, error="No.", now=self.now)
        else:
            getattr(leases, how)(worker)
        if not held:
            assert columns(worker) == before
        if how in ("finish", "fail", "release"):
            self.drop(worker)

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def somebody_dies(self, data):
        worker = data.draw(st.sampled_from(self.claims))
        self.drop(worker)
        self.dead.add(worker.claimed_by)

    @rule()
    def somebody_resets(self):
        leases.unpark(ChannelBuffer.objects.all())

    @invariant()
    def one_worker_holds_it_at_most(self):
        if ChannelBuffer.objects.exists():
            assert len(self.holding()) <= 1

    @invariant()
    def nothing_is_stuck(self):
        if ChannelBuffer.objects.exists():
            row = self.row()
            assert row.claimed_until is None or row.claimed_until <= self.now + ChannelBuffer.policy.length
            assert (row.parked_at is None) == (row.status != "parked")


def test_whatever_workers_do_in_whatever_order_one_at_most_holds_the_row():
    generate = settings(max_examples=25, stateful_step_count=30, phases=[Phase.generate])
    run_state_machine_as_test(Workers, settings=generate)
