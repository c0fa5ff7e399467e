"""The door as the official SDK serves it: what is listed, called and read, and one exchange of its HTTP transport."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import mcp_types as types
from django.conf import settings
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from memory.context.rendering import RULE
from memory.model_context import briefing, resources
from memory.model_context.fence import fenced_data
from memory.model_context.schemas import Context, ToolResult
from memory.model_context.tools import INSTRUCTIONS, TOOLS, Tool
from memory.model_context.visits import Door, NotDone, Visit
from memoryhub.errors import wrong_in_field

MOST_ERRORS = 10
READ_ONLY = (
    "This key may only read, and {} changes memory. Tell whoever asked that the operator has to hand out a key with "
    "scope write."
)
NO_JSON = "Parse error: the body is no JSON in UTF-8."
NO_REQUEST = (
    "Invalid Request: the body must be one message of JSON-RPC 2.0, such as "
    '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}.'
)
NOTHING = "Nothing is remembered that matters here."
Asked = Any
"""The SDK's own context of a call, which no handler here needs."""


def server_for(door: Door) -> Server[Any]:
    """Return a server whose every call goes through the door."""
    return Server(
        "memoryhub", version=settings.VERSION, title="memoryhub", instructions=INSTRUCTIONS,
        on_list_tools=lambda _, __: _list_tools(door),
        on_call_tool=lambda _, called: _call_tool(door, called.name, called.arguments or {}),
        on_list_resources=lambda _, wanted: _list_resources(door, wanted.cursor if wanted else None),
        on_list_resource_templates=_list_templates,
        on_read_resource=lambda _, wanted: _read(door, str(wanted.uri)),
        on_list_prompts=_list_prompts,
        on_get_prompt=lambda _, wanted: _get_prompt(door, wanted.name, wanted.arguments or {}),
    )  # fmt: skip


# --- Tools -------------------------------------------------------------------------------------------------------


async def _list_tools(door: Door) -> types.ListToolsResult:
    """List what the key may use."""
    writes = await _or_error(door, lambda visit: visit.writes)
    return types.ListToolsResult(tools=[_shown(name) for name, tool in TOOLS.items() if writes or not tool.changes])


@cache
def _shown(name: str) -> types.Tool:
    tool = TOOLS[name]
    hints = types.ToolAnnotations(
        title=tool.title, read_only_hint=not tool.changes, destructive_hint=tool.destroys,
        idempotent_hint=tool.repeats or not tool.changes, open_world_hint=False,
    )  # fmt: skip
    return types.Tool(
        name=name, title=tool.title, description=tool.description, annotations=hints,
        input_schema=tool.given.model_json_schema(), output_schema=tool.gives.model_json_schema(),
    )  # fmt: skip


async def _call_tool(door: Door, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
    """Call a tool; what it can't do is told as its result, so that the model can mend it."""
    if name not in TOOLS:
        raise MCPError(types.INVALID_PARAMS, f"There is no such tool. These are: {', '.join(TOOLS)}.")
    try:
        told = await door(lambda visit: _done(visit, TOOLS[name], name, arguments))
    except NotDone as refused:
        return types.CallToolResult(content=[types.TextContent(text=str(refused))], is_error=True)
    data = told.model_dump(mode="json", exclude_none=True)
    return types.CallToolResult(content=[types.TextContent(text=_as_text(told, data))], structured_content=data)


def _done(visit: Visit, tool: Tool, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    if tool.changes and not visit.writes:
        raise NotDone(READ_ONLY.format(name))
    try:
        given = tool.given.model_validate(arguments)
    except ValidationError as error:
        raise NotDone(_what_is_wrong(error)) from None
    return tool.call(visit, name, given)


def _what_is_wrong(error: ValidationError) -> str:
    """Name the arguments and what is wrong with each, without repeating them."""
    faults = [
        f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {wrong_in_field(fault).removesuffix('.')}"
        for fault in error.errors(include_input=False, include_url=False)[:MOST_ERRORS]
    ]
    return " ".join(
        ["The arguments can't be accepted.", *(f"{fault}." for fault in faults), "Call it again with these mended."]
    )


def _as_text(told: ToolResult, data: dict[str, Any]) -> str:
    if isinstance(told, Context):
        return f"{RULE}\n{told.context}" if told.context else NOTHING
    return fenced_data(data)


# --- Resources and prompts ---------------------------------------------------------------------------------------


async def _or_error(door: Door, work: Any) -> Any:
    """Do the work; raises the protocol's error where it can't be done, since there is no result to tell it in."""
    try:
        return await door(work)
    except NotDone as refused:
        raise MCPError(types.INVALID_PARAMS, str(refused)) from None


async def _list_resources(door: Door, cursor: str | None) -> types.ListResourcesResult:
    if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise MCPError(types.INVALID_PARAMS, "This cursor was not given here. List again without one.")
    found, on = await _or_error(door, lambda visit: resources.listed(visit, int(cursor) if cursor else None))
    shown = [
        types.Resource(uri=each.address, name=each.name, description=each.description, mime_type=each.form)
        for each in found
    ]
    return types.ListResourcesResult(resources=shown, next_cursor=on)


async def _list_templates(_asked: Asked, _wanted: Any) -> types.ListResourceTemplatesResult:
    shown = [
        types.ResourceTemplate(
            uri_template=each.address, name=each.name, description=each.description, mime_type=each.form
        )
        for each in resources.TEMPLATES
    ]
    return types.ListResourceTemplatesResult(resource_templates=shown)


async def _read(door: Door, address: str) -> types.ReadResourceResult:
    text, form = await _or_error(door, lambda visit: resources.read(visit, address))
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=address, mime_type=form, text=text)])


