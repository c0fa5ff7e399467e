"""Random worlds of places that open and close: who says what where, and who could ever have read it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from hypothesis import strategies as st

from memory import pipeline
from memory.index import embeddings
from memory.withdrawal import close_channel
from memory.withdrawal.close_channel import change_audience
from memoryhub.community.identity import CommunityCache, Place
from memoryhub.community.models import Channel, Guild
from notes.messages.schemas import GuildRef
from tests.factories import NOON
from tests.incoming import incoming

WORLD = GuildRef(key="test:places", name="Places")
STEP = timedelta(minutes=10)
PARENTS = {"thread": "crew", "aside": "hall"}
OPEN_AT_FIRST = {"hall": True, "crew": True, "staff": False, "thread": True, "aside": False, "direct": False}
MAY_CHANGE = ("hall", "crew", "staff", "thread")
SAYINGS = (
    (
        "I live in {0} and I work at the {0} museum these days, next to the old harbour.",
        "My flat in {0} is small, but the view over the whole of {0} is lovely in the evening.",
        "Who else lives in {0}, and would you come to the street party there in summer?",
    ),
    (
        "My favourite food is {0}, I love {0} more than anything else in the world.",
        "{0} with rice is best, my grandmother cooked {0} for all of us every Sunday.",
        "Shall we cook {0} together next week, and who would bring the drinks for it?",
    ),
    (
        "We always meet in {0} on Fridays, it's our tradition since the very first year.",
        "{0} was full last week, so we had to wait outside of {0} for half an hour.",
        "See you all in {0} then, and please bring the board games along this time.",
    ),
    (
        "I'm learning {0} for my exam in June, and I practise {0} each evening after work.",
        "{0} is hard, but I like it a lot, and my teacher of {0} is very patient with me.",
        "Does anybody here know {0} well enough to explain the difficult parts to me?",
    ),
)


@dataclass(frozen=True)
class Say:
    """Somebody says three lines in a place; late ones arrive when an hour has passed."""

    place: str
    author: str
    saying: tuple[str, ...]
    again: bool
    late: bool
    digest: bool


@dataclass(frozen=True)
class Turn:
    """A place is opened or closed."""

    place: str
    open: bool
    digest: bool
    follow: bool


SAY = st.builds(
    Say, place=st.sampled_from(sorted(OPEN_AT_FIRST)), author=st.sampled_from(("Alice", "Bob")),
    saying=st.sampled_from(SAYINGS), again=st.booleans(), late=st.booleans(), digest=st.booleans(),
)  # fmt: skip
TURN = st.builds(
    Turn, place=st.sampled_from(MAY_CHANGE), open=st.booleans(), digest=st.booleans(), follow=st.booleans()
)
HAPPENINGS = st.lists(st.one_of(SAY, TURN), min_size=5, max_size=10)


@dataclass
class Places:
    """A guild in which things happen, and the words that each place heard and when."""

    now: datetime = NOON
    open: dict[str, bool] = field(default_factory=lambda: dict(OPEN_AT_FIRST))
    opened_at: dict[str, datetime] = field(default_factory=dict)
    heard: dict[str, list[tuple[str, datetime]]] = field(default_factory=dict)

    def happen(self, happenings: list[Say | Turn]) -> Guild:
        """Let a world happen, to the papers of its night."""
        for place in OPEN_AT_FIRST:
            self._say(Say(place, "Alice", SAYINGS[0], again=False, late=False, digest=False))
        for each in happenings:
            self._say(each) if isinstance(each, Say) else self._turn(each)
        self._digest()
        return Guild.objects.get(key=WORLD.key)

    def is_open(self, place: str) -> bool:
        """Tell whether the whole guild reads the place: who reads a thread reads its channel."""
        return self.open[place] and self.open.get(PARENTS.get(place, ""), True)

    def _described(self, place: str) -> dict[str, object]:
        kind = "direct" if place == "direct" else "thread" if place in PARENTS else "text"
        parent = f"c-{PARENTS[place]}" if place in PARENTS else None
        audience = "guild" if self.is_open(place) else "channel"
        return {"id": f"c-{place}", "kind": kind, "parent_id": parent, "audience": audience}

    def _say(self, said: Say) -> None:
        self.now += STEP
        at = self.now - timedelta(hours=1) * said.late
        known = [word for words in self.heard.values() for word, _ in words]
        word = known[-1] if said.again and known else f"qx{'bcdfghjklmnprstvz'[len(set(known)) % 17]}{len(set(known))}q"
        lines = [
            incoming(line.format(word.capitalize()), said.author, channel=self._described(said.place), at=at)
            for line in said.saying
        ]
        pipeline.receive_many(lines, guild=WORLD, now=self.now)
        self.heard.setdefault(said.place, []).append((word, at))
        if said.digest:
            self._digest()

    def _digest(self) -> None:
        guild = Guild.objects.get(key=WORLD.key)
        pipeline.digest(guild, now=self.now)
        pipeline.consolidate(guild, day=NOON.date(), now=self.now)
        embeddings.embed_missing(200)

    def _turn(self, turn: Turn) -> None:
        self.now += STEP
        if turn.digest:
            self._digest()
        before = {place: self.is_open(place) for place in self.open}
        self.open[turn.place] = turn.open
        guild = Guild.objects.get(key=WORLD.key)
        cache = CommunityCache(guild, move=partial(change_audience, now=self.now))
        changed = [place for place in self.open if self.is_open(place) != before[place]]
        cache.load(channels=[f"c-{place}" for place in self.open], members=[])
        for place in changed:
            cache.channel(Place(**self._described(place)))  # type: ignore[arg-type]
            self.opened_at[place] = self.now
        if turn.follow:
            close_channel.update_indexes()

    def readers(self, place: str) -> set[str]:
        """Return where the words of a place may be told: there, and in its threads."""
        return {place, *(thread for thread, parent in PARENTS.items() if parent == place)}

    def tellable(self, where: str | None) -> set[str]:
        """Return the words that every reader of a place, or of the whole guild, could have read."""
        return {
            word
            for place, words in self.heard.items()
            for word, at in words
            if (self.is_open(place) and at >= self.opened_at.get(place, at)) or where in self.readers(place)
        }

    def words(self) -> set[str]:
        """Return every word that was said anywhere."""
        return {word for words in self.heard.values() for word, _ in words}

    def channel(self, place: str) -> Channel:
        """Return the place's row."""
        return Channel.objects.get(guild__key=WORLD.key, platform_id=f"c-{place}")
