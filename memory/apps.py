"""Names the app, declares its periodic jobs and keeps the ledger of model calls."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class MemoryConfig(AppConfig):
    """Facts and their use."""

    name = "memory"
    verbose_name = "Memory: what we know"

    def ready(self) -> None:
        """Connect the schedules to migrations, and the ledger to the models."""
        from memory import ledger, schedules
        from memoryhub.ai import recorder

        post_migrate.connect(schedules.declare, sender=self, dispatch_uid="memory.schedules")
        recorder.register(ledger.record_call)
