"""Settings of a guild: what is remembered, when and by whom, how long and at what cost; each says what it does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, ClassVar, cast
from urllib.parse import quote
from zoneinfo import available_timezones

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from memory.curation import guild_settings
from memory.curation.consequences import consequences
from memory.records import log_posting
from memory.withdrawal import retention, sensitive_rescan
from memoryhub.common import undo
from memoryhub.common.permissions import actor, asked_guild, named_guild, one_guild, only_asks
from memoryhub.community.identity import counts_relationships
from memoryhub.community.models import Channel, Guild

GROUPS: dict[str, dict[str, str]] = {
    "Memory": {
        "memory_on": "Remember what is said here",
        "consent_mode": "Who is remembered",
        "keep_health": "Learn of health",
        "keep_finances": "Learn of money",
        "relationships_on": "Keep the graph of who interacts with whom",
        "heard_bots": "Bots that are heard",
        "blocked": "Blocked members",
    },
    "Discord": {
        "addressed_only": "Store only what is said to the bot",
        "heeds_no_entry": "Leave out messages with a no-entry sign",
        "hears_nsfw": "Store age-restricted channels",
        "hears_private_threads": "Store private threads",
        "hears_proxies": "Store proxied messages",
        "off_categories": "Categories without memory",
        "leaving_days": "Days until the memory of a server that the bot left is erased",
        "log_channel": "Log channel for moderators",
    },
    "Learning": {
        "time_zone": "",
        "extraction_mode": "When memories are learned",
        "quiet_minutes": "Minutes of silence that end a conversation",
        "facts_a_member": "Memories of a member",
        "lore_facts": "Lines of lore",
        "stale_days": "Days until an observation is stale",
    },
    "Review": {
        "review_all": "Review everything that is learned",
        "review_above": "Review low quality above (percent)",
    },
    "Channel summaries": {
        "summary_messages": "New messages for a new summary",
        "summary_minutes": "Or minutes",
        "summary_profile_hours": "Hours between profile summaries of a channel",
    },
    "Recall": {
        "strictness": "How well a memory must match",
    },
    "Replies": {
        "replies_on": "Answer members who speak to the bot",
        "reply_channels": "Channels in which every message is answered",
        "reply_seconds": "Seconds between two answers",
        "member_search": "Members may search by command",
    },
    "Recaps": {
        "recap": "Recaps",
        "recap_as": "How they come",
        "recap_channel": "Channel they are posted in",
    },
    "Models": {
        "model_fast": "Model for reading",
        "model_careful": "Model for careful work",
        "model_reply": "Model for replies",
    },
    "Budgets": {
        "daily_tokens": "Tokens a day",
        "daily_usd": "US dollars a day",
        "member_hourly": "Messages of a member an hour",
    },
    "Keeping": {
        "message_days": "Days that messages stay",
        "facts_outlive": "Memories stay after their messages",
        "journal_days": "Days that journals stay",
        "archive_days": "Days that archived memories stay",
        "call_days": "Days that calls of models stay",
        "action_days": "Days that the action log stays",
    },
}
"""The fields under their headings, each with its label; without one, the name says it."""


CHANNELS = 500  # that are offered
A_CHANNEL = {"list": "channels", "autocomplete": "off", "inputmode": "numeric"}
LIMITS: dict[str, tuple[int, int | None]] = {
    "quiet_minutes": (20, 60),
    "review_above": (0, 100),
    "daily_usd": (0, None),
}
"""As the table's constraints have them: a field that says so is marked beside other mistakes."""


class IdsField(forms.CharField):
    """A list of ids, one a line."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        """Show a list as lines."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """Read lines as a list."""
        return [word for line in (value or "").splitlines() if (word := line.strip(" \t,"))]

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compare lists."""
        return bool(list(initial or []) != self.to_python(data))


