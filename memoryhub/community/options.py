"""What an operator sets for a guild, by what it is about: each field says what it does, on the page and in the API."""

from __future__ import annotations

from django.core.validators import MinValueValidator
from django.db import models

from memoryhub.community.validators import a_model, platform_ids


class Listening(models.Model):
    """What of a platform's chat is stored."""

    heard_bots: models.JSONField[list[str]] = models.JSONField(
        default=list,
        blank=True,
        validators=[platform_ids],
        help_text="Platform ids of bots and webhooks whose messages count as a person's.",
    )
    own_bots: models.JSONField[list[str]] = models.JSONField(
        default=list,
        blank=True,
        validators=[platform_ids],
        help_text="Platform ids of the bots that are handed this memory: never learned from, whatever the list says.",
    )
    blocked: models.JSONField[list[str]] = models.JSONField(
        default=list,
        blank=True,
        validators=[platform_ids],
        help_text="Platform ids of members whose messages are not stored at all.",
    )
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
    off_categories: models.JSONField[list[str]] = models.JSONField(
        default=list,
        blank=True,
        validators=[platform_ids],
        help_text="Platform ids of categories of channels whose new channels start without memory.",
    )
    member_hourly = models.PositiveIntegerField(
        null=True, blank=True, default=300,
        help_text="Messages of one member in an hour that are read; more are stored, and left out of memory. "
        "Empty: no limit.",
    )  # fmt: skip

    class Meta:
        abstract = True


class Learning(models.Model):
    """How what was said becomes memory, and how much of it is believed at once."""

    class ExtractionMode(models.TextChoices):
        MESSAGE = "message", "At each message"
        BATCH = "batch", "Every 5 minutes"
        FLUSH = "flush", "When the conversation ends"

    extraction_mode = models.CharField(max_length=10, choices=ExtractionMode.choices, default=ExtractionMode.BATCH)
    relationships_on = models.BooleanField(
        default=False, help_text="Count who talks with whom. Discord's policy asks for care."
    )
    quiet_minutes = models.PositiveSmallIntegerField(
        default=25, help_text="A conversation ends after this silence (20 to 60)."
    )
    keep_health = models.BooleanField(
        default=False, help_text="Learn what members say of their health too. Discord's policy forbids it."
    )
    keep_finances = models.BooleanField(
        default=False, help_text="Learn what members say of their money too. Discord's policy forbids it."
    )
    facts_a_member = models.PositiveSmallIntegerField(
        default=80, validators=[MinValueValidator(1)],
        help_text="Facts about one member that are believed at once; the least sure and oldest beyond are archived.",
    )  # fmt: skip
    lore_facts = models.PositiveSmallIntegerField(
        default=120, validators=[MinValueValidator(1)],
        help_text="Lines of lore that are believed at once; the oldest beyond are archived.",
    )  # fmt: skip
    stale_days = models.PositiveSmallIntegerField(
        default=180, validators=[MinValueValidator(1)],
        help_text="An observation that nobody repeats for so many days is archived.",
    )  # fmt: skip
    review_all = models.BooleanField(
        default=False, help_text="Whatever is learned from chat waits until somebody approves it."
    )
    review_above = models.PositiveSmallIntegerField(
        default=60,
        help_text="Facts whose junk score in percent is higher wait until somebody approves them; 100: none do.",
    )

    class Meta:
        abstract = True


class Summing(models.Model):
    """When channels are summed up."""

    summary_messages = models.PositiveSmallIntegerField(
        default=10, help_text="A channel is summarised anew after this many new messages."
    )
    summary_minutes = models.PositiveSmallIntegerField(
        default=15, help_text="Or after this many minutes with at least one."
    )
    summary_profile_hours = models.PositiveSmallIntegerField(
        default=6, help_text="What a channel is about over time is written anew after this many hours at the earliest."
    )

    class Meta:
        abstract = True


class Asking(models.Model):
    """Which models work for it, and for how much."""

    model_fast = models.CharField(
        max_length=120, blank=True, validators=[a_model],
        help_text="Learns facts, writes notes and summaries, such as openai:gpt-6-luna; offline: the rules. "
        "Empty: the hub's.",
    )  # fmt: skip
    model_careful = models.CharField(
        max_length=120, blank=True, validators=[a_model],
        help_text="Settles facts, sorts topics, rebuilds profiles at night. Empty: the hub's.",
    )  # fmt: skip
    model_reply = models.CharField(
        max_length=120, blank=True, validators=[a_model],
        help_text="Answers who speaks to the bot. Empty: the hub's.",
    )  # fmt: skip
    daily_tokens = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Tokens that models may use for it in a day; empty: no limit."
    )
    daily_usd = models.DecimalField(
        "daily US dollars",
        max_digits=10,
        decimal_places=2,
        null=True,
        blank=True,
        help_text="What models may cost for it in a day, where their price is known; empty: no limit.",
    )

    class Meta:
        abstract = True


class Telling(models.Model):
    """What the bot and members are told, and how eagerly."""

    class Strictness(models.TextChoices):
        LOOSE = "loose", "Rather too much than too little"
        USUAL = "usual", "As measured best"
        STRICT = "strict", "Only what surely fits"

    replies_on = models.BooleanField(
        default=True, help_text="The bot answers who mentions it or replies to it. Off: only its commands answer."
    )
    reply_channels: models.JSONField[list[str]] = models.JSONField(
        default=list,
        blank=True,
        validators=[platform_ids],
        help_text="Platform ids of channels in which it answers every message.",
    )
    reply_seconds = models.PositiveSmallIntegerField(
        default=5, help_text="Seconds between two answers to the same member in the same channel."
    )
    member_search = models.BooleanField(
        default=True, help_text="Members may search, by command, what may be told in the channel they ask in."
    )
    strictness = models.CharField(
        max_length=10, choices=Strictness.choices, default=Strictness.USUAL,
        help_text="How well a memory must fit before a bot is told of it where only relevant ones are wanted.",
    )  # fmt: skip

    class Meta:
        abstract = True


class Keeping(models.Model):
    """How long what is kept."""

    message_days = models.PositiveSmallIntegerField(
        null=True, blank=True, default=30, validators=[MinValueValidator(1)],
        help_text="Days after its digest that the text of a message is kept; what was learned from it stays. "
        "Empty: for ever.",
    )  # fmt: skip
    facts_outlive = models.BooleanField(
        default=True,
        help_text="Facts outlive the text of their messages, with the words they rest on as evidence. "
        "Off: they go together.",
    )
    journal_days = models.PositiveSmallIntegerField(
        null=True, blank=True, default=30, validators=[MinValueValidator(1)],
        help_text="Days that a daily journal is kept. It repeats messages, so no longer than they. Empty: for ever.",
    )  # fmt: skip
    archive_days = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Days after which an archived fact is erased for good; empty: never."
    )
    call_days = models.PositiveSmallIntegerField(
        null=True, blank=True, default=90, validators=[MinValueValidator(1)],
        help_text="Days that the log of calls to models is kept: what for, tokens, cost, never text. Empty: for ever.",
    )  # fmt: skip
    action_days = models.PositiveSmallIntegerField(
        null=True, blank=True, default=180, validators=[MinValueValidator(1)],
        help_text="Days that the action log is kept: ids and counts, never text. Empty: for ever.",
    )  # fmt: skip
    leaving_days = models.PositiveSmallIntegerField(
        null=True, blank=True, default=30,
        help_text="Days after the bot was removed until all memory of the guild is purged; empty: never.",
    )  # fmt: skip

    class Meta:
        abstract = True
