"""What turned: done and never done, a new number, a change from one thing to another, a preference reversed."""

from __future__ import annotations

import re

from memory.facts.schemas import Action
from memory.rules import verbs
from memory.rules.claims import NUMBERS, Claim, read
from memory.rules.ending_pairs import VERBS
from memoryhub import language
from memoryhub.language.word_lists import listed

# Words for one experience: whoever never had it contradicts whoever did.
_EXPERIENCES = (
    "meet meets met meeting knows known introduced",
    "visit visits visited been went goes gone travel travelled traveled flew",
    "use uses used using try tries tried download downloaded install installed integrated implemented",
    "take takes took taken attend attends attended enroll enrolled enrol joined join signed course class",
    "own owns owned has had buy bought got adopted ordered order placed",
    "read reads finished listen listened listening hear heard watch watched seen see",
    "play plays played practise practised practice practiced practicing train trained complete completed solve solved",
    "write writes wrote written publish published draft drafted",
    "eat eats ate eaten cook cooks cooked bake baked drink drank drunk",
    "work works worked job",
    "miss missed missing skip skipped cancel canceled cancelled decline declined declining",
    "drive drives drove driven ride rides rode ridden",
    "speak speaks spoke spoken learn learned learnt learning study studies studied",
)
EXPERIENCES = {word: number for number, words in enumerate(_EXPERIENCES) for word in words.split()}

# What is done one at a time (true), or with one of a kind at a time (false): "now" then says what for.
ONE_AT_A_TIME = {"studies": True, "majors": True, "attends": True, "works": False, "goes": False, "uses": False,
                 "drives": False, "teaches": False, "wears": False, "takes": False}  # fmt: skip

# What has one value at a time: where only the number differs, the newer one holds.
MEASURES = frozenset(
    language.stem(word)
    for word in listed(
        "budget goal target limit deadline salary rent income score average rate accuracy weight height size length"
        " total pace price cost fee duration distance capacity quota allowance balance savings debt percentage speed"
        " count followers subscribers members"
    )
)

ALIKE, NEARLY_SAME = 0.5, 0.8  # of the words of both

_I = re.IGNORECASE
_NEVER = re.compile(
    r"^(?:(?:has|had) (?:never|not)(?: ever| really| actually)?|hasn['’]t(?: ever| really)?|never)"
    r" (?:ever |once |actually |really )?(?P<verb>\w+)",
    _I,
)
_CHANGE = re.compile(r"^(?:changed|switched|transferred|converted|went)\b.*?\bfrom (?P<left>[^,.]+?) to\b", _I)
_PREFERS = re.compile(
    r"^(?:now |still |really )*prefers (?P<more>.+?) (?:to|over|rather than|than) (?P<less>[^,.]+)", _I
)
_PRESENT = re.compile(r"\b(?:now|nowadays|these days|instead|currently)\b", _I)
_STEMS_OF_EXPERIENCES = frozenset(language.stem(word) for word in EXPERIENCES)
_ONE_MORE = re.compile(r"\b(?:another|second|third|also|too|new|one more)\b", _I)


def never(new: Claim, old: Claim) -> Action | None:
    """What was never done against what was done, either way round: the same experience of the same thing."""
    denied, told = (new, old) if _NEVER.match(new.text) else (old, new)
    never = _NEVER.match(denied.text)
    if not never or told.negative or _NEVER.match(told.text):
        return None
    kind = EXPERIENCES.get(never["verb"].lower())
    if kind is None or kind not in {EXPERIENCES.get(word) for word in language.tokens(told.bare.lower())}:
        return None
    thing, known = _things(denied), _things(told)
    shared = thing & known
    named = bool(denied.names & told.names)
    return "INVALIDATE" if shared and (named or len(shared) >= ALIKE * min(len(thing), len(known))) else None


def _things(claim: Claim) -> frozenset[str]:
    return frozenset(word for word in claim.about - VERBS if word not in _STEMS_OF_EXPERIENCES)


def measure(new: Claim, old: Claim) -> Action | None:
    """One value at a time, told again with another number: the rest of the statement is the same."""
    if not new.numbers or new.negative or old.negative or _told_of_once(new) or _told_of_once(old):
        return None
    now, before = new.numbers, old.numbers
    if len(now) != len(before) or now == before or _ONE_MORE.search(new.text):
        return None
    measured, known = _measured(new), _measured(old)
    shared = measured & known
    alike = len(shared) >= NEARLY_SAME * min(len(measured), len(known))
    return "INVALIDATE" if alike and not MEASURES.isdisjoint(shared) else None


def _measured(claim: Claim) -> frozenset[str]:
    return frozenset(word for word in claim.about if word not in NUMBERS and not any(map(str.isdigit, word)))


def _told_of_once(claim: Claim) -> bool:
    """An event of the past is no value: two runs may have had two lengths."""
    return verbs.is_past(_doing(claim))


def from_one_to_another(new: Claim, old: Claim) -> Action | None:
    """End what is claimed of physics now by "changed majors from physics to history"."""
    change = _CHANGE.match(new.text)
    left = read(change["left"]).about if change else frozenset()
    return "INVALIDATE" if left and left <= old.about and not old.negative and not _told_of_once(old) else None


def preference(new: Claim, old: Claim) -> Action | None:
    """What was preferred comes second now."""
    now, before = _PREFERS.match(new.text), _PREFERS.match(old.text)
    if not now or not before:
        return None
    turned = (
        read(now["more"]).about & read(before["less"]).about and read(now["less"]).about & read(before["more"]).about
    )
    return "INVALIDATE" if turned else None


def now(new: Claim, old: Claim) -> Action | None:
    """What is done now in place of what was: the same doing, with a word in common or one at a time."""
    doing = _doing(new)
    if doing != _doing(old) or doing not in ONE_AT_A_TIME or new.negative or old.negative:
        return None
    differs = bool(new.words - old.words - {"now"}) and bool(old.words - new.words)
    comparable = ONE_AT_A_TIME[doing] or not new.about.isdisjoint(old.about)
    return "INVALIDATE" if _PRESENT.search(new.text) and differs and comparable else None


def sole(claim: Claim) -> str:
    """Return the verb of what one does one at a time, now: it is compared whatever the other words are."""
    doing = _doing(claim)
    return doing if ONE_AT_A_TIME.get(doing) and _PRESENT.search(claim.text) else ""


def _doing(claim: Claim) -> str:
    return claim.text.split(maxsplit=1)[0].lower() if claim.text else ""
