"""What is looked at before a process of the hub starts: what an operator may have set wrong, and no page."""

import pytest
from django.core.checks import registry

from memoryhub.checks import CONFIGURATION
from memoryhub.site.management.command_list import OWN
from tests.verification.hub import a_hub


def test_every_check_of_the_hubs_own_is_of_the_configuration():
    own = [check for check in registry.registry.get_checks(True) if check.__module__.partition(".")[0] in OWN]
    assert len(own) > 4
    assert all(CONFIGURATION in check.tags for check in own)


@pytest.mark.parametrize("command", ["run", "qcluster"])
def test_what_is_set_wrong_is_told_before_anything_starts(command, tmp_path):
    with a_hub(tmp_path, MEMORYHUB_WEBHOOK_NETWORKS="my-cellar") as hub:
        refused = hub.manage(command)
    assert refused.returncode == 1
    assert "my-cellar is no network" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not refused.stdout
