"""Collects what may go into the context of a turn, part by part, best first: reads only, embeds the text once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.db.models import Q

from memory.context import already_said, background, budget
from memory.context.found_messages import MESSAGES_HERE, own_among, worth_telling
from memory.context.items import Collected, Item, LeftOut, Parts, Why
from memory.context.turn import DEFAULT_TOKENS, Turn
from memory.index.view import View
from memory.models import Fact
from memory.recall.deduplication import told_once
from memory.recall.own_words import own_words
from memory.recall.ranking import SOME_WORDS
from memory.recall.results import Memory
from memory.recall.retrieval import Asked, embedded_query, retrieve_all
from memory.recall.search import FURTHER, Result, Search, as_memories
from memory.recall.word_overlap import shared_words
from memoryhub import language
from memoryhub.community.models import Channel
from memoryhub.community.querysets import own_and_parent, remembered
from memoryhub.language.clip import clip
from memoryhub.search.scope import Scope
from notes.writing.header import body

QUESTION = 2_000  # characters of the text that are looked for
NOTES, FURTHER_NOTES = 5, 3
MENTIONED = 3  # members named in the text whose profiles go in beside those present
FACTS, FACTS_OF_AUTHOR = 10, 8
FACTS_OF_OTHERS = 5  # each
PRESENT = 12  # members who are asked about one by one; more are at the edge of the conversation
HIDDEN = 10  # facts that must not be told here and are named to an operator
FAILED = 5  # facts that fail the gate and are named among what was left out
MESSAGES, A_MESSAGE = 40, 20  # at least, and for so many tokens of a budget one: how many fit it says itself
SMALL_TALK = 8  # messages about a text: where fewer are, the author's own words follow
OWN_WORDS = 6
READ_MORE = 1_000  # tokens of a budget beyond the usual one for which as many messages are read again as of any search
MOST_FOR_MESSAGES = budget.BY_PART[budget.ANSWERS].cap  # tokens: a bigger budget needs no more messages than this

# How much of one text is shown, in characters: at least (but no more than a budget has tokens), at most, and for each
# token of the budget.
NOTE_SIZE, MESSAGE_SIZE, PROFILE_SIZE = (240, 900, 0.45), (200, background.MESSAGE, 0.2), (110, 2_000, 0.3)


def collect(turn: Turn) -> Collected:
    """Return the items of every part, in the order in which they are to be kept; for a small budget texts are short."""
    # Newest first; copied, since the items of a context are filled in.
    own_transcript = None if turn.transcript is None else [replace(said) for said in turn.transcript[::-1]]
    if not turn.is_remembered:
        return Collected(parts={"transcript": own_transcript or []})
    query = embedded_query(turn.text[:QUESTION])
    view = View(guild=turn.guild, channel=turn.channel, as_of=turn.as_of)
    search = Search(query=query, view=view, now=turn.as_of or turn.now)
    _look_for_all(search, turn)
    transcript, answered = own_transcript, list[LeftOut]()
    if transcript is None:
        transcript, answered = already_said.without_answered(background.transcript(view), turn=turn)
    messages, shown = _messages(search, turn, transcript, answered)
    notes = _notes(search, turn) if turn.text.strip() else []  # ranked by the messages that were found
    lines = _profiles(search, turn, notes)
    profiles, summarized = already_said.without_summarized(lines)
    facts, too_far = _facts(search, turn)
    facts, repeated = already_said.without_repeated_facts(facts, lines, turn=turn, query=query)
    summaries = background.summaries(view)
    parts = {
        "profiles": profiles,
        "channel": summaries.get("profile", []),
        "rolling": summaries.get("rolling", []),
        "relationships": background.relationships(view, turn.members, search.now),
        "facts": facts,
        "notes": notes,
        "messages": messages,
        "transcript": transcript,
    }
    return Collected(parts=_distinct_names(parts), left_out=[*summarized, *repeated, *shown, *too_far, *answered])


def _look_for_all(search: Search, turn: Turn) -> None:
    """Ask the indexes at once for all that is looked for below."""
    far = turn.members[PRESENT:]
    asked = [search.asked("fact"), *(search.asked("fact", [member]) for member in turn.members[:PRESENT])]
    asked += [search.asked("fact", far)] if far else []
    if turn.text.strip():
        further = int(FURTHER * _deeper(turn)) if turn.channel else 1
        asked += [search.asked("note"), search.asked("message", further=further)]
    search.look_for(*asked)


def _notes(search: Search, turn: Turn) -> list[Item]:
    results = relevant_notes(search)
    notes = {note.pk: note for note, _ in results}
    return [
        replace(
            _item(memory), text=_excerpt(body(note.title, note.summary), search, turn, NOTE_SIZE), section=note.title,
        )
        for memory in told_once(as_memories(results))
        if (note := notes[memory.id])
    ]  # fmt: skip


def relevant_notes(search: Search) -> list[Result]:
    """Return up to five notes that answer, else up to three that share words with the question, else none.

    What is near belongs to the embedding model. The channel only decides between notes that are about as good: were it
    put first, a busy channel would hide a closer note elsewhere.
    """
    near, far = search.sift("note", NOTES)
    further, thresholds = [], search.query.thresholds
    for note, ranked in () if near else far:
        covered, cosine = ranked.parts.get("covered", 0.0), ranked.candidate.semantic
        if covered >= SOME_WORDS if cosine is None or thresholds is None else covered and cosine >= thresholds.distant:
            further.append((note, ranked))
    return near or further[:FURTHER_NOTES]


def _profiles(search: Search, turn: Turn, notes: Sequence[Item]) -> list[Item]:
    """Return the profiles of those present, of a few who are mentioned, and of a few whom the notes tell of."""
    mentioned = [member for member in dict.fromkeys(turn.mentioned) if member not in turn.members]
    members = [*turn.members, *mentioned[:MENTIONED]]
    met = background.met_in([note.id for note in notes if isinstance(note.id, int)], without=members) if notes else []
    lines = background.profiles(search.view, members, search.query.text, met=met)
    for line in lines:
        line.text = _excerpt(line.text, search, turn, PROFILE_SIZE)
    return lines


def _facts(search: Search, turn: Turn) -> tuple[list[Item], list[LeftOut]]:
    """Return what the guild knows about the question, and what it knows about each one present, best first."""
    relevant, failed = search.sift("fact", FACTS)
    near, far = turn.members[:PRESENT], turn.members[PRESENT:]
    limits = {member: FACTS_OF_OTHERS if place else FACTS_OF_AUTHOR for place, member in enumerate(near)}
    rest = search.best("fact", FACTS_OF_AUTHOR, members=far) if far else []
    results = {row.pk: (row, ranked) for row, ranked in (*relevant, *search.of_each("fact", limits), *rest)}
    best = sorted(results.values(), key=lambda result: -result[1].score)
    too_far = [result for result in failed if result[0].pk not in results][:FAILED]
    items = [_item(memory) for memory in as_memories([*best, *too_far])]
    because = "It is too far from what was said."
    left_out = [LeftOut(part="facts", item=item, why=Why.GATE, because=because) for item in items[len(best) :]]
    return items[: len(best)], left_out


def _messages(
    search: Search, turn: Turn, transcript: Sequence[Item], answered: Sequence[LeftOut]
) -> tuple[list[Item], list[LeftOut]]:
    """Return messages that share words with the question or are about it, apart from those in the transcript anyway.

    Below one that asks something stands what was said next: it may be the answer, in words of its own. Where few are
    told, what lasts of the author's own words follows.
    """
    answered_ids, more, most = {each.item.id for each in answered}, len(transcript), _most(turn)
    results = []
    if search.query.text.strip():
        results = search.messages(most + more, here=MESSAGES_HERE + more, deeper=_deeper(turn))
    results = search.with_replies(worth_telling(results, search), all_followed=turn.max_tokens > DEFAULT_TOKENS)
    shown = {item.id: item for item in transcript}
    again = [result for result in results if result[0].platform_id in shown]
    known = shown.keys() | answered_ids
    fresh = [result for result in results if result[0].platform_id not in known]
    fresh = own_among(fresh, turn.channel)[:most]
    if len(fresh) < SMALL_TALK and turn.members:
        found = {row.pk for row, _ in (*fresh, *again)}
        own = [each for each in own_words(search.view, turn.members[0], OWN_WORDS) if each[0].pk not in found]
        fresh += [result for result in own if result[0].platform_id not in known]
        again += [result for result in own if result[0].platform_id in shown]
    size = _characters(turn, MESSAGE_SIZE)
    items = [_item(memory, text=clip(memory.text, size)) for memory in as_memories([*fresh, *again])]
    because = "The transcript has it."
    return items[: len(fresh)], [
        LeftOut(part="messages", item=item, why=Why.REPEATED, because=because, repeats=(shown[item.id],))
        for item in items[len(fresh) :]
    ]


def _deeper(turn: Turn) -> float:
    return 1 + max(0, min(turn.max_tokens, MOST_FOR_MESSAGES) - DEFAULT_TOKENS) / READ_MORE


def _most(turn: Turn) -> int:
    return max(MESSAGES, min(turn.max_tokens, MOST_FOR_MESSAGES) // A_MESSAGE)


def _excerpt(text: str, search: Search, turn: Turn, sizes: tuple[int, int, float]) -> str:
    """Return at most so many characters: the sentences that share most words with the question, in their order."""
    size = _characters(turn, sizes)
    if len(text) <= size:
        return text
    sentences, room, kept = language.sentences(text), size, set()
    shared = [shared_words(search.query.text, sentence) for sentence in sentences]
    for place in sorted(range(len(sentences)), key=lambda place: (-shared[place], place)):
        if len(sentences[place]) < room:
            kept.add(place)
            room -= len(sentences[place]) + 1
    return " ".join(sentences[place] for place in sorted(kept)) or clip(text, size)


def _characters(turn: Turn, sizes: tuple[int, int, float]) -> int:
    least, most, a_token = sizes
    return min(most, max(min(least, turn.max_tokens), int(turn.max_tokens * a_token)))


def _item(memory: Memory, *, text: str | None = None) -> Item:
    """Return a memory as an item, in other words than its own if these are given."""
    return Item(
        text=memory.text if text is None else text, kind=memory.kind, id=memory.id, about=memory.member or "",
        member=memory.member_id or "", at=memory.created_at, score=memory.score, scores=memory.scores,
        sources=memory.sources,
    )  # fmt: skip


def _distinct_names(parts: Parts) -> Parts:
    """Add the account's id to a name that several members have, so that nothing is told of the wrong one."""
    bearers: dict[str, set[str]] = {}
    for item in (item for items in parts.values() for item in items if item.member):
        bearers.setdefault(item.about, set()).add(item.member)
    shared = {name for name, members in bearers.items() if len(members) > 1}
    return {
        name: [replace(item, about=f"{item.about} ({item.member})") if item.about in shared else item for item in items]
        for name, items in parts.items()
    }


