"""What a cosine means, embedder by embedder: the same number is far for one model and near for another."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """Cosines of one embedder.

    `same`: two facts this near go to the decision between KEEP, MERGE and INVALIDATE. It only proposes:
    contradictions are as alike as paraphrases.
    `duplicate`: two memories this near say the same, so one answer shows one of them.
    `related`: a memory this near to a question may answer it; below, it is about something else.
    `reworded`: two lines on one member this near may say the same in other words, if no name or number differs.
    `distant`: where nothing related is there, a note this near that shares a word may be meant; 1: none may.
    `backed`: a fact in other words than its message may say the same if it is this near to them; 1: none may.
    `floor`, `ceiling`: the cosines of a question with an unrelated and with a right memory, to scale scores by.
    """

    same: float
    duplicate: float
    related: float
    floor: float
    ceiling: float
    distant: float = 1.0
    reworded: float = 1.0
    backed: float = 1.0

    def scaled(self, cosine: float) -> float:
        """Return the cosine of a question and a memory as a score from 0 to 1, to be added to other scores."""
        return min(1.0, max(0.0, (cosine - self.floor) / (self.ceiling - self.floor)))


# Measured on 60 written pairs (without and with a name before them) and LoCoMo's facts. `same` passes all paraphrases,
# 90 and 100 % of contradictions, but also 64 % of the pairs of one member's facts: the limit of 3 decides.
# `duplicate`: 40 and 80 % of paraphrases, 15 % of contradictions, 0.1 % of other pairs: show the newer of the two.
# `related`: 95 % of right facts, 30 % of the others of the conversation, none for an off-topic question (best .77).
# `distant`: 98 % of the right notes of 400 of LoCoMo's questions; of another community's best notes 56 %, but 26 % with
# a word of the question. `reworded`: 10 of 17 written paraphrases, 4 of 10 other pairs with the same names and numbers.
# `backed`: 95 % of 260 facts in other words than their messages, 16 % of facts beside another's message.
# One-word turns ("ping") are as near to any note, so the cosine alone may not decide.
EMBEDDED = Thresholds(
    same=0.84, duplicate=0.96, related=0.80, floor=0.70, ceiling=0.90, distant=0.79, reworded=0.945,
    backed=0.81,
)  # fmt: skip

# Not measured, for want of a key: `same` is one design's limit (distance under 0.35), the others each one's usual.
OPENAI = Thresholds(same=0.65, duplicate=0.92, related=0.25, floor=0.10, ceiling=0.70, distant=0.22)
GOOGLE = Thresholds(same=0.65, duplicate=0.95, related=0.55, floor=0.45, ceiling=0.85, distant=0.52)
