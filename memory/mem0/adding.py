"""Takes in what a client adds: a talk to learn from, or words to keep as they are; both by the hub's own verbs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from django.db import transaction

from memory import pipeline
from memory.curation import corrections
from memory.mem0 import client_data
from memory.mem0.schemas import AddIn
from memory.models import ClientData, Fact
from memoryhub import db
from memoryhub.community.consent import remembers_account
from memoryhub.community.identity import CommunityCache, Person, Place
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.errors import Refused
from notes.messages.schemas import GuildRef, IncomingAuthor, IncomingChannel, IncomingMessage
from notes.models import Message

NAME = re.compile(r"[^\W\d_]{2,}(?:[ ._'-][^\W\d_]+){0,3}\d{0,4}")  # no number of a phone, no address, no random id
ASSISTANT = "assistant"  # who speaks for the bot where a client names none
WHY = {
    "memory_off": "memory is switched off in this guild", "channel_off": "memory is switched off for this run",
    "blocked": "this account is blocked", "opted_out": "this member said no to being remembered",
    "erased": "this was said before the member was erased", "empty": "the messages are empty",
}  # fmt: skip


class NotAdded(Refused):
    """Nothing of it was stored; the words say why."""


@dataclass(frozen=True)
class ToldFact:
    """A fact that somebody told, and whether it was known before."""

    fact: Fact
    new: bool


@db.retrying
@transaction.atomic
def learn(guild: Guild, body: AddIn, *, now: datetime) -> UUID:
    """Receive a talk as messages of the member and of a bot; returns the id by which its reading can be asked after.

    A run is a direct channel of its own; without one it is the member's talk with the bot, open to the guild.
    """
    if body.user_id is None:
        raise NotAdded(
            "The hub learns from what members say: name a user_id, or keep the words as they are with infer=false."
        )
    agent = body.agent_id or ASSISTANT
    known = _check_parts(guild, user=body.user_id, agent=agent)
    db.lock_guild(guild.pk)
    channel = _channel_id(guild, body)
    event = uuid4()
    authors = {
        "user": IncomingAuthor(id=body.user_id, name=_name(body.user_id, known)),
        ASSISTANT: IncomingAuthor(id=agent, name=_name(agent, known), is_own_bot=True),
    }
    messages = [
        IncomingMessage(
            message_id=f"mem0-{event}-{number}", channel=channel, author=authors[said.role], text=said.content,
            sent_at=body.timestamp or now,
        )
        for number, said in enumerate(body.messages) if said.role in authors
    ]  # fmt: skip
    answers = pipeline.receive_many(messages, guild=GuildRef(key=guild.key), now=now)
    theirs = [answer for answer, message in zip(answers, messages, strict=True) if message.author.id == body.user_id]
    stored = [answer.id for answer in theirs if answer.status == "stored"]
    if not stored:
        reasons = {answer.reason for answer in theirs}
        why = WHY[reasons.pop()] if len(reasons) == 1 else "none of the messages is the user's"
        raise NotAdded(f"Nothing was stored: {why}.")
    rows = db.read(Message, f"WHERE guild_id = %s AND {db.among('platform_id', kind='text')}",
                   [guild.pk, db.text_list(stored)])  # fmt: skip
    db.insert_all([ClientData(guild=guild, message=row, event=event, at=now, **body.kept) for row in rows])
    return event


def tell(
    guild: Guild, body: AddIn, *, actor: str, now: datetime, event: UUID | None = None, closed: bool = False,
    insist: bool = False,
) -> tuple[UUID, list[ToldFact]]:  # fmt: skip
    """Keep each message as a fact in its own words, about the member, else about the bot, else the guild's lore.

    Raises NotAdded, FactRefused; `event` is a new id unless the caller has one. `closed` and `insist` as
    `corrections.remember` has them.
    """
    texts = [said.content for said in body.messages if said.role != "system" and said.content.strip()]
    if not texts:
        raise NotAdded("Nothing was stored: the messages are empty.")
    if not guild.memory_on:
        raise NotAdded(f"Nothing was stored: {WHY['memory_off']}.")
    for text in texts[1:]:  # all of them, or none
        corrections.validated_text(text, guild, insist=insist)
    subject, channel = _subject_and_channel(guild, body, now=now)
    event, told = event or uuid4(), list[ToldFact]()
    for text in texts:
        fact = corrections.remember(
            guild, subject=subject, text=text, kind="other", actor=actor, now=now, audience=channel,
            said_at=body.timestamp, closed=closed, insist=insist,
        )  # fmt: skip
        told.append(ToldFact(fact, new=fact.created_at >= now))
        client_data.keep(fact, now=now, event=event, **body.kept)
    return event, told


def _check_parts(guild: Guild, *, user: str | None, agent: str | None) -> set[str]:
    """Return which of them are known; raises NotAdded where a bot would speak as a member or a member as a bot."""
    if user and user == agent:
        raise NotAdded("user_id and agent_id are the same: one is a member, the other a bot.")
    known = Member.objects.of(guild).filter(platform_id__in=[each for each in (user, agent) if each])
    bots = dict(known.values_list("platform_id", "is_bot"))
    if bots.get(user or "") is True:
        raise NotAdded("user_id names a bot of this guild: the hub does not learn from bots.")
    if bots.get(agent or "") is False:
        raise NotAdded("agent_id names a member of this guild, who is no bot.")
    return set(bots)


def _name(account: str, known: set[str]) -> str:
    """Return what somebody new is called: these clients give no names, but often a name as the id."""
    return account if account not in known and NAME.fullmatch(account) else ""


def _channel_id(guild: Guild, body: AddIn) -> IncomingChannel:
    """Return where the talk is: its run's direct channel, made if need be, or the member's own channel."""
    if body.run_id is None:
        return IncomingChannel(id=f"mem0:{body.user_id}"[:200], name="mem0")
    return IncomingChannel(id=_run(guild, body.run_id).platform_id)


def _run(guild: Guild, run_id: str) -> Channel:
    """Return the channel of a run; a known one stays of its kind."""
    known = Channel.objects.of(guild).filter(platform_id=run_id).select_related("guild", "parent").first()
    return known or CommunityCache(guild, move=None).channel(Place(id=run_id, kind=Channel.Kind.DIRECT))


@transaction.atomic
def _subject_and_channel(guild: Guild, body: AddIn, *, now: datetime) -> tuple[Member | None, Channel | None]:
    db.lock_guild(guild.pk)
    there = _check_parts(guild, user=body.user_id, agent=body.agent_id)
    channel = _run(guild, body.run_id) if body.run_id else None
    if channel is not None and not channel.listens:
        raise NotAdded(f"Nothing was stored: {WHY['channel_off']}.")
    people = {name: name == body.agent_id for name in (body.user_id, body.agent_id) if name}
    if not all(remembers_account(guild, name) for name in people):
        raise NotAdded("Nothing was stored: this account is blocked, or said no to being remembered.")
    cache = CommunityCache(guild, move=None)
    cache.load(channels=[], members=people)
    known = [
        cache.member(Person(id=each, name=_name(each, there), is_bot=bot), seen_at=now) for each, bot in people.items()
    ]
    if any(each.erased_at and (body.timestamp or now) <= each.erased_at for each in known):
        raise NotAdded(f"Nothing was stored: {WHY['erased']}.")
    return next(iter(known), None), channel
