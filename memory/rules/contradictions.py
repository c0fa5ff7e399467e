"""What turned: a state that ended, done and never done, a new number, a change of one thing for another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from memory.facts.schemas import Action
from memory.rules import patterns
from memory.rules.claims import KEPT, Claim, canonical, read
from memoryhub import language
from memoryhub.language.word_lists import Shapes, pattern


@dataclass(frozen=True)
class Ending:
    """`old` is over once `new` is said; with `alike` only if both are about the same thing."""

    old: re.Pattern[str]
    new: re.Pattern[str]
    alike: bool


_SHAPES = Shapes(__file__, patterns.SHAPES.rows)
ENDINGS = [
    Ending(pattern(old, _SHAPES.rows), pattern(new, _SHAPES.rows), alike)
    for heading, alike in (("ended about one thing", True), ("ended by any", False))
    for old, new in (row.split("=> ") for row in _SHAPES.rows[heading])
]
VERBS, MEASURES = (
    frozenset(map(language.stem, _SHAPES.words(heading))) for heading in ("verbs of endings", "measures")
)
EXPERIENCES = {word: number for number, row in enumerate(_SHAPES.rows["experiences"]) for word in row.split()}
_STEMS_OF_EXPERIENCES = frozenset(language.stem(word) for word in EXPERIENCES)
_ONE_AT_A_TIME, _ONE_OF_A_KIND = _SHAPES.words("one at a time"), _SHAPES.words("one of a kind at a time")
_VALUES, _VALUES_NOW = (
    [pattern(shape, _SHAPES.rows) for shape in _SHAPES.rows[heading]] for heading in ("one value", "one value now")
)
ONE_MORE = _SHAPES["one_more"]

_NAME = re.compile(r"\b[A-Z][\w'’-]*")

ALIKE, NEARLY_SAME = 0.5, 0.8  # of the words of both
SURE = 2  # words in common that make two statements be about one thing


@lru_cache(maxsize=1_000)
def endings_by(new: str) -> tuple[Ending, ...]:
    """Return the endings that a new statement may bring; most bring none."""
    return tuple(ending for ending in ENDINGS if ending.new.search(new))


def ends_something(new: Claim) -> bool:
    """Say if a new statement may bring an ending, and not for a while only."""
    return bool(endings_by(new.text)) and not _SHAPES["for_now"].search(new.text)


def ending(new: Claim, old: Claim) -> Action | None:
    """A state that the new statement ends: "Sold the Civic" ends "Drives a Civic"."""
    if new.words == old.words:
        return None
    for ending in endings_by(new.text):
        if ending.old.search(old.text) and (not ending.alike or _about_one_thing(new, old)):
            return "INVALIDATE"
    return None


def _about_one_thing(new: Claim, old: Claim) -> bool:
    """Say if a name of it is in both, or all that one tells is in the other; what follows a comma is an aside."""
    if _SHAPES["not_this"].match(new.text) and not _SHAPES["not_this"].match(old.text):
        return False
    if _is_of_some(new, old):
        return False
    new = read(_SHAPES["part"].sub(r"\g<kept>", _SHAPES["with"].sub("", new.text.split(",")[0])))
    now, before = new.about - VERBS, old.about - VERBS
    shared, left = now & before, _left_behind(new.text)
    if shared <= _before_another(new, old) or (left and left.isdisjoint(before)):
        return False
    if _name_in_common(new, old) or len(shared) >= SURE:
        return True
    return bool(shared) and shared in (now, before) and not shared.isdisjoint(old.heads | _doing_alone(old))


def _is_of_some(new: Claim, old: Claim) -> bool:
    """Say if the new statement names some, not all, of those whom the old one names side by side: Miso lives on."""
    beside = ({name.casefold() for name in _NAME.findall(found[0])} for found in _SHAPES["several"].finditer(old.text))
    return any(0 < len(names.intersection(new.tokens)) < len(names) for names in beside)


def _name_in_common(new: Claim, old: Claim) -> bool:
    """Say if a name of the one is one of the other, or part of it: "the Skoda" is the Skoda Octavia."""
    ours, theirs = ([set(name.split()) for name in claim.names] for claim in (new, old))
    return any(one <= other or other <= one for one in ours for other in theirs)


def _before_another(new: Claim, old: Claim) -> set[str]:
    """Return the words that only say of what kind another thing is: "dropped the Finnish book" is no end of Finnish."""
    things = set(new.heads & new.about - VERBS - old.words)
    for first, second in reversed(list(pairwise(map(canonical, new.tokens)))):
        if second in things and first in old.about:
            things.add(first)  # "the guinea pig cage"
    return things & old.about


def _doing_alone(claim: Claim) -> frozenset[str]:
    """Return the verb, where a thing does not follow it: "teaches maths", not "runs a shop"."""
    return frozenset() if _SHAPES["of_thing"].match(claim.text) else frozenset({canonical(claim.doing)})


def never(new: Claim, old: Claim) -> Action | None:
    """What was never done against what was done, either way round: the same experience of the same thing."""
    denied, done = (new, old) if _never_done(new.text) else (old, new)
    never = _never_done(denied.text)
    if not never or done.negative or _never_done(done.text):
        return None
    kind = EXPERIENCES.get(never["verb"].lower())
    if kind is None or kind not in {EXPERIENCES.get(word) for word in language.tokens(done.bare.lower())}:
        return None
    things, known = (claim.about - VERBS - _STEMS_OF_EXPERIENCES for claim in (denied, done))
    shared = things & known
    enough = denied.names & done.names or len(shared) >= ALIKE * min(len(things), len(known))
    return "INVALIDATE" if shared and enough else None


@lru_cache(maxsize=KEPT)
def _never_done(text: str) -> re.Match[str] | None:
    return _SHAPES["never"].match(text)


def is_measure(claim: Claim) -> bool:
    """Say if a statement has numbers that may be another one day: no event, and not one more of something."""
    return bool(claim.numbers) and not (claim.negative or claim.event or is_one_more(claim.text))


def measure(new: Claim, old: Claim) -> Action | None:
    """One value at a time, told again with another number: the rest of the statement is the same."""
    now, before = new.numbers, old.numbers
    if len(now) != len(before) or now == before or old.negative or old.event:
        return None
    shared = new.measured & old.measured
    alike = len(shared) >= NEARLY_SAME * min(len(new.measured), len(old.measured))
    return "INVALIDATE" if alike and not MEASURES.isdisjoint(shared) else None


@lru_cache(maxsize=1_000)
def is_one_more(new: str) -> bool:
    """Say if a statement adds to what is known instead of replacing it."""
    return bool(ONE_MORE.search(new))


def changes(new: Claim) -> bool:
    """Say if a new statement leaves one thing for another, and not for a while only."""
    return bool(_left_behind(new.text)) and not _SHAPES["for_now"].search(new.text)


def from_one_to_another(new: Claim, old: Claim) -> Action | None:
    """End what is claimed of physics now by "changed majors from physics to history"."""
    left = _left_behind(new.text)
    over = left <= old.about and not left.isdisjoint(old.heads)
    return "INVALIDATE" if over and not old.negative and not old.event else None


@lru_cache(maxsize=1_000)
def _left_behind(new: str) -> frozenset[str]:
    change = _SHAPES["change"].match(new)
    return read(change["left"] or change["given"]).about if change else frozenset()


def has_one_value(new: Claim) -> bool:
    """Say if a new statement tells a value of what has one at a time."""
    return bool(values_in(new.text)) and not new.negative


def one_value(new: Claim, old: Claim) -> Action | None:
    """What has one value at a time: a shift, a bedtime, the version of what one uses."""
    for shape in values_in(new.text):
        now, before = shape.match(new.text), shape.match(old.text)
        if now and before and not old.negative:
            first, second = ({name: said.lower() for name, said in each.groupdict().items()} for each in (now, before))
            if first.pop("value") != second.pop("value") and first == second:
                return "INVALIDATE"
    return None


@lru_cache(maxsize=1_000)
def values_in(new: str) -> tuple[re.Pattern[str], ...]:
    """Return the shapes of what has one value at a time that a statement has; most have none."""
    shapes = [*_VALUES, *_VALUES_NOW] if _SHAPES["present"].search(new) else _VALUES
    return tuple(shape for shape in shapes if shape.match(new))


def count_in(text: str) -> re.Match[str] | None:
    """Return the verb, number and thing of a statement that tells how many there are of it, and nothing else."""
    return _SHAPES["counted"].fullmatch(read(text).bare)


def counts_now(new: Claim) -> bool:
    """Say if a new statement tells how many there are of something now."""
    count = count_in(new.text)
    return bool(count and count["now"])


def counted(new: Claim, old: Claim) -> Action | None:
    """How many there are now: "Has four hens now" ends "Has six hens"."""
    now, before = count_in(new.text), count_in(old.text)
    if not now or not before or read(now["thing"]).words != read(before["thing"]).words:
        return None
    same = (canonical(now[part].lower()) == canonical(before[part].lower()) for part in ("verb", "value"))
    return "INVALIDATE" if tuple(same) == (True, False) else None


def corrects(new: Claim) -> bool:
    """Say if a new statement names what was wrong."""
    return bool(_SHAPES["corrected"].search(new.text))


def correction(new: Claim, old: Claim) -> Action | None:
    """The same with another name: "Has a hamster named Dexter, not Baxter"."""
    found = _SHAPES["corrected"].search(new.text)
    if not found or found["wrong"] not in old.text:
        return None
    rest = language.tokens(old.text.replace(found["wrong"], ""))
    return "INVALIDATE" if set(rest) <= set(language.tokens(new.text)) else None


def prefers(claim: Claim) -> bool:
    """Say if a statement prefers one thing to another."""
    return bool(_SHAPES["prefers"].match(claim.text))


def preference(new: Claim, old: Claim) -> Action | None:
    """What was preferred comes second now."""
    now, before = (_SHAPES["prefers"].match(claim.text) for claim in (new, old))
    if not now or not before:
        return None
    turned = (
        read(now["more"]).about & read(before["less"]).about and read(now["less"]).about & read(before["more"]).about
    )
    return "INVALIDATE" if turned else None


def is_done_now(claim: Claim) -> bool:
    """Say if a statement tells, with a word for now, what one does one at a time, or one of a kind at a time."""
    one_of = claim.doing in _ONE_AT_A_TIME or claim.doing in _ONE_OF_A_KIND
    return one_of and not claim.negative and bool(_SHAPES["present"].search(claim.text))


def now(new: Claim, old: Claim) -> Action | None:
    """What is done now in place of what was: the same doing, with a word in common or one at a time."""
    if new.doing != old.doing or old.negative:
        return None
    differs = bool(new.words - old.words - {"now"}) and bool(old.words - new.words)
    comparable = new.doing in _ONE_AT_A_TIME or not new.about.isdisjoint(old.about)
    return "INVALIDATE" if differs and comparable else None


def single_activity(claim: Claim) -> str:
    """Return the verb of what one does one at a time, now: it is compared whatever the other words are."""
    doing = claim.doing
    return doing if doing in _ONE_AT_A_TIME and _SHAPES["present"].search(claim.text) else ""
