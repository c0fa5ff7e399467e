"""Puts away what is stored of a sensitive kind that a guild keeps no longer, in batches, in the background."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Model, QuerySet

from memory.facts import changes
from memory.facts.changes import Batch
from memory.index import writing
from memory.models import RESCAN, Action, Fact
from memory.records import job_runs
from memory.records.action_log import log
from memory.withdrawal import withdraw
from memoryhub import db
from memoryhub.community.models import Channel, Guild
from memoryhub.db.guild_scope import in_its_guild
from memoryhub.safety import sensitive
from notes.arrangements import keeping as arrangements
from notes.models import Arrangement, InteractionNote, Question, Summary
from notes.summaries import summarize
from notes.writing import note_safety
from notes.writing.schemas import UNTITLED
from profiles.models import ProfileEntry
from profiles.revision import lost_sources

BEGIN = "facts 0"
AT_ONCE = 200  # rows of a transaction: other writers wait no longer than a moment
STANDING = (Fact.Status.ACTIVE, Fact.Status.SUPERSEDED, Fact.Status.PENDING)


def start_rescan(guild: Guild) -> None:
    """Have everything that the guild knows looked at for what it keeps no longer."""
    Guild.objects.filter(pk=guild.pk).update(rescan=BEGIN)


def continue_rescan(guild: Guild, *, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> None:
    """Do what is left of it, while allowed to."""
    while guild.rescan and keep_going():
        _do_batch(guild, now=now)


def last_report(guild: Guild) -> Action | None:
    """Return what the last look put away, as the action log has it; None before the first."""
    return Action.objects.filter(guild=guild, kind=RESCAN).first()


@transaction.atomic
@in_its_guild
def _do_batch(guild: Guild, *, now: datetime) -> None:
    """Do one batch; where a kind was switched off once more meanwhile, it starts over."""
    db.lock_guild(guild.pk)
    name, _, place = guild.rescan.partition(" ")
    rows, put_away = STEPS[name]
    batch = list(rows(guild).filter(pk__gt=int(place)).order_by("pk")[:AT_ONCE])
    counts = Counter({name: put_away(guild, batch, now)})
    names = list(STEPS)
    following = names[names.index(name) + 1 :]
    after = f"{name} {batch[-1].pk}" if batch else f"{following[0]} 0" if following else ""
    Guild.objects.filter(pk=guild.pk, rescan=guild.rescan).update(rescan=after)
    guild.refresh_from_db()
    done, line = not guild.rescan, last_report(guild)
    if line is None or line.detail["done"]:
        log(RESCAN, guild=guild, actor=RESCAN, now=now, counts=dict(counts), done=done)
    else:
        line.detail = {"counts": dict(Counter(line.detail["counts"]) + counts), "done": done}
        line.save(update_fields=["detail"])


def _is_sensitive(guild: Guild, *texts: str) -> bool:
    return any(sensitive(text, kept=guild.kept_kinds) for text in texts)


def _facts(guild: Guild, facts: Sequence[Fact], now: datetime) -> int:
    gone = [fact for fact in facts if _is_sensitive(guild, fact.text)]
    for fact in gone:
        Batch(actor=RESCAN, now=now).change(fact, changes.Action.ARCHIVE, status=Fact.Status.ARCHIVED)
    return len(gone)


def _entries(guild: Guild, entries: Sequence[ProfileEntry], now: datetime) -> int:
    gone = [entry for entry in entries if _is_sensitive(guild, entry.text)]
    fields = {"status": ProfileEntry.Status.REFUSED, "refused_at": now, "pinned": False}
    ProfileEntry.objects.filter(pk__in=[entry.pk for entry in gone]).update(**fields)
    lost_sources.refresh_summaries(entry.profile_id for entry in gone)
    return len(gone)


def _notes(guild: Guild, notes: Sequence[InteractionNote], _now: datetime) -> int:
    """Take the sensitive sentences out; what else was talked of stays, and days are sorted into topics again."""
    changed = [note for note in notes if _is_sensitive(guild, note.title, note.summary)]
    for note in changed:
        note.title = note_safety.cleaned(note.title, note.title, kept=guild.kept_kinds) or UNTITLED
        note.summary = (
            note_safety.cleaned(note.summary, note.summary, kept=guild.kept_kinds) or note_safety.NOTHING_KEPT
        )
        note.save(update_fields=["title", "summary"])
    writing.index_notes(changed)
    withdraw.drop_told_of(changed)
    for day in {note.note_date for note in changed}:
        job_runs.reopen(guild, day)
    return len(changed)


def _summaries(guild: Guild, rows: Sequence[Summary], _now: datetime) -> int:
    """Drop the summaries that hold something sensitive; they are written again without it."""
    lists = [(row, [*row.topics, *row.threads, *row.unresolved, *row.decisions, *row.glossary]) for row in rows]
    gone = [row for row, texts in lists if _is_sensitive(guild, row.text, *texts)]
    summarize.write_anew(Channel.objects.filter(pk__in=[row.channel_id for row in gone]))
    return len(gone)


def _questions(guild: Guild, rows: Sequence[Question], _now: datetime) -> int:
    gone = [row.pk for row in rows if _is_sensitive(guild, row.text)]
    Question.objects.filter(pk__in=gone).delete()
    return len(gone)


def _arrangements(guild: Guild, rows: Sequence[Arrangement], _now: datetime) -> int:
    gone = [row for row in rows if _is_sensitive(guild, row.text)]
    withdraw.drop_told(row.message for row in gone)
    arrangements.drop(Arrangement.objects.of(guild).filter(pk__in=[row.pk for row in gone]))
    return len(gone)


Rows = Callable[[Guild], QuerySet[Model]]
STEPS: dict[str, tuple[Rows, Callable[..., int]]] = {
    "facts": (lambda guild: Fact.objects.of(guild).filter(status__in=STANDING).select_related("guild"), _facts),
    "entries": (
        lambda guild: ProfileEntry.objects.filter(profile__member__guild=guild, status=ProfileEntry.Status.SHOWN),
        _entries,
    ),
    "notes": (lambda guild: InteractionNote.objects.of(guild), _notes),
    "summaries": (lambda guild: Summary.objects.of(guild), _summaries),
    "questions": (lambda guild: Question.objects.of(guild), _questions),
    "arrangements": (lambda guild: Arrangement.objects.of(guild), _arrangements),
}
