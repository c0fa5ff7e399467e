"""Choices about being remembered: each holds at once, for the member, for the account, for the guild."""

import pytest

from memoryhub.community.models import Guild, Member
from notes.models import ChannelBuffer, InteractionNote, Journal, Summary
from notes.writing import writer
from profiles import consent_effects
from tests.factories import (
    NOON,
    days,
    make_buffer,
    make_channel,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_summary,
)

pytestmark = pytest.mark.django_db

LONG = (
    "We moved the whole workshop to the old mill by the river, and it took three days. "
    "Nine people carried the lathe, and the roof still leaks over the paint."
)


def no(member, **fields):
    consent_effects.choose(member, remember=False, actor="member:u-alice", now=NOON, **fields)


def test_every_choice_is_kept_with_who_made_it_when_and_from_where():
    alice = make_member()
    consent_effects.choose(alice, remember=False, actor="member:u-alice", now=NOON)
    consent_effects.choose(alice, remember=True, actor="operator:olga", now=NOON + days(1))
    consent_effects.choose(alice, remember=False, actor="api:shop", now=NOON + days(2))
    kept = [(each.remember, each.chosen_at, each.who, each.where) for each in alice.consent_choices.all()]
    assert kept == [
        (False, NOON + days(2), "the key shop", "JSON API"),
        (True, NOON + days(1), "the operator olga", "dashboard"),
        (False, NOON, "the member", "chat"),
    ]


def test_what_was_said_in_an_open_conversation_is_not_read_any_more():
    buffer = make_buffer()
    hers = make_message("I moved to Oslo.", buffer=buffer)
    his = make_message("I moved to Rome.", author=make_member(name="Bob"), buffer=buffer)
    no(hers.author)
    hers.refresh_from_db(), his.refresh_from_db()
    assert (hers.buffer, bool(hers.processed_at)) == (None, True)
    assert (his.buffer, his.processed_at) == (buffer, None)


def test_a_note_is_untold_at_once_and_written_anew_without_who_said_no():
    bob = make_member(name="Bob")
    buffer = make_buffer(status=ChannelBuffer.Status.DONE, step=ChannelBuffer.Step.DONE)
    messages = [make_message(LONG, buffer=buffer), make_message(LONG, author=bob, buffer=buffer)]
    note = make_note(messages=messages, buffer=buffer)
    no(messages[0].author)
    assert not InteractionNote.objects.told(note.guild).exists()
    buffer.refresh_from_db()
    assert (buffer.status, buffer.step) == (ChannelBuffer.Status.CLOSED, ChannelBuffer.Step.EXTRACT)
    writer.write_note(buffer)
    written = InteractionNote.objects.told(note.guild).get()
    assert (written.pk, list(written.participants.all())) == (note.pk, [bob])
    assert "Alice" not in written.title + written.summary


def test_a_note_whose_words_were_let_go_stays_untold_until_they_say_yes():
    buffer = make_buffer(status=ChannelBuffer.Status.DONE)
    message = make_message("", buffer=buffer, let_go_at=NOON)
    note = make_note(messages=[message], buffer=buffer)
    no(message.author)
    buffer.refresh_from_db()
    assert buffer.status == ChannelBuffer.Status.DONE
    assert not InteractionNote.objects.told(note.guild).exists()
    consent_effects.choose(message.author, remember=True, actor="member:u-alice", now=NOON)
    assert InteractionNote.objects.told(note.guild).get() == note


def test_a_guild_that_asks_first_takes_out_whoever_has_not_chosen():
    guild = make_guild()
    silent, chosen = make_member(), make_member(name="Bob", remember=True)
    buffer = make_buffer()
    hers, his = (make_message(LONG, author=who, buffer=buffer) for who in (silent, chosen))
    make_summary().messages.set([hers])
    make_summary(make_channel(name="else")).messages.set([his])
    make_note("Hers", messages=[hers]), make_note("His", messages=[his])
    Guild.objects.update(consent_mode=Guild.ConsentMode.OPT_IN)
    guild.refresh_from_db()
    consent_effects.follow_mode(guild, now=NOON)
    assert [summary.channel.name for summary in Summary.objects.all()] == ["else"]
    assert [note.title for note in InteractionNote.objects.told(guild)] == ["His"]
    assert [each.author for each in buffer.messages.all()] == [chosen]


def test_journals_are_rendered_anew_after_a_choice():
    guild, member = make_guild(), make_member()
    Journal.objects.create(guild=guild, day=NOON.date(), text="Alice: hello")
    no(member)
    assert Journal.objects.get().stale


def test_a_blocked_account_leaves_open_conversations_and_summaries():
    message = make_message(buffer=make_buffer())
    make_summary().messages.set([message])
    consent_effects.block(message.guild, platform_id="u-alice", blocked=True, now=NOON)
    message.refresh_from_db()
    assert message.buffer is None
    assert not Summary.objects.exists()
    assert Member.objects.get().remember is None
