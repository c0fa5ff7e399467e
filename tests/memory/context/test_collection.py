"""Which notes a turn is told, and whose profiles come with them."""

from __future__ import annotations

import pytest

from memory.context.builder import Turn, build
from memory.context.collection import FURTHER_NOTES, NOTES, SMALL_TALK, relevant_notes
from memory.index import embeddings, writing
from memory.index.view import View
from memory.recall import own_words, ranking, search
from memory.recall.retrieval import embedded_query, retrieve_all
from memory.recall.search import Search
from memoryhub.ai.embedding.directions import Direction
from memoryhub.ai.embedding.thresholds import EMBEDDED, GOOGLE, OPENAI
from notes.models import Message
from tests.factories import (
    NOON,
    days,
    make_channel,
    make_entry,
    make_guild,
    make_member,
    make_message,
    make_note,
    minutes,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toy")]
NOW = NOON + days(1)


def note(title: str, summary: str, channel: str = "general", *, who: tuple[str, ...] = ("Alice",), **fields):
    place = make_channel(fields.pop("guild", None) or make_guild(), channel, **fields)
    people = [make_member(place.guild, name) for name in who]
    told = make_note(title, summary=summary, channel=place, participants=people)
    writing.index_notes([told])
    embeddings.embed_missing(1_000)
    return told


def titles(question: str, channel: str | None = "general", **fields) -> list[str]:
    guild = fields.pop("guild", None) or make_guild()
    place = make_channel(guild, channel) if channel else None
    search = Search(query=embedded_query(question), view=View(guild=guild, channel=place), now=NOW)
    return [row.title for row, _ in relevant_notes(search)]


def test_notes_that_answer_are_told_the_best_first():
    note("Kayak race", "The kayak race starts at the harbour.")
    note("Cats", "Alice fed her cats.")
    assert titles("where does the kayak race start?") == ["Kayak race"]


def test_where_nothing_answers_a_few_that_share_a_word_are_told():
    for what in ("rope", "lamp", "gull", "mast", "tide"):
        note(f"A harbour {what}", f"Alice painted a {what}.")
    assert len(titles("which harbour festival has the loudest brass band?")) == FURTHER_NOTES


def test_where_nothing_is_near_none_is_told():
    note("Cats", "Alice fed her cats.")
    assert titles("which harbour festival has the loudest brass band?") == []


def test_what_shares_a_word_and_is_still_too_far_is_not_told():
    others = "boats wind rain paddles tents maps ropes lamps knots tides gulls sails masts decks " * 4
    note("Talk", f"Alice told of the harbour, {others}.")
    assert titles("which harbour festival has the loudest brass band in town this year?") == []


def test_at_most_five_notes_are_told():
    for number in range(8):
        note(f"Kayak race {number}", f"The kayak race number {number} began with {'abcdefgh'[number] * 4}.")
    assert len(titles("how did the kayak race begin?")) == NOTES


def test_a_busy_channel_does_not_hide_a_closer_note_elsewhere():
    for number in range(70):
        make_note(f"Kayak day {number}", summary=f"Kayak talk on day {number}, the weather and plans.", participants=[])
    writing.index_notes(list(make_guild().notes.all()))
    closer = note("Kayak race", "The kayak race starts at nine at the old mill.", "races")
    assert titles("when does the kayak race at the old mill start?")[0] == closer.title


def test_of_two_notes_that_are_as_good_the_one_of_the_channel_comes_first():
    same = "The kayak race starts at nine"
    note("Elsewhere", f"{same} on Sunday.", "races")
    note("Here", f"{same} on Monday.")
    note("There", f"{same} on Friday.", "boats")
    assert titles("when does the kayak race start?")[0] == "Here"


def test_notes_stay_in_their_guild_and_audience():
    note("Other guild", "The kayak race starts at nine.", guild=make_guild("discord:2"))
    note("Staff", "The kayak race is a secret of the staff.", "staff", private=True)
    assert titles("when does the kayak race start?") == []
    assert titles("when does the kayak race start?", "staff") == ["Staff"]


def test_without_an_embedder_the_words_decide(monkeypatch):
    note("Kayak race", "The kayak race starts at the harbour.")
    note("Cats", "Alice fed her cats.")
    monkeypatch.setattr("memory.recall.retrieval.embedder", lambda: None)
    assert titles("where does the kayak race start?") == ["Kayak race"]
    assert titles("what is the capital of Mongolia?") == []


@pytest.mark.parametrize("thresholds", [EMBEDDED, OPENAI, GOOGLE])
def test_each_embedding_model_has_thresholds_of_its_own_and_the_fallback_is_bounded(thresholds):
    assert thresholds.floor < thresholds.distant < thresholds.related


def test_the_channel_weighs_less_than_what_is_said():
    assert ranking.WEIGHTS["channel"] <= 0.05


# --- Whose profiles come along -----------------------------------------------------------------------------------


def described(
    text: str, *, members: tuple[str, ...] = ("Alice",), mentioned: tuple[str, ...] = (), **fields
) -> set[str]:
    guild = make_guild()
    turn = Turn(
        guild=guild, channel=make_channel(guild), members=[make_member(guild, name) for name in members],
        mentioned=[make_member(guild, name) for name in mentioned], text=text, max_tokens=8_000, now=NOW, **fields,
    )  # fmt: skip
    part = next((part for part in build(turn).parts if part.name == "profiles"), None)
    return {item.about for item in part.items} if part else set()


def crowd(*names: str) -> None:
    for name in names:
        make_entry(f"Has a hat called {name}hat", member=make_member(make_guild(), name))


def test_those_in_the_conversation_are_described_however_many_they_are():
    names = tuple(f"M{number}" for number in range(10))
    crowd(*names)
    assert described("hello", members=names) == set(names)


def test_three_who_are_mentioned_are_described_beside_them():
    crowd("Alice", "Bob", "Carol", "Dan", "Erin")
    assert described("hello", mentioned=("Bob", "Carol", "Dan", "Erin")) == {"Alice", "Bob", "Carol", "Dan"}


def test_whoever_is_there_already_takes_no_place_of_the_mentioned():
    crowd("Alice", "Bob", "Carol", "Dan")
    assert described("hello", mentioned=("Alice", "Alice", "Bob", "Carol", "Dan")) == {"Alice", "Bob", "Carol", "Dan"}


def test_three_who_took_part_in_the_notes_are_described_too_each_once():
    crowd("Alice", "Bob", "Carol", "Dan", "Erin", "Finn")
    note("Kayak race", "The kayak race starts at nine.", who=("Alice", "Bob", "Carol"))
    note("Kayak rules", "The kayak race has rules.", who=("Carol", "Dan", "Erin", "Finn"))
    found = described("when does the kayak race start?", mentioned=("Bob",))
    assert {"Alice", "Bob", "Carol"} < found
    assert len(found) == 5


def test_nobody_of_a_note_that_is_not_told_is_described():
    crowd("Bob")
    note("Cats", "Bob fed his cats.", who=("Bob",))
    assert described("when does the kayak race start?") == set()


def test_where_did_you_learn_that_is_answered_by_the_line_itself():
    said = make_message("I live in Oslo.", sent_at=NOON - minutes(5))
    make_entry("Lives in Oslo", notes=[make_note("Moving house", messages=[said])])
    turn = Turn(
        guild=make_guild(), channel=said.channel, members=[make_member()], text="where did you learn that?", now=NOW,
    )  # fmt: skip
    context = build(turn)
    assert "- Lives in Oslo  [Moving house, Mar 2]" in context.text
    cited = next(part for part in context.parts if part.name == "profiles").items[0].sources[0]
    assert cited.note_id == str(make_guild().notes.get().pk)
    assert said.platform_id in {message.platform_id for message in make_guild().notes.get().messages.all()}


def test_a_bigger_budget_looks_further_for_messages_as_far_as_they_may_take_room(monkeypatch):
    here, asked_for = make_channel(), []
    monkeypatch.setattr(
        search, "retrieve_all", lambda query, asked: asked_for.append(asked) or retrieve_all(query, asked)
    )
    further = {}
    for budget in (300, 2_000, 4_000, 6_000, 100_000):
        asked_for.clear()
        build(Turn(guild=here.guild, channel=here, members=[], text="who sails?", max_tokens=budget, now=NOW))
        further[budget] = max(each.further for asked in asked_for for each in asked if each.kind == "message")
    assert further == {300: 4, 2_000: 4, 4_000: 12, 6_000: 20, 100_000: 20}


CELLO = "My sister taught me the cello and I still play every Thursday"


@pytest.fixture
def lasts(toy, monkeypatch):
    """Have a text tell something where it has words of this one."""
    direction = Direction(direction=toy.query(CELLO), least=0.2)
    monkeypatch.setattr(own_words, "embedder", lambda: toy)
    monkeypatch.setattr(own_words, "lasting", lambda model: direction)


def said(context) -> list[str]:
    return [item.text for part in context.parts if part.name == "messages" for item in part.items]


def greeted(text: str = "hi"):
    here = make_channel(name="harbour")
    people = [make_member(), make_member(name="Bob")]
    return build(Turn(guild=here.guild, channel=here, members=people, text=text, now=NOW))


@pytest.mark.usefixtures("lasts")
def test_whom_the_bot_answers_is_told_by_their_own_words_where_nothing_is_asked():
    make_message(CELLO)
    make_message("I play the cello too", author=make_member(name="Bob"))
    embeddings.embed_missing(1_000)
    context = greeted()
    assert said(context) == [CELLO]
    assert [source.message_id for source in context.sources] == [Message.objects.get(text=CELLO).platform_id]


@pytest.mark.usefixtures("lasts")
def test_own_words_that_are_found_or_in_the_transcript_are_told_once():
    make_message(CELLO)
    embeddings.embed_missing(1_000)
    assert said(greeted("who taught you the cello?")) == [CELLO]
    here = make_message(CELLO).channel
    turn = Turn(guild=here.guild, channel=here, members=[make_member()], text="hi", now=NOW)
    assert CELLO not in said(build(turn))


@pytest.mark.usefixtures("lasts")
def test_own_words_that_the_transcript_has_no_room_for_are_told():
    here = make_message(CELLO, sent_at=NOON).channel
    for number in range(30):
        make_message(f"ha {number} " * 12, author=make_member(name="Bob"), sent_at=NOON + minutes(number + 1))
    embeddings.embed_missing(1_000)
    turn = Turn(guild=here.guild, channel=here, members=[make_member()], text="hi", max_tokens=200, now=NOW)
    assert said(build(turn)) == [CELLO]


@pytest.mark.usefixtures("lasts")
def test_where_enough_is_found_nobodys_own_words_are_looked_for(monkeypatch):
    make_message(CELLO)
    for number in range(SMALL_TALK):
        make_message(f"The regatta number {number} starts at the harbour", author=make_member(name="Bob"))
    embeddings.embed_missing(1_000)
    assert CELLO not in said(greeted("when does the regatta at the harbour start?"))


@pytest.mark.usefixtures("lasts")
def test_a_turn_of_nobody_known_is_told_nobodys_own_words():
    make_message(CELLO)
    embeddings.embed_missing(1_000)
    here = make_channel(name="harbour")
    assert said(build(Turn(guild=here.guild, channel=here, members=[], text="hi", now=NOW))) == []
