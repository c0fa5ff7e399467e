"""Questions that a channel left open: on the list until a later summary answers them, gone with their messages."""

import pytest

from memory import pipeline
from memoryhub.community.models import Channel, Member
from notes.models import Question, Summary
from notes.summaries import questions, summarize
from notes.writing.schemas import SummaryText
from tests.factories import NOON, make_channel, minutes
from tests.incoming import north, say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db
ASKED = "Bob: When does the next raid start?"


def channel():
    return Channel.objects.get(name="general")


def listed():
    return [question.text for question in questions.open_in(channel())]


def sum_up(minute, **answer):
    """Summarise; with fields, they are the model's answer beside its text."""
    with scripted() as model:
        if answer:
            model.will("summary", SummaryText(summary="They talked about a raid.", **answer))
        summarize.summarize(channel(), now=NOON + minutes(minute))
    return [given for purpose, given in model.asked if purpose == "summary"][-1]


@pytest.fixture(autouse=True)
def asked():
    say("We killed the dragon.", "Alice", at=NOON)
    say("When does the next raid start?", "Bob", id="m-asked", at=NOON + minutes(1))


def test_a_question_that_nobody_answered_is_listed_with_its_message():
    sum_up(2)
    question = questions.open_in(channel()).get()
    assert (question.text, str(question.asked_by), question.asked_at) == (ASKED, "Bob", NOON + minutes(1))
    assert [message.platform_id for message in question.messages.all()] == ["m-asked"]


def test_it_stays_when_later_summaries_say_nothing_of_it():
    sum_up(2)
    for hour in (3, 6):
        say("I planted tomatoes.", "Alice", at=NOON + minutes(60 * hour))
        sum_up(60 * hour + 1)
        assert listed() == [ASKED]
        assert Summary.objects.get(kind="rolling").unresolved == [ASKED]


def test_it_goes_when_a_later_summary_answers_it():
    sum_up(2)
    say("The next raid starts at nine.", "Alice", id="m-answer", at=NOON + minutes(200))
    sum_up(201)
    assert listed() == []
    question = Question.objects.get()
    assert question.answered_at == NOON + minutes(201)
    assert [message.platform_id for message in question.answers.all()] == ["m-answer"]


def test_a_soon_answer_in_other_words_is_one():
    sum_up(2)
    say("Probably nine o'clock.", "Alice", at=NOON + minutes(3))
    sum_up(4)
    assert listed() == []


def test_what_was_said_before_a_question_answers_it_not():
    say("The next raid starts whenever we like.", "Alice", at=NOON - minutes(5), now=NOON)
    sum_up(2)
    sum_up(3)
    assert listed() == [ASKED]


def test_an_answered_question_is_not_found_again_while_its_message_is_new():
    sum_up(2, unresolved=[ASKED])
    say("At nine, I think.", "Alice", at=NOON + minutes(40))
    sum_up(41, answered=[1], unresolved=["Bob: When will the next raid start?"])
    assert listed() == []


def test_a_model_is_shown_the_list_and_names_what_is_answered_by_number():
    sum_up(2, unresolved=[ASKED, "Alice: Who brings the healer?"])
    given = sum_up(3, answered=[2, 7, 0])
    assert given.unresolved == [ASKED, "Alice: Who brings the healer?"]
    assert listed() == [ASKED]


def test_a_model_that_forgets_a_question_answers_nothing():
    sum_up(2, unresolved=[ASKED])
    sum_up(3, unresolved=[])
    assert listed() == [ASKED]


def test_a_question_in_other_words_is_the_same_question():
    sum_up(2, unresolved=[ASKED])
    sum_up(3, unresolved=["Bob: When will the next raid start?"])
    assert listed() == [ASKED]


def test_a_question_whose_message_is_not_found_rests_on_all_that_was_read():
    sum_up(2, unresolved=["Why are there so many penguins?"])
    assert Question.objects.get().messages.count() == 2


def test_a_question_goes_with_its_message():
    sum_up(2)
    pipeline.delete(north(), message_ids=["m-asked"], now=NOON + minutes(5))
    assert not Question.objects.exists()


def test_a_question_is_open_again_when_the_answer_is_deleted():
    sum_up(2)
    say("The next raid starts at nine.", "Alice", id="m-answer", at=NOON + minutes(200))
    sum_up(201)
    pipeline.delete(north(), message_ids=["m-answer"], now=NOON + minutes(202))
    assert listed() == [ASKED]


def test_questions_of_somebody_who_opts_out_go():
    sum_up(2)
    questions.leave_out(Member.objects.filter(questions__isnull=False))
    assert not Question.objects.exists()


def test_each_channel_has_its_own_list():
    sum_up(2)
    assert list(questions.open_in(make_channel(north(), name="other"))) == []
