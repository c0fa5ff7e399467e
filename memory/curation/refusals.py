"""Why a person's words are not kept: said in sentences with what to do about it, and what may be insisted on."""

from __future__ import annotations

from memory.facts.schemas import MAX_FACT
from memoryhub.errors import Refused

WHY = {
    "too short": ("That is too short to say anything", "Write a whole statement."),
    "too long": ("That is longer than {most}", "Say it shorter, or as two."),
    "secret": ("That looks like a password or another secret", "Leave the secret out, and say the rest."),
    "diagnosis": ("That tells of an illness or a test result", "Nobody's are ever kept."),
    "health": ("That tells of somebody's health", "Those who run this guild may have that kept, in its settings."),
    "finances": ("That tells of somebody's money", "Those who run this guild may have that kept, in its settings."),
    "instruction": ("That reads like an instruction to a bot", "Say what is so, and not what to do."),
    "code": ("That reads like code", "Say in words what is so."),
    "request": ("That asks or orders, and states nothing", "Write it as a statement."),
}
"""What is wrong with the words and what to do, by the reasons of `memory.learning.validation.refuse`."""
INSISTABLE = frozenset({"instruction", "code", "request"})
"""Reasons for which a guard may be wrong: what looks like an order to a bot may be a house rule."""
UNCLEAR = ("That does not read as a statement", "Write it as one.")
MESSAGE_STAYS = "Your message stays in the history here; delete it in Discord, and it goes here too."


def in_words(
    reason: str, *, keeps: str = "it is not kept", stored: str = "Nothing was stored.",
    most: str = f"{MAX_FACT} characters",
) -> str:  # fmt: skip
    """Return why the words are not kept, what was stored of them, and what to do; `most` is how long they may be."""
    what, to_do = WHY.get(reason, UNCLEAR)
    return f"{what.format(most=most)}, so {keeps}. {stored} {to_do}"


class WordsRefused(Refused):
    """The words must not be stored; `reason` says why, `insistable` if a person with the right may overrule that."""

    def __init__(self, reason: str, *, most: str = f"{MAX_FACT} characters") -> None:
        self.reason, self.most, self.insistable = reason, most, reason in INSISTABLE
        hint = " Those who have the right may insist." if self.insistable else ""
        super().__init__(in_words(reason, most=most) + hint)


def of_message(error: WordsRefused) -> str:
    """Return the same of words that were said in a message: that one is stored like any other."""
    hint = " Server managers may `insist` in `/memory remember`." if error.insistable else ""
    return in_words(error.reason, keeps="no memory is made of it", stored=MESSAGE_STAYS, most=error.most) + hint


def overruled(reason: str, *, insist: bool) -> bool:
    """Say if the words may be stored all the same: somebody insists, and it is nothing that must never be kept."""
    return insist and reason in INSISTABLE
