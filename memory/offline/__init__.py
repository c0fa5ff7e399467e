"""Extraction and consolidation without a model: deterministic, plain, and careful rather than complete."""

from memory.offline.cases import decide_all
from memory.offline.deciding import decide
from memory.offline.extracting import extract
from memory.offline.related import related

__all__ = ["decide", "decide_all", "extract", "related"]
