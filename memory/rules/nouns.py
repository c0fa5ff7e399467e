"""Nouns that give a statement away, as alternatives for patterns: kin, pets, trades."""

from __future__ import annotations

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
_ENDINGS_OF_TRADES = (
    r"(?:\w+ ){0,3}?(?:\w+(?:er|or|ist|ian|eer|smith|wright|grapher|man|woman|ant)|nurse|chef|cook"
    r"|student|postdoc|teacher|vet|pilot|coach|clerk|monk|"
    r"mechanic|freelancer|intern|apprentice|freshman|sophomore|junior dev|dev|devops|sysadmin|ceo|cto"
    r"|mod|nanny|paramedic|judge|barista|au pair|midwife|mathematician|athlete)"
)
_NOT_TRADES = (
    r"(?!(?:\w+ ){0,3}?(?:believer|fighter|loser|winner|sucker|monster|beginner|listener|sleeper"
    r"|stranger|lover|fan|member|owner|together|better|later|either|matter|never|father|mother"
    r"|brother|sister|daughter|hater|killer|goner|failure|woman|man|human|giant|constant|want"
    r"|important|assistant|ai)\b)"
)
TRADE = rf"{_NOT_TRADES}{_ENDINGS_OF_TRADES}"
