"""The snapshot page and the journals."""

import pytest

from memory.models import Snapshot
from notes.models import Journal
from tests.factories import NOON, days, make_channel, make_fact, make_guild, make_member, make_note

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def test_the_snapshot_is_rendered_from_its_markdown(admin_client):
    Snapshot.objects.create(guild=make_guild(), text="# Memory of North\n\n- **Alice** sails", generated_at=NOON)
    shown = admin_client.get("/snapshot/").content.decode()
    assert "<h2>Memory of North</h2>" in shown
    assert "<strong>Alice</strong> sails" in shown


def test_a_line_that_begins_with_a_day_that_no_month_has_is_shown(admin_client):
    Snapshot.objects.create(guild=make_guild(), text="- 2026-02-30 is the deadline", generated_at=NOON)
    assert "2026-02-30 is the deadline" in admin_client.get("/snapshot/").content.decode()


def test_a_hub_without_a_guild_has_no_snapshot(admin_client):
    assert "No guild yet." in admin_client.get("/snapshot/").content.decode()


def test_refreshing_renders_the_snapshot_anew(admin_client):
    Snapshot.objects.create(guild=make_guild(), text="old words", generated_at=NOON)
    make_fact("Lives in Toronto.", subject=make_member())
    answer = admin_client.post("/snapshot/refresh/", {"guild": "discord:1"}, follow=True)
    shown = answer.content.decode()
    assert "The snapshot is up to date." in shown
    assert "Lives in Toronto" in shown
    assert "old words" not in shown


def test_refreshing_with_htmx_answers_with_the_fragment(admin_client):
    make_guild()
    answer = admin_client.post("/snapshot/refresh/", {"guild": "discord:1"}, headers={"HX-Request": "true"})
    shown = answer.content.decode()
    assert "<html" not in shown
    assert "Refreshed" in shown
    assert "csrfmiddlewaretoken" in shown


def test_looking_does_not_refresh(admin_client):
    assert admin_client.get("/snapshot/refresh/").status_code == 405


def test_a_journal_is_listed_and_opens(admin_client):
    journal = Journal.objects.create(guild=make_guild(), day=NOON.date(), text="A quiet <b>day</b>")
    path = f"/journals/{journal.guild_id}/2026-03-02/"
    assert path in admin_client.get("/snapshot/").content.decode()
    assert "A quiet &lt;b&gt;day&lt;/b&gt;" in admin_client.get(path).content.decode()


@pytest.mark.parametrize("day", ["2026-02-30", "2026-03-03", "yesterday"])
def test_a_day_without_a_journal_is_not_there(admin_client, day):
    assert admin_client.get(f"/journals/{make_guild().pk}/{day}/").status_code == 404


def test_the_snapshot_is_downloaded_as_it_is(admin_client):
    Snapshot.objects.create(guild=make_guild(), text="# Memory of North\n", generated_at=NOON)
    assert "/snapshot/download/?guild=discord%3A1" in admin_client.get("/snapshot/").content.decode()
    answer = admin_client.get("/snapshot/download/", {"guild": "discord:1"})
    assert answer.headers["Content-Disposition"] == 'attachment; filename="MEMORY.md"'
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert answer.content.decode() == "# Memory of North\n"
    assert admin_client.get("/snapshot/download/", {"guild": "discord:9"}).status_code == 404


def test_a_journal_is_downloaded_and_leads_to_the_days_around_it(admin_client):
    for day in (1, 2, 4):
        Journal.objects.create(guild=make_guild(), day=NOON.date().replace(day=day), text=f"day {day}")
    path = f"/journals/{make_guild().pk}/2026-03-02/"
    shown = admin_client.get(path).content.decode()
    assert "/2026-03-01/" in shown
    assert "/2026-03-04/" in shown
    answer = admin_client.get(f"{path}download/")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="2026-03-02.md"'
    assert answer.content.decode() == "day 2"


def a_day(text):
    return Journal.objects.create(guild=make_guild(), day=NOON.date(), text=text, generated_at=NOON)


LINES = """# North, 2026-03-02

- 2026-03-02T12:00:00Z | Alice (u-alice) | [channel:c-general] We sail \\<b\\> at noon
- 2026-03-02T12:01:00Z | Alice (u-alice) | [channel:c-general] bring cake
- 2026-03-02T12:02:00Z | Gone (u-gone) | [channel:c-boats] ahoy
- 2026-03-02T12:03:00Z | [not remembered] | [channel:c-general]
- 2026-03-02T15:00:00Z | Alice (u-alice) | [channel:c-general] back again
"""


