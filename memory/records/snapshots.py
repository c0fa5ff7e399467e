"""Renders what people read: the snapshot of a guild's memory and the journal of a day, guild-wide things only."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from datetime import date, datetime, timedelta
from itertools import groupby
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Exists, OuterRef, QuerySet, When, Window
from django.db.models.functions import RowNumber

from memory.models import Fact, Snapshot
from memoryhub import db
from memoryhub.community import due_work
from memoryhub.community.days import day_of, local, span
from memoryhub.community.models import Channel, ConsentChoice, Guild, Member
from memoryhub.community.querysets import heard, remembered, same_guild
from memoryhub.db.guild_scope import in_its_guild, inside
from memoryhub.language.clip import clip
from memoryhub.server.folder_lock import one_at_a_time
from notes.arrangements import telling as arrangements
from notes.models import Arrangement, Journal, Message, MessageQuerySet
from profiles.revision.entry_merge import Claim, merged, one_of_each

PEOPLE = 80
FACTS_A_PERSON, READ_A_PERSON = 6, 12  # shown, of those that are read
LORE = 6
HIGHLIGHTS = 24
HIGHLIGHTS_AN_AUTHOR = 8
HIGHLIGHT_CHARS = 220
READ = 120  # messages, the newest, among which highlights are sought
FEWEST = 6  # highlights, where there are as many lines
LOGS = 5
DAYS_READ = timedelta(days=3)
JOURNALS_AT_ONCE = 50
COMMITTING = timedelta(minutes=1)  # that a message, or a choice, may take from its door to the database
NOT_REMEMBERED = "[not remembered]"
LINE_CHARS = 320  # of a message in a journal
_LINK = re.compile(r"https?://\S+")


@in_its_guild
def current_snapshot(guild: Guild, *, now: datetime, refresh: bool = False) -> Snapshot:
    """Return the guild's readable page, rendered again if memory or a member's choice changed, or if asked."""
    kept = Snapshot.objects.filter(guild=guild).first()
    if kept and not refresh and not _is_behind(guild, kept):
        return kept
    with transaction.atomic():  # from reading to writing, so that what is deleted meanwhile is not written back
        db.lock_guild(guild.pk)
        text = snapshot_text(guild, now=now)
        fields = {"text": text, "generated_at": now, "stale": False}
        row, _ = Snapshot.objects.update_or_create(guild=guild, defaults=fields)
        _publish(guild, "MEMORY.md", Snapshot.objects.filter(guild=guild))
    return row


@transaction.atomic
@in_its_guild
def render_journal(guild: Guild, *, day: date, now: datetime) -> Journal:
    """Return the log of a day in the guild's time zone, rendered from its messages."""
    db.lock_guild(guild.pk)
    text = journal_text(guild, day)
    fields = {"text": text, "generated_at": now, "stale": False}
    row, _ = Journal.objects.update_or_create(guild=guild, day=day, defaults=fields)
    _publish(guild, f"{day}.md", _journals_of(guild, day))
    return row


def read_journal(guild: Guild, *, day: date, now: datetime) -> Journal | None:
    """Return the journal of the day, rendered again if it is stale; None if there is none."""
    kept = Journal.objects.of(guild).filter(day=day).first()
    return render_journal(guild, day=day, now=now) if kept and kept.stale else kept


@in_its_guild
def diff(guild: Guild, *, day: date, now: datetime) -> list[str]:
    """Return what rendering the day's journal and the snapshot again would change, as lines of a diff."""
    journal = Journal.objects.of(guild).filter(day=day).first()
    snapshot = Snapshot.objects.filter(guild=guild).first()
    lines: list[str] = []
    for name, kept, fresh in (
        (f"{day}.md", journal, journal_text(guild, day)),
        ("MEMORY.md", snapshot, snapshot_text(guild, now=now)),
    ):
        texts = (kept.text if kept else "", fresh)
        old, new = ([line for line in text.splitlines() if not line.startswith("_Rendered ")] for text in texts)
        lines += difflib.unified_diff(old, new, f"{name} now", f"{name} then", lineterm="", n=0)
    return lines


@in_its_guild
def rerender(guild: Guild, *, messages: Iterable[Message], now: datetime, snapshots: bool = True) -> None:
    """Render again what showed these messages, so that a deleted text is gone from rows and files."""
    days = {day_of(guild, message.sent_at) for message in messages}
    for row in Journal.objects.of(guild).filter(day__in=days):
        render_journal(guild, day=row.day, now=now)
    if snapshots and Snapshot.objects.filter(guild=guild).exists():
        current_snapshot(guild, now=now, refresh=True)


