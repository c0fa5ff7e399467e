"""Names the project's own app and registers its system checks."""

from django.apps import AppConfig


class MemoryhubConfig(AppConfig):
    """API keys, roles, the audit log."""

    name = "memoryhub"
    verbose_name = "Access"

    def ready(self) -> None:
        """Register the system checks."""
        from memoryhub import checks  # noqa: F401
