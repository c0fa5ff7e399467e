"""Drives the door for models by the official client of whatever version runs this; prints what it saw, as JSON.

`mcp_python.py http URL KEY MODE`, or `mcp_python.py stdio PYTHON MANAGE MODE` with the key in the environment.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager

import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client

NEW = hasattr(mcp, "Client")  # 2.0 and later


@asynccontextmanager
async def connected(transport, mode):
    """Give a client that has agreed on a version, and that version."""
    if NEW:
        async with mcp.Client(transport, mode=mode) as client:
            yield client, client.protocol_version
    else:
        async with transport as streams, mcp.ClientSession(*streams[:2]) as session:
            yield session, (await session.initialize()).protocolVersion


def over_http(url, key):
    """Return the transport of streamable HTTP with a key."""
    headers = {"Authorization": f"Bearer {key}"}
    if NEW:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        return streamable_http_client(url, http_client=httpx2.AsyncClient(headers=headers, timeout=60))
    from mcp.client.streamable_http import streamablehttp_client

    return streamablehttp_client(url, headers=headers)


def over_stdio(python, manage):
    """Return the transport to a process of `manage.py mcp`."""
    server = StdioServerParameters(command=python, args=[manage, "mcp"], env=dict(os.environ))
    return stdio_client(server)


def plain(result):
    """Return a result as it is on the wire, whatever the version calls its fields."""
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def drive(client):
    """Call everything once and return what came of it."""
    seen = {"tools": [tool["name"] for tool in plain(await client.list_tools())["tools"]]}
    seen["remembered"] = plain(await client.call_tool("remember", {"text": "The cat rules the channel"}))
    seen["found"] = plain(await client.call_tool("search_memory", {"question": "Who rules the channel?"}))
    seen["refused"] = plain(await client.call_tool("forget", {"id": "999999"}))
    fact = seen["remembered"].get("structuredContent", {}).get("fact", {}).get("id")
    fact = fact or json.loads(seen["remembered"]["content"][0]["text"].splitlines()[2])["fact"]["id"]
    seen["why"] = plain(await client.call_tool("why", {"id": fact}))
    seen["resources"] = [row["uri"] for row in plain(await client.list_resources())["resources"]]
    seen["templates"] = len(plain(await client.list_resource_templates())["resourceTemplates"])
    seen["snapshot"] = plain(await client.read_resource(address("memoryhub://snapshot")))["contents"][0]["text"]
    seen["prompts"] = [row["name"] for row in plain(await client.list_prompts())["prompts"]]
    brief = plain(await client.get_prompt("brief_channel", {"channel": "general"}))
    seen["brief"] = [message["content"]["text"] for message in brief["messages"]]
    return seen


def address(text):
    """Return an address as the version takes it."""
    if NEW:
        return text
    from pydantic import AnyUrl

    return AnyUrl(text)


async def main():
    way, first, second, mode = sys.argv[1:5]
    transport = over_http(first, second) if way == "http" else over_stdio(first, second)
    async with connected(transport, mode) as (client, version):
        sys.stdout.write(json.dumps({"version": version, **await drive(client)}) + "\n")


asyncio.run(main())
