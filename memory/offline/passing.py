"""What is true only for the moment, or only a courtesy: third-person statements not worth keeping."""

from __future__ import annotations

import re

_MOODS = (
    "tired exhausted busy hungry starving bored sick late back here there home ok okay fine good "
    "great well alright sure sorry glad excited happy ready done "
    "swamped stuck thrilled stoked pumped sad mad angry upset annoyed confused lost curious jealous "
    "impressed surprised shocked amazed grateful thankful "
    "honored honoured nervous anxious worried stressed cold hot sleepy awake free available in out "
    "down up off on afk online offline lagging "
    "kind afraid certain aware always like really very pretty super still just blessed proud lucky "
    "touched relieved overwhelmed all about at"
)
_DOINGS = (
    "heading leaving waiting watching eating drinking joking kidding looking thinking "
    "feeling getting having coming calling sitting lying standing "
    "walking talking sleeping saying asking laughing crying wondering hoping guessing doing dying "
    "freezing checking listening loading cheering rooting sending"
)
_COURTESY = (
    "knows guesses means agrees sees hopes wishes wonders bets swears doubts supposes hears heard "
    "thinks thought understands remembers remembered forgot "
    "forgets needs wants got gets appreciates promises gotta says said told asks asked tells saw "
    "noticed looks sounds feels felt tries tried figured "
    "missed misses takes gives lets let can't will could must won't"
)
_PASSING = re.compile(
    r"^(?:(?:really|just|also|so|still|always|finally|now|absolutely|definitely|even|totally|only|actually) )*(?:"
    r"(?:is|was|has been) (?:(?:really|just|so|also|still|very|super|always|currently|now|pretty|too"
    rf"|not|a bit|a little|kind of|kinda|totally|quite|such|feeling) )*(?:{_MOODS.replace(' ', '|')}"
    rf"|{_DOINGS.replace(' ', '|')})\b"
    rf"|(?:{_COURTESY.replace(' ', '|')})\b"
    r"|(?:will|won't|is (?:gonna|going to|about to|trying to|not gonna|not going to|ready to"
    r"|determined to)|wants? to|wanna|wanted to|has to|had to|can|can't) (?:really |also |just "
    r"|definitely |always )*"
    r"(?:keep|give|try|be|do|check|make (?:it|sure|a|the|something)|let|go|get|see|know|hear|ask|say"
    r"|share|thank|talk|show|tell|wait|help|take|put|stop|quit|imagine|believe|relate|say|feel"
    r"|understand|remember|think|come|have|call|send|look|find|stay|never|enjoy|add)\b"
    r"|can(?!'t)\b(?! (?:\w+ )?(?:speak|play|cook|swim|drive|sing|code|dance|ski|ride|bake|draw|read|juggle|knit))"
    r"|(?:loves|likes|enjoys) (?:the|how|seeing|when|that|this|hearing) (?:\w+ )?(?:colou?rs?|texture"
    r"|vibes?|idea|way|look|pic|photo|message|energy|details?|design|sound|enthusiasm|positivity|it"
    r"|feeling|name|outfit|words)\b"
    r"|has (?:to|no idea|a question|a feeling|a point|a meeting|a headache|a cold|a fever|had (?:a|enough))\b"
    r"|(?:doesn't|didn't|don't|never) (?:really |even |actually )?(?:know|think|care|mean|understand"
    r"|get|see|believe|remember|want|need|mind|feel|have time|wanna|expect|realize|blame|say|agree"
    r"|worry)\b"
    r"|(?:had|having|has had) (?:a|an|such|so|the|some|to|lots)? ?(?:\w+ )?(?:good|great|nice|bad"
    r"|rough|tough|hard|long|busy|fun|blast|time|day|week|weekend|lunch|dinner|breakfast|coffee"
    r"|meeting)\b"
    r"|(?:went|goes|is going) (?:to (?:bed|sleep|work|the (?:store|shop|bathroom|toilet|loo|gym))|out"
    r"|home|back|off|on|afk)\b"
    r"|(?:made|makes) (?:it|sense|a mistake|a typo|sure)\b"
    r")",
    re.IGNORECASE,
)
# A mood or a courtesy may still carry something that lasts.
_LASTING = re.compile(
    r"\b(?:since|for (?:\w+ )?(?:years|months)|every (?:day|week|month|year|\w+day|morning|summer"
    r"|winter)|always (?:wanted|loved|been)|(?:19|20)\d\d|"
    r"job|career|school|college|university|degree|engaged|married|pregnant|diet|goal|dream|trying to "
    r"(?:learn|eat|quit|get|become|improve)|"
    r"thinking (?:of|about) (?:getting|moving|starting|buying|adopting|studying|applying|becoming)"
    r"|looking (?:for|into) (?:a|an|new|work|opportunities)|wants to (?:be|become|learn|move|visit"
    r"|travel|start|write|get|help|study|work|make|create|open|build)|"
    r"going through|doing (?:a|my|their) (?:phd|master|degree|course|research)|getting (?:married"
    r"|divorced|into|better at)|taking (?:a|an|care of|classes|lessons|up)|needs? glasses)\b",
    re.IGNORECASE,
)


def passing(text: str) -> bool:
    """Say if a third-person statement tells only of a moment, a mood or a courtesy."""
    return bool(_PASSING.match(text)) and not _LASTING.search(text)
