"""Adds the presets of the designs that memoryhub joins to recall and to context, which know them by name only."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from memory.compatibility import confidence_ranking, established_facts, user_memory, weighted_ranking
from memory.context import items, turn
from memory.index.view import View
from memory.models import Evidence
from memory.recall import ranking
from memory.recall.ranking import Candidate
from memoryhub.community.querysets import heard


def register() -> None:
    """Add them; called once, when the app is ready."""
    ranking.PRESETS["seed000"] = ranking.Preset(
        lambda candidates, criteria: weighted_ranking.by_weighted_sum(
            candidates, criteria, weights=settings.MEMORYHUB_SEED000_WEIGHTS,
            word_weights=settings.MEMORYHUB_SEED000_WORD_WEIGHTS,
        ),
        complete=with_quotes,
    )  # fmt: skip
    ranking.PRESETS["seed002"] = ranking.Preset(confidence_ranking.by_confidence, confidence_ranking.within_characters)
    turn.COLLECTORS.update(dict.fromkeys(established_facts.LIMITS, established_facts.collect))
    items.FORMS["user_memory"] = items.Form(user_memory.line, user_memory.render)


def with_quotes(view: View, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return the candidates, each fact with the newest words that it rests on: the question may have those."""
    facts = [each.id for each in candidates if each.kind == "fact"]
    rows = Evidence.objects.filter(heard(view.guild, "speaker"), guild=view.guild, fact__in=facts)
    said = rows.filter(said_at__lte=view.as_of) if view.as_of else rows
    quotes = dict(said.order_by("said_at", "pk").values_list("fact_id", "quote")) if facts else {}
    return [each._replace(evidence=quotes.get(each.id, "")) for each in candidates]
