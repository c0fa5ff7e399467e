"""How much of a member is read: what they say in an hour beyond the guild's budget is stored and left out of memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memoryhub import db
from memoryhub.community.models import Guild, Member

HOUR = timedelta(hours=1)
# Written out, since every message that comes in asks it: an index answers, and no further than the budget reaches.
# ruff: noqa: S608  (only the column's name is put in)
SAID = f"""SELECT count(*) FROM (SELECT 1 FROM notes_message
    WHERE author_id = %s AND {db.unindexed("guild_id")} = %s AND sent_at >= %s AND sent_at < %s LIMIT %s) AS said"""
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
        hour = member.pk, sent_at.replace(minute=0, second=0, microsecond=0)
        if hour not in self.said:
            begin = hour[1]
            (row,) = db.select(
                SAID, [member.pk, member.guild_id, db.to_column(begin), db.to_column(begin + HOUR), most + 1]
            )
            self.said[hour] = int(row[0])
        before = self.said[hour]
        self.said[hour] = before + 1
        if before < most:
            return True
        self.over += 1
        if before == most:
            self.first.append(member)
        return False
