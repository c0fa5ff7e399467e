"""What a new fact means for each old one, by slot, polarity, pairs of verbs and containment; in doubt both stand."""

from __future__ import annotations

import re
from collections.abc import Callable

from memory.facts.schemas import Action, ConsolidationInput, Decision, Decisions, KnownFact
from memory.rules import contradictions
from memory.rules.claims import Claim, read
from memory.rules.ending_pairs import VERBS, endings_by

NEARLY_SAME = 0.8  # of the words of both
LOST = 1  # words that may be lost when two statements become one
SURE = 2  # words in common that make two statements be about one thing
ALIKE = 0.5  # of the words of both: worth an operator's look when they disagree

_I = re.IGNORECASE
PLACE = re.compile(
    r"^(?:now |currently |still |just |recently |finally |has )*(?:(?:lives|resides) (?:in|at)|"
    r"(?:moved|relocated|emigrated)(?: back| over| out| here)*(?: from (?P<left>[^,]+?))? to)"
    r" (?!an? |the |their |this |fear)(?P<place>[^,]+?)(?= with | for | since | in | on | because "
    r"| from | and |[,.]|$)",
    _I,
)
_WIDER = re.compile(
    r"^(?:canada|germany|france|spain|portugal|italy|japan|brazil|mexico|india|china|australia"
    r"|austria|switzerland|poland|sweden|norway|finland|denmark"
    r"|ireland|scotland|england|wales|britain|uk|us|usa|texas|california|florida|ontario|quebec"
    r"|europe|asia|africa|south america|bavaria|catalonia)$",
    _I,
)
_WORK = re.compile(
    r"\b(?P<facet>as|at|for) (?:an? |the |their )?(?P<value>[^,.]+?)(?= as | at | for | in | since "
    r"| on |[,.]|$)",
    _I,
)
_NEW_JOB = re.compile(r"^(?:got|started|landed|accepted|began|found)\b", _I)
_SIDE = re.compile(
    r"\b(?:part[- ]time|second|side|weekends?|evenings?|volunteer\w*|intern\w*|also|summer|another)\b", _I
)
FAVOURITE = re.compile(r"^(?:their )?(?:all[- ]time )?favou?rite (?P<topic>[\w ]+?) (?:is|are) (?P<choice>.+)$", _I)
AGE = re.compile(r"^(?:is|was|turned|turns) (?:about )?(?P<years>\d{1,2})\b", _I)
_WITH = re.compile(r"(?<=\w) (?:with|for)\b.*$", _I)
_FORM = re.compile(
    r"^(?:(?:now|currently|still|also|really|just|finally|recently) )*(?P<verb>[\w'’]+)(?P<article> an?\b| the\b)?", _I
)
_LIKINGS = {"like", "dislike"}
_ONE_MORE = re.compile(r"\b(?:another|second|third|also|too|new|one more)\b", _I)


def decide(given: ConsolidationInput) -> Decisions:
    """Return one decision for each old fact; several may be INVALIDATE, as when a move ends two old homes."""
    new = read(given.new)
    return Decisions(decisions=[_decision(new, old) for old in given.old])


def _decision(new: Claim, old: KnownFact) -> Decision:
    known = read(old.text)
    if new.past != known.past:
        return Decision(action="KEEP", fact=old.id)
    action = next((action for rule in _RULES if (action := rule(new, known))), None)
    if action == "MERGE":
        return Decision(action=action, fact=old.id, merged_text=new.text)
    return Decision(action=action or "KEEP", fact=old.id, possible_conflict=action is None and _at_odds(new, known))


def _same(new: Claim, old: Claim) -> Action | None:
    if not new.words or new.words != old.words or new.negative != old.negative or new.figures != old.figures:
        return None
    if not new.dates - old.dates and _told_by(new, old):
        return "REINFORCE"
    return "KEEP" if old.dates or not _told_by(old, new) else "MERGE"


def _told_by(lost: Claim, kept: Claim) -> bool:
    """Say if hardly a word of one is lost when only the other is kept, reasons and asides included."""
    return len(lost.whole - kept.whole) <= LOST


def _home(new: Claim, old: Claim) -> Action | None:
    there, here = PLACE.match(old.text), PLACE.match(new.text)
    if not there:
        return None
    before = Claim(there["place"]).words
    if new.negative or not here:
        left = new.negative or re.match(r"^(?:left|moved (?:away|out))\b", new.text, _I)
        return "INVALIDATE" if left and before and before <= new.words else None
    now = Claim(here["place"]).words
    if before <= now or now <= before:
        return "MERGE" if len(new.text) > len(old.text) else "REINFORCE"
    wider = _WIDER.match(here["place"].strip()) and not re.match(r"^(?:moved|relocated)", new.text, _I)
    return None if wider else "INVALIDATE"


