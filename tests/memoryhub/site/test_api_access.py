"""A key of one guild meets every route of another: it learns nothing, not even that there is one."""

import pytest
from django.utils import timezone

from memory.models import Action, Erasure, Fact, JobRun, ModelCall, Webhook
from memoryhub.site.api import api
from notes.models import InteractionNote, Message
from tests.api_client import BODIES as EXAMPLES
from tests.api_client import a_message, api_for
from tests.factories import (
    NOON,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_summary,
)  # fmt: skip

pytestmark = pytest.mark.django_db

NORTH, SOUTH = "discord:1", "discord:2"
SECRET = "heliotrope"
BODIES = EXAMPLES | {"receive_message": a_message(text=SECRET), "build_context": {"text": SECRET}}
QUERIES = {"search_memory": {"q": SECRET}, "search_facts": {"q": SECRET, "guildId": NORTH}}
KEPT = {"show_memory", "refresh_memory"}


def routes() -> list[tuple[str, str, str]]:
    """Return (operation, method, path) of every route that knows of guilds."""
    paths = api.get_openapi_schema()["paths"]
    return [(op["operationId"], method.upper(), path) for path, ops in paths.items() for method, op in ops.items()]


GUILD_ROUTES = [route for route in routes() if "{key}" in route[2]]


@pytest.fixture
def north() -> dict[str, str]:
    """Return the ids of a guild in which every table has a row that tells its secret."""
    guild = make_guild(NORTH, name=SECRET)
    channel, charlie = make_channel(guild, SECRET), make_member(guild, SECRET)
    message = make_message(SECRET, channel=channel, author=charlie, sent_at=NOON)
    note = make_note(SECRET, messages=[message], summary=SECRET)
    fact = make_fact(SECRET, subject=charlie, evidence=[message])
    entry = make_entry(SECRET, member=charlie, notes=[note])
    make_summary(channel, SECRET)
    JobRun.objects.create(guild=guild, day=NOON.date(), phase="papers", last_error=SECRET)
    ModelCall.objects.create(guild=guild, purpose=SECRET, model=SECRET, outcome="ok")
    Action.objects.create(guild=guild, kind=SECRET)
    erasure = Erasure.objects.create(kind="member", digest=SECRET, actor=SECRET, guild_id=guild.pk)
    hook = Webhook.objects.create(guild=guild, url=f"https://{SECRET}.example", kinds=["note.written"], reached=0)
    return {
        "key": NORTH, "other_id": charlie.platform_id, "entry_id": str(entry.pk),
        "member_id": charlie.platform_id, "channel_id": channel.platform_id, "day": str(NOON.date()),
        "message_id": message.platform_id, "note_id": str(note.pk), "fact_id": str(fact.pk),
        "erasure_id": str(erasure.pk), "webhook_id": str(hook.pk),
    }  # fmt: skip


@pytest.fixture
def charlie():
    """Return a caller whose key is for the southern guild only."""
    return api_for(make_guild(SOUTH, name="South"), "admin")


def call(caller, operation, method, path, ids):
    address = path.format(**ids)
    return caller.call(method, address, BODIES.get(operation), **QUERIES.get(operation, {}))


@pytest.mark.parametrize(("operation", "method", "path"), GUILD_ROUTES)
def test_another_guild_is_not_there(north, charlie, operation, method, path):
    answer = call(charlie, operation, method, path, north)
    nowhere = call(charlie, operation, method, path, {**north, "key": "discord:404"})
    assert (answer.status_code, answer.content) == (nowhere.status_code, nowhere.content)
    assert answer.status_code == 404


@pytest.mark.parametrize(("operation", "method", "path"), GUILD_ROUTES)
def test_ids_of_another_guild_lead_nowhere_in_ones_own(north, charlie, operation, method, path):
    answer = call(charlie, operation, method, path, {**north, "key": SOUTH})
    if answer.streaming:  # the stream of events, which knows no ids: see tests/memory/events
        return
    assert SECRET not in answer.content.decode().replace(north["member_id"], "").replace(north["channel_id"], "")
    if {"{message_id}", "{note_id}", "{fact_id}", "{channel_id}", "{erasure_id}", "{webhook_id}"} & set(
        path.split("/")
    ):
        assert answer.status_code == 404


@pytest.mark.parametrize(("operation", "method", "path"), GUILD_ROUTES)
def test_nothing_changes_in_another_guild(north, charlie, operation, method, path):
    for key in (NORTH, SOUTH):
        call(charlie, operation, method, path, {**north, "key": key})
    assert Fact.objects.get(guild__key=NORTH, text=SECRET, pinned=False, status="active")
    assert Message.objects.get(guild__key=NORTH, text=SECRET)
    assert InteractionNote.objects.filter(guild__key=NORTH, title=SECRET).exists()
    assert not Action.objects.filter(guild__key=NORTH, at__gt=timezone.now()).exists()


@pytest.mark.parametrize("operation", sorted(KEPT | {"search_facts"}))
def test_the_kept_routes_hold_to_the_guild_of_the_key(north, charlie, operation):
    method, path = next((method, path) for name, method, path in routes() if name == operation)
    answer = charlie.call(method, path, q=SECRET, guildId=NORTH)
    assert answer.status_code == 404
    assert SECRET not in answer.content.decode()


def test_the_list_of_memories_holds_to_the_guild_of_the_key(north, charlie):
    make_fact("Plays the lute", subject=make_member(make_guild(SOUTH)))
    memories = charlie.get("/admin/api/memories").json()["memories"]
    assert [memory["text"] for memory in memories] == ["Plays the lute"]


def test_a_memory_of_another_guild_cannot_be_deleted(north, charlie):
    assert charlie.delete(f"/admin/api/memories/{north['fact_id']}").status_code == 404
    assert Fact.objects.filter(pk=north["fact_id"]).exists()


@pytest.mark.parametrize(("operation", "method", "path"), [route for route in routes() if route[0] != "show_health"])
def test_nobody_comes_in_without_a_key(north, operation, method, path):
    from tests.api_client import Api

    answer = call(Api(None), operation, method, path, north)
    assert answer.status_code == 401
    assert SECRET not in answer.content.decode()
