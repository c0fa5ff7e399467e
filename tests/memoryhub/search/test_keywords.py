"""The word index: what it finds, where it may look, and that no text can break it."""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from django.db import connection, transaction
from hypothesis import example, given, settings
from hypothesis import strategies as st
from snowballstemmer.porter_stemmer import PorterStemmer

from memoryhub.search import keywords
from memoryhub.search.keywords import TextRow, bm25, kept_counts, terms
from memoryhub.search.keywords.terms import STOP_WORDS, indexed, plain, sought
from memoryhub.search.scope import Scope
from tests.memoryhub.search.table_rebuild import rebuild_a_table
from tests.verification.statements import recorded

# What Porter's algorithm takes off or changes, step by step.
TAKEN_OFF = (
    "sses ies ss s eed ed ing y ational tional enci anci izer bli abli alli entli eli ousli ization ation ator alism "
    "iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able "
    "ible ant ement ment ent sion tion ou ism ate iti ous ive ize e ll"
)

pytestmark = pytest.mark.django_db

NORTH, SOUTH = 1, 2
EAST, WEST = 31, 32  # of which no other test keeps counts
EVERYBODY, SECRET_ROOM = 0, 7
ALICE, BOB = 11, 12


def put(*texts: str, kind: str = "message", start: int = 1, **place: object) -> None:
    rows = [TextRow(id=number, text=text, **{"guild": NORTH, **place}) for number, text in enumerate(texts, start)]
    keywords.put(kind=kind, rows=rows)


def find(
    query: str,
    *,
    guild: int = NORTH,
    audiences: Sequence[int] = (EVERYBODY,),
    subjects: Sequence[int] | None = None,
    limit: int = 10,
    kind: str = "message",
) -> list[int]:
    scope = Scope(guild=guild, audiences=audiences, subjects=subjects)
    return [match.id for match in keywords.search(kind=kind, query=query, scope=scope, limit=limit)]


def test_the_row_with_more_of_the_words_comes_first():
    put("Alice: my new bike is red", "Bob: the bike", "Bob: nothing to see")
    assert find("Who has a red bike?") == [1, 2]


def test_scores_are_positive_and_fall():
    put("a red bike", "a bike and much else that nobody asked for", "soup", "bread", "milk")
    found = keywords.search(kind="message", query="red bike", scope=Scope(guild=NORTH, audiences=[0]), limit=5)
    assert found[0].score > found[1].score > 0


def test_several_questions_at_once_find_what_each_finds():
    put("a red bike", "a blue bike", "soup", "the", *(f"boat {number}" for number in range(9)))
    long = " ".join(f"word{number}" for number in range(terms.MOST_WORDS)) + " bike"
    queries = ["red bike", "", "soup", long, *(f"boat {number}" for number in range(60))]
    scope = Scope(guild=NORTH, audiences=[0])
    together = keywords.search_all([keywords.Asked("message", query, scope, 3) for query in queries])
    assert together == [keywords.search(kind="message", query=each, scope=scope, limit=3) for each in queries]
    assert [[match.id for match in found] for found in together[:4]] == [[1, 2], [], [3], [1, 2]]


def test_words_are_found_in_other_forms():
    put("Alice: I was painting the boats")
    assert find("paint boat") == [1]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("der Käse aus Zürich", "kase zurich"),
        ("dinner at the cafe", "café"),
        ("Привет из Москвы", "привет"),
        ("ｗｉｄｅ letters", "wide"),
        ("مُحَمَّد is here", "محمد"),
        ("שָׁלוֹם", "שלום"),
        ("मुझे हिन्दी पसंद है", "हिन्दी"),
        ("我喜欢吃苹果", "苹果"),
        ("黒猫が好き", "猫"),
        ("黒猫", "猫"),
        ("猫がいる", "猫"),
        ("ガラスの靴", "ガラス"),
        ("저는 서울에 살아요", "서울"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
        ("I moved to 東京 in May", "東京"),
        ("learning C++ now", "C++"),
        ("ping @here", "@here"),
        ("version 3.11 is out", "3.11"),
    ],
)
def test_every_script_is_searchable(text, query):
    put(text, "something else entirely")
    assert find(query) == [1]


