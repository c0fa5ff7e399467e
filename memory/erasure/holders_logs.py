"""Removes members from logs: what was done stays, whom it was about goes; kept answers and queued work go whole."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs

from django.apps import apps
from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast
from django_q.models import OrmQ, Task

from memory.erasure.holder import Holder, rows_of
from memory.erasure.target import Target, rows_of_guild
from memory.models import Action

ABOUT_ONE = {"member", "author", "subject", "speaker", "first", "second", "source", "target", "one", "other"}
ABOUT_MANY = {"members", "authors", "subjects"}
OUR_APPS = ("community", "profiles", "notes", "memory")
WITH_ACCOUNT = ("member", "moderator")  # who acts on a platform signs with their account there, others with a name
NOBODY = "member:erased"


class Signatures(Holder):
    """Who changed something: a member's own changes are signed with their account until they are erased."""

    name = "signatures"

    def signed(self, target: Target) -> list[QuerySet[Any]]:
        """Return the rows, by table, that say the member did something: by themselves, or as a moderator on Discord."""
        if target.member is None:
            return []
        models = [model for model in apps.get_models() if any(f.name == "actor" for f in model._meta.concrete_fields)]
        own = [f"{door}:{target.member.platform_id}" for door in WITH_ACCOUNT]
        return [rows_of_guild(model, target.guild.pk).filter(actor__in=own) for model in models]

    def count(self, target: Target) -> int:
        """Return how many rows there are in all tables."""
        return sum(rows.count() for rows in self.signed(target))

    def erase(self, target: Target, now: datetime) -> None:
        """Have nobody sign them."""
        for rows in self.signed(target):
            rows.update(actor=NOBODY)


class Actions(Holder):
    """What the hub and people did, by ids and counts; the member's id is taken out."""

    name = "action log"
    models = ("memory.Action",)

    def without(self, target: Target) -> list[Action]:
        """Return the lines that name the member, with their detail as it is without, not saved."""
        if target.member is None:
            return []
        ids = (target.member.pk, str(target.member.pk), target.member.platform_id)
        rows = Action.objects.filter(guild=target.guild).annotate(json=Cast("detail", CharField()))
        changed: list[Action] = []
        for row in rows.filter(Q(json__contains=ids[1]) | Q(json__contains=ids[2])).iterator(500):
            before = row.detail
            kept = {name: value for name, value in before.items() if not (name in ABOUT_ONE and value in ids)}
            lists = {name: [value for value in kept[name] if value not in ids] for name in ABOUT_MANY & kept.keys()}
            row.detail = kept | lists
            if row.detail != before:
                changed.append(row)
        return changed

    def count(self, target: Target) -> int:
        """Return how many lines name the member."""
        return len(self.without(target))

    def erase(self, target: Target, now: datetime) -> None:
        """Take the member out of them."""
        Action.objects.bulk_update(self.without(target), ["detail"], batch_size=500)


class Audit(Holder):
    """Who looked at whose memory or changed it, by ids; whose it was is taken out."""

    name = "audit log"
    models = ("memoryhub.AuditEntry",)

    def rows(self, target: Target) -> QuerySet[Any]:
        """Return the lines about the member or the guild."""
        rows, guild = rows_of("memoryhub.AuditEntry"), Q(guild_id=target.guild.pk)
        if target.member is None:
            return target.select(rows.filter(guild), member=None, channel=None)
        return rows.filter(guild & Q(row=target.member.platform_id) | Q(member_id=target.member.pk))

    def erase(self, target: Target, now: datetime) -> None:
        """Blank whom they were about."""
        blank = {"member_id": None, "row": ""} | ({"guild_id": None} if target.kind == "guild" else {})
        self.rows(target).update(**blank)


