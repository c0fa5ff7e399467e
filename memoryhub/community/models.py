"""Tables of who and where: guilds, channels, members, and their choice to be remembered."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.utils import timezone

from memoryhub.community import labels, signatures
from memoryhub.community.guild_from import GuildFrom
from memoryhub.community.options import Options, a_time_zone
from memoryhub.community.querysets import GuildScoped
from memoryhub.db.leases import Lease, Policy

SENSITIVE = {"health": "health", "finances": "money"}  # the kinds, each with the word that a person reads
PLATFORM_ID = 200  # characters; platforms' own ids are strings to us, Discord's have 20
WRITE_ID = "Write Discord's id of the channel, which has only digits."


class Guild(Options):
    """The isolation boundary: nothing learned in one guild is ever used in another."""

    class Kind(models.TextChoices):
        COMMUNITY = "community", "Community"
        DIRECT = "direct", "Direct line"

    class ConsentMode(models.TextChoices):
        OPT_OUT = "opt_out", "Remember unless a member says no"
        OPT_IN = "opt_in", "Remember only those who said yes"

    key = models.CharField(max_length=PLATFORM_ID + 56, unique=True, help_text="platform:id, for example discord:1234")
    name = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.COMMUNITY)
    time_zone = models.CharField(
        max_length=64,
        default="UTC",
        validators=[a_time_zone],
        help_text="The time zone of its days, its notes and its nightly run.",
    )
    memory_on = models.BooleanField(default=True, help_text="Off: new messages are not stored, nothing is recalled.")
    consent_mode = models.CharField(
        max_length=10, choices=ConsentMode.choices, default=ConsentMode.OPT_OUT,
        help_text="What holds for a member who has not chosen. A member's own choice always wins.",
    )  # fmt: skip
    left_at = models.DateTimeField(null=True, blank=True, help_text="When the bot was removed from it.")
    rescan = models.CharField(
        max_length=40, blank=True, help_text="How far the look for what is not kept any more came; empty: done."
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar[list[str]] = ["key"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(key__contains=":"), name="guild_key_names_platform"),
            models.CheckConstraint(
                condition=Q(quiet_minutes__range=(20, 60)),
                name="guild_quiet_20_to_60",
                violation_error_message="A conversation ends after a silence of 20 to 60 minutes.",
            ),
            models.CheckConstraint(
                condition=Q(daily_usd=None) | Q(daily_usd__gte=0), name="guild_daily_usd_not_below_0"
            ),
            models.CheckConstraint(
                condition=Q(review_above__lte=100),
                name="guild_review_above_to_100",
                violation_error_message="A score of low quality is 0 to 100 percent.",
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.key

    @property
    def kept_kinds(self) -> list[str]:
        """Return the sensitive kinds of what members tell that it keeps; none unless an operator says so."""
        return [kind for kind in SENSITIVE if getattr(self, f"keep_{kind}")]

    def clean(self) -> None:
        """Refuse its own bot on the list of those that are heard, and journals that outlive what they repeat."""
        if own := set(self.heard_bots) & set(self.own_bots):
            told = f"The hub's own bot is never learned from: take {', '.join(sorted(own))} off one of the lists."
            raise ValidationError({"heard_bots": told})
        if self.message_days and (self.journal_days is None or self.journal_days > self.message_days):
            told = f"A journal repeats messages, and their text is kept for {self.message_days} days: write no more."
            raise ValidationError({"journal_days": told})
        where, posts = self.recap_channel, self.recap != self.Recaps.OFF and self.recap_as == self.RecapAs.POST
        if posts and not where:
            raise ValidationError({"recap_channel": "To have recaps posted, name the channel; else choose drafts."})
        if where and self.key.startswith("discord:") and not _is_discords(where):
            raise ValidationError({"recap_channel": WRITE_ID})
        if self.log_channel and not self.key.startswith("discord:"):
            raise ValidationError({"log_channel": "Only a Discord server has a bot here that posts. Leave it empty."})
        if self.log_channel and not _is_discords(self.log_channel):
            raise ValidationError({"log_channel": WRITE_ID})


def _is_discords(number: str) -> bool:
    return number.isascii() and number.isdigit()


class Channel(Lease):
    """A place in a guild; a thread is a channel with a parent. The work it waits for is its summary."""

    policy = Policy(length=timedelta(minutes=10), pause=timedelta(minutes=2), parks=False)

    class Kind(models.TextChoices):
        TEXT = "text", "Text"
        THREAD = "thread", "Thread"
        VOICE = "voice", "Voice"
        DIRECT = "direct", "Direct"

    class Audience(models.TextChoices):
        GUILD = "guild", "Whole guild"
        CHANNEL = "channel", "Only its own readers"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="channels")
    platform_id = models.CharField(max_length=PLATFORM_ID)
    name = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.TEXT)
    parent = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="threads")
    audience = models.CharField(max_length=10, choices=Audience.choices, default=Audience.GUILD)
    open_since = models.DateTimeField(
        null=True,
        blank=True,
        help_text="What was said before is told to its own readers only; empty: it was never closed.",
    )
    narrowing = models.CharField(
        max_length=50, blank=True, help_text="How far the indexes and papers followed after it was closed; empty: done."
    )
    memory_on = models.BooleanField(default=True)
    unsummarized = models.PositiveIntegerField(default=0, help_text="Messages since the last summary.")

    objects = GuildScoped["Channel"].as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["name", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild", "platform_id"], name="one_channel_per_platform_id"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["unsummarized"], condition=Q(unsummarized__gt=0), name="channel_unsummarized"),
            models.Index(fields=["guild"], condition=Q(narrowing__gt=""), name="channel_narrowing"),
        ]

    def __str__(self) -> str:
        name = self.name or self.platform_id
        return f"{name} (direct chat)" if self.kind == self.Kind.DIRECT else f"#{name}"

    @property
    def listens(self) -> bool:
        """Tell whether memory is on here: a thread's also hangs on its channel's switch."""
        return self.memory_on and (self.parent_id is None or self.parent is None or self.parent.memory_on)

    @property
    def heard_by(self) -> int | None:
        """Return the audience that what is said here carries: None for the whole guild, else this channel's row id."""
        return None if self.audience == self.Audience.GUILD else self.pk

    def heard_by_at(self, moment: datetime) -> int | None:
        """Return the audience of what was said here then: as narrow as the channel ever was since."""
        return self.pk if self.open_since and moment < self.open_since else self.heard_by


