"""The administrator of the first start, and the way back when nobody is one any more."""

import pytest
from django.contrib.auth.models import User

from memoryhub.server.first_start import NAME, ensure_admin

pytestmark = pytest.mark.django_db


def test_there_is_an_administrator_after_a_start_also_when_the_last_one_took_their_own_rights():
    assert ensure_admin()
    assert ensure_admin() == ""
    for lost in ({"is_superuser": False, "is_staff": False}, {"is_active": False}):
        User.objects.update(**lost)
        password = ensure_admin()
        admin = User.objects.get(username=NAME)
        assert admin.check_password(password)
        assert (admin.is_superuser, admin.is_staff, admin.is_active) == (True, True, True)
