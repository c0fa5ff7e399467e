"""Channel summaries: newest kept, with their messages; a failure keeps the old one; raw chat is never stored."""

from datetime import timedelta

import pytest

from memory import pipeline
from memory.context.builder import Turn, build
from memoryhub.ai import ModelFailed, model_choice
from memoryhub.community import consent
from memoryhub.community.models import Channel, Guild
from notes.models import Message, Question, Summary
from notes.summaries import due, summarize, told_of_channel
from notes.writing.schemas import LIST_ITEMS, SUMMARY_CHARS, ChannelText, SummaryText
from profiles import consent_effects
from tests.factories import NOON, days, make_channel, make_member, make_message, make_note, minutes
from tests.incoming import north, say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db


def chat(count, start=0):
    for number in range(start, start + count):
        say(f"The boat needs plank number {number}.", at=NOON + minutes(number))


def channel():
    return Channel.objects.get(name="general")


def rolling():
    return Summary.objects.get(kind="rolling")


def profile():
    return Summary.objects.get(kind="profile")


def test_a_summary_names_the_messages_and_the_time_it_covers():
    chat(10)
    summary = summarize.summarize(channel(), now=NOON + minutes(11))
    assert summary.messages.count() == 10
    assert (summary.from_at, summary.to_at) == (NOON, NOON + minutes(9))


def test_the_newest_messages_are_kept_when_it_must_be_cut():
    place = make_channel()
    rows = [make_message(f"Plank {n} is done.", channel=place, sent_at=NOON + timedelta(seconds=n)) for n in range(130)]
    summary = summarize.summarize(place, now=NOON + minutes(5))
    assert set(summary.messages.all()) == set(rows[-summarize.MOST_MESSAGES :])


def test_long_messages_make_room_for_fewer_and_the_newest_are_kept():
    place = make_channel()
    rows = [make_message("plank " * 1_000, channel=place, sent_at=NOON + timedelta(seconds=n)) for n in range(20)]
    with scripted() as model:
        summary = summarize.summarize(place, now=NOON + minutes(5))
    read = next(given for purpose, given in model.asked if purpose == "summary")
    assert set(summary.messages.all()) == set(rows[-12:])
    assert sum(len(line.text) for line in read.lines) <= summarize.MOST_CHARACTERS


def test_what_is_older_than_two_hours_is_left_out():
    place = make_channel()
    make_message("Long ago.", channel=place, sent_at=NOON - timedelta(hours=3))
    make_message("The boat is ready now.", channel=place, sent_at=NOON)
    assert summarize.summarize(place, now=NOON).messages.count() == 1


def test_bots_are_left_out():
    chat(3)
    say("I am a bot and I talk.", "Helper", is_bot=True, at=NOON + minutes(4))
    assert summarize.summarize(channel(), now=NOON + minutes(5)).messages.count() == 3


def test_text_and_lists_are_never_longer_than_allowed():
    chat(10)
    with scripted() as model:
        items = [f"item {n}" for n in range(20)]
        text = SummaryText.model_validate(
            {"summary": "word " * 1_000, "topics": items, "threads": items, "decisions": items, "unresolved": items}
        )
        model.will("summary", text)
        summary = summarize.summarize(channel(), now=NOON + minutes(11))
    assert len(summary.text) <= SUMMARY_CHARS
    for kept in (summary.topics, summary.threads, summary.decisions, summary.unresolved):
        assert len(kept) <= LIST_ITEMS


def test_a_failing_model_keeps_the_old_summary_and_what_is_new_stays_new():
    chat(10)
    old = summarize.summarize(channel(), now=NOON + minutes(10))
    chat(10, start=11)
    with scripted() as model:
        model.fail("summary")
        with pytest.raises(ModelFailed):
            summarize.summarize(channel(), now=NOON + minutes(21))
    assert rolling().text == old.text
    assert channel().unsummarized == 10


def transcript():
    return "\n".join(f"Alice: {message.text}" for message in Message.objects.order_by("sent_at"))


