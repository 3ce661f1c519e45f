"""Role checks of endpoints, named as `requires=` in the routes."""

from tertulia.api.call import Call
from tertulia.errors import BadRequest
from tertulia.errors.authentication import (
    AdministratorRequired,
    BotRequired,
    GuestRefused,
    InsufficientPermission,
    OwnerRequired,
)
from tertulia.errors.http import CallsNotConfigured, PushNotConfigured


def administrator(call: Call) -> None:
    """Administrators only."""
    if not call.user.is_admin:
        raise AdministratorRequired()


def owner(call: Call) -> None:
    """Owners only."""
    if not call.user.is_owner:
        raise OwnerRequired()


def manager_of_accounts(call: Call) -> None:
    """Administrators only, with the message that clients know from calls about other accounts."""
    if not call.user.is_admin:
        raise InsufficientPermission()


def human(call: Call) -> None:
    """Not for bots."""
    if call.user.is_bot:
        raise BadRequest("This endpoint does not accept bot requests.")


def human_with_push(call: Call) -> None:
    """Not for bots, and only where a push service is configured."""
    human(call)
    if not call.config.pushes:
        raise PushNotConfigured()


def with_bigbluebutton(call: Call) -> None:
    """Only where BigBlueButton is configured."""
    if not call.config.has_bigbluebutton:
        raise CallsNotConfigured(service="BigBlueButton")


def with_nextcloud(call: Call) -> None:
    """Only where Nextcloud Talk is configured."""
    if not call.config.has_nextcloud:
        raise CallsNotConfigured(service="Nextcloud Talk")


def no_guest(call: Call) -> None:
    """Not for guests."""
    if call.user.is_guest:
        raise GuestRefused()


def human_member(call: Call) -> None:
    """Neither for bots nor for guests."""
    human(call)
    no_guest(call)


def bot(call: Call) -> None:
    """Bots only."""
    if not call.user.is_bot:
        raise BotRequired()
