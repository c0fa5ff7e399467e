"""A reply in conversation: the reply model with tools, which run in the caller's thread, between two requests."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from memoryhub.ai import call_recorder, event_loop, model_choice, providers
from memoryhub.ai.model_errors import ModelFailed, failed, vendor_errors

if TYPE_CHECKING:
    from pydantic_ai import DeferredToolRequests, DeferredToolResults
    from pydantic_ai.messages import ModelMessage, ToolCallPart
    from pydantic_ai.usage import RunUsage

logger = logging.getLogger(__name__)
PURPOSE = "reply"
MOST_ROUNDS = 4  # of tools; a model that asks for more goes in circles
MOST_SECONDS = 25.0  # for a reply, with all tries of all models: nobody in a chat waits longer
FIRST_SECONDS = 15.0  # of them for the first model, where another may take over
MOST_TOKENS = 1024  # of a reply; 2,000 characters fit a message


@dataclass(frozen=True, kw_only=True)
class Tool:
    """Something a model may do in a conversation: what it takes, and a function that does it and says what came of it.

    `do` is called in the thread of whoever called `reply`, with no request under way; it may use the database.
    """

    name: str
    description: str
    given: type[BaseModel]
    do: Callable[[Any], str]


def reply(*, instructions: str, prompt: str, tools: Sequence[Tool], guild: int | None) -> str | None:
    """Return what the reply model says, None when no model is set or the guild's budget is spent.

    Blocks; call it outside of any transaction. Raises ModelFailed, also after a tool has done its work.
    """
    choice = model_choice.chosen("reply", own=model_choice.own(guild, "reply"))
    if choice is None or choice is model_choice.STAND_IN:
        return None
    if not call_recorder.allowed(purpose=PURPOSE, model=str(choice), guild=guild):
        return None
    conversation = _Conversation(instructions, prompt, {tool.name: tool for tool in tools})
    with event_loop.within(MOST_SECONDS):
        try:
            with event_loop.within(FIRST_SECONDS if model_choice.has_fallback() else MOST_SECONDS):
                return conversation.keep_going(choice, guild)
        except ModelFailed as failure:
            other = model_choice.fallback("reply") if failure.elsewhere and model_choice.has_fallback() else None
            if other is None or other == choice:
                raise
        return conversation.keep_going(other, guild)


@dataclass
class _Conversation:
    """One reply in the making; its messages stay when another model takes over."""

    instructions: str
    prompt: str
    tools: dict[str, Tool]
    messages: list[ModelMessage] | None = None
    results: DeferredToolResults | None = None

    def keep_going(self, choice: model_choice.Choice, guild: int | None) -> str:
        """Ask, let the tools run that the model calls, and ask again, until it answers in words."""
        from pydantic_ai import DeferredToolResults
        from pydantic_ai.usage import RunUsage

        with call_recorder.recording(purpose=PURPOSE, model=str(choice), guild=guild) as spent:
            usage = RunUsage()
            try:
                for _ in range(MOST_ROUNDS + 1):
                    output = event_loop.run(
                        lambda: event_loop.with_retries(lambda: self._request(choice, usage)), model=str(choice)
                    )
                    if isinstance(output, str):
                        return output
                    self.results = DeferredToolResults(
                        calls={call.tool_call_id: self._use(call) for call in output.calls}
                    )
            except ModelFailed as failure:
                logger.warning("no reply: %s", failure)
                raise
            finally:
                spent.tokens_in, spent.tokens_out, spent.cost_usd = usage.input_tokens, usage.output_tokens, usage.cost
        return ""

    async def _request(self, choice: model_choice.Choice, usage: RunUsage) -> str | DeferredToolRequests:
        from pydantic_ai import Agent, DeferredToolRequests, ExternalToolset
        from pydantic_ai.tools import ToolDefinition

        definitions = [
            ToolDefinition(
                name=tool.name, description=tool.description, parameters_json_schema=tool.given.model_json_schema()
            )
            for tool in self.tools.values()
        ]
        settings = providers.request_settings(tier="reply", max_tokens=MOST_TOKENS)
        agent = Agent(
            providers.model(choice), output_type=[str, DeferredToolRequests], instructions=self.instructions,
            toolsets=[ExternalToolset(definitions)], retries=1,
        )  # fmt: skip
        try:
            run = await agent.run(
                None if self.messages else self.prompt, message_history=self.messages,
                deferred_tool_results=self.results, model_settings=settings, usage=usage,
            )  # fmt: skip
        except tuple(vendor_errors()) as error:
            # Not chained: the vendor's error may quote the chat, and a traceback of it would end in a log.
            raise failed(error, model=str(choice)) from None
        self.messages = run.all_messages()
        output: str | DeferredToolRequests = run.output
        return output

    def _use(self, call: ToolCallPart) -> str:
        """Let a tool do its work; what a model got wrong is told to it in words."""
        tool = self.tools.get(call.tool_name)
        if tool is None:
            return "There is no such tool."
        try:
            return tool.do(tool.given.model_validate(call.args_as_dict()))
        except (ValidationError, ValueError) as error:
            wrong = [".".join(map(str, one["loc"])) for one in error.errors()] if hasattr(error, "errors") else []
            return f"That could not be read: {', '.join(wrong) or 'the arguments'}."
