"""What is wrong with the hub, in words, with what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from memory.curation.statistics import Activity, Overview
from memory.erasure import left_guilds
from memory.models import JobRun
from memory.records import action_log, model_budgets, skipped
from memoryhub.ai import ModelFailed
from memoryhub.ai.model_choice import chosen
from memoryhub.ai.probe import describe
from memoryhub.site import health_endpoint


@dataclass(frozen=True)
class Warn:
    """Something that an operator should see: what it is and what to do."""

    text: str
    remedy: str
    page: str = ""  # where it is looked at or mended: the name of its address


def warnings(seen: Overview, *, now: datetime) -> list[Warn]:
    """Return what an operator should see, the worst first."""
    found = [
        _worker(seen.activity, now),
        *_settings(),
        *_calls(now),
        _parked(seen.activity),
        _profiles(seen.activity),
        _failed(seen),
        _withheld(now),
        _leaving(),
    ]
    return [warning for warning in found if warning]


def model_name() -> str:
    """Return the model that learns, or nothing when the hub works by rules (or the setting can't be read)."""
    try:
        return str(chosen("fast") or "")
    except ModelFailed:
        return ""


def _worker(doing: Activity, now: datetime) -> Warn | None:
    late = doing.oldest_waiting is not None and now - doing.oldest_waiting > health_endpoint.LATE
    if not late and health_endpoint.take(now=now).queue == "ok":
        return None
    return Warn(
        "Work is waiting, and nobody takes it up.",
        "Is the worker running? “make run” starts it together with the web server.",
        "work",
    )


def _settings() -> list[Warn]:
    """Return what the models' settings lack; what several tiers say alike is told once."""
    wrong = dict.fromkeys(finding.message for finding in describe() if not finding.ok)
    return [Warn("A model can’t be used.", message) for message in wrong]


def _calls(now: datetime) -> list[Warn]:
    """Tell of models that refuse or are away, and of how many budgets are spent: not everybody may know whose."""
    remedy = "What they were to learn waits. “manage.py doctor --probe” asks each model again."
    refusing = [
        Warn(f"{model}: {told}", remedy, "model-calls")
        for model, told in action_log.models_needing_operator(now=now).items()
    ]
    later = "Three calls in a row failed. What they were to learn waits and is tried again by itself."
    refusing += [
        Warn(f"{model}: {told}", later, "model-calls") for model, told in action_log.models_unavailable(now=now).items()
    ]
    if not (spent := len(model_budgets.guilds_over_budget(now=now))):
        return refusing
    told = f"Guilds that have spent today’s budget for models: {spent}."
    then = "The embedded rules do the work until their midnight. The action log names them."
    return [*refusing, Warn(told, then, "actions")]


def _parked(doing: Activity) -> Warn | None:
    if not doing.parked_buffers + doing.parked_messages:
        return None
    return Warn(
        f"Parked after too many failures: conversations {doing.parked_buffers}, messages {doing.parked_messages}.",
        "Nothing is lost. “Work” shows why; mend the cause, then try again there or by “manage.py parked --replay”.",
        "work",
    )


def _profiles(doing: Activity) -> Warn | None:
    if not doing.parked_profiles:
        return None
    return Warn(
        f"Profiles that no model could rebuild, five times: {doing.parked_profiles}. They are as they were.",
        "The action log says which rules the answers broke; “manage.py rebuild_profiles --guild KEY” tries again.",
        "actions",
    )


def _failed(seen: Overview) -> Warn | None:
    failed = [run for run in seen.job_runs if run.status in (JobRun.Status.FAILED, JobRun.Status.PARKED)]
    if not failed:
        return None
    run = failed[0]
    return Warn(
        f"The nightly job failed lately: {run.get_phase_display().lower()} of {run.guild}, {run.day}.",
        "“Work” tells the error, and runs it again; so does “manage.py consolidate”.",
        "work",
    )


def _withheld(now: datetime) -> Warn | None:
    """Tell of messages that Discord did not show: the portal's switch is off, or went off."""
    today = now.astimezone(UTC).date()
    count = sum(each.count for each in skipped.counts_since(today) if each.reason == skipped.WITHHELD)
    if not count:
        return None
    return Warn(
        f"Discord withheld the text of {count:,} messages today. They are not stored.",
        "Switch on the message content intent in the developer portal (Bot, Privileged Gateway Intents) and restart "
        "the bot; or write DISCORD_MESSAGE_CONTENT=off if it is to hear only what is said to it.",
    )


def _leaving() -> Warn | None:
    going = sorted(when for _, when in left_guilds.guilds_to_purge())
    if not going:
        return None
    return Warn(
        f"Guilds that the bot was removed from: {len(going)}. The next is purged on {going[0]:%d %B %Y}.",
        "Invite the bot again to keep its memory, or change in its settings after how many days it goes.",
        "guild-settings",
    )
