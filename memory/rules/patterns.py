"""The statements worth most, by their shape in the third person: what they tell, and of which kind they are."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.facts.kinds import Kind
from memory.rules.nouns import KIN, PET, TRADE


@dataclass(frozen=True)
class Slot:
    """One shape of statement."""

    name: str
    kind: Kind
    shape: re.Pattern[str]


_TABLE: tuple[tuple[str, Kind, str], ...] = (
    (
        "home",
        "profile",
        r"^(?:now |currently |still )?(?:lives|resides) (?:in|at|near|on|with)\b (?!fear|peace|a dream)",
    ),
    (
        "home",
        "profile",
        r"^(?:just |recently |finally )?(?:has )?(?:just |recently |finally )?(?:moved|relocated"
        r"|emigrated)(?: back| over| out| here)*(?: from [^,]+?)? to [A-Z]",
    ),
    ("moving", "profile", r"^(?:is|will be) (?:finally )?moving (?:back |from [^,]+? )?(?:to|into|out)\b"),
    (
        "origin",
        "profile",
        r"^(?:is |was )?(?:originally )?(?:from [A-Z]|born\b|raised in|comes from [A-Z])|^(?:grew up"
        r"|was raised|has roots) in\b",
    ),
    (
        "job",
        "profile",
        r"^(?:now |currently |still )?works (?:as|at|for|in|with)\b (?!progress|a bit)",
    ),
    (
        "job",
        "profile",
        rf"^is (?:now |currently |actually )?(?:a|an) {TRADE}\b(?! of (?:that|this))",
    ),
    (
        "job",
        "profile",
        r"^(?:just |recently |finally )?(?:has )?(?:got|started|landed|accepted|began|found)(?: working"
        r"| work)?(?: a| an| the| their)?(?: new| first| dream| great)* (?:job|position|role|internship"
        r"|gig|working|apprenticeship|residency)\b",
    ),
    (
        "job end",
        "profile",
        r"^(?:just |recently |finally )?(?:quit|left|lost|resigned from|was fired from|got fired from"
        r"|was laid off|got laid off|retired)\b",
    ),
    (
        "business",
        "profile",
        r"^(?:runs|owns|founded|co-founded|manages|opened|started|launched) (?:a|an|their(?: own)?) "
        r"(?:\w+ ){0,4}(?:business|shop|store|company|studio|cafe|café|restaurant|bakery|bar|agency"
        r"|start-?up|farm|salon|brand|podcast|channel|blog|server|band|charity|newsletter|label)\b",
    ),
    (
        "studies",
        "profile",
        r"^(?:is (?:currently |now )?)?(?:stud(?:ies|ied|ying)|majors in|majoring in|is doing (?:a|their) "
        r"(?:phd|master|degree))|^(?:graduated|has a (?:degree|phd|master|bachelor)|got (?:a|their) "
        r"(?:\w+ )?(?:degree|phd|diploma|certification|licen[cs]e))\b",
    ),
    ("wish", "preference", r"^wants to (?:learn|become|move|visit|travel|open|study|write|retire|adopt)\b"),
    ("parted", "profile", r"^(?:sold|gave away|lost|donated) their\b"),
    (
        "former",
        "profile",
        r"^(?:used to|no longer|(?:doesn't|does not|isn't)\b.* any ?(?:more|longer)$)",
    ),
    ("teaching", "profile", r"^teaches\b"),
    (
        "name",
        "profile",
        r"^(?:is called|goes by|prefers to be called|their (?:full |first |last )?name is)\b",
    ),
    ("pronouns", "profile", r"^(?:pronouns are|uses \w+/\w+)"),
    (
        "birthday",
        "profile",
        r"^(?:has a birthday|their birthday is|was born on)\b",
    ),
    (
        "age",
        "profile",
        r"^(?:is|was|turned|turns) (?:about )?\d{1,2}(?: years old)?(?:$| in| on|\.)",
    ),
    ("languages", "profile", r"^(?:speaks|is (?:fluent in|learning|a native))\b"),
    (
        "diet",
        "profile",
        r"^(?:is (?:a |now |mostly )*(?:vegan|vegetarian|pescatarian|lactose intolerant|gluten[- ]free"
        r"|coeliac|celiac|teetotal|colou?r ?blind|deaf|left-handed|dyslexic)|is allergic to|has an? "
        r"(?:\w+ )?allergy|doesn't (?:eat|drink|smoke)"
        r"|went (?:vegan|vegetarian))\b",
    ),
    (
        "status",
        "relationship",
        r"^(?:is |has been |got |just got |recently got )(?:happily |now |currently |recently |newly )*"
        r"(?:married|engaged|single|divorced|widowed|separated|pregnant|expecting|dating)\b",
    ),
    (
        "family",
        "relationship",
        rf"^(?:has|is the (?:{KIN}) of|is (?:a|an) (?:\w+ )?(?:{KIN}|parent)\b|became)\b (?:.* )?(?:{KIN}"
        r"|kids|children|sons|daughters|sisters|brothers|siblings|twins|parents|cousins|family"
        r"|friends?)\b",
    ),
    ("family", "relationship", rf"^their (?:\w+ )?(?:{KIN}|kids|children|parents|family|friends?)\b"),
    (
        "pet",
        "relationship",
        r"^(?:has|owns|got|adopted|just adopted|just got|recently adopted|rescued|fosters)\b (?:.* )?"
        rf"(?:{PET})s?\b",
    ),
    ("pet", "relationship", rf"^their (?:\w+ )?(?:{PET})s?\b"),
    (
        "favourite",
        "preference",
        r"^(?:their )?(?:all[- ]time )?favou?rite\b",
    ),
    (
        "like",
        "preference",
        r"^(?:really |also |absolutely |always |totally |still )*(?:loves|likes|enjoys|adores|prefers|is "
        r"(?:really |very |also |super )?(?:into|fond of|passionate about|keen on|obsessed with"
        r"|addicted to|interested in)|is (?:also )?a (?:huge |big |massive |real |die-?hard "
        r"|long-?time )*(?:fan|lover|supporter))\b",
    ),
    (
        "dislike",
        "preference",
        r"^(?:really |also |absolutely |always |totally )*(?:hates|dislikes|despises|loathes"
        r"|can['’]t stand|doesn't (?:really )?(?:like|enjoy|care for)|never liked|is (?:not|not really) "
        r"(?:into|a fan)|is (?:scared|afraid|terrified) of)\b",
    ),
    (
        "play",
        "preference",
        r"^(?:also |still |usually |often )*(?:plays|collects|runs|paints|knits|bakes|writes|draws|sings"
        r"|dances|skates|surfs|climbs|swims|gardens|streams|codes in|volunteers|practi[sc]es|coaches"
        r"|mentors)\b",
    ),
    (
        "since",
        "preference",
        r"^has (?:always |just |also |recently )?(?:been (?:playing|learning|studying|painting|dancing"
        r"|running|writing|collecting|practi[sc]ing|working|living|volunteering|teaching|making|training"
        r"|singing|climbing|coding|building|doing|into|a)|loved|lived|worked|played|taught)\b",
    ),
    (
        "project",
        "project",
        r"^is (?:currently |also |now |still |busy )*(?:working on|building|writing|planning"
        r"|organi[sz]ing|training for"
        r"|saving (?:up )?for|opening|restoring|renovating)\b",
    ),
    (
        "effort",
        "project",
        r"^is (?:currently |also |now |still |busy )*(?:making|developing|designing|preparing|launching"
        r"|starting|recording"
        r"|creating|running|setting up|expanding)\b",
    ),
    (
        "project",
        "project",
        r"^(?:just |recently |finally |has )*(?:launched|published|released|finished (?:their|writing"
        r"|building|the)|signed up for|started (?:their|learning|a|an|playing|painting|doing|training"
        r"|writing|volunteering)|joined|took up|enrolled)\b",
    ),
    ("owns", "profile", r"^(?:owns|drives|rides) (?:a|an|two|three|their)\b"),
    (
        "has",
        "profile",
        r"^has (?:a|an|two|three|four|five) (?!(?:lot"
        r"|bit|few|feeling|question|hard|good|great|bad|busy|long|rough|blast|headache|cold|fever|meeting"
        r"|minute|second|sec|point|look|crush|test|exam|chance|hunch|problem|ton|bunch|million)\b)",
    ),
    (
        "bought",
        "profile",
        r"^(?:just |recently |finally |has )*(?:bought|purchased|built|inherited) (?:a|an|their|some)\b",
    ),
)
SLOTS = tuple(Slot(name, kind, re.compile(shape, re.IGNORECASE)) for name, kind, shape in _TABLE)


_VAGUE = {"has", "bought", "effort", "since"}


def vague(slot: Slot) -> bool:
    """Say if the shape fits things of the moment as well: then the words must tell the difference."""
    return slot.name in _VAGUE


def match(text: str) -> Slot | None:
    """Return the first shape that the third-person text has."""
    return next((slot for slot in SLOTS if slot.shape.match(text)), None)
