"""The page of work: what waits, what was given up, what each night did, and the buttons that go on with it."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_q.models import OrmQ

from memory.models import JobRun
from memoryhub.models import Role
from notes.models import ChannelBuffer, Message
from tests.factories import NOON, make_channel, make_guild, make_message

pytestmark = pytest.mark.django_db
Status = ChannelBuffer.Status


def make_buffer(status=Status.OPEN, guild=None, **fields):
    channel = fields.pop("channel", None) or make_channel(guild=guild)
    times = {"opened_at": NOON, "last_message_at": NOON, "due_at": NOON + timedelta(minutes=25)}
    return ChannelBuffer.objects.create(
        guild=channel.guild, channel=channel, status=status, message_count=3, **times, **fields
    )


def test_it_shows_open_and_waiting_conversations(olga):
    make_buffer(), make_buffer(Status.CLOSED, channel=make_channel(name="attic"), closed_at=NOON)
    page = olga.get(reverse("work")).content.decode()
    assert "End now" in page
    assert "waits to be processed" in page


def test_a_parked_conversation_is_tried_again(olga):
    buffer = make_buffer(Status.PARKED, attempts=5, last_error="The key was refused.", parked_at=NOON)
    assert "The key was refused." in olga.get(reverse("work")).content.decode()
    olga.post(reverse("replay"), {"guild": buffer.guild.key, "buffers": buffer.pk})
    buffer.refresh_from_db()
    assert (buffer.status, buffer.attempts) == (Status.CLOSED, 0)


def test_all_that_is_parked_in_a_guild_is_tried_again(olga):
    message = make_message(attempts=5, parked_at=NOON)
    buffer = make_buffer(Status.PARKED, channel=message.channel, parked_at=NOON)
    olga.post(reverse("replay"), {"guild": message.guild.key})
    assert not Message.objects.exclude(parked_at=None).exists()
    assert ChannelBuffer.objects.get(pk=buffer.pk).status == Status.CLOSED


def test_a_night_is_shown_by_its_phases(olga):
    guild = make_guild()
    JobRun.objects.create(guild=guild, day=NOON.date(), phase="cluster", status="done", counts={"topics": 4})
    JobRun.objects.create(guild=guild, day=NOON.date(), phase="profiles", status="failed", last_error="No credit.")
    page = olga.get(reverse("work")).content.decode()
    assert "4 topics found" in page
    assert "No credit." in page
    assert "Not begun" in page


def test_a_night_is_queued_again(olga):
    guild = make_guild()
    olga.post(reverse("run-night"), {"guild": guild.key, "day": "2026-02-23"})
    assert OrmQ.objects.get().task["args"] == (guild.pk, "2026-02-23")


@pytest.mark.parametrize("day", ["", "yesterday", "2026-02-31", "9999-01-01"])
def test_a_day_that_is_none_is_refused_in_words(olga, day):
    make_guild()
    answer = olga.post(reverse("run-night"), {"guild": make_guild().key, "day": day}, follow=True)
    assert "Name a day that has begun" in answer.content.decode()
    assert not OrmQ.objects.exists()


def test_a_moderator_sees_and_replays_only_their_guilds(olga):
    north, south = make_guild("discord:1", name="North"), make_guild("discord:2", name="South")
    hidden = make_buffer(Status.PARKED, guild=south, last_error="Southern trouble", parked_at=NOON)
    mona = User.objects.create_user("mona")
    Role.objects.create(user=mona, kind=Role.Kind.MODERATOR).guilds.add(north)
    visitor = Client()
    visitor.force_login(mona)
    page = visitor.get(reverse("work")).content.decode()
    assert "South" not in page
    assert "Queue" not in page
    assert visitor.post(reverse("replay"), {"guild": south.key, "buffers": hidden.pk}).status_code == 404
    assert ChannelBuffer.objects.get(pk=hidden.pk).status == Status.PARKED


def test_it_asks_the_database_no_more_for_more_rows(olga, django_assert_max_num_queries):
    for name in range(20):
        make_buffer(channel=make_channel(name=f"c{name}"))
    with django_assert_max_num_queries(23):
        olga.get(reverse("work"))


def test_an_auditor_is_shown_nothing_to_press(olga):
    channel = make_buffer().channel
    make_buffer(Status.PARKED, channel=channel, parked_at=NOON)
    JobRun.objects.create(guild=channel.guild, day=NOON.date(), phase="cluster", status="failed")
    fragment = {"HX-Request": "true"}
    assert olga.get(reverse("work"), headers=fragment).text.count("<button") == 5
    ada = User.objects.create_user("ada")
    Role.objects.create(user=ada, kind=Role.Kind.AUDITOR, everywhere=True)
    olga.force_login(ada)
    shown = olga.get(reverse("work"), headers=fragment).text
    assert "Conversation in" in shown
    assert "<button" not in shown


def test_what_is_parked_is_shown_page_by_page(olga):
    for number in range(31):
        make_buffer(Status.PARKED, channel=make_channel(name=f"c{number}"), parked_at=NOON)
    first = olga.get(reverse("work"))
    assert "31 conversations" in first.text
    assert "#c0<" not in first.text
    older = olga.get(reverse("work"), {"parked_buffer": first.context["parked"].next_buffer})
    assert "#c0<" in older.text
    assert "Older conversations" not in older.text


def test_a_night_that_begins_again_says_why(olga):
    guild = make_guild()
    for phase in ("profiles", "decay"):
        JobRun.objects.create(guild=guild, day=NOON.date(), phase=phase, status="done", finished_at=NOON)
    assert "It begins again: a note of this day came late" in olga.get(reverse("work")).content.decode()


def test_a_night_that_has_only_begun_does_not_begin_again(olga):
    JobRun.objects.create(guild=make_guild(), day=NOON.date(), phase="cluster", status="done", finished_at=NOON)
    assert "It begins again" not in olga.get(reverse("work")).content.decode()


def test_how_far_a_phase_is_and_how_long_it_takes_is_told(olga):
    run = {"phase": "profiles", "status": "running", "progress": {"pieces": 40, "done": 10, "seconds_left": 300}}
    JobRun.objects.create(guild=make_guild(), day=NOON.date(), **run)
    page = " ".join(olga.get(reverse("work")).content.decode().split())
    assert '<progress max="40" value="10" aria-label="Profiles">' in page
    assert "10 of 40, about 5 minutes left" in page
