"""The statements worth most, by their shape in the third person: what they tell, of which kind, and how they are put."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.shapes import Kind

_I = re.IGNORECASE
KIN = (
    "mother|mom|mum|father|dad|sister|brother|wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?"
    "|spouse|son|daughter|kid|child|baby|twin|cousin|aunt|uncle|"
    "niece|nephew|grandma|grandmother|grandpa|grandfather|stepmom|stepdad|mother-in-law"
    "|father-in-law|roommate|flatmate|best friend"
)
PET = (
    "dog|puppy|cat|kitten|parrot|hamster|rabbit|bunny|turtle|tortoise|horse|pony|fish|snake|lizard"
    "|gecko|guinea pig|ferret|bird|budgie|chicken|goat|pet"
)
_TRADE = (
    r"(?:\w+ ){0,3}?(?:\w+(?:er|or|ist|ian|eer|smith|wright|grapher|man|woman|ant)|nurse|chef|cook"
    r"|student|teacher|vet|pilot|coach|clerk|monk|"
    r"mechanic|freelancer|intern|apprentice|freshman|sophomore|junior dev|dev|devops|sysadmin|ceo|cto"
    r"|mod|nanny|paramedic|judge|barista|au pair|midwife|mathematician|athlete)"
)
_NOT_TRADES = (
    r"(?!(?:\w+ ){0,3}?(?:believer|fighter|loser|winner|sucker|monster|beginner|listener|sleeper"
    r"|stranger|lover|fan|member|owner|together|better|later|either|matter|never|father|mother"
    r"|brother|sister|daughter|hater|killer|goner|failure|woman|man|human|giant|constant|want"
    r"|important|assistant|ai)\b)"
)


@dataclass(frozen=True)
class Slot:
    """One shape of statement; `single`: a member has only one at a time, so a new value ends the old one."""

    name: str
    kind: Kind
    shape: re.Pattern[str]
    single: bool = False


def _slot(name: str, kind: Kind, shape: str, *, single: bool = False) -> Slot:
    return Slot(name, kind, re.compile(shape, _I), single)


SLOTS = (
    _slot(
        "home",
        "profile",
        r"^(?:now |currently |still )?(?:lives|resides) (?:in|at|near|on|with)\b (?!fear|peace|a dream)",
        single=True,
    ),
    _slot(
        "home",
        "profile",
        r"^(?:just |recently |finally )?(?:has )?(?:just |recently |finally )?(?:moved|relocated"
        r"|emigrated)(?: back| over| out| here)*(?: from [^,]+?)? to [A-Z]",
        single=True,
    ),
    _slot("moving", "profile", r"^(?:is|will be) (?:finally )?moving (?:back |from [^,]+? )?(?:to|into|out)\b"),
    _slot(
        "origin",
        "profile",
        r"^(?:is |was )?(?:originally )?(?:from [A-Z]|born\b|raised in|comes from [A-Z])|^(?:grew up"
        r"|was raised|has roots) in\b",
    ),
    _slot(
        "job", "profile", r"^(?:now |currently |still )?works (?:as|at|for|in|with)\b (?!progress|a bit)", single=True
    ),
    _slot(
        "job",
        "profile",
        rf"^is (?:now |currently |actually )?(?:a|an) {_NOT_TRADES}{_TRADE}\b(?! of (?:that|this))",
        single=True,
    ),
    _slot(
        "job",
        "profile",
        r"^(?:just |recently |finally )?(?:has )?(?:got|started|landed|accepted|began|found)(?: working"
        r"| work)?(?: a| an| the| their)?(?: new| first| dream| great)* (?:job|position|role|internship"
        r"|gig|working|apprenticeship|residency)\b",
        single=True,
    ),
    _slot(
        "job end",
        "profile",
        r"^(?:just |recently |finally )?(?:quit|left|lost|resigned from|was fired from|got fired from"
        r"|was laid off|got laid off|retired)\b",
    ),
    _slot(
        "business",
        "profile",
        r"^(?:runs|owns|founded|co-founded|manages|opened|started|launched) (?:a|an|their(?: own)?) "
        r"(?:\w+ ){0,4}(?:business|shop|store|company|studio|cafe|café|restaurant|bakery|bar|agency"
        r"|start-?up|farm|salon|brand|podcast|channel|blog|server|band|charity|newsletter|label)\b",
    ),
    _slot(
        "studies",
        "profile",
        r"^(?:is (?:currently |now )?)?(?:stud(?:ies|ying)|majors in|majoring in|is doing (?:a|their) "
        r"(?:phd|master|degree))|^(?:graduated|has a (?:degree|phd|master|bachelor)|got (?:a|their) "
        r"(?:\w+ )?(?:degree|phd|diploma|certification|licen[cs]e))\b",
    ),
    _slot("teaching", "profile", r"^teaches\b"),
    _slot(
        "name",
        "profile",
        r"^(?:is called|goes by|prefers to be called|their (?:full |first |last )?name is)\b",
        single=True,
    ),
    _slot("pronouns", "profile", r"^(?:their pronouns are|uses \w+/\w+)"),
    _slot("birthday", "profile", r"^(?:has a birthday|their birthday is|was born on)\b", single=True),
    _slot("age", "profile", r"^(?:is|was|turned|turns) (?:about )?\d{1,2}(?: years old)?(?:$| in| on|\.)", single=True),
    _slot("languages", "profile", r"^(?:speaks|is (?:fluent in|learning|a native))\b"),
    _slot(
        "diet",
        "profile",
        r"^(?:is (?:a |now |mostly )*(?:vegan|vegetarian|pescatarian|lactose intolerant|gluten[- ]free"
        r"|coeliac|celiac|teetotal)|is allergic to|has an? (?:\w+ )?allergy|doesn't (?:eat|drink|smoke)"
        r"|went (?:vegan|vegetarian))\b",
    ),
    _slot(
        "status",
        "relationship",
        r"^(?:is |has been |got |just got |recently got )(?:happily |now |currently |recently |newly )*"
        r"(?:married|engaged|single|divorced|widowed|separated|pregnant|expecting|dating)\b",
        single=True,
    ),
    _slot(
        "family",
        "relationship",
        rf"^(?:has|is the (?:{KIN}) of|is (?:a|an) (?:\w+ )?(?:{KIN}|parent)\b|became)\b (?:.* )?(?:{KIN}"
        r"|kids|children|sons|daughters|sisters|brothers|siblings|twins|parents|cousins|family"
        r"|friends?)\b",
    ),
    _slot("family", "relationship", rf"^their (?:\w+ )?(?:{KIN}|kids|children|parents|family|friends?)\b"),
    _slot(
        "pet",
        "relationship",
        r"^(?:has|owns|got|adopted|just adopted|just got|recently adopted|rescued|fosters)\b (?:.* )?"
        rf"(?:{PET})s?\b",
    ),
    _slot("pet", "relationship", rf"^their (?:\w+ )?(?:{PET})s?\b"),
    _slot("favourite", "preference", r"^(?:their )?(?:all[- ]time )?favou?rite\b", single=True),
    _slot(
        "like",
        "preference",
        r"^(?:really |also |absolutely |always |totally |still )*(?:loves|likes|enjoys|adores|prefers|is "
        r"(?:really |very |also |super )?(?:into|fond of|passionate about|keen on|obsessed with"
        r"|addicted to|interested in)|is (?:also )?a (?:huge |big |massive |real |die-?hard "
        r"|long-?time )*(?:fan|lover|supporter))\b",
    ),
    _slot(
        "dislike",
        "preference",
        r"^(?:really |also |absolutely |always |totally )*(?:hates|dislikes|despises|loathes"
        r"|can['’]t stand|doesn't (?:really )?(?:like|enjoy|care for)|never liked|is (?:not|not really) "
        r"(?:into|a fan)|is (?:scared|afraid|terrified) of)\b",
    ),
    _slot(
        "play",
        "preference",
        r"^(?:also |still |usually |often )*(?:plays|collects|runs|paints|knits|bakes|writes|draws|sings"
        r"|dances|skates|surfs|climbs|swims|gardens|streams|codes in|volunteers|practi[sc]es|coaches"
        r"|mentors)\b",
    ),
    _slot(
        "since",
        "preference",
        r"^has (?:always |just |also |recently )?(?:been (?:playing|learning|studying|painting|dancing"
        r"|running|writing|collecting|practi[sc]ing|working|living|volunteering|teaching|making|training"
        r"|singing|climbing|coding|building|doing|into|a)|loved|lived|worked|played|taught)\b",
    ),
    _slot(
        "project",
        "project",
        r"^is (?:currently |also |now |still |busy )*(?:working on|building|writing|making|developing"
        r"|designing|planning|preparing|organi[sz]ing|training for|saving (?:up )?for|launching|starting"
        r"|opening|recording|restoring|renovating|creating|running|setting up|expanding)\b",
    ),
    _slot(
        "project",
        "project",
        r"^(?:just |recently |finally |has )*(?:launched|published|released|finished (?:their|writing"
        r"|building|the)|signed up for|started (?:their|learning|a|an|playing|painting|doing|training"
        r"|writing|volunteering)|joined|took up|enrolled)\b",
    ),
    _slot(
        "has",
        "profile",
        r"^(?:owns|drives|rides) (?:a|an|two|three|their)\b|^has (?:a|an|two|three|four|five) (?!(?:lot"
        r"|bit|few|feeling|question|hard|good|great|bad|busy|long|rough|blast|headache|cold|fever|meeting"
        r"|minute|second|sec|point|look|crush|test|exam|chance|hunch|problem|ton|bunch|million)\b)",
    ),
    _slot(
        "bought",
        "profile",
        r"^(?:just |recently |finally |has )*(?:bought|purchased|built|inherited) (?:a|an|their|some)\b",
    ),
)

_SAME: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, _I), put)
    for pattern, put in (
        (r"^is (?:currently |now |still )?(?:living|residing|based|located) (?=in|at|near)", "lives "),
        (r"^is (?:currently |now |still )?working (?=as|at|for)", "works "),
        (r"^has (?:just |recently |finally )?moved\b", "moved"),
        (
            r"^(?:just|recently|finally) (?=moved|got|started|bought|adopted|joined|launched|finished|quit"
            r"|left|became|graduated|turned|has\b|opened|published|signed)",
            "",
        ),
        (
            r"^(?:really|also|actually|totally|absolutely|definitely|basically|honestly|personally|kinda|just"
            r"|literally) (?=\w+)",
            "",
        ),
        (rf"^their ({PET})(?:['’]s name is| is (?:called|named)) (\w+)$", r"has a \1 named \2"),
        (rf"^their ({KIN})(?:['’]s name is| is (?:called|named)) (\w+)$", r"has a \1 named \2"),
        (
            rf"^(?:has|got|adopted) (a|an|two) ([\w ]*?(?:{PET})s?),? (?:and (?:his|her|its|the|their) names? "
            r"(?:is|are)|called|named|name is) (.+)$",
            r"has \1 \2 named \3",
        ),
        (
            rf"^their ((?:older |younger |little |big |twin |step|half-)?(?:{KIN})) (lives|works|studies"
            r"|is an?|plays|teaches|runs|owns|moved|has|speaks)\b",
            r"has a \1 who \2",
        ),
        (r"^their (?:full |first )?name is (\w+)$", r"is called \1"),
        (r"^their birthday is (?:on )?(.+)$", r"has a birthday on \1"),
        (r"^favou?rite (?=\w+ (?:is|are)\b)", "their favourite "),
    )
)
_PET_NAMED = re.compile(
    rf"\bmy (?P<pet>{PET}) (?P<name>(?-i:[A-Z][a-z]+)|[a-z]{{3,12}}(?= (?:is|was|has|keeps|loves|just"
    r"|ate|does)\b))",
    _I,
)
_NO_NAMES = frozenset(
    "is was has had loves keeps just ate does died got and who that never always food bed walks "
    "sitter named called really literally also got can will now".split()
)  # noqa: SIM905, E501


def put(text: str) -> str:
    """Return a third-person statement in its usual form: "is living in" becomes "lives in"."""
    bare = text.rstrip(".")
    for pattern, form in _SAME:
        bare = pattern.sub(form, bare)
    return f"{bare[0].upper()}{bare[1:]}."


def match(text: str) -> Slot | None:
    """Return the first shape that the third-person text has."""
    return next((slot for slot in SLOTS if slot.shape.search(text)), None)


def named_pet(sentence: str) -> str | None:
    """Return "Has a dog named Bento." from "my dog bento is so dumb"."""
    found = _PET_NAMED.search(sentence)
    if not found or found["name"].lower() in _NO_NAMES:
        return None
    return f"Has a {found['pet'].lower()} named {found['name'].capitalize()}."
