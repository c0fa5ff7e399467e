"""Which language model the settings choose for a tier: `offline`, or `provider:model` with its key and address."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from django.conf import settings

from memoryhub.ai.model_errors import ModelFailed

if TYPE_CHECKING:
    from memoryhub.ai.task import Task, Tier  # they bring pydantic, and this module is imported at every start

OFFLINE = "offline"
FORMS = "offline, openai:<model>, google:<model> or anthropic:<model>"


@dataclass(frozen=True)
class Terms:
    """What a tier's requests get: whose setting names the model, seconds for one request, how much thought."""

    setting: str
    seconds: float
    thinking: Literal[False, "low"] = False
    thinking_tokens: int = 0  # on top of the answer's: providers count thoughts as output


TERMS: dict[Tier, Terms] = {
    "fast": Terms("MEMORYHUB_MODEL", 60),
    "careful": Terms("MEMORYHUB_CAREFUL_MODEL", 120, "low", 4096),
    "reply": Terms("MEMORYHUB_REPLY_MODEL", 30),
}


@dataclass(frozen=True)
class Provider:
    """A provider's key setting and the model asked when only the key is given: small, current, with JSON schemas."""

    key_setting: str
    default_model: str


PROVIDERS = {
    "openai": Provider("OPENAI_API_KEY", "gpt-6-luna"),
    "google": Provider("GEMINI_API_KEY", "gemini-3.5-flash-lite"),
    "anthropic": Provider("ANTHROPIC_API_KEY", "claude-haiku-4-5"),
}


@dataclass(frozen=True)
class Choice:
    """A model as the settings choose it: who serves it, its name, the key (never shown) and where it is."""

    provider: str
    name: str
    key: str
    base_url: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}"

    __repr__ = __str__


STAND_IN = Choice("stand-in", "none", "", "")
StandIn = Callable[["Task[Any, Any]", Any, int | None], Any]
"""Answers as `ask` does: from a task, its input and a guild's row id."""
_standing_in: ContextVar[StandIn | None] = ContextVar("standing_in", default=None)


def _by_rules(task: Task[Any, Any], given: Any, _guild: int | None) -> Any:
    return task.offline(given)


@contextmanager
def standing_in(by: StandIn = _by_rules) -> Iterator[None]:
    """Act in this thread as if a model were set, whatever the settings say: `ask` has `by` answer."""
    token = _standing_in.set(by)
    try:
        yield
    finally:
        _standing_in.reset(token)


def stand_in() -> StandIn:
    """Return who answers while `standing_in` holds."""
    return _standing_in.get() or _by_rules


Rule = Callable[[int, "Tier"], str]
_rules: list[Rule] = []


def register(rule: Rule) -> None:
    """Ask `rule` which model a guild, by its row id, has chosen for itself: "" for none."""
    if rule not in _rules:
        _rules.append(rule)


_at_hand: ContextVar[tuple[int | None, Mapping[str, str]]] = ContextVar("at_hand", default=(None, {}))


@contextmanager
def at_hand(guild: int, **models: str) -> Iterator[None]:
    """Let these be the guild's own settings by tier inside, as its row has them: nobody need read it again."""
    token = _at_hand.set((guild, models))
    try:
        yield
    finally:
        _at_hand.reset(token)


def own(guild: int | None, tier: Tier) -> str:
    """Return the guild's own setting for the tier, "" where the hub's holds."""
    known, models = _at_hand.get()
    if guild is not None and guild == known and tier in models:
        return models[tier]
    found = (rule(guild, tier) for rule in _rules) if guild is not None else ()
    return next(filter(None, found), "")


def chosen(tier: Tier, *, own: str = "") -> Choice | None:
    """Return the tier's model, None for offline; `own` is a guild's setting. Raises ModelFailed: what to write."""
    if _standing_in.get() is not None:
        return STAND_IN
    if own:
        return parse(own, name="The guild's own model", purpose=TERMS[tier].setting)
    name, setting = _setting(tier)
    return parse(setting, name=name, purpose=TERMS[tier].setting)


def is_offline(tier: Tier, *, own: str = "") -> bool:
    """Say if the rules answer the tier's questions, so that nobody need be waited for; `own` as `chosen` has it.

    A model that is set wrong is one.
    """
    try:
        return chosen(tier, own=own) is None
    except ModelFailed:
        return False


def has_fallback() -> bool:
    """Return whether something is to be asked where a tier's model is of no help."""
    return bool(settings.MEMORYHUB_FALLBACK_MODEL)


def fallback(tier: Tier) -> Choice | None:
    """Return the model that stands in for the tier's, None for offline. Raises ModelFailed as `chosen` does."""
    return parse(settings.MEMORYHUB_FALLBACK_MODEL, name="MEMORYHUB_FALLBACK_MODEL", purpose=TERMS[tier].setting)


def parse(setting: str, *, name: str, purpose: str = "MEMORYHUB_MODEL") -> Choice | None:
    """Read `provider:model`; `name` is the setting's, for the error.

    `purpose` is the setting that an address may stand beside; what is no reply prefers the key of memory traffic.
    """
    if setting == OFFLINE:
        return None
    provider, _, model = setting.partition(":")
    if provider not in PROVIDERS or not model:
        raise ModelFailed("wrong_setting", f"{name} is {setting!r}; write {FORMS}.")
    own_url = getattr(settings, f"{purpose}_BASE_URL") or settings.MEMORYHUB_MODEL_BASE_URL
    base_url = own_url if provider == "openai" else ""
    # The key of memory traffic goes to the provider of MEMORYHUB_MODEL and no other.
    memory_key = settings.MEMORYHUB_MODEL_API_KEY if _setting("fast")[1].partition(":")[0] == provider else ""
    general_key = getattr(settings, PROVIDERS[provider].key_setting)
    key = general_key or memory_key if purpose == TERMS["reply"].setting else memory_key or general_key
    if not key and not base_url:
        wanted = PROVIDERS[provider].key_setting
        raise ModelFailed("wrong_setting", f"{name} is {setting!r}, but no key is set; set {wanted}.")
    return Choice(provider, model, key, base_url)


def _setting(tier: Tier) -> tuple[str, str]:
    """Return the setting that decides and its value: the tier's own, MEMORYHUB_MODEL, or what the keys imply."""
    for name in (TERMS[tier].setting, "MEMORYHUB_MODEL"):
        if value := getattr(settings, name):
            return name, value
    # The small model of the first provider that has a key. A base URL or a bare key names no model: offline.
    for provider, known in PROVIDERS.items():
        if getattr(settings, known.key_setting) and not settings.MEMORYHUB_MODEL_BASE_URL:
            return "MEMORYHUB_MODEL", f"{provider}:{known.default_model}"
    return "MEMORYHUB_MODEL", OFFLINE
