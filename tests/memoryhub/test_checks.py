"""What is looked at before a process of the hub starts: what an operator may have set wrong, and no page."""

import resource

import pytest
from django.core.checks import registry

from memoryhub.checks import CONFIGURATION, open_files
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


@pytest.mark.parametrize(("most", "refused"), [(64, True), (256, False), (resource.RLIM_INFINITY, False)])
def test_a_hub_that_may_open_too_few_files_does_not_start(most, refused, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (64, most))
    assert ["64 files" in found.msg for found in open_files()] == [True] * refused
