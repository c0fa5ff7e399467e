"""The routes of rights: a zip, an erasure with a receipt, and whether a receipt is genuine."""

from __future__ import annotations

import io
import zipfile

import pytest

from memory.models import Action
from memoryhub.community.models import Member
from memoryhub.models import AuditEntry
from tests.api_client import api_for
from tests.factories import make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db
ALICE = "discord:1/members/u-alice"


def test_an_export_is_a_zip_and_is_logged():
    alice = make_member()
    make_message("I own a boat.", author=alice)
    answer = api_for(make_guild(), "read").get(f"{ALICE}/export")
    assert answer["Content-Type"] == "application/zip"
    assert 'filename="memory-u-alice-' in answer["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        assert b"I own a boat." in archive.read("messages.json")
    assert Action.objects.get().detail == {"member": alice.pk}


def test_an_erasure_answers_with_a_receipt_and_asked_again_with_the_same():
    alice = make_member()
    make_fact(subject=alice, evidence=[make_message(author=alice)])
    api = api_for(make_guild(), "write")
    receipt = api.delete(ALICE).json()
    assert receipt["clean"] is True
    assert (receipt["kind"], receipt["counts"]["messages"], receipt["counts"]["facts"]) == ("member", 1, 1)
    assert not Member.objects.exists()
    assert api.delete(ALICE).json() == receipt
    assert api.get("/api/v1/receipts", receipt=receipt["receipt"]).json() == receipt


def test_the_audit_log_does_not_name_who_was_erased():
    make_member()
    api_for(make_guild(), "write").delete(ALICE)
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.row, entry.member_id) == ("changed", "", None)


def test_what_a_read_key_may_not_erase_and_what_is_not_there():
    make_member()
    make_member(make_guild("discord:2"), "Charlie")
    assert api_for(make_guild(), "read").delete(ALICE).status_code == 403
    api = api_for(make_guild(), "admin")
    for path in ("discord:1/members/u-nobody", "discord:2/members/u-charlie", "discord:1/members/u-charlie"):
        assert api.delete(path).status_code == 404
        assert api.get(f"{path}/export").status_code == 404
    assert Member.objects.count() == 2


def test_a_receipt_that_was_changed_is_refused_in_words():
    answer = api_for(make_guild(), "read").get("/api/v1/receipts", receipt="forged")
    assert answer.status_code == 422
    assert "was not signed here" in answer.json()["detail"]