class AdminLog(Holder):
    """What operators changed in Django's administration, with the names of rows; names are taken out."""

    name = "administration log"
    models = ("admin.LogEntry",)

    def rows(self, target: Target) -> QuerySet[Any]:
        """Return the lines that name the member, or rows of ours where a guild goes."""
        rows = rows_of("admin.LogEntry")
        if target.kind == "guild":
            ours = [model._meta.model_name for model in apps.get_models() if model._meta.app_label in OUR_APPS]
            return rows.filter(content_type__model__in=ours).exclude(object_repr="")
        if target.member is None:
            return rows.none()
        row = Q(content_type__app_label="community", content_type__model="member", object_id=str(target.member.pk))
        return rows.filter(row | Q(pk__in=target.naming(rows, "object_repr", "change_message")))

    def erase(self, target: Target, now: datetime) -> None:
        """Blank the names."""
        self.rows(target).update(object_repr="", object_id=None, change_message="")


class ModelCalls(Holder):
    """What models were asked for, cost and took: never a text, never a member; they go with the guild."""

    name = "model calls"
    models = ("memory.ModelCall",)


class Answers(Holder):
    """Answers of the API that are kept for a day, so that a repeated request happens once."""

    name = "kept answers"
    models = ("memoryhub.KeptAnswer",)

    def rows(self, target: Target) -> QuerySet[Any]:
        """Return those that hold something of the member; all that the guild's keys got where more goes."""
        rows = rows_of("memoryhub.KeptAnswer").filter(Q(api_key__guild=target.guild.pk) | Q(api_key__guild=None))
        if target.member is None:
            return rows
        bodies = rows.values_list("pk", "body").iterator(500)
        return rows.filter(pk__in=[pk for pk, text in bodies if target.needles.occur_in(text)])


class SavedFilters(Holder):
    """Filters of the memories that operators saved under a name; one about the member goes."""

    name = "saved filters"
    models = ("memoryhub.SavedFilter",)

    def rows(self, target: Target) -> QuerySet[Any]:
        """Return those that are narrowed to what goes, or name it."""
        rows = rows_of("memoryhub.SavedFilter")
        return rows.filter(pk__in=[row.pk for row in rows.iterator(500) if self._is_about(row, target)])

    def _is_about(self, row: Any, target: Target) -> bool:
        asked = {name: values[0] for name, values in parse_qs(row.query).items()}
        if target.kind == "guild":
            return asked.get("guild") == target.guild.key
        if target.member is None:
            return asked.get("channel") in {str(pk) for pk in target.channels}
        words = "\n".join([row.name, *asked.values()])
        named = re.search(target.pattern, words) is not None
        return named or asked.get("member") == str(target.member.pk) or bool(target.needles.occur_in(words))


class Queue(Holder):
    """Work that waits or was done lately: which function and which guild, never a text."""

    name = "queue"
    models = ("django_q.OrmQ", "django_q.Task", "django_q.Success", "django_q.Failure", "django_q.Schedule")

    def tasks(self, target: Target) -> tuple[list[int], list[str]]:
        """Return the row ids of waiting work and of work done that names the member, or is the guild's."""

        def concerns(task: dict[str, Any]) -> bool:
            texts = repr((task.get("args") or (), task.get("kwargs") or {}, task.get("result")))
            if target.kind == "guild":
                return task.get("args", ())[:1] in ((target.guild.pk,), [target.guild.pk]) or target.guild.key in texts
            return target.member is not None and bool(target.needles.ids_in(texts))

        done = ((row.pk, {"args": row.args, "kwargs": row.kwargs, "result": row.result}) for row in Task.objects.all())
        waiting = [row.pk for row in OrmQ.objects.all() if concerns(row.task)]
        return waiting, [pk for pk, task in done if concerns(task)]

    def count(self, target: Target) -> int:
        """Return how many there are, waiting and done."""
        return sum(len(ids) for ids in self.tasks(target))

    def erase(self, target: Target, now: datetime) -> None:
        """Drop both."""
        waiting, done = self.tasks(target)
        OrmQ.objects.filter(pk__in=waiting).delete()
        Task.objects.filter(pk__in=done).delete()
