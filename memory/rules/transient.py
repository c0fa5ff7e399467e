"""What is true only for the moment, or only a courtesy: third-person statements not worth keeping."""

from __future__ import annotations

import re

_MOODS = (
    "tired exhausted busy hungry starving bored sick late back here there home ok okay fine good "
    "great well alright sure"
    " sorry glad excited happy ready done swamped stuck thrilled stoked pumped sad mad angry upset "
    "annoyed confused lost"
    " curious jealous impressed surprised shocked amazed grateful thankful honored honoured nervous anxious worried"
    " stressed cold hot sleepy awake free available in out down up off on afk online offline lagging "
    "afraid certain aware"
    " like blessed proud lucky touched relieved overwhelmed at torn unable able wondering"
).replace(" ", "|")
_DOINGS = (
    "heading leaving carrying landing waiting watching eating drinking joking kidding looking thinking feeling "
    "getting having coming calling"
    " sitting lying standing walking talking sleeping saying asking laughing crying hoping guessing "
    "doing dying freezing"
    " checking listening loading cheering rooting sending trying using seeing needing passing "
    "following talking betting"
).replace(" ", "|")
_COURTESY = (
    "knows guesses means agrees sees hopes wishes wonders bets swears doubts supposes hears heard thought understands"
    " remembers remembered forgot forgets needs gets appreciates promises gotta says said told asks "
    "asked tells noticed"
    " proposes proposed suggested votes voted lands landed"
    " looks sounds feels figured misses lets let could must recommends suggests thanks thinks cannot tried says"
).replace(" ", "|")
_ACTS = (
    "keep|give|try|be|do|check|make (?:it|sure|a|the|something)|let|go|get|see|know|hear|ask|say"
    "|share|thank|talk|show|tell"
    "|wait|help|take|put|stop|quit|imagine|believe|relate|feel|understand|remember|think|come|have"
    "|call|send|look|find|stay"
    "|never|enjoy|add|set|update|change|fix|use|run|figure|work|avoid|ensure|confirm|debug|test"
    "|optimi[sz]e|implement|handle"
)
_TROUBLE = "question|problem|issue|bug|error|errors|trouble|difficulty|feeling|point|meeting|headache|cold|fever|doubt"
_VERY = (
    r"(?:(?:really|just|so|also|still|very|super|always|currently|now|pretty|too|not|a bit|a little"
    r"|kind of|kinda|totally"
    r"|quite|such|feeling|all|actually) )*"
)
_PASSING = re.compile(
    r"^(?:(?:really|just|also|so|still|always|finally|now|absolutely|definitely|even|totally|only"
    r"|actually|already) )*(?:"
    rf"(?:is|was|has been|isn't|wasn't) {_VERY}(?:{_MOODS}|{_DOINGS})\b"
    r"|was (?:not )?\w+ing\b"
    rf"|(?:{_COURTESY})\b"
    r"|(?:will|won't|is (?:gonna|going to|about to|not gonna|not going to|ready to|determined to)|wants? to|wanna"
    rf"|wanted to|has to|had to|can|can't) (?:really |also |just |definitely |always )*(?:{_ACTS})\b"
    r"|can(?!['’]t)\b(?! (?:\w+ )?(?:speak|play|cook|swim|drive|sing|code|dance|ski|ride|bake|draw|read|juggle|knit))"
    r"|(?:loves|likes|enjoys) (?:all (?:of )?)?(?:the|how|seeing|when|that|this|hearing) (?:\w+ )?(?:colou?rs?|texture"
    r"|vibes?|idea|way|look"
    r"|pic|photo|message|energy|details?|design|sound|enthusiasm|positivity|it|feeling|name|outfit|words)\b"
    rf"|(?:has|had|got|gets) (?:(?:got|a|an|some|the|this|another) )*(?:{_TROUBLE})s?\b"
    r"|has (?:to|no idea|had (?:a|enough)|tried|yet|seen|read|checked|updated|heard|put|sent|asked|noticed|decided)\b"
    r"|hasn't (?:been able|gotten|heard|seen|tried|had|found|received|used|done)\b"
    r"|has never (?:been (?:able|so|more|this)|gotten|felt|heard of|seen (?:such|so|a more|anything)|received"
    r"|thought)\b"
    r"|(?:doesn't|didn't|never) (?:really |even |actually )?(?:know|think|care|mean|understand|get"
    r"|see|believe|remember|want"
    r"|need|mind|feel|have time|wanna|expect|reali[sz]e|blame|say|agree|worry|use|work|notice)\b"
    r"|(?:had|having|has had) (?:a|an|such|so|the|some|to|lots)? ?(?:\w+ )?(?:good|great|nice|bad"
    r"|rough|tough|hard|long|busy"
    r"|fun|blast|time|day|week|weekend|lunch|dinner|breakfast|coffee|meeting)\b"
    r"|(?:went|goes|is going) (?:to (?:bed|sleep|work|the (?:store|shop|bathroom|toilet|loo|gym))|out"
    r"|home|back|off|on|afk"
    r"|with)\b"
    r"|got the job\W*$"
    r"|(?:made|makes) (?:it|sense|a mistake|a typo|sure)\b"
    rf"|their (?:\w+ )?(?:{_TROUBLE}|concern|guess|understanding|code|log|bad|message|internet|phone"
    r"|screen|point is)\b"
    r"|all (?:has|is|needs|wants|can|loves|deserves)\b"  # "we all": true of everybody
    r"|(?:works?|is working|makes?) (?:\w+ )?(?:together\b(?! on\b| at\b)|a (?:great|good|perfect|dream) team)"
    r"|has been (?:a|an|ages|some|so|too|\w+ (?:days|weeks|months|years))\b.* since (?:we|they)\b"
    r")",
    re.IGNORECASE,
)
# A mood or a courtesy may still carry something that lasts.
_LASTING = re.compile(
    r"\b(?:since|for (?:\w+ )?(?:years|months)|every (?:day|week|month|year|\w+day|morning|summer"
    r"|winter)|always (?:wanted"
    r"|loved|been)|(?:19|20)\d\d|job|career|school|college|university|degree|engaged|married|pregnant|diet|goal|dream"
    r"|trying (?:to (?:learn|eat|quit|get (?:fit|better|into|in shape)|become|improve their)|out)"
    r"|thinking (?:of|about) (?!it\b|that\b)\w+ing|busy \w+ing|on the hunt for|in search of|always looks forward"
    r"|feels (?:drawn|called|connected) to"
    r"|looking (?:for (?:a|an|new|work|opportunities|\w+ing)|into (?!it\b|that\b|this\b|why\b|how\b)\w+)"
    r"|doing (?:\w+ing|yoga|karate|judo|pilates)|say goodbye to|(?:lucky|blessed) to have (?:their|an?)"
    r"|wants to (?:be|become|learn|move"
    r"|visit|travel|start|write"
    r"|get (?:a|into)|help|study|make a|create|open|build)"
    r"|going through|doing (?:a|their) (?:phd|master|degree|course|research)|getting (?:married"
    r"|divorced|into|better at)"
    r"|taking (?:a|an|care of|classes|lessons|up)|good at|afraid of)\b",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"\bhas been (?:a while|ages|\w+ \w+ days|too long|forever)\b|\bsince they (?:last )?(?:chatted|talked|spoke)\b",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"\w_\w|::|\(\)|[{}\[\]|]|[<>][A-Za-z]|=|\.\w+\(|\w\.\w+\.\w|\\|\.(?:rs|py|js|ts|php|html|css"
    r"|json|toml|ya?ml|exe|dll|sh|lock|md)\b"
)


def passing(text: str) -> bool:
    """Say if a third-person statement tells only of a moment, a mood or a courtesy."""
    return bool(_SMALL_TALK.search(text)) or (bool(_PASSING.match(text)) and not _LASTING.search(text))


def technical(text: str) -> bool:
    """Say if a statement has the marks of program text: somebody works on it now, and nobody will ask for it later."""
    return bool(_PROGRAM.search(text))