def _form_field(column: models.Field[Any, Any], **options: Any) -> forms.Field | None:
    """Return a column's field, for lists of ids one that takes lines."""
    if column.name in LIMITS:
        options["min_value"], options["max_value"] = LIMITS[column.name]
    if isinstance(column, models.JSONField):
        help_text = f"{column.help_text} One a line."
        return IdsField(label=options["label"], required=False, help_text=help_text, show_hidden_initial=True)
    return column.formfield(show_hidden_initial=True, **options)


def _said(default: Any, choices: Mapping[Any, Any]) -> str:
    """Return a default in words."""
    if isinstance(default, bool):
        return "on" if default else "off"
    return str(choices.get(default, default)) if default not in (None, "", []) else "empty"


class GuildForm(forms.ModelForm):  # type: ignore[type-arg]  # it has none when it runs
    """Every setting of a guild, as the table has them."""

    class Meta:
        model = Guild
        formfield_callback = _form_field
        fields: ClassVar[list[str]] = [name for names in GROUPS.values() for name in names]
        labels: ClassVar[dict[str, str]] = {
            name: label for names in GROUPS.values() for name, label in names.items() if label
        }
        widgets: ClassVar[dict[str, forms.Widget]] = {
            "time_zone": forms.TextInput(attrs={"list": "zones", "autocomplete": "off"}),
            "recap_channel": forms.TextInput(attrs=A_CHANNEL),
            "log_channel": forms.TextInput(attrs=A_CHANNEL),
        }

    def clean(self) -> dict[str, Any]:
        """Leave what was not changed on the page as it stands: somebody may have set it since the page was shown."""
        for name in self.cleaned_data:
            if self.add_initial_prefix(name) in self.data and name not in self.changed_data:
                self.cleaned_data[name] = getattr(self.instance, name)
        return self.cleaned_data

    def groups(self, wanted: str = "") -> list[tuple[str, list[forms.BoundField], bool]]:
        """Return the fields under their headings, and whether any of them is called as wanted: the others are hidden.

        What is hidden stays in the form: an empty field would be saved as empty.
        """
        groups = []
        for title, names in GROUPS.items():
            fields = [self._with_default(name) for name in names]
            for field in fields:
                said = f"{title} {field.label} {field.name} {field.help_text}".casefold()
                field.passed_over = wanted.casefold() not in said  # type: ignore[attr-defined]
            groups.append((title, fields, not all(field.passed_over for field in fields)))  # type: ignore[attr-defined]
        return groups

    def _with_default(self, name: str) -> forms.BoundField:
        """Return the field with what a new guild has there, and whether this one has chosen otherwise."""
        field, column = self[name], cast("models.Field[Any, Any]", Guild._meta.get_field(name))
        default = column.get_default()
        if name == "relationships_on":
            default = counts_relationships(self.instance.key)
        field.default_said = _said(default, dict(column.flatchoices))  # type: ignore[attr-defined]
        field.differs = self.initial.get(name) != default  # type: ignore[attr-defined]
        return field

    def mistakes(self) -> list[tuple[str, str, str]]:
        """Return every mistake: the id of its field (none: of several), what that is called, and what is wrong."""
        fields = [field for _, fields, _ in self.groups() for field in fields]
        named = [(field.auto_id, str(field.label), str(error)) for field in fields for error in field.errors]
        return named + [("", "", str(error)) for error in self.non_field_errors()]


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def settings(request: HttpRequest) -> HttpResponse:
    """Show a guild's settings, the largest one's if none is named; save what is posted."""
    key = request.POST.get("guild", "") or request.GET.get("guild", "")
    chosen = named_guild(request.user, key) if key else asked_guild(request)
    guild = one_guild(request, chosen)
    if guild is None:
        return render(request, "memory/settings.html")
    form = GuildForm(request.POST if request.method == "POST" else None, instance=guild, label_suffix="")
    would_go = _would_go(request, guild, form) if request.method == "POST" and form.is_valid() else None
    if would_go == []:
        _save(request, Guild.objects.get(pk=guild.pk), form.cleaned_data)
        return redirect(_page_of(guild))
    only_asks(request)
    wanted = " ".join(request.GET.get("q", "").split())
    groups = form.groups(wanted)
    context = {
        "guild": guild, "form": form, "groups": groups, "zones": sorted(available_timezones()),
        "wanted": wanted, "found": any(shown for _, _, shown in groups),
        "channels": Channel.objects.of(guild).exclude(kind=Channel.Kind.DIRECT)[:CHANNELS],
        "would_go": would_go, "mark": _mark(form) if would_go is not None else "",
        "let_go": retention.last_report(guild), "put_away": sensitive_rescan.last_report(guild),
        "log_trouble": log_posting.trouble(guild),
    }  # fmt: skip
    return render(request, "memory/settings.html", context, status=422 if form.errors else 200)


