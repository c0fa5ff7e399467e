"""A fact that is about to enter: guarded, addressed to its subject, not yet compared with what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from memory.facts.kinds import Kind
from memory.facts.normalization import normalize
from memory.models import Evidence, Fact
from memoryhub import db
from memoryhub.community.consent import NOT_REMEMBERED, remembers
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import remembered
from memoryhub.errors import Refused
from notes.models import Message

STILL_THERE = f"""WHERE {db.among(f"{Message._meta.db_table}.id")}
    AND {db.unindexed(f"{Message._meta.db_table}.guild_id")} = %s AND deleted_at IS NULL"""
SUBJECTS = f"""WHERE {db.among(f"{Member._meta.db_table}.id")}
    AND {db.unindexed(f"{Member._meta.db_table}.guild_id")} = %s"""
Sign = Literal["ungrounded", "vague", "about_the_bot", "near_duplicate", "instruction", "ephemeral"]


@dataclass(frozen=True, slots=True)
class Score:
    """How likely it is junk, 0 to 1, and the signs that speak for it, the weightiest first."""

    value: float
    signs: list[Sign] = field(default_factory=list)


class SourceGone(Exception):
    """What the fact rests on was edited or deleted after it was read, or somebody of it said no."""


class NotRemembered(Refused):
    """Somebody told a fact about a member who is not to be remembered."""


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What consolidation settles. `messages` is what it rests on; none for what somebody told the hub."""

    guild: Guild
    subject: Member | None
    text: str
    kind: Kind
    confidence: float
    explicit: bool
    said_at: datetime
    quote: str = ""
    channel: Channel | None = None
    audience_id: int | None = None
    valid_from: datetime | None = None
    messages: list[Message] = field(default_factory=list)
    told_by: Member | None = None  # who told the hub, where no message did
    paraphrased: bool = False  # in other words than its messages, and near to them in meaning
    requested: bool = False  # by a person who told the hub to remember it
    score: Score | None = None
    needs_review: bool = False  # no one is told of it until a person looked at it
    aside: int | None = None  # row id of the fact that says the same, and waits or was refused
    reviewed: Fact | None = None  # the row that a person lets in now

    @property
    def hearsay(self) -> bool:
        """Whether only others said it of its subject."""
        return bool(self.messages and self.subject) and self.subject not in [m.author for m in self.messages]

    def fact(self, text: str = "", **fields: Any) -> Fact:
        """Return the row to store, with other words if two facts became one."""
        words = text or self.text
        source = Fact.SourceType.EXPLICIT if self.explicit else Fact.SourceType.INFERRED
        row = Fact(
            guild=self.guild, subject=self.subject, channel=self.channel, audience_id=self.audience_id,
            kind=self.kind, text=words, normalized=normalize(words), confidence=self.confidence, source_type=source,
            said_at=self.said_at, valid_from=self.valid_from,
        )  # fmt: skip
        if self.needs_review:
            row.status = Fact.Status.PENDING
        if self.score:
            row.junk, row.junk_signs = self.score.value, list(self.score.signs)
        for name, value in fields.items():
            setattr(row, name, value)
        return row

    def evidence(self) -> list[Evidence]:
        """Return the rows that say where it comes from."""
        quote = self.quote[:240]
        if not self.messages:
            return [Evidence(speaker=self.told_by, quote=quote, said_at=self.said_at)]
        return [Evidence(message=m, speaker=m.author, quote=quote, said_at=m.sent_at) for m in self.messages]


def checked(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return a guild's proposals with the audience that their messages have now; call it in the storing transaction.

    Raises SourceGone unless each message still says what was read, and NotRemembered where somebody told of a member
    who said no.
    """
    read = {message.pk: message.edited_at for proposal in proposals for message in proposal.messages}
    if not read:
        _refuse_who_said_no(proposals)
        return list(proposals)
    (guild,) = db.read(Guild, "WHERE id = %s", [proposals[0].guild.pk])  # its mode may have changed since
    rows = db.read(Message, STILL_THERE, [db.id_list(filter(None, read)), guild.pk], joined=("author", "channel"))
    messages = {row.pk: row for row in rows if remembers(guild, row.author) or _is_bots(row.author)}
    if {pk: message.edited_at for pk, message in messages.items()} != read:
        raise SourceGone
    subjects = {proposal.subject.pk for proposal in proposals if proposal.messages and proposal.subject}
    subjects -= {message.author_id for message in messages.values() if remembers(guild, message.author)}
    if subjects and Member.objects.filter(remembered(guild), pk__in=subjects).count() < len(subjects):
        raise SourceGone
    return [_heard_by(proposal, [messages[message.pk] for message in proposal.messages]) for proposal in proposals]


def _refuse_who_said_no(told: Sequence[Proposal]) -> None:
    """Raise NotRemembered where somebody told of a member who is not to be remembered; lore asks nothing."""
    members = {proposal.subject.pk for proposal in told if proposal.subject}
    rows = db.read(Member, SUBJECTS, [db.id_list(members), told[0].guild.pk], joined=("guild",)) if members else ()
    if not all(remembers(row.guild, row) for row in rows):
        raise NotRemembered(NOT_REMEMBERED)


def _is_bots(author: Member) -> bool:
    """Say whether a bot said it that may be heard, as `querysets.heard` has it."""
    return author.is_bot and author.remember is not False


def _heard_by(proposal: Proposal, messages: Sequence[Message]) -> Proposal:
    audiences = (message.heard_by for message in messages)
    return replace(proposal, audience_id=proposal.audience_id or next(filter(None, audiences), None))
