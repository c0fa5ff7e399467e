"""The context of a past moment: what was believed then, from what had been said by then."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.context import builder
from memory.curation import corrections
from notes.models import Question
from profiles.models import RelationshipDay
from tests.api_client import api_for
from tests.factories import (
    NOON,
    days,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_profile,
    make_summary,
)  # fmt: skip

pytestmark = pytest.mark.django_db
THEN = NOON - days(10)
BEFORE, AFTER = THEN - days(1), THEN + days(1)


@pytest.fixture(autouse=True)
def _history():
    """Alice moved: everything has a side before that moment and one after it."""
    alice, bob, channel = make_member(), make_member(name="Bob"), make_channel()
    make_guild(relationships_on=True)
    alice.guild.relationships_on = True
    alice.guild.save()
    old = make_fact("Lives in Rome.", subject=alice, said_at=BEFORE, kind="profile", confidence=0.9)
    new = make_fact("Lives in Oslo.", subject=alice, said_at=AFTER, kind="profile", confidence=0.9)
    type(old).objects.filter(pk=old.pk).update(status="superseded", replaced_by=new, valid_until=AFTER)
    for word, at in (("early", BEFORE), ("late", AFTER)):
        message = make_message(f"An {word} saying of home.", channel=channel, author=alice, sent_at=at)
        note = make_note(f"An {word} talk", messages=[message], summary=f"Alice told of an {word} home.")
        make_entry(f"Has an {word} home", member=alice, notes=[note])
        Question.objects.create(guild=alice.guild, channel=channel, text=f"Which {word} home?", asked_at=at)
        RelationshipDay.objects.create(source=alice, target=bob, channel=channel, day=at.date(), replies=3)
    make_summary(channel, "A late summary of homes.", to_at=AFTER)
    make_profile(alice)
    type(alice.profile).objects.update(summary="Alice has a late summary.")


def built(**fields) -> builder.Context:
    people = [make_member(), make_member(name="Bob")]
    turn = {"guild": make_guild(), "channel": make_channel(), "members": people, "text": "Where is Alice's home?"}
    return builder.build(builder.Turn(**{**turn, "now": NOON, "as_of": THEN, "max_tokens": 4000, **fields}))


@pytest.mark.parametrize("form", ["xml", "markdown", "json", "user_memory", "messages"])
def test_nothing_later_is_told(form):
    text = built(format=form, text="Where?").text.casefold()
    assert "rome" in text
    assert "oslo" not in text
    assert "late " not in text


def test_what_stood_then_is_in_every_part():
    found = built()
    told = {part.name: " ".join(item.text for item in part.items) for part in found.parts}
    assert "early home" in told["profiles"]
    assert "Rome" in told["facts"]
    assert "early home" in told["notes"]
    assert "early saying" in told["transcript"] + told.get("messages", "")
    assert "Which early home?" in told["rolling"]
    assert "3 replies" in told["relationships"]
    assert "late" not in str(told)


def test_a_fact_has_the_words_it_had():
    fact = make_fact("Likes tea.", subject=make_member(), said_at=BEFORE, confidence=0.9)
    corrections.correct(fact, text="Likes coffee.", actor="operator:o", now=AFTER)
    for form in ("xml", "user_memory"):
        text = built(format=form, text="What does Alice like, tea or coffee?").text
        assert "Likes tea" in text.replace("Likes tea.", "Likes tea")
        assert "Likes coffee" not in text


def test_without_a_moment_it_is_now():
    assert "Oslo" in built(as_of=None).text


def test_the_api_takes_a_moment():
    body = {"channel": "c-general", "members": ["u-alice"], "text": "home", "as_of": THEN.isoformat()}
    found = api_for(make_guild(), "read").post("discord:1/context", body).json()["text"]
    assert "Rome" in found
    assert "Oslo" not in found


@pytest.mark.parametrize("name", ["recall", "context"])
def test_the_commands_take_a_day(name):
    out, where = StringIO(), {"guild": "discord:1", "channel": "c-general"}
    people = {"member": ["u-alice"]} if name == "context" else {}
    call_command(
        name, "Where does Alice live, in Rome or in Oslo?", **where, **people, as_of=THEN, stdout=out, stderr=out
    )
    assert "Lives in Rome" in out.getvalue()
    assert "Lives in Oslo" not in out.getvalue()
    with pytest.raises(CommandError, match="as-of: 'soon' is no time; write"):
        call_command(name, "x", "--guild=discord:1", "--channel=c-general", "--as-of=soon")


def test_a_day_is_meant_to_its_end():
    from memory.management.arguments import parse_moment

    assert parse_moment("2026-03-02").isoformat() == "2026-03-02T23:59:59.999999+00:00"
    assert parse_moment("2026-03-02T12:00+01:00").utcoffset().seconds == 3600


@pytest.mark.parametrize("name", ["recall", "context"])
@pytest.mark.parametrize("moment", ["0001-01-01T00:00+14:00", "1969-12-31", "9999-12-31T23:59-10:00"])
def test_the_commands_refuse_what_is_outside_of_the_calendar(name, moment):
    with pytest.raises(CommandError, match=r"as-of: .* can't be meant\. Must .* 1970"):
        call_command(name, "x", "--guild=discord:1", f"--as-of={moment}")
