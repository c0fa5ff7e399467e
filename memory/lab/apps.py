"""Names the app."""

from django.apps import AppConfig


class LabConfig(AppConfig):
    """Benchmarks and evaluation: commands, no tables."""

    name = "memory.lab"
    label = "lab"
    verbose_name = "Lab: measuring"
