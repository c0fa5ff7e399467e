"""What the caller missed, as far as they can read it, a page at a time."""

from __future__ import annotations

from datetime import datetime

from botrunner.actions import texts_members
from botrunner.actions.caller import Caller, guild_of, member_of, readable_rows
from botrunner.actions.community import texts_catchup
from botrunner.actions.escape import link
from botrunner.actions.listing import Page, place
from memory.catchup.catching_up import catch_up
from memory.catchup.readers import Reader
from memoryhub.community.labels import name_of
from memoryhub.community.models import Channel, Guild
from notes.models import Message

A_PAGE = 5  # with their links they are one screen


def show(caller: Caller, *, since: datetime | None, channel_id: str, page: int, now: datetime) -> tuple[Page, datetime]:
    """Show a page of what was missed, in one channel if one is named; return with it since when."""
    guild = guild_of(caller)
    if guild is None or not guild.memory_on:
        return Page(texts_members.MEMORY_OFF if guild else texts_catchup.NOTHING), now
    only = Channel.objects.of(guild).filter(platform_id=channel_id).first() if channel_id else None
    if channel_id and (only is None or channel_id not in caller.readable):
        return Page(texts_catchup.NOT_READABLE if channel_id not in caller.readable else texts_catchup.NOTHING), now
    found = catch_up(_reader(caller, guild, only), since=since, now=now)
    page, last = place(page, len(found.items), a_page=A_PAGE)
    shown = found.items[(page - 1) * A_PAGE : page * A_PAGE]
    ids = {source.message_id for item in shown for source in item.sources if source.message_id}
    rows = Message.objects.of(guild).filter(platform_id__in=ids).select_related("channel", "guild")
    links = {message.platform_id: link(message) for message in rows}
    return texts_catchup.missed(shown, links, since=found.since, page=page, last=last), found.since


def _reader(caller: Caller, guild: Guild, only: Channel | None) -> Reader:
    """Return who reads: the caller, all that they can read."""
    return Reader(
        guild=guild, member=member_of(caller), account=caller.person.id,
        name=name_of(display_name=caller.person.display_name, name=caller.person.name),
        channels=readable_rows(caller, guild), only=only,
    )  # fmt: skip