def withheld(turn: Turn) -> list[LeftOut]:
    """Return what must not be told here although it fits: facts of other audiences, for operators, who may see all."""
    guild, channel = turn.guild, turn.channel
    elsewhere = Channel.objects.of(guild).filter(Q(audience=Channel.Audience.CHANNEL) | Q(open_since__isnull=False))
    if channel is not None:
        elsewhere = elsewhere.exclude(pk__in=own_and_parent(channel))
    closed = list(elsewhere.values_list("pk", flat=True))
    if not closed:
        return []
    asked = Asked("fact", Scope(guild=guild.pk, audiences=closed))
    hits = retrieve_all(embedded_query(turn.text), [asked])[0] if turn.text.strip() else {}
    facts = Fact.objects.of(guild).active().filter(Q(pk__in=hits) | Q(subject__in=turn.members), audience__in=closed)
    allowed = facts.filter(Q(subject=None) | remembered(guild, "subject__"))
    return [
        LeftOut(
            part="facts", why=Why.AUDIENCE,
            because=f"It was said in {fact.audience}, which not everybody here can read.",
            item=Item(
                text=fact.text, kind="fact", id=fact.pk, about=str(fact.subject or ""), at=fact.said_at,
                member=fact.subject.platform_id if fact.subject else "",
            ),
        )
        for fact in allowed.select_related("subject", "audience")[:HIDDEN]
    ]  # fmt: skip
