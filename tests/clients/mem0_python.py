"""Run by an interpreter that has mem0ai: calls every method of its client once and prints what came of each as JSON."""

import asyncio
import inspect
import json
import sys
from importlib.metadata import version

from mem0 import AsyncMemoryClient, MemoryClient

NEWER = int(version("mem0ai").split(".")[0])
PLAIN = "plain: "
TALK = [
    {"role": "user", "content": "I live in Toronto and I work at the museum these days."},
    {"role": "assistant", "content": "Nice! What do you do there?"},
]


def rows(answer):
    """Return the memories of an answer: a list, or what stands under `results`."""
    return answer["results"] if isinstance(answer, dict) else answer


class Tour:
    """Calls method after method; `done` says what came of each."""

    def __init__(self, client):
        self.client, self.done = client, {}

    async def call(self, name, /, *args, check=lambda answer: True, **kwargs):
        of = self.client
        for part in name.split("."):
            of = getattr(of, part)
        try:
            answer = of(*args, **kwargs)
            answer = await answer if inspect.isawaitable(answer) else answer
        except Exception as error:  # noqa: BLE001  what came of it is what is asked
            words = str(getattr(error, "message", "") or error)
            self.done[name] = f"{PLAIN}{type(error).__name__}: {words}"
            return None
        passed = check(answer)
        self.done.setdefault(name, "pass")
        if not passed:
            self.done[name] = f"FAILED: {answer!r}"
        return answer

    async def tell(self, text, **fields):
        answer = await self.call("add", [{"role": "user", "content": text}], infer=False,
                                 **{"user_id": "alice", **fields}, check=rows)  # fmt: skip
        return rows(answer)[0]["id"]

    async def walk(self):
        call = self.call
        pending = await call("add", TALK, user_id="alice", metadata={"trip": 1},
                             check=lambda a: "PENDING" in json.dumps(a))  # fmt: skip
        assert pending
        first = await self.tell("Alice sails on Sundays.", metadata={"a": 1})
        second = await self.tell("Alice plays the cello.", agent_id="robot", run_id="r1", app_id="app")
        third = await self.tell("Bob paints boats.", user_id="bob")
        await call("get", first, check=lambda a: a["memory"] == "Alice sails on Sundays." and a["metadata"] == {"a": 1})
        found = {"filters": {"user_id": "alice"}}
        if NEWER == 0:
            await call("search", "sails", user_id="alice", check=lambda a: rows(a)[0]["id"] == first)
            await call("search", "sails", version="v2", **found, check=lambda a: rows(a)[0]["id"] == first)
            await call("get_all", user_id="alice", check=lambda a: first in [row["id"] for row in rows(a)])
            await call("get_all", version="v2", page=1, page_size=5, **found, check=lambda a: a["count"] == 1)
        else:
            await call("search", "sails", top_k=10, **found, check=lambda a: rows(a)[0]["id"] == first)
            await call("get_all", **found, check=lambda a: first in [row["id"] for row in rows(a)])
            in_run = {"filters": {"AND": [{"user_id": "alice"}, {"run_id": "r1"}, {"app_id": "app"}]}}
            await call("search", "cello", **in_run, check=lambda a: rows(a)[0]["id"] == second)
            await call("get_all", page=1, page_size=5, **in_run, check=lambda a: a["results"][0]["agent_id"] == "robot")
        await call("update", first, text="Alice sails on Mondays.", check=lambda a: "Mondays" in json.dumps(a))
        await call("history", first, check=lambda a: [each["event"] for each in a] == ["ADD", "UPDATE"])
        await call("feedback", first, feedback="POSITIVE", check=lambda a: a["id"] == first)
        await call("batch_update", [{"memory_id": first, "text": "Alice rows on Mondays."}],
                   check=lambda a: "1 memories" in a["message"])  # fmt: skip
        await call("users", check=lambda a: {"alice", "bob", "robot", "r1", "app"} <= {e["name"] for e in a["results"]})
        filters = {"user_id": "alice"} if NEWER == 0 else found
        export = await call("create_memory_export", json.dumps({"type": "object"}), **filters, check=lambda a: a["id"])
        await call("get_memory_export", memory_export_id=export["id"], check=lambda a: a["count"] == 1)
        await call("get_summary", filters={"user_id": "alice"}, check=lambda a: isinstance(a, list))
        await call("get_project", check=lambda a: a["id"] == self.client.project_id)
        await call("project.get", check=lambda a: a["id"] == self.client.project_id)
        await call("update_project", custom_instructions="Only pets.")
        await call("project.update", custom_instructions="Only pets.")
        await call("project.create", "Another")
        await call("project.delete")
        await call("project.get_members")
        await call("project.add_member", "m@example.org")
        await call("project.update_member", "m@example.org", "OWNER")
        await call("project.remove_member", "m@example.org")
        await call("get_webhooks", self.client.project_id)
        await call("create_webhook", "https://example.org", "hook", self.client.project_id, ["memory_add"])
        await call("update_webhook", 1, name="hook")
        await call("delete_webhook", 1)
        await call("chat")
        if NEWER >= 2:
            await call("get_profile", "alice", check=lambda a: a["status"] in ("succeeded", "insufficient_data"))
            await call("get_profile_settings", check=lambda a: a["enabled"] is True)
            await call("update_profile_settings", enabled=False)
            await call("generate_profile", "alice")
            await call("sample_profiles", limit=1)
            await call("get_profile_job", "1")
        await call("delete", first, check=lambda a: "deleted" in a["message"])
        await call("batch_delete", [{"memory_id": third}], check=lambda a: "1 memories" in a["message"])
        await call("delete_all", user_id="alice", check=lambda a: "deleted" in a["message"])
        if NEWER >= 2:
            await self.tell("Alice sails on Sundays.")
            await call("delete_all", **found, check=lambda a: "deleted" in a["message"])
        await call(
            "delete_users", user_id="bob", check=lambda a: "deleted" in a["message"] or "being erased" in a["message"]
        )
        await call("reset", check=lambda a: "success" in a["message"].lower())
        await call("users", check=lambda a: a["results"] == [])
        return self.done


