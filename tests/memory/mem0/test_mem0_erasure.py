"""What clients handed over goes with whom it is about, is exported to them, and ends with the message it came with."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from unittest.mock import patch

import pytest
from django.utils import timezone
from django_q.models import OrmQ

from memory import erasure, pipeline, tasks
from memory.curation import corrections
from memory.models import ClientData, Fact
from memoryhub.community.models import Member
from notes.models import Message
from tests.api_client import Api, api_for
from tests.factories import make_guild

pytestmark = pytest.mark.django_db(transaction=True)
TALK = "I live in Toronto and I work at the museum these days."
METADATA = {"where": "beside the lighthouse of Quexington"}


@pytest.fixture
def api() -> Api:
    """Return a caller in a guild that remembers what Alice said and what was told of her, and of Bob."""
    api = api_for(make_guild())
    for user, infer in (("alice-7731", True), ("alice-7731", False), ("bob-9942", False)):
        body = {"messages": TALK, "user_id": user, "infer": infer, "metadata": METADATA, "run_id": "run-551"}
        assert api.post("/mem0/v3/memories/add/", body | {"app_id": "app-1"}).status_code == 200
    return api


def test_an_erased_user_leaves_nothing_and_the_others_stay(api):
    assert ClientData.objects.count() == 3
    answer = api.delete("/mem0/v2/entities/user/alice-7731/")
    assert answer.json()["message"] == "Entity deleted successfully!"
    assert not Member.objects.filter(platform_id="alice-7731").exists()
    assert [row.fact.subject.platform_id for row in ClientData.objects.all()] == ["bob-9942"]
    assert api.delete("/mem0/v2/entities/user/nobody/").status_code == 404


def test_an_erased_run_takes_what_was_said_in_it(api):
    assert api.delete("/mem0/v1/entities/run/run-551/").status_code == 200
    assert ClientData.objects.count() == Fact.objects.count() == Message.objects.count() == 0


def test_an_erased_app_takes_the_memories_that_came_by_it(api):
    assert api.delete("/mem0/v2/entities/app/app-1/").status_code == 200
    assert ClientData.objects.count() == Fact.objects.count() == 0


@pytest.mark.parametrize("address", ["v2/entities/user/alice-7731/", "v2/entities/run/run-551/"])
def test_an_erasure_that_takes_long_goes_on_in_the_background(api, address):
    with patch.dict(erasure.request_erasure.__kwdefaults__, seconds=-1.0):
        answer = api.delete(f"/mem0/{address}").json()
    assert answer["message"] == "It is being erased in the background."
    assert Message.objects.filter(author__platform_id="alice-7731").exists()
    [task] = OrmQ.objects.all()
    assert (task.func(), task.task["args"]) == ("memory.tasks.erase", (answer["event_id"],))
    tasks.erase(answer["event_id"])
    assert not Message.objects.filter(author__platform_id="alice-7731").exists()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("v2/entities/app/app-1/", "It is being erased in the background."),
        ("v1/memories/?app_id=app-1", "1 memories deleted successfully! 1 more are being deleted in the background."),
    ],
)
def test_many_memories_are_forgotten_for_a_moment_and_the_rest_in_the_background(api, address, said, monkeypatch):
    monkeypatch.setattr(corrections, "PIECE", 1)
    with patch.dict(corrections.forget_all.__kwdefaults__, seconds=-1.0):
        answer = api.delete(f"/mem0/{address}").json()
    assert answer["message"] == said
    [task] = OrmQ.objects.all()
    assert task.func() == "memory.tasks.forget_facts"
    assert list(Fact.objects.values_list("pk", flat=True)) == task.task["args"][1]
    tasks.forget_facts(*task.task["args"])
    assert not Fact.objects.exists()
    tasks.forget_facts(*task.task["args"])


def test_no_other_kind_of_entity_is_erased(api):
    assert api.delete("/mem0/v2/entities/guild/discord:1/").status_code == 422


def test_a_member_is_handed_what_came_with_their_words(api):
    answer = api.get("discord:1/members/alice-7731/export")
    content = b"".join(answer.streaming_content)
    with zipfile.ZipFile(BytesIO(content)) as archive:
        rows = json.loads(archive.read("client_data.json"))
    assert [row["metadata"] for row in rows] == [METADATA, METADATA]


def test_a_deleted_message_takes_what_came_with_it(api):
    message = Message.objects.get(author__platform_id="alice-7731")
    pipeline.delete(make_guild(), message_ids=[message.platform_id], now=timezone.now())
    assert not ClientData.objects.filter(message=message).exists()
