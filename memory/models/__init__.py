"""Tables of what is known and what the hub did: facts, recaps, what agents keep, records, erasures, webhooks."""

from memory.models.agent_items import AgentItem
from memory.models.embedded_to import EmbeddedTo
from memory.models.erasures import Erasure, ErasureNeedles
from memory.models.facts import RESCAN, ClientData, Contradiction, Evidence, Fact, FactChange, FactQuerySet
from memory.models.posts import ModeratorLog, Recap, RecapLine
from memory.models.records import Action, JobRun, LeftOut, ModelCall, Snapshot
from memory.models.webhooks import Webhook

__all__ = [
    "RESCAN",
    "Action",
    "AgentItem",
    "ClientData",
    "Contradiction",
    "EmbeddedTo",
    "Erasure",
    "ErasureNeedles",
    "Evidence",
    "Fact",
    "FactChange",
    "FactQuerySet",
    "JobRun",
    "LeftOut",
    "ModelCall",
    "ModeratorLog",
    "Recap",
    "RecapLine",
    "Snapshot",
    "Webhook",
]
