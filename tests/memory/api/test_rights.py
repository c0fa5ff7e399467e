"""The routes of rights: a zip, an erasure with a receipt, and whether a receipt is genuine."""

from __future__ import annotations

import io
import zipfile
from unittest.mock import patch

import pytest
from django_q.models import OrmQ

from memory import erasure, tasks
from memory.models import Action
from memoryhub.community.models import Member
from memoryhub.models import AuditEntry
from tests.api_client import api_for
from tests.factories import NOON, make_fact, make_guild, make_member, make_message

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


@pytest.mark.django_db(transaction=True)  # inside of one no page is cleared of what other tests left
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


@pytest.mark.django_db(transaction=True)
def test_an_erasure_that_takes_long_goes_on_in_the_background_and_says_where_its_receipt_will_be():
    alice = make_member()
    make_message("I own a boat.", author=alice)
    api = api_for(make_guild(), "write")
    with patch.dict(erasure.request_erasure.__kwdefaults__, seconds=-1.0):
        answer = api.delete(ALICE)
    running = answer.json()
    assert (answer.status_code, answer["Location"]) == (202, f"/api/v1/guilds/discord:1/erasures/{running['id']}")
    assert (running["status"], running["steps_done"], running["receipt"]) == ("running", 0, None)
    [task] = OrmQ.objects.all()
    assert (task.func(), task.task["args"]) == ("memory.tasks.erase", (running["id"],))
    tasks.erase(running["id"])
    finished = api.get(answer["Location"]).json()
    assert (finished["status"], finished["steps_done"]) == ("finished", finished["steps"])
    assert finished["receipt"]["clean"] is True
    assert api.delete(ALICE).json() == finished["receipt"]


@pytest.mark.django_db(transaction=True)
def test_an_erasure_of_another_guild_is_not_there():
    job = erasure.begin(make_member(make_guild("discord:2"), "Charlie"), now=NOON, by="operator:anna")
    for number in (job.pk, "x", "1", "%00"):
        assert api_for(make_guild(), "read").get(f"discord:1/erasures/{number}").status_code == 404
    assert api_for(make_guild("discord:2"), "read").get(f"discord:2/erasures/{job.pk}").json()["status"] == "running"


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
