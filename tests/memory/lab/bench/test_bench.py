import json
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from threading import Barrier

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from memory.index import embeddings, reindexing
from memory.lab.bench import benchmark_guild, calls, hard_cases, members, peers, run_all
from memory.lab.bench import processes as crowd
from memory.lab.bench import timing as measuring
from memory.lab.bench.timing import Run, memory_in_use, timed, timing
from memory.lab.management.commands import bench
from memory.lab.scratch import Scratch
from memory.models import Action, Evidence, Fact, FactChange
from memoryhub.db import throwaway
from memoryhub.search import keywords, vectors
from notes.models import InteractionNote, Message

pytestmark = pytest.mark.django_db


def silent(_what, _done, _total):
    pass


class OneProcess:
    """Stands in for the crowd: makes the calls here, inside the test's transaction."""

    def __init__(self, _database, processes):
        assert processes == max(run_all.READERS + run_all.WRITERS)

    def __enter__(self):
        return self

    def __exit__(self, *_raised):
        pass

    def timing(self, what, *, facts, processes, calls):
        run = crowd.work(what, facts, calls, "test", Barrier(1))
        return timing(what, [run] * processes, facts=facts)


@pytest.fixture
def small(monkeypatch):
    """Few calls, in one process; the floor by reads only, since its own connection would wait for the test's."""
    monkeypatch.setattr(run_all, "CALLS", 2)
    monkeypatch.setattr(crowd, "WARM_UP", 1)
    monkeypatch.setattr(run_all, "Crowd", OneProcess)
    monkeypatch.setattr(throwaway, "settled_size", lambda: 1_000)
    monkeypatch.setattr(run_all, "cold_start", lambda _guild, _database: 0.5)
    monkeypatch.setattr(run_all, "READS", [what for what in calls.READS if not what.startswith(calls.FLOOR)])
    monkeypatch.setattr(run_all, "WRITES", [calls.ADD])


def test_a_timing_is_per_call_and_its_slow_end_is_not_its_middle(monkeypatch):
    took = [0.001] * 18 + [0.010] * 2
    clock = iter(moment for wait in took for moment in (100.0, 100.0 + wait))
    monkeypatch.setattr(measuring.time, "perf_counter", lambda: next(clock))
    found = timed("wait", lambda _: None, range(20), facts=5)
    assert (found.what, found.facts, found.calls, found.p50, found.p95) == ("wait", 5, 20, 1.0, 10.0)


def test_a_timing_of_batches_is_per_unit():
    assert timed("batch", lambda _: None, [1, 2], units=50).calls == 100


def test_the_fake_embedder_draws_each_text_a_unit_vector_of_its_own():
    fake = benchmark_guild.FakeEmbedder()
    first, second = fake.passages(["member1: likes tea", "member1: likes rum"])
    assert np.allclose(first, fake.query("member1: likes tea"))
    assert np.isclose(np.linalg.norm(second), 1.0)
    assert not np.allclose(first, second)


def test_what_processes_measured_at_once_is_put_together():
    first = Run(walls=[1.0, 2.0], cpu=2.0, start=10.0, end=11.0, memory=90.0)
    second = Run(walls=[3.0, 9.0], cpu=6.0, start=10.5, end=12.0, memory=95.0)
    found = timing("add", [first, second], facts=7)
    assert (found.processes, found.calls, found.p50, found.p95, found.cpu) == (2, 4, 3.0, 9.0, 2.0)
    assert (found.per_second, found.memory) == (2, 95)


def test_a_made_up_guild_is_whole_and_indexed():
    with benchmark_guild.fake_embedder():
        benchmark_guild.fill(250, progress=silent)
        assert all(each.ok for each in reindexing.check())
    assert (Fact.objects.count(), Message.objects.count(), InteractionNote.objects.count()) == (250, 250, 3)
    assert (Evidence.objects.count(), FactChange.objects.count()) == (250, 250)


def test_the_disk_of_facts_is_told_apart_from_that_of_their_messages():
    sizes = iter([100, 700, 1_700])
    found = benchmark_guild.fill(10, progress=silent, on_disk=lambda: next(sizes))
    assert (found.messages, found.facts) == (600, 1_000)


def test_every_call_is_timed_for_one_and_for_many(tmp_path, small):
    with benchmark_guild.fake_embedder():
        found, told = run_all.guild_timings(200, Scratch("", tmp_path), silent)
    assert [(each.what, each.processes) for each in found][:4] == [
        ("search of a member", 1), ("search of a member", 8), ("search guild-wide", 1), ("search guild-wide", 8),
    ]  # fmt: skip
    assert {each.what for each in found} >= {"context", "add", run_all.LATER_VECTOR}
    assert told["facts"] == 200


