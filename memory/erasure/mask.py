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
        for pk, account, *spelled in rows.iterator(2000):
            accounts[account] = pk
            for name in {name.lower() for name in spelled if len(name) >= SHORTEST} - own:
                if first := _WORD.search(name):
                    names.setdefault(first[0], []).append((name, pk))
        for named in names.values():
            named.sort(key=lambda pair: -len(pair[0]))
        return cls(names, accounts, reader.pk)

    def name_of(self, member: int | None) -> str:
        """Return how a member is called in the export: "you", or a number that stands for the same one throughout."""
        if member is None:
            return "unknown"
        return "you" if member == self.own else f"[member {self.numbers.setdefault(member, len(self.numbers) + 1)}]"

    def hide(self, text: str) -> str:
        """Return the text with the names and account ids of others hidden."""
        text = _MENTION.sub(
            lambda mention: self.name_of(self.accounts[mention[1]]) if mention[1] in self.accounts else mention[0], text
        )
        parts, place = [], 0
        for word in _WORD.finditer(text):
            if word.start() >= place and (match := self._longest_name_at(text, word)):
                end, member = match
                parts += [text[place : word.start()], self.name_of(member)]
                place = end
        return "".join([*parts, text[place:]])

    def _longest_name_at(self, text: str, word: re.Match[str]) -> tuple[int, int] | None:
        """Return the end and the member of the longest name that begins with this word."""
        first = word[0].lower()
        for name, member in self.names.get(first, ()):
            start = word.start() - name.index(first)
            end = start + len(name)
            if start >= 0 and text[start:end].lower() == name and not text[end : end + 1].isalnum():
                return end, member
        return None
