from datetime import UTC, datetime, timedelta
from itertools import count
from operator import attrgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.index import embeddings, writing
from memory.index.view import View
from memory.models import Fact
from memory.recall import retrieval
from memory.recall.ranking import PRESETS, Preset, Ranked
from memory.recall.search import Search, recall
from memoryhub.ai import ModelFailed, event_loop
from memoryhub.community.models import Member
from memoryhub.search import vectors
from memoryhub.search.vectors import neighbor_graph
from tests.factories import (
    NOON,
    days,
    make_channel,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
)
from tests.verification.statements import recorded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toy")]

NOW = NOON + days(1)
GUILDS = count(100)
WORDS = [
    "kayak",
    "harp",
    "oven",
    "tulip",
    "chess",
    "yacht",
    "violin",
    "bread",
    "ferry",
    "piano",
    "cello",
    "cactus",
    "rowing",
    "poker",
    "dahlia",
    "lute",
    "sailing",
    "bakery",
    "banjo",
    "orchid",
]


# Of a question about everything, of one about a member's facts, of one about all of a member.
MOST_STATEMENTS = (16, 14, 17)


def index(*rows):
    for row in rows:
        {"Fact": writing.index_facts, "InteractionNote": writing.index_notes, "Message": writing.index_messages}[
            type(row).__name__
        ]([row])
    embeddings.embed_missing(100)


def ask(question, guild=None, **options):
    return recall(guild or make_guild(), question=question, now=NOW, **options)


def texts(memories):
    return [memory.text for memory in memories]


def test_a_fact_is_recalled_with_the_message_that_it_rests_on():
    message = make_message("I moved to Toronto last spring.")
    index(make_fact("Lives in Toronto.", subject=message.author, evidence=[message]))
    (memory,) = ask("who is in Toronto?", kinds=["fact"])
    assert (memory.kind, memory.text, memory.member, memory.member_id) == (
        "fact",
        "Lives in Toronto.",
        "Alice",
        "u-alice",
    )
    (source,) = memory.sources
    assert (source.message_id, source.quote, source.author) == (
        message.platform_id, "I moved to Toronto last spring.", "Alice",
    )  # fmt: skip


def test_a_note_is_recalled_with_every_message_that_it_tells_of():
    messages = [make_message("Bento ate my shoe."), make_message("He is a good dog.")]
    index(make_note("Bento and the shoe", messages=messages, summary="Alice's dog ate a shoe."))
    (memory,) = ask("what did the dog eat?", kinds=["note"])
    assert memory.text == "Bento and the shoe: Alice's dog ate a shoe."
    assert [source.message_id for source in memory.sources] == [message.platform_id for message in messages]


def test_a_note_is_recalled_by_what_was_said_in_its_talk_and_shows_nothing_of_it():
    index(note := make_note("A pet", messages=[make_message("Bento ate my shoe.")], summary="Of a dog."))
    index(make_note("Weather", messages=[make_message("It rains.")], summary="Of rain."))
    first, _ = ask("who ate the shoe?", kinds=["note"])
    assert (first.id, first.text) == (note.pk, "A pet: Of a dog.")


def test_a_message_that_answers_speaks_for_the_note_of_its_talk_and_the_topic_that_joins_it():
    said = make_message("Bento ate my shoe.", author=make_member(name="Bob"))
    talk = make_note("A pet", messages=[said], summary="Of a dog.")
    topic = make_note("Pets of the day", kind="topic_cluster", summary="Everybody talked of shoes.")
    topic.notes.set([talk])
    other = make_note("Weather", messages=[make_message("It rains.")], summary="Of rain.")
    index(talk, other, topic)
    search = Search(query=retrieval.embedded_query("who ate the shoe?"), view=View(guild=make_guild()), now=NOW)
    unsaid = {row.pk: ranked.parts["support"] for row, ranked in search.best("note", 5)}
    index(said)
    search = Search(query=retrieval.embedded_query("who ate the shoe?"), view=View(guild=make_guild()), now=NOW)
    support = {row.pk: ranked.parts["support"] for row, ranked in search.best("note", 5)}
    (_, best), *_ = search.best("message", 1)
    assert support[talk.pk] == best.score > unsaid[talk.pk]
    assert support[topic.pk] == best.score > support[other.pk]


