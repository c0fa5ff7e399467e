"""Signs of junk as data: words and shapes of facts that are of no use, each with what it weighs, 0 to 1."""

from __future__ import annotations

import re

from memoryhub.language.word_lists import listed

Weighed = tuple[re.Pattern[str], float]
_I = re.IGNORECASE
# Words that fill a sentence without telling what it is about.
EMPTY = listed(
    """thing things stuff something anything everything nothing someone somebody everyone idea ideas way ways lot lots
    bit kind sort ton tons time times fun good great nice bad amazing awesome cool wonderful fantastic incredible
    experience experiences feeling feelings moment moments place places people person journey start part point detail
    details thought thoughts hard tough rough easy best better similar same new real really big huge fan together well
    way it this that these those here there happy happen happened happens
    make makes making made get gets getting got keep keeps keeping kept take takes took taking try tries tried trying
    work works worked working learn learned learning find finds found finding know knows come comes came back
    do does did doing done go goes went gone going be being been started finished start finish enjoy enjoys love loves
    like likes is was has had have will can could may who which what when where they them their themselves someone
    pretty much super totally actually finally always never still just also even ever lately recently currently
    hope hopes feels felt feel able one ones own yet now"""
)
POINTING = tuple(
    (re.compile(pattern, _I), weight)
    for pattern, weight in (
        # What is pointed at stands in the talk around it, not in the fact.
        (r"\b(?:this|that|it|these|those|such|there|here|so|one)(?: (?:too|either|now|also|here|again))?\W*$", 0.7),
        (r"\b(?:it|this|that) (?:brings?|gives?|makes?|takes?|is|was|could|can|will|would)\b", 0.35),
        (r"\bthis (?:one|way|stuff)\b|\bdoing something\b|\bsomething (?:like|similar|else|good|new)\b", 0.6),
        (r"\b(?:this|these|those) (?!year|month|week|summer|winter|spring|autumn|fall|morning)[a-z]+", 0.35),
        (r"\b(?:something|anything|everything|things|stuff)\b", 0.3),
        # Of "we", only one is left.
        (r"\b(?:together|each other|one another)\b(?!.*\bwith (?:their|the|a|[A-Z]))", 0.45),
        (r"^(?:\w+ )?(?:loves|likes|enjoys)(?: all)?(?: of)? (?:the|this|that|these|those|your|how) ", 0.45),
        # What the verb asks for is missing.
        (r"^(?:loves|likes|enjoys|hates) (?:and|or|sure|does|is|being\W*$|work\W*$)", 0.7),
        (r"^(?:started|stopped|finished|lost|worked) (?:when|often|the|in|for)\b|^(?:goes|doesn't go) often\b"
         r"|^used to be the\b", 0.4),
        (r"\b(?:working|worked) on (?:for|since|lately|recently)\b|\bsome (?:projects?|work|stuff)\b", 0.5),
        (r"^(?:is|are|all has|is all|believes they need|their \w+ is) (?:programmers|unique)\b", 0.6),
    )
)  # fmt: skip
_BOT = r"(?:bot|chat ?bot|assistant|a\.?i\.?|language model|llm|chatgpt|gpt|claude|gemini|copilot)"
ABOUT_THE_BOT = tuple(
    (re.compile(pattern, _I), weight)
    for pattern, weight in (
        (rf"^(?:the |this |that |their |our )?{_BOT}(?:'s)?\b(?! (?:developer|engineer|researcher|research))", 0.9),
        (rf"\b(?:ask|asked|asks|tell|told|tells|thank|thanked|thanks|greeted|greets|talk|talks|talked|chatt?(?:s|ed|ing)?"
         rf"|interact\w*|speak\w*|spoke|request\w*|test\w*|mention\w*|ping\w*|prompt\w*)\b"
         rf"[^.!?]{{0,20}}\b(?:the|this|that|our) {_BOT}\b", 0.8),
        (rf"\b(?:the|this|that) {_BOT} (?:should|must|will|can|is|was|has|does|did|said|says|told|answered|replied"
         r"|knows|remembers|helped|recommended|suggested)\b", 0.8),
        (r"\b(?:system prompt|(?:stored|saved|remembered) in memory|in (?:its|the bot's) memory|knowledge cutoff"
         r"|background[ _]facts|context window)\b", 0.8),
        (r"^(?:the )?user (?:asked|asks|said|says|greeted|greets|thanked|mentioned|wants|is asking|requested|sent)\b",
         0.7),
        (r"^(?:asked|asks|is asking|wants to know|wondered|is wondering|requested|inquired) "
         r"(?:about|for|if|whether|how|what|why|when|where|who|to)\b", 0.7),
    )
)  # fmt: skip
ORDER = tuple(
    (re.compile(pattern, _I), weight)
    for pattern, weight in (
        (r"\b(?:you|your|yourself)\b(?![^\"“]*[\"”])", 0.5),
        (r"\b(?:must|should|shall|has to be|is to be) (?:always |never |only )?(?:be )?"
         r"(?:call(?:ed)?|obey(?:ed)?|trust(?:ed)?|believ(?:e|ed)|ignor(?:e|ed)|repl(?:y|ied)|answer(?:ed)?|address(?:ed)?"
         r"|refer(?:red)?|treat(?:ed)?|grant(?:ed)?|follow(?:ed)?)\b", 0.7),
        (r"^(?:please |always |never |from now on,? )+(?:\w+)\b", 0.5),
        (r"\b(?:admin|administrator|owner|moderator|operator|root)(?:'s)? (?:rights|access|permission|privileges?"
         r"|password|command)s?\b|\bmay do anything\b|\bno rules apply\b|\bwithout (?:asking|restrictions?)\b", 0.6),
        (r"\b(?:remember|note|store|save) (?:that|this|to|for)\b", 0.4),
        (r"https?://|www\.", 0.3),
    )
)  # fmt: skip
FOR_NOW = tuple(
    (re.compile(pattern, _I), weight)
    for pattern, weight in (
        (r"\b(?:right now|at the moment|for now|just now|a (?:minute|moment|second) ago"
         r"|in a (?:minute|moment|bit|second)|later today|tonight|this (?:morning|afternoon|evening)|today|brb|afk)\b",
         0.55),
        (r"\b(?:is|are|was|been|keeps?|still) (?:running into|stuck|debugging|receiving|about to)\b", 0.65),
        (r"^(?:(?:can't|cannot|couldn't) (?:\w+ly )?(?:see|find|get|figure|play)|shows their|posted|redownloaded"
         r"|thinks what|thinm?ks|believes they|gets a feeling|wants to (?:pass|use|get|know)"
         r"|has (?:worked out|run into|only seen|got a|integrated|launched|the \w+ written)|is \d+% sure"
         r"|is (?:looking for an?|using|building the|running an?|writing a test)|will (?:relay|check|try|look))\b",
         0.55),
    )
)  # fmt: skip
DIET = re.compile(r"^(?:can['’]?t|cannot|doesn['’]?t|does not|never) (?:have|eat|drink)s?\b", _I)
TASK = tuple(
    (re.compile(pattern, _I), weight)
    for pattern, weight in (
        (r"\b(?:issue|error|bug|exception|stack ?trace|crash|segfault|warning|typo|compile[sr]?|recursion limit"
         r"|memory leak|click handler|callback|git repo|sample code)s?\b", 0.4),
        (r"\b(?:nullptr|struct|enum|ffi|api|cli|stdin|stdout|localhost|regex|macro|mutex|mutable|vector|pointer|webhooks?"
         r"|endpoint|directives?|branch|commit|merge request|db|url|env|config|json|stdlib|use case)\b", 0.25),
    )
)  # fmt: skip
TURNING = listed("not no never longer former formerly ex used stopped quit without isn't doesn't didn't hates dislikes")
SHORT = 3  # telling words, up to which a fact that points at something points out of itself
# Share of its words that the message says, and what less than that weighs; the guards refuse what is under 0.4.
HARDLY_SAID = ((0.5, 0.65), (0.6, 0.35), (0.7, 0.15))
DUPLICATE = ((0.85, 0.9), (0.7, 0.7), (0.6, 0.5))  # share of common words, and what it weighs
