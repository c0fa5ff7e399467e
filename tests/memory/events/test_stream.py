"""The stream of events, by a real client over a running hub."""

from __future__ import annotations

import http.client
import json
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field

import pytest
from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError, connection, transaction

from memory import erasure
from memory.events import stream
from memoryhub.community import outbox
from memoryhub.community.models import Event
from tests.api_client import api_for
from tests.factories import NOON, make_guild, make_member
from tests.verification.hub import PATIENCE, Hub, a_hub, until

pytestmark = [pytest.mark.xdist_group("events"), pytest.mark.timeout(900)]  # they share one running hub
GUILD = "/api/v1/guilds/discord:1"


def tell(hub: Hub, guild: str, text: str) -> str:
    """Have lore remembered; return the id of the fact."""
    answer = hub.call("POST", f"/api/v1/guilds/{guild}/facts", {"lore": True, "text": text})
    assert answer.status == 201, answer.text
    return answer.json["id"]


@pytest.fixture(scope="module")
def hub(tmp_path_factory) -> Iterator[Hub]:
    with a_hub(tmp_path_factory.mktemp("events")) as hub:
        hub.serve()
        for guild in ("discord:1", "discord:2"):
            message = {
                "message_id": "m", "channel": {"id": "c"}, "author": {"id": "u"}, "text": "The boat leaves at nine.",
                "sent_at": "2026-03-02T12:00:00Z",
            }  # fmt: skip
            assert hub.call("POST", f"/api/v1/guilds/{guild}/messages", message).status == 201
        yield hub


@dataclass
class Listener:
    """A client of server-sent events: what came so far, and whether the stream has ended properly."""

    response: http.client.HTTPResponse
    events: list[dict] = field(default_factory=list)
    ended: bool = False

    def listen(self) -> None:
        event: dict = {}
        try:
            for line in self.response:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    event[name] = value
                elif "data" in event:
                    self.events.append({"id": event.get("id"), **json.loads(event["data"])})
                    event = {}
            self.ended = True
        except (OSError, http.client.HTTPException, ValueError):
            pass

    def facts(self) -> list[str]:
        return [event["data"]["fact"] for event in list(self.events)]


