"""The steps that turn one conversation into memory: facts, note, profiles, relationships; each resumes by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from memory.index import writing
from memory.jobs import profile_updates, steps
from memory.learning import batches, extraction
from memory.records import job_runs
from memory.records.action_log import log
from memory.withdrawal import withdraw
from memoryhub.ai import ModelFailed, model_choice
from memoryhub.community.models import Member
from memoryhub.db import leases
from memoryhub.db.leases import Clock
from memoryhub.server import instruments, tracing
from notes.arrangements import keeping
from notes.messages import conversations
from notes.models import ChannelBuffer, InteractionNote, Message
from notes.writing import writer
from profiles.relationships import count
from profiles.revision import lost_sources

BUSY = timedelta(seconds=3)
MOST_READINGS = 20  # edited messages make what was said after them be read again


@dataclass
class DigestReport:
    """What a digest did."""

    buffers: int = 0
    failed: int = 0
    busy: int = 0  # conversations that another worker reads, looked at again in a moment
    facts: int = 0
    notes: int = 0


@dataclass
class Read:
    """What a step has read and hands on to the next: who finds nothing here, since the digest resumes, reads it anew.

    Whoever writes by it looks again, in the transaction that writes, whether it is still so.
    """

    said: list[Message] | None = None
    note: InteractionNote | None = None


def digest_buffer(buffer: ChannelBuffer, report: DigestReport, *, clock: Clock) -> None:
    """Turn one claimed conversation into memory, step by step, resuming at the step that failed."""
    with (
        tracing.span("digest", {"memoryhub.guild": buffer.guild_id, "memoryhub.buffer": buffer.pk}) as span,
        instruments.timed(instruments.counted().digest_seconds, outcome="failed") as labels,
        model_choice.at_hand(buffer.guild_id, fast=buffer.guild.model_fast, careful=buffer.guild.model_careful),
    ):
        labels["outcome"] = span["memoryhub.outcome"] = _digest(buffer, report, clock=clock)


def _digest(buffer: ChannelBuffer, report: DigestReport, *, clock: Clock) -> str:
    """Do so, and return how it ended."""
    read = Read()
    try:
        while step := STEPS.get(buffer.step):
            step(buffer, read, report, clock)
            if buffer.step == LAST:
                ended = conversations.finish(buffer, now=clock())
                break
            if not conversations.advance(buffer, now=clock()):
                leases.release(buffer)  # taken over, or reopened: it begins at its first step again
                ended = False
                break
        else:  # of an earlier release
            ended = leases.finish(buffer, status=ChannelBuffer.Status.DONE, digested_at=clock())
        report.buffers += ended
        return "done" if ended else "reopened"
    except batches.ReadElsewhere:
        leases.release(buffer, next_attempt_at=clock() + BUSY)
        report.busy += 1
        return "busy"
    except Exception as error:  # noqa: BLE001  the step boundary: it is written down and tried again
        steps.fail(buffer, error, f"a digest failed: {buffer.step}", now=clock())
        guild, attempts = buffer.guild, buffer.attempts
        log("digest_error", guild=guild, now=clock(), buffer=buffer.pk, step=buffer.step, attempts=attempts)
        report.failed += 1
        return "failed"
    except BaseException:
        leases.release(buffer)  # Ctrl-C: nobody need wait for the claim to run out
        raise


def _extract(buffer: ChannelBuffer, read: Read, report: DigestReport, clock: Clock) -> None:
    """Read what is unread; what was edited while a model read it is read again.

    Words that make every answer unusable wait for another try by themselves, once any of the conversation was read.
    """
    for reading in range(MOST_READINGS):
        read.said = conversations.said_in(buffer)
        unread = batches.of_buffer(buffer, now=clock(), fresh=reading > 0, said=read.said)
        if not unread:
            return
        for place, batch in enumerate(unread):
            if place and not leases.checkpoint(buffer, now=clock()):
                return
            try:
                report.facts += extraction.learn(batch, now=clock())["facts"]
            except ModelFailed as failure:
                done = Message.objects.filter(buffer=buffer, processed_at__isnull=False)
                if not (failure.of_the_words and done.exists()):
                    raise
        if not any(message.edited_at for message in read.said):
            return  # one that is edited from here on reopens the conversation


def _note(buffer: ChannelBuffer, read: Read, report: DigestReport, clock: Clock) -> None:
    messages = writer.messages_of(buffer, read.said)
    arranged, lines = keeping.keep(buffer, messages)
    read.note = note = writer.write_note(buffer, messages, arranged, lines=lines, index=_index)
    if note is None:
        # Where retention let the words go nothing can be written anew: what the note tells is all that is left.
        let_go = Message.objects.filter(buffer=buffer, let_go_at__isnull=False)
        notes = InteractionNote.objects.filter(buffer=buffer).exclude(messages__in=let_go)
        withdraw.drop_notes(list(notes))
        log("note_skipped", guild=buffer.guild, now=clock(), buffer=buffer.pk, messages=buffer.message_count)
        return
    lost_sources.keep_judged(note)
    job_runs.reopen(buffer.guild, note.note_date)
    report.notes += 1


def _index(notes: Sequence[InteractionNote]) -> None:
    """Have the notes found, and nowhere told as they were before."""
    rewritten = [note for note in notes if not note.just_written]
    writing.index_notes(notes)
    withdraw.drop_told_of(rewritten)


def _profiles(buffer: ChannelBuffer, read: Read, _report: DigestReport, clock: Clock) -> None:
    def reached(member: Member) -> bool:
        return leases.checkpoint(buffer, now=clock(), reached=str(member.pk))

    profile_updates.revise_participants(buffer, note=read.note, now=clock(), keep_going=reached)


Step = ChannelBuffer.Step
LAST = Step.RELATE
STEPS: dict[str, Callable[[ChannelBuffer, Read, DigestReport, Clock], object]] = {
    Step.EXTRACT: _extract,
    Step.NOTE: _note,
    Step.PROFILES: _profiles,
    Step.RELATE: lambda buffer, _read, _report, _clock: count.count_buffer(buffer),
}
