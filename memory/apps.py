"""Names the app, declares its periodic jobs, keeps the ledger of model calls and the guilds' budgets."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class MemoryConfig(AppConfig):
    """Facts and their use."""

    name = "memory"
    verbose_name = "Memory: what we know"

    def ready(self) -> None:
        """Connect the schedules to migrations, the ledger and the budgets to the models, the facts to the graph."""
        from memory import schedules
        from memory.compatibility import presets
        from memory.curation import guild_settings, stated_ties
        from memory.records import action_log, model_budgets
        from memoryhub.ai import call_recorder, model_choice
        from profiles.relationships import stated

        post_migrate.connect(schedules.declare, sender=self, dispatch_uid="memory.schedules")
        call_recorder.register(action_log.record_call, model_budgets.allows_call)
        model_choice.register(guild_settings.guild_model)
        presets.register()
        stated.register(stated_ties.read)
