"""A first-person sentence as a statement in the third person, or nothing when it can't stand alone."""

from __future__ import annotations

import re

from memory.offline import persons, verbs
from memoryhub import language

MIN_CONTENT = 2  # words that carry meaning
MAX_WORDS = 34

_I = re.IGNORECASE
_GREETING = (
    r"(?:hey|hi|hello|yo|thanks|thank you|thx|ty|congrats|congratulations|wow|aw+|oh|ah|ha(?:ha)+|lol"
    r"|lmao|omg|yay|whoa|cool|nice|great|awesome|sweet|sorry)"
)
_LEAD = re.compile(
    rf"^(?:{_GREETING}(?:[ ,]+(?-i:[A-Z]\w+))?\s*(?:[,.!…:)-]+|(?=\s(?:i|i'm|my|we)\b))\s*"
    r"|(?:yeah|yep|yup|yes|no|nope|nah|ok|okay|sure|right|well|so|and|but|also|plus|btw|by the way"
    r"|fyi|tbh|ngl|imo|honestly|actually|anyway|anyways|besides"
    r"|basically|seriously|frankly|personally|to be honest|fun fact|ah|oh|hmm+|um+|uh+|man|dude|guys"
    r"|like|same|true|totally|absolutely|definitely|for sure|of course|update|news|big news"
    r"|in fact|as for me|for me|i have to say|i must say|i gotta say|gotta say|turns out|luckily"
    r"|fortunately|sadly|unfortunately|since then|nowadays|now)\b\s*(?:[,.!…:-]+\s*|\s+(?=(?:i|i'm"
    r"|i've|im|my|we|we've|our)\b))"
    r"|(?-i:[A-Z]\w+)[,!]\s+(?=(?:i|i'm|i've|my|we)\b)|[-–—,.!…:;()\s]+)",
    _I,
)
_FRONTED = re.compile(
    r"^(?P<when>(?:(?:last|this|next|every|each|in|on|since|for|at|after|during|when|back in|two"
    r"|three|a few|yesterday|today|recently|lately|currently|these days|usually|sometimes|often"
    r"|growing up|as a)\b)[^,;:.]{0,45}?),?\s+(?=(?:i|i'm|i've|i’m|i’ve|we|we've|my)\b\s*\w)"
    r"(?P<rest>.+)$",
    _I,
)
_TRAILING = re.compile(
    r"(?:\s*[-–—,;:(]+\s*|\s+(?:and|but|so|which|because|cause|cuz)\s+|\s+)(?:so\s+)?(?:(?:it|that"
    r"|this|they|he|she|there|those|these)(?:['’]s|['’]re|\s+(?:was|is|are|were|has|have|had|really"
    r"|just|makes?|made|gives?|gave|helps?|helped|means?|feels?|felt|keeps?|brings?|turned|went|goes"
    r"|reminds?|taste[sd]?|always|totally|definitely|sure|looks?|looked))\b.*|what an?\b.*|how\b.*"
    r"|such an?\b.*|so (?:excited|happy|proud|much fun|good|cool)\b.*|super excited.*"
    r"|highly recommend.*|can'?t wait.*|wish me luck.*|check (?:it|'?em|them|this) out.*)$",
    _I,
)
_LAUGH = re.compile(
    r"\s*(?:\b(?:lol|lmao|rofl|haha+|hehe+|xd|tho|though|ngl|tbh|imo|btw|fr|rn|bro|dude|man|guys"
    r"|y'all|right|anyway|i guess|you know|u know|of course|for sure)\b|:\w+:|[:;]-?[)D(Pp/]+|<3"
    r"|[^\w\s.,;:!?%'\"()&/’”“€$£+#-])+\s*$",
    _I,
)
_IMAGE = re.compile(r"\[(?:image|photo|gif|sticker|attachment)[^\]]*\]", _I)
_YOU = re.compile(r"\b(?:you|your|yours|yourself|u|ur|ya|y'all|you['’]\w+)\b", _I)
_POINTING = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|he|him|his|she|her|hers|there|here|one|ones"
    r"|it['’]s|that['’]s|they['’]re|such|same|so|the other)\b",
    _I,
)
_HARMLESS = re.compile(
    r"\bso (?:much|many|far|that|i|we)\b|\b(?:this|these) (?:year|month|week|summer|spring|winter"
    r"|autumn|fall|days|morning|evening|weekend|season)\b|\b(?:said|think|thinks|believe|believes"
    r"|feel|know|love|happy|glad|proud|realized|learned) that\b|\bone (?:of|day)\b|\b(?:there (?:is"
    r"|are|was|were)|same time|out there|that (?=(?:\w+ly )?\w+(?:s|ed)\b))",
    _I,
)
_DANGLING = re.compile(
    r"\b(?:a|an|the|to|of|in|on|at|for|with|from|by|about|into|and|or|but|so|because|is|are|was|were"
    r"|be|been|has|have|their|as|than|that|which|who|very|really|more)\.?$",
    _I,
)
_ADVERBS = re.compile(
    rf"(?:(?:{verbs.ADVERB}|totally|absolutely|definitely|finally|basically|literally|generally"
    r"|regularly|truly|honestly|kinda|kind of|sort of|already|now|once|first|soon|both|all"
    r"|have to say i|must admit i|especially|simply|actively|particularly|genuinely|personally"
    r"|normally|typically|rarely|seldom|occasionally)\s+)*",
    _I,
)
_SUBJECT = re.compile(r"(?:i|we)(?P<short>['’](?:m|ve|re|ll)|m\b(?=\s)|ve\b)?\s+", _I)
_ELIDED = re.compile(
    r"(?:(?:just|finally|recently|also|already)\s+)*(?:moved|started|bought|got|adopted|joined"
    r"|finished|graduated|quit|went|visited|met|made|painted|signed|won|launched|opened|became|turned"
    r"|retired|married|took|spent|began|signed|learned|switched|been|working|living|studying|learning"
    r"|training|volunteering)\b",
    _I,
)
_LOVE_NO_SUBJECT = re.compile(
    r"(?:really |absolutely )?(?:love|hate|enjoy|prefer|adore|dislike|can't stand)\b (?!this|that"
    r"|it\b|how|when|the way)",
    _I,
)


