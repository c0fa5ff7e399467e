"""A page, its fragment, and lists that go on where they ended."""

import pytest

from memory.models import Fact
from memoryhub.common.htmx import newest
from notes.models import InteractionNote
from tests.factories import NOON, days, make_fact, make_member, make_note

pytestmark = pytest.mark.django_db

LIVE = ["/", "/memories/", "/members/", "/notes/", "/snapshot/"]
HTMX = {"HX-Request": "true"}


@pytest.mark.parametrize("path", LIVE)
def test_htmx_gets_the_part_of_the_page_that_it_swaps(admin_client, path):
    make_fact(subject=make_member(), evidence=[])
    page = admin_client.get(path)
    fragment = admin_client.get(path, headers=HTMX)
    assert b"<html" in page.content
    assert b"<html" not in fragment.content
    assert "HX-Request" in page.headers["Vary"]


@pytest.mark.parametrize("header", ["HX-Boosted", "HX-History-Restore-Request"])
def test_htmx_gets_the_whole_page_when_it_replaces_the_whole_page(admin_client, header):
    assert b"<html" in admin_client.get("/memories/", headers=HTMX | {header: "true"}).content


def test_a_list_goes_on_after_the_last_row_shown():
    facts = [make_fact(f"Fact {letter}.") for letter in "abcde"]
    first = newest(Fact.objects.all(), limit=2)
    second = newest(Fact.objects.all(), limit=2, before=first.next)
    last = newest(Fact.objects.all(), limit=2, before=second.next)
    assert [*first.items, *second.items, *last.items] == facts[::-1]
    assert last.next == ""


def test_a_list_by_time_passes_over_no_row_of_the_same_moment():
    notes = [make_note(f"Note {n}", ended_at=NOON - days(n // 2)) for n in range(6)]
    seen, place = [], ""
    while len(seen) < len(notes):
        page = newest(InteractionNote.objects.all(), by="ended_at", limit=1, before=place)
        seen, place = seen + page.items, page.next
    assert {note.pk for note in seen} == {note.pk for note in notes}
    assert [note.ended_at for note in seen] == sorted((note.ended_at for note in notes), reverse=True)


@pytest.mark.parametrize(
    "place", ["", "x", "7_yesterday", "_", "1_2026-13-45T00:00:00+00:00", "9" * 40, "1_2026-01-01"]
)
def test_a_place_that_cannot_be_read_is_the_beginning(place):
    note = make_note()
    assert newest(InteractionNote.objects.all(), by="ended_at", before=place).items == [note]
