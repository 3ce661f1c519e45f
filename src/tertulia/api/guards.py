"""Whom an endpoint is for, where a role says so: what routes name as `requires=`."""

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
    """Only administrators may."""
    if not call.user.is_admin:
        raise AdministratorRequired()


def owner(call: Call) -> None:
    """Only owners may."""
    if not call.user.is_owner:
        raise OwnerRequired()


def manager_of_accounts(call: Call) -> None:
    """The same, in the words that clients know from what is done to other people's accounts."""
    if not call.user.is_admin:
        raise InsufficientPermission()


def human(call: Call) -> None:
    """People may, bots may not."""
    if call.user.is_bot:
        raise BadRequest("This endpoint does not accept bot requests.")


def human_with_push(call: Call) -> None:
    """People may, where phones can be told something."""
    human(call)
    if not call.config.pushes:
        raise PushNotConfigured()


def with_bigbluebutton(call: Call) -> None:
    """Everybody may, where there is a server for it."""
    if not call.config.has_bigbluebutton:
        raise CallsNotConfigured(service="BigBlueButton")


def with_nextcloud(call: Call) -> None:
    """Everybody may, where there is a server for it."""
    if not call.config.has_nextcloud:
        raise CallsNotConfigured(service="Nextcloud Talk")


def no_guest(call: Call) -> None:
    """Everybody but guests may."""
    if call.user.is_guest:
        raise GuestRefused()


def human_member(call: Call) -> None:
    """People, but not guests."""
    human(call)
    no_guest(call)


def bot(call: Call) -> None:
    """Bots may, people may not."""
    if not call.user.is_bot:
        raise BotRequired()
