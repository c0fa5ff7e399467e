"""Names the app."""

from django.apps import AppConfig


class BotrunnerConfig(AppConfig):
    """The Discord door."""

    name = "botrunner"
    verbose_name = "Bot"

    def ready(self) -> None:
        """Register the system checks."""
        from botrunner import checks  # noqa: F401
