"""Random worlds: several guilds whose channels and members have the same ids, and whose words give the guild away."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from itertools import count

from hypothesis import strategies as st

from notes.messages.schemas import GuildRef, IncomingMessage
from tests.factories import NOON

_numbers = count(1)

# What the rules learn facts, lore, preferences and plans from; {} is the word that only this guild knows.
SAYINGS = (
    "I live in {} and I work at {} these days.",
    "I love {} more than anything else in the world.",
    "I moved to {} last spring.",
    "I don't live in {} any more.",
    "My favourite food is {}.",
    "I hate {} and everything about it.",
    "I'm learning {} for my exam in June.",
    "We always meet in {} on Fridays, it's our tradition.",
    "My sister {} is a nurse at the hospital.",
    "Did anybody hear of {}? It is on the news again today.",
    "Mi comida favorita es {}.",
    "Ich wohne in {} und arbeite als Lehrer.",
)
LETTERS = st.text("bdfgklmnprstvz", min_size=6, max_size=9)
CHANNELS = ("c-1", "c-2", "c-3")
MEMBERS = ("u-1", "u-2", "u-3", "u-4")


@dataclass(frozen=True)
class Said:
    """One thing said: by whom, where, and in which words."""

    channel: str
    author: str
    saying: str
    word: str
    minutes: int


@dataclass(frozen=True)
class World:
    """A guild with its mark: a word that begins each of its own words, and that no other guild ever heard."""

    mark: str
    talk: tuple[Said, ...]

    @property
    def ref(self) -> GuildRef:
        return GuildRef(key=f"test:{self.mark}", name=f"{self.mark} guild")

    def messages(self) -> list[IncomingMessage]:
        """Return what was said; ids are the same in every world, as they are on platforms that count from one."""
        return [self._message(number, said) for number, said in enumerate(self.talk)]

    def _message(self, number: int, said: Said) -> IncomingMessage:
        own = f"{self.mark}{said.word}".capitalize()
        return IncomingMessage.model_validate(
            {
                "message_id": f"m-{number}",
                "channel": {"id": said.channel, "name": f"{self.mark} {said.channel}"},
                "author": {"id": said.author, "name": f"{self.mark}-{said.author}", "display_name": own},
                "text": said.saying.replace("{}", own),
                "sent_at": NOON + timedelta(minutes=said.minutes),
            }
        )


SAID = st.builds(
    Said, channel=st.sampled_from(CHANNELS), author=st.sampled_from(MEMBERS), saying=st.sampled_from(SAYINGS),
    word=LETTERS, minutes=st.integers(0, 120),
)  # fmt: skip
TALK = st.lists(SAID, min_size=3, max_size=10).map(tuple)


def a_world(talk: tuple[Said, ...]) -> World:
    """Return a world with a mark that no world before it had, and that no mark and no other text contains.

    Of pages a text is also the random token of each form, which holds four letters by chance now and then.
    """
    number, letters = next(_numbers), ""
    while number:
        number, digit = divmod(number, 16)
        letters += "bcdfghjklmnprstv"[digit]
    return World(mark=f"qxwqz{letters}qwx", talk=talk)