def bare(sentence: str) -> str:
    """Return the sentence without greetings, fillers, image captions and the laughter at its end."""
    text = _IMAGE.sub(" ", sentence).strip()
    for _ in range(6):
        shorter = _LEAD.sub("", text, count=1)
        if shorter == text:
            break
        text = shorter
    return _LAUGH.sub("", text.rstrip(" .!…")).strip(" .!,;…-–—")


def rewrite(sentence: str) -> str | None:
    """Return the fact a first-person sentence states, in the third person with a full stop, None when it states none alone."""
    text = _back(_cut(bare(sentence)))
    if not text or len(text.split()) > MAX_WORDS or _YOU.search(text) or _dangles(text):
        return None
    stated = _stated(text)
    if stated is None:
        return None
    return finish(stated)


def finish(text: str) -> str | None:
    """Return `text` as a sentence with capital and full stop, None when it is a torso."""
    text = " ".join(text.split()).strip(" ,;:-–—.!")
    if _DANGLING.search(text) or len(set(language.content(text))) < MIN_CONTENT:
        return None
    return f"{text[0].upper()}{text[1:]}."


def _cut(text: str) -> str:
    head = _TRAILING.sub("", text)
    return head if len(head.split()) >= 3 else text


def _back(text: str) -> str:
    """Move a fronted adverbial behind the statement: "Last year, I moved" to "I moved last year"."""
    found = _FRONTED.match(text)
    if not found:
        return text
    when = found["when"]
    return f"{found['rest']} {when[0].lower()}{when[1:]}"


def _dangles(text: str) -> bool:
    """Say if a word points at something outside: it must follow a noun of the same sentence."""
    seen = _HARMLESS.sub(" ", text)
    pointing = _POINTING.search(seen)
    return bool(pointing) and len(language.content(seen[: pointing.start()])) < 3  # type: ignore[union-attr]


def _stated(text: str) -> str | None:
    subject = _SUBJECT.match(text)
    if subject:
        return _with_verb(text[subject.end() :], (subject["short"] or "").replace("’", "'"))
    if _ELIDED.match(text):
        return _elided(text)
    if _LOVE_NO_SUBJECT.match(text):
        return _with_verb(text, "")
    if persons.has_first_person(text):
        return persons.rewrite(text)
    return None


def _with_verb(rest: str, short: str) -> str | None:
    if short:
        auxiliary = {"'m": "is", "m": "is", "'re": "is", "'ve": "has", "ve": "has", "'ll": "will"}[short.lower()]
        return f"{auxiliary} {persons.rewrite(rest)}"
    adverbs = _ADVERBS.match(rest)
    before = adverbs.group() if adverbs else ""
    verb, _, after = rest[len(before) :].partition(" ")
    if not re.fullmatch(r"[A-Za-z]+(?:n['’]t)?", verb):
        return None
    if verb.lower() in {"don't", "don’t", "dont"}:
        return f"{before}doesn't {persons.rewrite(after)}"
    if re.search(r"n['’]t$", verb) or verbs.is_past(verb, dated=bool(re.search(r"\b(?:yesterday|last|ago)\b", after))):
        return f"{before}{verb} {persons.rewrite(after)}".replace("weren't", "wasn't")
    return f"{before}{verbs.third(verb)} {verbs.agree_after_and(persons.rewrite(after))}"


def _elided(text: str) -> str:
    first = re.match(r"(?:(?:just|finally|recently|also|already)\s+)*(\w+)", text, _I)
    word = first[1].lower() if first else ""
    auxiliary = "has " if word == "been" else "is " if word.endswith("ing") else ""
    return auxiliary + text[0].lower() + persons.rewrite(text[1:])
