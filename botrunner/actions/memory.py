"""What members may do with their own memory: remember, correct, undo, forget, opt out, change their profile."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Q, QuerySet

from botrunner.actions import texts_members
from botrunner.actions.caller import (
    Caller,
    all_entries_of,
    all_facts_of,
    entries_of,
    facts_of,
    guild_of,
    in_names,
    left_out,
    load_caller,
    may_store,
    member_of,
    notes_of,
)  # fmt: skip
from botrunner.actions.escape import one_line, plain
from botrunner.actions.listing import Page, place
from botrunner.actions.memory_ids import has_id, parse_id
from memory import pipeline
from memory.curation import corrections, entries
from memory.models import Fact, FactChange, FactQuerySet
from memory.rules.bot_requests import as_statement
from memory.withdrawal import withdraw
from memoryhub.community import consent
from memoryhub.community.models import Guild, Member
from memoryhub.community.querysets import heard
from memoryhub.errors import Conflict, Refused
from memoryhub.language.same_statement import meaning
from notes.models import InteractionNote, Message
from profiles import consent_effects
from profiles.models import ProfileEntry

EVERYTHING = "all"
Change = FactChange.Action
LEARNED = {Change.ADD, Change.REINFORCE}
"""What memory does all day: nobody who wants the last change undone means these, unless they made them."""
MOST_CHANGES, MOST_CHOICES = 200, 20


@dataclass(frozen=True)
class Sources:
    """Messages and notes, by the numbers of their rows."""

    messages: frozenset[int] = frozenset()
    notes: frozenset[int] = frozenset()


def remember(caller: Caller, *, text: str, now: datetime, insist: bool = False) -> str:
    """Store what the caller wants remembered of themselves; said in a closed channel it stays among its readers.

    It is told of them, "lives" for "I live": so what is known is compared, a denial or a move too.
    `insist`, for who manages the guild: store it although a guard took it for an order, code or a question.
    """
    with transaction.atomic():
        guild, cache = load_caller(caller, now)
        channel = cache.channel(caller.channel.place) if caller.channel else None
        member = cache.members[caller.person.id]
    if not guild.memory_on or (channel and not channel.listens):
        return texts_members.MEMORY_OFF
    if not consent.remembers(guild, member):
        return texts_members.BLOCKED if consent.is_blocked(guild, caller.person.id) else texts_members.OPTED_OUT
    if why := left_out(caller):
        return why
    text, actor = as_statement(in_names(caller, text)), signed(caller, insist=insist)
    try:
        fact = corrections.remember(
            guild, subject=member, text=text, kind="other", actor=actor, now=now, audience=channel, told_by=member,
            insist=insist,
        )  # fmt: skip
    except (Refused, Conflict) as error:
        return texts_members.refused(error)
    return texts_members.remembered(fact)


def signed(caller: Caller, *, insist: bool) -> str:
    """Return who did it: to insist is for who manages the guild, so it is signed as that."""
    return caller.moderator if insist else caller.actor


def correct(caller: Caller, *, memory: str, text: str, now: datetime, insist: bool = False) -> str:
    """Put the caller's words in place of a fact's or a profile entry's; what it rests on stays; `insist` as above."""
    memory_id = parse_id(memory)
    if memory_id and memory_id.kind == "entry":
        return reword_entry(caller, entry_id=memory, text=text, now=now, insist=insist)
    fact = facts_of(caller).filter(has_id(memory, "fact")).first()
    if fact is None:
        return texts_members.NOT_YOURS
    if not may_store(caller):
        return texts_members.NOTHING_NEW
    text, actor = as_statement(in_names(caller, text)), signed(caller, insist=insist)
    try:
        fact = corrections.correct(fact, text=text, actor=actor, now=now, insist=insist)
    except (Refused, Conflict) as error:
        return texts_members.refused(error)
    return texts_members.CORRECTED.format(fact=fact, text=plain(fact.text))


# --- Undo ----------------------------------------------------------------------------------------------------------


def undo(caller: Caller, *, memory: str, now: datetime) -> str:
    """Undo the newest change of the memory that they name, or of what is known about them."""
    memory_id = parse_id(memory)
    if memory_id and memory_id.kind == "entry":
        return restore_entry(caller, entry_id=memory, now=now)
    facts = all_facts_of(caller)
    named = facts.filter(has_id(memory, "fact")).first()
    fact = named if memory else last_changed(facts, by=caller.actor)
    return undo_newest(fact, actor=caller.actor, now=now)


def suggest_undo(caller: Caller, *, typed: str) -> list[tuple[str, str]]:
    """Return what could be undone, the newest change first: in words, and by id."""
    removed = all_entries_of(caller).filter(status=ProfileEntry.Status.REFUSED, text__icontains=typed)
    choices = [(one_line(f"Taken out: {entry.text}"), f"p{entry.pk}") for entry in removed[:5]]
    return choices + suggest_changes(all_facts_of(caller), typed=typed)


