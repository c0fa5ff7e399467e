"""What an operator sets for a guild, by what it is about: each field says what it does, on the page and in the API."""

from __future__ import annotations

from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models

LONGEST_ID = 200  # characters
MOST_IDS = 1000


def a_time_zone(value: str) -> None:
    """Refuse what no clock knows; raises ValidationError."""
    if value not in available_timezones():
        raise ValidationError(f"{value!r} is no time zone. Write one such as Europe/Berlin or America/Toronto.")


def a_model(value: str) -> None:
    """Refuse what names no model that can be asked; raises ValidationError."""
    from memoryhub.ai import ModelFailed, model_choice

    try:
        model_choice.parse(value, name="The model")
    except ModelFailed as failure:
        raise ValidationError(str(failure)) from None


def platform_ids(value: object) -> None:
    """Refuse what is no list of ids as the platform writes them; raises ValidationError."""
    items = value if isinstance(value, list) else [None]
    if not all(isinstance(item, str) and 0 < len(item) <= LONGEST_ID for item in items):
        raise ValidationError('Write a list of ids, as text, as the platform has them: ["123", "456"].')
    if len(items) > MOST_IDS:
        raise ValidationError(f"At most {MOST_IDS:,} ids fit in the list.")


def ids(help_text: str) -> models.JSONField[list[str]]:
    """Return a field for a list of a platform's own ids."""
    return models.JSONField(default=list, blank=True, validators=[platform_ids], help_text=help_text)


def at_least_one(default: int, help_text: str) -> models.PositiveSmallIntegerField[int, int]:
    """Return a field for a number of 1 or more."""
    return models.PositiveSmallIntegerField(default=default, validators=[MinValueValidator(1)], help_text=help_text)


def days(
    default: int | None, help_text: str, *, least: int = 1
) -> models.PositiveSmallIntegerField[int | None, int | None]:
    """Return a field for how long something is kept; empty means for ever."""
    validators = [MinValueValidator(least)] if least else []
    return models.PositiveSmallIntegerField(
        null=True, blank=True, default=default, validators=validators, help_text=help_text
    )


def own_model(help_text: str) -> models.CharField[str, str]:
    """Return a field for the model that does some of the guild's work."""
    return models.CharField(max_length=120, blank=True, validators=[a_model], help_text=help_text)


