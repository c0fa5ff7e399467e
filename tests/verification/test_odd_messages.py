"""Messages of every odd kind, and very many of them: stored as they are or refused in words, and everything adds up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from memory import pipeline
from memory.recall.search import recall
from memoryhub.community.models import PLATFORM_ID, Guild, Member
from notes.messages.schemas import MAX_TEXT, IncomingMessage
from notes.models import ChannelBuffer, Message
from tests.api_client import PROBLEM, a_message, api_for
from tests.factories import NOON, minutes
from tests.incoming import NORTH, incoming, north, say
from tests.verification.portrait import oddities, sourceless

pytestmark = pytest.mark.django_db
NOW = NOON + minutes(300)
LONG_ID = "i" * PLATFORM_ID
TEXTS = {
    "one character": "x",
    "as long as allowed": ("I live in Toronto. " * 5300)[:MAX_TEXT],
    "one endless word": "a" * MAX_TEXT,
    "only emoji": "👩‍👩‍👧‍👦🏳️‍🌈" * 200,
    "right to left": "أنا أسكن في عمّان وأعمل مهندسًا \u202e\u2066abc\u2069",
    "null bytes": "I live in\x00 Toronto\x00\x00.",
    "half a surrogate pair": "I live in Toronto \ud83d.",
    "combining marks": "Z̸͓̈́a̷͚͝l̵͙̈́g̴̱̀o̶͙͒" * 50,
    "control characters": "".join(map(chr, range(1, 32))) + "\x7f\x85\u2028\u2029\ufeff",
    "SQL": "'); DROP TABLE notes_message; --",
    "a query": 'NEAR("a" "b") AND * OR ^ : {col}',
    "many lines": "I live in Toronto.\n" * 2000,
    "spaces inside": "I live in" + " " * 50_000 + "Toronto.",
}
_worlds = count(1)


def live() -> Guild:
    """Let the guild digest and consolidate what it heard."""
    pipeline.tick(now=NOW)
    pipeline.digest(None, now=NOW)
    pipeline.consolidate(north(), day=NOON.date(), now=NOW)
    return north()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_of_any_kind_is_stored_digested_and_asked_for(text):
    assert say(text, now=NOW).status in ("stored", "ignored")
    say("I moved to Toronto last spring, and I love rainy mornings there.", "Bob", at=NOON + minutes(1), now=NOW)
    guild = live()
    assert ChannelBuffer.objects.get().status == ChannelBuffer.Status.DONE
    assert not oddities(guild)
    assert not sourceless(guild)
    assert recall(guild, question=text, now=NOW)


def test_a_text_is_kept_to_the_letter():
    for name, text in TEXTS.items():
        say(text, id=name, now=NOW)
    for message in Message.objects.all():
        whole = TEXTS[message.platform_id].replace("\x00", "").replace("\ud83d", "")
        assert message.text == whole


@pytest.mark.parametrize("length", [0, MAX_TEXT + 1])
def test_a_text_that_is_empty_is_ignored_and_one_too_long_is_refused(length):
    bot = api_for()
    answer = bot.post(f"{NORTH.key}/messages", a_message(text="x" * length))
    expected = (200, "ignored") if not length else (422, None)
    assert (answer.status_code, answer.json().get("status") if not length else None) == expected
    assert not Message.objects.exists()


def test_ids_as_long_as_allowed_are_kept_whole_and_found_again():
    bot = api_for()
    body = a_message(message_id=LONG_ID, channel={"id": LONG_ID}, author={"id": LONG_ID})
    assert bot.post(f"{NORTH.key}/messages", body).status_code == 201
    assert bot.post(f"{NORTH.key}/messages", body).json()["status"] == "duplicate"
    assert bot.patch(f"{NORTH.key}/messages/{LONG_ID}", {"text": "I live in Lisbon."}).status_code == 200
    assert Message.objects.get().platform_id == LONG_ID


@pytest.mark.parametrize("place", ["message_id", "channel", "author"])
def test_an_id_that_is_longer_is_refused(place):
    value = LONG_ID + "i" if place == "message_id" else {"id": LONG_ID + "i"}
    answer = api_for().post(f"{NORTH.key}/messages", a_message(**{place: value}))
    assert (answer.status_code, answer["Content-Type"]) == (422, PROBLEM)


def test_a_message_from_the_future_was_sent_now():
    say("I live in Toronto.", at=datetime(9999, 12, 31, tzinfo=UTC), now=NOW)
    assert Message.objects.get().sent_at == NOW
    assert ChannelBuffer.objects.get().last_message_at == NOW
    assert Member.objects.get().last_seen_at == NOW
    assert not oddities(live())


@pytest.mark.parametrize("year", [1970, 1999])
def test_a_message_from_the_far_past_keeps_its_time_and_is_digested(year):
    say("I live in Toronto and I work at the library.", at=datetime(year, 1, 1, tzinfo=UTC), now=NOW)
    assert Message.objects.get().sent_at.year == year
    guild = live()
    assert not oddities(guild)
    assert not sourceless(guild)


@pytest.mark.parametrize("moment", [datetime(1969, 12, 31, 23, 59, tzinfo=UTC), datetime(2026, 1, 1)])  # noqa: DTZ001
def test_a_time_before_1970_or_without_an_offset_is_refused(moment):
    with pytest.raises(ValidationError):
        incoming(at=moment)


def test_duplicates_in_one_batch_are_stored_once_and_told():
    batch = [incoming(id="m-1"), incoming("something else", id="m-1"), incoming(id="m-2"), incoming(id="m-1")]
    answers = pipeline.receive_many(batch, guild=NORTH, now=NOW)
    assert [answer.status for answer in answers] == ["stored", "duplicate", "stored", "duplicate"]
    assert Message.objects.get(platform_id="m-1").text == batch[0].text
    assert not oddities(north())


ANY_TIME = st.datetimes(datetime(1970, 1, 2), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
ODD = st.builds(
    lambda text, name, channel, author, at, mention: IncomingMessage.model_validate(
        {
            "message_id": name, "channel": {"id": channel}, "author": {"id": author}, "text": text, "sent_at": at,
            "mentions": [mention], "reply_to": name,
        }
    ),
    st.sampled_from(sorted(TEXTS.values(), key=len)[:9]) | st.text(max_size=200), st.sampled_from("abcdef"),
    st.sampled_from("xy"), st.sampled_from("uv"), ANY_TIME, st.sampled_from("uvw"),
)  # fmt: skip


@settings(max_examples=20)
@given(st.lists(ODD, max_size=8))
def test_any_mixture_of_odd_messages_is_counted_right(batch):
    ref = NORTH.model_copy(update={"key": f"test:{next(_worlds)}"})
    first = pipeline.receive_many(batch, guild=ref, now=NOW)
    again = pipeline.receive_many(batch, guild=ref, now=NOW)
    guild = Guild.objects.get(key=ref.key)
    stored = {answer.id for answer in first if answer.status == "stored"}
    assert set(Message.objects.of(guild).values_list("platform_id", flat=True)) == stored
    assert not [answer for answer in again if answer.status == "stored"]
    pipeline.digest(guild, now=NOW)
    assert not oddities(guild)
    assert not sourceless(guild)


def test_ten_thousand_messages_within_a_minute_are_all_there_and_add_up():
    start, channels, authors = NOON, 10, 50
    for batch in range(20):
        numbers = range(batch * 500, batch * 500 + 500)
        messages = [
            incoming(
                f"I live in town {n} and I love number {n}.",
                f"member{n % authors}",
                id=f"m-{n}",
                channel=f"c{n % channels}",
                at=start + timedelta(milliseconds=6 * n),
            )
            for n in numbers
        ]
        answers = pipeline.receive_many(messages, guild=NORTH, now=start + minutes(1))
        assert {answer.status for answer in answers} == {"stored"}
    guild = north()
    assert Message.objects.of(guild).count() == 10_000
    assert not oddities(guild)
    left = iter([True, True, False])
    pipeline.flush(guild.channels.first(), now=start + minutes(2))
    report = pipeline.digest_closed(guild, now=start + minutes(2), keep_going=lambda: next(left))
    assert (report.buffers, report.failed) == (2, 0)
    assert report.facts
    assert not oddities(guild)
    assert not sourceless(guild)