def test_an_added_fact_counts_with_its_vector(small):
    with benchmark_guild.fake_embedder():
        guild = benchmark_guild.fill(20, progress=silent).guild
        calls.call_for("add", guild)(calls.questions(guild, 1, seed="a")[0])
        assert run_all.time_new_vectors(20).calls == 1


@pytest.mark.sqlite_only
@pytest.mark.django_db(transaction=True)
def test_the_floor_writes_what_the_hub_writes():
    with benchmark_guild.fake_embedder():
        guild = benchmark_guild.fill(150, progress=silent).guild
        first, second = calls.questions(guild, 2, seed="a")
        counted = (Fact, Evidence, FactChange, Action)
        counts = [[model.objects.count() for model in counted]]
        for what, question in (("add", first), (calls.FLOOR + "add", second)):
            calls.call_for(what, guild)(question)
            counts.append([model.objects.count() for model in counted])
        embeddings.embed_missing(10)
        assert all(each.ok for each in reindexing.check())
    assert [after - before for before, after in zip(counts[0], counts[1], strict=True)] == [1, 1, 1, 1]
    assert [after - before for before, after in zip(counts[1], counts[2], strict=True)] == [1, 1, 1, 1]
    vectors.clear()
    keywords.clear()


@pytest.mark.sqlite_only
@pytest.mark.django_db(transaction=True)
def test_the_floor_finds_what_is_there():
    with benchmark_guild.fake_embedder():
        guild = benchmark_guild.fill(150, progress=silent).guild
        fact = Fact.objects.select_related("subject").first()
        for what in ("search of a member", "search guild-wide"):
            found = calls.call_for(calls.FLOOR + what, guild)((fact.text, fact.subject))
            assert fact.pk in [row[0] for row in found]
    vectors.clear()
    keywords.clear()


def test_intake_is_timed_for_one_and_for_many(monkeypatch):
    for name, value in {"SINGLE": 5, "BATCH": 20, "BATCHES": 1}.items():
        monkeypatch.setattr(run_all, name, value)
    with benchmark_guild.fake_embedder():
        found = run_all.intake(silent)
    assert [each.calls for each in found] == [5, 20, 25]


@pytest.mark.django_db(transaction=True)
def test_processes_of_a_crowd_make_the_calls_at_once():
    with benchmark_guild.fake_embedder():
        benchmark_guild.fill(20, progress=silent)
    with crowd.Crowd(throwaway.address(), 2) as few:
        found = few.timing("add", facts=20, processes=2, calls=4)
    assert (found.processes, found.calls) == (2, 4)
    assert Fact.objects.count() == 20 + 4 + 2 * crowd.WARM_UP
    vectors.clear()
    keywords.clear()


@pytest.mark.django_db(transaction=True)
def test_adds_to_members_are_timed_in_turns_with_the_floor(monkeypatch):
    for name, value in {"KNOWN": (2, 3), "MEMBERS": 2, "TURNS": 2, "ADDS": 1}.items():
        monkeypatch.setattr(members, name, value)
    with benchmark_guild.fake_embedder():
        found = [each for each in members.member_timings(silent) if not each.what.startswith(calls.FLOOR)]
    assert [(each.what, each.calls) for each in found] == [
        (f"add, {kind}, {known} known", 2) for known in (2, 3) for kind in ("made-up words", "facts of one shape")
    ]
    vectors.clear()
    keywords.clear()


def test_memory_is_measured():
    assert memory_in_use() > 1


@pytest.mark.django_db(transaction=True)
def test_the_disk_is_measured_once_everything_is_written_back():
    before = throwaway.settled_size()
    with benchmark_guild.fake_embedder():
        benchmark_guild.fill(2_000, progress=silent)
    assert throwaway.settled_size() > before + 2_000 * 500


@pytest.mark.sqlite_only
def test_a_database_file_takes_no_time_of_another_process():
    assert throwaway.server_cpu() == 0


def test_an_add_is_compared_with_the_floor_together_with_its_vector():
    def cpu(what, spent):
        run = Run(walls=[1.0], cpu=spent, start=0.0, end=1.0, memory=1.0)
        return timing(what, [run], facts=5)

    timings = [cpu("add", 3.0), cpu("floor: add", 2.0), cpu(run_all.LATER_VECTOR, 1.0), cpu("context", 9.0)]
    assert bench.of_floor(timings) == {"add, 5 facts, 1 at once": 2.0}


@pytest.fixture
def few_calls(monkeypatch):
    """A round of two calls, by the hub alone: the floor's own connection would wait for the test's."""
    for name, value in {"WARM_UP": 1, "ROUNDS": 1, "CALLS": 2, "FACTS_OF": (2, 5, 1_000), "MEMBERS": 10}.items():
        monkeypatch.setattr(hard_cases if hasattr(hard_cases, name) else benchmark_guild, name, value)
    cases = [hard_cases.HardCase(name=f"of {of}", call=hard_cases.MEMBER, words=17, facts_of=of) for of in (2, 1_000)]
    monkeypatch.setattr(hard_cases, "CASES", [*cases, hard_cases.CASES[-1]])
    monkeypatch.setattr(hard_cases.db, "files", list)


