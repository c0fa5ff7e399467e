"""What a member told of themselves, in their own words: what lasts most of all that they said, whatever is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.index.view import View
from memory.recall import sql
from memory.recall.deduplication import without_repeats
from memory.recall.memory_kinds import MEMORY_KINDS, NO_HIT
from memory.recall.ranking import Ranked
from memory.recall.search import Result
from memoryhub.ai import embedder
from memoryhub.ai.embedding.directions import lasting
from memoryhub.community.models import Member
from memoryhub.language import assertion_filter
from memoryhub.safety import carries_diagnosis, carries_instruction, carries_secret, is_request, sensitive
from memoryhub.search import vectors

SPARE = 2  # times as many are looked for as are told: some must not be told, or ask something


def own_words(view: View, member: Member, most: int) -> list[Result]:
    """Return up to so many messages of a member, what lasts most first; none where the embedder knows no such thing.

    Nothing that is known to hold no longer, no secret, no order to a bot, no question, no joke, and nothing sensitive
    that the guild does not keep.
    """
    model = embedder()
    lasts = lasting(model.identity) if model else None
    if model is None or lasts is None:
        return []
    found = vectors.search(
        kind="message", model=model.identity, embedding=lasts.direction,
        scope=replace(view, members=[member]).scope(by_member=True), limit=SPARE * most,
    )  # fmt: skip
    nearest = {pk: cosine for pk, cosine in found if cosine >= lasts.least}
    read, kept = sql.told("message", view, nearest), view.guild.kept_kinds
    told = {row.pk: row for row in read.rows if row.pk not in read.outdated and may_be_told(row.text, kept=kept)}
    ranked = [
        Ranked(MEMORY_KINDS["message"].candidate(told[pk], NO_HIT, 0.0), 0.0, {"lasting": cosine}, "")
        for pk, cosine in nearest.items()
        if pk in told
    ]
    return [(told[each.candidate.id], each) for each in without_repeats(ranked, limit=most)]


def may_be_told(text: str, *, kept: Sequence[str] = ()) -> bool:
    """Say whether a message may be told unasked; `kept` names the sensitive kinds that the guild keeps."""
    return not (
        text.rstrip().endswith("?")
        or assertion_filter.is_joke(text)
        or carries_secret(text)
        or carries_diagnosis(text)
        or sensitive(text, kept=kept)
        or carries_instruction(text)
        or is_request(text)
    )
