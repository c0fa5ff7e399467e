"""Facts out of chat lines without a model: clear shapes at 0.7, other statements at 0.4, a gate before both."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from memory.facts.confidence import LORE_CONFIDENCE
from memory.facts.schemas import MAX_FACT, Candidate, Candidates, ExtractionInput
from memory.rules import (
    answers,
    decider,
    named_endings,
    other_languages,
    patterns,
    rewrite,
    third_parties,
    transient,
    trim,
    work_talk,
)
from memoryhub import language, safety
from memoryhub.ai.chat_fence import Line
from memoryhub.community.labels import bearers
from memoryhub.language import assertion_filter, place_names
from memoryhub.language.grammar import FIRST_WORDS
from memoryhub.language.word_lists import Shapes, spoken

_SHAPES = Shapes(__file__, patterns.SHAPES.rows)
_TELLING = FIRST_WORDS | rewrite.OPENING_WORDS | other_languages.OPENING_WORDS
_HOUSEHOLD = _SHAPES.words("household")
PAIR = 2  # members; in a talk of more nobody knows who "we" are
PER_MESSAGE = 4  # facts kept of one message
CLEAR, PLAIN = 0.7, 0.4
OTHER_LANGUAGE, HEARSAY = 0.6, 0.5
_ENDS = {"until", "till", "by", "before"}
MIN_PLAIN, MIN_TURN = 3, 2  # words that carry meaning, in a statement of no known shape, and in one of a turn


@dataclass(frozen=True, slots=True)
class Talk:
    """What the lines around a sentence say of it: work at a screen, and whether "we" may be a group.

    `names` says whom a name means, `learn` which messages are learnt from, `kept` what the guild keeps of health and
    money.
    """

    work: bool
    crowd: bool
    names: dict[str, int]
    learn: set[int]
    kept: Sequence[str]


def extract(given: ExtractionInput) -> Candidates:
    """Return the candidates of the messages to learn from, in the order they were said."""
    spoke, mentioned = (
        ((line.name, line.author) for line in given.lines),
        ((n, pk) for pk, n in given.mentioned.items()),
    )
    talk = Talk(
        work=work_talk.is_work(given.lines), crowd=len({line.author for line in given.lines}) > PAIR,
        names=bearers([*spoke, *mentioned]), learn=set(given.learn_from), kept=given.kept,
    )  # fmt: skip
    facts = list[Candidate]()
    told: defaultdict[int | None, list[str]] = defaultdict(list)
    for known in given.known:
        told[known.subject].append(known.text)
    for at, line in enumerate(given.lines):
        if line.message not in talk.learn:
            continue
        found: dict[str, Candidate] = {}
        member = given.tool_summaries.get(line.message)
        for fact in _of_line(line, given.lines[:at], talk, told[line.author], member=member):
            found.setdefault(fact.text.casefold(), fact)
        best = sorted(found.values(), key=lambda fact: -fact.confidence)[:PER_MESSAGE]
        for fact in best:
            fact.quote = _as_said(_without_sensitive(fact, given.kept), line)
        facts += [fact for fact in found.values() if fact in best]
        told[line.author] += [fact.text for fact in best if fact.subject == line.author]
    return Candidates(facts=facts)


def _of_line(
    line: Line, before: Sequence[Line], talk: Talk, known: list[str], *, member: int | None
) -> Iterator[Candidate]:
    """Yield what a line states with those before it, then sentence by sentence; nothing of a joke.

    `member` is whom a bot tells in it what a tool found.
    """
    text = assertion_filter.without_quotes(line.text)
    if assertion_filter.is_joke(text):
        return
    yield from _beside_others(line, before, talk)
    said = language.sentences(language.clean(text))
    for place, sentence in enumerate(said):
        if member:
            yield from _of_tool(sentence, line, member)
            continue
        # What nobody says "I" of may be told of another, or of what is wanted.
        of_others = FIRST_WORDS.isdisjoint(spoken(sentence)) and (
            _SHAPES["sought"].search(line.text)
            or answers.is_of_another(line, before)
            or _SHAPES["other"].search(sentence)
            or _goes_on_about_another(said[:place], talk.names)
        )
        stated = _of_sentence(sentence, line, talk, known)
        yield from (fact for fact in stated if not of_others or fact.subject != line.author)


def _as_said(quote: str, line: Line) -> str:
    """Return a quote without the full stop that took the place of a request: it is ours."""
    ours = quote.endswith(".") and " ".join(quote.split()) not in " ".join(line.text.split())
    return quote.removesuffix(".") if ours else quote


def _without_sensitive(fact: Candidate, kept: Sequence[str]) -> str:
    """Return the part of a fact's quote that states it, where another part tells of health or money; else all of it."""
    if not _is_sensitive(fact.quote, kept) or _is_sensitive(fact.text, kept):
        return fact.quote
    parts = [*_SHAPES["part"].split(fact.quote), *_SHAPES["of_own"].findall(fact.quote)]
    stating = (part for part in parts if not _is_sensitive(part, kept) and safety.supported(fact.text, part))
    return next(stating, fact.quote)


