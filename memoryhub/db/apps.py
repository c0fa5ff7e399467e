"""Names the app whose one migration gets a database ready for all others; it has no tables."""

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from memoryhub.db.open_connection import wait_as_usual


class DatabaseConfig(AppConfig):
    """What a database needs before the first table."""

    name = "memoryhub.db"
    label = "database"

    def ready(self) -> None:
        """Watch for connections that are opened, or taken from the pool."""
        connection_created.connect(wait_as_usual)
