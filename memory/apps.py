"""Names the app, declares its periodic jobs, keeps the ledger of model calls and the guilds' budgets."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class MemoryConfig(AppConfig):
    """Facts and their use."""

    name = "memory"
    verbose_name = "Memory: what we know"

    def ready(self) -> None:
        """Connect the schedules to migrations, the ledger and the budgets to the models."""
        from memory import budgets, guild_settings, ledger, schedules
        from memoryhub.ai import budget, models, recorder

        post_migrate.connect(schedules.declare, sender=self, dispatch_uid="memory.schedules")
        recorder.register(ledger.record_call)
        budget.register(budgets.allows)
        models.register(guild_settings.own_model)