def last_changed(facts: QuerySet[Fact], *, by: str) -> Fact | None:
    """Return the fact whose newest change is the last one made `by` somebody, or the last merger, edit or end."""
    changes = _newest_changes(facts)
    return next((change.fact for change in changes if change.actor == by or change.action not in LEARNED), None)


def undo_newest(fact: Fact | None, *, actor: str, now: datetime) -> str:
    """Undo a fact's newest change, and return what the fact says then."""
    if fact is None or next(_newest_changes(Fact.objects.filter(pk=fact.pk)), None) is None:
        return texts_members.NOTHING_TO_UNDO
    try:
        fact = corrections.undo(fact, actor=actor, now=now)
    except Conflict as error:
        return str(error)
    says = texts_members.SAYS_AGAIN if fact.status == Fact.Status.ACTIVE else texts_members.TAKEN_BACK
    return says.format(fact=fact, text=plain(fact.text))


def suggest_changes(facts: QuerySet[Fact], *, typed: str) -> list[tuple[str, str]]:
    """Return what could be undone, the newest change first: in words, and by id."""
    choices = [
        (one_line(f"{change.get_action_display()}: {change.fact.text}"), f"#{change.fact_id}")
        for change in _newest_changes(facts)
    ]
    return [(text, pk) for text, pk in choices if typed.lower() in text.lower() or typed == pk][:MOST_CHOICES]


def _newest_changes(facts: QuerySet[Fact]) -> Iterator[FactChange]:
    """Yield the newest change of each fact that can be undone, the newest first."""
    seen: set[int] = set()
    standing = FactChange.objects.standing().filter(fact__in=facts.values("pk"))
    for change in standing.select_related("fact__guild").order_by("-pk")[:MOST_CHANGES]:
        if change.fact_id not in seen:
            seen.add(change.fact_id)
            yield change


# --- The profile -----------------------------------------------------------------------------------------------------


def show_profile(caller: Caller, *, page: int = 1) -> Page:
    """Show a page of the entries of the caller's profile with their ids."""
    rows = entries_of(caller)
    page, last = place(page, rows.count(), a_page=texts_members.A_PAGE)
    shown = rows[(page - 1) * texts_members.A_PAGE : page * texts_members.A_PAGE]
    return texts_members.profile(list(shown), page=page, last=last)


def reword_entry(caller: Caller, *, entry_id: str, text: str, now: datetime, insist: bool = False) -> str:
    """Put the caller's own words in an entry's place; `insist` as in `remember`."""
    if not may_store(caller):
        return texts_members.NOTHING_NEW
    change = partial(entries.edit_entry, text=in_names(caller, text), insist=insist)
    return _change_entry(caller, entry_id, change, done=texts_members.WORDED, now=now, insist=insist)


def remove_entry(caller: Caller, *, entry_id: str, now: datetime) -> str:
    """Take an entry out; it comes back only if it is said again."""
    return _change_entry(caller, entry_id, entries.refuse_entry, done=texts_members.STRUCK, now=now)


def restore_entry(caller: Caller, *, entry_id: str, now: datetime) -> str:
    """Show an entry again that was taken out."""
    was = ProfileEntry.Status.REFUSED
    return _change_entry(caller, entry_id, entries.restore_entry, done=texts_members.BACK, now=now, status=was)


def _change_entry(
    caller: Caller, entry_id: str, change: Callable[..., object], *, done: str, now: datetime,
    status: str = ProfileEntry.Status.SHOWN, insist: bool = False,
) -> str:  # fmt: skip
    entry = all_entries_of(caller).filter(has_id(entry_id, "entry", default="entry"), status=status).first()
    if entry is None:
        return texts_members.NOT_YOUR_LINE
    try:
        change(entry, actor=signed(caller, insist=insist), now=now)
    except (Refused, Conflict) as error:
        return texts_members.refused(error)
    return done


# --- Forgetting and refusing ---------------------------------------------------------------------------------------


def matching(caller: Caller, *, what: str) -> list[tuple[str, str]]:
    """Return the ids and words of what would be forgotten: one memory, those that hold the words, or all."""
    words = what.strip()
    if not words:
        return []
    facts, lines = all_facts_of(caller), all_entries_of(caller)
    if parse_id(words):
        facts, lines = facts.filter(has_id(words, "fact")), lines.filter(has_id(words, "entry"))
    elif words.lower() != EVERYTHING:
        facts, lines = facts.filter(text__icontains=words), lines.filter(text__icontains=words)
    found = [(f"#{pk}", text) for pk, text in facts.values_list("pk", "text")]
    return found + [(f"p{pk}", text) for pk, text in lines.values_list("pk", "text")]


def unmatched(what: str) -> str:
    """Return what to say where nothing would be forgotten."""
    memory_id = parse_id(what)
    return texts_members.NOTE_STAYS if memory_id and memory_id.kind == "note" else texts_members.NOTHING_FOUND


def _named(caller: Caller, ids: Sequence[str]) -> tuple[FactQuerySet, QuerySet[ProfileEntry]]:
    """Return the caller's facts and entries of these ids."""
    known = [memory_id for each in ids if (memory_id := parse_id(each))]
    facts = all_facts_of(caller).filter(pk__in=[each.pk for each in known if each.kind == "fact"])
    return facts, all_entries_of(caller).filter(pk__in=[each.pk for each in known if each.kind == "entry"])


