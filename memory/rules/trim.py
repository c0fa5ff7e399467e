"""The part of a chat sentence that states something: no greeting before it, no laughter or aside after it."""

from __future__ import annotations

from pathlib import Path

from memoryhub.language.word_lists import listed, pattern, rows

_WORDS = rows(Path(__file__).with_suffix(".txt"))

_IMAGE = pattern(r"\[(?:image|photo|gif|sticker|attachment)[^\]]*\]")
_LEAD = pattern(
    r"(?:{greetings})(?:[ ,]+(?-i:[A-Z]\w+))?\s*(?:[,.!…:)-]+|(?=\s)(?=\s*(?:{starts})\b))\s*|(?:{fillers}"
    r"|{frames})\b\s*(?:[,.!…:-]+\s*|\s+(?=(?:{starts})\b))|(?-i:[A-Z]\w+)[,!]\s+(?=(?:{starts})\b)|[-–—,.!…:;()\s]+",
    _WORDS,
)
_FRONTED = pattern(
    r"(?P<when>(?:{openings})\b[^,;:.]{0,60}),\s+(?P<rest>(?:i|i['’]m|i['’]ve|we|we['’]ve|we['’]re|my)\b\s*\w.+)$",
    _WORDS,
)
_FRONTED_PLAIN = pattern(
    r"(?:just |only )?(?P<when>(?:(?:last|this|next|every) \w+|yesterday|today|recently|lately|currently|nowadays"
    r"|these days|usually|sometimes|often|(?:in|on|since) [^,;:]{0,30}?\b(?:19|20)\d\d(?:/\d\d)?|\w+ (?:years?"
    r"|months?|weeks?|days?) ago))\s+(?P<rest>(?:i|i['’]m|i['’]ve|we|we['’]ve|we['’]re|my)\b\s*\w.+)$"
)
# When the two last spoke says nothing of what happened since.
_SINCE = pattern(r",? since we (?:last )?(?:chatted|talked|spoke)(?: last)?(?=\s*(?:[.,;:!?…–—-]|and\b|$))")
_THING = r"(?:it|that|this)"
# An aside on what was just told stays, as a clause of it: "- it was great" becomes ", which was great".
_WHICH = pattern(
    rf"(?:\s+[-–—]+\s+|\s*[,;]\s*(?:and\s+)?|\s+and\s+)(?:{_THING}['’]s(?P<been>\s+been)?|{_THING}\s+"
    r"(?P<verb>was|is|made|makes|helps|helped|gives|gave|has|brings|keeps|means|taught"
    r"|reminds))\s+(?P<rest>[^,;–—-]+).*$"
)
_ASIDE = pattern(
    r"(?:\s+[-–—]+\s*|\s*[,;:(]+\s*|\s+(?:and|but|so|which|because|cause|cuz|'cause)\s+)(?:so\s+)?(?:(?:it|that|this"
    r"|they|he|she|there|those|these)(?:['’](?:s|re|ll|d|ve)|\s+(?:was|is|are|were|has|have|had|really|just|makes?"
    r"|made|gives?|gave|helps?|helped|means?|feels?|felt|keeps?|brings?|turned|went|goes|reminds?|taste[sd]?|always"
    r"|totally|definitely|sure|looks?|looked|will|can|did|do))\b.*|what an?\b.*|how\b.*|such an?\b.*|so (?:excited"
    r"|happy|proud|much fun|good|cool|stoked)\b.*|sorry(?: in advance)?$|don['’]t (?:judge|ask|laugh)(?: me)?$"
    r"|by the way$|(?:wrong \w+ )?i know$|weird to say.*|no (?:discussion|regrets|shame|joke|kidding|offen[cs]e"
    r"|exceptions?)$|super \w+$|highly recommend.*|can['’]t wait.*|wish me luck.*|check (?:it|['’]?em|them"
    r"|this) out.*|any (?:tips|advice|ideas)\b.*)$"
)
_NOTHING_NEW = pattern(r"(?:true|right|fine|ok|okay|life|me|all)(?: too| as well| for me)?\W*$")
_ASKED_TAIL = pattern(
    r"(?:\s+[-–—]+\s*[^-–—?]*|,\s*(?:want|wanna|right|eh|huh|ok|okay|don['’]t you|isn['’]t it|(?:how|what) about"
    r"|you know|ya know|any|did|do|have you)\b[^,?]*)\?+$"
)
# A request after a statement ("I met Kelly in May, could you ..."), and what is one only in a question.
_IF = r"(?:if|how|what|whether|which|where|when|why)"
_REQUEST = (
    r"(?:(?:can|could|would|will) (?:you|u|we|i|anyone|someone|anybody|somebody)\b|(?:do|did) you\b|(?:how"
    r"|what) (?:do|can|should|could|would|are|is)\b|any (?:tips|ideas?|advice|suggestions|recommendations|thoughts"
    r"|chance)\b|i(?:['’]m| am| was|['’]ve been|['’]d)? ?(?:just |also |now |kinda |kind of |still )*(?:wondering"
    r"|curious"
    rf"|not (?:really |quite |too )?sure {_IF}|don['’]t know {_IF}|wonder {_IF}"
    r"|looking for (?:advice|tips|help|recommendations|suggestions))\b|(?:please|pls|plz)\b|help me\b)"
)
_QUESTION = (
    r"(?:(?:do|did|does|are|is|was|were|have|has|should|shall|may|might) (?:you|u|i|we|it|that|this|there|anyone"
    r"|somebody|someone)\b|(?:what|how|where|when|who|which|why)\b)"
)
_AFTER = r"(?:\s*[,;]|\s+[-–—]+|\s+(?=(?:and|but|so)\b))\s*(?:(?:and|but|so)\s+)?"
_REQUESTED = pattern(rf"(?:{_AFTER}{_REQUEST}|\s*,\s*(?:how|what)\b).*$")
_QUESTIONED = pattern(rf"{_AFTER}(?:{_REQUEST}|{_QUESTION}).*$")
LEAST_LEFT = 4  # words of a statement before a request
_NEW_CLAUSE = pattern(
    r"\s*(?:\s[-–—]+\s|--|;|…|\.\.\.|:\s|,\s*(?:and|but|so|plus|because|since|yet|as)?\s|\s(?:and|but|so|because"
    r"|'?cause|cuz)\s)\s*(?=(?:i|i['’]?m|i['’]ve|we|we['’]ve|we['’]re|my)\s)"
)
_TOGETHER = pattern(r"(?:me and my (?:\w+ ){1,2}?|my (?:\w+ ){1,2}?and (?:i|me) )(?=(?!and\b)\w+(?:ed|t|s|e|w)?\b)")
_TAIL_WORDS = listed(" ".join(_WORDS["tail"]))
_POINTER = pattern(r"\b(?:it|that|this|they|them|he|she|him|her|there|those|these)\b")


