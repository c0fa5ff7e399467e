"""Takes the memories of other systems over as told facts, each once, and counts what became of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

from django.db import transaction

from memory.mem0 import adding
from memory.mem0.foreign_stores import Foreign
from memory.models import ClientData
from memoryhub.community.models import Guild
from memoryhub.db.guild_scope import inside
from memoryhub.errors import Conflict, Refused

SHOWN = 20


@dataclass
class Taking:
    """Takes memories into a guild; a dry run goes the same way and stores nothing."""

    guild: Guild
    system: str
    now: datetime
    dry_run: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    refused_at: list[str] = field(default_factory=list)

    def take(self, memory: Foreign) -> None:
        """Take one over: what was taken over before is left as it is, whatever was made of it since."""
        with inside(self.guild):
            if memory.body is None:
                self._refuse(memory.id, memory.why)
                return
            event = uuid5(NAMESPACE_URL, f"{self.system}:{self.guild.key}:{memory.id}")
            if ClientData.objects.of(self.guild).filter(event=event).exists():
                self.counts["duplicate"] += 1
                return
            try:
                with transaction.atomic():
                    actor = f"imported:{self.system}"
                    _, (told, *_) = adding.tell(self.guild, memory.body, actor=actor, now=self.now, event=event)
                    transaction.set_rollback(self.dry_run)
            except (Refused, Conflict) as error:
                self._refuse(memory.id, str(error))
            else:
                self.counts["stored" if told.new else "known"] += 1

    def _refuse(self, where: str, why: str) -> None:
        self.counts["refused"] += 1
        if len(self.refused_at) < SHOWN:
            self.refused_at.append(f"{where}: {why}")
