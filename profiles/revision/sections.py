"""Which section of a profile a statement belongs to, by its words: rules in order, the first that matches."""

from __future__ import annotations

import re

from profiles.revision.schemas import Section

_KIN = r"""wife | husband | spouse | fianc[eé]e? | (?:girl|boy|best )?friends? | partner | mom | mum | mother
    | dad | father | parents? | sisters? | brothers? | siblings? | twins? | sons? | daughters? | kids? | child
    | children | baby | nephews? | nieces? | cousins? | aunts? | auntie | uncles? | in-laws? | grand\w+
    | step\w+ | family | roommates? | flatmates? | neighbou?rs? | mentors?"""
_PET = r"""tortoises? | dogs? | cats? | pupp(?:y|ies) | kittens? | pets? | hamsters? | parrots? | turtles? | rabbits?
    | horses? | guinea pigs? | gecko | snake | ferret | budgie | retriever | labrador | poodle | corgi | husky
    | terrier | beagle | dachshund | shepherd | goldfish"""
_TRADE = r"""\w+(?:er|or|ist|ian|ant|man|woman) | nurse | teacher | doctor | chef | cook | pilot | student
    | clerk | coach | vet | lawyer | nanny | actress | architect | mechanic | analyst | judge | guide | intern | CEO
    | apprentice | freelance | paramedic | midwife | priest | monk"""
_TUNE = (
    r"cello | violin | piano | guitar | bass | drums? | flute | trumpet | sax\w* | clarinet | harp | ukulele | organ"
    r" | accordion | banjo | viola | oboe | mandolin | keyboards?"
)
_FIRM = "business | shop | store | company | studio | bakery | cafe | restaurant | farm | house | flat | agency"
_MONTH = "january | february | march | april | may | june | july | august | september | october | november | december"
_HOBBY = r"""hiking | camping | climbing | painting | pottery | drawing | knitting | baking | cooking | gardening
    | yoga | gym | running | marathon | cycling | swimming | dance | dancing | music | concert | guitar | games?
    | gaming | tournament | chess | football | basketball | soccer | tennis | books? | novels? | fantasy
    | poetry | movies? | films? | anime | series | photography | travel(?:l?ing)? | trip | museum | sports?"""
_ADVERB = r"""also | now | currently | still | really | often | usually | sometimes | recently | originally
    | mostly | newly | very | always | just | quite | totally | deeply"""

