"""Names the app."""

from django.apps import AppConfig


class ProfilesConfig(AppConfig):
    """People and places."""

    name = "profiles"
    verbose_name = "Profiles: who and where"