def test_a_fact_that_answers_comes_before_the_notes_of_the_talks_about_it():
    said, small = make_message("I live in Toronto now."), [make_message(f"{word} again.") for word in WORDS]
    index(make_fact("Lives in Toronto now.", subject=said.author, evidence=[said]), said, *small)
    index(*(make_fact(f"Owns a {word}.", subject=said.author, evidence=[said]) for word in WORDS[:5]))
    index(make_note("Alice lives in Toronto", messages=[said, *small[:3]], summary="Alice lives in Toronto now."))
    first, *rest = ask("where does Alice live?")
    assert (first.kind, first.text) == ("fact", "Lives in Toronto now.")
    assert {memory.kind for memory in rest[:3]} > {"note"}


def test_a_message_whose_facts_hold_no_longer_gives_way_unless_the_past_is_asked_of():
    said = make_message("I live in Porto now.")
    fact = make_fact("Lives in Porto now.", subject=said.author, evidence=[said])
    index(fact, said)

    def outdated(question, **options):
        (memory,) = ask(question, kinds=["message"], **options)
        return memory.scores["outdated"], memory.score

    held, score = outdated("where does Alice live?")
    Fact.objects.update(status="superseded")
    gone, less = outdated("where does Alice live?")
    assert (held, gone) == (0.0, 1.0)
    assert less < score
    assert outdated("where did Alice live before?")[0] == 0.0
    assert outdated("where does Alice live?", as_of=NOW)[0] == 0.0
    make_fact("Likes Porto.", subject=said.author, evidence=[said])
    assert outdated("where does Alice live?") == (0.0, score)


def test_what_a_person_told_comes_as_far_up_as_what_was_learnt_from_a_talk():
    said = make_message("I live in Porto now.")
    index(make_note("Alice lives in Porto", messages=[said], summary="Alice lives in Porto now."), said)
    index(make_fact("Lives in Berlin now.", subject=said.author))
    first, *rest = ask("where does Alice live?")
    assert (first.text, len(rest)) == ("Lives in Berlin now.", 2)


def test_a_note_is_recalled_by_no_word_of_a_talk_that_may_not_be_told():
    mods = make_channel(name="mods", private=True)
    hidden = make_message("The shoe is in the attic.", channel=mods, author=make_member(name="Bob"))
    index(make_note("Plans", messages=[hidden], summary="Of plans."))
    alice = make_member(name="Alice")
    index(make_note("Search", messages=[make_message("A shoe!", author=alice)], summary="Of a search."))
    alice.remember = False
    alice.save()
    assert ask("the shoe in the attic", kinds=["note"]) == []
    assert texts(ask("the shoe in the attic", kinds=["note"], channel=mods)) == ["Plans: Of plans."]


def test_a_topic_is_recalled_with_the_messages_of_its_notes():
    message = make_message("Bento ate my shoe.")
    note = make_note("Bento", messages=[message], summary="Shoes.")
    topic = make_note("Pets of the day", kind="topic_cluster", summary="Everybody talked of pets.")
    topic.notes.set([note])
    index(topic)
    (memory,) = ask("pets", kinds=["note"], strict=True)
    assert [source.message_id for source in memory.sources] == [message.platform_id]


@pytest.mark.parametrize("better", ["topic", "talk"])
def test_of_a_topic_and_the_talks_that_it_joins_the_better_one_is_told(better):
    said = "Bento chased a heron round the pond."
    talk = make_note("Bento", messages=[make_message(said)], summary=said if better == "talk" else "Of a pet.")
    other = make_note("Garden", messages=[make_message("The pond is green.")], summary="The pond is green with algae.")
    topic = make_note("Pets", kind="topic_cluster", summary=said if better == "topic" else "Of a pet.")
    topic.notes.set([talk])
    index(talk, other, topic)
    told = [memory.id for memory in ask("which heron did the pet Bento chase round the pond?", kinds=["note"])]
    assert set(told) == {(topic if better == "topic" else talk).pk, other.pk}
    assert len(ask("Bento pet pond heron", kinds=["note"], limit=2)) == 2