def test_marks_that_make_another_letter_are_kept():
    put("かき", "がき")
    assert find("がき") == [2]


def test_stop_words_are_not_looked_for():
    put("what is the", "Bob plays chess")
    assert find("What is the chess?") == [2]


def test_a_question_of_stop_words_only_still_finds_them():
    put("Alice: who are you", "Bob: soup")
    assert find("who are you") == [1]


def test_words_that_tell_something_in_english_are_no_stop_words():
    assert STOP_WORDS.isdisjoint({"son", "war", "die", "hat", "fin", "sin", "main", "art", "tag", "home", "like"})


def test_stop_words_are_spelled_as_text_is_folded():
    assert {word for word in STOP_WORDS if plain(word) != word or not word.isalpha()} == set()


@pytest.mark.parametrize("word", ["the", "t", "dass", "quien", "etait", "nao", "niet", "perche"])
def test_stop_words_are_those_of_seven_languages(word):
    assert word in STOP_WORDS


def test_the_message_before_counts_less_than_the_message_itself():
    put("Bob: yes, today", before="Alice: did you buy the telescope")
    put("Alice: did you buy the telescope", start=2)
    assert find("telescope") == [2, 1]


def test_another_guild_is_never_searched():
    put("the secret bike")
    put("the secret bike", start=2, guild=SOUTH)
    assert find("bike", guild=SOUTH) == [2]
    assert find("bike", guild=12) == []


def test_a_thousand_better_rows_of_others_hide_nothing():
    put(*["bike bike bike"] * 600, start=100, guild=SOUTH)
    put(*["bike bike bike"] * 400, start=700, audience=SECRET_ROOM)
    put("a bike somewhere in a much longer sentence than theirs")
    assert find("bike", limit=3) == [1]


def test_a_private_channel_is_found_only_by_its_audience():
    put("the bike")
    put("the bike", start=2, audience=SECRET_ROOM)
    assert find("bike") == [1]
    assert find("bike", audiences=[EVERYBODY, SECRET_ROOM]) == [1, 2]
    assert find("bike", audiences=[]) == []


def test_a_thousand_audiences_and_subjects_fit_in_one_question():
    put("the bike", audience=900, subject=901)
    assert find("bike", audiences=range(1000), subjects=range(1000)) == [1]


def test_subjects_narrow_the_search_to_members():
    put("likes tea", kind="fact", subject=ALICE)
    put("likes tea", kind="fact", subject=BOB, start=2)
    assert find("tea", kind="fact", subjects=[BOB]) == [2]
    assert find("tea", kind="fact", subjects=[]) == []
    assert find("tea", kind="fact") == [1, 2]


@pytest.mark.parametrize("query", ["g1a7", "g2a0", "scope : g2a0", "scope", 'x" OR scope : g2a0 OR "', "} OR g2a0"])
def test_a_question_cannot_speak_of_the_scope(query):
    put("the bike", audience=SECRET_ROOM)
    put("the bike", start=2, guild=SOUTH)
    put("the bike", start=3)
    assert find(query) == []


def test_kinds_are_kept_apart_and_an_unknown_kind_is_refused():
    put("tea")
    assert find("tea", kind="note") == []
    with pytest.raises(ValueError, match="no word index"):
        find("tea", kind="message; DROP TABLE x")


def test_putting_again_replaces():
    put("red bike")
    put("green boat", audience=SECRET_ROOM)
    assert find("bike", audiences=[EVERYBODY, SECRET_ROOM]) == []
    assert find("boat") == []
    assert find("boat", audiences=[SECRET_ROOM]) == [1]


