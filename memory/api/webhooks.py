"""JSON routes: addresses that a guild's events are sent to."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, get_args

from django.utils import timezone
from ninja import Query, Router, Status
from pydantic import Field, StringConstraints

from memory.events import webhooks
from memory.models import Webhook
from memoryhub.common.api_scope import Call, PathRowId, one
from memoryhub.common.pagination import Page, Window, page
from memoryhub.common.schemas import RowOut, via
from memoryhub.errors import pattern
from notes.messages.schemas import Strict, Text

router = Router(tags=["events"])
Kind = Literal[
    "memory.learned", "memory.changed", "memory.forgotten", "note.written", "review.waiting", "job.failed",
    "member.erased",
]  # fmt: skip
EVENT_ID = pattern(r"^(0|[1-9][0-9]{0,17})$", "the id of an event, a whole number as text")
EventId = Annotated[str, StringConstraints(pattern=EVENT_ID)]


class NewWebhook(Strict):
    """An address, and which events it is sent; all where none are named."""

    url: Annotated[str, Text, Field(min_length=1, max_length=500)]
    events: list[Kind] = Field(default=list(get_args(Kind)), min_length=1, max_length=len(get_args(Kind)))


class Replay(Strict):
    """Where to go on: after this event; without it, where it stopped."""

    after: EventId | None = None


class WebhookOut(RowOut):
    """A webhook, and how it goes; `reached` is the last event that was taken."""

    id: str
    url: str
    events: list[str] = via("kinds")
    created_at: datetime
    reached: str
    delivered_at: datetime | None
    attempts: int
    next_attempt_at: datetime | None
    parked_at: datetime | None
    last_error: str


class AddedWebhook(WebhookOut):
    """A new webhook with its secret, which is shown this once."""

    secret: str = ""


@router.get("/guilds/{key}/webhooks", response=Page[WebhookOut])
def list_webhooks(request: Call, key: str, window: Query[Window]) -> Page[WebhookOut]:
    """List the addresses that are sent events, the oldest first; needs scope admin."""
    rows = Webhook.objects.of(request.auth.guild(key))
    return page(rows, window=window, show=WebhookOut.of, oldest_first=True)


@router.post("/guilds/{key}/webhooks", response={201: AddedWebhook})
def add_webhook(request: Call, key: str, body: NewWebhook) -> Status[AddedWebhook]:
    """Have events sent to an address from now on; the answer has the secret to verify them by. Needs scope admin."""
    guild = request.auth.guild(key)
    hook = webhooks.register(
        guild, url=body.url, kinds=body.events, actor=request.auth.actor, now=timezone.now()
    )  # fmt: skip
    shown = AddedWebhook.of(hook)
    shown.secret = webhooks.secret(hook)
    return Status(201, shown)


@router.delete("/guilds/{key}/webhooks/{webhook_id}", response={204: None})
def remove_webhook(request: Call, key: str, webhook_id: PathRowId) -> Status[None]:
    """Send nothing there any more; needs scope admin."""
    hook = one(Webhook.objects.of(request.auth.guild(key)), "webhook", pk=webhook_id)
    webhooks.remove(hook, actor=request.auth.actor, now=timezone.now())
    return Status(204, None)


@router.post("/guilds/{key}/webhooks/{webhook_id}/replay", response=WebhookOut)
def replay_webhook(request: Call, key: str, webhook_id: PathRowId, body: Replay | None = None) -> WebhookOut:
    """Have a parked webhook tried again, or what came after an event sent once more; needs scope admin."""
    hook = one(Webhook.objects.of(request.auth.guild(key)), "webhook", pk=webhook_id)
    after = int(body.after) if body and body.after is not None else None
    webhooks.replay(hook, after=after, actor=request.auth.actor, now=timezone.now())
    hook.refresh_from_db()
    return WebhookOut.of(hook)
