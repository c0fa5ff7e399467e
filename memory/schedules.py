"""The one list of periodic jobs, and how the queue comes to know it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection, transaction


@dataclass(frozen=True)
class Periodic:
    """A job that the worker runs every so many minutes; the title says what it does."""

    name: str
    task: str
    minutes: int
    title: str


PERIODIC = (
    Periodic("minute", "memory.tasks.tick", 1, "Process conversations that ended, sum up channels"),
    Periodic("learn", "memory.tasks.learn", 5, "Read new messages for facts"),
    Periodic("papers", "memory.tasks.keep_papers", 5, "Write snapshots and journals anew after changes"),
    Periodic("night", "memory.tasks.consolidate_due", 15, "Consolidate days that are over"),
    Periodic("retention", "memory.tasks.let_go", 24 * 60, "Delete what is kept no longer"),
    Periodic("rights", "memory.tasks.keep_rights", 1, "Finish erasures that were cut short"),
    Periodic("departures", "memory.tasks.purge_left", 24 * 60, "Erase guilds that the bot left"),
    Periodic("tidy", "memoryhub.tasks.tidy", 24 * 60, "Delete kept answers and old audit entries"),
)


def declare(**_: object) -> None:
    """Have a schedule for each job of the list and for no other; called after each migration.

    How often a job runs is set when its schedule is made: what an operator changed since stays.
    """
    from django_q.models import Schedule

    if Schedule._meta.db_table not in connection.introspection.table_names():
        return  # only some apps were migrated; the migration of the queue's table calls again
    with transaction.atomic():
        for job in PERIODIC:
            every = {"schedule_type": Schedule.MINUTES, "minutes": job.minutes, "repeats": -1}
            Schedule.objects.update_or_create(
                name=job.name, defaults={"func": job.task}, create_defaults={"func": job.task, **every}
            )
        Schedule.objects.filter(func__startswith="memory.tasks.").exclude(
            name__in=[job.name for job in PERIODIC]
        ).delete()
