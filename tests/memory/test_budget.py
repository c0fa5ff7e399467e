import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.budget import SHARES, cut, share_out, tokens

NAMES = [share.part for share in SHARES]
costs_of = st.dictionaries(st.sampled_from(NAMES), st.lists(st.integers(1, 3_000), max_size=30))


@pytest.mark.parametrize(("text", "count"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("日本語", 1)])
def test_a_token_is_four_characters_rounded_up(text, count):
    assert tokens(text) == count


def test_everything_is_kept_where_there_is_room():
    costs = {"facts": [40] * 10, "transcript": [80] * 40}
    assert share_out(costs, room=40_000) == {"facts": 10, "transcript": 40}


def test_the_transcript_gives_way_before_facts():
    kept = share_out({"facts": [100] * 20, "profiles": [100] * 20, "transcript": [100] * 20}, room=4_000)
    assert kept["facts"] == 20
    assert kept["facts"] > kept["profiles"] > kept["transcript"]


def test_every_part_gets_its_share_of_a_small_budget():
    kept = share_out({name: [20] * 200 for name in NAMES}, room=1_600)
    assert all(kept.values())


def test_no_part_takes_more_than_its_cap():
    (share,) = [share for share in SHARES if share.part == "notes"]
    kept = share_out({"notes": [400] * 100}, room=128_000)
    assert kept["notes"] == share.cap * 4 // 400


def test_an_item_that_does_not_fit_ends_its_part():
    assert share_out({"facts": [40, 10_000, 40]}, room=800) == {"facts": 1}


def test_an_item_larger_than_its_share_is_kept_when_others_leave_room():
    assert share_out({"notes": [700]}, room=800) == {"notes": 1}


def test_cutting_starts_with_the_least_important_part():
    costs = {"profiles": [50, 50], "notes": [50], "transcript": [50, 50]}
    kept = {"profiles": 2, "notes": 1, "transcript": 2}
    assert cut(costs, kept, excess=101) == {"profiles": 1, "notes": 1, "transcript": 0}


def test_cutting_ends_when_nothing_is_left():
    assert cut({"facts": [10]}, {"facts": 1}, excess=500) == {"facts": 0}


@given(costs=costs_of, room=st.integers(-50, 128_000))
def test_what_is_kept_never_costs_more_than_there_is_room(costs, room):
    kept = share_out(costs, room=room)
    assert sum(sum(costs[part][:count]) for part, count in kept.items()) <= max(0, room)
    assert all(0 <= count <= len(costs[part]) for part, count in kept.items())