def test_a_message_is_recalled_by_its_words_and_is_its_own_source():
    message = make_message("The kayak leaks.")
    index(message)
    (memory,) = ask("which kayak?", kinds=["message"])
    assert (memory.id, memory.member) == (message.platform_id, "Alice")
    assert [source.message_id for source in memory.sources] == [message.platform_id]


def test_everything_is_recalled_in_one_list_best_first():
    message = make_message("We talked about kayak repair.")
    index(message, make_fact("Owns a kayak.", subject=message.author), make_note(messages=[message]))
    found = ask("kayak")
    assert {memory.kind for memory in found} == set(retrieval.KINDS)
    assert [memory.score for memory in found] == sorted((memory.score for memory in found), reverse=True)


@pytest.mark.parametrize(
    ("question", "preset", "first"),
    [
        ("does Alice work by the sea", "default", "No longer by the sea, I work at the mill."),
        ("did Alice work by the sea", "default", "I work by the sea."),
        ("does Alice work by the sea", "its own", "I work by the sea."),
    ],
)
def test_a_change_is_told_before_what_it_may_have_changed(question, preset, first, monkeypatch):
    by_age = Preset(lambda rows, _: [Ranked(row, 0.5, {}) for row in sorted(rows, key=attrgetter("said_at"))])
    monkeypatch.setitem(PRESETS, "its own", by_age)
    alice = make_member()
    index(
        make_message("I work by the sea.", author=alice, sent_at=NOON - days(90)),
        make_message("No longer by the sea, I work at the mill.", author=alice, sent_at=NOON - days(80)),
    )
    assert texts(ask(question, kinds=["message"], preset=preset))[0] == first


def test_a_fact_is_found_by_meaning_where_no_word_is_shared():
    alice = make_member()
    index(make_fact("Employed at a bakery.", subject=alice), make_fact("Owns a cat.", subject=alice))
    assert texts(ask("which job", kinds=["fact"], strict=True)) == ["Employed at a bakery."]


def test_another_guilds_memory_is_never_recalled():
    north, south = make_guild("discord:1"), make_guild("discord:2")
    charlie = make_message("Toronto is home.", author=make_member(south, name="Charlie"))
    rows = [make_fact("Lives in Toronto.", subject=charlie.author), charlie, make_note("Toronto", messages=[charlie])]
    index(*rows)
    assert ask("Toronto", north) == []
    assert len(ask("Toronto", south)) == 3


def test_a_stale_index_row_of_another_guild_is_not_shown():
    fact = make_fact("Lives in Toronto.")
    index(fact)
    Fact.objects.update(guild=make_guild("discord:2"))
    assert ask("Toronto") == []


def test_a_private_memory_is_told_in_its_channel_and_its_threads_only():
    mods = make_channel(name="mods", private=True)
    thread = make_channel(name="appeals", private=True, parent=mods, kind="thread")
    general = make_channel(name="general")
    message = make_message("Mallory is banned.", channel=mods)
    index(message, make_fact("Banned Mallory.", audience=mods, channel=mods), make_note("Mallory", messages=[message]))
    assert len(ask("Mallory", channel=mods)) == len(ask("Mallory", channel=thread)) == 3
    assert ask("Mallory", channel=general) == ask("Mallory") == []


def test_a_threads_memory_is_not_told_in_its_parent():
    mods = make_channel(name="mods", private=True)
    thread = make_channel(name="appeals", private=True, parent=mods, kind="thread")
    index(make_fact("Banned Mallory.", audience=thread))
    assert ask("Mallory", channel=mods) == []


