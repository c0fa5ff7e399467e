"""A LangGraph store in a hub: what agents put under a namespace and a key, found again by filters and by meaning.

    store = MemoryHubStore(url="http://127.0.0.1:8000", key=KEY, guild="web:shop")
    graph = builder.compile(store=store)

Needs `langgraph` and `httpx`. A batch is one request an operation; what it reads is as it was before the batch.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import httpx
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    validate_op_namespace,
)

WAITS = 30.0  # seconds for the hub
AT_ONCE = 8  # requests of one batch
SEPARATOR = "."


class HubRefused(ValueError):
    """The hub refused an operation; the words are its own."""


class MemoryHubStore(BaseStore):
    """A store in one guild. A namespace that holds a member's id is theirs: it goes when they are erased.

    With `fields`, a value is found by the texts at these paths alone; otherwise by all of its words.
    """

    supports_ttl = False

    def __init__(self, *, url: str, key: str, guild: str, fields: Sequence[str] | None = None) -> None:
        self.fields = list(fields) if fields is not None else None
        base = f"{url.rstrip('/')}/api/v1/guilds/{quote(guild, safe='')}"
        self._options: dict[str, Any] = {
            "base_url": base, "headers": {"Authorization": f"Bearer {key}"}, "timeout": WAITS,
        }  # fmt: skip
        self._http = httpx.Client(**self._options)
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="memoryhub-store")

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the operations: first what reads, then what writes; of two writes to one key the last counts."""
        given = list(ops)
        for op in given:
            validate_op_namespace(op)
        reads = [op for op in given if not isinstance(op, PutOp)]
        answers = iter(list(self._threads.map(self._read, reads)))
        last = {(op.namespace, op.key): op for op in given if isinstance(op, PutOp)}
        list(self._threads.map(self._put, last.values()))
        return [None if isinstance(op, PutOp) else next(answers) for op in given]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the same without holding up the event loop."""
        return await asyncio.get_running_loop().run_in_executor(None, self.batch, list(ops))

    def close(self) -> None:
        """Close the connections to the hub."""
        self._threads.shutdown()
        self._http.close()

    # --- One operation -------------------------------------------------------------------------------------------

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise ValueError(f"Unknown operation: {type(op).__name__}")

    def _get(self, op: GetOp) -> Item | None:
        found = self._http.get("/items", params={"namespace": SEPARATOR.join(op.namespace), "item": op.key})
        return None if found.status_code == httpx.codes.NOT_FOUND else Item(**_item(_checked(found)))

    def _put(self, op: PutOp) -> None:
        if op.value is None:
            named = {"namespace": SEPARATOR.join(op.namespace), "item": op.key}
            _checked(self._http.delete("/items", params=named))
            return
        body = {"namespace": list(op.namespace), "key": op.key, "value": op.value, "text": self._text(op)}
        _checked(self._http.put("/items", json=body))

    def _text(self, op: PutOp) -> str | None:
        """Return what an item is found by; None: all of its words."""
        if op.index is False:
            return ""
        fields = self.fields if op.index is None else op.index
        if fields is None:
            return None
        return "\n".join(text for field in fields for text in get_text_at_path(op.value, field))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        asked = {
            "namespace": list(op.namespace_prefix), "query": op.query or "", "filter": op.filter or {},
            "limit": op.limit, "offset": op.offset,
        }  # fmt: skip
        answer = _checked(self._http.post("/items/search", json=asked))
        if missed := answer.get("not_searched"):
            where = SEPARATOR.join(op.namespace_prefix)
            told = f"The search below {where!r} left out {missed} older values: search a longer namespace."
            warnings.warn(told, stacklevel=2)
        return [SearchItem(**_item(row), score=row["score"]) for row in answer["items"]]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        asked: dict[str, Any] = {"limit": op.limit, "offset": op.offset}
        for condition in op.match_conditions or ():
            asked[condition.match_type] = SEPARATOR.join(condition.path)
        if op.max_depth is not None:
            asked["max_depth"] = op.max_depth
        return [tuple(labels) for labels in _checked(self._http.get("/items/namespaces", params=asked))["namespaces"]]


def _item(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("key", "value", "created_at", "updated_at")} | {
        "namespace": tuple(row["namespace"])
    }


def _checked(answer: httpx.Response) -> Any:
    """Return what the hub answered; raises HubRefused with its words, or httpx.HTTPError."""
    if answer.is_success:
        return answer.json() if answer.content else None
    if "json" not in answer.headers.get("Content-Type", ""):
        answer.raise_for_status()
    problem = answer.json()
    fields = [f"{each['field']}: {each['message']}" for each in problem.get("errors") or []]
    raise HubRefused(" ".join([problem["detail"], *fields]))
