"""Finding the people a caller names; whom the caller may not know is not there."""

from tertulia import domain
from tertulia.api.call import Call
from tertulia.domain.people.user import User


def with_id(call: Call, user_id: int) -> User | None:
    user = call.org.users.get(user_id)
    return user if user is not None and call.org.may_know(call.caller, user) else None


def with_address(call: Call, email: str) -> User | None:
    """Whoever has this address in public, or a real one that the caller may see.

    An address that we made up stands for its owner, even if somebody says it is their real one.
    """
    user = call.org.user_with_stand_in(email)
    if user is None:
        user = call.org.accounts.with_email(email)
        if user is not None and not domain.people.user.may_see_email(call.caller, user):
            return None
    return user if user is not None and call.org.may_know(call.caller, user) else None