def test_a_question_about_a_member_is_answered_with_theirs_only():
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    mine, yours = make_message("I like tea.", author=alice), make_message("I like tea too.", author=bob)
    index(
        mine, yours, make_fact("Likes tea.", subject=alice), make_fact("Likes tea.", subject=bob),
        make_note("Tea with Alice", messages=[mine]), make_note("Tea with Bob", messages=[yours]),
    )  # fmt: skip
    assert {text.partition(":")[0] for text in texts(ask("tea", member=bob))} == {
        "I like tea too.", "Likes tea.", "Tea with Bob",
    }  # fmt: skip
    assert {memory.member for memory in ask("tea", member=bob, kinds=["fact", "message"])} == {"Bob"}


def test_strict_returns_nothing_when_nothing_is_about_the_question():
    index(make_fact("Owns a cat."), make_message("good morning"))
    assert ask("how do volcanoes erupt", strict=True) == []
    assert texts(ask("how do volcanoes erupt", kinds=["fact"])) == ["Owns a cat."]


def test_as_of_answers_with_what_was_true_then():
    alice = make_member()
    rome = make_fact(
        "Lives in Rome.", subject=alice, said_at=NOON - days(400), valid_until=NOON - days(30), status="superseded"
    )
    oslo = make_fact("Lives in Oslo.", subject=alice, said_at=NOON - days(30), valid_from=NOON - days(30))
    index(rome, oslo)
    options = {"kinds": ["fact"], "strict": True}
    assert texts(ask("where does Alice live", **options)) == ["Lives in Oslo."]
    assert texts(ask("where does Alice live", as_of=NOON - days(100), **options)) == ["Lives in Rome."]
    assert ask("where does Alice live", as_of=NOON - days(500), **options) == []


def test_as_of_leaves_out_what_was_said_later():
    message = make_message("The kayak leaks.", sent_at=NOON)
    index(message, make_note("Kayak", messages=[message]))
    assert ask("kayak", as_of=NOON - days(1), kinds=["note", "message"]) == []


@pytest.mark.parametrize("status", ["archived", "superseded"])
def test_what_is_no_longer_believed_is_not_recalled(status):
    fact = make_fact("Lives in Toronto.")
    index(fact)
    Fact.objects.update(status=status)
    assert ask("Toronto") == []


def test_a_member_who_said_no_is_not_recalled():
    alice = make_member()
    index(
        make_fact("Lives in Toronto.", subject=alice),
        make_message("Toronto!", author=alice),
        make_fact("Toronto meets."),
    )
    alice.remember = False
    alice.save()
    assert texts(ask("Toronto")) == ["Toronto meets."]


def test_a_guild_whose_memory_is_off_recalls_nothing():
    index(make_fact("Lives in Toronto."))
    guild = make_guild()
    guild.memory_on = False
    assert ask("Toronto", guild) == []


def test_bots_and_deleted_messages_are_not_recalled():
    bot = make_message("The kayak is blue.", author=make_member(name="Robo", is_bot=True))
    message = make_message("The kayak leaks.")
    index(bot, message)
    message.text, message.deleted_at = "", NOON
    message.save()
    assert ask("kayak") == []


def test_the_same_fact_said_twice_is_shown_once():
    alice = make_member()
    index(
        make_fact("Lives in Toronto.", subject=alice), make_fact("lives in Toronto", subject=alice, normalized="other")
    )
    assert len(ask("Toronto", kinds=["fact"])) == 1


def test_an_old_fact_is_found_beyond_many_newer_ones():
    alice = make_member()
    old = make_fact("Allergic to peanuts.", subject=alice, said_at=NOON - days(900))
    newer = [make_fact(f"Saw film number {number}.", subject=alice) for number in range(200)]
    writing.index_facts([old, *newer])
    assert texts(ask("peanuts", kinds=["fact"], limit=1)) == ["Allergic to peanuts."]


def test_a_member_is_found_among_a_thousand_facts_of_others():
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    mine = make_fact("Owns a kayak.", subject=alice)
    others = [make_fact(f"Owns kayak number {number}.", subject=bob) for number in range(300)]
    writing.index_facts([mine, *others])
    embeddings.embed_missing(1000)
    assert texts(ask("kayak", member=alice, kinds=["fact"], strict=True)) == ["Owns a kayak."]


