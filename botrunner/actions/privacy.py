"""What is stored, how long, how much of it is the caller's, and who reads it: by the guild's own settings."""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings

from botrunner.actions import caller as asking
from botrunner.actions.caller import Caller
from botrunner.actions.escape import plain
from memoryhub.ai import ModelFailed
from memoryhub.ai.model_choice import chosen
from memoryhub.community import consent
from memoryhub.community.models import Guild
from notes.models import InteractionNote, Message


def privacy(caller: Caller) -> str:
    """Tell what is stored, about whom, and who else gets to see it."""
    guild, member = asking.guild_of(caller) or Guild(key=caller.guild.key), asking.member_of(caller)
    counts = {
        "messages": Message.objects.filter(author=member, deleted_at=None).count() if member else 0,
        "facts": asking.facts(caller).count(),
        "notes": InteractionNote.objects.filter(participants=member).count() if member else 0,
    }
    heard = guild.memory_on and consent.remembers_account(guild, caller.person.id)
    return _told(guild, counts, heard=heard, model=_model(guild))


def _told(guild: Guild, counts: Mapping[str, int], *, heard: bool, model: str) -> str:
    """Return what is stored, how long, and who sees it."""
    reader = f"They are read by the model {model}." if model else "They are read by rules on this server, by no model."
    which = "that mention it or answer it" if guild.addressed_only else "in the channels it can read"
    left_out = [name for name, wanted in _left_out(guild) if not wanted]
    stays = guild.facts_outlive or not guild.message_days
    after = "stays until it is forgotten" if stays else "goes with them"
    days = f"for {guild.message_days} days" if guild.message_days else "until they are deleted"
    return "\n".join([
        "**What this bot stores**",
        f"The text of messages {which}, and what it learns from them: facts, notes, profiles. {reader}",
        *([f"Not {', '.join(left_out)}."] if left_out else []),
        f"Texts are kept {days}; what was learned from them {after}.",
        f"Of you here: messages {counts['messages']}, facts {counts['facts']}, notes {counts['notes']}.",
        "What you say is stored." if heard else "What you say is not stored.",
        "What you delete is forgotten. What is learned in a channel that not everybody can read stays in that channel.",
        "`/memory list` shows what is known about you, `/memory forget` erases it, `/memory optout` stops the storing, "
        "`/memory export` hands you all of it.",
        *_more(guild),
    ])  # fmt: skip


def _model(guild: Guild) -> str:
    """Return the model that learns, or nothing where the rules do, or where its setting can't be read."""
    try:
        return str(chosen("fast", own=guild.model_fast) or "")
    except ModelFailed:
        return ""


def _more(guild: Guild) -> list[str]:
    """Return where the whole policy stands and whom to ask, as far as the operator has told."""
    sites = [origin for origin in settings.CSRF_TRUSTED_ORIGINS if "*" not in origin]
    policy = [f"The whole of it: {sites[0].rstrip('/')}/privacy/{guild.key}/"] if sites else []
    contact = settings.MEMORYHUB_PRIVACY_CONTACT
    return [*policy, *([f"Questions: {plain(contact)}"] if contact else [])]


def _left_out(guild: Guild) -> list[tuple[str, bool]]:
    return [
        ("private threads", guild.hears_private_threads),
        ("age-restricted channels", guild.hears_nsfw),
        ("messages with 🚫 or ⛔ in them", not guild.heeds_no_entry),
    ]
