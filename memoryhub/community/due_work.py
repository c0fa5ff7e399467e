"""What may be due, by guild: who writes into a guild marks it, and the background looks at marked guilds only.

A silent guild has no row, and costs nothing. Taking a row puts it off to the next run, which is also what a worker
that dies leaves behind; a mark that comes meanwhile brings it forward again, so that no work is ever overlooked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from memoryhub.community.models import DueWork
from memoryhub.db.guild_scope import inside
from memoryhub.db.leases import ticking
from memoryhub.db.transactions import mark_every_guild as mark_all
from memoryhub.db.transactions import mark_guild as mark
from memoryhub.db.transactions import marked_already

__all__ = ["Work", "mark", "mark_all", "marked_already", "put_off", "taken", "to_the_end"]

Work = DueWork.Work
# A little less than the time between two runs, which do not start on the second.
AGAIN = {
    Work.MINUTE: timedelta(seconds=45),
    Work.LEARN: timedelta(minutes=4),
    Work.PAPERS: timedelta(minutes=4),
    Work.NIGHT: timedelta(minutes=13),
}


def taken(work: DueWork.Work, *, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> Iterator[DueWork]:
    """Yield the rows whose work may be due, those first that wait longest; another worker takes none of them at once.

    Who has looked calls `put_off`; what is not put off is looked at again by the next run.
    """
    clock = ticking(now)  # the rows before this one may have taken minutes
    for row in DueWork.objects.filter(work=work, at__lte=now).order_by("at", "pk").select_related("guild"):
        if not keep_going():
            return
        again = clock() + AGAIN[work]
        with inside(row):
            mine = DueWork.objects.filter(pk=row.pk, at=row.at).update(at=again)
        if mine:
            row.at = again
            yield row


def to_the_end(row: DueWork) -> None:
    """Have a guild whose work was cut short wait for its next turn: what it wrote has marked it anew."""
    with inside(row):
        DueWork.objects.filter(pk=row.pk).update(at=row.at)


def put_off(row: DueWork, until: datetime | None) -> None:
    """Have the next look at this moment, at none if it is None; not where the guild was marked meanwhile."""
    with inside(row):
        ours = DueWork.objects.filter(pk=row.pk, at=row.at)
        if until is None:
            ours.delete()
        elif until > row.at:
            ours.update(at=until)