@contextmanager
def listening(hub: Hub, guild: str = "discord:1", *, last: str = "", key: str = "") -> Iterator[Listener]:
    """Follow a guild's events in a thread until the block ends."""
    with closing(http.client.HTTPConnection("127.0.0.1", hub.port, timeout=PATIENCE)) as connection:
        headers = {"Authorization": f"Bearer {key or hub.key}"} | ({"Last-Event-ID": last} if last else {})
        connection.request("GET", f"/api/v1/guilds/{guild}/events", headers=headers)
        response = connection.getresponse()
        assert (response.status, response.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
        listener = Listener(response)
        thread = threading.Thread(target=listener.listen, daemon=True)
        thread.start()
        try:
            yield listener
        finally:
            connection.sock and connection.sock.shutdown(2)
            thread.join(PATIENCE)


def test_what_changes_is_told_to_those_who_listen_in_its_guild_alone(hub):
    with listening(hub) as north, listening(hub, "discord:2") as south:
        first, other = tell(hub, "discord:1", "The cat rules the channel."), tell(hub, "discord:2", "Rain on Sundays.")
        until(lambda: north.events and south.events, "both were told")
        assert (north.facts(), south.facts()) == ([first], [other])
        assert north.events[0]["type"] == "memory.learned"
        assert north.events[0]["data"] == {
            "guild": "discord:1", "fact": first, "member": None, "member_number": None,
        }  # fmt: skip
        assert "cat" not in str(north.events)


def test_a_client_that_comes_back_has_missed_nothing_and_hears_nothing_twice(hub):
    with listening(hub) as before:
        first = tell(hub, "discord:1", "The harbour freezes in January.")
        until(lambda: before.events, "it was told")
    missed = tell(hub, "discord:1", "The ferry runs on Mondays.")
    with listening(hub, last=before.events[-1]["id"]) as after:
        until(lambda: after.events, "what was missed was told")
        last = tell(hub, "discord:1", "The bakery opens at five.")
        until(lambda: len(after.events) > 1, "what is new was told")
        assert after.facts() == [missed, last]
        assert first not in after.facts()


def test_a_last_event_that_nobody_knows_is_told_as_a_gap(hub):
    with listening(hub, last="999999999") as listener:
        until(lambda: listener.events, "the gap was told")
        assert listener.events[0] == {"id": None, "type": "gap", "data": {"guild": "discord:1"}}


def test_many_streams_keep_nobody_waiting(hub):
    with ExitStack() as open_streams:
        listeners = [open_streams.enter_context(listening(hub)) for _ in range(40)]  # five times the threads
        assert hub.call("GET", f"{GUILD}/search?q=boat").status == 200
        fact = tell(hub, "discord:1", "Forty boats lie in the harbour.")
        until(lambda: all(listener.events for listener in listeners), "all were told")
        assert {tuple(listener.facts()) for listener in listeners} == {(fact,)}


def test_head_is_answered_without_a_stream(hub):
    answer = hub.call("HEAD", f"{GUILD}/events")
    assert (answer.status, answer.text) == (200, "")


@pytest.mark.parametrize("last", ["first", "-1", "1.5", "9" * 30])
def test_an_id_that_is_none_is_refused(hub, last):
    with closing(http.client.HTTPConnection("127.0.0.1", hub.port, timeout=PATIENCE)) as connection:
        connection.request(
            "GET", f"{GUILD}/events", headers={"Authorization": f"Bearer {hub.key}", "Last-Event-ID": last}
        )
        assert connection.getresponse().status == 422


def test_a_key_of_another_guild_follows_nothing(hub):
    made = hub.manage("create_api_key", "south", "--guild", "discord:2", "--scope", "admin")
    answer = Hub(hub.folder, made.stdout.split()[-1], port=hub.port).call("GET", f"{GUILD}/events")
    assert answer.status == 404
    assert Hub(hub.folder, "", port=hub.port).call("GET", f"{GUILD}/events").status == 401


def test_a_stop_ends_the_streams_and_waits_for_none(tmp_path):
    with a_hub(tmp_path) as hub:
        server = hub.serve()
        hub.call(
            "POST", f"{GUILD}/messages",
            {"message_id": "m", "channel": {"id": "c"}, "author": {"id": "u"}, "text": "Ahoy, all of you.",
             "sent_at": "2026-03-02T12:00:00Z"},
        )  # fmt: skip
        with listening(hub) as one, listening(hub) as other:
            server.send_signal(signal.SIGTERM)
            assert server.wait(PATIENCE) == 0
            until(lambda: one.ended and other.ended, "both streams ended as they should")
        assert "Forcing close" not in hub.log
        assert "Traceback" not in hub.log


# --- Without a hub ------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_stream_begins_now_or_where_the_client_was():
    guild = make_guild()
    assert stream.begin(guild, None) == (0, False)
    for _ in range(3):
        outbox.announce(guild.pk, Event.Kind.REVIEW, now=NOON)
    first, *_, newest = Event.objects.values_list("pk", flat=True)
    assert stream.begin(guild, None) == (newest, False)
    assert stream.begin(guild, 0) == (0, False)
    assert stream.begin(guild, first) == (first, False)
    Event.objects.filter(pk=first).delete()
    assert stream.begin(guild, first) == (first, True)
    assert stream.begin(guild, newest + 1000) == (newest, True)


@pytest.mark.django_db
def test_more_streams_than_a_process_has_room_for_are_refused(monkeypatch):
    monkeypatch.setattr(stream, "MOST", 0)
    answer = api_for(make_guild()).get("discord:1/events")
    assert answer.status_code == 503
    assert "Come back" in answer.json()["detail"]


@pytest.mark.django_db(transaction=True)  # a look closes what is no longer usable
@pytest.mark.parametrize("kind", [InterfaceError, OperationalError])
def test_a_database_that_is_away_ends_no_look_at_the_events(kind):
    guild = make_guild()

    def away(*_):
        raise kind("connection already closed")

    with connection.execute_wrapper(away):
        assert stream._look({guild.pk: 0}, {guild.pk: guild.key}) == []
    with transaction.atomic():
        outbox.announce(guild.pk, Event.Kind.REVIEW, now=NOON)
    assert len(stream._look({guild.pk: 0}, {guild.pk: guild.key})) == 1


@pytest.fixture
def named():
    """A member whom two events name."""
    member = make_member(make_guild())
    with transaction.atomic():
        for _ in range(2):
            outbox.announce(member.guild_id, Event.Kind.REVIEW, now=NOON, member=member.pk)
    return member


@pytest.mark.django_db(transaction=True)
async def test_a_slow_reader_is_told_no_name_of_who_was_erased_meanwhile(named, monkeypatch):
    events = stream.follow(named.guild, after=0, gap=False)
    await anext(events)
    first = await anext(events)
    assert b'"u-alice"' in first
    await sync_to_async(erasure.request_erasure)(named.guild, member="u-alice", now=NOON, by="test")
    monkeypatch.setattr(stream, "FRESH", 0)
    second = await anext(events)
    await events.aclose()
    assert b"review.waiting" in second
    assert b"u-alice" not in second
    assert str(named.pk).encode() in second


@pytest.mark.django_db(transaction=True)
async def test_a_slow_readers_stream_ends_where_nobody_knows_who_is_erased(named, monkeypatch):
    def away(_):
        raise OperationalError

    events = stream.follow(named.guild, after=0, gap=False)
    await anext(events)
    await anext(events)
    monkeypatch.setattr(stream, "FRESH", 0)
    monkeypatch.setattr(outbox, "again", away)
    assert [event async for event in events] == []


async def test_a_client_that_reads_too_slowly_is_let_go():
    follower = stream.Follower(type("Place", (), {"pk": 1, "key": "discord:1"})(), 0)  # type: ignore[arg-type]
    for number in range(stream.BEHIND + 1):
        follower.hand(outbox.OutgoingEvent(number, 1, {}))
    told = [follower.waiting.get_nowait() for _ in range(stream.BEHIND + 1)]
    assert told[-1] is None
    assert None not in told[:-1]
