"""An erasure as a job: who asks waits a moment, the worker does the rest, a kill ends nothing for good."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import erasure, pipeline, tasks
from memory.erasure import erase, target
from memory.models import Erasure, ErasureNeedles, Fact
from memoryhub.community.models import Member
from memoryhub.db import leases
from notes.messages.schemas import IncomingMessage
from notes.models import ChannelBuffer, InteractionNote, Message
from profiles.models import ProfileEntry
from tests.factories import NOON, make_fact, minutes
from tests.incoming import NORTH, north, say
from tests.memory.erasure.erasure_world import ALICE, NOW, talk

pytestmark = pytest.mark.django_db(transaction=True)
TIRED = -1.0  # seconds of patience


def ask(member: str | None = ALICE, *, seconds: float = 600.0) -> Erasure:
    job = erasure.request_erasure(north(), member=member, now=NOW, by="operator:anna", seconds=seconds)
    assert job is not None
    return job


def lines_of(name: str) -> list[str]:
    rows = ProfileEntry.objects.filter(profile__member__platform_id=name, status="shown", sources__isnull=False)
    return sorted(rows.values_list("text", flat=True).distinct())


def test_the_others_lines_and_notes_stay_while_nothing_was_digested_anew():
    alice = talk()
    before = lines_of("u-bob")
    assert any("Oslo" in line for line in before)
    erasure.erase_now(alice, now=NOW, by="operator:anna")
    assert lines_of("u-bob") == before
    note = InteractionNote.objects.get()
    assert "carpenter" in note.summary
    assert not any(word in note.summary for word in ("Alice", "Toronto", "nurse"))
    assert ChannelBuffer.objects.get().status == "closed"  # it is still going to be written anew


def test_a_note_in_free_words_goes_and_the_worker_writes_it_anew_from_what_the_others_said():
    talk()
    InteractionNote.objects.update(summary="They talked.\nShe is a nurse, he keeps two cats in Oslo.")
    before = lines_of("u-bob")
    job = ask()
    assert job.finished_at
    assert not InteractionNote.objects.exists()
    tasks.erase(str(job.pk))
    assert InteractionNote.objects.filter(participants__platform_id="u-bob").exists()
    assert [line for line in before if line in lines_of("u-bob")] == before


def test_a_note_of_two_who_are_called_the_same_is_dropped_since_nobody_can_tell_whose_a_line_is():
    texts = ("I moved to Toronto because of the sailing club that meets there every week.", "I keep two cats in Oslo.")
    for number, text in enumerate(texts):
        author = {"id": f"u-sam-{number}", "display_name": "Sam"}
        fields = {"message_id": f"s-{number}", "channel": {"id": "c1"}, "author": author, "text": f"{text} {text}"}
        message = IncomingMessage.model_validate({**fields, "sent_at": NOON + minutes(number)})
        pipeline.receive(message, guild=NORTH, now=message.sent_at)
    pipeline.digest(north(), now=NOW)
    assert InteractionNote.objects.exists()
    erasure.erase_now(Member.objects.get(platform_id="u-sam-0"), now=NOW, by="operator:anna")
    assert not InteractionNote.objects.filter(summary__contains="Toronto").exists()


def statements(others: int) -> int:
    """Return how many statements it takes to erase who said one thing in a talk of so many others."""
    name, start = f"Zed{others}", NOON + minutes(1000 * others)
    say("I am a nurse at the harbour hospital, on night shifts.", name, at=start)
    for number in range(others):
        text = f"I keep {number + 2} cats in Oslo and feed them every morning."
        say(text, f"Other{others}{number}", at=start + minutes(number))
    pipeline.digest(north(), now=start + minutes(600))
    pipeline.tick(now=start + minutes(601))
    with CaptureQueriesContext(connection) as asked:
        receipt = erasure.erase_now(Member.objects.get(display_name=name), now=NOW, by="operator:anna")
    assert receipt.clean
    return len(asked)


def test_what_it_costs_follows_what_is_erased_and_not_how_many_others_spoke_there():
    few, many = statements(2), statements(10)
    assert many - few <= 2


def test_who_asks_waits_a_moment_only_and_the_worker_finishes_it():
    talk()
    job = ask(seconds=TIRED)
    assert (job.finished_at, job.claimed_by) == (None, "")
    assert Member.objects.filter(platform_id=ALICE).exists()
    tasks.erase(str(job.pk))
    receipt = erasure.finished(Erasure.objects.get())
    assert receipt.clean
    assert receipt.counts["messages"] == 3
    assert not ErasureNeedles.objects.exists()


def test_another_host_goes_on_with_it_though_it_shares_no_folder(settings, tmp_path, monkeypatch):
    talk()
    monkeypatch.setattr(target, "PIECE", 100)  # bytes in a row, so that it takes several
    job = ask(seconds=TIRED)
    assert ErasureNeedles.objects.count() > 1
    settings.DATA_DIR = tmp_path / "another host"
    tasks.erase(str(job.pk))
    receipt = erasure.finished(Erasure.objects.get())
    assert receipt.clean
    assert not Message.objects.filter(author__platform_id=ALICE).exists()
    assert Message.objects.exists()
    assert not ErasureNeedles.objects.exists()


def test_whom_nobody_knows_any_more_gets_no_receipt():
    talk()
    job = ask(seconds=TIRED)
    ErasureNeedles.objects.all().delete()
    with pytest.raises(erase.NeedlesLost, match="once more"):
        erasure.run(job, now=NOW)
    assert not Erasure.objects.get().finished_at
    assert ask().claimed_by == ""
    erasure.run(job, now=NOW + timedelta(minutes=5))
    assert erasure.finished(Erasure.objects.get()).clean
    assert not Member.objects.filter(platform_id=ALICE).exists()


def test_asked_again_it_is_the_same_erasure_while_it_runs_and_afterwards():
    talk()
    first = ask(seconds=TIRED)
    assert ask(seconds=TIRED).pk == first.pk
    assert ask().pk == first.pk
    assert ask().receipt == Erasure.objects.get().receipt


def test_the_row_says_how_far_it_is():
    seen = []
    alice = talk()
    job = erasure.begin(alice, now=NOW, by="operator:anna")
    assert erasure.steps_done(job) == 0
    job = erasure.run(job, now=NOW, progress=lambda _: seen.append(erasure.steps_done(Erasure.objects.get())))
    assert seen == list(range(len(erasure.STEPS)))
    assert erasure.steps_done(job) == len(erasure.STEPS)


def test_each_step_is_said_in_words_that_start_with_what_is_done():
    assert set(erasure.DOING) == set(erasure.STEPS)
    assert all(
        words.split()[0] in {"Removing", "Rewriting", "Stopping", "Searching"} for words in erasure.DOING.values()
    )


def test_two_never_work_at_one_erasure():
    job = erasure.begin(talk(), now=NOW, by="operator:anna")
    leases.claim(Erasure.objects.all(), now=NOW, by_hand=True, claimed_by="elsewhere:1")
    assert erasure.run(job, now=NOW).finished_at is None
    assert Member.objects.filter(platform_id=ALICE).exists()
    with pytest.raises(erasure.ErasureRunning, match="another process"):
        erasure.finished(erasure.run(job, now=NOW))


def test_a_claim_that_ran_out_is_taken_over():
    erasure.begin(talk(), now=NOW, by="operator:anna")
    leases.claim(Erasure.objects.all(), now=NOW, by_hand=True, claimed_by="elsewhere:1")
    assert erasure.finish_interrupted(now=NOW + timedelta(minutes=59)) == 0
    assert erasure.finish_interrupted(now=NOW + timedelta(minutes=61)) == 1


def test_a_worker_whose_time_is_over_leaves_the_rest_to_the_next_minute():
    erasure.begin(talk(), now=NOW, by="operator:anna")
    asked = iter([True] * 10)
    assert erasure.finish_interrupted(now=NOW, keep_going=lambda: next(asked, False)) == 0
    job = Erasure.objects.get()
    assert (job.claimed_by, job.attempts, job.next_attempt_at) == ("", 0, None)
    assert 0 < erasure.steps_done(job) < len(erasure.STEPS)
    assert erasure.finish_interrupted(now=NOW + minutes(1)) == 1
    assert erasure.finished(Erasure.objects.get()).clean


def test_a_failure_is_noted_in_a_word_and_tried_again(monkeypatch):
    job = erasure.begin(talk(), now=NOW, by="operator:anna")
    with monkeypatch.context() as broken:
        broken.setattr(erase, "scan", _full_disk)
        with pytest.raises(OSError, match="disk"):
            erasure.run(job, now=NOW)
    assert Erasure.objects.get().last_error == "OSError"
    assert erasure.finish_interrupted(now=NOW + minutes(2)) == 1


def _full_disk(*_given):
    raise OSError("no space on the disk that holds Alice's boat")


def test_what_was_learned_while_it_ran_goes_as_well():
    alice = talk()

    def learn(step: str) -> None:
        if step == "relationships":
            make_fact("Sails on Sundays.", subject=alice)

    erasure.run(erasure.begin(alice, now=NOW, by="operator:anna"), now=NOW, progress=learn)
    assert not Fact.objects.filter(text="Sails on Sundays.").exists()
    assert not Message.objects.filter(author__platform_id=ALICE).exists()
