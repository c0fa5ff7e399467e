"""Has one model answer all that is asked while memory is measured: what was paid is kept, counted and limited."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from memoryhub.ai import ModelFailed, Task
from memoryhub.ai.ask_model import ask_one
from memoryhub.ai.call_recorder import Call, heard, record
from memoryhub.ai.model_choice import Choice
from memoryhub.ai.model_errors import Reason

MILLION = 1_000_000
PAUSES = (15.0, 30.0, 60.0, 120.0)  # seconds before another try, on top of the short ones that each call has
AGAIN = "Answers so far are kept: the same command goes on from there."


class Stopped(BaseException):  # no step of a digest may take it for a failure of its own
    """Measuring cannot go on; says what happened and what to do."""


class Price(NamedTuple):
    """Dollars for a million tokens of questions and of answers."""

    into: Decimal
    out: Decimal


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What one question came to; `usd` is None where the price is unknown, `failed` the reason of a useless answer."""

    key: str
    purpose: str
    answer: dict[str, Any] | None
    failed: Reason | None
    tokens_in: int
    tokens_out: int
    usd: str | None
    seconds: float


@dataclass
class Spending:
    """What the questions of a measurement came to, kept answers included; failed are those without a usable answer."""

    calls: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: Decimal = field(default_factory=Decimal)
    seconds: float = 0.0
    asked_now: int = 0


class ModelAnswers:
    """A model that stands in for all that the settings choose; `file` keeps its answers, `limit` is in dollars.

    A price that is given holds where nobody knows one. What fails for a while is tried again for some minutes; then,
    and where only an operator can help, at the limit, and where a price is unknown, it raises Stopped. The same
    question asked twice is two questions.
    """

    def __init__(self, choice: Choice, *, file: Path, limit: Decimal, price: Price | None = None) -> None:
        self.choice, self.spent = choice, Spending()
        self._file, self._limit, self._price = file, limit, price
        self._kept: dict[str, list[Kept]] = defaultdict(list)
        self._used = Counter[str]()
        for row in _rows(file):
            self._kept[row.key].append(row)

    def __call__(self, task: Task[Any, Any], given: Any, guild: int | None) -> Any:
        """Answer as `ask` does, from what is kept or from the model."""
        key = self._key(task, given)
        row = self._next(key)
        if row is None:
            row = self._ask(task, given, guild, key)
        else:
            self._record(row, guild)
        self._count(row)
        if row.failed or row.answer is None:
            raise ModelFailed(row.failed or "bad_answer")
        return task.answer.model_validate(row.answer)

    def _key(self, task: Task[Any, Any], given: Any) -> str:
        form = json.dumps(task.answer.model_json_schema(), sort_keys=True)
        asked = (str(self.choice), self.choice.base_url, task.purpose, task.instructions, form, task.prompt(given))
        return sha256(json.dumps(asked).encode()).hexdigest()

    def _next(self, key: str) -> Kept | None:
        number, rows = self._used[key], self._kept[key]
        self._used[key] += 1
        return rows[number] if number < len(rows) else None

    def _ask(self, task: Task[Any, Any], given: Any, guild: int | None, key: str) -> Kept:
        if self.spent.usd >= self._limit:
            raise Stopped(f"{self.choice} has cost ${self.spent.usd:.4f}, and the limit is ${self._limit}. {AGAIN}")
        answer, failed = None, None
        with heard() as calls:
            try:
                answer = self._patiently(task, given, guild)
            except ModelFailed as failure:
                if not failure.of_the_words:
                    raise Stopped(f"{failure} {AGAIN}") from None
                failed = failure.reason
        costs = [call.cost_usd for call in calls if call.tokens_in or call.tokens_out]
        row = Kept(
            key=key, purpose=task.purpose, answer=answer and answer.model_dump(mode="json"), failed=failed,
            tokens_in=sum(call.tokens_in for call in calls), tokens_out=sum(call.tokens_out for call in calls),
            usd=None if None in costs else str(sum(filter(None, costs), Decimal())),
            seconds=round(sum(call.seconds for call in calls), 3),
        )  # fmt: skip
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps(asdict(row))}")  # begins a line, whatever a run that was killed left of its last
        self.spent.asked_now += 1
        return row

    def _patiently(self, task: Task[Any, Any], given: Any, guild: int | None) -> Any:
        for pause in PAUSES:
            try:
                return ask_one(self.choice, task, given, guild=guild)
            except ModelFailed as failure:
                if not failure.again:
                    raise
                time.sleep(max(pause, min(failure.retry_after or 0.0, PAUSES[-1])))
        return ask_one(self.choice, task, given, guild=guild)

    def _record(self, row: Kept, guild: int | None) -> None:
        """Tell whoever counts calls of one that was paid earlier."""
        record(
            Call(
                purpose=row.purpose, model=str(self.choice), guild=guild, tokens_in=row.tokens_in,
                tokens_out=row.tokens_out, cost_usd=Decimal(row.usd) if row.usd else None, seconds=row.seconds,
                outcome="failed" if row.failed else "ok", error_class=row.failed or "",
            )
        )  # fmt: skip

    def _count(self, row: Kept) -> None:
        spent = self.spent
        spent.calls[row.purpose] += 1
        spent.failed += row.failed is not None
        spent.tokens_in += row.tokens_in
        spent.tokens_out += row.tokens_out
        spent.seconds += row.seconds
        if row.usd is not None:
            spent.usd += Decimal(row.usd)
        elif self._price:
            spent.usd += (self._price.into * row.tokens_in + self._price.out * row.tokens_out) / MILLION
        else:
            raise Stopped(
                f"Nobody knows the price of {self.choice}, so no limit in dollars holds. Give --price IN OUT, dollars "
                f"for a million tokens (0 0 for a model of your own). {AGAIN}"
            )


def _rows(file: Path) -> Iterator[Kept]:
    """Yield what is kept; a line that was cut when a run was killed is asked for again."""
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError, TypeError):
                yield Kept(**json.loads(line))
