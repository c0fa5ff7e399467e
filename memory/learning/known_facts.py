"""What is known where a new fact is to go: asked of the database for one, or read once for all that are settled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from memory.facts.proposal import Proposal
from memory.models import Fact, FactQuerySet
from memoryhub import db
from memoryhub.community.models import Guild, Member

NEWEST_READ = 120  # the rules look at no more old facts
MOST_OF = 0.5  # of what is believed: of more, the newest are read one after the other
ASIDE = (Fact.Status.PENDING, Fact.Status.REFUSED)
STATUSES = (Fact.Status.ACTIVE, *ASIDE)

# Written out, since every new fact asks it: the index that keeps facts unique answers without a look at their rows.
# ruff: noqa: S608  (the table's name is the model's; every value is a parameter)
KNOWN = f"""SELECT COALESCE(audience_id, 0), {db.joined("id", ",")}, {db.joined("normalized", "|")}
    FROM {Fact._meta.db_table} {db.by_index("one_active_fact_per_statement")}
    WHERE guild_id = %s AND COALESCE(subject_id, 0) = %s AND status = 'active' GROUP BY 1"""
NEWEST = f"""SELECT id, text, normalized, status FROM {Fact._meta.db_table} WHERE {db.among("id")}
    AND {db.unindexed("guild_id")} = %s ORDER BY said_at DESC, id DESC LIMIT %s"""
# Of most of many facts: from the newest on, as far as is read.
NEWEST_OF_MANY = f"""SELECT id, text, normalized, status FROM {Fact._meta.db_table} {db.by_index("fact_subject")}
    WHERE guild_id = %s AND subject_id {{is_subject}} AND status = 'active' AND {db.among(db.unindexed("id"))}
    ORDER BY said_at DESC, id DESC LIMIT %s"""

OF_SUBJECTS = f"WHERE guild_id = %s AND {db.among('subject_id')} AND status IN ('active', 'pending', 'refused')"
LORE = "WHERE guild_id = %s AND subject_id IS NULL AND status IN ('active', 'pending', 'refused')"
BOTS = "WHERE guild_id = %s AND is_bot"


class Row(NamedTuple):
    """A known fact, as far as a new one is compared with it."""

    id: int
    text: str
    normalized: str
    status: str


class Believed(NamedTuple):
    """What is believed: row ids and, in the same order, the normalized texts, a bar between each and the next."""

    ids: list[int]
    texts: str

    def having(self, normalized: str) -> list[int]:
        """Return the ids with this text: one, or none."""
        place = f"|{self.texts}|".find(f"|{normalized}|") if self.ids else -1
        return [self.ids[self.texts.count("|", 0, place)]] if place >= 0 else []


class KnownFacts(Protocol):
    """Where known facts come from: those of the proposal's subject and audience."""

    def believed(self, proposal: Proposal) -> Believed:
        """Return the normalized texts of what is believed, by row id."""

    def newest(self, proposal: Proposal, ids: Collection[int], *, of: int) -> Sequence[Row]:
        """Return those of these facts that were said last, the newest first; so many are believed in all."""

    def beside(self, proposal: Proposal) -> Sequence[Row]:
        """Return what is believed, waits for a person or was refused, the newest first."""

    def facts(self, proposal: Proposal, ids: Collection[int]) -> dict[int, Fact]:
        """Return those of these facts that are believed, by row id."""

    def bots(self, guild: Guild) -> Sequence[str]:
        """Return the names of the guild's bots."""


class Stored:
    """Asks the database each time."""

    def believed(self, proposal: Proposal) -> Believed:
        """Ask the index alone."""
        subject, place = _place(proposal)
        found = {audience: texts for audience, *texts in self._of_subject(proposal.guild.pk, subject)}
        ids, texts = found.get(place, ("", ""))
        return Believed(list(map(int, ids.split(","))) if ids else [], texts)

    def _of_subject(self, guild: int, subject: int) -> list[tuple[Any, ...]]:
        return db.select(KNOWN, [guild, subject])

    def newest(self, proposal: Proposal, ids: Collection[int], *, of: int) -> Sequence[Row]:
        """Read these rows."""
        if len(ids) <= max(NEWEST_READ, of * MOST_OF):
            rows = db.select(NEWEST, [db.id_list(ids), proposal.guild.pk, NEWEST_READ])
        else:
            subject = [proposal.subject.pk] if proposal.subject else []
            sql = NEWEST_OF_MANY.format(is_subject="= %s" if subject else "IS NULL")
            rows = db.select(sql, [proposal.guild.pk, *subject, db.id_list(ids), NEWEST_READ])
        return [Row(*row) for row in rows]

    def beside(self, proposal: Proposal) -> Sequence[Row]:
        """Read the rows of the subject."""
        rows = comparable(proposal, STATUSES).order_by("-said_at", "-pk")
        return [Row(*row) for row in rows.values_list("pk", "text", "normalized", "status")]

    def facts(self, proposal: Proposal, ids: Collection[int]) -> dict[int, Fact]:
        """Read these rows."""
        return {fact.pk: fact for fact in comparable(proposal).filter(pk__in=ids)}

    def bots(self, guild: Guild) -> Sequence[str]:
        """Read the members."""
        return [str(bot) for bot in db.read(Member, BOTS, [guild.pk])]


