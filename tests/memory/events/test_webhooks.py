"""Webhooks: what a real receiver on loopback is sent, and what becomes of what it does not take."""

from __future__ import annotations

import json

import pytest
from django_q.models import OrmQ

from memory import erasure, pipeline, tasks
from memory.curation import corrections
from memory.events import posting, webhooks
from memory.models import Webhook
from memoryhub.community import due_work, outbox
from tests.factories import NOON, days, make_guild, make_member, minutes
from tests.memory.events.receiver import receiving

pytestmark = pytest.mark.django_db


def hooked(receiver, guild=None, kinds=webhooks.KINDS) -> Webhook:
    return webhooks.register(guild or make_guild(), url=receiver.url, kinds=kinds, actor="test", now=NOON)


def learn(text="Plays the cello.", guild=None) -> str:
    """Have a fact about Alice remembered; return its id."""
    member = make_member(guild or make_guild())
    fact = corrections.remember(member.guild, subject=member, text=text, kind="other", actor="test", now=NOON)
    return str(fact.pk)


def send(guild=None, now=NOON, **options) -> int:
    return webhooks.send_due(guild or make_guild(), now=now, **options)


def test_what_happens_is_sent_in_order_and_signed(receiver):
    learn("Was born in Lima.")  # before anybody listened
    hook = hooked(receiver)
    facts = [learn(), learn("Has two grey cats.")]
    assert send() == 2
    assert receiver.facts() == facts
    events = receiver.events(webhooks.secret(hook))
    assert [each["type"] for each in events] == ["memory.learned", "memory.learned"]
    headers = receiver.posts[0][0]
    assert headers["webhook-id"].startswith("evt_")
    assert headers["content-type"] == "application/json"
    assert "cello" not in str(receiver.posts)


def test_what_was_sent_is_not_sent_again(receiver):
    hook = hooked(receiver)
    learn()
    assert (send(), send()) == (1, 0)
    hook.refresh_from_db()
    assert (hook.attempts, hook.last_error, hook.claimed_until) == (0, "", None)
    assert hook.delivered_at is not None


def test_only_the_kinds_that_were_asked_for_are_sent(receiver):
    hooked(receiver, kinds=["member.erased"])
    learn()
    assert send() == 0
    assert receiver.posts == []
    assert not webhooks.waiting(make_guild()).exists()


def test_a_guild_is_sent_nothing_of_another(receiver):
    south = make_guild("discord:2")
    hooked(receiver, south)
    learn()
    assert (send(), send(south)) == (0, 0)
    mine = learn("Sails to Norway.", south)
    assert send(south) == 1
    assert receiver.facts() == [mine]


def test_what_is_not_taken_is_tried_again_in_order_after_a_pause_that_grows(receiver):
    hook = hooked(receiver)
    facts = [learn(), learn("Has two grey cats.")]
    receiver.answers = [(500, {}), (302, {"Location": "http://127.0.0.1:1/"}), (200, {})]
    assert send(now=NOON) == 0
    hook.refresh_from_db()
    assert (hook.attempts, hook.last_error) == (1, "It answered 500.")
    first = hook.next_attempt_at
    assert send(now=NOON + minutes(0.5)) == 0
    assert len(receiver.posts) == 1
    assert send(now=first + minutes(0.1)) == 0
    hook.refresh_from_db()
    assert hook.last_error == "It answered 302."
    assert hook.next_attempt_at - first > first - NOON
    assert send(now=NOON + minutes(10)) == 2
    assert receiver.facts() == [facts[0], facts[0], *facts]
    ids = [headers["webhook-id"] for headers, _ in receiver.posts]
    assert ids[0] == ids[1] == ids[2] != ids[3]


def test_a_receiver_that_asks_for_a_pause_gets_it(receiver):
    hook = hooked(receiver)
    learn()
    receiver.answers = [(429, {"Retry-After": "7200"})]
    send()
    hook.refresh_from_db()
    assert hook.next_attempt_at >= NOON + minutes(120)


def test_after_many_failures_it_is_parked_and_replayed_with_nothing_lost(receiver):
    hook = hooked(receiver)
    fact = learn()
    receiver.answers = [(503, {})]
    for attempt in range(Webhook.policy.most_attempts):
        send(now=NOON + days(attempt))
    hook.refresh_from_db()
    assert hook.parked_at
    missed, tries = learn("Sails to Norway."), len(receiver.posts)
    assert send(now=NOON + days(60)) == 0
    assert len(receiver.posts) == tries
    receiver.answers = [(200, {})]
    webhooks.replay(hook, actor="test", now=NOON + days(60))
    assert send(now=NOON + days(60)) == 2
    assert receiver.facts()[tries:] == [fact, missed]


def test_an_event_is_skipped_or_sent_again_by_its_id(receiver):
    hook = hooked(receiver)
    first, second = learn(), learn("Has two grey cats.")
    send()
    reached = int(receiver.posts[0][0]["webhook-id"].removeprefix("evt_"))
    webhooks.replay(hook, after=reached, actor="test", now=NOON)
    assert send() == 1
    assert receiver.facts() == [first, second, second]


def test_an_id_that_lies_ahead_skips_nothing_that_is_still_to_come(receiver):
    hook = hooked(receiver)
    learn()
    webhooks.replay(hook, after=10**17, actor="test", now=NOON)
    later = learn("Has two grey cats.")
    assert send() == 1
    assert receiver.facts() == [later]


