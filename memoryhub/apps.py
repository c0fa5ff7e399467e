"""Names the project's own app and registers its system checks."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class MemoryhubConfig(AppConfig):
    """API keys, roles, the audit log."""

    name = "memoryhub"
    verbose_name = "Access"

    def ready(self) -> None:
        """Register the system checks, and what makes the tables of the indexes."""
        from memoryhub import checks  # noqa: F401
        from memoryhub.search import keywords, vectors

        post_migrate.connect(keywords.prepare, sender=self, dispatch_uid="memoryhub.keywords")
        post_migrate.connect(vectors.prepare, sender=self, dispatch_uid="memoryhub.vectors")