def say_and_ask(client, answers):
    """Do as mem0's own evaluation on LoCoMo does: add each session for a speaker, later search ten for a question."""
    if answers == "add":
        session = [
            {"role": "user", "content": "I live in Toronto and I work at the museum these days."},
            {"role": "assistant", "content": "I have two dogs and I love hiking."},
            {"role": "user", "content": "My favourite food is ramen."},
        ]
        options = {"version": "v2"} if NEWER == 0 else {}
        return client.add(session, user_id="caroline_0", metadata={"timestamp": "8 May 2023"}, **options)
    asked = {"user_id": "caroline_0"} if NEWER == 0 else {"filters": {"user_id": "caroline_0"}}
    return rows(client.search("Where does Caroline live?", top_k=10, **asked))


def is_refused(host):
    """Say if a wrong key is refused in words."""
    try:
        MemoryClient(api_key="mh_wrong", host=host)
    except ValueError as error:
        return "Send a key that is known" in str(error)
    return False


def methods(of, prefix=""):
    """Return the names of the public methods."""
    return {f"{prefix}{name}" for name in dir(of) if name[0] != "_" and callable(getattr(of, name))}


def main():
    host, key, mode, other_key = sys.argv[1:5]
    client = (AsyncMemoryClient if mode == "async" else MemoryClient)(api_key=key, host=host)
    if mode == "ask":
        result = say_and_ask(client, "ask")
    else:
        result = asyncio.run(Tour(client).walk())
        result["missed"] = sorted((methods(client) | methods(client.project, "project.")) - result.keys())
        result["a wrong key"] = "pass" if is_refused(host) else "FAILED"
        say_and_ask(MemoryClient(api_key=other_key, host=host), "add")
    print(json.dumps(result, default=str))  # noqa: T201


main()