@in_its_guild
def retract_channel(channel: Channel) -> None:
    """Take away at once what may show the words of a channel that was closed; the worker renders it again."""
    guild = channel.guild
    days = []
    for row in Journal.objects.of(guild).only("day"):
        begin, end = span(guild, row.day)
        if Message.objects.filter(channel=channel, sent_at__gte=begin, sent_at__lt=end).exists():
            days.append(row.day)
    Journal.objects.of(guild).filter(day__in=days).update(text="", stale=True)
    Snapshot.objects.filter(guild=guild).update(text="", stale=True)
    _publish(guild, "MEMORY.md", Snapshot.objects.filter(guild=guild))
    for day in days:
        _publish(guild, f"{day}.md", _journals_of(guild, day))


def drop_journals_before(guild: Guild, moment: datetime | None) -> int:
    """Drop the journals of days before this one that were rendered before it too; return how many. None: none."""
    if moment is None:
        return 0
    old = Journal.objects.of(guild).filter(day__lt=day_of(guild, moment), generated_at__lt=moment)
    return drop_journals(guild, list(old.values_list("day", flat=True)))


@transaction.atomic
@in_its_guild
def drop_journals(guild: Guild, days: Collection[date]) -> int:
    """Drop the journals of these days, rows and files; return how many there were."""
    db.lock_guild(guild.pk)
    gone = Journal.objects.of(guild).filter(day__in=days).delete()[0]
    for day in days if gone else ():
        _publish(guild, f"{day}.md", _journals_of(guild, day))
    return gone


@in_its_guild
def is_stale(guild: Guild) -> bool:
    """Say whether the snapshot or a journal shows less than is known, or more; or whether there is no snapshot yet."""
    return _is_behind(guild, Snapshot.objects.filter(guild=guild).first()) or _stale_journals(guild).exists()


def _is_behind(guild: Guild, kept: Snapshot | None) -> bool:
    if kept is None or kept.stale:
        return True
    unseen = kept.generated_at - COMMITTING  # who chose then may have waited for the guild's lock until it was rendered
    chosen = ConsentChoice.objects.filter(guild=guild, chosen_at__gte=unseen)
    return chosen.exists() or Arrangement.objects.of(guild).filter(put_aside_at__gte=unseen).exists()


def _stale_journals(guild: Guild) -> QuerySet[Journal]:
    return Journal.objects.of(guild).filter(stale=True)


@in_its_guild
def refresh_stale(guild: Guild, *, now: datetime) -> None:
    """Render the snapshot if memory or a member's choice changed or there is none yet, and some stale journals."""
    current_snapshot(guild, now=now)
    for row in _stale_journals(guild)[:JOURNALS_AT_ONCE]:
        render_journal(guild, day=row.day, now=now)


