"""The snapshot page and the journals."""

import pytest

from memory.models import Snapshot
from notes.models import Journal
from tests.factories import NOON, make_fact, make_guild, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def test_the_snapshot_is_rendered_from_its_markdown(admin_client):
    Snapshot.objects.create(guild=make_guild(), text="# Memory of North\n\n- **Alice** sails", generated_at=NOON)
    shown = admin_client.get("/snapshot/").content.decode()
    assert "<h2>Memory of North</h2>" in shown
    assert "<strong>Alice</strong> sails" in shown


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
