"""Knows memory's own words again when they come back as chat: whoever repeats them, they teach nothing."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from datetime import timedelta
from functools import reduce
from operator import or_

from django.db.models import Q

from memory.facts import NOTICE
from memory.facts.normalization import normalize
from memory.index.view import View
from memory.models import Evidence, Fact
from memoryhub import language
from memoryhub.community.models import Member
from memoryhub.search import keywords
from notes.models import InteractionNote, Message, Summary
from profiles.models import Profile, ProfileEntry

LATELY = timedelta(days=7)  # how long what a bot said may be quoted
MOST_REPLIES = 200  # of the bots in the channel
NEAREST = 8  # rows of the word index that a line is compared with
SHORTEST = 2  # words; a single one is everybody's
MOST_QUOTES = 500  # of the member, the newest
_FENCE = re.compile(
    rf"</?background_facts>|</?user_memory>|&lt;/?(?:background_facts|user_memory)&gt;|{re.escape(NOTICE)}"
)
_TAG = re.compile(r"</?\w+(?: [^<>]*)?>")
_MARKS = re.compile(r"^(?:[\s>*•·#-]|\[[\d :-]{10,16}\]|\d{4}-\d\d-\d\d\b|\*\*[^*]{1,80}\*\*:)+")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SPEAKER = re.compile(r"^([^\s:][^:]{0,60}): +(?=\S)")


def is_echo(quote: str, messages: Iterable[Message]) -> bool:
    """Tell whether the words that a fact would rest on are memory's or a bot's, only repeated by who says them.

    They are when they stand in a context that was pasted, or are word for word a fact, a line of a profile, a sentence
    of a note or summary, what a bot said here lately, or what another member is quoted with; but not when memory or the
    bot has them from this very member.
    """
    cited = normalize(quote)
    for message in messages:
        if _FENCE.search(message.text):
            return True
        line = next((line for line in message.text.splitlines() if cited in normalize(line)), quote)
        speaker, words = _bare(line)
        # The line, and the sentences of it that the quote is part of, or that are part of the quote.
        around = [said for said in map(normalize, language.sentences(words)) if said in cited or cited in said]
        parts = {part for part in (normalize(words), *around) if part.count(" ") + 1 >= SHORTEST}
        if parts and _is_known(parts, message, speaker):
            rows = Evidence.objects.filter(speaker=message.author_id, message__isnull=False).exclude(message=message)
            quotes = rows.order_by("-pk").values_list("quote", flat=True)[:MOST_QUOTES]
            # Where facts rest on the very words, said by the same member, it is they who repeat themselves.
            if not any(_says(own, parts, quoting=True) for own in quotes):
                return True
    return False


def _is_known(parts: set[str], message: Message, speaker: str) -> bool:
    """Say if it is a fact, an entry of a profile (the speaker's, where one is named), or what a bot said lately.

    Or another member said it and is named with it: "Alice: I live in Rome".
    """
    if Fact.objects.filter(pk__in=_near("fact", parts, message), normalized__in=parts).exists():
        return True
    entries = ProfileEntry.objects.filter(profile__member__guild=message.guild_id, normalized__in=parts)
    if (entries.filter(profile__member__label=speaker) if speaker else entries).exists():
        return True
    replies = Message.objects.filter(
        channel=message.channel_id, author__is_bot=True, deleted_at=None, tool_summary=False,
        sent_at__range=(message.sent_at - LATELY, message.sent_at),
    )  # fmt: skip
    texts = replies.order_by("-sent_at").values_list("text", flat=True)[:MOST_REPLIES]
    if any(_says(text, parts) for text in (*texts, *_summaries(parts, message))) or _in_papers(parts, message):
        return True
    others = Member.objects.of(message.guild).filter(label=speaker or None).exclude(pk=message.author_id)
    messages = Message.objects.filter(pk__in=_near("message", parts, message) if speaker else [], author__in=others)
    return any(_says(text, parts, quoting=True) for text in messages.values_list("text", flat=True))


def _bare(line: str) -> tuple[str, str]:
    """Return who is named before the line, and its words without what a context puts around them."""
    plain = _TAG.sub(" ", html.unescape(line)).replace("\\", "").strip()
    plain = _without_sources(_MARKS.sub("", plain))
    found = _SPEAKER.match(plain)
    return (found[1], plain[found.end() :]) if found else ("", plain)


def _without_sources(line: str) -> str:
    """Return a line without the ids in brackets and the dates in parentheses that it ends with.

    From the end, by hand: a pattern tries anew at each of the spaces inside a line, and takes its square.
    """
    end = len(line.rstrip())
    while line.endswith(("]", ")"), 0, end):
        opening, closing = ("[", "]") if line[end - 1] == "]" else ("(", ")")
        start = line.rfind(opening, 0, end)
        if start < 0 or closing in line[start : end - 1] or not (closing == "]" or _DAY.search(line, start, end)):
            break
        end = start
        while end and line[end - 1].isspace():
            end -= 1
    return line[:end]


def _summaries(parts: set[str], message: Message) -> Iterable[str]:
    """Return the guild's members' summaries that have a part's longest plain word: SQLite folds no other letters."""
    telling = [max(filter(str.isascii, part.split()), key=len, default="") for part in parts]
    having = reduce(or_, (Q(summary__icontains=word) for word in telling))
    return Profile.objects.filter(having, member__guild=message.guild_id).values_list("summary", flat=True)


def _in_papers(parts: set[str], message: Message) -> bool:
    """Say if a note or summary has it in words of its own: rules write notes with the words that members said."""
    notes = InteractionNote.objects.filter(pk__in=_near("note", parts, message))
    papers: list[tuple[InteractionNote | Summary, str]] = [(note, note.summary) for note in notes]
    papers += [(paper, paper.text) for paper in Summary.objects.of(message.guild).filter(channel=message.channel_id)]
    return any(
        _says(text, parts)
        and not any(_says(said, parts, quoting=True) for said in paper.messages.values_list("text", flat=True))
        for paper, text in papers
    )


def _near(kind: str, parts: set[str], message: Message) -> list[int]:
    scope = View(guild=message.guild, channel=message.channel).scope(by_member=False)
    return [match.id for match in keywords.search(kind=kind, query=max(parts, key=len), scope=scope, limit=NEAREST)]


def _says(text: str, parts: set[str], *, quoting: bool = False) -> bool:
    """Tell whether one of the parts is a whole line or sentence of the text; lines that name a speaker only quote."""
    lines = [words for speaker, words in map(_bare, text.splitlines()) if quoting or not speaker]
    return any(normalize(words) in parts for line in lines for words in (line, *language.sentences(line)))