@pytest.mark.parametrize(
    "question",
    [
        "", "   ", "C++", '"', "a AND", "@here NEAR(x)", "*", "🙂🙂", "東京", "x" * 10_000, "\0null", "' OR 1=1 --",
        "مرحبا", "\ud800", "the of and",
    ],
)  # fmt: skip
@pytest.mark.parametrize("strict", [True, False])
def test_no_question_is_an_error(question, strict):
    index(make_fact("Writes C++ in Tokyo."), make_message("hello"))
    assert isinstance(ask(question, strict=strict), list)


def test_an_empty_question_finds_nothing():
    index(make_fact())
    assert ask(" \n ") == []


@pytest.mark.parametrize(("limit", "count"), [(-5, 1), (0, 1), (3, 3), (500, 24)])
def test_the_limit_is_held_between_1_and_24(limit, count):
    writing.index_facts([make_fact(f"Owns kayak {number}.") for number in range(30)])
    assert len(ask("kayak", limit=limit)) == count


def test_recall_goes_on_by_words_when_the_embedder_fails(toy, monkeypatch):
    def fail(_text):
        raise ModelFailed("unavailable")

    index(make_fact("Lives in Toronto."))
    monkeypatch.setattr(toy, "query", fail)
    assert texts(ask("Toronto", strict=True)) == ["Lives in Toronto."]


def test_recall_works_without_an_embedder(monkeypatch):
    monkeypatch.setattr(retrieval, "embedder", lambda: None)
    index(make_fact("Lives in Toronto."), make_fact("Owns a cat."))
    assert texts(ask("Toronto", strict=True)) == ["Lives in Toronto."]


def test_the_scores_say_where_a_memory_comes_from():
    index(make_fact("Lives in Toronto."))
    (memory,) = ask("Toronto")
    assert {"semantic", "lexical", "confidence", "recency", "channel"} <= set(memory.scores)
    assert memory.gate == "lexical"


def test_the_weighted_formula_is_a_preset():
    index(make_fact("Lives in Toronto.", confidence=0.8))
    (memory,) = ask("Toronto", preset="seed000", kinds=["fact"])
    parts = memory.scores
    assert memory.score == pytest.approx(
        0.50 * parts["semantic"] + 0.28 * parts["lexical"] + 0.10 * 0.8 + 0.07 * parts["recency"], abs=1e-5
    )


def test_an_operator_may_weigh_the_weighted_formula_otherwise(settings, monkeypatch):
    index(make_fact("Lives in Toronto.", confidence=0.8))
    settings.MEMORYHUB_SEED000_WEIGHTS = {"lexical": 1.0, "confidence": 0.0}
    (memory,) = ask("Toronto", preset="seed000", kinds=["fact"])
    parts = memory.scores
    assert memory.score == pytest.approx(
        0.50 * parts["semantic"] + 1.0 * parts["lexical"] + 0.07 * parts["recency"], abs=1e-5
    )
    settings.MEMORYHUB_SEED000_WORD_WEIGHTS = {"recency": 0.0, "lexical": 0.9}
    monkeypatch.setattr("memory.recall.retrieval.embedder", lambda: None)
    (memory,) = ask("Toronto", preset="seed000", kinds=["fact"])
    assert memory.score == pytest.approx(0.9 * memory.scores["lexical"] + 0.10 * 0.8, abs=1e-5)


@pytest.mark.parametrize("preset", PRESETS)
def test_nearly_the_same_fact_is_told_once(preset):
    index(
        make_fact("Lives in Toronto, Canada."), make_fact("Now lives in Toronto in Canada."), make_fact("Owns a kayak.")
    )
    found = texts(ask("Who lives in Toronto, Canada?", preset=preset, kinds=["fact"]))
    assert len([text for text in found if "Toronto" in text]) == 1