_OPENS, _HOLDS = "opens the statement", "stands anywhere in it"
_RULES: tuple[tuple[Section, str, str], ...] = (
    (
        "interests",
        _OPENS,
        r"(?:has|had) (?:had )?(?:an? )?(?:\w+ )?(?:love|passion|fondness|soft spot|weakness|interest) (?:for|of|in)",
    ),
    (
        "relationships",
        _OPENS,
        r"""(?:is|was|got|has been) (?:married|engaged|dating|divorced|single|widowed|seeing|expecting)
        | (?:has|have|owns?|got|adopted|keeps|lost|rescued|is (?:getting|adopting))\b.{0,30}\b{PET}
        | (?:has|have|is|was|became|lives with|shares)\b.{0,30}\b{KIN}
        | (?:their|his|her) (?:\w+ ){0,2}(?:{KIN}|{PET})
        | \w+ is (?:their|his|her) (?:\w+ ){0,2}(?:{KIN}|{PET}) | is an? (?:\w+ )?{KIN} of
        | lost (?:their|his|her) (?:\w+ )?{KIN} | shares an? \w+ with | met | is friends with
        | is close (?:to|with) | misses | looks up to | broke up with | (?:values|appreciates) \w+'s""",
    ),
    (
        "opinions",
        _OPENS,
        r"""thinks? | believes? | feels (?:that|like) | finds | considers | prefers? | hates? | dislikes?
        | detests? | loathes | can(?:'t|not) stand | disagrees | agrees | supports | opposes | values | rates
        | distrusts | trusts | sees | wishes | would (?:rather|never|always)
        | is (?:against|in favou?r of|sc?k?eptical|convinced|not a fan|no fan|tired of) | was (?:un)?impressed
        | says | claims | does(?:n't| not) (?:eat|drink|own|want|use|watch)
        | is (?:afraid|scared|terrified|proud|wary|critical) of | doubts | insists | argues
        | (?:does(?:n't| not)|no longer) (?:like|trust|believe|care|enjoy)s?""",
    ),
    (
        "opinions",
        _HOLDS,
        r"""(?:better|worse|nicer|more|less) than | over(?:rated|hyped) | underrated
        | (?:is|are) the (?:best|worst) | favou?rites?""",
    ),
    (
        "skills",
        _OPENS,
        r"""can | could | is able to | knows | speaks | codes? | programs? | masters | mastered | learns
        | learn(?:ed|t) | teaches | builds | designs | repairs | fixes | is learning
        | taught (?:them|him|her)sel\w+ | plays the (?:\w+ )?{TUNE}
        | writes (?:\w+ )?(?:code|shaders|software|plugins|mods) | is an? (?:expert|native)
        | is (?:fluent|good at|great at|skilled|experienced|trained|certified|proficient|qualified)
        | has been (?:coding|programming|painting|playing|sewing|teaching)\b.{0,30} (?:for|since)
        | makes (?:their|his|her) own | is an? certified
        | has (?:\w+ years of|experience|a black belt|a certificate|an? (?:\S+ )?licen[cs]e)""",
    ),
    (
        "bio",
        _OPENS,
        r"""lives? | lived | used to live | has lived | works? | worked | used to work
        | is (?:originally )?from | comes? from | grew up | was (?:born|raised) | moved | resides
        | stud(?:ies|ied) | majors | graduated | attends | turned \d+ | is \d+
        | is (?:moving|based|aged|retired|unemployed|self-employed|employed|studying|doing a|called|known)
        | goes by | uses (?:he|she|they) | quit | left | lost (?:their|his|her) job
        | has an? (?:degree|phd|master's|bachelor's|diploma) | is the (?:founder|owner|head|ceo) of
        | is between jobs | earns | started (?:as|at|working|studying) | is starting (?:their|his|her|an?|as|at)
        | (?:rented|bought|rents|owns) (?:an?|their|his|her) (?:\w+ )?(?:flat|house|apartment)
        | (?:runs|owns|opened) (?:an?|their|his|her|two|three) (?:\w+ ){0,2}{FIRM}
        | got (?:a )?(?:new )?(?:job|promoted|hired) | was (?:promoted|hired|laid off|fired)
        | is (?:non-?binary|trans(?:gender)?|gay|lesbian|bi|queer|vegan|vegetarian|left-handed|deaf|colou?r-?blind)
        | is an? (?:[\w-]+ ){0,3}{TRADE}""",
    ),
    (
        "bio",
        _HOLDS,
        """(?<!'s )birthday | for a living | years old | pronouns | time ?zone | UTC | allerg(?:y|ic|ies) | hometown
        | nationality""",
    ),
    (
        "interests",
        _OPENS,
        r"""loves? | likes? | enjoys? | adores? | plays? | played | collects? | watch(?:es)? | reads?
        | listens | follows | paints? | draws | sketches | knits | sews | bakes | cooks | gardens | plants
        | grows | runs | hikes | climbs | swims | cycles | bikes | skates | skis | surfs | fishes | camps
        | drinks | eats | walks | jogs | took up | picked up
        | dances | sings | travels | streams | games | practi[sc]es | trains | goes | does | writes
        | photographs | volunteers | spends | relaxes | hopes | wants | dreams | would (?:love|like) | plans
        | looks forward | never misses | makes | brews | crafts | started \w+ing | has a passion
        | is (?:into|fond of|a (?:big|huge)|interested|passionate|keen|obsessed|hooked|crazy|curious)
        | is (?:training|planning|saving)""",
    ),
    (
        "interests",
        _HOLDS,
        "hobb(?:y|ies) | fan of | passion for | interest in | in (?:their|his|her) (?:spare|free) time",
    ),
    ("relationships", _HOLDS, r"(?:with|for|from|by|to) (?:their|his|her) (?:\w+ )?(?:{KIN}|{PET})"),
    (
        "interests",
        _OPENS,
        r"(?:is|has been) (?:reading|watching|playing|listening|following|collecting|writing|making|trying|exploring)",
    ),
    ("other", _HOLDS, r"(?:in|on|since) (?:\d+ )?(?:{MONTH}|\d{4})"),
    ("interests", _HOLDS, "{HOBBY}"),
)
_BY_KIND: dict[str, Section] = {"relationship": "relationships", "preference": "interests", "profile": "bio"}


def _either(words: str) -> str:
    return "(?:" + "|".join(re.split(r"\s+\|\s+", words)) + ")"


def _compiled(where: str, words: str) -> re.Pattern[str]:
    for name, group in {
        "KIN": _KIN,
        "PET": _PET,
        "TRADE": _TRADE,
        "TUNE": _TUNE,
        "FIRM": _FIRM,
        "MONTH": _MONTH,
        "HOBBY": _HOBBY,
    }.items():
        words = words.replace(f"{{{name}}}", _either(group))
    return re.compile(rf"{'^' if where == _OPENS else ''}\b{_either(words)}\b", re.IGNORECASE)


_ADVERBS = re.compile(rf"\b{_either(_ADVERB)} ", re.IGNORECASE)
_COMPILED = tuple((section, _compiled(where, words)) for section, where, words in _RULES)


def section_of(text: str, *, kind: str = "other") -> Section:
    """Return the section of a statement in the third person without the name; the fact's kind where no rule speaks."""
    plain = _ADVERBS.sub("", text)
    found = next((section for section, pattern in _COMPILED if pattern.search(plain)), None)
    return found or _BY_KIND.get(kind, "other")
