"""What the queue runs for the front door."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from memoryhub.models import KeptAnswer

ANSWERS_KEPT = timedelta(days=1)


def tidy() -> int:
    """Delete answers kept for repeated requests after a day; return how many rows went."""
    return KeptAnswer.objects.filter(at__lt=timezone.now() - ANSWERS_KEPT).delete()[0]
