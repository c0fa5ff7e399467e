"""No page turns a text around, wherever on it the text stands; the API hands it out as it was said."""

import pytest
from django.urls import reverse
from django.utils.safestring import mark_safe

from memory.index import writing
from memoryhub.common.text_direction import SIGNS, direction_of
from memoryhub.templatetags.hub import UNSEEN, isolate, named
from tests.factories import make_channel, make_fact, make_guild, make_member, make_message, make_note

pytestmark = pytest.mark.django_db
TURNED = "".join(map(chr, SIGNS)) + "gpj.exe"
SILENT = {"/", "/graph/"}  # nothing was learned by the hub itself, and nobody is tied to anybody


def test_no_page_turns_a_text_around(admin_client):
    guild = make_guild(name=f"North {TURNED}")
    place = make_channel(guild, name=f"general {TURNED}", platform_id="c")
    alice = make_member(guild, name=f"Alice {TURNED}", platform_id="u")
    said = make_message(f"I live in {TURNED}.", author=alice, channel=place)
    fact = make_fact(f"Lives in {TURNED}.", subject=alice, evidence=[said])
    make_fact(f"Loves {TURNED}.", subject=alice, evidence=[said], status="pending")
    make_note(f"Of {TURNED}", messages=[said], summary=f"They spoke of {TURNED}.")
    writing.index_facts([fact])
    for path in (
        "/", "/memories/", "/review/", "/members/", "/channels/", "/notes/", "/graph/", "/find/?q=gpj", "/settings/",
        reverse("fact", args=[fact.pk]), reverse("correct-fact", args=[fact.pk]), reverse("member", args=[alice.pk]),
        reverse("message", args=[said.pk]), reverse("channel", args=[place.pk]),
    ):  # fmt: skip
        answer = admin_client.get(path)
        assert answer.status_code == 200, path
        assert "gpj.exe" in answer.text or path in SILENT, path
        assert not set(answer.text) & set(TURNED[:-7]), path


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("مريم القاسمي told Alice that she likes boats.", "ltr"),
        ("Alice قالت إنها تحب القوارب", "rtl"),
        ("דנה גרה בחיפה", "rtl"),
        ("مريم sails", "ltr"),
        ("12:30 🦊", "ltr"),
        ("", "ltr"),
    ],
)
def test_a_sentence_runs_as_most_of_its_words_do_whatever_name_begins_it(text, direction):
    assert direction_of(text) == direction


def test_a_memory_that_begins_with_a_name_is_laid_out_as_the_sentence_it_is(admin_client):
    make_fact("مريم القاسمي lives in Cairo with her cat.")
    assert '<bdi dir="ltr">مريم القاسمي lives' in admin_client.get("/memories/").text


def test_an_isolated_text_runs_in_its_own_direction_and_is_escaped_whatever_is_shown_of_it():
    assert isolate("<b>דנה</b> גרה בחיפה") == '<bdi dir="rtl">&lt;b&gt;דנה&lt;/b&gt; גרה בחיפה</bdi>'
    assert isolate("דנה גרה", "<i>d") == '<bdi dir="rtl">&lt;i&gt;d</bdi>'
    assert isolate("Dana", mark_safe("<mark>D</mark>ana")) == '<bdi dir="ltr"><mark>D</mark>ana</bdi>'


def test_a_name_or_title_of_which_nothing_is_seen_can_still_be_clicked():
    assert [named(name) for name in ("\u200b\u2060", "#\u3164", "#tea")] == [UNSEEN, UNSEEN, "#tea"]
    assert f">{UNSEEN}</bdi>" in isolate("\u200b \u2800")
    assert isolate("") == '<bdi dir="ltr"></bdi>'
