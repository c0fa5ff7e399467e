"""Names the app."""

from django.apps import AppConfig


class NotesConfig(AppConfig):
    """Conversations."""

    name = "notes"
    verbose_name = "Notes: what was said"
