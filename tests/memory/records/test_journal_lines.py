"""A journal's lines, read back: names with signs of Markdown, who is not remembered, talks by channel and pause."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.records import snapshots
from memory.records.journal_lines import LONGEST, PAUSE, Line, read_lines, talks
from memoryhub.community import consent
from tests.factories import NOON, make_channel, make_guild, make_member, make_message

SAID = Line(at=NOON, name="Alice", account="u-alice", channel="c-general", text="Hello")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name", ["Alice", "A | B", "x] [channel:y", "(bracket) (s)", "*_`<b>#\\", "- 2026-01-01T00:00:00Z"]
)
def test_what_is_rendered_is_read_back(name):
    make_message("I *sail* | [channel:x] <b>", author=make_member(name=name, platform_id="u-1"), sent_at=NOON)
    (line,) = read_lines(snapshots.journal_text(make_guild(), NOON.date()))
    assert (line.name, line.account, line.channel) == (name, "u-1", "c-general")
    assert line.text == "I *sail* | [channel:x] <b>"
    assert line.at == NOON


@pytest.mark.django_db
def test_who_is_not_remembered_has_neither_name_nor_words():
    alice = make_member()
    make_message("I sail", author=alice, channel=make_channel(), sent_at=NOON)
    consent.choose(alice, remember=False, actor="member", now=NOON)
    (line,) = read_lines(snapshots.journal_text(make_guild(), NOON.date()))
    assert (line.name, line.account, line.text) == ("", "", "")


@pytest.mark.parametrize("text", ["", "# Title\n\nNothing", "- no line", "- yesterday | A (a) | [channel:c] x"])
def test_what_is_no_line_is_left_out(text):
    assert read_lines(text) == []


def test_a_pause_or_another_channel_makes_another_talk():
    def later(minutes, channel="c-general"):
        at = datetime(2026, 3, 2, 12, 0, tzinfo=UTC) + timedelta(minutes=minutes)
        return Line(at=at, name="Alice", account="u-alice", channel=channel, text="x")

    rest = PAUSE.total_seconds() / 60
    found = talks([later(0), later(1, "c-boats"), later(2), later(3 + rest), later(4 + rest)])
    assert [(talk.channel, len(talk.lines)) for talk in found] == [("c-general", 2), ("c-boats", 1), ("c-general", 2)]
    assert talks([]) == []


def test_a_very_long_talk_is_told_in_parts():
    assert [len(talk.lines) for talk in talks([SAID] * (LONGEST + 3))] == [LONGEST, 3]
