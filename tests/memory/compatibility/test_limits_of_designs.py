"""The numbers of the designs that memoryhub joins hold exactly, each at its border."""

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from threading import Semaphore

import pytest

from memory.compatibility import confidence_ranking, established_facts
from memory.facts.proposal import Proposal
from memory.learning import batch_input, batches, consolidation, decisions, validation
from memory.recall import retrieval
from memory.records import snapshots
from memoryhub.ai import event_loop
from memoryhub.community.models import Guild
from notes.models import Journal, Message
from tests import toy_embedder
from tests.factories import NOON, days, make_fact, make_guild, make_member, make_message
from tests.scripted import scripted

DAY = NOON.date()


def lines(title: str) -> list[str]:
    """Return the lines of one section of the snapshot."""
    text = snapshots.current_snapshot(make_guild(), now=NOON, refresh=True).text
    section = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [each for each in section.splitlines() if each.strip().startswith("- ")]


def said(*texts: str, author: str = "Alice", **fields) -> None:
    for number, text in enumerate(texts):
        at = NOON - timedelta(minutes=number)
        make_message(text, author=make_member(name=author), **{"sent_at": at, **fields})


@pytest.mark.django_db
def test_the_snapshot_names_eighty_people_and_six_facts_of_each():
    for number in range(81):
        make_fact(f"Owns boat {number}.", subject=make_member(name=f"M{number:02}"))
    for number in range(6):
        make_fact(f"Owns raft {number}.", subject=make_member(name="M00"), confidence=0.9)
    people = lines("Members")
    assert sum(line.startswith("- ") for line in people) == 80
    assert sum("raft" in line for line in people) == 6
    assert not any("boat 0" in line or "boat 80" in line for line in people)


@pytest.mark.django_db
def test_the_snapshot_tells_the_six_newest_lines_of_lore():
    for number in range(7):
        make_fact(f"Rule {number}.", said_at=NOON + days(number))
    assert [line.strip("- .") for line in lines("Ongoing lore")] == [f"Rule {number}" for number in range(6, 0, -1)]


@pytest.mark.django_db
def test_of_highlights_there_are_twenty_four_and_eight_of_one_person():
    for name in ("Bob", "Carol", "Dave"):
        said(*(f"{name} painted boat {number}." for number in range(9)), author=name, sent_at=NOON - timedelta(hours=1))
    said(*(f"Alice painted boat {number}." for number in range(9)))
    shown = lines("Recent highlights")
    assert len(shown) == 24
    assert sum(" Alice:" in line for line in shown) == 8


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("painted.", 1), ("painted", 0), ("https://example.org/a/long/way", 0), ("a" * 220, 1), ("a" * 221, 0),
        ("see https://example.org/a it is the boat", 1),
    ],
)  # fmt: skip
def test_a_highlight_has_8_to_220_characters_and_is_more_than_a_link(text, shown):
    said(text)
    assert len(lines("Recent highlights")) == shown


@pytest.mark.django_db
def test_a_highlight_is_told_once_and_none_is_older_than_three_days():
    said("The boat is finished.", "THE BOAT IS FINISHED.", "https://example.org/x The boat is finished.")
    said("The mast is up too.", sent_at=NOON - days(3))
    assert len(lines("Recent highlights")) == 1
    Message.objects.filter(text__startswith="The mast").update(sent_at=NOON - days(3) + timedelta(minutes=1))
    assert len(lines("Recent highlights")) == 2


@pytest.mark.django_db
def test_highlights_are_sought_among_the_newest_120_messages():
    said(*["ok"] * 119, "The boat is finished.", "The mast is up too.")
    assert [line.rpartition(": ")[2] for line in lines("Recent highlights")] == ["The boat is finished."]


@pytest.mark.django_db
def test_the_five_newest_logs_are_named():
    for back in range(6):
        Journal.objects.create(guild=make_guild(), day=DAY - days(back), text="")
    assert lines("Source logs") == [f"- {DAY - days(back)}.md" for back in range(5)]


@pytest.mark.parametrize(("question", "embedded"), [("ab", False), (" ab ", False), ("abc", True)])
def test_a_question_of_less_than_three_characters_is_not_embedded(monkeypatch, question, embedded):
    toy = toy_embedder.install(monkeypatch)
    monkeypatch.setattr(retrieval, "embedder", lambda: toy)
    assert (retrieval.embedded_query(question).embedding is not None) == embedded


