"""JSON routes: what agents keep for themselves is put, shown, found and removed."""

from __future__ import annotations

from django.utils import timezone
from ninja import Query, Router, Status

from memory.api.schemas.agent_items import (
    AgentItemOut,
    AgentItemsOut,
    ItemName,
    ItemQuestion,
    NamespaceFilters,
    NamespacesOut,
    NewItem,
)
from memory.records import agent_items
from memory.records.agent_items import SEPARATOR
from memoryhub.common.api_scope import Call, one

router = Router(tags=["agents"])
ITEMS = "/guilds/{key}/items"


@router.get(f"{ITEMS}/namespaces", response=NamespacesOut)
def list_namespaces(request: Call, key: str, filters: Query[NamespaceFilters]) -> NamespacesOut:
    """List the namespaces that hold anything."""
    paths = {name: [part for part in getattr(filters, name).split(SEPARATOR) if part] for name in ("prefix", "suffix")}
    found = agent_items.namespaces(
        request.auth.guild(key), **paths, max_depth=filters.max_depth, limit=filters.limit, offset=filters.offset
    )
    return NamespacesOut(namespaces=found)


@router.post(f"{ITEMS}/search", response=AgentItemsOut)
def search_items(request: Call, key: str, body: ItemQuestion) -> AgentItemsOut:
    """Find items below a namespace, by a filter, a question or both."""
    answer = agent_items.search(
        request.auth.guild(key), prefix=body.namespace, query=body.query, wanted=body.filter, limit=body.limit,
        offset=body.offset,
    )  # fmt: skip
    items = [AgentItemOut.of(each.item, each.score) for each in answer.items]
    return AgentItemsOut(items=items, not_searched=answer.not_searched)


@router.put(ITEMS, response=AgentItemOut)
def put_item(request: Call, key: str, body: NewItem) -> AgentItemOut:
    """Keep an item, in place of what was under its key."""
    guild, now = request.auth.guild(key), timezone.now()
    row = agent_items.put(guild, namespace=body.namespace, key=body.key, value=body.value, text=body.text, now=now)
    return AgentItemOut.of(row)


@router.get(ITEMS, response=AgentItemOut)
def show_item(request: Call, key: str, name: Query[ItemName]) -> AgentItemOut:
    """Show one item."""
    rows = agent_items.told(request.auth.guild(key), namespace=name.namespace)
    return AgentItemOut.of(one(rows, "item", key=name.item))


@router.delete(ITEMS, response={204: None})
def remove_item(request: Call, key: str, name: Query[ItemName]) -> Status[None]:
    """Remove an item for good; doing it twice is fine."""
    agent_items.remove(request.auth.guild(key), namespace=name.namespace, key=name.item)
    return Status(204, None)
