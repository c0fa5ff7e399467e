"""What the tests of learning share: proposals, what is believed, and when the guild learns."""

from memory.facts.proposal import Proposal
from memory.models import Fact
from memoryhub.community.models import Guild
from tests.factories import NOON, make_guild, make_member, minutes

BATCH = Guild.ExtractionMode.BATCH
LATER = NOON + minutes(60)


def propose(text="Lives in Toronto.", **fields):
    guild = fields.pop("guild", None) or make_guild()
    values = {
        "guild": guild,
        "subject": make_member(guild, "Alice"),
        "text": text,
        "kind": "profile",
        "confidence": 0.7,
        "explicit": False,
        "said_at": NOON,
        "quote": text,
    }
    return Proposal(**{**values, **fields})


def active():
    return sorted(Fact.objects.active().values_list("text", flat=True))
