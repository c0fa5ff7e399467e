"""What the queue runs to keep the site's own tables small."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from memoryhub.models import AuditEntry, KeptAnswer

ANSWERS_KEPT = timedelta(days=1)


def tidy() -> int:
    """Delete answers kept for repeated requests after a day, and what the audit log kept for long enough."""
    now = timezone.now()
    old = AuditEntry.objects.filter(at__lt=now - timedelta(days=settings.MEMORYHUB_AUDIT_DAYS))
    return KeptAnswer.objects.filter(at__lt=now - ANSWERS_KEPT).delete()[0] + old.delete()[0]
