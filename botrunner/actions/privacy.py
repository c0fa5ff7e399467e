"""What is stored, how long, how much of it is the caller's, and who reads it; and a copy of what is theirs."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings

from botrunner.actions import texts_members
from botrunner.actions.caller import Caller, facts_of, guild_of, member_of
from botrunner.actions.community import texts_who
from botrunner.actions.escape import plain
from memory.erasure.export import export_member, file_name, log_export
from memory.models import Action
from memoryhub.ai import ModelFailed
from memoryhub.ai.model_choice import chosen
from memoryhub.community import consent
from memoryhub.community.models import Guild, Member
from notes.models import InteractionNote, Message

A_MINUTE = timedelta(minutes=1)
"""Between two copies: making one reads everything of the caller's."""


def describe(caller: Caller) -> str:
    """Tell what is stored, about whom, and who else gets to see it, by the settings of the guild or direct chat."""
    direct = caller.channel is not None and caller.channel.kind == "direct"
    guild, member = guild_of(caller) or Guild(key=caller.guild.key), member_of(caller)
    heard = guild.memory_on and consent.remembers_account(guild, caller.person.id)
    which = "that mention it or answer it" if guild.addressed_only else "in the channels it can read"
    stays_in = "What is learned in a channel that not everybody can read stays in that channel."
    if direct:
        which, stays_in = "in this chat", "What is learned here stays in this chat."
    left_out = _left_out(guild, direct=direct)
    found = texts_who.IS_FOUND if member is None or member.findable else texts_who.IS_NOT_FOUND
    sites = [origin for origin in settings.CSRF_TRUSTED_ORIGINS if "*" not in origin]
    contact = settings.MEMORYHUB_PRIVACY_CONTACT
    return "\n".join([
        "**What this bot stores**",
        f"The text of messages {which}, and what it learns: memories, notes, profiles. They are read {_reader(guild)}.",
        *([f"Not {left_out}."] if left_out else []),
        _kept(guild),
        _counts(caller, member),
        "What you say is stored." if heard else "What you say is not stored.",
        *([found] if heard and not direct else []),
        f"What you delete is forgotten. {stays_in}",
        "`/memory list` shows what is known about you, `/memory forget` erases it, `/memory optout` stops the storing, "
        "`/memory export` hands you all of it.",
        *([f"The whole of it: {sites[0].rstrip('/')}/privacy/{guild.key}/"] if sites else []),
        *([f"Questions: {plain(contact)}"] if contact else []),
    ])  # fmt: skip


def _reader(guild: Guild) -> str:
    try:
        model = str(chosen("fast", own=guild.model_fast) or "")
    except ModelFailed:  # its setting can't be read
        model = ""
    return f"by the model {model}" if model else "by rules where this bot runs, by no model"


def _left_out(guild: Guild, *, direct: bool) -> str:
    places = {"private threads": guild.hears_private_threads, "age-restricted channels": guild.hears_nsfw}
    kept = ({} if direct else places) | {"messages with 🚫 or ⛔ in them": not guild.heeds_no_entry}
    return ", ".join(name for name, wanted in kept.items() if not wanted)


def _kept(guild: Guild) -> str:
    days = f"for {guild.message_days} days" if guild.message_days else "until they are deleted"
    stays = guild.facts_outlive or not guild.message_days
    after = "stays until it is forgotten" if stays else "goes with them"
    return f"Texts are kept {days}; what was learned from them {after}."


def _counts(caller: Caller, member: Member | None) -> str:
    messages = Message.objects.filter(author=member, deleted_at=None).count() if member else 0
    notes = InteractionNote.objects.filter(participants=member).count() if member else 0
    return f"Of you here: messages {messages}, memories {facts_of(caller).count()}, notes {notes}."


def export(caller: Caller, folder: Path, *, now: datetime) -> Path | str:
    """Write all that is stored of the caller into a zip in the folder; where that can't be, return why."""
    member = member_of(caller)
    if member is None:
        return texts_members.NOTHING_STORED
    lately = Action.objects.filter(kind="member_export", guild=member.guild, at__gt=now - A_MINUTE)
    if lately.filter(actor=caller.actor, detail__member=member.pk).exists():
        return texts_members.NOT_SO_FAST
    log_export(member, actor=caller.actor, now=now)
    return export_member(member, now=now, into=folder / file_name(member, now=now))
