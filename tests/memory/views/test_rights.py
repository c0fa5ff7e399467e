"""A member's data: handed out as a zip, also by a link, or erased with a receipt that anybody can look at."""

import io
import re
import zipfile
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from memory import erasure, tasks
from memory.erasure import export
from memory.models import Action, Erasure, Fact
from memoryhub.community.models import Member
from memoryhub.models import Role
from notes.models import Journal
from tests.factories import NOON, days, make_arrangement, make_entry, make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice() -> Member:
    said = make_message("I moved to Toronto last spring.", author=make_member(name="Alice"))
    make_fact("Lives in Toronto.", subject=said.author, evidence=[said])
    return said.author


def test_all_that_is_held_is_handed_out_and_that_is_logged(admin_client, alice):
    assert f"/members/{alice.pk}/export/" in admin_client.get(f"/members/{alice.pk}/").content.decode()
    answer = admin_client.post(f"/members/{alice.pk}/export/")
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    assert "Lives in Toronto." in "".join(archive.read(name).decode() for name in archive.namelist())
    assert Action.objects.filter(actor="operator:admin").exists()


def test_a_bot_is_made_no_link(admin_client, alice):
    bot = make_member(name="Beep", is_bot=True)
    assert f"/members/{alice.pk}/export-link/" in admin_client.get(f"/members/{alice.pk}/").text
    assert f"/members/{bot.pk}/export-link/" not in admin_client.get(f"/members/{bot.pk}/").text


def test_what_goes_is_told_and_nothing_goes_by_looking(admin_client, alice):
    asked = admin_client.get(f"/members/{alice.pk}/erase/").content.decode()
    assert "Erase <bdi>Alice</bdi> for good?" in asked
    assert "<dt>Messages</dt><dd>1</dd>" in asked
    assert "<dt>Memories</dt><dd>1</dd>" in asked
    admin_client.post(f"/members/{alice.pk}/erase/")
    assert Member.objects.filter(pk=alice.pk).exists()
    assert "No receipt here." in admin_client.get("/members/erased/").content.decode()


def test_what_goes_is_named_as_people_name_it(admin_client, alice):
    make_arrangement(make_message("ok decided: we sail on Sunday", author=alice), "we sail on Sunday")
    Journal.objects.create(guild=alice.guild, day=NOON.date(), text=f"- Alice ({alice.platform_id})")
    make_entry("Sails a canoe", member=alice)
    asked = admin_client.get(f"/members/{alice.pk}/erase/").content.decode()
    receipt = admin_client.post(f"/members/{alice.pk}/erase/", {"confirm": "yes"}, follow=True).content.decode()
    for shown in (asked, receipt):
        assert "<dt>Plans and decisions</dt><dd>1</dd>" in shown
        assert "<dt>Journals and snapshots</dt>" in shown
        assert "<dt>Lines of profiles</dt><dd>1</dd>" in shown
        assert "Arrangements" not in shown
        assert "Papers" not in shown


def test_an_erasure_ends_with_a_receipt_that_can_be_read_again(admin_client, alice):
    answer = admin_client.post(f"/members/{alice.pk}/erase/", {"confirm": "yes"}, follow=True)
    shown = answer.content.decode()
    assert answer.redirect_chain == [("/members/erased/", 302)]
    assert "No trace was found afterwards." in shown
    assert "Alice" not in shown
    assert not Member.objects.filter(pk=alice.pk).exists()
    assert not Fact.objects.exists()
    token = admin_client.session["receipt"]
    assert erasure.verify(token).clean
    assert token in admin_client.get("/members/erased/").content.decode()


def test_the_page_shows_how_far_an_erasure_is_and_its_receipt_at_the_end(admin_client, alice):
    with patch.dict(erasure.request_erasure.__kwdefaults__, seconds=-1.0):
        answer = admin_client.post(f"/members/{alice.pk}/erase/", {"confirm": "yes"}, follow=True)
    shown = answer.content.decode()
    assert f'<progress value="0" max="{len(erasure.STEPS)}">' in shown
    assert "It waits for the worker." in shown
    Erasure.objects.update(step="messages")
    told = f"Removing messages (step {erasure.STEPS.index('messages') + 1} of {len(erasure.STEPS)})."
    assert told in admin_client.get("/members/erased/").content.decode()
    tasks.erase(str(Erasure.objects.get().pk))
    fragment = admin_client.get("/members/erased/", headers={"HX-Request": "true"}).content.decode()
    assert "No trace was found afterwards." in fragment
    assert "<html" not in fragment
    assert "hx-trigger" not in fragment


