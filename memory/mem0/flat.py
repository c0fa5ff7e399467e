"""Routes of mem0's own server, for the clients written for that: the same calls at shorter addresses."""

from __future__ import annotations

from typing import Any

from ninja import Body, Query, Router

from memory.mem0 import entities, memories
from memory.mem0.schemas import AddIn, DeleteIn, ListIn, SearchIn, UpdateIn
from memoryhub.common.api_scope import Call, PathId

router = Router()
Json = dict[str, Any]


class FlatUpdateIn(UpdateIn):
    """The same, with the name that older servers had for the words."""

    data: str | None = None


@router.post("/memories")
def add_flat(request: Call, body: Body[AddIn]) -> Json:
    """Learn from a talk, or keep its words; what is learned in the background is not among the results yet."""
    return {"results": [], **memories.add_memories(request, body)}


@router.get("/memories")
def list_flat(request: Call, wanted: Query[ListIn]) -> Json:
    """List memories."""
    return {"results": memories.list_memories_v1(request, wanted)}


@router.delete("/memories")
def delete_flat(request: Call, wanted: Query[DeleteIn]) -> Json:
    """Forget all that is selected."""
    return memories.delete_memories(request, wanted)


@router.post("/search")
def search_flat(request: Call, body: Body[SearchIn]) -> Json:
    """Find what answers a question."""
    return memories.search_memories(request, body)


@router.get("/memories/{fact_id}/history")
def history_flat(request: Call, fact_id: str) -> list[Any]:
    """Show what happened to a memory."""
    return memories.show_memory_history(request, fact_id)


@router.get("/memories/{fact_id}")
def show_flat(request: Call, fact_id: str) -> Json:
    """Show one memory."""
    return memories.show_one_memory(request, fact_id)


@router.put("/memories/{fact_id}")
def update_flat(request: Call, fact_id: str, body: Body[FlatUpdateIn]) -> Json:
    """Change a memory."""
    body.text = body.text or body.data
    memories.update_memory(request, fact_id, body)
    return {"message": "Memory updated successfully!"}


@router.delete("/memories/{fact_id}")
def forget_flat(request: Call, fact_id: str) -> Json:
    """Forget a memory."""
    return memories.delete_one_memory(request, fact_id)


@router.get("/entities")
def entities_flat(request: Call) -> list[Any]:
    """List whom memories are about."""
    return list(entities.list_entities(request, page_size=1_000)["results"])


@router.delete("/entities/{kind}/{path:member_id}")
def erase_flat(request: Call, kind: str, member_id: PathId) -> Json:
    """Erase somebody."""
    return entities.erase_entity(request, kind, member_id)