def test_the_same_fact_about_two_members_is_told_of_both():
    bob = make_member(name="Bob")
    index(make_fact("Lives in Toronto, Canada."), make_fact("Lives in Toronto, Canada.", subject=bob))
    assert len(ask("Who lives in Toronto?", kinds=["fact"])) == 2


def test_the_preset_by_confidence_puts_what_is_sure_first_whatever_was_asked():
    index(
        make_fact("Owns a kayak.", confidence=0.4), make_fact("Lost a red kayak.", confidence=0.9), make_note("Kayak")
    )
    found = ask("Who owns a kayak?", preset="seed002")
    assert [memory.text for memory in found if memory.kind == "fact"] == ["Lost a red kayak.", "Owns a kayak."]
    assert [memory.score for memory in found] == sorted((memory.score for memory in found), reverse=True)
    assert found[0].scores["confidence"] == 0.9
    assert found[0].gate


def test_the_preset_by_confidence_tells_no_more_than_its_characters():
    index(*(make_fact(f"Kayak {number}: {number * 'x'} {'word ' * 70}", confidence=0.7) for number in range(20)))
    found = ask("kayak", preset="seed002", kinds=["fact"], limit=24)
    assert 0 < sum(len(memory.text) + 1 for memory in found) <= 4_000


def talk(numbers):
    """A message, a fact and a note for each number, each by a member of their own and about a kayak."""
    for number in numbers:
        message = make_message(f"kayak {number}", author=make_member(name=f"Alice{number}"))
        index(message, make_fact(f"Owns kayak {number}.", subject=message.author, evidence=[message]))
        index(make_note(f"Kayak {number}", messages=[message]))


def reads(question, **asked):
    """Return how many statements an answer takes, without the savepoints of a test's transaction, and the answer."""
    with recorded() as kept:
        found = ask(question, **asked)
    return len([sql for sql in kept if "SAVEPOINT" not in sql]), texts(found)


@pytest.fixture
def in_one_moment(monkeypatch):
    """Have what PostgreSQL's graphs keep for some minutes not run out between two questions."""
    monkeypatch.setattr(neighbor_graph, "_now", lambda: 0)


@pytest.mark.usefixtures("in_one_moment")
@pytest.mark.parametrize("question", ["kayak", f"kayak {' '.join(WORDS)}"])
def test_a_question_takes_few_statements_however_much_is_known_and_asked(question):
    for numbers in (range(30), range(30, 90)):
        talk(numbers)
        statements, found = reads(question, limit=24)
    assert (statements <= MOST_STATEMENTS[0], len(found)) == (True, 24)


@pytest.mark.usefixtures("in_one_moment")
@pytest.mark.parametrize("question", ["kayak", f"kayak {' '.join(WORDS)}"])
def test_a_question_about_a_member_takes_few_statements(question):
    talk(range(40))
    alice = make_member(name="Alice7")
    statements, found = reads(question, member=alice, kinds=["fact"])
    assert (statements <= MOST_STATEMENTS[1], found) == (True, ["Owns kayak 7."])
    statements, found = reads(question, member=alice)
    assert (statements <= MOST_STATEMENTS[2], len(found)) == (True, 3)


def test_a_message_is_found_by_its_meaning():
    index(make_message("We resided in Toronto.", author=make_member(name="Alice")), *small_talk())
    embeddings.embed_missing(100)
    assert texts(ask("Who would live there?", kinds=["message"], limit=1)) == ["We resided in Toronto."]


def test_where_words_tell_enough_meaning_moves_no_message():
    index(make_message("The ferry sails at noon."), make_message("We resided by the harbour."), *small_talk())
    embeddings.embed_missing(100)
    told = ask("When does the ferry to live by sail at noon?", kinds=["message"])
    assert told[0].text == "The ferry sails at noon."