def test_who_is_erased_while_others_are_sent_is_not_named(receiver, monkeypatch):
    hooked(receiver)
    learn()
    learn("Has two grey cats.")

    def post(*given):
        erasure.request_erasure(make_guild(), member="u-alice", now=NOON, by="test")
        return posted(*given)

    posted = posting.post
    monkeypatch.setattr(posting, "post", post)
    send()
    members = [json.loads(body)["data"].get("member") for _, body in receiver.posts]
    assert members[0] == "u-alice"
    assert set(members[1:]) == {None}


def test_a_page_of_events_is_read_once(receiver, monkeypatch):
    hooked(receiver, kinds=["memory.learned"])
    facts = [learn(), learn("Has two grey cats."), learn("Sails to Norway.")]
    pages = []
    after = outbox.after
    monkeypatch.setattr(outbox, "after", lambda *given, **options: pages.append(1) or after(*given, **options))
    assert send() == 3
    assert receiver.facts() == facts
    assert len(pages) == 2  # and one that is empty


def test_a_webhook_that_is_removed_or_put_off_while_others_are_sent_stops_at_once(receiver, monkeypatch):
    removed, replayed = hooked(receiver), hooked(receiver)
    learn()
    newest = outbox.newest(make_guild())
    learn("Has two grey cats.")

    def post(*given):
        Webhook.objects.filter(pk=removed.pk).delete()
        webhooks.replay(replayed, after=newest, actor="test", now=NOON)
        return posted(*given)

    posted = posting.post
    monkeypatch.setattr(posting, "post", post)
    send()
    assert len(receiver.posts) == 2
    replayed.refresh_from_db()
    assert replayed.reached == newest


def test_a_receiver_that_is_gone_is_left_alone(receiver):
    hook = hooked(receiver)
    learn()
    receiver.answers = [(410, {})]
    send()
    hook.refresh_from_db()
    assert hook.parked_at
    assert "410" in hook.last_error


def test_one_receiver_that_fails_holds_up_no_other(receiver):
    with receiving() as broken:
        broken.answers = [(500, {})]
        hooked(broken)
        hooked(receiver)
        learn()
        assert send() == 1
        assert (len(broken.posts), len(receiver.posts)) == (1, 1)


def test_one_receiver_that_takes_all_the_time_there_is_holds_up_no_other(receiver):
    with receiving() as slow:
        hooked(slow), hooked(receiver)
        facts = [learn(), learn("Has two grey cats."), learn("Was born in Lima.")]
        for minute in range(4):
            send(now=NOON + minutes(minute), keep_going=lambda: False)
        assert (slow.facts(), receiver.facts()) == (facts[:2], facts[:2])


def test_what_nobody_expected_is_a_failure_as_any_other_and_holds_up_no_other_receiver(receiver, monkeypatch):
    broken = hooked(receiver)
    Webhook.objects.filter(pk=broken.pk).update(url=f"{receiver.url}?broken")
    hooked(receiver)
    learn()
    post = posting.post
    monkeypatch.setattr(posting, "post", lambda url, *given: 1 / 0 if "broken" in url else post(url, *given))
    assert (send(), len(receiver.posts)) == (1, 1)
    broken.refresh_from_db()
    assert (broken.attempts, broken.last_error, broken.claimed_until) == (1, "ZeroDivisionError", None)
    assert broken.next_attempt_at > NOON


def test_a_worker_that_is_told_to_stop_goes_on_later(receiver):
    hooked(receiver)
    facts = [learn(), learn("Has two grey cats.")]
    assert send(keep_going=lambda: False) == 1
    assert send() == 1
    assert receiver.facts() == facts


def test_the_minute_has_the_worker_send_it_and_looks_again_while_something_waits(receiver):
    hook = hooked(receiver)
    learn()
    pipeline.tick(now=NOON)
    task = OrmQ.objects.get().task
    assert (task["func"], task["args"]) == ("memory.tasks.send_webhooks", (hook.guild_id,))
    row = due_work.DueWork.objects.get(work=due_work.Work.MINUTE)
    tasks.send_webhooks(*task["args"])
    assert len(receiver.posts) == 1
    OrmQ.objects.all().delete()
    pipeline.tick(now=row.at + minutes(2))
    assert not OrmQ.objects.exists()


def test_the_secret_stands_in_no_row(receiver):
    hook = hooked(receiver)
    secret = webhooks.secret(hook)
    assert secret.startswith("whsec_")
    assert secret.removeprefix("whsec_") not in str(Webhook.objects.values().get())
    assert webhooks.secret(hooked(receiver)) != secret


def test_an_address_that_is_private_is_refused_with_what_is_wrong():
    with pytest.raises(webhooks.WebhookRefused, match="private"):
        webhooks.register(make_guild(), url="http://169.254.169.254/", kinds=webhooks.KINDS, actor="t", now=NOON)


def test_a_network_that_is_no_longer_listed_is_not_sent_to(receiver, settings):
    hook = hooked(receiver)
    learn()
    settings.MEMORYHUB_WEBHOOK_NETWORKS = []
    assert send() == 0
    assert receiver.posts == []
    hook.refresh_from_db()
    assert "private" in hook.last_error


def test_a_guild_has_ten_at_most(receiver):
    for _ in range(webhooks.MOST):
        hooked(receiver)
    with pytest.raises(webhooks.TooManyWebhooks):
        hooked(receiver)
