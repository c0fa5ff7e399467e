"""Who knows about something: the members who told of it and let themselves be found, in their own words. Reads only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import F, Q

from memory.expertise.statements import matter, own_sentence, tells
from memory.index.view import View
from memory.models import Evidence, Fact, FactChange
from memory.recall.common_scale import WORTH_OF_LINES
from memory.recall.ranking import ENOUGH_WORDS, Candidate
from memory.recall.results import Memory, Source
from memory.recall.retrieval import READ, embedded_query
from memory.recall.search import Search, as_memories
from memory.recall.word_overlap import name_stems, shared_words
from memoryhub import db
from memoryhub.ai import Thresholds
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import remembered
from memoryhub.db.guild_scope import in_its_guild
from memoryhub.language import stems

MOST = 24  # members
OF_ONE = 3  # of what one member told
KINDS = ("fact", "message")
ALIKE = 0.45
"""How far a cosine must lie above "related", in parts of what lies between that and the same, where no word is shared.

A matter is a word or two, to which much is a little near. Over 18 matters on the sample community .45 left one wrong
fact, where .2 (recall's own gate) left about thirty; half a dozen right ones went, too. A wrong one names somebody.
"""


@dataclass(frozen=True, kw_only=True)
class Knower:
    """A member, and what they told of the matter: facts and sentences, the best first, each with their own words."""

    member: Member
    told: Sequence[Memory]


@db.on_replica
@in_its_guild
def who_knows(
    guild: Guild, *, question: str, now: datetime, channel: Channel | None = None, limit: int = MOST
) -> list[Knower]:
    """Return up to `limit` members who told of what is asked about, best first; "who knows" may stand before it.

    Told is what may be told in the channel (None: what is open to all), of members who may be remembered and did not
    say that they will not be found. What others said of somebody counts for nothing: everybody speaks for themselves.
    """
    about = matter(question)
    if not guild.memory_on or not about:
        return []
    view = View(guild=guild, channel=channel)
    search = Search(query=embedded_query(about), view=view, now=now)
    found = [each for kind in KINDS for each in search.best(kind, READ[kind])]
    told = [(row, rank) for row, rank in found if _is_about(rank.candidate, about, search.query.thresholds)]
    near = [memory for memory in as_memories(told) if memory.member_id]
    own = [*_told_by_themselves(guild, near), *_said(near, about)]
    by_member = defaultdict[str, list[Memory]](list)
    for memory in sorted(own, key=lambda each: -each.score * WORTH_OF_LINES[each.kind]):
        _add(by_member[memory.member_id or ""], memory)
    members = {row.platform_id: row for row in _findable(guild, by_member)}
    return [Knower(member=members[pk], told=told) for pk, told in by_member.items() if pk in members][:limit]


def _is_about(near: Candidate, about: str, thresholds: Thresholds | None) -> bool:
    """Say if something has to do with the matter by its own words, or by its meaning alone.

    A name is no knowledge: where the matter is in the member's, their words alone count, since meaning is that of both.
    """
    if shared_words(about, near.text) >= ENOUGH_WORDS:
        return True
    if near.semantic is None or thresholds is None or not stems(about).isdisjoint(name_stems(near.name)):
        return False
    return near.semantic >= thresholds.related + ALIKE * (thresholds.ceiling - thresholds.related)


def _findable(guild: Guild, ids: Iterable[str]) -> list[Member]:
    rows = Member.objects.of(guild).filter(remembered(guild), platform_id__in=list(ids))
    return list(rows.filter(findable=True, is_bot=False))


def _add(told: list[Memory], memory: Memory) -> None:
    """Keep what a member told, unless it is a message that a better one rests on."""
    known = {source.message_id for each in told for source in each.sources if source.message_id}
    if len(told) < OF_ONE and known.isdisjoint(source.message_id for source in memory.sources):
        told.append(memory)


def _said(memories: Iterable[Memory], about: str) -> list[Memory]:
    """Return the messages that tell of their authors, narrowed to the sentence that does."""
    messages = ((memory, own_sentence(memory.text, about)) for memory in memories if memory.kind == "message")
    return [replace(memory, text=sentence) for memory, sentence in messages if sentence]


def _told_by_themselves(guild: Guild, memories: Iterable[Memory]) -> list[Memory]:
    """Return the facts that their members told themselves, with those words of theirs as the sources."""
    near = {memory.id: memory for memory in memories if memory.kind == "fact" and tells(memory.text)}
    of_others = Fact.objects.of(guild).filter(pk__in=near, kind=Fact.Kind.RELATIONSHIP).values_list("pk", flat=True)
    facts = {pk: memory for pk, memory in near.items() if pk not in set(of_others)} if near else {}
    words = defaultdict[int | str, list[Source]](list)
    evidence = Evidence.objects.filter(guild=guild, fact__in=list(facts), speaker=F("fact__subject"))
    for row in evidence.filter(Q(message=None) | Q(message__deleted_at=None)).select_related("message"):
        message_id, author = row.message.platform_id if row.message else None, facts[row.fact_id].member or ""
        words[row.fact_id].append(Source(message_id=message_id, quote=row.quote, author=author, at=row.said_at))
    for pk in _entered_by_themselves(guild, [memory for memory in facts.values() if memory.id not in words]):
        words[pk].append(Source(quote=facts[pk].text, author=facts[pk].member or "", at=facts[pk].created_at))
    return [replace(memory, sources=words[pk]) for pk, memory in facts.items() if pk in words]


def _entered_by_themselves(guild: Guild, memories: Sequence[Memory]) -> set[int]:
    """Return the row ids of the facts that their members had the bot remember, by command."""
    signed = {(memory.id, f"member:{memory.member_id}") for memory in memories}
    changes = FactChange.objects.filter(guild=guild, fact__in=[memory.id for memory in memories], undone=False)
    return {pk for pk, actor in changes.values_list("fact", "actor") if (pk, actor) in signed}