def _is_sensitive(text: str, kept: Sequence[str]) -> bool:
    return safety.carries_diagnosis(text) or bool(safety.sensitive(text, kept=kept))


def _goes_on_about_another(before: Sequence[str], names: dict[str, int]) -> bool:
    """Say if what stands before a sentence that names nobody tells of another than its author; the nearest counts."""
    known = "|".join(re.escape(name.split()[0]) for name in names if name.split())
    # Who is called is not told of: "hey Maria, how are you".
    told_of = re.compile(rf"(?<!hey )(?<!hi )(?<!thanks )\b(?:{known})(?:['’]s)? \w", re.IGNORECASE) if known else None
    for sentence in reversed(before):
        if _SHAPES["speaks"].search(sentence):
            return False
        if _SHAPES["other"].search(sentence) or (told_of and told_of.search(sentence)):
            return True
    return False


def _beside_others(line: Line, before: Sequence[Line], talk: Talk) -> Iterator[Candidate]:
    """Yield what a line states with those before it: an answer, and the name of what was told of.

    Of the author's own lines only those that are learnt from count: what they say must go when they go.
    """
    if answer := answers.statement(line, before):
        for fact in _of_speaker(answer, line, sure=True):
            yield fact.model_copy(update={"quote": line.text})
    for text, quote, messages in answers.named(line, before, names=talk.names):
        if talk.learn.issuperset(messages):
            named = _fact_of(quote, line)(text=text, kind="relationship", confidence=CLEAR)
            yield named.model_copy(update={"messages": messages})


def _of_sentence(sentence: str, line: Line, talk: Talk, known: list[str]) -> Iterator[Candidate]:
    if lore := lore_of(sentence):
        text = f"{lore[0].upper()}{lore[1 : MAX_FACT - 1]}."
        yield _fact_of(sentence, line)(text=text, subject=None, kind="lore", confidence=LORE_CONFIDENCE)
        return
    words = spoken(sentence)
    ends = bool(known) and named_endings.may_end(sentence)
    named = any(name.split()[0].lower() in words for name in talk.names if name.split())
    telling = not _TELLING.isdisjoint(words) or ends or named or trim.may_imply(sentence)
    if (
        not telling
        or _SHAPES["decision"].match(sentence)
        or (" since " in sentence and _SHAPES["lately"].search(sentence))
    ):
        return  # at the price of one look: no shape could be in it; what was decided is the community's
    call = _SHAPES["call"].match(sentence)  # what a member says of themselves after "remember that" is no lore
    sentence = assertion_filter.stated(
        trim.without_address(trim.without_question(call["rest"] if call else sentence), talk.names)
    )
    if not sentence:
        return
    fact = _fact_of(sentence, line)
    yield from _in_another_language(sentence, line)
    for member, text in third_parties.statements(sentence, line, talk.names):
        slot = patterns.slot_of(text)
        kind, confidence = (slot.kind, HEARSAY) if slot else ("other", PLAIN)
        first_day = language.dates.resolve(sentence, said_at=line.sent_at)
        yield fact(text=text, subject=member, explicit=False, kind=kind, confidence=confidence, valid_from=first_day)
    if ends:
        yield from _of_known(sentence, line, known)
    work = talk.work or work_talk.is_sure(sentence)
    we_alone = (talk.crowd or work) and _SHAPES["we_alone"].match(sentence)
    if work and not _SHAPES["subject"].search(sentence):
        return  # in such a talk what has no subject is the task's: "been broken for months"
    for told in _of_speaker(sentence, line, work=work, names=talk.names, kept=talk.kept):
        kept = _of_a_crowd(told) if talk.crowd else told
        slot = patterns.slot_of(kept.text) if kept else None
        if kept and (not we_alone or (slot and slot.name in _HOUSEHOLD and not work)):
            yield kept