class Counting(Stored):
    """Asks the database for one proposal, and keeps how many facts of its subject were believed, in any audience."""

    counted: int | None = None

    def _of_subject(self, guild: int, subject: int) -> list[tuple[Any, ...]]:
        rows = super()._of_subject(guild, subject)
        self.counted = sum(ids.count(",") + 1 for _, ids, _ in rows)
        return rows


class AtHand:
    """Reads once what is known of all whom the proposals of a guild are about; nobody else writes there meanwhile."""

    def __init__(self, proposals: Sequence[Proposal]) -> None:
        self._rows: dict[tuple[int, int], dict[int, Fact]] = defaultdict(dict)
        guild = proposals[0].guild
        self._bots = Stored().bots(guild)
        subjects = {_place(proposal)[0] for proposal in proposals}
        self.follow(db.read(Fact, OF_SUBJECTS, [guild.pk, db.id_list(subjects - {0})]) if subjects - {0} else ())
        self.follow(db.read(Fact, LORE, [guild.pk]) if 0 in subjects else ())

    def believed_about(self, subject: int | None) -> int:
        """Return how many facts about a member, or of the lore, are believed by now, in any audience."""
        rows = (facts.values() for (whose, _), facts in self._rows.items() if whose == (subject or 0))
        return sum(fact.status == Fact.Status.ACTIVE for facts in rows for fact in facts)

    def follow(self, facts: Iterable[Fact]) -> None:
        """Take facts as they are now."""
        for fact in facts:
            self._rows[fact.subject_id or 0, fact.audience_id or 0][fact.pk] = fact

    def believed(self, proposal: Proposal) -> Believed:
        """Look among what was read."""
        facts = dict(self._believed(proposal))
        return Believed(list(facts), "|".join(fact.normalized for fact in facts.values()))

    def newest(self, proposal: Proposal, ids: Collection[int], *, of: int) -> Sequence[Row]:
        """Look among what was read."""
        del of
        wanted = frozenset(ids)
        return [row for row in self.beside(proposal) if row.id in wanted][:NEWEST_READ]

    def beside(self, proposal: Proposal) -> Sequence[Row]:
        """Look among what was read."""
        rows = sorted(self._rows[_place(proposal)].values(), key=lambda fact: (fact.said_at, fact.pk), reverse=True)
        return [Row(fact.pk, fact.text, fact.normalized, fact.status) for fact in rows if fact.status in STATUSES]

    def facts(self, proposal: Proposal, ids: Collection[int]) -> dict[int, Fact]:
        """Look among what was read: who changes one of them changes what is at hand."""
        return {pk: fact for pk, fact in self._believed(proposal) if pk in ids}

    def _believed(self, proposal: Proposal) -> Iterator[tuple[int, Fact]]:
        rows = self._rows[_place(proposal)].items()
        return ((pk, fact) for pk, fact in rows if fact.status == Fact.Status.ACTIVE)

    def bots(self, _guild: Guild) -> Sequence[str]:
        """Return what was read."""
        return self._bots


STORED = Stored()


def comparable(proposal: Proposal, statuses: Collection[str] = (Fact.Status.ACTIVE,)) -> FactQuerySet:
    """Return the facts of the same subject and audience, since nothing else is compared: active ones, or others too."""
    rows = Fact.objects.of(proposal.guild).about(proposal.subject).filter(audience=proposal.audience_id)
    return rows.filter(status__in=statuses)


def _place(proposal: Proposal) -> tuple[int, int]:
    return proposal.subject.pk if proposal.subject else 0, proposal.audience_id or 0
