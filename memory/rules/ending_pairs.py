"""Pairs of statements of which the later ends the earlier, as data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memory.rules.nouns import TRADE
from memoryhub import language
from memoryhub.language.word_lists import listed


@dataclass(frozen=True)
class Ending:
    """`old` is over once `new` is said; with `alike` only if both are about the same thing."""

    old: re.Pattern[str]
    new: re.Pattern[str]
    alike: bool = True


def _ending(old: str, new: str, *, alike: bool = True) -> Ending:
    return Ending(re.compile(old, re.IGNORECASE), re.compile(new, re.IGNORECASE), alike)


_WANTS = (
    r"^(?:really )?(?:wants to|would like to|plans to|is planning to|is planning|is going to"
    r"|is about to|hopes to|is thinking (?:of|about)|is considering|is saving (?:up )?for|is looking "
    r"(?:for|into|to)|intends to|will|is dreaming of)"
)
_JOB = (
    r"^(?:just |recently |finally )?(?:has )?(?:got|started|landed|accepted|found|began)\b.*\b(?:job"
    r"|position|role|internship|work|working|career|as an?|at)\b"
)

ENDINGS = (
    _ending(
        rf"{_WANTS}\b.*\b(?:adopt|get|buy|rescu)",
        r"^(?:just |finally )?(?:has |got |adopted|bought|rescued|is the owner)",
    ),
    _ending(rf"{_WANTS}\b.*\b(?:mov\w+|relocat\w+)", r"^(?:moved|relocated|lives)\b"),
    _ending(r"^is (?:finally )?moving\b", r"^(?:moved|relocated|lives)\b"),
    _ending(
        rf"{_WANTS}\b.*\b(?:visit|travel|go|trip)",
        r"^(?:visited|travell?ed to|went to|was in|came back from|returned from)\b",
    ),
    _ending(
        rf"{_WANTS}\b.*\b(?:learn|study|start|begin|take up|join|sign up|enrol)",
        r"^(?:is learning|started|began|joined|studies|is studying|signed up|enrolled|took up|plays"
        r"|speaks)\b",
    ),
    _ending(rf"{_WANTS}\b.*\b(?:open|launch|found|start)", r"^(?:opened|launched|founded|runs|owns|started)\b"),
    _ending(
        rf"{_WANTS}\b.*\b(?:marry|propose|wedding)",
        r"^(?:got married|married|is married|got engaged|is engaged|proposed)\b",
        alike=False,
    ),
    _ending(
        r"^is (?:currently |still )?(?:looking for|searching for|hunting for|in search of"
        r"|applying for)\b.*\b(?:job|work|position|role|internship)|^is (?:unemployed|between jobs"
        r"|out of work|job hunting)",
        rf"{_JOB}|^works\b",
        alike=False,
    ),
    _ending(
        r"^is (?:currently |still )?(?:looking for|searching for|hunting for)\b",
        r"^(?:found|got|bought|has|adopted|moved into)\b",
    ),
    _ending(
        r"^is (?:currently )?(?:learning|studying|majoring|doing|finishing|in (?:college|university"
        r"|school|high school))|^studies\b",
        r"^(?:graduated|finished|completed|earned|got (?:a|their) (?:degree|diploma|phd|master|bachelor)"
        r"|dropped out|speaks|is fluent)",
    ),
    _ending(
        r"^(?:is (?:a |an )?(?:\w+ ){0,2}(?:student(?! of)|freshman|sophomore|undergrad\w*|intern|apprentice))",
        r"^(?:graduated|finished (?:school|university|college|their)|dropped out)",
        alike=False,
    ),
    _ending(
        r"^is (?:\w+ )?(?:training|preparing|practi[sc]ing|studying) for\b",
        r"^(?:ran|finished|completed|passed|failed|won|did|took)\b",
    ),
    _ending(
        r"^is (?:currently |still )?(?:writing|building|making|working on|developing|recording|designing"
        r"|planning|restoring|renovating|organi[sz]ing|preparing|painting|reading|saving)\b",
        r"^(?:finished|completed|published|released|launched|built|wrote|recorded|submitted|hosted|held"
        r"|abandoned|gave up|sold|restored|renovated|bought)\b",
    ),
    _ending(
        r"^is (?:pregnant|expecting)|^is having a baby",
        r"^(?:had|gave birth|welcomed|has a (?:newborn|baby|son|daughter)|became a (?:mother|father"
        r"|parent|mom|dad))",
        alike=False,
    ),
    _ending(
        r"^(?:is|got) engaged|^has a (?:fianc[ée]e?|boyfriend|girlfriend)|^is (?:single|dating)",
        r"^(?:got married|married|is (?:now )?married)",
        alike=False,
    ),
    _ending(
        r"^is (?:\w+ )?single",
        r"^(?:is (?:now )?(?:dating|engaged|married)|started dating|got (?:engaged|married)|has a "
        r"(?:girlfriend|boyfriend|partner|fianc))",
        alike=False,
    ),
    _ending(
        r"^(?:is|got) (?:\w+ )?(?:married|engaged|dating)|^has a (?:\w+ )?(?:husband|wife|boyfriend"
        r"|girlfriend|partner|fianc[ée]e?)|^started dating",
        r"^(?:got (?:divorced|separated)|is (?:now |newly )?(?:divorced|separated|single|widowed)"
        r"|broke up|split up|divorced)",
        alike=False,
    ),
    _ending(
        r"^(?:has|owns|drives|rides|uses|got|bought|adopted|rescued|keeps)\b",
        r"^(?:sold|lost|gave away|gave up|traded in|returned|donated|got rid of|rehomed|totall?ed|crashed"
        r"|wrecked|replaced|no longer (?:has|owns|drives|uses))\b|\b(?:died|passed away|ran away"
        r"|was stolen|was put down|broke down for good)\b",
    ),
    _ending(
        r"^(?:is|went|has been|became) (?:a |now |strictly |mostly )*(?:vegan|vegetarian|pescatarian)",
        r"^(?:eats|started eating) (?:\w+ )?(?:meat|chicken|beef|fish)|^is no longer (?:a )?(?:vegan"
        r"|vegetarian)|^(?:stopped|quit) being (?:a )?(?:vegan|vegetarian)",
        alike=False,
    ),
    _ending(
        r"^(?:eats|loves|likes|enjoys)\b.*\b(?:meat|steaks?|bacon|beef|pork|chicken|burgers?|barbecue)\b",
        r"^(?:is|went|became|turned) (?:now |a )*(?:vegan|vegetarian)",
        alike=False,
    ),
    _ending(
        r"^(?:smokes|vapes|is a smoker)",
        r"^(?:quit|stopped|gave up) (?:smoking|vaping|cigarettes)|^(?:no longer|doesn't) smokes?",
        alike=False,
    ),
    _ending(
        r"^(?:drinks|enjoys) (?:alcohol|beer|wine)",
        r"^(?:quit|stopped|gave up) (?:drinking|alcohol)|^is (?:now )?(?:sober|teetotal)",
        alike=False,
    ),
    _ending(
        r"^(?:really |still )?(?:loves|likes|enjoys|prefers|drinks|eats)\b",
        r"^(?:doesn't (?:drink|eat)|no longer (?:drinks|eats)|(?:stopped|quit|gave up) (?:drinking|eating))\b",
    ),
    _ending(
        r"^(?:works|is an? |has a job|got a job|started (?:a|working)|runs|teaches)",
        r"^(?:retired|lost (?:the|their|a) job|was (?:fired|laid off)|got (?:fired|laid off)|is (?:now )?"
        r"(?:retired|unemployed|between jobs)|quit (?:the|their) job)(?:\.| in | on | after | since | for | last|$)",
        alike=False,
    ),
    _ending(
        r"^(?:works|is an? |has a job|got a job|started (?:a|working)|runs|teaches|volunteers)",
        r"^(?:quit|left|lost|resigned from|retired from|stopped (?:working|volunteering|teaching)"
        r"|no longer (?:works|volunteers|teaches|runs)|was (?:fired|laid off) from|got (?:fired"
        r"|laid off) from)\b",
    ),
    _ending(
        r"^is (?:scared|afraid|terrified) of|^has a fear of|^fears",
        r"^(?:got over|overcame|conquered|is no longer (?:scared|afraid)|isn't (?:scared|afraid))",
    ),
    _ending(
        r"^can(?:['’]t|not)\b|^doesn['’]t know how to|^never learn(?:ed|t)",
        r"^(?:learned|learnt|can|knows how|finally learned)\b",
    ),
    _ending(
        r"^(?:is a member of|plays (?:in|for|on)|is (?:in|on)|belongs to|joined)\b",
        r"^(?:left|quit|resigned from|was kicked out of|no longer (?:plays|belongs|is a member)"
        r"|retired from|transferred from)\b",
    ),
    _ending(
        r"^(?:uses|plays|watches|prefers|drinks|eats)\b",
        r"^(?:switched from|moved on from|dropped|quit|stopped (?:using|playing|watching|drinking"
        r"|eating))\b",
    ),
    _ending(
        rf"{_WANTS}\b",
        r"^(?:cancell?ed|called off|gave up on|decided (?:against|not to)|changed their mind about|dropped|abandoned"
        r"|scrapped|postponed|no longer (?:wants|plans))\b",
    ),
    _ending(r"^is (?:still )?waiting (?:for|on)\b", r"^(?:finally )?(?:got|received|was (?:given|granted|approved))\b"),
    _ending(r"^is (?:still )?recovering from\b", r"\brecovered from\b|^got over\b"),
    _ending(r"^is (?:a|an|the)\b", r"^(?:stepped down|resigned|retired|stood down|was removed|is no longer)\b"),
    _ending(
        rf"^(?:is (?:a|an|the)|works as (?:a|an|the)) (?:[\w-]+ ){{0,2}}{TRADE}\b|^is (?:a|an) (?:\w+ )?intern\b",
        r"^(?:got|was|has been) promoted to\b",
        alike=False,
    ),
    _ending(
        r"^is allergic to\b|^has an? (?:\w+ )*allergy\b",
        r"^(?:outgrew|got rid of|was cured of|overcame|no longer has|is no longer allergic)\b",
    ),
    _ending(
        r"^(?:rents|lives with (?:their )?(?:parents|mum|mom|mother|dad|father|grandparents|roommates?|flatmates?)\b)",
        r"^(?:finally )?(?:moved (?:into|out)\b|(?:bought|got) (?:a|an|their(?: own| first)?) (?:\w+ )?"
        r"(?:house|flat|apartment|home|condo)\b)",
        alike=False,
    ),
    _ending(r"^failed\b", r"^(?:finally )?passed\b"),
    _ending(r"^is dating\b|^has a (?:\w+ )?(?:boyfriend|girlfriend|partner)\b", r"^(?:got|is) engaged\b"),
    _ending(
        r"^(?:runs|owns|has|manages|writes|hosts|opened|founded|started|launched)\b",
        r"^(?:closed|shut down|took down|ended|wound up|folded|deleted)\b",
    ),
    _ending(
        r"^is (?:currently )?(?:travell?ing|visiting|on (?:holiday|vacation|a trip)|staying)\b",
        r"^(?:returned from|came (?:back|home) from|got back from|is back from)\b",
    ),
    _ending(r"^(?:uses|is on|has an? account)\b", r"^(?:deleted|deactivated|replaced|got rid of|closed)\b"),
    _ending(
        r"^is (?:a beginner|learning|studying)\b|^speaks (?:a little|some|basic|no)\b",
        r"^is (?:now )?fluent\b|^speaks\b.*\b(?:fluently|well)\b",
    ),
    _ending(
        r"^has (?:\w+ )?(?:long|short|curly|straight|blond\w*|brown|black|red|grey|gray|blue|pink|green) hair\b",
        r"^(?:cut|dyed|shaved|grew|bleached) (?:off )?their hair\b",
        alike=False,
    ),
    _ending(
        r"^(?:plays|is|works) (?:in|for|on|with)\b",
        r"^(?:transferred|moved|switched) to\b.*\bfrom\b|^(?:transferred|switched) from\b",
    ),
)


@lru_cache(maxsize=1_000)
def endings_by(new: str) -> tuple[Ending, ...]:
    """Return the endings that a new statement may bring; most bring none."""
    return tuple(ending for ending in ENDINGS if ending.new.search(new))


# Stems of the verbs above: they tell the change, not the thing that changed.
VERBS = frozenset(
    language.stem(word)
    for word in listed(
        "wants plans planning hopes thinking considering saving looking searching hunting going moving "
        "moved learning studying"
        " studies majoring doing finishing finished graduated training preparing practising writing "
        "wrote building built making"
        " working developing recording recorded designing restoring renovating organizing painting "
        "reading published released"
        " launched completed passed ran won submitted hosted held abandoned sold lost traded returned "
        "donated died passed"
        " switched dropped joined left quit retired resigned fired laid scared afraid terrified fear "
        "fears overcame conquered over"
        " transferred cancelled canceled called decided dropped scrapped postponed waiting received stepped promoted"
        " outgrew failed closed shut took ended deleted deactivated replaced back travelling traveling visiting"
        " speaks fluent started began found uses plays watches prefers drinks eats member belongs took visited"
    )
)
