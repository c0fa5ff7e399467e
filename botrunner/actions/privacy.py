"""What is stored, how long, how much of it is the caller's, and who reads it: by the guild's own settings."""

from __future__ import annotations

from django.conf import settings

from botrunner.actions.caller import Caller, facts_of, guild_of, member_of
from botrunner.actions.escape import plain
from memoryhub.ai import ModelFailed
from memoryhub.ai.model_choice import chosen
from memoryhub.community import consent
from memoryhub.community.models import Guild
from notes.models import InteractionNote, Message


def describe(caller: Caller) -> str:
    """Tell what is stored, about whom, and who else gets to see it."""
    guild, member = guild_of(caller) or Guild(key=caller.guild.key), member_of(caller)
    messages = Message.objects.filter(author=member, deleted_at=None).count() if member else 0
    notes = InteractionNote.objects.filter(participants=member).count() if member else 0
    heard = guild.memory_on and consent.remembers_account(guild, caller.person.id)
    which = "that mention it or answer it" if guild.addressed_only else "in the channels it can read"
    stays = guild.facts_outlive or not guild.message_days
    after = "stays until it is forgotten" if stays else "goes with them"
    days = f"for {guild.message_days} days" if guild.message_days else "until they are deleted"
    return "\n".join([
        "**What this bot stores**",
        f"The text of messages {which}, and what it learns from them: facts, notes, profiles. {_reader(guild)}",
        *_left_out(guild),
        f"Texts are kept {days}; what was learned from them {after}.",
        f"Of you here: messages {messages}, facts {facts_of(caller).count()}, notes {notes}.",
        "What you say is stored." if heard else "What you say is not stored.",
        "What you delete is forgotten. What is learned in a channel that not everybody can read stays in that channel.",
        "`/memory list` shows what is known about you, `/memory forget` erases it, `/memory optout` stops the storing, "
        "`/memory export` hands you all of it.",
        *_contacts(guild),
    ])  # fmt: skip


def _reader(guild: Guild) -> str:
    """Return who reads messages: the model that learns, or the rules, also where the model's setting can't be read."""
    try:
        model = str(chosen("fast", own=guild.model_fast) or "")
    except ModelFailed:
        model = ""
    return f"They are read by the model {model}." if model else "They are read by rules on this server, by no model."


def _left_out(guild: Guild) -> list[str]:
    """Return what the guild keeps nothing of, in a sentence if there is any."""
    kept = {
        "private threads": guild.hears_private_threads,
        "age-restricted channels": guild.hears_nsfw,
        "messages with 🚫 or ⛔ in them": not guild.heeds_no_entry,
    }
    names = [name for name, wanted in kept.items() if not wanted]
    return [f"Not {', '.join(names)}."] if names else []


def _contacts(guild: Guild) -> list[str]:
    """Return where the whole policy stands and whom to ask, as far as the operator has set it."""
    sites = [origin for origin in settings.CSRF_TRUSTED_ORIGINS if "*" not in origin]
    policy = [f"The whole of it: {sites[0].rstrip('/')}/privacy/{guild.key}/"] if sites else []
    contact = settings.MEMORYHUB_PRIVACY_CONTACT
    return [*policy, *([f"Questions: {plain(contact)}"] if contact else [])]
