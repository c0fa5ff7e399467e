"""Words of a life: what makes a statement of no known shape worth keeping, apart from talk about the task at hand."""

from __future__ import annotations

import re

from memory.rules import verbs
from memory.rules.nouns import KIN, PET
from memoryhub import language
from memoryhub.language.word_lists import listed

_WORDS = listed(
    """family families friend friends friendship kids children parents team teammates teammate coach mentor mentors
    neighbour neighbor neighbors neighbours neighborhood community group club church faith gym yoga meditation
    therapy childhood home house apartment flat garden kitchen room studio city town country abroad village
    island beach mountain mountains forest park trail lake sea river camping hiking hike trip trips travel
    travelling traveling vacation holiday holidays journey road flight visit visited tour school college
    university class classes course courses degree diploma exam exams thesis career job work shift boss business
    shop store startup company office retirement intern internship scholarship grant hobby hobbies passion
    passionate dream dreams goal goals habit habits routine life lifestyle culture tradition language languages
    book books novel novels series poem poetry poems story stories script screenplay blog journal movie movies
    film films show theatre theater play concert concerts festival band music song songs album guitar piano
    violin cello drums choir singing dance dancing dances dancer art arts painting paintings drawing drawings
    pottery sculpture photography photo photos craft crafts knitting sewing game games gaming tournament
    tournaments match matches league season basketball football soccer tennis baseball hockey rugby climbing
    running marathon race races swimming surfing skiing skating cycling bike martial karate boxing chess cooking
    baking cook bake recipe recipes restaurant cake bread dinner coffee tea beer wine food vegan vegetarian diet
    health healthy sleep weight car motorcycle boat van camper wedding engagement anniversary birthday funeral
    baby pregnancy adoption divorce breakup volunteer volunteering volunteered charity fundraiser donation
    shelter veterans campaign election protest parade pride event events award prize medal championship
    competition contest conference convention workshop meetup museum gallery exhibition allergic allergy glasses
    tattoo christmas easter ramadan diwali halloween thanksgiving summer winter spring autumn weekend weekends
    morning mornings evenings customers clients investors politics government military army"""
)
_STEMS = frozenset(language.stem(word) for word in _WORDS)
_NOUNS = re.compile(rf"\b(?:{KIN}|{PET})s?\b", re.IGNORECASE)
_OVER_TIME = re.compile(
    r"\b(?:every (?:day|week|month|year|\w+day|morning|evening|night|summer|winter|spring)|since "
    r"(?:childhood|they (?:was|were)"
    r"|(?:19|20)\d\d|\w+ (?:19|20)\d\d)|for (?:\w+ )?(?:years|months|decades)|(?:once|twice"
    r"|\w+ times) a (?:week|month|year)"
    r"|growing up|as a (?:kid|child|teen\w*)|when they were \w+|younger|years? (?:old|ago))\b",
    re.IGNORECASE,
)
_DATED = re.compile(r"\b(?:in|on) (?:the (?:week|weekend) of )?(?:\d+ )?(?:\w+ )?(?:19|20)\d\d")
_TURNS = re.compile(
    r"^(?:finally |even |also |once |then |just |recently |already |actually |now |officially )*"
    r"(?:moved|joined|won|met|married|adopted|graduated|became"
    r"|turned|retired|founded|opened"
    r"|launched|published|visited|travell?ed|volunteered|donated|celebrated|survived|inherited"
    r"|emigrated|enrolled|mentors"
    r"|believes|values|identifies|grew|raised|collects|coached|performed|trained|ran|signed up"
    r"|organi[sz]ed|hosted|has never \w+"
    r"|has been (?:only |just )?to (?-i:[A-Z])\w+|is (?:now |also |already )*(?:a )?(?:part|member) of (?!some)"
    r"|got (?:promoted|engaged|married|divorced|hired|accepted|elected|certified))\b",
    re.IGNORECASE,
)


def turns(text: str) -> bool:
    """Say if a third-person statement opens with a turn of a life: such a one may be short."""
    return bool(_TURNS.match(text))


def of_a_life(text: str) -> bool:
    """Say if a third-person statement touches a person's life: people, places, pastimes, turns, or long times."""
    if turns(text) or _OVER_TIME.search(text) or _NOUNS.search(text):
        return True
    if _DATED.search(text) and verbs.is_past(text.split()[0]):
        return True
    return any(language.stem(word) in _STEMS for word in language.content(text))