def _of_a_crowd(told: Candidate) -> Candidate | None:
    """Return what is worth keeping of what a member tells where more than two talk: of kin who they are."""
    if whom := patterns.whom_one_has(told.text):
        return told.model_copy(update={"text": whom, "kind": "relationship"})
    slot = patterns.slot_of(told.text)
    sure = not told.explicit or (slot is None and told.confidence >= CLEAR)  # somebody's own kin, by name or not
    return told if sure or transient.lasts_among_many(told.text, slot) else None


def _in_another_language(sentence: str, line: Line) -> Iterator[Candidate]:
    fact, told = _fact_of(sentence, line), list(other_languages.statements(sentence, said_at=line.sent_at))
    for kind, text in told:
        if text.casefold().replace('"', "") == f"is called {line.name.casefold()}.":
            continue  # the hub has that name
        first_day = language.dates.resolve(sentence, said_at=line.sent_at)
        yield fact(text=text, kind=kind, confidence=OTHER_LANGUAGE, valid_from=first_day)
    if not told and (own := other_languages.presupposed(sentence)):
        yield fact(text=own, kind="relationship", confidence=PLAIN, explicit=False)


def _of_known(sentence: str, line: Line, known: list[str]) -> Iterator[Candidate]:
    """Yield what is told of what is known: also what has no subject, or is too little to keep, but ends something."""
    for text in named_endings.statements(sentence, known):
        when = next(iter(language.dates.find(sentence, said_at=line.sent_at)), None)
        day = language.dates.resolve(sentence, said_at=line.sent_at)
        ending = f"{text} {when.written}." if when else f"{text}."
        yield _fact_of(sentence, line)(text=ending, kind="relationship", confidence=CLEAR, valid_from=day)
    told = language.dates.rewrite(named_endings.with_subject(sentence), said_at=line.sent_at)
    over: dict[str, set[str]] = {}
    for text in map(patterns.usual_form, _heads(told)):
        if ended := {fact for fact in known if decider.ends(text, fact)}:
            over[text] = ended
    for fact, text in named_endings.denied(sentence, known):
        if not any(fact in ended for ended in over.values()):
            over[text] = {fact}
    day = language.dates.resolve(sentence, said_at=line.sent_at)
    for text in over:
        if len(text) <= MAX_FACT:
            slot = patterns.slot_of(text)
            kind = slot.kind if slot else "profile"
            yield _fact_of(sentence, line)(text=text, kind=kind, confidence=CLEAR, valid_from=day)


def _heads(sentence: str) -> set[str]:
    """Return what a sentence states without what follows a comma, which is an aside."""
    readings = (*rewrite.readings(sentence), *rewrite.readings(sentence.split(", ")[0]))
    stated = {text for reading in readings for text in reading}
    return set(filter(None, (rewrite.finish(text.split(", ")[0]) for text in stated)))


def _of_tool(sentence: str, line: Line, member: int) -> Iterator[Candidate]:
    """Yield what a bot tells a member of what a tool found, as that member would say it; it is no word of theirs."""
    if not assertion_filter.doubt(sentence):
        own = line.model_copy(update={"author": member})
        for fact in _of_speaker(third_parties.addressed(sentence), own):
            told = {"explicit": False, "quote": sentence, "confidence": min(fact.confidence, HEARSAY)}
            yield fact.model_copy(update=told)


