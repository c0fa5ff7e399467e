"""Messages as tasks see them, and what of them notes and summaries may be written from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from memoryhub.ai import Line
from memoryhub.ai.chat_fence import INSTRUCTION
from memoryhub.community import tombstones
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import remembered
from memoryhub.language import sentences
from memoryhub.safety import carries_instruction, is_request
from notes.models import Message

ANSWERED_WITHIN = timedelta(hours=1)
AT_ONCE = timedelta(minutes=2)  # what a bot says that names no message answers the one right before it


def as_lines(guild: Guild, messages: Iterable[Message]) -> list[Line]:
    """Return the messages as lines of a prompt, in the order given, by the guild's clock; authors should be loaded."""
    rows, zone = list(messages), ZoneInfo(guild.time_zone)
    numbers = {message.platform_id: message.pk for message in rows}
    return [
        Line(
            message=message.pk, author=message.author.pk, name=str(message.author), text=message.text,
            sent_at=message.sent_at.astimezone(zone), answers=numbers.get(message.reply_to),
        )
        for message in rows
    ]  # fmt: skip


def lines_to_tell(guild: Guild, messages: Sequence[Message]) -> list[Line]:
    """Return the lines that notes and summaries are written from, of messages of one channel in order.

    They are without the names of those who were erased, without orders to a model, and without what was asked of a bot:
    of a message to it only what it states is left.
    """
    hidden, told, asked = tombstones.name_hider(guild), list[Line](), _said_to_bots(guild, messages)
    for line in as_lines(guild, messages):
        text = hidden(line.text)
        if carries_instruction(text):
            text = f"({INSTRUCTION})"
        elif line.message in asked:
            first, *rest = sentences(text) or [""]
            stated = [] if is_request(first[asked[line.message] :]) else [first]
            text = " ".join([*stated, *(each for each in rest if not is_request(each))])
        if text:
            told.append(line.model_copy(update={"text": text}))
    return told


def _said_to_bots(guild: Guild, messages: Sequence[Message]) -> dict[int, int]:
    """Return the messages that speak to a bot, each with the length of the name that it calls the bot by.

    They name it, answer it, are answered by it, or stand in a line of one's own.
    """
    if not messages:
        return {}
    channel = messages[0].channel
    alone = guild.kind == Guild.Kind.DIRECT or channel.kind == Channel.Kind.DIRECT
    bots = list(Member.objects.of(guild).filter(is_bot=True))
    called, accounts, answers = _calling(bots), {bot.platform_id for bot in bots}, _answers(guild, messages, bots)
    answered, answer_ids = _answered(messages, answers), {answer.platform_id for answer in answers}
    found = {}
    for message in messages:
        name = called.match(message.text)
        linked = message.platform_id in answered or message.reply_to in answer_ids
        if alone or name or linked or not accounts.isdisjoint(message.mentions):
            found[message.pk] = name.end() if name else 0
    return found


def _calling(bots: Sequence[Member]) -> re.Pattern[str]:
    """Return what a message begins with that calls one of the bots."""
    names = "|".join(re.escape(name) for bot in bots for name in (bot.name, bot.display_name) if name) or "(?!)"
    return re.compile(rf"\W*(?:(?:hey|hi|hello|ok|okay)\W+)?(?:{names})(?!\w)\W*", re.IGNORECASE)


def _answers(guild: Guild, messages: Sequence[Message], bots: Sequence[Member]) -> list[Message]:
    """Return what the bots said between these messages or soon after, and what they reply to of it."""
    near = Q(sent_at__range=(messages[0].sent_at, messages[-1].sent_at + ANSWERED_WITHIN))
    near |= Q(platform_id__in=[message.reply_to for message in messages if message.reply_to])
    rows = Message.objects.of(guild).filter(near, author__in=bots, channel=messages[0].channel)
    return list(rows.order_by("sent_at", "pk"))


def _answered(messages: Sequence[Message], answers: Sequence[Message]) -> set[str]:
    """Return the ids of what was answered; an answer that replies to nothing is one to what was said just before."""
    found = {answer.reply_to for answer in answers}
    for answer in answers:
        before = [m.platform_id for m in messages if answer.sent_at - AT_ONCE <= m.sent_at <= answer.sent_at]
        found |= set(before[-1:] if not answer.reply_to else ())
    return found


def messages_to_tell(guild: Guild) -> QuerySet[Message]:
    """Return what notes and summaries may be written from: people's words, but not of those who are not remembered."""
    return Message.objects.said().filter(remembered(guild, "author__")).select_related("author")
