"""Language models and embeddings behind two doors: `ask` for an answer, `embedder` for vectors."""

from .asking import ask
from .embedders import Embedder, embedder, embedding_status
from .failures import ModelFailed
from .tasks import Task, Tier
from .thresholds import Thresholds
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