def test_a_message_after_the_question_that_it_answers_comes_before_others():
    make_message("Where did you buy the old harp?", author=make_member(name="Bob"), sent_at=NOON)
    answer = make_message("At the flea market.", sent_at=NOON + timedelta(minutes=1))
    index(answer, make_message("My harp is out of tune.", sent_at=NOON + days(0.5)))
    assert ask("Where was the harp bought?", kinds=["message"])[0].scores["told"] > 0
    assert texts(ask("Who would buy a harp that is old?", kinds=["message"]))[0] != "My harp is out of tune."


def small_talk():
    return [make_message(f"{word} is nice.", sent_at=NOON - days(number + 1)) for number, word in enumerate(WORDS)]


PLACED = st.lists(
    st.tuples(
        st.sampled_from([None, "Alice", "Bob", "Mallory"]), st.integers(0, 2), st.sampled_from(Fact.Status.values)
    ),
    max_size=20,
)


@settings(max_examples=25)
@given(placed=PLACED, asked_in=st.none() | st.integers(0, 2), about=st.sampled_from([None, "Alice", "Bob"]))
def test_all_that_may_be_told_of_a_small_guild_is_told_the_nearest_first(placed, asked_in, about):
    guild = make_guild(f"discord:{next(GUILDS)}")
    mods = make_channel(guild, "mods", private=True)
    channels = [make_channel(guild), mods, make_channel(guild, "appeals", private=True, parent=mods)]
    facts = [
        make_fact(
            f"{WORDS[number]} {number}.", guild=guild, subject=name and make_member(guild, name),
            audience_id=channels[place].heard_by, status=status,
        )
        for number, (name, place, status) in enumerate(placed)
    ]  # fmt: skip
    make_member(guild, "Mallory", remember=False)
    Member.objects.filter(guild=guild, name="mallory").update(remember=False)
    writing.index_facts(facts)
    embeddings.embed_missing(100)
    channel, member = channels[asked_in] if asked_in is not None else None, about and make_member(guild, about)
    told = Fact.objects.of(guild).active().heard_in(channel).exclude(subject__remember=False)
    told = told if member is None else told.filter(subject=member)
    found = ask(" ".join(WORDS[:6]), guild, channel=channel, member=member, kinds=["fact"], limit=24)
    assert {memory.id for memory in found} == set(told.values_list("pk", flat=True))
    assert [memory.score for memory in found] == sorted((memory.score for memory in found), reverse=True)


def test_one_question_is_embedded_once(toy):
    index(make_fact())
    ask("Toronto")
    assert toy.asked == ["Toronto"]


def test_older_ties_come_after_newer_ones():
    alice = make_member()
    for number, age in enumerate((300, 10, 90)):
        index(make_fact(f"Owns kayak {'xyz'[number]}.", subject=alice, said_at=NOON - timedelta(days=age)))
    assert [text[-2] for text in texts(ask("kayak", kinds=["fact"]))] == ["y", "z", "x"]


def search(question, **fields):
    return Search(query=retrieval.embedded_query(question), view=View(guild=make_guild()), now=NOW, **fields)


def said(found):
    return [row.text for row, _ in found]


def test_what_fails_the_gate_is_told_apart_from_what_passes():
    index(make_fact("Lives in Oslo."), make_fact("Owns a harp."))
    passed, failed = search("who lives in Oslo?").sift("fact", 10)
    assert (said(passed), said(failed)) == (["Lives in Oslo."], ["Owns a harp."])


def test_each_member_gets_their_own_best_however_much_is_known_of_others(toy):
    alice, bob, carol = (make_member(name=name) for name in ("Alice", "Bob", "Carol"))
    index(
        *(make_fact(f"Paddles kayak number {number}.", subject=alice) for number in range(60)),
        make_fact("Fears water.", subject=bob),
        make_fact("Owns a kayak shop.", subject=carol),
    )
    found = search("kayak").of_each("fact", {alice: 3, bob: 5, carol: 5})
    assert [row.subject_id for row, _ in found] == [alice.pk] * 3 + [bob.pk, carol.pk]
    assert toy.asked == ["kayak"]


