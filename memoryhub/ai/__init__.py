"""Language models and embeddings behind two doors: `ask` for an answer, `embedder` for vectors."""

from .asking import ask
from .failures import ModelFailed
from .tasks import Task, Tier
from .transcript import Line, fence

__all__ = ["Line", "ModelFailed", "Task", "Tier", "ask", "fence"]