def prompt_lines():
    return "\n".join(f"[{m.pk}] {m.sent_at:%Y-%m-%d %H:%M} Alice: ..." for m in Message.objects.all())


@pytest.mark.parametrize("raw", [transcript, prompt_lines])
def test_an_answer_that_is_the_chat_itself_is_refused(raw):
    chat(10)
    old = summarize.summarize(channel(), now=NOON + minutes(10))
    chat(5, start=11)
    with scripted() as model:
        model.will("summary", SummaryText(summary=raw()[:SUMMARY_CHARS]))
        with pytest.raises(ModelFailed, match="repeated the chat"):
            summarize.summarize(channel(), now=NOON + minutes(21))
    assert rolling().text == old.text


def test_a_profile_that_is_the_chat_itself_is_refused():
    chat(10)
    with scripted() as model:
        model.will("channel_profile", ChannelText(text=transcript()))
        with pytest.raises(ModelFailed, match="repeated the chat"):
            summarize.summarize(channel(), now=NOON + minutes(21))
    assert not Summary.objects.filter(kind="profile").exists()


def test_what_came_while_the_model_was_thinking_stays_new():
    chat(10)
    with scripted() as model:
        model.meanwhile("summary", lambda: chat(2, start=11))
        summarize.summarize(channel(), now=NOON + minutes(21))
    assert channel().unsummarized == 2
    assert rolling().messages.count() == 10


def test_a_message_deleted_while_the_model_was_thinking_is_in_no_summary():
    chat(10)
    gone = Message.objects.order_by("sent_at").last()
    with scripted() as model:
        model.meanwhile(
            "summary", lambda: pipeline.delete(north(), message_ids=[gone.platform_id], now=NOON + minutes(20))
        )
        summarize.summarize(channel(), now=NOON + minutes(21))
    assert gone not in rolling().messages.all()
    assert "number 9" not in rolling().text


def test_a_channel_whose_memory_is_off_is_not_summarised():
    chat(10)
    Channel.objects.update(memory_on=False)
    with pytest.raises(summarize.MemoryOff):
        summarize.summarize(channel(), now=NOON)
    Channel.objects.update(memory_on=True)
    Guild.objects.update(memory_on=False)
    with pytest.raises(summarize.MemoryOff):
        summarize.summarize(channel(), now=NOON)


def test_words_of_somebody_who_opted_out_since_are_left_out():
    chat(3)
    say("My secret is a green submarine.", "Bob", at=NOON + minutes(4))
    consent.choose(make_member(north(), name="Bob"), remember=False, actor="member", now=NOON + minutes(5))
    summary = summarize.summarize(channel(), now=NOON + minutes(6))
    assert summary.messages.count() == 3
    assert "submarine" not in summary.text


def test_a_summary_that_rests_on_words_of_somebody_who_opts_out_goes():
    chat(3)
    say("My secret is a green submarine.", "Bob", at=NOON + minutes(4))
    say("Who has a screwdriver for the winch?", "Bob", at=NOON + minutes(5))
    summarize.summarize(channel(), now=NOON + minutes(6))
    consent_effects.choose(make_member(north(), name="Bob"), remember=False, actor="member", now=NOON + minutes(7))
    assert not Summary.objects.exists()
    assert not Question.objects.exists()
    assert channel().unsummarized == 1


def test_who_opts_out_while_the_model_was_thinking_is_in_no_profile_of_the_channel():
    say("My secret is a green submarine.", "Bob", at=NOON - timedelta(hours=5))
    chat(10)
    bob, now = make_member(north(), name="Bob"), NOON + minutes(11)
    with scripted() as model:
        model.meanwhile("channel_profile", lambda: consent_effects.choose(bob, remember=False, actor="member", now=now))
        summarize.summarize(channel(), now=now)
    assert rolling()
    assert not Summary.objects.filter(kind="profile").exists()


def test_a_summary_stays_when_somebody_says_yes():
    chat(3)
    summarize.summarize(channel(), now=NOON + minutes(6))
    consent_effects.choose(make_member(north(), name="Alice"), remember=True, actor="member", now=NOON + minutes(7))
    assert rolling()


