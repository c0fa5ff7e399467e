"""The part of a chat sentence that states something: no greeting before it, no laughter or aside after it."""

from __future__ import annotations

import re

from memoryhub.language.word_lists import listed

_IMAGE = re.compile(r"\[(?:image|photo|gif|sticker|attachment)[^\]]*\]", re.IGNORECASE)
_STARTS = (
    r"(?:i|i['’]?m|i['’]ve|my|we|we['’]ve|we['’]re|our|just|been|finally|recently|started|moved|got"
    r"|bought|used to|turned)\b"
)
_I_FOLLOWS = rf"(?={_STARTS})"
_I_COMES = rf"(?=\s*{_STARTS})"
_GREETING = (
    r"(?:hey|hi|hello|yo|thanks|thank you|thx|ty|congrats|congratulations|wow|aw+|oh|ah|ha(?:ha)+|lol|lmao|omg|yay"
    r"|whoa|cool|nice|great|awesome|sweet|sorry|gosh|damn|ugh|phew|yikes)"
)
_FILLER = (
    r"(?:yeah|yep|yup|yes|no|nope|nah|ok|okay|sure|right|well|so|and|but|also|plus|btw|by the way|fyi"
    r"|tbh|ngl|imo|honestly"
    r"|actually|anyway|anyways|besides|basically|seriously|frankly|personally|to be honest|fun fact"
    r"|hmm+|um+|uh+|man|dude"
    r"|guys|like|same|true|totally|absolutely|definitely|for sure|of course|update|news|big news"
    r"|in fact|as for me|for me"
    r"|i have to say|i must say|i gotta say|gotta say|turns out|luckily|fortunately|sadly"
    r"|unfortunately|speaking of which"
    r"|guess what|good news|no worries|no problem|just so you know|as you know|on another note"
    r"|in other news|today i learned"
    # Frames of telling: what counts stands after them.
    r"|i(?:['’]m| am) (?:so |really |super |very )*(?:excited|happy|glad|proud|pleased|thrilled|delighted)"
    r" to (?:tell|say|share|announce|report|let)(?: you)?(?: know)?(?: that)?"
    r"|i (?:wanted|want|have|had|got|need|forgot) to (?:tell|mention)(?: to)?(?: you)?(?: that)?"
    r"|(?:let me|i must) (?:tell|mention)(?: to)?(?: you)?(?: that)?"
    r"|(?:as|like) i (?:said|mentioned|told you))"
)
_LEAD = re.compile(
    rf"{_GREETING}(?:[ ,]+(?-i:[A-Z]\w+))?\s*(?:[,.!…:)-]+|(?=\s){_I_COMES})\s*"
    rf"|{_FILLER}\b\s*(?:[,.!…:-]+\s*|\s+{_I_FOLLOWS})"
    rf"|(?-i:[A-Z]\w+)[,!]\s+{_I_FOLLOWS}"
    r"|[-–—,.!…:;()\s]+",
    re.IGNORECASE,
)
_OPENINGS = (
    r"(?:last|this|next|every|each|in|on|since|for|at|after|before|during|when|whenever|while|as"
    r"|back in|two|three|a|an"
    r"|yesterday|today|recently|lately|currently|these days|nowadays|now|usually|sometimes|often"
    r"|growing up|by|from|over|one)\b"
)
_FRONTED = re.compile(
    rf"(?P<when>{_OPENINGS}[^,;:.]{{0,60}}),\s+(?P<rest>(?:i|i['’]m|i['’]ve|we|we['’]ve|we['’]re"
    r"|my)\b\s*\w.+)$",
    re.IGNORECASE,
)
_FRONTED_PLAIN = re.compile(
    r"(?:just |only )?(?P<when>(?:(?:last|this|next|every) \w+|yesterday|today|recently|lately|currently|nowadays"
    r"|these days|usually"
    r"|sometimes|often|(?:in|on|since) [^,;:]{0,30}?\b(?:19|20)\d\d(?:/\d\d)?|\w+ (?:years?|months?"
    r"|weeks?|days?) ago))\s+"
    r"(?P<rest>(?:i|i['’]m|i['’]ve|we|we['’]ve|we['’]re|my)\b\s*\w.+)$",
    re.IGNORECASE,
)
# When the two last spoke says nothing of what happened since.
_SINCE = re.compile(
    r",? since we (?:last )?(?:chatted|talked|spoke)(?: last)?(?=\s*(?:[.,;:!?…–—-]|and\b|$))", re.IGNORECASE
)
_THING = r"(?:it|that|this)"
# An aside on what was just told stays, as a clause of it: "- it was great" becomes ", which was great".
_WHICH = re.compile(
    rf"(?:\s+[-–—]+\s+|\s*[,;]\s*(?:and\s+)?|\s+and\s+)(?:{_THING}['’]s(?P<been>\s+been)?|{_THING}\s+"
    r"(?P<verb>was|is|made|makes|helps|helped|gives|gave|has|brings|keeps"
    r"|means|taught|reminds))\s+(?P<rest>[^,;–—-]+).*$",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?:\s+[-–—]+\s*|\s*[,;:(]+\s*|\s+(?:and|but|so|which|because|cause|cuz|'cause)\s+)(?:so\s+)?(?:"
    r"(?:it|that|this|they|he|she|there|those|these)(?:['’](?:s|re|ll|d|ve)|\s+(?:was|is|are|were|has"
    r"|have|had|really|just|makes?|made|gives?"
    r"|gave|helps?|helped|means?|feels?|felt|keeps?|brings?|turned|went|goes|reminds?|taste[sd]?"
    r"|always|totally|definitely"
    r"|sure|looks?|looked|will|can|did|do))\b.*|what an?\b.*|how\b.*|such an?\b.*|so (?:excited|happy"
    r"|proud|much fun|good|cool|stoked)\b.*"
    r"|sorry(?: in advance)?$|don['’]t (?:judge|ask|laugh)(?: me)?$|by the way$|(?:wrong \w+ )?i know$|weird to say.*"
    r"|no (?:discussion|regrets|shame|joke|kidding|offen[cs]e|exceptions?)$"
    r"|super \w+$|highly recommend.*|can['’]t wait.*|wish me luck.*|check (?:it|['’]?em|them"
    r"|this) out.*|any (?:tips|advice|ideas)\b.*)$",
    re.IGNORECASE,
)
_NOTHING_NEW = re.compile(r"(?:true|right|fine|ok|okay|life|me|all)(?: too| as well| for me)?\W*$", re.IGNORECASE)
_ASKED_TAIL = re.compile(
    r"(?:\s+[-–—]+\s*[^-–—?]*|,\s*(?:want|wanna|right|eh|huh|ok|okay|don['’]t you|isn['’]t it|(?:how"
    r"|what) about|you know|ya know|any|did|do|have you)\b[^,?]*)\?+$",
    re.IGNORECASE,
)
# A request after a statement ("I met Kelly in May, could you ..."), and what is one only in a question.
_IF = r"(?:if|how|what|whether|which|where|when|why)"
_REQUEST = (
    r"(?:(?:can|could|would|will) (?:you|u|we|i|anyone|someone|anybody|somebody)\b"
    r"|(?:do|did) you\b|(?:how|what) (?:do|can|should|could|would|are|is)\b"
    r"|any (?:tips|ideas?|advice|suggestions|recommendations|thoughts|chance)\b"
    r"|i(?:['’]m| am| was|['’]ve been|['’]d)? ?(?:just |also |now |kinda |kind of |still )*(?:wondering|curious"
    rf"|not (?:really |quite |too )?sure {_IF}|don['’]t know {_IF}|wonder {_IF}"
    r"|looking for (?:advice|tips|help|recommendations|suggestions))\b"
    r"|(?:please|pls|plz)\b|help me\b)"
)
_QUESTION = (
    r"(?:(?:do|did|does|are|is|was|were|have|has|should|shall|may|might)"
    r" (?:you|u|i|we|it|that|this|there|anyone|somebody|someone)\b"
    r"|(?:what|how|where|when|who|which|why)\b)"
)
_AFTER = r"(?:\s*[,;]|\s+[-–—]+|\s+(?=(?:and|but|so)\b))\s*(?:(?:and|but|so)\s+)?"
_REQUESTED = re.compile(rf"(?:{_AFTER}{_REQUEST}|\s*,\s*(?:how|what)\b).*$", re.IGNORECASE)
_QUESTIONED = re.compile(rf"{_AFTER}(?:{_REQUEST}|{_QUESTION}).*$", re.IGNORECASE)
LEAST_LEFT = 4  # words of a statement before a request
_NEW_CLAUSE = re.compile(
    r"\s*(?:\s[-–—]+\s|--|;|…|\.\.\.|:\s|,\s*(?:and|but|so|plus|because|since|yet|as)?\s|\s(?:and|but"
    r"|so|because|'?cause|cuz)\s)\s*"
    r"(?=(?:i|i['’]?m|i['’]ve|we|we['’]ve|we['’]re|my)\s)",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"(?:me and my (?:\w+ ){1,2}?|my (?:\w+ ){1,2}?and (?:i|me) )(?=(?!and\b)\w+(?:ed|t|s|e|w)?\b)", re.IGNORECASE
)
_TAIL_WORDS = listed(
    "lol lmao rofl haha hahaha hehe xd tho though ngl tbh imo btw fr rn bro dude man guys y'all "
    "right anyway <3 :) :d :( ;) :p xoxo"
)
_POINTER = re.compile(r"\b(?:it|that|this|they|them|he|she|him|her|there|those|these)\b", re.IGNORECASE)


def bare(sentence: str) -> str:
    """Return the sentence without greetings, fillers, image captions and the laughter at its end."""
    text = _IMAGE.sub(" ", sentence).strip() if "[" in sentence else sentence.strip()
    text = _SINCE.sub("", text)
    for _ in range(6):
        found = _LEAD.match(text)
        if not found or not found.end():
            break
        text = text[found.end() :]
    return _TOGETHER.sub("we ", _without_laughter(text))


def unasked(sentence: str) -> str:
    """Return the sentence without a question or a request hung on to its end: "I finished it - want to see?"."""
    asks = sentence.endswith("?")
    stated = _ASKED_TAIL.sub(".", sentence) if asks else sentence
    left = (_QUESTIONED if asks else _REQUESTED).sub(".", stated)
    return left if len(left.split()) >= LEAST_LEFT else stated


def clauses(text: str) -> list[str]:
    """Return the parts of a sentence that open with a first person of their own, and what stands before them."""
    return [part for part in _NEW_CLAUSE.split(text) if part.strip()]


def core(text: str) -> str:
    """Return a bare sentence with what stood before the subject behind it, and no asides that point elsewhere."""
    return _cut(_back(text))


def _without_laughter(text: str) -> str:
    words = text.rstrip(" .!…").split(" ")
    while words and (words[-1].lower().strip(".,!…") in _TAIL_WORDS or not any(map(str.isalnum, words[-1]))):
        words.pop()
    return " ".join(words).strip(" .!,;…-–—")


def _back(text: str) -> str:
    """Move a fronted adverbial behind the statement: "Last year, I moved" to "I moved last year"."""
    found = _FRONTED.match(text) or _FRONTED_PLAIN.match(text)
    if not found or _POINTER.search(found["when"]):
        return text
    when = found["when"]
    behind = _ASIDE.sub("", found["rest"])
    return f"{behind} {when[0].lower()}{when[1:]}" if len(behind) < 90 else behind


def _says_nothing(aside: str) -> bool:
    return bool(_POINTER.search(aside) or _NOTHING_NEW.match(aside))


def _cut(text: str) -> str:
    which = _WHICH.search(text)
    if which and len(text[: which.start()].split()) >= 4 and not _says_nothing(which["rest"]):
        verb = "has been" if which["been"] else which["verb"] or "is"
        return f"{text[: which.start()].strip(' ,')}, which {verb} {which['rest']}"
    head = _ASIDE.sub("", text)
    return head if len(head.split()) >= 3 else text
