import re
from datetime import date
from pathlib import Path
from typing import get_args

import pytest
import time_machine
from django_q.models import OrmQ

from memory.api.schemas.jobs import Purpose
from memory.models import Action, JobRun, ModelCall
from tests.api_client import api_for
from tests.factories import NOON, make_channel, make_fact, make_guild, make_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def api():
    return api_for(make_guild(), "admin")


def test_a_consolidation_is_queued_for_the_worker(api):
    answer = api.post("discord:1/consolidate", {"day": "2026-02-23"})
    task = OrmQ.objects.get().task
    assert (answer.status_code, answer.json()) == (202, {"job": task["id"], "day": "2026-02-23"})
    assert (task["func"], task["args"]) == ("memory.tasks.consolidate", (make_guild().pk, "2026-02-23"))


def test_what_is_queued_can_be_run(api):
    from memory.tasks import consolidate

    api.post("discord:1/consolidate", {"day": "2026-02-23"})
    consolidate(*OrmQ.objects.get().task["args"])
    assert {run["day"] for run in api.get("discord:1/jobs").json()["items"]} == {"2026-02-23"}


def test_a_day_that_is_too_early_is_refused_in_words(api):
    answer = api.post("discord:1/consolidate", {"day": "1969-12-31"})
    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"field": "day", "message": "Must not lie before 1970."}]


@pytest.mark.parametrize(("zone", "day"), [("UTC", "2026-03-01"), ("Pacific/Kiritimati", "2026-03-02")])
def test_the_last_day_that_ended_in_the_guild_is_consolidated_if_none_is_named(zone, day):
    api = api_for(make_guild(time_zone=zone), "admin")
    with time_machine.travel(NOON, tick=False):
        assert api.post("discord:1/consolidate").json()["day"] == day


def test_jobs_are_listed_the_newest_first(api):
    for phase in ("cluster", "papers"):
        JobRun.objects.create(guild=make_guild(), day=date(2026, 2, 23), phase=phase, counts={"notes": 3})
    jobs = api.get("discord:1/jobs").json()["items"]
    assert [(job["phase"], job["status"], job["counts"]) for job in jobs] == [
        ("papers", "running", {"notes": 3}),
        ("cluster", "running", {"notes": 3}),
    ]


@time_machine.travel(NOON, tick=False)
def test_the_numbers_of_a_guild_are_counted(api):
    make_message(channel=make_channel(), sent_at=NOON)
    make_fact()
    ModelCall.objects.create(
        guild=make_guild(),
        purpose="extract",
        model="m",
        tokens_in=7,
        tokens_out=3,
        cost_usd="0.25",
        outcome="ok",
        at=NOON,
    )
    stats = api.get("discord:1/stats").json()
    assert stats["counts"] == {"channels": 1, "members": 1, "messages": 1, "facts": 1, "notes": 0}
    assert stats["days"][-1] == {"day": "2026-03-02", "messages": 1, "facts": 1, "notes": 0}
    assert stats["model_calls"] == [
        {"day": "2026-03-02", "purpose": "extract", "calls": 1, "tokens_in": 7, "tokens_out": 3, "cost_usd": 0.25}
    ]


def test_the_numbers_say_what_waits(api):
    assert api.get("discord:1/stats").json()["queue"] == {
        "open_buffers": 0, "waiting_buffers": 0, "oldest_waiting": None, "unread_messages": 0, "parked_buffers": 0,
        "parked_messages": 0, "tasks": 0,
    }  # fmt: skip


def test_model_calls_are_narrowed_by_purpose(api):
    for purpose in ("extraction", "note"):
        ModelCall.objects.create(guild=make_guild(), purpose=purpose, model="m", cost_usd="0.1", outcome="ok")
    calls = api.get("discord:1/model-calls", purpose="note").json()["items"]
    assert [(call["purpose"], call["cost_usd"]) for call in calls] == [("note", 0.1)]


@pytest.mark.parametrize("path", ["model-calls?purpose=zz", "actions?kind=zz"])
def test_a_purpose_or_kind_that_there_is_not_is_refused(api, path):
    answer = api.get(f"discord:1/{path}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["message"].startswith("Must be one of: ")


def test_calls_can_be_narrowed_to_every_purpose():
    files = [path for folder in ("memory", "memoryhub", "notes", "profiles") for path in Path(folder).rglob("*.py")]
    named = {name for path in files for name in re.findall(r"\b(?:purpose=|PURPOSE = )\"(\w+)\"", path.read_text())}
    assert named == set(get_args(Purpose))


def test_actions_are_narrowed_by_kind(api):
    for kind in ("memory_edit", "memory_forget"):
        Action.objects.create(guild=make_guild(), kind=kind, detail={"fact": 7})
    actions = api.get("discord:1/actions", kind="memory_edit").json()["items"]
    assert [(action["kind"], action["detail"]) for action in actions] == [("memory_edit", {"fact": 7})]