def test_the_channels_profile_is_renewed_every_six_hours_at_most():
    chat(10)
    summarize.summarize(channel(), now=NOON)
    first = Summary.objects.get(kind="profile").generated_at
    summarize.summarize(channel(), now=NOON + timedelta(hours=5))
    assert Summary.objects.get(kind="profile").generated_at == first
    summarize.summarize(channel(), now=NOON + timedelta(hours=6))
    assert Summary.objects.get(kind="profile").generated_at == NOON + timedelta(hours=6)


def test_a_channel_has_one_summary_of_each_kind_the_newest():
    chat(10)
    for hour in (0, 7):
        summarize.summarize(channel(), now=NOON + timedelta(hours=hour))
    assert [(each.kind, each.generated_at) for each in Summary.objects.order_by("kind")] == [
        ("profile", NOON + timedelta(hours=7)),
        ("rolling", NOON + timedelta(hours=7)),
    ]


def test_a_guild_may_renew_profiles_more_often():
    chat(10)
    Guild.objects.update(summary_profile_hours=1)
    summarize.summarize(channel(), now=NOON)
    summarize.summarize(channel(), now=NOON + timedelta(hours=1))
    assert Summary.objects.get(kind="profile").generated_at == NOON + timedelta(hours=1)


def test_the_profile_is_written_from_the_one_before_and_the_newest_summary():
    chat(10)
    with scripted() as model, model_choice.standing_in():
        model.will("channel_profile", ChannelText(text="Where boats are mended."))
        summarize.summarize(channel(), now=NOON)
        summarize.summarize(channel(), now=NOON + timedelta(hours=6))
    given = [given for purpose, given in model.asked if purpose == "channel_profile"]
    assert [each.previous for each in given] == ["", "Where boats are mended."]
    assert given[1].rolling.summary == rolling().text


def test_a_profile_that_had_to_go_is_written_again_from_the_notes_that_stand():
    chat(10)
    summarize.summarize(channel(), now=NOON)
    earlier = [make_message("We painted the hull green.", channel=channel(), sent_at=NOON - days(3))]
    make_note("Painting the hull", messages=earlier)
    summarize.withdraw(list(Message.objects.filter(text__contains="number 3")))
    with scripted() as model, model_choice.standing_in():
        summarize.summarize(channel(), now=NOON + minutes(11))
    given = next(given for purpose, given in model.asked if purpose == "channel_profile")
    assert [note.title for note in given.notes] == ["Painting the hull"]
    assert earlier[0] in Summary.objects.get(kind="profile").messages.all()


def test_no_profile_is_written_from_notes_of_somebody_who_said_no_while_the_model_was_thinking():
    chat(10)
    bob = make_member(north(), name="Bob")
    earlier = make_message("It is green.", platform_id="green", channel=channel(), author=bob, sent_at=NOON - days(3))
    make_note("Painting", messages=[earlier])
    with scripted() as model, model_choice.standing_in():
        model.meanwhile(
            "channel_profile", lambda: consent.choose(bob, remember=False, actor="member", now=NOON + minutes(12))
        )
        summarize.summarize(channel(), now=NOON + minutes(11))
    assert rolling().messages.count() == 10
    assert not Summary.objects.filter(kind="profile").exists()


def test_the_rules_write_the_profile_from_all_that_was_said_and_stands():
    chat(10)
    say("ETA means estimated time of arrival.", id="m-word", at=NOON + minutes(11))
    summarize.summarize(channel(), now=NOON + minutes(12))
    assert "ETA = estimated time of arrival" in profile().text
    assert profile().messages.count() == 11
    pipeline.delete(north(), message_ids=["m-word"], now=NOON + minutes(20))
    summarize.summarize(channel(), now=NOON + minutes(21))
    assert "ETA" not in profile().text
    assert "boat" in profile().text.casefold()
    assert profile().messages.count() == 10


