"""Tells, before any model is asked, which messages can't hold a fact: greetings, links, commands, code, emoji."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from memoryhub.language.word_lists import listed

Reason = Literal["command", "code", "link", "emoji", "greeting"]

_COMMAND = re.compile(r"\s*(?:[!/](?!me\b)[a-z][\w-]*(?:\s|$)|[.;$?+-][a-z][\w-]*\s*$)")
_FENCED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_PROMPT = re.compile(r"^[ \t]*(?:>>> |\$ ).*$", re.MULTILINE)
_LINK = re.compile(r"<?\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.)\S+", re.IGNORECASE)
_SIGN = re.compile(r"<a?:\w+:\d+>|<[@#][!&]?\d+>|(?<!\w):\w+:|(?<!\w)[:;=x8]['-]?[dpo]\b", re.IGNORECASE)
_PARTS: tuple[tuple[Reason, tuple[re.Pattern[str], ...]], ...] = (
    ("code", (_FENCED, _PROMPT)),
    ("link", (_LINK,)),
    ("emoji", (_SIGN,)),
)
_LETTER = re.compile(r"[^\W_]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LAUGHTER = re.compile(r"(?:[hj][aeiou]+){2,}h?|lo+l|lma+o+|ro+fl|k{2,}|w{2,}|x+d+")
_DOUBLED = re.compile(r"(.)\1+")
MOST_WORDS = 6  # of a greeting

# With one of these first, one other word makes no fact: it names who is greeted.
_GREETINGS = listed(
    """hi hello hey heya hiya yo sup howdy hola hallo salut bonjour ciao olá oi moin servus привет здравствуйте
    hej ahoj merhaba selam bye goodbye cya later gn gm goodnight tschüss adiós adios tchau thanks thank thx ty tysm
    danke merci gracias grazie obrigado obrigada спасибо welcome congrats congratulations cheers wb"""
)
_SMALL_WORDS = listed(
    """you u all everyone everybody guys folks there again back so much very lots for it that good great nice cool
    morning afternoon evening night day days dias días noches tardes guten morgen abend tag buenos buenas bom dia boa
    noite buon giorno buongiorno buonasera доброе утро добрый день hm hmm hmmm ok okay k kk yes yeah yep yup ya no nope
    nah sure right true same agreed exactly wow omg lol lmao haha nvm np please pls sorry oops brb afk idk ikr gg
    thumbs up done fine awesome amazing perfect sweet indeed absolutely totally definitely oh ah aww well
    おはよう おはようございます こんにちは こんばんは おやすみ ありがとう ありがとうございます
    谢谢 你好 早上好 안녕 안녕하세요 감사합니다"""
)
_KNOWN = {_DOUBLED.sub(r"\1", word) for word in _GREETINGS | _SMALL_WORDS}
_FIRST = {_DOUBLED.sub(r"\1", word) for word in _GREETINGS}


def left_out(text: str) -> Reason | None:
    """Return why the message can't hold a fact, None when it may: in doubt it may, since a fact is worth a call."""
    if _COMMAND.match(text):
        return "command"
    reason: Reason = "emoji"  # also marks alone
    for name, patterns in _PARTS:
        if not _LETTER.search(text):
            return reason
        reason, text = name, _without(patterns, text)
    if not _LETTER.search(text):
        return reason
    return "greeting" if _is_greeting(text) else None


def _without(patterns: Iterable[re.Pattern[str]], text: str) -> str:
    for pattern in patterns:
        text = pattern.sub(" ", text)
    return text


def _is_greeting(spoken: str) -> bool:
    if any(sign.isdigit() for sign in spoken):
        return False
    words = [_DOUBLED.sub(r"\1", word) for word in _WORD.findall(spoken.casefold()) if not _LAUGHTER.fullmatch(word)]
    unknown = [word for word in words if word not in _KNOWN]
    if len(words) > MOST_WORDS or len(unknown) > 1:
        return False
    return not unknown or (words[0] in _FIRST and len(words) <= 3)
