"""What is looked at before a process of the hub starts: what an operator may have set wrong, and no page."""

import pytest
from django.core.checks import registry
from django.core.management import CommandError, call_command

from memoryhub.checks import CONFIGURATION
from memoryhub.site.management.command_list import OWN


def test_every_check_of_the_hubs_own_is_of_the_configuration():
    own = [check for check in registry.registry.get_checks(True) if check.__module__.partition(".")[0] in OWN]
    assert len(own) > 4
    assert all(CONFIGURATION in check.tags for check in own)


@pytest.mark.django_db
@pytest.mark.parametrize("command", ["run", "qcluster"])
def test_what_is_set_wrong_is_told_before_anything_starts(command, settings, monkeypatch):
    monkeypatch.setattr(f"memoryhub.site.management.commands.{command}.Command.handle", lambda *_, **__: "started")
    settings.MEMORYHUB_WEBHOOK_NETWORKS = ["my cellar"]
    with pytest.raises(CommandError, match="my cellar is no network"):
        call_command(command, skip_checks=False)
