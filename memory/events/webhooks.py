"""Webhooks: a guild's events, posted in order to the addresses that it registered, signed as Standard Webhooks."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django_q.tasks import async_task
from standardwebhooks import Webhook as Signer

from memory.events import posting
from memory.models import Webhook
from memory.records.action_log import log
from memoryhub import db
from memoryhub.community import outbox
from memoryhub.community.models import Event, Guild
from memoryhub.community.querysets import same_guild
from memoryhub.db import leases
from memoryhub.db.guild_scope import in_its_guild
from memoryhub.errors import Conflict, Refused

logger = logging.getLogger(__name__)

KINDS: tuple[str, ...] = tuple(Event.Kind.values)
MOST = 10  # of a guild
AT_ONCE = 100  # events read at a time
GONE = 410  # the receiver wants no more, for good
KeepGoing = Callable[[], bool]


class WebhookRefused(Refused):
    """Nothing can be sent to this address."""


class TooManyWebhooks(Conflict):
    """The guild has as many as it may have."""


# --- What a person sets ------------------------------------------------------------------------------------------


@transaction.atomic
@in_its_guild
def register(guild: Guild, *, url: str, kinds: Sequence[str], actor: str, now: datetime) -> Webhook:
    """Register an address for what happens from now on; raises WebhookRefused, TooManyWebhooks."""
    try:
        posting.check(url)
    except posting.BadAddress as error:
        raise WebhookRefused(str(error)) from error
    db.lock_guild(guild.pk)
    if Webhook.objects.of(guild).count() >= MOST:
        raise TooManyWebhooks(f"A guild has {MOST} webhooks at most: remove one first.")
    hook = Webhook.objects.create(
        guild=guild, url=url, kinds=[kind for kind in KINDS if kind in kinds], reached=outbox.newest(guild),
        created_at=now,
    )  # fmt: skip
    log("webhook_added", guild=guild, actor=actor, now=now, webhook=hook.pk)
    return hook


@transaction.atomic
@in_its_guild
def remove(hook: Webhook, *, actor: str, now: datetime) -> None:
    """Send nothing there any more."""
    db.lock_guild(hook.guild_id)
    Webhook.objects.filter(pk=hook.pk).delete()
    log("webhook_removed", guild=hook.guild, actor=actor, now=now, webhook=hook.pk)


@transaction.atomic
@in_its_guild
def replay(hook: Webhook, *, after: int | None = None, actor: str, now: datetime) -> None:
    """Have a parked webhook tried again, or send again what came after an event; an event is skipped by its own id.

    An id that lies ahead skips what there is, and nothing that is still to come.
    """
    db.lock_guild(hook.guild_id)
    reached = {} if after is None else {"reached": min(after, outbox.newest(hook.guild))}
    leases.unpark(Webhook.objects.filter(pk=hook.pk), **reached)
    log("webhook_replayed", guild=hook.guild, actor=actor, now=now, webhook=hook.pk)


def secret(hook: Webhook) -> str:
    """Return what its receiver verifies by: derived from SECRET_KEY, so that no copy of the database gives it away."""
    key = salted_hmac("memoryhub.webhook", str(hook.salt), algorithm="sha256").digest()
    return f"whsec_{base64.b64encode(key).decode()}"


# --- What the worker does ----------------------------------------------------------------------------------------


def waiting(guild: Guild) -> QuerySet[Webhook]:
    """Return the guild's webhooks that have not been sent all of its events yet, parked ones left out."""
    newer = Event.objects.filter(same_guild(), pk__gt=OuterRef("reached"))
    return Webhook.objects.of(guild).filter(Exists(newer), parked_at=None)


def queue_due(guild: Guild, *, now: datetime) -> None:
    """Have the worker send what waits, in a task of its own: a slow receiver keeps no guild's minute waiting."""
    if leases.ready(waiting(guild), now=now).exists():
        async_task("memory.tasks.send_webhooks", guild.pk)


@in_its_guild
def send_due(guild: Guild, *, now: datetime, keep_going: KeepGoing = lambda: True) -> int:
    """Send what waits, to each address in order, while told to go on; return how many events were taken.

    What fails waits for its pause and holds up no other address; nor does a slow one: who was sent to last comes last.
    """
    sent, clock = 0, leases.ticking(now)
    for hook in list(waiting(guild).order_by(F("delivered_at").asc(nulls_first=True), "pk")):
        held = leases.claim(Webhook.objects.of(guild).filter(pk=hook.pk), now=clock())
        if held is not None:
            sent += _send(held, guild, clock=clock, keep_going=keep_going)
        if not keep_going():
            break
    return sent


def _send(hook: Webhook, guild: Guild, *, clock: leases.Clock, keep_going: KeepGoing) -> int:
    sent = 0
    try:
        while found := outbox.after({guild.pk: hook.reached}, keys={guild.pk: guild.key}, limit=AT_ONCE):
            for told in found:
                wanted = told.payload["type"] in hook.kinds
                if not wanted and told is not found[-1]:
                    continue  # the next one takes it along
                fresh = outbox.again(told) if wanted else None  # while others were sent, who is named may be erased
                if fresh and not _deliver(hook, fresh, now=clock()):
                    return sent
                sent += fresh is not None
                delivered = {"delivered_at": clock()} if fresh else {}
                if not leases.checkpoint(hook, now=clock(), reached=told.id, **delivered):
                    leases.release(hook)  # replayed from elsewhere meanwhile
                    return sent
                if not keep_going():
                    leases.release(hook)
                    return sent
        leases.finish(hook)
    except Exception as error:  # written down, and tried again after a pause
        leases.fail(hook, error=type(error).__name__, now=clock())
        logger.exception("a webhook failed", extra={"webhook": hook.pk, "attempts": hook.attempts})
    except BaseException:
        leases.release(hook)  # Ctrl-C: nobody need wait for the claim to run out
        raise
    return sent


def _deliver(hook: Webhook, told: outbox.OutgoingEvent, *, now: datetime) -> bool:
    """Post one event; what the receiver did not take ends the work with a failure."""
    try:
        answer = posting.post(hook.url, *signed(hook, told))
        if 200 <= answer.status < 300:
            return True
        error, wait = f"It answered {answer.status}.", timedelta(seconds=answer.retry_after)
        if answer.status == GONE:
            leases.release(hook, parked_at=now, last_error="It answered 410: it wants no more events.")
            return False
    except (posting.NotDelivered, posting.BadAddress) as failure:
        error, wait = str(failure), timedelta()
    leases.fail(hook, error=error, now=now, wait=wait)
    logger.warning("a webhook was not taken", extra={"webhook": hook.pk, "event": told.id, "attempts": hook.attempts})
    return False


def signed(hook: Webhook, told: outbox.OutgoingEvent) -> tuple[bytes, dict[str, str]]:
    """Return body and headers of an event for a webhook, signed as of this moment; its id is the same at each try."""
    moment, name, body = datetime.now(UTC), f"evt_{told.id}", json.dumps(told.payload)
    headers = {
        "Content-Type": "application/json",
        "webhook-id": name,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": Signer(secret(hook)).sign(name, moment, body),
    }
    return body.encode(), headers


def next_try(guild: Guild) -> datetime | None:
    """Return when something is to be sent next: the earliest end of a pause, or a moment ago; None if nothing waits."""
    times = waiting(guild).values_list("next_attempt_at", flat=True)
    return min((at or timezone.now() for at in times), default=None)