def bare(sentence: str) -> str:
    """Return the sentence without greetings, fillers, image captions and the laughter at its end."""
    text = _IMAGE.sub(" ", sentence).strip() if "[" in sentence else sentence.strip()
    text = _SINCE.sub("", text)
    for _ in range(6):
        match = _LEAD.match(text)
        if not match or not match.end():
            break
        text = text[match.end() :]
    words = text.rstrip(" .!…").split(" ")
    while words and (words[-1].lower().strip(".,!…") in _TAIL_WORDS or not any(map(str.isalnum, words[-1]))):
        words.pop()
    return _TOGETHER.sub("we ", " ".join(words).strip(" .!,;…-–—"))


def without_question(sentence: str) -> str:
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
    fronted = _FRONTED.match(text) or _FRONTED_PLAIN.match(text)
    if fronted and not _POINTER.search(fronted["when"]):  # "Last year, I moved" becomes "I moved last year"
        when, rest = fronted["when"], _ASIDE.sub("", fronted["rest"])
        text = f"{rest} {when[0].lower()}{when[1:]}" if len(rest) < 90 else rest
    aside = _WHICH.search(text)
    before = text[: aside.start()] if aside else ""
    if aside and len(before.split()) >= 4 and not (_POINTER.search(aside["rest"]) or _NOTHING_NEW.match(aside["rest"])):
        verb = "has been" if aside["been"] else aside["verb"] or "is"
        return f"{before.strip(' ,')}, which {verb} {aside['rest']}"
    head = _ASIDE.sub("", text)
    return head if len(head.split()) >= 3 else text
