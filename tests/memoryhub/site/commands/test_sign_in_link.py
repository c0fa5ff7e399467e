"""`manage.py sign_in` to somebody who may not, and before there is anybody."""

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db


def test_before_anybody_may_sign_in_it_says_what_makes_the_first():
    with pytest.raises(CommandError, match=r"The first `manage.py run` makes the operator"):
        call_command("sign_in")


def test_a_name_that_may_not_is_led_to_those_who_may():
    User.objects.create_user("olga")
    with pytest.raises(CommandError, match=r"Nobody called 'admin' may sign in. The page People lists who may"):
        call_command("sign_in")