async def _list_prompts(_asked: Asked, _wanted: Any) -> types.ListPromptsResult:
    channel = types.PromptArgument(name="channel", description="the channel, by id or by name", required=True)
    prompt = types.Prompt(
        name=briefing.NAME, title=briefing.TITLE, description=briefing.DESCRIPTION, arguments=[channel]
    )
    return types.ListPromptsResult(prompts=[prompt])


async def _get_prompt(door: Door, name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
    if name != briefing.NAME:
        raise MCPError(types.INVALID_PARAMS, f"There is no such prompt. There is: {briefing.NAME}.")
    if not (channel := arguments.get("channel", "").strip()):
        raise MCPError(types.INVALID_PARAMS, "Name the channel, by its id or its name.")
    texts = await _or_error(door, lambda visit: briefing.written(visit, channel))
    messages = [types.PromptMessage(role="user", content=types.TextContent(text=text)) for text in texts]
    return types.GetPromptResult(description=briefing.DESCRIPTION, messages=messages)


# --- One exchange over HTTP --------------------------------------------------------------------------------------


@dataclass
class Exchanged:
    """What the SDK's transport answers to a POST."""

    status: int = 500
    headers: Mapping[str, str] | None = None
    body: bytes = b""


async def exchange(door: Door, *, headers: Mapping[str, str], body: bytes) -> Exchanged:
    """Answer one POST, whole and as JSON: no session outlives it, so any process of any host can answer the next."""
    manager = StreamableHTTPSessionManager(
        server_for(door), json_response=True, stateless=True,
        max_request_body_size=max(len(body), 1),  # Django has refused what is too large
    )  # fmt: skip
    pairs = [(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers.items()]
    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http", "path": "/mcp", "raw_path": b"/mcp",
        "query_string": b"", "root_path": "", "headers": pairs, "client": None, "server": None,
    }  # fmt: skip
    answer, sent = Exchanged(), False

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if sent:
            await asyncio.Event().wait()  # the client is still there
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]}
        else:
            answer.body += message.get("body", b"")

    async with manager.run():
        await manager.handle_request(scope, receive, send)
    if answer.status == 400 and answer.body.startswith(b"{"):
        answer.body = _plainer(answer.body)
    return answer


def _plainer(body: bytes) -> bytes:
    """Return the transport's refusal; where its reader speaks of classes of its own, as the protocol names it."""
    refused = json.loads(body)
    code, words = refused["error"]["code"], refused["error"]["message"]
    if code == types.PARSE_ERROR:
        refused["error"]["message"] = NO_JSON
    elif words.startswith("Validation error: "):
        refused["error"] = {"code": types.INVALID_REQUEST, "message": NO_REQUEST}
    return json.dumps(refused).encode()
