"""Names the front hall's app and registers its system checks."""

from django.apps import AppConfig


class MemoryhubConfig(AppConfig):
    """The front door."""

    name = "memoryhub"
    verbose_name = "Front door"

    def ready(self) -> None:
        """Register the system checks."""
        from memoryhub import checks  # noqa: F401