def test_what_is_deleted_is_not_found():
    put("bike", "bike")
    keywords.delete(kind="message", ids=[1, 99])
    assert find("bike") == [2]
    assert keywords.held(kind="message") == {2}


@pytest.mark.sqlite_only("where its pages begin")
@pytest.mark.django_db(transaction=True)
def test_no_word_of_a_deleted_row_stays_where_a_page_of_the_index_began():
    put(*(f"unheard{number}" for number in range(2_000)))
    began = [int(term.removeprefix("0unheard")) for term in page_starts() if term.startswith("0unheard")]
    assert began
    keywords.delete(kind="message", ids=[number + 1 for number in began])
    keywords.rewrite()
    assert not {f"0unheard{number}" for number in began}.intersection(page_starts())
    assert len(keywords.held(kind="message")) == 2_000 - len(began)
    left = next(number for number in range(2_000) if number not in began)
    assert find(f"unheard{left}") == [left + 1]


def page_starts() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT CAST(term AS text) FROM memoryhub_words_v1_message_idx")
        return [term for (term,) in cursor.fetchall()]


def test_a_rolled_back_write_leaves_everything_as_it_was():
    put("bike", "boat")
    with transaction.atomic():
        put("train", start=1)
        put("car", start=3)
        keywords.delete(kind="message", ids=[2])
        transaction.set_rollback(True)
    assert (find("bike"), find("boat"), find("train"), find("car")) == ([1], [2], [], [])


def test_clear_forgets_everything():
    put("bike")
    keywords.clear()
    assert find("bike") == []
    assert keywords.held(kind="message") == set()
    put("boat", start=5)
    assert find("boat") == [5]


def test_a_search_creates_no_table():
    before = connection.introspection.table_names()
    find("bike")
    keywords.delete(kind="message", ids=[1])
    assert connection.introspection.table_names() == before


def test_of_a_long_question_the_rare_words_are_looked_for(monkeypatch):
    put(*["apple banana"] * 3, "telescope")
    assert find("apple banana telescope quetzalcoatl") == [4, 1, 2, 3]
    monkeypatch.setattr(terms, "MOST_WORDS", 1)
    assert find("apple banana telescope quetzalcoatl") == [4]


def test_a_long_question_of_unknown_words_finds_nothing():
    put("bike")
    assert find(" ".join(f"unknown{number}" for number in range(100))) == []


def test_words_of_another_guild_do_not_count_in_a_long_question(monkeypatch):
    monkeypatch.setattr(terms, "MOST_WORDS", 1)
    put("zeppelin", guild=SOUTH)
    put("bike", "bike", "soup", start=2)
    assert find("zeppelin bike") == [2, 3]