@pytest.mark.django_db
def test_a_reading_takes_a_hundred_messages_and_twenty_five_of_one_member():
    for name, count in (("Mallory", 30), *((f"M{number}", 20) for number in range(5))):
        said(*(["I like tea."] * count), author=name)
    read = [str(m.author) for batch in batches.waiting(Guild.ExtractionMode.BATCH, now=NOON) for m in batch.messages]
    assert len(read) == 100
    assert read.count("Mallory") <= 25


@pytest.mark.django_db
def test_a_model_is_shown_eighty_facts_of_the_speakers_and_forty_of_one(settings):
    settings.MEMORYHUB_FAST_MODEL, settings.OPENAI_API_KEY = "openai:fast", "test-key"
    people = [make_member(name=name) for name in ("Alice", "Bob", "Carol")]
    for person in people:
        for number in range(41):
            make_fact(f"Owns boat {number}.", subject=person)
    shown = [_shown(people[:some]) for some in (1, 2, 3)]
    assert [(len(known), max(Counter(known).values())) for known in shown] == [(40, 40), (80, 40), (78, 26)]


def _shown(people) -> list[int | None]:
    batch = batches.Batch([make_message(author=person) for person in people])
    return [fact.subject for fact in batch_input.gather(batch).known]


@pytest.mark.django_db
def test_a_new_fact_is_compared_with_the_three_nearest(settings, monkeypatch):
    toy = toy_embedder.install(monkeypatch)
    monkeypatch.setattr(decisions, "embedder", lambda: toy)
    settings.MEMORYHUB_CAREFUL_MODEL, settings.OPENAI_API_KEY = "openai:careful", "test-key"
    for number in range(5):
        make_fact(f"Lives in a house by the lake number {number}.", subject=make_member())
    message = make_message("I live in a house by the lake")
    proposal = Proposal(
        guild=make_guild(), subject=make_member(), text="Lives in a house by the lake.", kind="profile", confidence=0.7,
        explicit=True, said_at=NOON, quote=message.text, messages=[message],
    )  # fmt: skip
    with scripted() as model:
        consolidation.settle_all([proposal], actor="test", now=NOON)
    [(purpose, given)] = model.asked
    assert (purpose, len(given.cases[0].old)) == ("consolidation", 3)


@pytest.mark.parametrize(
    ("preset", "size", "most"), [("composer", 100, 15), ("composer", 50, 20), ("seed002", 100, 40)]
)
def test_so_many_characters_and_facts_are_told_and_not_one_more(preset, size, most):
    """Each line takes its size with its line break; 4,000 and 1,500 characters hold these many."""
    characters, facts = established_facts.LIMITS[preset]
    known = [Observation(said_at=NOON - days(number)) for number in range(60)]
    told = confidence_ranking.selected(known, line=lambda _: "a" * (size - 1), characters=characters, most=facts)
    assert told == known[:most]
    longer = confidence_ranking.selected(known, line=lambda _: "a" * size, characters=characters, most=facts)
    assert len(longer) == (most if size == 50 else most - 1)


@dataclass(frozen=True)
class Observation:
    said_at: datetime
    confidence: float = 0.9
    last_reinforced_at: datetime | None = None


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("Cat.", "too short"),
        ("Cats.", None),
        (f"{'Walks far. ' * 17}{'a' * 3}", None),
        ("Walks on. " * 19 + "a", "too long"),
    ],
)
def test_a_fact_has_four_to_190_characters(text, refused):
    assert len(text) in (4, 5, 190, 191)
    assert validation.refuse(text, text, text) == refused


def test_no_more_than_four_calls_of_models_are_under_way_in_a_process(monkeypatch):
    """All six are handed over before the first may end, on the loop of them all: no clock and no chance in it."""
    inside, most, loops = set[int](), list[int](), list[asyncio.AbstractEventLoop]()
    held, handed_over, hand_over = asyncio.Event(), Semaphore(0), asyncio.run_coroutine_threadsafe

    def counted(work, loop):
        future = hand_over(work, loop)
        loops.append(loop)
        handed_over.release()
        return future

    async def call(number: int) -> int:
        inside.add(number)
        most.append(len(inside))
        await held.wait()
        inside.remove(number)
        return number

    async def settled() -> int:
        for _ in range(20):
            await asyncio.sleep(0)
        count = len(inside)
        held.set()
        return count

    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", counted)
    with ThreadPoolExecutor(6) as pool:
        calls = [pool.submit(event_loop.run, partial(call, number)) for number in range(6)]
        assert all(handed_over.acquire(timeout=60) for _ in calls)
        assert hand_over(settled(), loops[0]).result(60) == 4
        assert [each.result(60) for each in calls] == list(range(6))
    assert max(most) == 4