def _work(new: Claim, old: Claim) -> Action | None:
    if not (new.slot and old.slot and new.slot.name == old.slot.name == "job") or new.negative or old.negative:
        return None
    if _SIDE.search(new.text) or _SIDE.search(old.text):
        return None
    now, before = _facets(new), _facets(old)
    shared = [facet for facet in now if facet in before]
    if any(now[facet].isdisjoint(before[facet]) for facet in shared):
        return "INVALIDATE"
    return "INVALIDATE" if _NEW_JOB.match(new.text) and not shared and before else None


def _facets(claim: Claim) -> dict[str, frozenset[str]]:
    return {
        found["facet"].lower().replace("for", "at"): Claim(found["value"]).words for found in _WORK.finditer(claim.bare)
    }


def _favourite(new: Claim, old: Claim) -> Action | None:
    now, before = FAVOURITE.match(new.bare), FAVOURITE.match(old.bare)
    if not now or not before or Claim(now["topic"]).words != Claim(before["topic"]).words:
        return None
    return "INVALIDATE" if Claim(now["choice"]).words.isdisjoint(Claim(before["choice"]).words) else None


def _age(new: Claim, old: Claim) -> Action | None:
    now, before = AGE.match(new.text), AGE.match(old.text)
    return "INVALIDATE" if now and before and int(now["years"]) > int(before["years"]) else None


def _status(new: Claim, old: Claim) -> Action | None:
    if not (new.slot and old.slot and new.slot.name == old.slot.name) or new.slot.name not in {
        "name",
        "birthday",
        "pronouns",
    }:
        return None
    return "INVALIDATE" if new.about.isdisjoint(old.about) or new.figures != old.figures else None


def _ending(new: Claim, old: Claim) -> Action | None:
    for ending in endings_by(new.text):
        if ending.old.search(old.text) and (not ending.alike or _covers(new, old)):
            return "INVALIDATE"
    return None


def _covers(new: Claim, old: Claim) -> bool:
    """Say if both are about one thing: a name of it in both, or all that one tells is in the other."""
    now, before = read(_WITH.sub("", new.text)).about - VERBS, old.about - VERBS
    shared = now & before
    if new.names & old.names or len(shared) >= SURE:
        return bool(shared)
    return bool(shared) and shared in (now, before) and not shared.isdisjoint(old.heads)


def _polarity(new: Claim, old: Claim) -> Action | None:
    """A like ended by a dislike of the same thing or of more; a denial of what was claimed."""
    if new.negative == old.negative or not new.about:
        return None
    same = new.about <= old.about and not new.about.isdisjoint(old.heads)
    return "INVALIDATE" if same and _one_attitude(new, old) else None


def _one_attitude(new: Claim, old: Claim) -> bool:
    """Loving dogs and not having one is no contradiction: an attitude is denied by an attitude only."""
    return _is_liking(new) == _is_liking(old)


def _is_liking(claim: Claim) -> bool:
    return _form(claim) in {"likes", "dislikes"} or (claim.slot is not None and claim.slot.name in _LIKINGS)


def _one_form(new: Claim, old: Claim) -> bool:
    """Say if both open alike: what is waited for is not had, and who is single is no single parent."""
    return _form(new) == _form(old)


def _form(claim: Claim) -> str:
    found = _FORM.match(claim.text)
    opening = found["verb"].lower() if found else ""
    same = next(iter(read(opening).words), opening)
    return f"{same} a" if found and same == opening == "is" and found["article"] else same


def _containment(new: Claim, old: Claim) -> Action | None:
    nearly = len(new.words & old.words) >= NEARLY_SAME * len(new.words | old.words)
    if not (nearly or new.words <= old.words or old.words <= new.words):
        return None  # first, since it costs least and settles most
    if not _one_form(new, old) or (new.dates and old.dates and new.dates != old.dates):
        return None
    if new.negative != old.negative or not new.about or not old.about or not _one_attitude(new, old):
        return None
    if new.words <= old.words and new.figures <= old.figures:
        return "REINFORCE" if _told_by(new, old) else None
    if old.words < new.words and old.figures <= new.figures and not _ONE_MORE.search(new.text):
        return "MERGE" if _told_by(old, new) else None
    alike = nearly and new.names == old.names and new.figures == old.figures
    return "REINFORCE" if alike and _told_by(new, old) else None


def _at_odds(new: Claim, old: Claim) -> bool:
    """Say if the two look as if only one could be true."""
    shared = new.about & old.about
    if not shared:
        return bool(PLACE.match(new.text) and PLACE.match(old.text))
    share = len(shared) / min(len(new.about), len(old.about))
    differs = new.negative != old.negative or bool(new.figures and old.figures and new.figures != old.figures)
    return share >= ALIKE and differs


_RULES: tuple[Callable[[Claim, Claim], Action | None], ...] = (
    contradictions.preference,
    _same,
    _home,
    _work,
    _favourite,
    _age,
    _status,
    _ending,
    contradictions.from_one_to_another,
    contradictions.now,
    contradictions.never,
    contradictions.measure,
    _polarity,
    _containment,
)