HOSTILE = [
    "",
    " \n\t",
    "\0",
    "bike\0boat",
    "\ud800",
    "\udfff bike \ud83d",
    '"',
    '""""',
    "'; DROP TABLE message; --",
    "C++ foo-bar cat's a AND b OR NOT c NEAR(d, 2) *",
    "^bike",
    "text : bike",
    "{text before} : (bike",
    "%s %(a)s 100%",
    "🎉🎉🎉",
    "\u202e right to left",
    "\u0301\u0301",
    "x" * 100_000,
    "word " * 10_000,
    "苹果" * 5_000,
    " ".join(map(str, range(3_000))),
    "ß ﬁ İ ǆ",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_safe_to_keep_and_to_ask(text):
    put(text, "bike")
    find(text)
    assert 2 in find("bike")


def test_an_emoji_that_sqlite_does_not_know_is_no_letter_of_the_word_before_it():
    put("bike🦇 and🦇boat")
    assert find("bike") == [1]
    assert find("boat") == [1]


def test_a_sigma_is_the_same_letter_at_the_end_of_a_word():
    put("ΟΔΟΣ")
    assert find("οδος") == find("οδοσ") == [1]


def test_a_question_of_emoji_finds_nothing_and_one_with_words_finds_them():
    put("🎉 bike 🎉")
    assert find("🎉") == []
    assert find("🎉bike") == [1]


@settings(max_examples=150)
@given(text=st.text(st.characters(exclude_categories=()), max_size=60))
@example(text="\ud800\0\"'*^:{}()+-")
def test_any_text_can_be_kept_and_asked_and_stays_in_its_guild(text):
    put(text, text, guild=NORTH)
    put(text, start=3, guild=SOUTH)
    assert set(find(text)) <= {1, 2}


@settings(max_examples=150)
@given(word=st.text(st.characters(categories=("Lu", "Ll", "Lo", "Nd"), max_codepoint=0x2FFFF), min_size=1, max_size=8))
def test_a_word_that_was_put_is_found_again(word):
    put(f"before {word} after")
    assert find(word) == [1]


@given(text=st.text(max_size=60))
def test_folding_twice_changes_nothing(text):
    assert plain(plain(text)) == plain(text)


@settings(max_examples=500)
@given(
    start=st.text("aeioubdlmsty", min_size=1, max_size=6), ending=st.sampled_from(TAKEN_OFF.split()),
    more=st.text("abdgnrtx", max_size=1),
)  # fmt: skip
def test_a_word_without_an_ending_is_its_own_stem(start, ending, more):
    word = start + ending + more
    assert word.endswith(terms.ENDINGS) or PorterStemmer().stemWord(word) == word


def test_runs_without_spaces_become_pairs():
    assert indexed("abc 東京都 x").split() == ["abc", "東京", "京都", "都", "x"]
    assert sought("東京都 猫") == ["東京", "京都", "猫*"]


@pytest.mark.django_db(transaction=True)
def test_words_survive_a_migration_that_rebuilds_a_table_of_the_models():
    put("bike")
    rebuild_a_table()
    assert find("bike") == [1]
    put("boat", start=2)
    assert find("boat") == [2]
    keywords.clear()


def test_a_whole_guild_is_ranked_with_the_scores_of_its_members():
    put("a red bike", "the bike is red, and so is the boat", "soup", subject=ALICE)
    put("red", "a bike and a boat", subject=BOB, start=4)
    put("a red bike", guild=SOUTH, start=6)
    put("a red bike", audience=SECRET_ROOM, start=7)
    whole, members = (
        keywords.search(
            kind="message", query="red bike", limit=9,
            scope=Scope(guild=NORTH, audiences=[EVERYBODY], subjects=subjects),
        )
        for subjects in (None, [ALICE, BOB])
    )  # fmt: skip
    assert [match.id for match in whole] == [match.id for match in members]
    assert [match.score for match in whole] == pytest.approx([match.score for match in members])
    assert {match.id for match in whole} == {1, 2, 4, 5}


WORDS = ("bike", "bikes", "red", "painting", "painted", "boat", "the", "käse", "黒猫が", "猫", "3.11", "🦇bat")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


@pytest.mark.sqlite_only("FTS5's own ranking beside ours")
@settings(max_examples=60)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=20), TEXTS, st.sampled_from([2, 12]))
def test_python_ranks_rows_as_fts5_does(texts, query, most_words):
    keywords.clear()
    place = {"guild": NORTH, "subject": ALICE}
    rows = [TextRow(id=number, text=text, before=before, **place) for number, (text, before) in enumerate(texts)]
    keywords.put(kind="fact", rows=rows)
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms, "MOST_WORDS", most_words)
        for subjects, most_read in ((None, 1_000), (None, -1), ([ALICE], 0)):
            patch.setattr(bm25, "MOST_READ", most_read)
            scope = Scope(guild=NORTH, audiences=[EVERYBODY], subjects=subjects)
            found.append(keywords.search(kind="fact", query=query, scope=scope, limit=30))
    for ours in found[1:]:
        assert [match.id for match in ours] == [match.id for match in found[0]]
        assert [match.score for match in ours] == pytest.approx([match.score for match in found[0]])