def test_hard_cases_are_asked_where_there_are_enough_facts_and_their_statements_are_counted(few_calls):
    with benchmark_guild.fake_embedder():
        found = hard_cases.hard_cases(60, silent)
    assert [each.case for each in found] == ["of 2", "guild-wide, 5 rare words"]
    assert all(each.statements > 5 and each.floor is None for each in found)
    by_member = Counter(Fact.objects.values_list("subject__platform_id", flat=True))
    assert (by_member["u0"], by_member["u1"]) == (2, 5)
    assert all(fact.text.endswith(f"{hard_cases.COMMON}.") for fact in Fact.objects.all())


def test_one_guild_is_asked_among_few_and_among_many(few_calls):
    with benchmark_guild.fake_embedder():
        found = hard_cases.many_guilds(1, 3, 30, silent)
    assert [each.case for each in found][::2] == ["member, among 1 guilds", "member, among 3 guilds"]
    assert Fact.objects.count() == 90


def test_langgraphs_store_gets_the_same_facts_and_questions(monkeypatch):
    monkeypatch.setattr(peers, "CALLS", 3)
    monkeypatch.setattr(peers, "WARM_UP", 2)
    with benchmark_guild.fake_embedder():
        found = peers.peer_timings(40, silent)
    assert [each.what for each in found][:2] == ["search of a member", "langgraph SqliteStore: search of a member"]
    assert {each.calls for each in found if not each.what.startswith(peers.SHOWN)} == {3}
    assert all(each.cpu > 0 for each in found)
    assert Fact.objects.count() == 45


def test_growth_is_told_where_there_are_two_sizes():
    costs = [
        hard_cases.Cost(case=case, facts=facts, cpu=cpu, floor=2.0, statements=9)
        for case, facts, cpu in (
            ("flat", 100, 3.0),
            ("flat", 10_000, 3.0),
            ("steep", 10_000, 400.0),
            ("steep", 100, 4.0),
        )
    ]
    assert hard_cases.growth([*costs, replace(costs[0], case="once")]) == {"flat": 0.0, "steep": 1.0}
    assert costs[0].ratio == 1.5


def test_the_command_shows_another_run_beside_its_own(tmp_path, monkeypatch, capsys, few_calls):
    monkeypatch.setattr(bench, "scratch_database", lambda: nullcontext(Scratch("", tmp_path)))
    other = {"hard": [{"case": "of 2", "facts": 60, "cpu": 123.456}]}
    (tmp_path / "other.json").write_text(json.dumps(other))
    call_command("bench", "--only", "hard", "--sizes", "60", "--beside", str(tmp_path / "other.json"))
    assert "123.456" in capsys.readouterr().out


@pytest.mark.parametrize("content", [None, "{", "[]"])
def test_another_run_that_can_not_be_read_is_refused_before_anything_is_measured(tmp_path, content):
    if content:
        (tmp_path / "other.json").write_text(content)
    with pytest.raises(CommandError, match="is no file that `bench --json` wrote"):
        call_command("bench", "--beside", str(tmp_path / "other.json"))


@pytest.mark.parametrize("command", ["bench", "load", "evaluate guild", "count_calls talk.json"])
@pytest.mark.parametrize("name", [".", "nowhere/found.json"])
def test_a_file_that_can_not_be_written_is_refused_before_anything_is_measured(tmp_path, command, name):
    with pytest.raises(CommandError, match="name a file in a folder that is there"):
        call_command(*command.split(), "--json", str(tmp_path / name))


@pytest.mark.parametrize("sizes", ["0", "many", "1000,", "-5"])
def test_sizes_that_are_no_numbers_are_refused_in_words(sizes):
    with pytest.raises(CommandError, match="are no numbers of facts"):
        call_command("bench", f"--sizes={sizes}")


def test_the_command_prints_tables_and_json(tmp_path, monkeypatch, capsys, small):
    monkeypatch.setattr(bench, "scratch_database", lambda: nullcontext(Scratch("", tmp_path)))
    monkeypatch.setattr(bench, "intake", lambda _progress: [])
    monkeypatch.setattr(bench, "member_timings", lambda _progress: [])
    call_command("bench", "--only", "usual", "--sizes", "150", "--json", str(tmp_path / "found.json"))
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["guilds"][0]["facts"] == 150
    assert {each["what"] for each in found["timings"]} >= {"context", "add"}
    assert "search of a member" in capsys.readouterr().out
