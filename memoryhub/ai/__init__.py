"""Language models and embeddings behind two doors: `ask` for an answer, `embedder` for vectors."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .embedders import Embedder, embedder, embedding_status
from .failures import ModelFailed
from .thresholds import Thresholds

if TYPE_CHECKING:
    from .asking import ask
    from .tasks import Task, Tier
    from .transcript import Line, fence

__all__ = [
    "Embedder",
    "Line",
    "ModelFailed",
    "Task",
    "Thresholds",
    "Tier",
    "ask",
    "embedder",
    "embedding_status",
    "fence",
]

# What asks a model stands on pydantic, whose import takes longer than an answer from memory.
LATER = {"ask": "asking", "Task": "tasks", "Tier": "tasks", "Line": "transcript", "fence": "transcript"}


def __getattr__(name: str) -> Any:
    """Import what asks a model when it is first named."""
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{LATER[name]}"), name)
