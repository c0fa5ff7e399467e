"""Who may try to sign in how often, by address, and the operator's second way in: a link that works once."""

from __future__ import annotations

from datetime import timedelta
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.db.models import Sum
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac

SPRAYED = 3  # times the wrong passwords for one name that an address may send for all names together
LINK_LASTS = timedelta(minutes=10)
SALT = "memoryhub.sign-in"


def client_address(request: HttpRequest) -> str | None:
    """Return the address that asks, as the outermost of the declared proxies saw it; of IPv6 the network, which is one
    customer's.
    """
    seen = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",")]
    direct, proxies = request.META.get("REMOTE_ADDR"), settings.MEMORYHUB_PROXIES
    try:
        address = ip_address(seen[-proxies] if 0 < proxies <= len(seen) else direct or "")
    except ValueError:
        return direct
    return str(address if isinstance(address, IPv4Address) else ip_network((address, 64), strict=False)[0])


class Limits(AxesDatabaseHandler):  # type: ignore[misc]
    """Counts wrong passwords for one name, and fewer a name where an address tries many."""

    def get_failures(self, request: Any, credentials: dict[str, Any] | None = None) -> int:
        """Return how often the address failed for this name, or its share for all names where that is more."""
        tried = AccessAttempt.objects.filter(
            ip_address=request.axes_ip_address, attempt_time__gte=get_cool_off_threshold(request)
        )
        sprayed = tried.aggregate(sum=Sum("failures_since_start"))["sum"] or 0
        return int(max(super().get_failures(request, credentials), sprayed // SPRAYED))


def link_token(user: User) -> str:
    """Return what stands in a link that signs the person in; signing in by any way uses it up."""
    return signing.dumps([user.pk, _state(user)], salt=SALT)


def _state(user: User) -> str:
    return salted_hmac(SALT, f"{user.password} {user.last_login}").hexdigest()


def user_of_link(token: str) -> User | None:
    """Return who the link is for, None where it is used up, too old, or none of ours."""
    try:
        pk, state = signing.loads(token, salt=SALT, max_age=LINK_LASTS)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    return user if user and constant_time_compare(_state(user), state) else None
