"""Names the app whose one migration gets a database ready for all others; it has no tables."""

from django.apps import AppConfig


class DatabaseConfig(AppConfig):
    """What a database needs before the first table."""

    name = "memoryhub.db"
    label = "database"
