"""The public pages: an export by its link, and a receipt that is looked at."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from memory import erasure
from memory.erasure import export
from memory.models import Action
from tests.factories import days, make_member

pytestmark = pytest.mark.django_db


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


def test_a_link_that_ended_says_so():
    page = Client().get(export.make_link(make_member(), now=timezone.now() - days(2)))
    assert page.status_code == 410
    assert "older than 24 hours" in page.content.decode()


def test_anybody_may_look_at_a_receipt():
    receipt = erasure.erase_member(make_member(), now=timezone.now(), by="operator:anna")
    page = Client().get("/receipts/", {"receipt": receipt.token})
    assert "This receipt is genuine" in page.content.decode()
    assert "No trace was found" in page.content.decode()
    assert Client().get("/receipts/").status_code == 200


def test_a_forged_receipt_is_refused():
    page = Client().get("/receipts/", {"receipt": "<script>"})
    assert page.status_code == 422
    assert "was not signed here" in page.content.decode()
    assert "<script>" not in page.content.decode()