def _save(request: HttpRequest, guild: Guild, values: Mapping[str, Any]) -> None:
    """Save the settings, and offer to take that back where neither the change nor its undoing takes anything away."""
    now = timezone.now()
    before = {name: getattr(guild, name) for name in values if getattr(guild, name) != values[name]}
    lost = consequences(guild, values, now=now)
    guild_settings.change_settings(guild, values, actor=actor(request), now=now)
    if not before:
        messages.success(request, "Nothing was changed.")
        return
    lost += consequences(Guild.objects.get(pk=guild.pk), before, now=now)
    after = {name: values[name] for name in before}
    fields = {"guild": guild.key, "before": _written(before), "after": _written(after)}
    tags = "" if lost else undo.offer("undo-settings", fields=fields)
    messages.success(request, "Saved, and in force from now on.", extra_tags=tags)


@require_POST
@login_required
def undo_settings(request: HttpRequest) -> HttpResponse:
    """Set what was just changed back, where it still stands so and nothing goes by it."""
    guild = named_guild(request.user, request.POST.get("guild", ""))
    if guild is None:
        raise Http404("Name the guild.")
    try:
        before, after = (_read(request.POST.get(name, "")) for name in ("before", "after"))
        if any(getattr(guild, name) != value for name, value in after.items()):
            messages.error(request, "Somebody changed these settings meanwhile, and they are left so.")
        elif consequences(guild, before, now=timezone.now()):
            messages.error(request, "By now something stored would go with that. Change the settings to see what.")
        else:
            guild_settings.change_settings(guild, before, actor=actor(request), now=timezone.now())
            messages.success(request, "The settings are as they were before.")
    except ValidationError as refused:
        messages.error(request, f"Nothing was changed. {' '.join(refused.messages)}")
    return redirect(_page_of(guild))


def _page_of(guild: Guild) -> str:
    return f"{reverse('guild-settings')}?guild={quote(guild.key)}"


def _written(values: Mapping[str, Any]) -> str:
    return json.dumps(values, cls=DjangoJSONEncoder)


def _read(text: str) -> dict[str, Any]:
    """Return settings as their columns hold them; raises ValidationError for what is none."""
    try:
        given = json.loads(text)
    except ValueError:
        given = None
    if not isinstance(given, dict) or not given or not given.keys() <= set(GuildForm.Meta.fields):
        raise ValidationError("What was to be undone is not readable.")
    return {name: cast("models.Field[Any, Any]", Guild._meta.get_field(name)).to_python(given[name]) for name in given}


def _would_go(request: HttpRequest, guild: Guild, form: GuildForm) -> list[str] | None:
    """Return what is to be told before these settings are saved: nothing once just that was seen; None: only look.

    A ModelForm writes what it is given into its guild, so what stands is read anew.
    """
    now, stands = timezone.now(), Guild.objects.get(pk=guild.pk)
    told = consequences(stands, form.cleaned_data, now=now)
    if request.POST.get("deed") == "preview":
        return told or ["Nothing of what is stored would go."]
    return [] if request.POST.get("seen") == _mark(form) else told


def _mark(form: GuildForm) -> str:
    """Return a mark of what the form says: who confirms other values than those shown is shown anew."""
    return hashlib.sha256(repr(sorted(form.cleaned_data.items())).encode()).hexdigest()[:16]