def test_words_that_half_of_many_texts_have_are_not_looked_for_beside_others(monkeypatch):
    put(*["red bike"] * 9, *["red boat"] * 2, *["soup"] * 3, subject=ALICE)
    assert len(find("red boat", limit=20)) == 11
    monkeypatch.setattr(bm25, "MANY", 10)
    assert find("red boat") == find("red boat", subjects=[ALICE]) == [10, 11]
    assert len(find("red", limit=20)) == 11


def test_among_many_texts_a_count_is_kept_until_there_are_many_more(monkeypatch):
    monkeypatch.setattr(kept_counts, "FEW", 80)
    monkeypatch.setattr(kept_counts, "TEXTS_LAST", 1e-9)  # how many texts there are is counted each time
    put(*["red bike"] * 40, *["boat"] * 50)
    find("bike")
    with recorded() as kept:
        find("bike")
    assert not list(filter(counts_a_word, kept))
    put(*["red bike"] * 40, start=200)
    with recorded() as anew:
        found = find("bike", limit=90)
    assert list(filter(counts_a_word, anew))
    keywords.clear()
    put(*["red bike"] * 40, *["boat"] * 50)
    put(*["red bike"] * 40, start=200)
    assert find("bike", limit=90) == found


def test_a_word_that_none_had_when_it_was_asked_is_found_once_one_has_it(monkeypatch):
    monkeypatch.setattr(kept_counts, "FEW", 20)
    monkeypatch.setattr(terms, "MOST_WORDS", 1)
    put(*["bike"] * 30)
    assert 31 not in find("bike zeppelin")
    put("zeppelin", start=31)
    assert find("bike zeppelin") == [31]


def counts_a_word(sql: str) -> bool:
    return "count(*)" in sql and ("MATCH" in sql or "postings" in sql)


def test_threads_that_take_the_endings_off_words_at_once_do_not_cut_each_others():
    endings, ends = ["e", "ional", "ing", "fulness", "ization", "ies", "able"], ["", "s", "ly"]
    words = ["".join(parts) for parts in product(["relat", "conveni", "adjust", "hop"], endings, ends)]
    uncached, turn = terms.term.__wrapped__, sys.getswitchinterval()
    alone = [uncached(word) for word in words]
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda _: [uncached(word) for word in words], range(40)))
    finally:
        sys.setswitchinterval(turn)
    assert all(each == alone for each in found)


def test_of_many_texts_the_rarer_words_find_the_best_and_the_common_ones_count_for_those(monkeypatch):
    texts = [f"{'zeppelin' if not n % 20 else 'soup'} {'red' if not n % 4 else 'blue'} number{n}" for n in range(400)]
    put(*texts, guild=EAST)
    every = keywords.search(kind="message", query="red zeppelin", scope=Scope(guild=EAST, audiences=[0]), limit=10)
    monkeypatch.setattr(bm25, "FEW_ROWS", 0)
    few = keywords.search(kind="message", query="red zeppelin", scope=Scope(guild=EAST, audiences=[0]), limit=10)
    assert few == every
    assert bm25.Counts(400, 3, {1: 20, 2: 100}).finding([2, 1], 10)[0] == [1]
    assert bm25.Counts(400, 3, {1: 20, 2: 100}).finding([2, 1], 10, share=0.1)[0] == [1, 2]


def test_where_the_rarer_words_find_too_little_in_a_place_the_common_ones_find_the_rest(monkeypatch):
    monkeypatch.setattr(bm25, "FEW_ROWS", 0)
    put(*["a grey zeppelin"] * 20, guild=WEST, audience=SECRET_ROOM)
    put(*["red bike"] * 100, *["soup"] * 280, guild=WEST, start=100)
    assert len(find("red zeppelin", guild=WEST)) == 10