def _of_speaker(
    sentence: str,
    line: Line,
    *,
    work: bool = False,
    sure: bool = False,
    names: Iterable[str] = (),
    kept: Sequence[str] = (),
) -> Iterator[Candidate]:
    """Yield what the first reading states that is worth keeping in all its parts; otherwise what a later one has."""
    fact, introduced = _fact_of(sentence, line), patterns.introduced(sentence, line.name)
    own = trim.without_own_name(trim.with_names(sentence, names), line.name)
    sentence = place_names.with_capitals(trim.with_other(own))
    implied = trim.implied(sentence)
    sentence = implied or sentence
    dates = language.dates.find(sentence, said_at=line.sent_at)
    since = next((when.start for when in dates if when.preposition not in _ENDS), None)
    # Of who is somebody's, only a "since" tells when that began: "my wife Sian starts on Monday".
    ever_since = next((when.start for when in dates if when.preposition.startswith("since")), None)
    if couple := patterns.couple(sentence):
        yield fact(text=couple, kind="relationship", confidence=CLEAR, valid_from=since)
    if tie := patterns.tie(sentence):
        yield fact(text=tie, kind="relationship", confidence=CLEAR, valid_from=ever_since)
    if beside := introduced or patterns.by_the_way(sentence):
        yield fact(text=beside, kind="profile", confidence=CLEAR)
    if pet := patterns.named_pet(sentence):
        yield fact(text=pet, kind="relationship", confidence=CLEAR, valid_from=ever_since)
    if pronouns := patterns.pronouns(sentence):
        yield fact(text=pronouns, kind="profile", confidence=CLEAR, valid_from=since)
    presupposed = patterns.presupposed(sentence)
    dated = language.dates.rewrite(sentence, said_at=line.sent_at)
    for text, slot in _kept(dated, work=work, sure=sure or bool(implied), sensitive=kept):
        if (tie and " is their " in text) or (pet and pet.startswith(f"{text.rstrip('.')} named ")):
            continue  # told already, with the name behind
        if slot and slot.name == "whereabouts" and sentence.endswith("!"):
            continue  # who cries out where they are has just arrived
        kind, confidence = (slot.kind, CLEAR) if slot else ("other", PLAIN)
        yield fact(text=text, kind=kind, confidence=confidence, valid_from=since)
        presupposed = None  # the sentence tells more than that
    if presupposed and not (tie or pet):
        yield fact(text=presupposed, kind="relationship", confidence=PLAIN, explicit=False)


def _kept(sentence: str, *, work: bool, sure: bool, sensitive: Sequence[str]) -> list[tuple[str, patterns.Slot | None]]:
    """Return what a reading states that is worth keeping, with its shape; where `sure`, only what has a clear one."""
    kept: list[tuple[str, patterns.Slot | None]] = []
    part = kept
    for reading in rewrite.readings(sentence):
        stated = [(text, patterns.slot_of(text)) for text in map(patterns.usual_form, reading)]
        lasting = [(text, slot) for text, slot in stated if len(text) <= MAX_FACT and _lasts(text, slot)]
        kept = [(text, slot) for text, slot in lasting if not work or work_talk.lasts(text, slot)]
        if sure:
            kept = [(text, slot) for text, slot in kept if slot and slot.name not in patterns.VAGUE]
        refused = [text for text, slot in stated if _is_sensitive(text, sensitive)]
        kept = [(text, slot) for text, slot in kept if text not in refused or len(stated) == 1]
        left_out = [text for text, slot in stated if (text, slot) not in kept]
        # Of "we split up in spring, I'm fine" the second passes; of health nothing is told, and the rest may be.
        if kept and all(text in refused or transient.is_passing(text) for text in left_out):
            break
        part = part or kept
    return kept or part


def may_end(text: str) -> bool:
    """Say if a message has a word of those that tell that something is over: only then is what is known read."""
    return named_endings.may_end(text)


def told(text: str) -> str:
    """Return what somebody wants to be remembered, without the asking: "remember that game night is on Fridays"."""
    call = _SHAPES["call"].match(text)
    return f"{call['rest'][0].upper()}{call['rest'][1:]}" if call else text


def lore_of(sentence: str) -> str | None:
    """Return the line of lore in "remember: game night is on Fridays", None for anything else."""
    call = _SHAPES["call"].match(sentence)
    if not call or _SHAPES["personal"].search(call["rest"]) or _SHAPES["no_lore"].search(call["rest"]):
        return None
    rest = call["rest"].strip(" .!,;")
    return rest if len(language.content(rest)) >= 2 else None


def _lasts(text: str, slot: patterns.Slot | None) -> bool:
    """Say if a statement in the third person is worth keeping."""
    if transient.is_technical(text) or _SHAPES["left_alone"].match(text):
        return False
    if slot:
        if slot.name in transient.EMPTY_ALONE and len(language.content(text)) < MIN_TURN:
            return False
        if slot.name == "whereabouts":  # "I'm in Osaka", and not in a hurry, a game or a call
            return place_names.is_place(text.rpartition(" in ")[2].rstrip("."))
        return slot.name not in patterns.VAGUE or transient.is_personal(text)
    least = MIN_TURN if transient.is_turn(text) or transient.is_lasting(text) else MIN_PLAIN
    return len(set(language.content(text))) >= least and not transient.is_passing(text) and transient.is_personal(text)


def _fact_of(sentence: str, line: Line) -> partial[Candidate]:
    """Return what makes facts of a sentence: about its speaker and said outright, unless they are told otherwise."""
    return partial(
        Candidate, subject=line.author, explicit=True,
        quote=sentence, messages=[line.message],
    )  # fmt: skip
