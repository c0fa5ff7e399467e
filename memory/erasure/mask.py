"""Hides the names of other members in a text that is handed to one of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from memoryhub.community.models import Guild, Member

_WORD = re.compile(r"\w+")
_MENTION = re.compile(r"<@!?([^>\s]+)>")
SHORTEST = 2


@dataclass
class Masks:
    """The names of a guild's members but one, by their first word; each gets a number the first time it is met."""

    names: dict[str, list[tuple[str, int]]]
    accounts: dict[str, int]
    own: int
    numbers: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, guild: Guild, *, reader: Member) -> Masks:
        """Return the masks for what this member may read."""
        names: dict[str, list[tuple[str, int]]] = {}
        accounts: dict[str, int] = {}
        own = {name.lower() for name in (reader.name, reader.display_name)}
        rows = Member.objects.of(guild).exclude(pk=reader.pk).values_list("pk", "platform_id", "name", "display_name")
        for pk, account, *called in rows.iterator(2000):
            accounts[account] = pk
            for name in {each.lower() for each in called if len(each) >= SHORTEST} - own:
                if first := _WORD.search(name):
                    names.setdefault(first[0], []).append((name, pk))
        for known in names.values():
            known.sort(key=lambda each: -len(each[0]))
        return cls(names, accounts, reader.pk)

    def who(self, member: int | None) -> str:
        """Return how a member is called in the export: "you", or a number that stands for the same one throughout."""
        if member is None:
            return "unknown"
        return "you" if member == self.own else f"[member {self.numbers.setdefault(member, len(self.numbers) + 1)}]"

    def hide(self, text: str) -> str:
        """Return the text with the names and account ids of others hidden."""
        text = _MENTION.sub(lambda found: self._account(found), text)
        parts, place = [], 0
        for word in _WORD.finditer(text):
            if word.start() >= place and (hit := self._named_at(text, word)):
                length, member = hit
                parts += [text[place : word.start()], self.who(member)]
                place = word.start() + length
        return "".join([*parts, text[place:]])

    def _account(self, found: re.Match[str]) -> str:
        member = self.accounts.get(found[1])
        return self.who(member) if member else found[0]

    def _named_at(self, text: str, word: re.Match[str]) -> tuple[int, int] | None:
        """Return the length and the member of the longest name that begins with this word."""
        for name, member in self.names.get(word[0].lower(), ()):
            start = word.start() - name.index(word[0].lower())
            end = start + len(name)
            if start >= 0 and text[start:end].lower() == name and not text[end : end + 1].isalnum():
                return end - word.start(), member
        return None