def render_recent(*, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> int:
    """Render what was said since: the log of the newest day and the snapshot. Return of how many guilds."""
    done = 0
    for row in due_work.taken(due_work.Work.PAPERS, now=now, keep_going=keep_going):
        with inside(row):
            done += row.guild.memory_on and _render_newest(row.guild, now=now)
            due_work.put_off(row, None)
    return done


def _render_newest(guild: Guild, *, now: datetime) -> bool:
    """Render the log of the day on which somebody last spoke, and the snapshot; False if nobody spoke since."""
    newest = Message.objects.of(guild).order_by("-sent_at").values_list("sent_at", "received_at").first()
    written = Snapshot.objects.filter(guild=guild).values_list("generated_at", flat=True).first()
    if not newest or (written and newest[1] < written - COMMITTING):
        return False
    render_journal(guild, day=day_of(guild, newest[0]), now=now)
    current_snapshot(guild, now=now, refresh=True)
    return True


def folder(guild: Guild) -> Path:
    """Return where the guild's journals and snapshot lie as files."""
    return Path(settings.DATA_DIR) / "papers" / str(guild.pk)


def _publish(guild: Guild, name: str, rows: QuerySet[Journal] | QuerySet[Snapshot]) -> None:
    """Have the file say what its row says once that is committed; where the row is gone or empty there is no file.

    The row is read once more, and by one process at a time: who comes late writes no older text over a newer one.
    Written beside and renamed, so that nobody reads half of it.
    """
    path = folder(guild) / name

    def write() -> None:
        with one_at_a_time(path.parent.parent), inside(guild):
            if text := rows.values_list("text", flat=True).first():
                path.parent.mkdir(exist_ok=True)
                fresh = path.with_suffix(".new")
                fresh.write_text(text, encoding="utf-8")
                fresh.replace(path)
            else:
                path.unlink(missing_ok=True)

    transaction.on_commit(write)


def _journals_of(guild: Guild, day: date) -> QuerySet[Journal]:
    return Journal.objects.of(guild).filter(day=day)


def snapshot_text(guild: Guild, *, now: datetime) -> str:
    """Return the Markdown of the snapshot, without storing it."""
    facts = Fact.objects.of(guild).active().heard_in(None)
    lore = facts.about(None).order_by("-pinned", "-said_at")[:LORE]
    members: list[str] = []
    for subject, best in groupby(_best_known(guild, facts), key=lambda fact: fact.subject):
        members += [f"- **{line_of(str(subject))}**", *(f"  - {line_of(text)}" for text in _told_of(best))]
    logs = Journal.objects.of(guild).values_list("day", flat=True)[:LOGS]
    parts = [
        f"# Memory of {line_of(str(guild))}",
        f"_Rendered {local(guild, now):%Y-%m-%d %H:%M} {guild.time_zone} from what the whole guild could read._",
    ]
    for title, lines in (
        ("Members", members),
        ("Ongoing lore", [f"- {line_of(fact.text)}" for fact in lore]),
        ("Recent highlights", _highlights(guild, now=now)),
        ("Source logs", [f"- {day}.md" for day in logs]),
    ):
        parts.append("\n".join([f"## {title}", "", *(lines or ["Nothing yet."])]))
    return "\n\n".join(parts) + "\n"


def _best_known(guild: Guild, facts: QuerySet[Fact]) -> list[Fact]:
    """Return some of the facts about each of the first members that any is about, in the order of their names.

    Chosen in the database: a big guild has far more of both.
    """
    known = facts.filter(same_guild(), subject=OuterRef("pk"))
    members = Member.objects.of(guild).filter(remembered(guild), Exists(known)).order_by("label", "pk")
    shown = list(members.values_list("pk", flat=True)[:PEOPLE])
    turn = Window(RowNumber(), partition_by="subject", order_by=["-pinned", "-confidence", "-said_at", "-pk"])
    best = facts.filter(subject__in=shown).annotate(turn=turn).filter(turn__lte=READ_A_PERSON)
    return list(best.select_related("subject").order_by("subject__label", "subject_id", "turn"))


def _told_of(facts: Iterable[Fact]) -> list[str]:
    """Return what is told of somebody, the most lasting first: one line of each matter, as in a profile."""
    oldest_first = enumerate(sorted(facts, key=lambda fact: (fact.said_at, fact.pk)))
    claims = [
        Claim(section="other", text=fact.text, notes=(), confidence=fact.confidence, order=order, pinned=fact.pinned)
        for order, fact in oldest_first
    ]
    fixed, others = ([claim for claim in claims if claim.pinned == pinned] for pinned in (True, False))
    return [claim.text for claim in merged([*fixed, *one_of_each(others)])][:FACTS_A_PERSON]


def _highlights(guild: Guild, *, now: datetime) -> list[str]:
    """Return what the guild decided, planned and told of itself in the days before somebody last spoke, newest first.

    Nobody has more than eight lines of them. Where nothing was learned, it is what was said that mattered most.
    """
    readable = Message.objects.of(guild).said().heard_in(None)
    newest = readable.order_by("-sent_at").values_list("sent_at", flat=True).first() or now
    told = _arranged(guild, since=newest - DAYS_READ) + _learned(guild, since=newest - DAYS_READ)
    kept, by_author, seen = list[tuple[datetime, str]](), Counter[int | None](), set[str]()
    for at, who, label, text in told:
        line = line_of(text)
        if len(kept) < HIGHLIGHTS and by_author[who] < HIGHLIGHTS_AN_AUTHOR and line.casefold() not in seen:
            by_author[who] += 1
            seen.add(line.casefold())
            kept.append((at, f"- {day_of(guild, at)} {line_of(label)}: {clip(line, HIGHLIGHT_CHARS)}"))
    kept.sort(key=lambda row: row[0], reverse=True)
    return [line for _, line in kept] or _said(guild, readable, since=newest - DAYS_READ)


Highlight = tuple[datetime, int | None, str, str]
"""When it was said, of which member, what stands before the colon, and the words."""


def _arranged(guild: Guild, *, since: datetime) -> list[Highlight]:
    """Return what was decided and planned since then and still stands, decisions first, then the newest."""
    rows = arrangements.standing_of(guild).heard_in(None).filter(said_at__gt=since).exclude(change="called_off")
    return [
        (
            row.said_at,
            row.message.author_id,
            f"{'Decided' if row.decided else 'Planned'} by {row.message.author}",
            row.text,
        )
        for row in rows.order_by("-decided", "-said_at", "-pk")[:HIGHLIGHTS]
    ]


def _learned(guild: Guild, *, since: datetime) -> list[Highlight]:
    """Return what members told of themselves since then, the surest first: no more than is shown."""
    facts = Fact.objects.of(guild).active().heard_in(None).filter(remembered(guild, "subject__"), said_at__gt=since)
    best = ["-confidence", "-said_at", "-pk"]
    turn = Window(RowNumber(), partition_by="subject", order_by=best)
    surest = facts.exclude(subject=None).annotate(turn=turn).filter(turn__lte=HIGHLIGHTS_AN_AUTHOR).order_by(*best)
    rows = list(surest.values_list("said_at", "subject", "text")[:HIGHLIGHTS])
    members = Member.objects.of(guild).in_bulk({subject for _, subject, _ in rows})
    return [(at, subject, str(members[subject]), text) for at, subject, text in rows]


def _said(guild: Guild, readable: MessageQuerySet, *, since: datetime) -> list[str]:
    """Return the lines that mattered most: no bare links, no repeats, nobody more than eight times; newest first.

    What people answered comes first; the newest lines fill the rest of a short list.
    """
    recent = readable.filter(remembered(guild, "author__"), sent_at__gt=since).select_related("author")
    read = list(recent.order_by("-sent_at", "-pk")[:READ])
    answered = Counter(message.reply_to for message in read if message.reply_to)
    mattered = [message for message in read if answered[message.platform_id]]
    others = [message for message in read if not answered[message.platform_id]]
    mattered.sort(key=lambda message: answered[message.platform_id], reverse=True)
    kept = _worth_telling([*mattered, *others])
    kept = (
        kept[: max(FEWEST, len([message for message in kept if answered[message.platform_id]]))] if mattered else kept
    )
    kept.sort(key=lambda message: (message.sent_at, message.pk), reverse=True)
    return [f"- {day_of(guild, each.sent_at)} {line_of(str(each.author))}: {line_of(each.text)}" for each in kept]


def _worth_telling(messages: Iterable[Message]) -> list[Message]:
    """Return the first of them that are neither too short nor too long, each text once, of nobody more than eight."""
    kept: list[Message] = []
    seen: set[str] = set()
    by_author: Counter[int] = Counter()
    for message in messages:
        text = line_of(message.text)
        without_links = _LINK.sub("", text).strip()
        key = without_links.casefold()
        if len(without_links) < 8 or len(text) > HIGHLIGHT_CHARS or key in seen:
            continue
        if by_author[message.author_id] >= HIGHLIGHTS_AN_AUTHOR:
            continue
        by_author[message.author_id] += 1
        seen.add(key)
        kept.append(message)
        if len(kept) == HIGHLIGHTS:
            break
    return kept


def journal_text(guild: Guild, day: date) -> str:
    """Return the Markdown of a day's journal, a line a message, without storing it."""
    begin, end = span(guild, day)
    there = Message.objects.of(guild).heard_in(None).readable()
    there = there.filter(sent_at__gte=begin, sent_at__lt=end).select_related("author", "channel")
    lines = [f"# {line_of(str(guild))}, {day}", ""]
    for message in there.annotate(remembered=Case(When(heard(guild, "author"), then=True))).iterator(500):
        author, text = message.author, ""
        who = NOT_REMEMBERED
        if message.remembered:  # type: ignore[attr-defined]
            who = f"{line_of(str(author))} ({author.platform_id})"
            text = f" {line_of(message.text)[:LINE_CHARS]}"
        lines.append(f"- {message.sent_at:%Y-%m-%dT%H:%M:%SZ} | {who} | [channel:{message.channel.platform_id}]{text}")
    return "\n".join(lines) + "\n"


def line_of(text: str) -> str:
    """Return the text on one line, with nothing in it that Markdown would take for its own."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))