def test_a_journal_reads_as_talks_with_the_way_to_who_spoke(admin_client):
    alice = make_member(name="Alice")
    make_channel(name="general")
    row = a_day(LINES)
    shown = admin_client.get(f"/journals/{row.guild_id}/2026-03-02/").content.decode()
    assert "5 messages in 3 talks" in shown
    assert "We sail &lt;b&gt; at noon" in shown
    assert shown.count(f'href="/members/{alice.pk}/"') == 2
    assert "Not remembered" in shown
    assert "c-boats" in shown
    assert "#general" in shown


def test_a_journal_tells_what_happened_and_was_learned_on_its_day(admin_client):
    row = a_day(LINES)
    staff = make_channel(name="staff", private=True)
    make_note("Sailing at noon", started_at=NOON), make_note("A secret", channel=staff)
    alice = make_member(name="Alice")
    make_fact("Sails.", subject=alice)
    make_fact("Sailed long ago.", subject=alice, said_at=NOON - days(9))
    make_fact("Is paid.", subject=alice, audience=staff)
    bob = make_member(name="Bob", remember=False)
    make_fact("Rows.", subject=bob), make_note("Rowing home", participants=[alice, bob])
    shown = admin_client.get(f"/journals/{row.guild_id}/2026-03-02/").content.decode()
    assert "Sailing at noon" in shown
    assert "Sails." in shown
    assert all(words not in shown for words in ("A secret", "Is paid.", "Sailed long ago.", "Rows.", "Rowing"))


def test_a_day_on_which_nothing_was_said_says_so_and_repeats_no_heading(admin_client):
    row = a_day("# North, 2026-03-02\n\n")
    path = f"/journals/{row.guild_id}/2026-03-02/"
    quiet = admin_client.get(path).content.decode()
    assert "A quiet day." in quiet
    assert "North, 2026-03-02" not in quiet
    make_fact("Sails.", subject=make_member(name="Alice"))
    assert "A quiet day." not in admin_client.get(path).content.decode()


def test_a_very_long_day_is_folded(admin_client):
    lines = [
        f"- 2026-03-02T{hour:02}:{minute:02}:00Z | A (a) | [channel:c] x" for hour in (9, 12) for minute in range(50)
    ]
    row = a_day("\n".join(lines))
    shown = admin_client.get(f"/journals/{row.guild_id}/2026-03-02/").content.decode()
    assert shown.count('<details class="talk-of" open>') == 1
    assert shown.count('<details class="talk-of" >') == 1


def test_a_full_journal_asks_few_questions(admin_client, django_assert_max_num_queries):
    row = a_day(LINES)
    for number in range(20):
        make_note(f"Note {number}"), make_fact(f"Fact {number}.", subject=make_member(name=f"Member {number}"))
    path = f"/journals/{row.guild_id}/2026-03-02/"
    admin_client.get(path)  # the look is written to the audit log once
    with django_assert_max_num_queries(18):
        admin_client.get(path)


def test_the_snapshot_leads_to_members_and_to_journals_that_are_there(admin_client):
    alice = make_member(name="Alice")
    make_fact("Sails.", subject=alice)
    text = "- **Alice**\n  - Sails.\n- **Nobody**\n\n- 2026-03-02 Alice: we sail\n- 2026-03-02.md\n- 2026-03-01.md\n"
    Snapshot.objects.create(guild=make_guild(), text=text, generated_at=NOON)
    row = a_day("x")
    shown = admin_client.get("/snapshot/").content.decode()
    assert f'<a href="/members/{alice.pk}/" rel="noopener noreferrer nofollow">Alice</a>' in shown
    assert shown.count(f'<a href="/journals/{row.guild_id}/2026-03-02/" rel=') == 2
    assert "2026-03-01.md" in shown
    assert "<strong>Nobody</strong>" in shown
    assert "(/members/" not in shown


def test_a_name_that_holds_a_link_leads_nowhere_else(admin_client):
    mallory = make_member(name="M](https://x.example) [a")
    make_fact("Sails.", subject=mallory)
    shown = admin_client.get("/snapshot/").content.decode()
    assert f'href="/members/{mallory.pk}/"' in shown
    assert 'href="https://x.example' not in shown