class Member(models.Model):
    """A person (or bot) in one guild; the same account in another guild is another member."""

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="members")
    platform_id = models.CharField(max_length=PLATFORM_ID)
    name = models.CharField(max_length=200, blank=True, help_text="The account's name.")
    display_name = models.CharField(max_length=200, blank=True, help_text="How the guild calls them.")
    label = models.CharField(
        max_length=labels.LABEL_CHARS, help_text="How everybody is told who they are: distinct in their guild."
    )
    look = models.CharField(max_length=labels.LOOK_CHARS, help_text="What names that look alike have in common.")
    is_bot = models.BooleanField(default=False)
    remember = models.BooleanField(
        null=True, blank=True, help_text="Their own choice; empty: the guild's mode decides."
    )
    findable = models.BooleanField(
        default=True, help_text="Their own choice: who asks who knows about something is told of them."
    )
    first_seen_at = models.DateTimeField(default=timezone.now)
    last_seen_at = models.DateTimeField(default=timezone.now, db_index=True)
    erased_at = models.DateTimeField(
        null=True, blank=True, help_text="When an earlier memory of them was erased: nothing said before comes back."
    )
    indexed_to = models.BigIntegerField(
        null=True, blank=True, help_text="Renamed: the last message that is indexed with the new name; empty: all are."
    )
    unlearned_to = models.BigIntegerField(
        null=True, blank=True, help_text="Known as a bot since: the last message that teaches no more; empty: all."
    )

    objects = GuildScoped["Member"].as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["display_name", "name", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild", "platform_id"], name="one_member_per_platform_id"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["indexed_to"], condition=Q(indexed_to__isnull=False), name="member_renamed"),
            models.Index(fields=["unlearned_to"], condition=Q(unlearned_to__isnull=False), name="member_unlearned"),
            models.Index(fields=["guild", "look"], name="member_look"),
        ]

    def __str__(self) -> str:
        return self.label or self.called

    def save(self, **kwargs: Any) -> None:
        """Write the row; a new one is called by its name until `identity.tell_apart` knows of others of that name."""
        if self._state.adding and not self.look:
            self.label, self.look = self.called, labels.look(self.called)
        super().save(**kwargs)

    @property
    def called(self) -> str:
        """Return the name that they go by, which others may bear too."""
        return labels.name_of(display_name=self.display_name, name=self.name)


DOORS = {"member": "chat", "api": "JSON API", "operator": "dashboard", "moderator": "dashboard"}
"""From where somebody acts, by the first word of an `actor`."""