def test_members_of_guilds_one_does_not_see_are_out_of_reach(client, alice):
    user = User.objects.create_user("mona")
    Role.objects.create(user=user, kind=Role.Kind.MODERATOR).guilds.set([make_guild("discord:2")])
    client.force_login(user)
    assert client.get(f"/members/{alice.pk}/erase/").status_code == 404
    assert client.post(f"/members/{alice.pk}/erase/", {"confirm": "yes"}).status_code == 404
    assert client.post(f"/members/{alice.pk}/export/").status_code == 404
    assert client.post(f"/members/{alice.pk}/export-link/").status_code == 404
    assert Member.objects.filter(pk=alice.pk).exists()


def test_who_may_only_read_neither_exports_nor_erases(client, alice):
    user = User.objects.create_user("ada")
    Role.objects.create(user=user, kind=Role.Kind.AUDITOR).guilds.set([make_guild()])
    client.force_login(user)
    assert "/erase/" not in client.get(f"/members/{alice.pk}/").content.decode()
    assert client.post(f"/members/{alice.pk}/erase/", {"confirm": "yes"}).status_code == 403
    assert client.post(f"/members/{alice.pk}/export/").status_code == 403
    assert client.post(f"/members/{alice.pk}/export-link/").status_code == 403
    assert Member.objects.filter(pk=alice.pk).exists()


def test_a_link_tells_first_and_hands_out_on_the_second_click():
    alice = make_member(display_name="<b>Alice</b>")
    address = export.make_link(alice, now=timezone.now())
    page = Client().get(address)
    assert "&lt;b&gt;Alice" in page.content.decode()
    assert (page["X-Robots-Tag"], page["Referrer-Policy"]) == ("noindex, nofollow", "no-referrer")
    assert not Action.objects.exists()
    answer = Client().get(address, {"download": "1"})
    assert answer["Content-Type"] == "application/zip"
    assert b"".join(answer.streaming_content).startswith(b"PK")
    assert Action.objects.get().kind == "member_export"


def test_a_moderator_makes_a_link_that_needs_no_account(admin_client, alice):
    page = admin_client.post(f"/members/{alice.pk}/export-link/")
    (address,) = re.findall(r"http://testserver(/exports/[^<]+/)</code>", page.content.decode())
    assert "no-store" in page["Cache-Control"]
    answer = Client().get(address, {"download": "1"})
    assert b"".join(answer.streaming_content).startswith(b"PK")
    assert admin_client.get(f"/members/{alice.pk}/export-link/").status_code == 405


def test_who_reads_the_log_gets_no_link(caplog):
    caplog.set_level("INFO", logger="memoryhub.request")
    address = export.make_link(make_member(), now=timezone.now())
    Client().get(address)
    assert [record.getMessage() for record in caplog.records] == ["GET /exports/.../ 200"]


def test_a_link_that_ended_says_so():
    page = Client().get(export.make_link(make_member(), now=timezone.now() - days(2)))
    assert page.status_code == 410
    assert "older than 24 hours" in page.content.decode()


def test_anybody_may_look_at_a_receipt():
    receipt = erasure.erase_now(make_member(), now=timezone.now(), by="operator:anna")
    page = Client().get("/receipts/", {"receipt": receipt.token})
    assert "This receipt is genuine" in page.content.decode()
    assert "No trace was found" in page.content.decode()
    assert Client().get("/receipts/").status_code == 200


def test_a_forged_receipt_is_refused():
    page = Client().get("/receipts/", {"receipt": "<script>"})
    assert page.status_code == 422
    assert "was not signed here" in page.content.decode()
    assert "<script>" not in page.content.decode()
