"""What becomes of a recap: edited, posted or discarded by a moderator; handed to the bot, which posts it once.

A worker claims a recap before it posts it and writes down the post after it. One that dies in between leaves a claim
that ends; who takes the recap then knows by `tried_at` that it may stand in the channel already, and looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from memory.models import Recap, RecapLine
from memory.models.posts import INTRO, LINE
from memory.recaps.told_lines import standing
from memory.records import waiting_posts
from memory.records.action_log import log
from memoryhub import db
from memoryhub.db import leases
from memoryhub.db.guild_scope import in_its_guild
from memoryhub.errors import Refused
from memoryhub.language.clip import clip, one_line

Status = Recap.Status


class RecapRefused(Refused):
    """It can't be posted or changed any more; says why."""


@transaction.atomic
@in_its_guild
def edit(recap: Recap, *, intro: str, texts: Mapping[int, str], now: datetime) -> None:
    """Put a moderator's words in: above all, and for lines by their id, an empty one goes. Raises RecapRefused.

    What no longer may be told goes with it.
    """
    db.lock_guild(recap.guild_id)
    _still(recap, Status.DRAFT)
    there = {line.pk: line for line in standing(recap)}
    kept = {pk: clip(one_line(texts.get(pk, line.text)), LINE) for pk, line in there.items()}
    RecapLine.objects.of(recap.guild).filter(recap=recap).exclude(
        pk__in=[pk for pk, text in kept.items() if text]
    ).delete()
    for pk, text in kept.items():
        if text and text != there[pk].text:
            RecapLine.objects.of(recap.guild).filter(pk=pk).update(text=text)
    recap.intro = clip(intro.strip(), INTRO)
    recap.save(update_fields=["intro"])


@transaction.atomic
@in_its_guild
def have_posted(recap: Recap, *, channel_id: str, actor: str, now: datetime) -> None:
    """Have the bot post it in this channel. Raises RecapRefused."""
    db.lock_guild(recap.guild_id)
    _still(recap, Status.DRAFT)
    if not recap.guild.key.startswith("discord:"):
        raise RecapRefused("Only a Discord server has a bot here that posts. Copy the text instead.")
    if not (channel_id.isascii() and channel_id.isdigit()):
        raise RecapRefused("Choose the channel to post in: Discord's id of it, which has only digits.")
    if not (standing(recap) or recap.intro):
        raise RecapRefused("Nothing of it is left that may be told. Discard it, and ask for a new one.")
    fields = {"status": Status.WAITING, "channel_id": channel_id, "actor": actor, **leases.FRESH, "last_error": ""}
    _write(recap, fields)
    waiting_posts.mark(recap.guild)
    log("recap_approved", guild=recap.guild, actor=actor, now=now, recap=recap.pk)


@transaction.atomic
@in_its_guild
def take_back(recap: Recap, *, actor: str, now: datetime) -> None:
    """Make a draft again of what waits to be posted, also of what the bot could not post. Raises RecapRefused."""
    db.lock_guild(recap.guild_id)
    _still(recap, Status.WAITING)
    if not leases.is_free(recap, now=now):
        raise RecapRefused("The bot is just posting it. Look again in a minute.")
    _write(recap, {"status": Status.DRAFT, "actor": actor, **leases.FRESH, **leases.FREE})


@transaction.atomic
@in_its_guild
def discard(recap: Recap, *, actor: str, now: datetime) -> None:
    """Let a draft go, its lines with it; that there was one stays, so that none is written of the same week again."""
    db.lock_guild(recap.guild_id)
    _still(recap, Status.DRAFT)
    RecapLine.objects.of(recap.guild).filter(recap=recap).delete()
    _write(recap, {"status": Status.DISCARDED, "intro": "", "actor": actor})
    log("recap_discarded", guild=recap.guild, actor=actor, now=now, recap=recap.pk)


def _still(recap: Recap, status: Recap.Status) -> None:
    """Read where it stands anew; raises RecapRefused if that is elsewhere."""
    recap.refresh_from_db()
    if recap.status != status:
        raise RecapRefused(f"This recap is no {status.label.lower()} any more: {recap.get_status_display().lower()}.")


def _write(recap: Recap, fields: Mapping[str, object]) -> None:
    for name, value in fields.items():
        setattr(recap, name, value)
    recap.save(update_fields=list(fields))


# --- For the bot -----------------------------------------------------------------------------------------------------


@in_its_guild
def begin(recap: Recap, *, now: datetime) -> tuple[list[RecapLine], datetime | None]:
    """Return the lines to post, and when somebody else was about to post them (None: nobody was); notes that we are."""
    before = recap.tried_at
    if before is None:
        leases.hold(recap, now=now, tried_at=now)
    return standing(recap), before


@transaction.atomic
@in_its_guild
def posted(recap: Recap, *, message_id: str, now: datetime) -> None:
    """Write down that it stands in its channel."""
    db.lock_guild(recap.guild_id)
    leases.finish(recap, status=Status.POSTED, message_id=message_id, posted_at=now)
    log("recap_posted", guild=recap.guild, actor=recap.actor, now=now, recap=recap.pk)


@in_its_guild
def nothing_left(recap: Recap) -> None:
    """Note that nothing of it may be told any more, so nothing was posted."""
    leases.finish(recap, status=Status.EMPTY)


@in_its_guild
def not_posted(recap: Recap, *, error: str, now: datetime, again: bool) -> None:
    """Note why it could not be posted; it is tried `again` later, or waits for a moderator."""
    if again:
        leases.fail(recap, error=error, now=now)
    else:
        leases.release(recap, parked_at=now, last_error=error)
