"""Takes members out of logs: what was done stays, whom it was about goes; kept answers and waiting work go whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db.models import CharField, Model, Q, QuerySet
from django.db.models.functions import Cast
from django_q.models import OrmQ, Task

from memory.erasure.guild_path import of_guild
from memory.erasure.holder import Holder, leave, none
from memory.erasure.target import Target
from memory.models import Action
from memoryhub.community.models import Member

ABOUT_ONE = {"member", "author", "subject", "speaker", "first", "second", "source", "target", "one", "other"}
ABOUT_MANY = {"members", "authors", "subjects"}
ROOMS = ("community", "profiles", "notes", "memory")
NOBODY = "member:erased"


def model(label: str) -> type[Model]:
    """Return a model of a floor above, which this one does not import."""
    return apps.get_model(label)


def _rows(label: str) -> QuerySet[Any]:
    return model(label)._default_manager.all()


# --- Who did something -------------------------------------------------------------------------------------------


def _signed() -> Iterator[type[Model]]:
    """Yield the models that say who did something."""
    return (each for each in apps.get_models() if any(field.name == "actor" for field in each._meta.concrete_fields))


def _signatures(target: Target) -> list[QuerySet[Any]]:
    if target.member is None:
        return []
    own = Q(actor__endswith=f":{target.member.platform_id}")  # a member's own deed, or a moderator's from Discord
    return [of_guild(each, target.guild.pk).filter(own) for each in _signed()]


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


# --- The action log ----------------------------------------------------------------------------------------------


def _actions(target: Target) -> list[Action]:
    if target.member is None:
        return []
    rows = Action.objects.filter(guild=target.guild).annotate(said=Cast("detail", CharField()))
    rows = rows.filter(Q(said__contains=str(target.member.pk)) | Q(said__contains=target.member.platform_id))
    return [row for row in rows.iterator(500) if _without(row.detail, target.member) != row.detail]


def _without(detail: dict[str, Any], member: Member) -> dict[str, Any]:
    theirs = (member.pk, str(member.pk), member.platform_id)
    kept = {name: value for name, value in detail.items() if not (name in ABOUT_ONE and value in theirs)}
    lists = {name: [each for each in kept[name] if each not in theirs] for name in ABOUT_MANY & kept.keys()}
    return kept | lists


def _forget_actions(target: Target, _now: datetime) -> None:
    for row in _actions(target):
        if target.member:
            row.detail = _without(row.detail, target.member)
            row.save(update_fields=["detail"])


ACTIONS = Holder(
    name="action log",
    holds="What the hub and people did, by ids and counts; the member's id is taken out.",
    models=("memory.Action",),
    count=lambda target: len(_actions(target)),
    erase=_forget_actions,
)


# --- The audit log, and the log of Django's administration -------------------------------------------------------


def _audited(target: Target) -> QuerySet[Any]:
    rows = _rows("memoryhub.AuditEntry")
    if target.member:
        named = Q(row=target.member.platform_id, guild_id=target.guild.pk)
        return rows.filter(named | Q(member_id=target.member.pk))
    return rows.none() if target.channel else rows.filter(guild_id=target.guild.pk)


def _pseudonymise(target: Target, _now: datetime) -> None:
    gone = {"member_id": None, "row": ""} | ({"guild_id": None} if target.kind == "guild" else {})
    _audited(target).update(**gone)


AUDIT = Holder(
    name="audit log",
    holds="Who looked at whose memory or changed it, by ids; whose it was is taken out.",
    models=("memoryhub.AuditEntry",),
    count=lambda target: _audited(target).count(),
    erase=_pseudonymise,
)


def _edits(target: Target) -> QuerySet[Any]:
    rows = _rows("admin.LogEntry")
    if target.kind == "guild":
        ours = [each._meta.model_name for each in apps.get_models() if each._meta.app_label in ROOMS]
        return rows.filter(content_type__model__in=ours).exclude(object_repr="")
    if target.member is None:
        return rows.none()
    row = Q(content_type__app_label="community", content_type__model="member", object_id=str(target.member.pk))
    return rows.filter(row | Q(object_repr__regex=target.naming) | Q(change_message__regex=target.naming))


def _blank(target: Target, _now: datetime) -> None:
    _edits(target).update(object_repr="", object_id=None, change_message="")


ADMIN_LOG = Holder(
    name="administration log",
    holds="What operators changed in Django's administration, with the names of rows; names are taken out.",
    models=("admin.LogEntry",),
    count=lambda target: _edits(target).count(),
    erase=_blank,
)

MODEL_CALLS = Holder(
    name="model calls",
    holds="What models were asked for, cost and took: never a text, never a member; they go with the guild.",
    models=("memory.ModelCall",),
    count=none,
    erase=leave,
)


# --- Kept answers and waiting work -------------------------------------------------------------------------------


def _answers(target: Target) -> list[int]:
    rows = _rows("memoryhub.KeptAnswer").filter(Q(api_key__guild=target.guild.pk) | Q(api_key__guild=None))
    if target.member is None:
        return list(rows.values_list("pk", flat=True))
    return _that_tell(target, rows.values_list("pk", "body").iterator(500))


def _that_tell(target: Target, rows: Iterable[tuple[int, str]]) -> list[int]:
    return [pk for pk, text in rows if target.needles.touch(text)]


def _drop_answers(target: Target, _now: datetime) -> None:
    _rows("memoryhub.KeptAnswer").filter(pk__in=_answers(target)).delete()


ANSWERS = Holder(
    name="kept answers",
    holds="Answers of the API that are kept for a day, so that a repeated request happens once.",
    models=("memoryhub.KeptAnswer",),
    count=lambda target: len(_answers(target)),
    erase=_drop_answers,
)


def _waiting(target: Target) -> list[int]:
    return [row.pk for row in OrmQ.objects.all() if _tells(target, row.task)]


def _done(target: Target) -> list[str]:
    rows = Task.objects.all()
    return [row.pk for row in rows if _tells(target, {"args": row.args, "kwargs": row.kwargs, "result": row.result})]


def _tells(target: Target, task: dict[str, Any]) -> bool:
    """Tell whether a piece of work names the member, or is the guild's."""
    given = (task.get("args") or (), task.get("kwargs") or {}, task.get("result"))
    if target.kind == "guild":
        return task.get("args", ())[:1] in ((target.guild.pk,), [target.guild.pk]) or target.guild.key in repr(given)
    return target.member is not None and bool(target.needles.ids_in(repr(given)))


def _drop_work(target: Target, _now: datetime) -> None:
    OrmQ.objects.filter(pk__in=_waiting(target)).delete()
    Task.objects.filter(pk__in=_done(target)).delete()


QUEUE = Holder(
    name="queue",
    holds="Work that waits or was done lately: which function and which guild, never a text.",
    models=("django_q.OrmQ", "django_q.Task", "django_q.Success", "django_q.Failure", "django_q.Schedule"),
    count=lambda target: len(_waiting(target)) + len(_done(target)),
    erase=_drop_work,
)
