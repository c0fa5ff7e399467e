"""Who told of something, as far as it may be told in the channel; and whether the caller is found that way."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from botrunner.actions import texts_members
from botrunner.actions.caller import Caller, channel_of, guild_of, in_names, load_caller
from botrunner.actions.community import texts_who
from botrunner.actions.escape import link
from botrunner.actions.listing import Page, place
from memory.expertise.who_knows import who_knows
from memoryhub.community import consent
from notes.models import Message

A_PAGE = 5  # with their links they are one screen


def show(caller: Caller, *, question: str, page: int, now: datetime) -> Page:
    """Show a page of the members who told of it, if the guild lets members search."""
    guild = guild_of(caller)
    if guild is not None and not guild.memory_on:
        return Page(texts_members.MEMORY_OFF)
    if guild is not None and not guild.member_search:
        return Page(texts_members.NO_SEARCH)
    question = in_names(caller, question)
    found = who_knows(guild, question=question, now=now, channel=channel_of(caller)) if guild else []
    page, last = place(page, len(found), a_page=A_PAGE)
    shown = found[(page - 1) * A_PAGE : page * A_PAGE]
    ids = {source.message_id for each in shown for told in each.told for source in told.sources if source.message_id}
    rows = Message.objects.filter(guild=guild, platform_id__in=ids).select_related("channel", "guild")
    links = {message.platform_id: link(message) for message in rows} if ids else {}
    return texts_who.knowers(shown, links, question=question, page=page, last=last)


def let_be_found(caller: Caller, *, findable: bool, now: datetime) -> str:
    """Record whether the caller is named to who asks who knows about something; it holds at once."""
    with transaction.atomic():
        _, cache = load_caller(caller, now)
        consent.let_be_found(cache.members[caller.person.id], findable=findable, actor=caller.actor, now=now)
    return texts_who.FOUND if findable else texts_who.NOT_FOUND
