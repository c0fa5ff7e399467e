"""Calls `POST /mcp` as a model's program would, one JSON-RPC message at a time."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse

from memoryhub.community.models import Guild
from tests.api_client import Api, api_for

NEWEST, OLDER = "2026-07-28", "2025-11-25"
ACCEPT = "application/json, text/event-stream"


class ModelClient:
    """A caller with one key, in one version of the protocol."""

    def __init__(self, api: Api, *, version: str = OLDER, query: str = "") -> None:
        self.api, self.version, self.address = api, version, f"/mcp{query}"

    def send(self, method: str, params: Any = None, *, headers: dict[str, str] | None = None) -> HttpResponse:
        """Send one request and return the whole answer."""
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        named = {"Accept": ACCEPT, "MCP-Protocol-Version": self.version} | (headers or {})
        return self.api.call("POST", self.address, body, headers=named)

    def ask(self, method: str, params: Any = None) -> Any:
        """Return the result; fails where there is none."""
        answer = json.loads(self.send(method, params).content)
        assert "result" in answer, answer
        return answer["result"]

    def error(self, method: str, params: Any = None) -> str:
        """Return the words of the protocol's error; fails where there is none."""
        return str(json.loads(self.send(method, params).content)["error"]["message"])

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool and return its structured answer; fails where it refused."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refused(self, tool: str, **arguments: Any) -> str:
        """Call a tool that refuses, and return its words."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert result.get("isError"), result
        return str(result["content"][0]["text"])

    def text(self, tool: str, **arguments: Any) -> str:
        """Call a tool and return what a model reads."""
        return str(self.ask("tools/call", {"name": tool, "arguments": arguments})["content"][0]["text"])

    def tools(self) -> dict[str, Any]:
        """Return the tools that are listed, by name."""
        return {tool["name"]: tool for tool in self.ask("tools/list")["tools"]}

    def read(self, address: str) -> str:
        """Return a resource's text."""
        return str(self.ask("resources/read", {"uri": address})["contents"][0]["text"])


def model_for(guild: Guild | None = None, scope: str = "write", **options: str) -> ModelClient:
    """Return a caller with a new key for the guild, or for all."""
    return ModelClient(api_for(guild, scope), **options)
