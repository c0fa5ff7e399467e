"""What the logs hold as ids, counts and words of code, in sentences for who runs a guild."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

from memory.models import JobRun
from memoryhub.community import signatures

Detail = Mapping[str, Any]

WHO = {
    "extraction": "automatically", "retention": "by the rules of retention", "rescan": "by the rules of privacy",
    "forgetting": "because a source went", "narrowing": "because its channel was closed",
    "hub": "the hub", "": "the hub", "member:erased": "somebody who is erased",
}  # fmt: skip
"""Those who sign histories and are nobody."""


def by_whom(actor: str) -> str:
    """Return who signed a change, as people say it: the name without the kind of its account."""
    if actor in WHO:
        return WHO[actor]
    door, name = signatures.parse(actor)
    return f"{name} (by the API)" if door == "api" and name else name or actor


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _joined(parts: Iterable[str], otherwise: str) -> str:
    said = ", ".join(part for part in parts if part)
    return said[:1].upper() + said[1:] if said else otherwise


def _some(counts: Detail, *named: tuple[str, str, str]) -> list[str]:
    """Return those of the counts that are not nothing: by their name, the words for one and for many of it."""
    return [count(counts[name], one, many) for name, one, many in named if counts.get(name)]


PHASES: Mapping[str, Callable[[Detail], str]] = {
    "cluster": lambda each: _joined(
        _some(each, ("notes", "note read", "notes read"), ("topics", "topic found", "topics found")),
        "No notes that day",
    ),
    "profiles": lambda each: _joined(
        _some(
            each, ("revised", "profile revised", "profiles revised"),
            ("dirty", "profile still to be rebuilt", "profiles still to be rebuilt"),
        ),
        "All profiles up to date",
    ),
    "decay": lambda each: _joined(
        _some(
            each, ("stale", "old observation archived", "old observations archived"),
            ("over_limit", "memory archived beyond a member’s limit", "memories archived beyond a member’s limit"),
            ("unreviewed", "memory archived that nobody approved", "memories archived that nobody approved"),
        ),
        "Nothing to archive",
    ),
    "papers": lambda each: _joined(
        _some(each, ("journals", "journal written", "journals written"),
              ("snapshots", "snapshot written", "snapshots written")),
        "Nothing to write",
    ),
}  # fmt: skip


def phase_in_words(phase: str, counts: Detail) -> str:
    """Return what a phase of a nightly run did."""
    return PHASES[phase](counts) if phase in PHASES else ""


def _learned(detail: Detail) -> str:
    counts = detail.get("counts", {})
    facts = counts.get("facts", 0)
    left = sum(number for name, number in counts.items() if name.startswith("left_out_"))
    refused = sum(number for name, number in counts.items() if name.startswith("refused_"))
    rest = [
        f"{count(left, 'message')} held nothing to learn" if left else "",
        f"{refused:,} refused" if refused else "",
    ]
    return f"Read a conversation: {', '.join([count(facts, 'memory', 'memories') + ' learned', *filter(None, rest)])}"


def _night(detail: Detail) -> str:
    phase, status = str(detail.get("phase", "")), str(detail.get("status", ""))
    title = dict(JobRun.Phase.choices).get(phase, phase)
    day = date.fromisoformat(str(detail["day"])) if detail.get("day") else None
    done = phase_in_words(phase, detail) if status == "done" else dict(JobRun.Status.choices).get(status, status)
    return f"Nightly run{f' of {day:%-d %B %Y}' if day else ''}, {title.lower()}: {done[:1].lower()}{done[1:]}"


def _found(did: str, sought: str) -> Callable[[Detail], str]:
    def told(detail: Detail) -> str:
        counts = detail.get("counts", {})
        gone = ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in counts.items() if number)
        return f"{did} {sought}: {gone}" if gone else f"Looked for {sought}: nothing"

    return told


def _of_fact(words: str) -> Callable[[Detail], str]:
    return lambda detail: f"{words} memory {detail.get('fact', '')}".strip()


ERASED = {"member": "all of a member", "channel": "all of a channel", "guild": "all of the guild"}

ACTIONS: Mapping[str, Callable[[Detail], str]] = {
    "consolidation": _night,
    "memory_fact": _learned,
    "retention": _found("Deleted", "what is kept no longer"),
    "rescan": _found("Put away", "what is not kept any more of health and money"),
    "memory_remember": _of_fact("Added"),
    "memory_edit": _of_fact("Edited"),
    "memory_approve": _of_fact("Approved"),
    "memory_refuse": _of_fact("Refused"),
    "memory_archive": _of_fact("Archived"),
    "memory_restore": _of_fact("Restored"),
    "memory_settle": lambda each: (
        f"Found memories {each.get('fact', '')} and {each['other']} both true"
        if each.get("other")
        else f"Found that memory {each.get('fact', '')} contradicts no other"
    ),
    "memory_undo": _of_fact("Undid the last change of"),
    "memory_forget": _of_fact("Deleted"),
    "memory_insist": _of_fact("Kept, although a rule advised against it,"),
    "memory_feedback": _of_fact("Rated"),
    "note_forget": lambda each: f"Deleted note {each.get('note', '')}",
    "note_skipped": lambda each: f"No note of {count(each.get('messages', 0), 'message')}: too little was said",
    "profile_add": lambda _: "Added a line to a profile",
    "profile_edit": lambda _: "Edited a line of a profile",
    "profile_pin": lambda _: "Pinned a line of a profile",
    "profile_unpin": lambda _: "Unpinned a line of a profile",
    "profile_refuse": lambda _: "Refused a line of a profile",
    "profile_restore": lambda _: "Restored a line of a profile",
    "profile_forget": lambda _: "Took a line out of a profile",
    "profile_left_dirty": lambda _: "A profile could not be rebuilt and stays as it was",
    "settings": lambda each: f"Changed settings: {', '.join(each.get('changed', [])).replace('_', ' ')}",
    "member_blocked": lambda each: f"Blocked the account {each.get('member', '')}",
    "member_disowned": lambda each: (
        f"Forgot what member {each.get('member', '')} said: {count(each.get('messages', 0), 'message')}"
    ),
    "member_unblocked": lambda each: f"Unblocked the account {each.get('member', '')}",
    "member_export": lambda each: f"Exported member {each.get('member', '')}",
    "erasure_asked": lambda each: f"Asked to erase {ERASED.get(each.get('what', ''), 'something')} for good",
    "erasure": lambda each: f"Erased for good; {each.get('traces', 0)} traces were left",
    "replay": lambda each: (
        f"Had {count(each.get('buffers', 0), 'conversation')} and {count(each.get('messages', 0), 'message')} "
        "tried again"
    ),
    "digest_error": lambda each: f"Processing a conversation failed, try {each.get('attempts', '?')} of 5",
    "memory_extract_error": lambda each: f"Reading {count(each.get('messages', 0), 'message')} failed",
    "digest_asked": lambda each: f"Ended {count(each.get('conversations', 0), 'conversation')} now",
    "rebuild_asked": lambda each: f"Asked for {count(each.get('profiles', 0), 'profile')} to be rebuilt",
    "channel_switch": lambda each: (
        f"Turned memory {'on' if each.get('on') else 'off'} in {count(len(each.get('channels', [])), 'channel')}"
    ),
    "memory_switch": lambda each: f"Turned memory {'on' if each.get('on') else 'off'} in the whole guild",
    "log_channel": lambda _: "Chose the channel in which moderators are told of this log",
    "channel_opened": lambda _: "A channel can be read by everybody now",
    "channel_closed": lambda _: "A channel was closed: what was learned there is told only there",
    "flood": lambda each: f"Member {each.get('member', '')} wrote more than is read in an hour",
    "left": lambda each: f"The bot left; the memory goes after {count(each.get('purged_after_days', 0), 'day')}",
    "came_back": lambda _: "The bot came back; the memory stays",
    "purged": lambda _: "Deleted the memory of a guild that the bot had left",
    "backfill": lambda each: f"Began to read older messages, about {each.get('expected', '?')}",
    "backfill_cancelled": lambda _: "Stopped reading older messages",
    "model_budget_spent": lambda each: f"The day’s budget for models is spent, after {each.get('tokens', 0):,} tokens",
    "memory_extract_call": lambda each: f"Asked {each.get('model', 'a model')} to read",
    "memory_embedding_call": lambda each: f"Asked {each.get('model', 'a model')} for embeddings",
    "memory_embedding_error": lambda each: f"Embeddings by {each.get('model', 'a model')} failed",
    "recap_written": lambda each: f"Wrote recap {each.get('recap', '')} of {count(each.get('lines', 0), 'line')}",
    "recap_approved": lambda each: f"Had recap {each.get('recap', '')} posted",
    "recap_posted": lambda each: f"Posted recap {each.get('recap', '')}",
    "recap_discarded": lambda each: f"Discarded recap {each.get('recap', '')}",
    "guild_export": lambda each: f"Handed out all of the guild, {count(each.get('messages', 0), 'message')}",
    "webhook_added": lambda each: f"Added webhook {each.get('webhook', '')}",
    "webhook_removed": lambda each: f"Removed webhook {each.get('webhook', '')}",
    "webhook_replayed": lambda each: f"Had webhook {each.get('webhook', '')} tried again",
    "bot_error": lambda each: f"A step failed: {str(each.get('scope', '')).replace('_', ' ')}",
    "voice_error": lambda each: f"Reading a voice transcript failed: {str(each.get('scope', '')).replace('_', ' ')}",
}


def kind_in_words(kind: str) -> str:
    """Return what lines of a kind tell, without their numbers."""
    said = re.split(r"[:;,]", action_in_words(kind, {}))[0]
    return " ".join(re.sub(r"(?<!\w)[0?](?!\w)", " ", said).split())


def action_in_words(kind: str, detail: Detail) -> str:
    """Return a line of the action log as a sentence; one of a kind without its own is told by its name."""
    return ACTIONS[kind](detail) if kind in ACTIONS else kind.replace("_", " ").capitalize()
