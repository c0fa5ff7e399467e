"""Names the app."""

from django.apps import AppConfig


class ProfilesConfig(AppConfig):
    """What members are like."""

    name = "profiles"
    verbose_name = "Profiles: what members are like"
