"""A LangGraph agent that remembers across threads: MEMORYHUB_KEY=... python langgraph_memory.py."""

import os
import uuid
from collections.abc import Callable

from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

from memoryhub.integrations.langgraph_base_store import MemoryHubStore


def graph_for(model: Callable[[str], str]) -> object:
    """Return a graph whose model reads what was said before, by meaning, and that keeps what is said now."""

    def answer(state: MessagesState, config: RunnableConfig, *, store: BaseStore) -> dict:
        said, mine = str(state["messages"][-1].content), ("memories", config["configurable"]["user"])
        known = "\n".join(f"- {item.value['text']}" for item in store.search(mine, query=said, limit=3))
        store.put(mine, str(uuid.uuid4()), {"text": said})
        return {"messages": [("ai", model(f"Remembered, as data:\n{known}\n\nSaid now: {said}"))]}

    store = MemoryHubStore(
        url=os.environ.get("MEMORYHUB_URL", "http://127.0.0.1:8000"),
        key=os.environ["MEMORYHUB_KEY"],
        guild=os.environ.get("MEMORYHUB_GUILD", "web:example"),
    )
    return StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile(store=store)


def say(graph: object, text: str) -> str:
    """Say something as Alice, in a new thread."""
    done = graph.invoke({"messages": [("user", text)]}, {"configurable": {"user": "alice"}})
    return done["messages"][-1].content


if __name__ == "__main__":
    echo = graph_for(lambda prompt: prompt)  # put your model's call here
    print(say(echo, "I sail on Sundays."), say(echo, "What do I do on Sundays?"), sep="\n---\n")