class DueWork(models.Model):
    """That a kind of background work may be due in a guild; `due_work` says how rows come and go."""

    class Work(models.TextChoices):
        MINUTE = "minute", "Conversations, summaries, profiles, embeddings"
        LEARN = "learn", "Messages to be read for facts"
        PAPERS = "papers", "Journal and snapshot"
        NIGHT = "night", "Days that ended"
        POSTS = "posts", "What the bot is to post"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="due_work")
    work = models.CharField(max_length=6, choices=Work.choices)
    at = models.DateTimeField(help_text="Not before then.")

    objects = GuildScoped["DueWork"].as_manager()

    class Meta:
        verbose_name_plural = "due work"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild", "work"], name="one_due_work_of_a_kind"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["work", "at"], name="due_work_at")]

    def __str__(self) -> str:
        return f"{self.guild}: {self.work}"


class Event(models.Model):
    """That something changed in a guild, for those who listen: a kind and ids of rows, never a text.

    The ids are no foreign keys: an event outlives what it tells of. `memoryhub.community.outbox` writes and reads it.
    """

    class Kind(models.TextChoices):
        LEARNED = "memory.learned", "A memory is current from now on"
        CHANGED = "memory.changed", "A current memory was changed"
        FORGOTTEN = "memory.forgotten", "A memory is current no longer, or was erased"
        NOTE = "note.written", "A note was written, or written anew"
        REVIEW = "review.waiting", "A memory waits for approval"
        FAILED = "job.failed", "Work was given up after too many failures"
        ERASED = "member.erased", "A member was erased"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="events", db_index=False)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    row = models.BigIntegerField(null=True, blank=True, help_text="The row it is about: of a fact, a note, a job.")
    member_number = models.BigIntegerField(null=True, blank=True, help_text="The row of the member it is about.")
    detail = models.CharField(max_length=40, blank=True, help_text="Which job failed, or which erasure ended.")
    at = models.DateTimeField(default=timezone.now)

    objects = GuildScoped["Event"].as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["guild", "id"], name="event_guild")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class GuildFigures(models.Model):
    """How much a guild has, and what is open in it, when the background last looked at it."""

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="figures")
    counted_at = models.DateTimeField()
    numbers: models.JSONField[dict[str, Any]] = models.JSONField(
        default=dict, help_text="Counts only, as the home page sums them up."
    )

    class Meta:
        verbose_name_plural = "guild figures"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild"], name="one_row_of_figures_a_guild"),
        ]

    def __str__(self) -> str:
        return f"figures of {self.guild}"


class ConsentChoice(models.Model):
    """One choice of a member about being remembered, or about being found; the newest counts, all are kept."""

    guild = GuildFrom("member")
    member = models.ForeignKey(Member, models.CASCADE, related_name="consent_choices")
    remember = models.BooleanField(null=True, blank=True, help_text="Empty: they chose whether they are found.")
    findable = models.BooleanField(null=True, blank=True, help_text="Empty: they chose whether they are remembered.")
    chosen_at = models.DateTimeField(default=timezone.now)
    actor = models.CharField(max_length=100, help_text="Which door and who: member, api:name, operator:name.")

    class Meta:
        ordering: ClassVar[list[str]] = ["-chosen_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.member}: {self.answer} to being {self.about}"

    @property
    def about(self) -> str:
        """Return what they chose about, for a person to read."""
        return "remembered" if self.findable is None else "found"

    @property
    def answer(self) -> str:
        """Return what they chose: yes or no."""
        return "yes" if self.remember or self.findable else "no"

    @property
    def who(self) -> str:
        """Return who chose, for a person to read."""
        door, name = signatures.parse(self.actor)
        return {"member": "the member", "api": f"the key {name}"}.get(door) or f"the {door} {name}".rstrip()

    @property
    def where(self) -> str:
        """Return from where the choice came, for a person to read."""
        return DOORS.get(signatures.parse(self.actor).door, "command line")


class Tombstone(models.Model):
    """That somebody was erased: a keyed hash of guild and account, so that their choice outlives their row."""

    digest = models.CharField(max_length=64, unique=True, help_text="HMAC of the guild's key and the account's id.")
    erased_at = models.DateTimeField(help_text="What they said before is never taken in again.")
    remember = models.BooleanField(null=True, blank=True, help_text="False: they had said no, and that stays so.")
    place = models.CharField(max_length=64, blank=True, db_index=True, help_text="HMAC of the guild's key.")
    names: models.JSONField[list[str]] = models.JSONField(
        default=list, blank=True, help_text="HMACs of how others named them: notes and summaries leave these words out."
    )

    def __str__(self) -> str:
        return f"tombstone {self.pk}"