def forget(caller: Caller, ids: Sequence[str], *, now: datetime) -> int:
    """Erase the caller's facts and entries of these ids; return how many went, those with them that said the same."""
    facts, lines = _named(caller, ids)
    count = facts.count() + lines.count()
    for fact in facts.select_related("guild"):
        withdraw.forget_fact(fact, actor=caller.actor, now=now)
    for entry in lines.all():
        entries.erase_entry(entry, actor=caller.actor, now=now)
    return count


def sources_of(caller: Caller, ids: Sequence[str]) -> Sources:
    """Return what says these memories too: what they were learned from, and what the caller said of a line."""
    facts, lines = _named(caller, ids)
    messages = set(Message.objects.filter(evidence__fact__in=facts.values("pk")).values_list("pk", flat=True))
    messages |= _retold(caller, [*facts.values_list("text", flat=True), *lines.values_list("text", flat=True)])
    for line in lines:
        marks = meaning(line.text).marks
        said = Message.objects.filter(notes__entry_sources__entry=line, author=line.profile.member, deleted_at=None)
        messages.update(message.pk for message in said if marks <= meaning(message.text).marks)
    notes = InteractionNote.objects.filter(entry_sources__entry__in=lines.values("pk"))
    return Sources(frozenset(messages), frozenset(notes.values_list("pk", flat=True)))


def _retold(caller: Caller, texts: Sequence[str]) -> set[int]:
    """Return the bot's own messages that tell one of these memories to the caller, or of them."""
    said = "|".join(re.escape(text.rstrip(".")) for text in texts)
    if not said or (member := member_of(caller)) is None:
        return set()
    to_them, of_them = re.compile(said), re.compile(rf"{re.escape(str(member))}: (?:{said})")
    answered = Message.objects.filter(guild__key=caller.guild.key, author=member).values("platform_id")
    return {
        pk
        for answers, retells in ((Q(reply_to__in=answered), to_them), (~Q(reply_to__in=answered), of_them))
        for pk, text in _own_words(member.guild).filter(answers).values_list("pk", "text").iterator()
        if retells.search(text)
    }


def _own_words(guild: Guild) -> QuerySet[Message]:
    """Return what the bot itself said, where that is kept."""
    bots = Member.objects.of(guild).filter(platform_id__in=guild.own_bots)
    return Message.objects.filter(author__in=list(bots), deleted_at=None)


def sources_holding(caller: Caller, *, what: str) -> Sources:
    """Return the caller's messages that hold these words, and the notes that do."""
    if parse_id(what) or what.strip().lower() in ("", EVERYTHING):
        return Sources()
    own = Message.objects.filter(
        guild__key=caller.guild.key, author__platform_id=caller.person.id, text__icontains=what.strip()
    )
    notes = notes_of(caller).filter(Q(title__icontains=what.strip()) | Q(summary__icontains=what.strip()))
    return Sources(frozenset(own.values_list("pk", flat=True)), frozenset(notes.values_list("pk", flat=True)))


def still_said(caller: Caller, sources: Sources) -> tuple[str, list[str]]:
    """Return what of these is there and says it still, in words with links, and the messages that they may have go.

    These are the caller's, and the bot's. Of others who are not to be remembered nothing is shown.
    """
    guild = guild_of(caller)
    if guild is None:
        return "", []
    messages = Message.objects.filter(pk__in=sources.messages, deleted_at=None).exclude(text="")
    read = heard(guild, "author") & Q(channel__platform_id__in=caller.readable)
    own_too = read | Q(author__platform_id=caller.person.id)
    shown = list(messages.filter(own_too).select_related("author", "channel", "guild"))
    notes = notes_of(caller).filter(Q(pk__in=sources.notes) | Q(messages__in=messages)).distinct()
    theirs = (caller.person.id, *guild.own_bots)
    own = [message.platform_id for message in shown if message.author.platform_id in theirs]
    return texts_members.still_said(shown, list(notes), own=len(own)), own


def forget_messages(caller: Caller, message_ids: Sequence[str], *, now: datetime) -> int:
    """Forget messages of the caller's, or of the bot's, with what was learned from them alone; return how many."""
    if (guild := guild_of(caller)) is None:
        return 0
    own = Message.objects.of(guild).filter(author__platform_id__in=[caller.person.id, *guild.own_bots])
    ids = list(own.filter(platform_id__in=message_ids).values_list("platform_id", flat=True))
    return pipeline.delete(guild, message_ids=ids, now=now)


def opt_out(caller: Caller, *, out: bool, now: datetime) -> str:
    """Record the caller's choice; it holds from the next message on."""
    with transaction.atomic():
        guild, cache = load_caller(caller, now)
        consent_effects.choose(cache.members[caller.person.id], remember=not out, actor=caller.actor, now=now)
    if out:
        return texts_members.OUT
    return texts_members.BLOCKED if consent.is_blocked(guild, caller.person.id) else texts_members.IN
