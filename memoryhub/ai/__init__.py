"""Language models and embeddings behind two doors: `ask` for an answer, `embedder` for vectors."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from memoryhub.ai.embedding.embedder import Embedder, embedder, embedding_status
from memoryhub.ai.embedding.thresholds import Thresholds
from memoryhub.ai.model_errors import ModelFailed

if TYPE_CHECKING:
    from memoryhub.ai.ask_model import LEFT_TO_RULES, ask
    from memoryhub.ai.chat_fence import Line, fence
    from memoryhub.ai.task import Task, Tier

__all__ = [
    "LEFT_TO_RULES",
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
LATER = {
    **dict.fromkeys(("ask", "LEFT_TO_RULES"), "ask_model"),
    **dict.fromkeys(("Task", "Tier"), "task"),
    **dict.fromkeys(("Line", "fence"), "chat_fence"),
}


def __getattr__(name: str) -> Any:
    """Import what asks a model when it is first named."""
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{LATER[name]}"), name)