def test_a_profile_written_too_lately_follows_when_its_hours_are_over():
    chat(10)
    summarize.summarize(channel(), now=NOON)
    chat(5, start=20)
    summarize.summarize(channel(), now=NOON + minutes(30))
    due.summarize_due(now=NOON + timedelta(hours=5))
    assert profile().messages.count() == 10
    due.summarize_due(now=NOON + timedelta(hours=7))
    assert profile().messages.count() == 15
    assert not due.due(NOON + days(9))


def test_a_profile_that_fails_is_tried_again_without_asking_for_the_summary_anew():
    chat(10)
    with scripted() as model:
        model.fail("channel_profile")
        for _ in range(2):
            try:
                summarize.summarize(channel(), now=NOON, anew=False)
            except ModelFailed:
                assert channel().unsummarized == 10
    assert [purpose for purpose, _ in model.asked] == ["summary", "channel_profile", "channel_profile"]
    assert channel().unsummarized == 0


def test_a_summary_goes_with_a_message_it_rests_on_and_its_channel_is_due_again():
    chat(10)
    summarize.summarize(channel(), now=NOON + minutes(11))
    summarize.withdraw(list(Message.objects.all()[:1]))
    assert not Summary.objects.exists()
    assert channel().unsummarized == 1


def test_the_newest_messages_of_a_summary_are_cited():
    chat(5)
    summary = summarize.summarize(channel(), now=NOON + minutes(11))
    assert [message.text[-2:] for message in summarize.cited(summary, limit=2)] == ["4.", "3."]


def test_all_that_is_told_of_a_channel_is_read_at_once(monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(told_of_channel, "CITED", 2)
    chat(5)
    summarize.summarize(channel(), now=NOON + minutes(11))
    place, (lately, over_time) = channel(), Summary.objects.order_by("-kind")
    with django_assert_num_queries(1):
        found, _ = told_of_channel.told_of(place, at=None, most=6)
    assert {row.pk: (row.kind, row.text, row.decisions, row.to_at, row.cited) for row in found} == {
        each.pk: (
            each.kind, each.text, each.decisions, each.to_at,
            [(message.platform_id, message.sent_at) for message in summarize.cited(each, limit=2)],
        )
        for each in (lately, over_time)
    }  # fmt: skip
    assert all(len(row.cited) == 2 for row in found)


def talks(count):
    """Have a talk of three messages summed up each day; return what was said of each, the oldest first."""
    said = []
    for day in range(count):
        for number in range(3):
            say(f"On day {day} the boat needs plank number {number}.", at=NOON + days(day) + minutes(number))
        said.append(summarize.summarize(channel(), now=NOON + days(day) + minutes(9)).text)
    return said


def earlier():
    return list(Summary.objects.filter(kind="past").order_by("to_at").values_list("text", flat=True))


def test_what_was_said_of_an_earlier_talk_is_kept_with_its_messages():
    said = talks(3)
    assert earlier() == said[:2]
    assert rolling().text == said[2]
    assert [row.messages.count() for row in Summary.objects.filter(kind="past")] == [3, 3]


def test_a_talk_that_goes_on_has_one_summary():
    chat(3)
    summarize.summarize(channel(), now=NOON + minutes(4))
    chat(3, start=5)
    summarize.summarize(channel(), now=NOON + minutes(9))
    assert earlier() == []


def test_a_channel_keeps_the_newest_of_them(monkeypatch):
    monkeypatch.setattr(summarize, "EARLIER", 2)
    said = talks(5)
    assert earlier() == said[2:4]


def test_an_earlier_summary_goes_with_a_message_it_rests_on():
    said = talks(3)
    first = Message.objects.order_by("sent_at").first()
    pipeline.delete(north(), message_ids=[first.platform_id], now=NOON + days(4))
    assert earlier() == said[1:2]


def test_an_earlier_summary_is_told_to_no_bot():
    talks(2)
    alice = make_member(north())
    asked = Turn(guild=north(), channel=channel(), members=[alice], text="Which plank?", now=NOON + days(2))
    items = [item for part in build(asked).parts for item in part.items if item.kind == "summary"]
    assert {item.section for item in items} == {"rolling", "profile"}
