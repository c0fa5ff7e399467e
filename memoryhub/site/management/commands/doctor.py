"""Examines the installation and says what to do; the exit code is 1 if something is wrong."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.core import checks
from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.models import Schedule
from redis import RedisError

from memory.erasure import LOST_KEY, signed_with_another_key
from memory.jobs import due_days
from memory.management.database import unknown_to_this_release
from memory.records.sentences import count
from memoryhub import db
from memoryhub.ai import probe as model_probe
from memoryhub.community.models import Guild
from memoryhub.db.backups import backups
from memoryhub.db.trouble import explain
from memoryhub.site.management.commands.qcluster import worker_lives

MARKS = {"ok": "ok     ", "note": "note   ", "wrong": "WRONG  "}
LITTLE_SPACE = 1024**3  # bytes


class Finding(NamedTuple):
    """One line of the report: `state` is ok, note (works, but look) or wrong."""

    name: str
    state: str
    message: str


class Command(BaseCommand):
    """`manage.py doctor`."""

    help = "Check configuration, database, extension, models, queue and bot token; say what to do."
    requires_system_checks: list[str] = []  # noqa: RUF012  it reports them itself

    def add_arguments(self, parser: CommandParser) -> None:
        """Take --probe."""
        parser.add_argument("--probe", action="store_true", help="Also make one tiny call to each model that is set.")

    def handle(self, *_: Any, **options: Any) -> None:
        """Print every finding; raises CommandError if one is wrong."""
        findings = list(_examine(probe=options["probe"]))
        for finding in findings:
            self.stdout.write(f"{MARKS[finding.state]}{finding.name}: {finding.message}")
        wrong = sum(finding.state == "wrong" for finding in findings)
        if wrong:
            raise CommandError(f"{wrong} of {len(findings)} findings need you.")
        self.stdout.write("All is well.")


def _examine(*, probe: bool) -> Iterator[Finding]:
    yield Finding("version", "ok", settings.VERSION)
    for message in checks.run_checks():
        state = "wrong" if message.level >= checks.ERROR else "note"
        yield Finding(message.id or "check", state, " ".join(filter(None, [message.msg, message.hint])))
    yield from _database()
    for found in model_probe.probe() if probe else model_probe.describe():
        yield Finding(found.name, "ok" if found.ok else "wrong", found.message)
    yield _queue()
    yield from _nights()
    if not settings.DISCORD_TOKEN:
        yield Finding("bot", "ok", "no DISCORD_TOKEN: the Discord bot stays off.")
    elif settings.DISCORD_TOKEN.count(".") != 2:
        yield Finding("bot", "wrong", "DISCORD_TOKEN does not look like a bot token: copy it again from the portal.")
    else:
        yield Finding("bot", "ok", "a token is set")


def _database() -> Iterator[Finding]:
    name = backups().place()
    try:
        if reason := db.why_unusable():
            yield Finding("database", "wrong", f"{name}: {reason}")
            return
        if keeper := db.why_busy():  # first: who looks at what is locked waits
            yield Finding("locks", "note", keeper)
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
        found = backups().trouble_here()
    except DatabaseError as error:
        yield Finding("database", "wrong", f"{name}: {explain(error)}")
        return
    if found:
        damaged = f"{name} is damaged: {found}. Stop the hub and put a backup back: `manage.py restore FILE`."
        yield Finding("database", "wrong", damaged)
        return
    if waiting:
        yield Finding("database", "wrong", f"{len(waiting)} migrations are not applied. Run manage.py migrate.")
    else:
        yield Finding("database", "ok", name)
    if newer := unknown_to_this_release(executor.loader.applied_migrations):
        text = "a newer release of memoryhub made tables that this one does not know, and may fail on"
        yield Finding("release", "note", f"{text} ({', '.join(newer)}). Install that release.")
    if not waiting and signed_with_another_key():
        yield Finding("secret key", "note", LOST_KEY)
    if copies := backups().copies_here():
        names = ", ".join(path.name for path in copies)
        text = f"{names} in {copies[0].parent}: a later erasure does not reach them, and finds its traces there."
        yield Finding("copies", "note", f"{text} Delete them, or take them to where you keep backups.")
    vectors = db.can_load_vectors()
    yield Finding("vector extension", "ok" if vectors else "note", "loaded" if vectors else str(db.why_no_vectors()))
    free = shutil.disk_usage(settings.DATA_DIR).free
    space = f"{free / LITTLE_SPACE:.1f} GB free in {settings.DATA_DIR}"
    yield Finding("disk", "ok" if free > LITTLE_SPACE else "wrong", space)


def _nights() -> Iterator[Finding]:
    try:
        guilds, now = Guild.objects.filter(memory_on=True), timezone.now()
        missed = sum(len(due_days.days_missed(guild, now=now)) for guild in guilds)
    except DatabaseError:
        return
    if missed:
        days = count(missed, "day")
        text = f"{days} of talk never consolidated, and too old to be caught up: manage.py consolidate --late."
        yield Finding("nights", "note", text)


def _queue() -> Finding:
    """Tell whether a worker lives, by its lock, and works: the next run of the minute's job is never long past."""
    try:
        minute = Schedule.objects.filter(name="minute").first()
    except DatabaseError:
        return Finding("queue", "note", "Not known: the database can't be used.")
    if minute is None:
        return Finding("queue", "wrong", "The periodic jobs are not declared. Run manage.py migrate.")
    if settings.REDIS_URL and not _redis_answers():
        return Finding(
            "queue", "wrong", "Redis does not answer at the address in REDIS_URL: what comes in waits for it."
        )
    if not worker_lives() or minute.next_run < timezone.now() - timedelta(minutes=5):
        return Finding("queue", "note", "No worker is running here: what comes in waits. `make run` starts one.")
    return Finding("queue", "ok", f"next run at {minute.next_run:%H:%M:%S} UTC")


def _redis_answers() -> bool:
    try:
        return bool(get_broker().ping())
    except (RedisError, ValueError):  # away, or no address
        return False
