"""Names the app."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """Facts and their use."""

    name = "memory"
    verbose_name = "Memory: what we know"
