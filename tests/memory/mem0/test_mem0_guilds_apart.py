"""By no route of mem0's a key of one guild sees, changes or erases anything of another."""

from __future__ import annotations

from uuid import uuid4

import pytest

from memory.models import ClientData, Fact
from memoryhub.community.models import Guild, Member
from memoryhub.site.mem0_api import mem0_api
from tests.api_client import Api, api_for
from tests.factories import make_channel, make_fact, make_guild, make_member, make_message, make_profile

pytestmark = pytest.mark.django_db
SECRET = "marzipan"
NAMES = {"user_id": "alice", "agent_id": "robot", "run_id": "r1", "app_id": "app"}


def south() -> Guild:
    """Return a guild with the same names in it, and a secret in all of its texts."""
    guild = make_guild("discord:2", name=SECRET)
    alice = make_member(guild, "Alice", platform_id="alice", display_name=SECRET)
    make_member(guild, "Robot", platform_id="robot", is_bot=True, display_name=SECRET)
    run = make_channel(guild, "r1", platform_id="r1", kind="direct")
    message = make_message(f"I love {SECRET}.", author=alice, channel=run)
    fact = make_fact(f"Loves {SECRET}.", subject=alice, evidence=[message])
    make_profile(alice, summary=SECRET)
    data = {"metadata": {"what": SECRET}, "app_id": "app", "agent_id": "robot", "categories": [SECRET]}
    ClientData.objects.create(guild=guild, fact=fact, event=uuid4(), **data)
    return guild


def everything(guild: Guild) -> list[object]:
    rows = (Fact, ClientData, Member)
    return [list(model.objects.filter(guild=guild).order_by("pk").values()) for model in rows]


def calls(fact: Fact, event: str, export: str) -> list[tuple[str, str, object]]:
    """Return each route and method with what a thief would send to it."""
    body = {
        "query": SECRET, "messages": f"I ask about {SECRET}.", "filters": {"OR": [{n: v} for n, v in NAMES.items()]},
        "memory_id": str(fact.pk), "memories": [{"memory_id": str(fact.pk), "text": "Stolen words here."}],
        "memory_export_id": export, "text": "Stolen words here.", "schema": "{}",
    }  # fmt: skip
    ids = {"fact_id": str(fact.pk), "event_id": event, "member_id": "alice", "org_id": "memoryhub",
           "project_id": str(fact.guild_id), "rest": "x"}  # fmt: skip
    found = []
    for _, router in mem0_api._routers:
        for path, view in router.path_operations.items():
            for kind in ("user", "agent", "run", "app") if "{kind}" in path else ("",):
                who = {"user": "alice", "agent": "robot", "run": "r1", "app": "app"}.get(kind, "alice")
                address = path.replace("{path:", "{").format(**{**ids, "kind": kind, "member_id": who})
                methods = {method for operation in view.operations for method in operation.methods}
                found += [(method, f"/mem0{address}", body) for method in sorted(methods)]
    return found


def test_no_route_shows_or_changes_anything_of_another_guild():
    theirs = south()
    fact, event = Fact.objects.get(guild=theirs), str(ClientData.objects.get(guild=theirs).event)
    owner = api_for(theirs)
    export = owner.post("/mem0/v1/exports/", {"schema": "{}", "filters": {"user_id": "alice"}}).json()["id"]
    assert SECRET in owner.post("/mem0/v1/exports/get/", {"memory_export_id": export}).content.decode()
    before = everything(theirs)
    thief = api_for(make_guild("discord:1"), scope="admin")
    tried = calls(fact, event, export)
    assert len(tried) > 60
    seen = {}
    for method, path, body in tried:
        for one in (body, {key: value for key, value in body.items() if key in ("query", "filters")}):
            query = "" if method != "GET" and "v1/memories/" not in path else "?user_id=alice"
            answer = thief.call(method, path + query, one)
            assert answer.status_code < 500 or answer.status_code == 501, (method, path, answer.content)
            text = answer.content.decode().replace(f"I ask about {SECRET}", "")
            if SECRET in text:
                seen[method, path] = text
    assert seen == {}
    assert everything(theirs) == before


def test_every_route_of_mem0s_asks_for_a_key():
    south()
    tried = calls(Fact.objects.get(), str(uuid4()), "x")
    answers = {(method, path): Api(None).call(method, path, body).status_code for method, path, body in tried}
    assert {route: status for route, status in answers.items() if status != 401} == {}
