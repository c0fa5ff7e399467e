"""The privacy page: what is stored, how long, who reads it and what members may do, from the settings. Public."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memoryhub.ai import ModelFailed, model_choice
from memoryhub.ai.task import Tier
from memoryhub.community.identity import counts_relationships
from memoryhub.community.models import Guild

COMPANIES = {"openai": "OpenAI", "google": "Google", "anthropic": "Anthropic"}
USES: dict[Tier, tuple[str, str]] = {
    "fast": ("model_fast", "reads messages, to learn facts and to write notes and summaries"),
    "careful": ("model_careful", "reads facts and notes, to settle and sort them"),
    "reply": ("model_reply", "reads what somebody says to the bot with fitting memories, to answer"),
}


COUNTS = "Counts of who talks with whom"


@dataclass(frozen=True)
class Reader:
    """A company whose model reads something, and what."""

    company: str
    uses: list[str]


@dataclass(frozen=True)
class Kept:
    """A kind of data and how long it stays; None for ever."""

    what: str
    days: int | None
    until: str = ""


@require_safe
@login_not_required
def privacy(request: HttpRequest, key: str = "") -> HttpResponse:
    """Tell it for the hub, or for one guild.

    A guild that is not known reads as one that changed no setting, and none is named: nobody learns here who uses it.
    """
    guild = Guild.objects.filter(key=key).first() or Guild(relationships_on=counts_relationships(key))
    context = {
        "guild": guild,
        "of_one": bool(key),
        "kept": kept(guild, of_one=bool(key)),
        "readers": readers(guild),
        "embeddings": COMPANIES.get(settings.MEMORYHUB_EMBEDDING_MODEL.partition(":")[0], ""),
        "asks_first": guild.consent_mode == Guild.ConsentMode.OPT_IN,
        "contact": settings.MEMORYHUB_PRIVACY_CONTACT,
    }
    return render(request, "memoryhub/privacy.html", context)


def kept(guild: Guild, *, of_one: bool = True) -> list[Kept]:
    """Return each kind of data with how long the guild keeps it; of no certain one also what some keep."""
    counts = COUNTS if guild.relationships_on else "" if of_one else f"{COUNTS}, where a community wants it"
    forgotten = "until they are forgotten, corrected or replaced"
    lasting = (
        "with short quotes of what was said" if guild.facts_outlive else "no longer than the messages they rest on"
    )
    return [
        Kept("Text of messages", guild.message_days, "after they were read"),
        Kept("Journal of each day, which repeats messages", guild.journal_days),
        Kept(f"Facts, {lasting}", None, forgotten),
        Kept("Profiles, notes and summaries, in other words", None, "until what they rest on is deleted"),
        *([Kept(counts, None, "fading with time")] if counts else []),
        Kept("Archived facts", guild.archive_days),
        Kept("Calls of models: when, what for, at what cost", guild.call_days),
        Kept("What was done and decided, by number", guild.action_days),
        Kept("Who of the operators looked at or changed what", settings.MEMORYHUB_AUDIT_DAYS),
    ]


def readers(guild: Guild) -> list[Reader]:
    """Return who else reads something; nobody where the rules do the work on the operator's machine."""
    found: dict[str, list[str]] = {}
    for tier, (field, use) in USES.items():
        try:
            choice = model_choice.chosen(tier, own=getattr(guild, field))
        except ModelFailed:
            continue
        if choice is not None:
            company = COMPANIES.get(choice.provider, choice.provider)
            found.setdefault("A server that the operator chose" if choice.base_url else company, []).append(use)
    return [Reader(company, uses) for company, uses in found.items()]
