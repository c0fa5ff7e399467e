"""What a new fact means for each old one, by slot, polarity, pairs of verbs and containment; in doubt both stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from memory.facts.schemas import Action, ConsolidationCases, ConsolidationInput, Decision, Decisions
from memory.rules import contradictions
from memory.rules.claims import KEPT, Claim, canonical, read
from memoryhub.language.word_lists import Shapes

NEARLY_SAME = 0.8  # of the words of both
ONE_AT_ALL = frozenset({"name", "birthday", "pronouns"})  # slots
Rule = Callable[[Claim, Claim], Action | None]
LOST = 1  # words that may be lost when two statements become one
ALIKE = 0.5  # of the words of both: worth an operator's look when they disagree
HAVING, LIVING = "has", frozenset({"lives", "works"})  # as `canonical` tells them
SHAPES = Shapes(__file__)


def decide_all(given: ConsolidationCases) -> Decisions:
    """Return the decisions on every case that change or doubt something, each with the number of its new fact."""
    return Decisions(
        decisions=[
            decision.model_copy(update={"new": number})
            for number, case in enumerate(given.cases, start=1)
            for decision in decide(case).decisions
            if decision.action != "KEEP" or decision.possible_conflict
        ]
    )


def decide(given: ConsolidationInput) -> Decisions:
    """Return one decision for each old fact; several may be INVALIDATE, as when a move ends two old homes."""
    judged = judge(given.new, [fact.text for fact in given.old])
    return Decisions(
        decisions=[
            Decision(
                action=action or "KEEP", fact=fact.id, merged_text=given.new if action == "MERGE" else "",
                possible_conflict=conflict,
            )
            for fact, (action, conflict) in zip(given.old, judged, strict=True)
        ]
    )  # fmt: skip


def judge(text: str, known: Iterable[str]) -> Iterator[tuple[Action | None, bool]]:
    """Yield for each known statement what becomes of it, None where both stand, and whether they then look at odds."""
    new = read(text)
    rules = rules_for(new)
    for old in map(read, known):
        if new.past != old.past:
            yield None, False
        elif action := first(rules, new, old):
            yield action, False
        else:
            yield None, _at_odds(new, old)


def first(rules: Iterable[Rule], new: Claim, old: Claim) -> Action | None:
    """Return what the first of the rules says that says something."""
    for rule in rules:
        if action := rule(new, old):
            return action
    return None


def ends(new: str, old: str) -> bool:
    """Say if the one statement ends the other."""
    return next(judge(new, [old]))[0] == "INVALIDATE"


def rules_for(new: Claim) -> list[Rule]:
    """Return the rules that a new statement gives work to, in their order: most need something that few have."""
    return [rule for rule, has_work in RULES.items() if has_work is None or has_work(new)]


def _same(new: Claim, old: Claim) -> Action | None:
    if not new.words or new.words != old.words or new.negative != old.negative or new.figures != old.figures:
        return None
    if not new.dates - old.dates and _said_by(new, old):
        return "REINFORCE"
    return "KEEP" if old.dates or not _said_by(old, new) else "MERGE"


def _said_by(lost: Claim, kept: Claim) -> bool:
    """Say if hardly a word of one is lost when only the other is kept, reasons and asides included."""
    return len(lost.whole - kept.whole) <= LOST


def _home(new: Claim, old: Claim) -> Action | None:
    there = _place(old.text)
    if not there:
        return None
    here = _place(new.text)
    before = Claim(there["place"]).words
    if new.negative or not here:
        own = not _is_liking(new) and not SHAPES["of_another"].match(new.text)
        left = (new.negative and own) or SHAPES["left"].match(new.text)
        return "INVALIDATE" if left and before and before <= new.words else None
    now, gone = Claim(here["place"]).words, Claim(here["left"] or "").words
    if gone and gone.isdisjoint(before):
        return None  # "moved from Vim to Helix" is no move
    if before <= now or now <= before:
        return "MERGE" if len(new.text) > len(old.text) else "REINFORCE"
    wider = SHAPES["wide_place"].match(here["place"].strip()) and not SHAPES["moved"].match(new.text)
    return None if wider else "INVALIDATE"


@lru_cache(maxsize=KEPT)
def _place(text: str) -> re.Match[str] | None:
    """Return where a statement says that one lives, if it does."""
    return SHAPES["place"].match(text)


def _is_job(claim: Claim) -> bool:
    return claim.slot is not None and claim.slot.name == "job" and not claim.negative


def _work(new: Claim, old: Claim) -> Action | None:
    if not _is_job(old):
        return None
    if SHAPES["side"].search(new.text) or SHAPES["side"].search(old.text):
        return None
    now, before = (
        {
            found["facet"].lower().replace("for", "at"): Claim(found["value"]).words
            for found in SHAPES["work"].finditer(job.bare)
        }
        for job in (new, old)
    )
    if SHAPES["trade_now"].match(new.text) and not SHAPES["pastime"].search(new.text):
        return "INVALIDATE"
    shared = now.keys() & before.keys()
    if any(now[facet].isdisjoint(before[facet]) for facet in shared):
        return "INVALIDATE"
    return "INVALIDATE" if SHAPES["new_job"].match(new.text) and not shared and before else None


def _has_one(new: Claim) -> bool:
    one = SHAPES["favourite"].match(new.bare) or SHAPES["age"].match(new.text)
    return bool(one) or (new.slot is not None and new.slot.name in ONE_AT_ALL)


def _one_of_a_kind(new: Claim, old: Claim) -> Action | None:
    """A favourite of one kind, an age, a name, a birthday, pronouns: the newer one holds."""
    now = SHAPES["favourite"].match(new.bare)
    before = now and SHAPES["favourite"].match(old.bare)
    if now and before and Claim(now["topic"]).words == Claim(before["topic"]).words:
        return "INVALIDATE" if Claim(now["choice"]).words.isdisjoint(Claim(before["choice"]).words) else None
    now = SHAPES["age"].match(new.text)
    before = now and SHAPES["age"].match(old.text)
    if now and before and int(now["years"]) > int(before["years"]):
        return "INVALIDATE"
    if not new.slot or new.slot.name not in ONE_AT_ALL or not old.slot or old.slot.name != new.slot.name:
        return None
    other = new.about.isdisjoint(old.about) or new.figures != old.figures
    return "INVALIDATE" if other else None


def _is_of_late(new: Claim) -> bool:
    return bool(SHAPES["lately"].match(new.text))


def _lately(_new: Claim, old: Claim) -> Action | None:
    """What was only not done for some days is still done."""
    return None if old.negative else "KEEP"


def _polarity(new: Claim, old: Claim) -> Action | None:
    """A like ended by a dislike of the same thing or of more; a denial of what was claimed.

    Loving dogs and not having one is no contradiction: an attitude is denied by an attitude only.
    """
    if new.negative == old.negative or not new.about or _is_liking(new) != _is_liking(old):
        return None
    if SHAPES["of_another"].match(new.text) and not SHAPES["of_another"].match(old.text):
        return None
    if _of_living(new) - _of_living(old):
        return None
    return "INVALIDATE" if new.about <= old.about and not new.about.isdisjoint(old.heads) else None


def _is_liking(claim: Claim) -> bool:
    return _form(claim) in {"likes", "dislikes"} or (claim.slot is not None and claim.slot.name in {"like", "dislike"})


def _of_living(claim: Claim) -> frozenset[str]:
    """Return "lives", "works" or neither: who works in a town need not live there."""
    return LIVING.intersection(map(canonical, claim.tokens))


def _is_home(claim: Claim) -> bool:
    return claim.slot is not None and claim.slot.name == "home"


def _form(claim: Claim) -> str:
    """Return the verb a claim opens with: what is waited for is not had, and who is single is no single parent."""
    found = SHAPES["form"].match(claim.text)
    opening = found["verb"].lower() if found else ""
    same = next(iter(read(opening).words), opening)
    return f"{same} a" if found and same == opening == "is" and found["article"] else same


def _containment(new: Claim, old: Claim) -> Action | None:
    ours, theirs, both = len(new.words), len(old.words), len(new.words & old.words)
    nearly = both >= NEARLY_SAME * (ours + theirs - both)
    if not nearly and both not in (ours, theirs):
        return None  # first, since it costs least and settles most
    if _is_home(new) != _is_home(old):
        return None  # "moved the desk to the window in Tampere" tells no more of a home
    if _form(new) != _form(old) or (new.dates and old.dates and new.dates != old.dates):
        return None
    if new.negative != old.negative or not new.about or not old.about or _is_liking(new) != _is_liking(old):
        return None
    if new.words <= old.words and new.figures <= old.figures:
        return "REINFORCE" if _said_by(new, old) else None
    if old.words < new.words and old.figures <= new.figures and not contradictions.is_one_more(new.text):
        return "MERGE" if _said_by(old, new) else None
    alike = nearly and new.names == old.names and new.figures == old.figures
    return "REINFORCE" if alike and _said_by(new, old) else None


def _at_odds(new: Claim, old: Claim) -> bool:
    """Say if the two look as if only one could be true."""
    shared = new.about & old.about
    if not shared:
        return bool(_place(new.text) and _place(old.text))
    if len(shared) < ALIKE * min(len(new.about), len(old.about)):
        return False
    if new.negative != old.negative:
        return _denies(new, old) if new.negative else _denies(old, new)
    return bool(new.figures and old.figures and new.figures != old.figures) and not (new.event and old.event)


def _denies(denial: Claim, claim: Claim) -> bool:
    """Say if what is denied is what is claimed, or all of its kind: "stopped drinking coffee" leaves "drinks tea".

    Who hates cats may have one, and who has no car may love cars; who gave up coffee may love it no more.
    """
    if _is_liking(denial) != _is_liking(claim) and (_is_liking(denial) or HAVING in map(canonical, denial.tokens)):
        return False
    if _of_living(denial) - _of_living(claim):
        return False
    doing = _form(claim)
    if (denial.heads & claim.heads & denial.about & claim.about) - {doing}:
        return True
    return doing in denial.about and (denial.about <= claim.about or claim.about <= denial.about)


RULES: dict[Rule, Callable[[Claim], bool] | None] = {
    contradictions.correction: contradictions.corrects,
    contradictions.preference: contradictions.prefers,
    contradictions.ending: contradictions.ends_something,
    contradictions.one_value: contradictions.has_one_value,
    contradictions.counted: contradictions.counts_now,
    _same: None,
    _home: None,
    _work: _is_job,
    _one_of_a_kind: _has_one,
    contradictions.from_one_to_another: contradictions.changes,
    contradictions.now: contradictions.is_done_now,
    _lately: _is_of_late,
    contradictions.never: None,
    contradictions.measure: contradictions.is_measure,
    _polarity: None,
    _containment: None,
}
"""Each rule, in their order, and what a new statement must have for it to come to anything; None: nothing special."""
