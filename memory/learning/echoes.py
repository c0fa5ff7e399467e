"""Knows memory's own words again when they come back as chat: whoever repeats them, they teach nothing."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from memory.facts import NOTICE
from memory.facts.normalization import normalize
from memory.index.view import View
from memory.learning.said_before import said_before
from memory.models import Evidence
from memoryhub import language
from memoryhub.community.models import Member
from memoryhub.search import keywords
from notes.models import Message

LATELY = timedelta(days=7)  # how long what a bot said may be quoted
MOST_REPLIES = 300  # of the bots in the channel
# Rows of the word index that a line is compared with. Notes are found by their whole talk, so that one which tells the
# line may stand behind others that speak of the same (measured: among 24 as often as among 8 by its own words).
NEAREST, NEAREST_NOTES = 8, 24
SHORTEST = 2  # words; a single one is everybody's
MOST_QUOTES = 500  # of the member, the newest
_FENCE = re.compile(
    rf"</?background_facts>|</?user_memory>|&lt;/?(?:background_facts|user_memory)&gt;|{re.escape(NOTICE)}"
)
_TAG = re.compile(r"</?\w+(?: [^<>]*)?>")
# As a context has it: "[2026-02-24 19:04]"; where the line above says the rest, "[Feb 24]" and "[19:04]".
_MOMENT = r"\[(?:[\d :-]{10,16}|[A-Z][a-z]{2} \d\d?(?: \d\d:\d\d)?|\d\d:\d\d)\]"
_MARKS = re.compile(rf"^(?:[\s>*•·#-]|{_MOMENT}|\d{{4}}-\d\d-\d\d\b|\*\*[^*]{{1,80}}\*\*:)+")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SPEAKER = re.compile(r"^([^\s:][^:]{0,60}): +(?=\S)")


@dataclass(frozen=True)
class Line:
    """A line of a message that a fact would rest on: who is named before it, and what of it is compared.

    `parts` are the line and the sentences of it that the quote is part of, or that are part of the quote, normalized.
    """

    message: Message
    speaker: str
    parts: frozenset[str]

    @property
    def telling(self) -> set[str]:
        """Return the longest plain word of each part: SQLite folds no other letters."""
        return {max(filter(str.isascii, part.split()), key=len, default="") for part in self.parts}


def echoes(quoted: Sequence[tuple[str, Sequence[Message]]]) -> list[bool]:
    """Tell of each quote whether its words are memory's or a bot's, only repeated by who says them.

    Each comes with its messages, all of one channel. The words are an echo when they stand in a context that was
    pasted, or are word for word a fact, a line of a profile, a sentence of a note or summary, what a bot said here
    lately, or what another member is quoted with; but not when memory or the bot has them from this very member.
    """
    lines = [[_line(quote, message) for message in messages] for quote, messages in quoted]
    compared = [line for each in lines for line in each if line.parts and not _FENCE.search(line.message.text)]
    known = Known(compared) if compared else None
    return [
        any(_FENCE.search(line.message.text) or (line.parts and known and known.has(line)) for line in each)
        for each in lines
    ]


def _line(quote: str, message: Message) -> Line:
    cited = normalize(quote)
    line = next((line for line in message.text.splitlines() if cited in normalize(line)), quote)
    speaker, words = _bare(line)
    around = [said for said in map(normalize, language.sentences(words)) if said in cited or cited in said]
    parts = (part for part in (normalize(words), *around) if part.count(" ") + 1 >= SHORTEST)
    return Line(message, speaker, frozenset(parts))


class Known:
    """What memory and bots said that these lines may repeat, read once for all of them."""

    def __init__(self, lines: Sequence[Line]) -> None:
        first, *_ = lines
        self.guild, self.channel = first.message.guild, first.message.channel
        self.lines = list(dict.fromkeys(lines))
        self.near = self._near(("fact", "note"), self.lines)
        times = [line.message.sent_at for line in lines]
        facts, notes = ({pk for near in self.near[kind].values() for pk in near} for kind in ("fact", "note"))
        said = said_before(
            self.channel, parts={part for line in lines for part in line.parts},
            words={word for line in self.lines for word in line.telling}, facts=facts, notes=notes,
            first=min(times) - LATELY, last=max(times), most_replies=MOST_REPLIES,
        )  # fmt: skip
        self.facts, self.labels = said.texts["fact"], said.labels
        self.replies = [(at, _statements(text)) for at, text in said.replies]
        self.about = [text.lower() for text in said.texts["about"].values()]
        self.notes, self.summaries = (
            {pk: _statements(text) for pk, text in said.texts[kind].items()} for kind in ("note", "summary")
        )

    def has(self, line: Line) -> bool:
        """Say if it is a fact, an entry of a profile (the speaker's, where one is named), or what a bot said lately.

        Or another member said it and is named with it: "Alice: I live in Rome". Where facts rest on the very words,
        said by the same member, it is they who repeat themselves.
        """
        found = self._in_rows(line) or self._said_by_bot(line) or self._in_papers(line) or self._said_by_other(line)
        return found and not _told_before(line)

    def _in_rows(self, line: Line) -> bool:
        if any(self.facts.get(pk) in line.parts for pk in self.near["fact"][line]):
            return True
        labels = set[str]().union(*(self.labels[part] for part in line.parts))
        return line.speaker in labels if line.speaker else bool(labels)

    def _said_by_bot(self, line: Line) -> bool:
        at = line.message.sent_at
        if any(at - LATELY <= sent_at <= at and said & line.parts for sent_at, said in self.replies):
            return True
        about = (text for text in self.about if any(word in text for word in line.telling))
        return any(_says(text, line.parts) for text in about)

    def _in_papers(self, line: Line) -> bool:
        """Say if a note or summary has it in words of its own: rules write notes with the words that members said."""
        near = {pk: self.notes[pk] for pk in self.near["note"][line] if pk in self.notes}
        papers = {"notes": near, "summaries": self.summaries}
        found = [(kind, pk) for kind, each in papers.items() for pk, said in each.items() if said & line.parts]
        texts = (Message.objects.filter(**{kind: pk}).values_list("text", flat=True) for kind, pk in found)
        return any(not any(_says(said, line.parts, quoting=True) for said in said_there) for said_there in texts)

    def _said_by_other(self, line: Line) -> bool:
        if not line.speaker:
            return False
        others = Member.objects.of(self.guild).filter(label=line.speaker).exclude(pk=line.message.author_id)
        messages = Message.objects.filter(pk__in=self._near(("message",), [line])["message"][line], author__in=others)
        return any(_says(text, line.parts, quoting=True) for text in messages.values_list("text", flat=True))

    def _near(self, kinds: Sequence[str], lines: Sequence[Line]) -> dict[str, dict[Line, list[int]]]:
        scope = View(guild=self.guild, channel=self.channel).scope(by_member=False)
        queries = [max(line.parts, key=len) for line in lines]
        most = {kind: NEAREST_NOTES if kind == "note" else NEAREST for kind in kinds}
        asked = [keywords.Asked(kind, query, scope, most[kind]) for kind in kinds for query in queries]
        found = iter(keywords.search_all(asked, counted=keywords.Counted(kinds=kinds)))
        return {kind: {line: [match.id for match in next(found)] for line in lines} for kind in kinds}


def _told_before(line: Line) -> bool:
    rows = Evidence.objects.filter(speaker=line.message.author_id, message__isnull=False).exclude(message=line.message)
    quotes = rows.order_by("-pk").values_list("quote", flat=True)[:MOST_QUOTES]
    return any(_says(own, line.parts, quoting=True) for own in quotes)


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


def _says(text: str, parts: Collection[str], *, quoting: bool = False) -> bool:
    """Tell whether one of the parts is a whole line or sentence of the text; lines that name a speaker only quote."""
    return not _statements(text, quoting=quoting).isdisjoint(parts)


def _statements(text: str, *, quoting: bool = False) -> set[str]:
    lines = [words for speaker, words in map(_bare, text.splitlines()) if quoting or not speaker]
    return {normalize(words) for line in lines for words in (line, *language.sentences(line))}
