"""Removes members from logs: what was done stays, whom it was about goes; kept answers and queued work go whole."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.apps import apps
from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast
from django_q.models import OrmQ, Task

from memory.erasure.holder import Holder, blanking, counting, deleting
from memory.erasure.target import Target, rows_of_guild
from memory.models import Action
from memoryhub.community.models import Member

ABOUT_ONE = {"member", "author", "subject", "speaker", "first", "second", "source", "target", "one", "other"}
ABOUT_MANY = {"members", "authors", "subjects"}
OUR_APPS = ("community", "profiles", "notes", "memory")
NOBODY = "member:erased"


def rows_of(label: str) -> QuerySet[Any]:
    """Return the rows of a model of a floor above, which this one does not import."""
    rows: QuerySet[Any] = apps.get_model(label)._default_manager.all()
    return rows


def _signatures(target: Target) -> list[QuerySet[Any]]:
    """Return the rows, by table, that say the member did something: by themselves, or as a moderator on Discord."""
    if target.member is None:
        return []
    signed = [model for model in apps.get_models() if any(f.name == "actor" for f in model._meta.concrete_fields)]
    own = Q(actor__endswith=f":{target.member.platform_id}")
    return [rows_of_guild(model, target.guild.pk).filter(own) for model in signed]


def _unsign(target: Target, _now: datetime) -> None:
    for rows in _signatures(target):
        rows.update(actor=NOBODY)


SIGNATURES = Holder(
    name="signatures",
    holds="Who changed something: a member's own changes are signed with their account until they are erased.",
    models=(),
    count=lambda target: sum(rows.count() for rows in _signatures(target)),
    erase=_unsign,
)


def _actions(target: Target) -> list[Action]:
    """Return the lines that name the member, with their detail as it is without, not saved."""
    if target.member is None:
        return []
    rows = Action.objects.filter(guild=target.guild).annotate(json=Cast("detail", CharField()))
    rows = rows.filter(Q(json__contains=str(target.member.pk)) | Q(json__contains=target.member.platform_id))
    changed: list[Action] = []
    for row in rows.iterator(500):
        before, row.detail = row.detail, _without(row.detail, target.member)
        if row.detail != before:
            changed.append(row)
    return changed


def _without(detail: dict[str, Any], member: Member) -> dict[str, Any]:
    ids = (member.pk, str(member.pk), member.platform_id)
    kept = {name: value for name, value in detail.items() if not (name in ABOUT_ONE and value in ids)}
    lists = {name: [value for value in kept[name] if value not in ids] for name in ABOUT_MANY & kept.keys()}
    return kept | lists


def _forget_actions(target: Target, _now: datetime) -> None:
    for row in _actions(target):
        row.save(update_fields=["detail"])


ACTIONS = Holder(
    name="action log",
    holds="What the hub and people did, by ids and counts; the member's id is taken out.",
    models=("memory.Action",),
    count=lambda target: len(_actions(target)),
    erase=_forget_actions,
)


def _audited(target: Target) -> QuerySet[Any]:
    rows, guild = rows_of("memoryhub.AuditEntry"), Q(guild_id=target.guild.pk)
    if target.member is None:
        return rows.filter(guild) if target.kind == "guild" else rows.none()
    return rows.filter(guild & Q(row=target.member.platform_id) | Q(member_id=target.member.pk))


def _pseudonymise(target: Target, _now: datetime) -> None:
    blank = {"member_id": None, "row": ""} | ({"guild_id": None} if target.kind == "guild" else {})
    _audited(target).update(**blank)


AUDIT = Holder(
    name="audit log",
    holds="Who looked at whose memory or changed it, by ids; whose it was is taken out.",
    models=("memoryhub.AuditEntry",),
    count=counting(_audited),
    erase=_pseudonymise,
)


def _edits(target: Target) -> QuerySet[Any]:
    rows = rows_of("admin.LogEntry")
    if target.kind == "guild":
        ours = [model._meta.model_name for model in apps.get_models() if model._meta.app_label in OUR_APPS]
        return rows.filter(content_type__model__in=ours).exclude(object_repr="")
    if target.member is None:
        return rows.none()
    row = Q(content_type__app_label="community", content_type__model="member", object_id=str(target.member.pk))
    return rows.filter(row | Q(object_repr__regex=target.naming) | Q(change_message__regex=target.naming))


ADMIN_LOG = Holder(
    name="administration log",
    holds="What operators changed in Django's administration, with the names of rows; names are taken out.",
    models=("admin.LogEntry",),
    count=counting(_edits),
    erase=blanking(_edits, object_repr="", object_id=None, change_message=""),
)

MODEL_CALLS = Holder(
    name="model calls",
    holds="What models were asked for, cost and took: never a text, never a member; they go with the guild.",
    models=("memory.ModelCall",),
)


def _answers(target: Target) -> QuerySet[Any]:
    rows = rows_of("memoryhub.KeptAnswer").filter(Q(api_key__guild=target.guild.pk) | Q(api_key__guild=None))
    if target.member is None:
        return rows
    bodies = rows.values_list("pk", "body").iterator(500)
    return rows.filter(pk__in=[pk for pk, text in bodies if target.needles.occur_in(text)])


ANSWERS = Holder(
    name="kept answers",
    holds="Answers of the API that are kept for a day, so that a repeated request happens once.",
    models=("memoryhub.KeptAnswer",),
    count=counting(_answers),
    erase=deleting(_answers),
)


def _tasks(target: Target) -> tuple[list[int], list[str]]:
    """Return the row ids of waiting work and of work done that names the member, or is the guild's."""

    def concerns(task: dict[str, Any]) -> bool:
        texts = repr((task.get("args") or (), task.get("kwargs") or {}, task.get("result")))
        if target.kind == "guild":
            return task.get("args", ())[:1] in ((target.guild.pk,), [target.guild.pk]) or target.guild.key in texts
        return target.member is not None and bool(target.needles.ids_in(texts))

    done = ((row.pk, {"args": row.args, "kwargs": row.kwargs, "result": row.result}) for row in Task.objects.all())
    waiting = [row.pk for row in OrmQ.objects.all() if concerns(row.task)]
    return waiting, [pk for pk, task in done if concerns(task)]


def _drop_tasks(target: Target, _now: datetime) -> None:
    waiting, done = _tasks(target)
    OrmQ.objects.filter(pk__in=waiting).delete()
    Task.objects.filter(pk__in=done).delete()


QUEUE = Holder(
    name="queue",
    holds="Work that waits or was done lately: which function and which guild, never a text.",
    models=("django_q.OrmQ", "django_q.Task", "django_q.Success", "django_q.Failure", "django_q.Schedule"),
    count=lambda target: sum(len(pks) for pks in _tasks(target)),
    erase=_drop_tasks,
)
