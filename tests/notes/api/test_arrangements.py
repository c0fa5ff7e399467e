"""`GET /guilds/{key}/decisions`, `/plans` and `/plans.ics`: what was decided and planned, with its sources."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memoryhub.community.models import Guild
from tests.api_client import api_for
from tests.factories import days, make_arrangement, make_channel, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def api():
    return api_for(make_guild())


def said(text, *, ago=1.0, channel=None, due=None, **fields):
    """Store what Bob said so many days ago; `due` counts in days from now."""
    channel = channel or make_channel()
    message = make_message(text, author=make_member(channel.guild, "Bob"), channel=channel, sent_at=NOW - days(ago))
    if due is not None:
        fields["due_at"] = NOW + days(due)
    return make_arrangement(message, **fields)


def items(api, what, **query):
    answer = api.get(f"discord:1/{what}", **query)
    assert answer.status_code == 200, answer.content
    return answer.json()["items"]


def texts(api, what, **query):
    return [item["text"] for item in items(api, what, **query)]


def test_a_decision_says_who_when_where_and_what_superseded_it(api):
    old = said("We decided on the red tent.", ago=2)
    new = said("We decided on the blue tent.", channel=make_channel(name="staff", private=True))
    old.replaced_by = new
    old.save()
    last, first = items(api, "decisions")
    assert (last["text"], last["channel"], last["audience"]) == (new.text, "c-staff", "c-staff")
    assert (first["superseded_by"], last["superseded_by"]) == (last["id"], None)
    assert first["member"] == {"id": "u-bob", "name": "Bob"}
    assert first["sources"] == [
        {"message_id": old.message.platform_id, "author": "Bob", "at": first["at"]}
    ]  # fmt: skip
    assert texts(api, "decisions", standing="true") == [new.text]
    assert texts(api, "decisions", standing="false") == [old.text]


def test_a_plan_has_its_day_and_how_it_stands(api):
    first = said("The picnic is on Saturday.", ago=3, due=2)
    said("The raid is tomorrow.", ago=9, due=-8)
    moved = said("The picnic is moved to Sunday.", change="moved", due=3)
    first.replaced_by = moved
    first.save()
    picnic, raid = items(api, "plans")
    assert (picnic["text"], picnic["news"], picnic["status"]) == (first.text, moved.text, "moved")
    assert picnic["due"] > picnic["was_due"]
    assert [source["message_id"] for source in picnic["sources"]] == [
        first.message.platform_id, moved.message.platform_id
    ]  # fmt: skip
    assert (raid["status"], raid["all_day"]) == ("past", False)
    assert texts(api, "plans", when="upcoming") == [first.text]
    assert texts(api, "plans", when="past") == ["The raid is tomorrow."]


def test_lists_are_narrowed_by_channel_words_and_time(api):
    said("We decided on the red tent.", channel=make_channel(name="tents"), ago=5)
    said("We decided on soup.")
    assert texts(api, "decisions", channel="c-tents") == ["We decided on the red tent."]
    assert texts(api, "decisions", q="TENT red") == ["We decided on the red tent."]
    assert texts(api, "decisions", q="tent soup") == []
    assert texts(api, "decisions", since=(NOW - timedelta(days=2)).isoformat()) == ["We decided on soup."]


def test_lists_go_on_where_a_page_ended(api):
    for number in range(3):
        said(f"We decided on tent {number}.")
        said(f"The raid number {number} is soon.", due=number + 1)
    for what in ("decisions", "plans"):
        page = api.get(f"discord:1/{what}", limit=2).json()
        rest = api.get(f"discord:1/{what}", limit=2, cursor=page["next_cursor"]).json()
        assert [len(page["items"]), len(rest["items"]), rest["next_cursor"]] == [2, 1, None]


def test_what_was_put_aside_and_who_said_no_are_told_of_no_more(api):
    said("We decided on the red tent.", put_aside_at=NOW)
    said("We decided on soup.")
    Guild.objects.update(blocked=["u-bob"])
    assert texts(api, "decisions") == []


@pytest.mark.parametrize(
    ("what", "query", "status"),
    [
        ("plans", {"when": "soon"}, 422), ("plans", {"channel": "nowhere"}, 404), ("plans", {"q": "x" * 201}, 422),
        ("decisions", {"since": "yesterday"}, 422), ("decisions", {"cursor": "x"}, 422), ("plans.ics", {"x": 1}, 422),
        ("decisions", {"q": "%_\\ ' OR 1=1 --"}, 200), ("plans", {"q": "\0"}, 200),
        ("plans.ics", {"when": "past"}, 200),
    ],
)  # fmt: skip
def test_odd_filters_are_refused_or_find_nothing(api, what, query, status):
    assert api.get(f"discord:1/{what}", **query).status_code == status


@pytest.mark.parametrize("what", ["decisions", "plans", "plans.ics"])
def test_another_guilds_key_sees_nothing(what):
    said("The raid is tomorrow.", due=1)
    assert api_for(make_guild("discord:2")).get(f"discord:1/{what}").status_code == 404
    assert "raid" not in api_for(make_guild("discord:2")).get(f"discord:2/{what}").content.decode()


# --- The calendar ----------------------------------------------------------------------------------------------------


def events(api, **query):
    """Return the events of the calendar as a reader of RFC 5545 sees them: unfolded, unescaped, by name."""
    answer = api.get("discord:1/plans.ics", **query)
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    body = answer.content
    lines = body.split(b"\r\n")
    assert lines.pop() == b""
    assert all(len(line) <= 75 and b"\n" not in line for line in lines)
    whole = body.replace(b"\r\n ", b"").decode().split("\r\n")[:-1]
    assert (whole[0], whole[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR")
    found = []
    for line in whole:
        name, _, value = line.partition(":")
        if line == "BEGIN:VEVENT":
            found.append({})
        elif found:
            for sign, plain in (("\\n", "\n"), ("\\,", ","), ("\\;", ";"), ("\\\\", "\\")):
                value = value.replace(sign, plain)
            found[-1].setdefault(name, value)
    return found


def test_a_calendar_has_each_plan_with_its_time_and_its_words(api):
    text = "The picnic, with 🦊 and ünïcödé; bring: bread, cheese and whatever you like, all of you, " * 2
    row = said(text, due=2)
    (event,) = events(api)
    assert event["SUMMARY"] == row.text
    assert event["DTSTART"] == f"{row.due_at:%Y%m%dT%H%M%SZ}"
    assert (event["STATUS"], event["SEQUENCE"]) == ("CONFIRMED", "0")
    assert event["DESCRIPTION"].startswith("Bob: The picnic")


def test_a_day_without_a_time_is_a_day_in_the_guilds_zone(api):
    Guild.objects.update(time_zone="Pacific/Auckland")
    row = said("The picnic is on Saturday.", due=2, all_day=True)
    row.due_at = row.due_at.replace(hour=11, minute=0, second=0, microsecond=0)  # midnight there in summer
    row.save()
    (event,) = events(api)
    day = (row.due_at + timedelta(hours=13)).date()
    assert event["DTSTART;VALUE=DATE"] == f"{day:%Y%m%d}"


def test_what_is_moved_or_called_off_keeps_its_id_in_the_calendar(api):
    first = said("The picnic is on Saturday.", ago=3, due=2)
    (before,) = events(api)
    off = said("The picnic is called off.", change="called_off", decided=False)
    first.replaced_by = off
    first.save()
    (after,) = events(api)
    assert (after["UID"], after["STATUS"], after["SEQUENCE"]) == (before["UID"], "CANCELLED", "1")
    assert after["DTSTART"] == before["DTSTART"]


def test_nobody_writes_lines_into_a_calendar(api):
    said("The picnic\r\nEND:VEVENT\r\nATTENDEE:mailto:eve@example.org\x00\x07 is on Saturday.", due=2)
    (event,) = events(api)
    assert "ATTENDEE" not in event