class Options(models.Model):
    """Every choice of an operator for one guild, but for who and where it is."""

    class ExtractionMode(models.TextChoices):
        MESSAGE = "message", "At each message"
        BATCH = "batch", "Every 5 minutes"
        FLUSH = "flush", "When the conversation ends"

    class Strictness(models.TextChoices):
        LOOSE = "loose", "More, also what may not match"
        USUAL = "usual", "Balanced"
        STRICT = "strict", "Only what clearly matches"

    class Recaps(models.TextChoices):
        OFF = "off", "None"
        WEEKLY = "weekly", "Each Monday, of the week"
        MONTHLY = "monthly", "On the first, of the month"

    class RecapAs(models.TextChoices):
        DRAFT = "draft", "As a draft for a moderator to edit and post"
        POST = "post", "Posted by the bot without being read first"

    # What of a platform's chat is stored.
    heard_bots = ids("Platform ids of bots and webhooks whose messages count as a person's.")
    own_bots = ids("Platform ids of the bots that are handed this memory: never learned from, whatever the list says.")
    blocked = ids("Platform ids of members whose messages are not stored at all.")
    addressed_only = models.BooleanField(
        default=False, help_text="On Discord: store only messages that mention the bot or reply to it."
    )
    heeds_no_entry = models.BooleanField(default=True, help_text="A message with 🚫 or ⛔ in it is not stored.")
    hears_nsfw = models.BooleanField(default=False, help_text="Store what is said in age-restricted (NSFW) channels.")
    hears_private_threads = models.BooleanField(
        default=False, help_text="Store what is said in private threads that the bot is in; it is recalled only there."
    )
    hears_proxies = models.BooleanField(
        default=False,
        help_text="Store what PluralKit posts for members, each as a member of its own. PluralKit is asked who speaks.",
    )
    off_categories = ids("Platform ids of categories of channels whose new channels start without memory.")
    member_hourly = models.PositiveIntegerField(
        null=True, blank=True, default=300,
        help_text="Messages of one member in an hour that are learned from; more are stored, and left out of memory. "
        "Empty: no limit.",
    )  # fmt: skip

    # How what was said becomes memory, and how much of it is believed at once.
    extraction_mode = models.CharField(
        max_length=10, choices=ExtractionMode.choices, default=ExtractionMode.BATCH,
        help_text="When messages are read for memories: sooner costs more calls of a model, later fewer.",
    )  # fmt: skip
    relationships_on = models.BooleanField(
        default=False, help_text="Count who interacts with whom. Discord's policy asks for care."
    )
    quiet_minutes = models.PositiveSmallIntegerField(
        default=25, help_text="A conversation ends after so many minutes of silence (20 to 60)."
    )
    keep_health = models.BooleanField(
        default=False, help_text="Learn what members say about their health, too. Discord's policy forbids it."
    )
    keep_finances = models.BooleanField(
        default=False, help_text="Learn what members say about their money, too. Discord's policy forbids it."
    )
    facts_a_member = at_least_one(
        80, "Current memories about one member at most; beyond, those of least confidence and the oldest are archived."
    )
    lore_facts = at_least_one(120, "Current memories of lore at most; beyond, the oldest are archived.")
    stale_days = at_least_one(
        180, "A memory that was only observed and that nobody repeats for so many days is archived."
    )
    review_all = models.BooleanField(
        default=False, help_text="All memories learned from chat wait for approval. Bots cannot use them until then."
    )
    review_above = models.PositiveSmallIntegerField(
        default=60,
        help_text="Memories whose score of low quality, in percent, is higher wait for approval; 100: none does.",
    )

    # When channels are summed up.
    summary_messages = models.PositiveSmallIntegerField(
        default=10, help_text="The rolling summary of a channel is written anew after so many new messages."
    )
    summary_minutes = models.PositiveSmallIntegerField(
        default=15, help_text="Or after so many minutes with at least one."
    )
    summary_profile_hours = models.PositiveSmallIntegerField(
        default=6, help_text="The profile summary of a channel is written anew after so many hours at the earliest."
    )

    # Which models work for it, and for how much.
    model_fast = own_model(
        "Learns memories, writes notes and summaries, such as openai:gpt-6-luna. offline: no model is used. "
        "Empty: the hub's."
    )
    model_careful = own_model(
        "Consolidates memories; clusters topics and rewrites profiles in the nightly run. Empty: the hub's."
    )
    model_reply = own_model("Answers who speaks to the bot. Empty: the hub's.")
    daily_tokens = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Tokens that models may use for it in a day; empty: no limit."
    )
    daily_usd = models.DecimalField(
        "daily US dollars", max_digits=10, decimal_places=2, null=True, blank=True,
        help_text="What models may cost for it in a day, where their price is known; empty: no limit.",
    )  # fmt: skip

    # What the bot and members are told, and how eagerly.
    replies_on = models.BooleanField(
        default=True, help_text="The bot answers who mentions it or replies to it. Off: only its commands answer."
    )
    reply_channels = ids("Platform ids of channels in which it answers every message.")
    reply_seconds = models.PositiveSmallIntegerField(
        default=5, help_text="Seconds between two answers to the same member in the same channel."
    )
    member_search = models.BooleanField(
        default=True,
        help_text="Members may search memory by command, as far as it is not hidden in the channel they ask in.",
    )
    strictness = models.CharField(
        max_length=10, choices=Strictness.choices, default=Strictness.USUAL,
        help_text="How well a memory must match before it is recalled, where only relevant ones are asked for.",
    )  # fmt: skip

    # What the community is told of itself.
    recap = models.CharField(
        max_length=8, choices=Recaps.choices, default=Recaps.OFF,
        help_text="A recap tells at nine in the morning what happened, was decided, and who is new: only from what "
        "everybody may read, and of nobody who is not remembered.",
    )  # fmt: skip
    recap_as = models.CharField(
        max_length=5,
        choices=RecapAs.choices,
        default=RecapAs.DRAFT,
        help_text="A draft waits on the page Recaps. What stands in a channel is not taken back by the hub.",
    )
    recap_channel = models.CharField(
        max_length=LONGEST_ID, blank=True,
        help_text="Discord's id of the channel that recaps are posted in; the bot must be allowed to write there.",
    )  # fmt: skip

    # What its moderators are told.
    log_channel = models.CharField(
        max_length=LONGEST_ID, blank=True,
        help_text="Discord's id of a channel that is told when memory is switched and when something is erased: by "
        "whom and when, never what was said. Choose one that only moderators read; the bot must be allowed to write "
        "there. Empty: none.",
    )  # fmt: skip

    # How long what is kept.
    message_days = days(
        30,
        "Days after it was processed that a message keeps its text; what was learned from it stays. Empty: for ever.",
    )
    facts_outlive = models.BooleanField(
        default=True,
        help_text="Memories stay when the text of their messages is erased, with the quoted words as evidence. "
        "Off: they go together.",
    )
    journal_days = days(
        30, "Days that a daily journal is kept. It repeats messages, so no longer than they. Empty: for ever."
    )
    archive_days = days(None, "Days after which an archived memory is erased for good; empty: never.", least=0)
    call_days = days(
        90, "Days that the log of calls to models is kept: what for, tokens, cost, never text. Empty: for ever."
    )
    action_days = days(180, "Days that the action log is kept: ids and counts, never text. Empty: for ever.")
    leaving_days = days(
        30, "Days after the bot was removed until all memory of the guild is erased; empty: never.", least=0
    )

    class Meta:
        abstract = True
