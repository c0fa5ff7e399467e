"""The one way to ask a model: choose it by tier, repair an answer once, record what it cost, fall back if it must."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel

from memoryhub.ai import call_recorder, event_loop, model_choice, providers
from memoryhub.ai.model_errors import ModelFailed, failed, vendor_errors
from memoryhub.ai.task import Task

if TYPE_CHECKING:
    from pydantic_ai.usage import RunUsage

logger = logging.getLogger(__name__)
Given = TypeVar("Given", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)

LEFT_TO_RULES = 2  # the attempt from which on the rules answer where a model's answer is of no use
# Compatible servers that refuse a JSON schema; they get it in the prompt instead.
_without_schemas: set[model_choice.Choice] = set()


def ask(task: Task[Given, Answer], given: Given, *, guild: int | None, attempt: int = 1) -> Answer:
    """Return the model's answer, or the offline one when no model is set or the guild's budget is spent.

    Blocks for up to three requests to a model and to its fallback, each as long as the tier's terms allow: call it from
    a thread, outside of any transaction. Raises ModelFailed.

    `attempt` counts the tries of what waits for this answer. From the second on, the offline answer stands in for one
    that is of no use: words that make every answer unusable must not hold up what the others said.
    """
    try:
        return ask_once(task, given, guild=guild)
    except ModelFailed as failure:
        if attempt < LEFT_TO_RULES or not failure.of_the_words:
            raise
        return task.offline(given)


def ask_once(task: Task[Given, Answer], given: Given, *, guild: int | None) -> Answer:
    """Ask as `ask` does at a first attempt."""
    choice = model_choice.chosen(task.tier, own=model_choice.own(guild, task.tier))
    if choice is None:
        return task.offline(given)
    if choice is model_choice.STAND_IN:
        return cast("Answer", model_choice.stand_in()(task, given, guild))
    if not call_recorder.allowed(purpose=task.purpose, model=str(choice), guild=guild):
        return task.offline(given)
    try:
        return ask_one(choice, task, given, guild=guild)
    except ModelFailed as failure:
        if not (failure.elsewhere and model_choice.has_fallback()):
            raise
        other = model_choice.fallback(task.tier)
        if other == choice:
            raise
    return ask_one(other, task, given, guild=guild) if other else task.offline(given)


def ask_one(choice: model_choice.Choice, task: Task[Given, Answer], given: Given, *, guild: int | None) -> Answer:
    """Return this model's answer and no other's, whatever the budget says. Raises ModelFailed."""
    from pydantic_ai.usage import RunUsage

    prompt = task.prompt(given)
    with call_recorder.recording(purpose=task.purpose, model=str(choice), guild=guild) as spent:
        usage = RunUsage()  # counts on while requests fail
        try:
            return event_loop.run(
                lambda: event_loop.with_retries(lambda: _request(task, prompt, choice, usage)), model=str(choice)
            )
        except ModelFailed as failure:
            logger.warning("no answer for %s: %s", task.purpose, failure)
            raise
        finally:
            spent.tokens_in, spent.tokens_out, spent.cost_usd = usage.input_tokens, usage.output_tokens, usage.cost


async def _request(task: Task[Any, Answer], prompt: str, choice: model_choice.Choice, usage: RunUsage) -> Answer:
    """Make one request, and a second without the JSON schema when a compatible server rejects the first."""
    from pydantic_ai import Agent, NativeOutput, PromptedOutput

    form = PromptedOutput if choice in _without_schemas else NativeOutput
    settings = providers.request_settings(tier=task.tier, max_tokens=task.max_tokens)
    try:
        agent = Agent(providers.model(choice), output_type=form(task.answer), instructions=task.instructions, retries=1)
        return (await agent.run(prompt, model_settings=settings, usage=usage)).output
    except tuple(vendor_errors()) as error:
        # Not chained: the vendor's error may quote the chat, and a traceback of it would end in a log.
        failure = failed(error, model=str(choice))
        if failure.reason != "rejected" or not choice.base_url or choice in _without_schemas:
            raise failure from None
    _without_schemas.add(choice)
    return await _request(task, prompt, choice, usage)
