"""What was learned from a note, for its page: notes know nothing of facts."""

from __future__ import annotations

from collections.abc import Sequence

from django import template

from memory.facts import lineage
from memory.facts.normalization import normalize
from memory.models import Fact
from notes.models import InteractionNote
from profiles.models import ProfileEntry

register = template.Library()


@register.simple_tag
def learned_from(note: InteractionNote) -> dict[str, Sequence[Fact | ProfileEntry]]:
    """Return the facts, and those lines of profiles that say something else."""
    facts, entries = lineage.learned_from(note)
    said = {(fact.subject_id, normalize(fact.text)) for fact in facts}
    others = [each for each in entries if (each.profile.member_id, normalize(each.text)) not in said]
    return {"facts": facts, "entries": others}
