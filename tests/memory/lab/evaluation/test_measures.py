import pytest

from memory.lab.evaluation.measures import Tally, retrieval, rouge_l, word_f1, word_share


def test_recall_is_the_share_of_the_evidence_in_the_first_answers():
    scores = retrieval([{"a"}, {"x"}, {"y"}, {"z"}, {"w"}, {"b"}], {"a", "b"})
    assert (scores["recall@5"], scores["recall@10"], scores["hit@10"], scores["mrr"]) == (0.5, 1.0, 1.0, 1.0)


def test_one_answer_can_bear_all_of_the_evidence():
    assert retrieval([{"x"}, {"a", "b", "c"}], {"a", "b"})["recall@5"] == 1.0


def test_the_reciprocal_rank_is_that_of_the_first_right_answer():
    assert retrieval([{"x"}, {"y"}, {"a"}, {"a"}], {"a"})["mrr"] == pytest.approx(1 / 3)


def test_no_answers_score_nothing():
    assert set(retrieval([], {"a"}).values()) == {0.0}


def test_an_answer_beyond_the_tenth_is_no_hit():
    scores = retrieval([{"x"}] * 10 + [{"a"}], {"a"})
    assert (scores["hit@10"], scores["recall@10"], scores["recall@20"]) == (0.0, 0.0, 1.0)


def test_a_tally_keeps_the_means_by_category():
    tally = Tally()
    tally.add(["all", "temporal"], {"mrr": 1.0})
    tally.add(["all"], {"mrr": 0.0})
    assert tally.means() == {"all": {"mrr": 0.5, "n": 2}, "temporal": {"mrr": 1.0, "n": 1}}


@pytest.mark.parametrize(
    ("first", "second", "score"),
    [
        ("Alice moved to Toronto.", "Alice is moving to Toronto", 1.0),
        ("Alice owns a kayak.", "Alice owns a harp", 2 / 3),
        ("Owns a kayak.", "Plays chess", 0.0),
        ("", "", 0.0),
    ],
)
def test_f1_counts_words_in_common_whatever_their_endings(first, second, score):
    assert word_f1(first, second) == pytest.approx(score)


@pytest.mark.parametrize(
    ("text", "reference", "score"),
    [
        ("Alice bought a red kayak.", "alice bought a kayak", 8 / 9),
        ("a b c d", "d c b a", 1 / 4),
        ("a x b y c", "a b c", 6 / 8),
        ("", "a b", 0.0),
        ("a b", "", 0.0),
    ],
)
def test_rouge_l_counts_the_longest_run_of_words_in_common(text, reference, score):
    assert rouge_l(text, reference) == pytest.approx(score)


def test_the_share_of_words_is_of_the_part_not_of_the_whole():
    assert word_share("Alice bought a kayak.", "In May Alice went out and bought two kayaks.") == 1.0
    assert word_share("Alice bought a kayak.", "Kayak") == pytest.approx(1 / 3)
    assert word_share("", "Kayak") == 0.0