def test_facts_without_an_embedding_are_embedded_in_a_question_s_way_eight_at_most_and_none_is_stored(toy, monkeypatch):
    facts = [make_fact(f"Lives in Toronto, house {number}.", subject=make_member()) for number in range(12)]
    writing.index_facts(facts)
    asked: list[list[str]] = []
    passages = toy.passages
    monkeypatch.setattr(toy, "passages", lambda texts: asked.append(list(texts)) or passages(texts))
    wanted = retrieval.Asked("fact", View(guild=make_guild()).scope(by_member=True))
    (hits,) = retrieval.retrieve_all(retrieval.embedded_query("Toronto house"), [wanted])
    assert [len(texts) for texts in asked] == [8]
    assert sum(hit.cosine is not None for hit in hits.values()) == 8
    assert vectors.held(kind="fact", model=toy.identity) == set()
    embeddings.embed_missing(100)
    asked.clear()
    retrieval.retrieve_all(retrieval.embedded_query("Toronto house"), [wanted])
    assert asked == []


def test_new_facts_are_embedded_in_a_question_s_way_within_a_deadline(toy, monkeypatch):
    writing.index_facts([make_fact("Lives in Toronto.", subject=make_member())])
    waits: list[bool] = []
    passages = toy.passages
    monkeypatch.setattr(toy, "passages", lambda texts: waits.append(event_loop.somebody_waits()) or passages(texts))
    recall(make_guild(), question="Toronto", now=NOW)
    assert waits == [True]


def test_a_question_is_answered_by_words_when_the_embedder_fails_on_new_facts(toy, monkeypatch):
    def away(_texts):
        raise ModelFailed("unavailable")

    writing.index_facts([make_fact("Lives in Toronto.", subject=make_member())])
    monkeypatch.setattr(toy, "passages", away)
    assert [each.text for each in recall(make_guild(), question="Toronto", now=NOW)] == ["Lives in Toronto."]


@pytest.mark.parametrize(
    ("zone", "now", "sent_at", "then"),
    [
        # Yesterday is the 1st in Los Angeles, at 22:00 on the 2nd; in Tokyo, at 7:00 on the 3rd, it is the 2nd.
        ("America/Los_Angeles", datetime(2026, 3, 3, 6, tzinfo=UTC), datetime(2026, 3, 1, 20, tzinfo=UTC), 1.0),
        ("America/Los_Angeles", datetime(2026, 3, 3, 6, tzinfo=UTC), datetime(2026, 3, 1, 7, tzinfo=UTC), 0.0),
        ("Asia/Tokyo", datetime(2026, 3, 2, 22, tzinfo=UTC), datetime(2026, 3, 1, 16, tzinfo=UTC), 1.0),
        ("Asia/Tokyo", datetime(2026, 3, 2, 22, tzinfo=UTC), datetime(2026, 3, 1, 14, tzinfo=UTC), 0.0),
    ],
)
def test_yesterday_is_the_guilds_own(zone, now, sent_at, then):
    guild = make_guild(time_zone=zone)
    index(make_message("The kayak is blue.", sent_at=sent_at))
    (found,) = recall(guild, question="what did we say yesterday about the kayak?", now=now)
    assert found.scores["when"] == then


def test_what_is_asked_of_the_guilds_own_day_is_not_asked_of_the_past():
    guild = make_guild(time_zone="America/Los_Angeles")
    alice, evening = make_member(guild), datetime(2026, 3, 3, 6, tzinfo=UTC)  # 22:00 on the 2nd
    said = make_message("I live in Porto now.", author=alice)
    index(make_fact("Lives in Toronto with a kayak.", subject=alice, said_at=evening - days(9), evidence=[said]))
    index(make_fact("Lives in Porto now.", subject=alice, said_at=evening, evidence=[said]))
    index(make_note("Porto", messages=[said], summary="Alice lives in Porto."))
    asked = "Where does Alice live with a kayak on 2 March 2026?"
    found = recall(guild, question=asked, now=evening, kinds=["fact"])
    assert [memory.text for memory in found] == ["Lives in Porto now.", "Lives in Toronto with a kayak."]
