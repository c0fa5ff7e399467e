"""Pairs of statements of which the later ends the earlier, as data."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoryhub import language
from memoryhub.language.wordlists import listed


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
        r"^(?:is (?:a |an )?(?:\w+ ){0,2}(?:student|freshman|sophomore|undergrad\w*|intern|apprentice))",
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
        r"^(?:works|is an? |has a job|got a job|started (?:a|working)|runs|teaches)",
        r"^(?:retired|lost (?:the|their|a) job|was (?:fired|laid off)|got (?:fired|laid off)|is (?:now )?"
        r"(?:retired|unemployed|between jobs)|quit (?:the|their) job)(?:\.| in | on | after | last|$)",
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
)

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

# What has one value at a time: where only the number differs, the newer one holds.
MEASURES = frozenset(
    language.stem(word)
    for word in listed(
        "budget goal target limit deadline salary rent income score average rate accuracy weight height size length"
        " total pace price cost fee duration distance capacity quota allowance balance savings debt percentage speed"
        " count followers subscribers members"
    )
)

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
        " speaks fluent started began found uses plays watches prefers drinks eats member belongs took visited"
    )
)
