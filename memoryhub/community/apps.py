"""Names the app."""

from django.apps import AppConfig


class CommunityConfig(AppConfig):
    """Guilds, channels, members, consent."""

    name = "memoryhub.community"
    label = "community"
    verbose_name = "Community: who and where"
