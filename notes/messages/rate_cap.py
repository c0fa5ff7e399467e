"""How much of a member is read: what they say in an hour beyond the guild's budget is stored and left out of memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memoryhub import db
from memoryhub.community.models import Guild, Member

HOUR = timedelta(hours=1)
AT_ONCE = 100  # hours that one statement counts
# Written out, since every message that comes in asks it: an index answers, and no further than the budget reaches.
# ruff: noqa: S608  (only the column's name and marks are put in)
SAID = f"""SELECT count(*) FROM (SELECT 1 FROM notes_message
    WHERE author_id = {{author}} AND {db.unindexed("guild_id")} = %s AND sent_at >= {{begin}} AND sent_at < {{end}}
    LIMIT %s) AS said"""
SAID_IN_ONE = SAID.format(author="%s", begin="%s", end="%s")
SAID_IN_EACH = f"""WITH asked(place, author, begins, ends) AS (VALUES {{marks}})
    SELECT asked.place, ({SAID.format(author="asked.author", begin="asked.begins", end="asked.ends")}) FROM asked"""
Hour = tuple[int, datetime]


@dataclass
class Budget:
    """What the members of one call may still have read; `first` are those who just used up an hour's budget."""

    guild: Guild
    said: dict[Hour, int] = field(default_factory=dict)
    over: int = 0
    first: list[Member] = field(default_factory=list)

    def allows(self, member: Member, sent_at: datetime) -> bool:
        """Count one more message of the member, by the hour in which it was sent; False beyond the budget."""
        most = self.guild.member_hourly
        if most is None:
            return True
        hour = member.pk, hour_of(sent_at)
        if hour not in self.said:
            self._count([hour])
        before = self.said[hour]
        self.said[hour] = before + 1
        if before < most:
            return True
        self.over += 1
        if before == most:
            self.first.append(member)
        return False

    def load(self, said: Iterable[tuple[Member, datetime]]) -> None:
        """Count what is known already in the hours of what these members said, a hundred hours at once."""
        if self.guild.member_hourly is not None:
            hours = list(dict.fromkeys((member.pk, hour_of(sent_at)) for member, sent_at in said))
            for start in range(0, len(hours), AT_ONCE):
                self._count(hours[start : start + AT_ONCE])

    def take(self, member: Member, sent_at: datetime, *, said: int) -> None:
        """Take what was counted elsewhere of the hour in which this was sent."""
        self.said[member.pk, hour_of(sent_at)] = said

    def _count(self, hours: Sequence[Hour]) -> None:
        most = (self.guild.member_hourly or 0) + 1
        asked = [(pk, db.to_column(begin), db.to_column(begin + HOUR)) for pk, begin in hours]
        if len(hours) == 1:
            ((pk, begin, end),) = asked
            ((count,),) = db.select(SAID_IN_ONE, [pk, self.guild.pk, begin, end, most])
            self.said[hours[0]] = int(count)
            return
        marks = ", ".join(["(%s, %s, %s, %s)"] * len(asked))
        values = [value for place, each in enumerate(asked) for value in (place, *each)]
        for place, count in db.select(SAID_IN_EACH.format(marks=marks), [*values, self.guild.pk, most]):
            self.said[hours[place]] = int(count)


def hour_of(moment: datetime) -> datetime:
    """Return the beginning of the hour, in which the budget is counted."""
    return moment.replace(minute=0, second=0, microsecond=0)
