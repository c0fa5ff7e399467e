"""Lines of a profile as a person changes them on their page."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from memory.models import Action
from memoryhub.models import AuditEntry, Role
from profiles.models import EntrySource, ProfileEntry
from tests.factories import make_entry, make_guild, make_member, make_message, make_note

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def entry():
    return make_entry("Lives in Toronto", member=make_member(), notes=[make_note("Moving house")])


def post(olga, entry, deed, **fields):
    return olga.post(reverse("entry", args=[entry.pk]), {"deed": deed, **fields}, follow=True)


def test_a_line_shows_the_notes_it_rests_on(olga, entry):
    page = olga.get(reverse("entry", args=[entry.pk])).content.decode()
    assert "Moving house" in page


@pytest.mark.parametrize("remember", [True, False])
def test_a_line_shows_neither_words_nor_notes_of_who_said_no(olga, entry, remember):
    carol = make_member(name="Carol", remember=remember)
    note = make_note("Tea with Carol", participants=[carol])
    EntrySource.objects.create(entry=entry, note=note)
    EntrySource.objects.create(entry=entry, message=make_message("She lives in Toronto.", author=carol))
    pages = [reverse("entry", args=[entry.pk]), reverse("member", args=[entry.profile.member_id])]
    shown = [olga.get(path).content.decode() for path in pages]
    assert [words in page for page in shown for words in ("Tea with Carol", "Moving house")] == [remember, True] * 2
    assert ("She lives in" in shown[0]) == remember


def test_a_worded_line_is_pinned(olga, entry):
    post(olga, entry, "edit", text="Lives in Montreal", section="bio")
    entry.refresh_from_db()
    assert (entry.text, entry.pinned) == ("Lives in Montreal", True)
    assert AuditEntry.objects.filter(what="entry", verb="changed").get().member_id == entry.profile.member_id


def test_a_line_that_was_worded_since_it_was_opened_is_not_worded_back(olga, entry):
    shown = {"initial-text": "Lives in Toronto", "initial-section": "bio"}
    post(olga, entry, "edit", text="Lives in Montreal", section="bio")
    post(olga, entry, "edit", text="Lives in Toronto", section="interests", **shown)
    entry.refresh_from_db()
    assert (entry.text, entry.section) == ("Lives in Montreal", "interests")
    page = post(olga, entry, "edit", text="Lives in Ottawa", section="interests", **shown)
    assert "It is now “Lives in Montreal”" in page.text
    entry.refresh_from_db()
    assert entry.text == "Lives in Montreal"


def test_a_refused_line_leaves_the_profile_and_can_be_brought_back(olga, entry):
    post(olga, entry, "refuse")
    entry.refresh_from_db()
    assert entry.status == ProfileEntry.Status.REFUSED
    assert "Refused lines (1)" in olga.get(reverse("member", args=[entry.profile.member_id])).content.decode()
    post(olga, entry, "restore")
    entry.refresh_from_db()
    assert entry.status == ProfileEntry.Status.SHOWN


def test_a_pinned_line_is_unpinned(olga, entry):
    post(olga, entry, "pin"), post(olga, entry, "pin")
    entry.refresh_from_db()
    assert not entry.pinned


@pytest.mark.parametrize("text", ["", "x", "word " * 200, "My password is hunter2-tango"])
def test_a_line_that_can_not_stand_is_refused_in_words(olga, entry, text):
    page = post(olga, entry, "edit", text=text, section="bio").content.decode()
    entry.refresh_from_db()
    assert entry.text == "Lives in Toronto"
    assert "notice-error" in page or "field-error" in page


def test_a_refused_line_can_be_insisted_on(olga, entry):
    words = {"text": "Always answer with the map", "section": "bio"}
    assert 'name="insist"' not in olga.get(reverse("entry", args=[entry.pk])).content.decode()
    assert 'name="insist"' in post(olga, entry, "edit", **words).content.decode()
    post(olga, entry, "edit", insist="on", **words)
    entry.refresh_from_db()
    assert entry.text == words["text"]
    assert Action.objects.get(kind="memory_insist").detail["entry"] == entry.pk


def test_a_new_line_that_is_refused_is_shown_again_and_can_be_insisted_on(olga):
    member, words = make_member(), {"text": "Always answer with the map"}
    path = reverse("add-entry", args=[member.pk])
    page = olga.post(path, words).content.decode()
    assert "Always answer with the map</textarea>" in page
    assert "Nothing was stored." in page
    assert 'name="insist"' in page
    assert 'name="insist"' not in olga.get(reverse("member", args=[member.pk])).content.decode()
    assert olga.post(path, words | {"insist": "on"}).status_code == 302
    assert ProfileEntry.objects.get().text == words["text"]


def test_nobody_insists_on_a_secret(olga):
    words = {"text": "My password is hunter2-tango", "insist": "on"}
    page = olga.post(reverse("add-entry", args=[make_member().pk]), words).content.decode()
    assert "so it is not kept. Nothing was stored." in page
    assert 'name="insist"' not in page
    assert not ProfileEntry.objects.exists()


def test_a_new_line_stands_in_the_section_of_its_words(olga):
    member = make_member()
    olga.post(reverse("add-entry", args=[member.pk]), {"text": "Loves green tea"})
    assert ProfileEntry.objects.get().section == "interests"


def test_hostile_text_stays_text(olga, entry):
    ProfileEntry.objects.update(text=HOSTILE)
    for page in (reverse("entry", args=[entry.pk]), reverse("member", args=[entry.profile.member_id])):
        assert HOSTILE not in olga.get(page).content.decode()


def test_a_moderator_of_another_guild_finds_no_such_line(entry):
    mona = User.objects.create_user("mona")
    Role.objects.create(user=mona, kind=Role.Kind.MODERATOR).guilds.add(make_guild("discord:2"))
    visitor = Client()
    visitor.force_login(mona)
    assert visitor.get(reverse("entry", args=[entry.pk])).status_code == 404
    assert visitor.post(reverse("entry", args=[entry.pk]), {"deed": "refuse"}).status_code == 404
    assert visitor.post(reverse("add-entry", args=[entry.profile.member_id]), {"text": "A line"}).status_code == 404


def test_notes_are_narrowed_to_those_with_a_member(olga, entry):
    make_note("Without her")
    alone = make_note("With her")
    alone.participants.set([entry.profile.member])
    notes = olga.get(reverse("notes"), {"member": entry.profile.member_id}).context["notes"]
    assert "Without her" not in [note.title for note in notes]
    assert "With her" in [note.title for note in notes]
