"""Decisions and plans are kept with their messages: told once, gone with what they rest on, read by who could hear."""

from __future__ import annotations

import pytest

from botrunner.actions.caller import Caller
from botrunner.actions.community.agenda import show_decisions
from memory import pipeline
from memory.withdrawal.close_channel import change_audience
from memory.withdrawal.retention import apply_to_guild
from memoryhub.community.identity import Person
from memoryhub.community.models import Channel, Guild, Member
from notes.arrangements import keeping
from notes.arrangements.telling import decisions, of_words, plan_of, plans
from notes.messages import conversations
from notes.models import Arrangement, ChannelBuffer, InteractionNote
from profiles import consent_effects
from tests.factories import NOON, days, minutes
from tests.incoming import NORTH, SOUTH, north, say

pytestmark = pytest.mark.django_db
NOW = NOON + days(1)
PICNIC = "The picnic at the harbour is on Saturday at 14:00."


def digest(guild=None, *, now=NOW):
    pipeline.digest(guild or north(), now=now)


def said(*texts, who="Bob", at=NOON):
    """Say these one after another, an hour apart, and have them digested; all is said on a Monday."""
    for number, text in enumerate(texts):
        say(text, who, at=at + minutes(60 * number))
    digest()


def planned(*, now=NOW, guild=None):
    """Return the plans as they stand: words, status, day and hour."""
    rows = [plan_of(row, now=now) for row in plans(guild or north()).order_by("due", "pk")]
    return [(plan.what, plan.status, f"{plan.due:%a %H}" if plan.due else "") for plan in rows]


def decided(**conditions):
    return [row.text for row in decisions(north()).filter(**conditions).order_by("said_at")]


# --- From what is said -----------------------------------------------------------------------------------------------


def test_a_plan_and_a_decision_are_kept_with_who_said_them_where_and_when():
    said(PICNIC, "We decided on the red tent.")
    plan, tent = Arrangement.objects.order_by("said_at")
    assert planned() == [(PICNIC, "planned", "Sat 14")]
    assert (plan.message.author.display_name, plan.channel.name, plan.said_at) == ("Bob", "general", NOON)
    assert decided() == [tent.text] == ["We decided on the red tent."]


def test_a_note_tells_what_stands_of_its_talk_first_with_the_day_where_it_names_no_date():
    say(f"{PICNIC} Everybody brings a plate, a cup and a blanket for the grass.", "Bob", at=NOON)
    say("The harbour picnic is moved to Sunday at 14:00, the grass is too wet.", "Alice", at=NOON + minutes(1))
    say("The opening of the new hall is on 2 May at noon, we all sing there.", "Bob", at=NOON + minutes(2))
    digest()
    rows = InteractionNote.objects.get().summary.splitlines()
    assert rows[1:3] == [
        "Decided: Alice: The harbour picnic is moved to Sunday at 14:00, the grass is too wet. (Sunday 8 March 2026)",
        "Planned: Bob: The opening of the new hall is on 2 May at noon, we all sing there.",
    ]
    assert PICNIC not in "\n".join(rows)


def test_digested_twice_nothing_is_added():
    said(PICNIC)
    (before,) = Arrangement.objects.values_list("pk", flat=True)
    conversations.reopen(set(ChannelBuffer.objects.values_list("pk", flat=True)), now=NOW)
    digest(now=NOW + minutes(1))
    assert list(Arrangement.objects.values_list("pk", flat=True)) == [before]


def test_a_plan_that_is_moved_keeps_its_words_and_says_what_it_was():
    said(PICNIC, "The picnic is moved to Sunday at 15:00.")
    (row,) = plans(north())
    plan = plan_of(row, now=NOW)
    assert planned() == [(PICNIC, "moved", "Sun 15")]
    assert f"{plan.was_due:%a %H}" == "Sat 14"
    assert plan.news == "The picnic is moved to Sunday at 15:00."
    assert [message.text for message in plan.messages] == [PICNIC, plan.news]


def test_a_time_that_is_added_moves_nothing():
    said("The picnic is on Saturday.", PICNIC, "See you at the picnic on Saturday!")
    (row,) = plans(north())
    plan = plan_of(row, now=NOW)
    assert (plan.what, plan.status, plan.was_due, len(plan.messages)) == (PICNIC, "planned", None, 3)


def test_a_decision_without_a_day_replaces_no_plan():
    said("We decided that the lantern feast is on Saturday.", "We decided that the lantern feast has soup.")
    assert [status for _, status, _ in planned()] == ["planned"]
    assert len(decided(replaced_by=None)) == 2


def test_a_plan_that_is_called_off_keeps_the_day_it_was_to_be():
    said(PICNIC, "The picnic is called off, sorry.")
    assert planned() == [(PICNIC, "called_off", "Sat 14")]


def test_what_is_put_off_without_a_day_has_none():
    said(PICNIC, "The picnic is postponed.")
    (row,) = plans(north())
    plan = plan_of(row, now=NOW)
    assert (plan.status, plan.due, f"{plan.was_due:%a}") == ("moved", None, "Sat")


def test_what_calls_off_a_plan_nobody_told_of_is_none():
    said("The concert is called off, sorry.")
    assert planned() == []


def test_a_plan_whose_day_has_passed_is_history():
    said(PICNIC, "The party is on Saturday.")
    (saturday,) = {row.due.date() for row in plans(north())}
    evening = NOON + days((saturday - NOON.date()).days) + minutes(60 * 6)
    assert planned(now=evening) == [("The party is on Saturday.", "planned", "Sat 00"), (PICNIC, "past", "Sat 14")]
    upcoming = plans(north()).upcoming(north(), now=evening)
    assert [row.text for row in upcoming] == ["The party is on Saturday."]
    assert [row.text for row in plans(north()).past(north(), now=evening)] == [PICNIC]


