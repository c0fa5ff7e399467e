from datetime import timedelta

import pytest
import time_machine

from memory import pipeline
from memory.models import Fact
from memoryhub.models import KeptAnswer
from tests.api_client import api_for
from tests.factories import NOON, make_guild
from tests.incoming import north, say

pytestmark = pytest.mark.django_db
LORE = {"lore": True, "text": "The cat rules the channel."}


def post(api, body=LORE, key="one", path="discord:1/facts"):
    return api.post(path, body, **{"Idempotency-Key": key})


def test_the_same_request_again_gets_the_same_answer():
    api = api_for(make_guild())
    first, second = post(api), post(api)
    assert (second.status_code, second.json()) == (first.status_code, first.json())
    assert second["Idempotency-Replayed"] == "true"


def test_the_same_request_again_changes_nothing():
    api = api_for(make_guild())
    post(api)
    post(api)
    assert Fact.objects.get().changes.count() == 1


def test_another_request_with_the_same_key_is_a_conflict():
    api = api_for(make_guild())
    post(api)
    assert post(api, {**LORE, "text": "The dog rules the channel."}).status_code == 409
    assert post(api, path="discord:1/snapshot/refresh").status_code == 409


def test_another_key_is_another_request():
    api = api_for(make_guild())
    post(api)
    assert "Idempotency-Replayed" not in post(api, key="two")


def test_two_callers_may_choose_the_same_key():
    post(api_for(make_guild()))
    assert "Idempotency-Replayed" not in post(api_for(make_guild()))


def test_a_refusal_is_not_kept():
    api = api_for(make_guild())
    assert post(api, {**LORE, "lore": False}).status_code == 422
    assert post(api).status_code == 201


def test_a_request_that_is_still_running_is_a_conflict():
    api = api_for(make_guild())
    post(api)
    KeptAnswer.objects.update(status=0)
    assert post(api).status_code == 409


def test_a_request_whose_process_died_can_be_sent_again():
    api = api_for(make_guild())
    with time_machine.travel(NOON, tick=False):
        post(api)
    KeptAnswer.objects.update(status=0)
    with time_machine.travel(NOON + timedelta(minutes=11), tick=False):
        assert post(api).status_code == 201


def test_an_answer_is_kept_for_a_day():
    api = api_for(make_guild())
    with time_machine.travel(NOON, tick=False):
        post(api)
    with time_machine.travel(NOON + timedelta(hours=23), tick=False):
        assert "Idempotency-Replayed" in post(api)
    with time_machine.travel(NOON + timedelta(hours=25), tick=False):
        assert "Idempotency-Replayed" not in post(api)


def test_a_key_that_is_too_long_is_invalid():
    assert post(api_for(make_guild()), key="x" * 201).status_code == 422


def test_the_header_means_nothing_without_a_good_key():
    assert post(api_for(make_guild(), "read")).status_code == 403
    assert not KeptAnswer.objects.exists()


def test_the_header_means_nothing_for_a_get():
    api = api_for(make_guild())
    assert api.call("GET", "discord:1/facts", headers={"Idempotency-Key": "one"}).status_code == 200
    assert not KeptAnswer.objects.exists()


@pytest.mark.parametrize("path", ["ask", "context"])
def test_the_answer_of_what_only_reads_is_not_kept(path):
    say("I live in Toronto.", id="m-home")
    pipeline.digest(north(), now=NOON + timedelta(hours=1))
    api, asked = api_for(north(), "read"), {"text": "Where does Alice live?"}
    first = post(api, asked, path=f"discord:1/{path}").json()
    assert "Toronto" in str(first)
    assert post(api, asked, path=f"discord:1/{path}").json() == first
    pipeline.delete(north(), message_ids=["m-home"], now=NOON + timedelta(hours=2))
    assert "Toronto" not in post(api, asked, path=f"discord:1/{path}").content.decode()
    assert not KeptAnswer.objects.get().body
    assert post(api, {"text": "Who is Alice?"}, path=f"discord:1/{path}").status_code == 409
