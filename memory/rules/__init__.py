"""Extraction and consolidation without a model: deterministic, plain, and careful rather than complete."""

from memory.rules.decider import decide, decide_all, judge
from memory.rules.extractor import extract, may_end, told
from memory.rules.related_facts import related

__all__ = ["decide", "decide_all", "extract", "judge", "may_end", "related", "told"]