def test_a_later_decision_stands_for_the_earlier():
    said("We decided on the red tent.", "We decided on the blue tent.")
    assert decided(replaced_by=None) == ["We decided on the blue tent."]
    assert decided(replaced_by__text="We decided on the blue tent.") == ["We decided on the red tent."]


def test_a_short_talk_has_no_note_and_its_plan_is_kept():
    said("Meeting tomorrow at 9:30")
    assert not InteractionNote.objects.exists()
    assert planned(now=NOON) == [("Meeting tomorrow at 9:30", "planned", "Tue 09")]


def test_words_find_a_plan_by_what_it_was_too():
    said(PICNIC, "It's moved to Sunday.")
    assert of_words(plans(north()), "harbour PICNIC").count() == 1
    assert of_words(plans(north()), "harbour concert").count() == 0


# --- When the source goes --------------------------------------------------------------------------------------------


def test_a_deleted_message_takes_its_plan_and_what_it_replaced_stands_again():
    said(PICNIC, "The picnic is moved to Sunday at 15:00.", "The picnic is called off.")
    ids = [row.message.platform_id for row in Arrangement.objects.order_by("said_at")]
    pipeline.delete(north(), message_ids=ids[2:], now=NOW)
    assert planned() == [(PICNIC, "moved", "Sun 15")]
    pipeline.delete(north(), message_ids=ids[1:2], now=NOW)
    assert planned() == [(PICNIC, "planned", "Sat 14")]
    pipeline.delete(north(), message_ids=ids[:1], now=NOW)
    digest(now=NOW + minutes(1))
    assert planned() == []


def test_an_edited_message_says_what_it_says_now():
    said(PICNIC, "We decided on the red tent.")
    first, second = [row.message.platform_id for row in Arrangement.objects.order_by("said_at")]
    pipeline.edit(north(), message_id=first, text="The picnic is on Sunday at 16:00.", now=NOW)
    pipeline.edit(north(), message_id=second, text="What a day!", now=NOW)
    assert (planned(), decided()) == ([], [])
    digest(now=NOW + minutes(1))
    assert planned() == [("The picnic is on Sunday at 16:00.", "planned", "Sun 16")]


def test_who_says_no_is_told_of_no_more_and_others_stay():
    said(PICNIC)
    said("The picnic is moved to Sunday at 15:00.", who="Ann", at=NOON + minutes(90))
    ann = Member.objects.get(display_name="Ann")
    consent_effects.choose(ann, remember=False, actor="member:u-ann", now=NOW)
    assert planned() == [(PICNIC, "planned", "Sat 14")]
    digest(now=NOW + minutes(1))
    assert planned() == [(PICNIC, "planned", "Sat 14")]


def test_a_channel_that_closes_takes_its_plans_along():
    said(PICNIC)
    said("The picnic is moved to Sunday at 15:00.", who="Ann", at=NOON + minutes(90))
    Arrangement.objects.filter(text=PICNIC).update(channel=Channel.objects.create(guild=north(), platform_id="c-2"))
    change_audience(Channel.objects.get(name="general"), Channel.Audience.CHANNEL, now=NOW)
    readable = [row.text for row in plans(north()).filter(audience=None)]
    assert readable == [PICNIC]  # it stands again: its readers can't know that it was moved
    assert plans(north()).exclude(audience=None).count() == 1


def test_what_is_said_behind_a_door_changes_nothing_before_it():
    staff = {"id": "c-staff", "name": "staff", "audience": "channel"}
    say(PICNIC, "Bob", at=NOON)
    say("The picnic is called off.", "Bob", channel=staff, at=NOON + minutes(9))
    digest()
    assert [(row.text, row.audience) for row in plans(north())] == [(PICNIC, None)]


def test_what_was_said_in_private_is_not_told_as_what_an_open_decision_was_before(monkeypatch):
    say("We decided to use the red tent.", "Bob", channel="crew", at=NOON)
    say("We decided to use the blue tent instead.", "Bob", at=NOON + minutes(60))
    digest()
    assert [old.text for old in Arrangement.objects.get(channel__name="general").replaces.all()]
    monkeypatch.setattr(keeping, "COMPARED", 1)  # it is older than what is compared
    say("We decided that Carol buys the lamps.", "Bob", channel="crew", at=NOON + minutes(120))
    digest()
    change_audience(Channel.objects.get(name="crew"), Channel.Audience.CHANNEL, now=NOW)
    stranger = Caller(guild=NORTH, person=Person(id="u-carol"), readable=frozenset({"c-general"}))
    told = show_decisions(stranger, query="", page=1).lines
    assert len(told) == 1
    assert "blue tent" in told[0].text
    assert "red tent" not in told[0].text


def test_retention_lets_the_words_go_and_the_plan_stays():
    said(PICNIC)
    Guild.objects.update(message_days=1)
    apply_to_guild(north(), now=NOW + days(9))
    assert Arrangement.objects.get().message.text == ""
    assert [what for what, *_ in planned()] == [PICNIC]


def test_another_guild_has_its_own():
    say(PICNIC, "Bob", guild=NORTH)
    say("The picnic is called off.", "Bob", guild=SOUTH, at=NOON + minutes(5))
    digest()
    digest(Guild.objects.get(key=SOUTH.key))
    assert planned() == [(PICNIC, "planned", "Sat 14")]
    assert planned(guild=Guild.objects.get(key=SOUTH.key)) == []


def test_a_day_that_stands_for_never_is_no_plan_and_stops_no_later_one():
    said("The boat party is on 9999-12-31.", PICNIC)
    assert planned() == [(PICNIC, "planned", "Sat 14")]
