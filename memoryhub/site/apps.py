"""Names the app."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """The site's own pages and commands."""

    name = "memoryhub.site"
    label = "site"
    verbose_name = "Site"
