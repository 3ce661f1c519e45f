"""Finding the people a caller names; whom the caller may not know is not there."""

from tertulia.api.call import Call
from tertulia.domain.users import User, may_see_email


def with_id(call: Call, user_id: int) -> User | None:
    user = call.org.users.get(user_id)
    return user if user is not None and call.org.may_know(call.caller, user) else None


def with_address(call: Call, email: str) -> User | None:
    """Whoever has this address in public, or one that the caller may see."""
    user = call.org.user_with_email(email)
    if user is None or not may_see_email(call.caller, user):
        user = call.org.user_with_stand_in(email)
    return user if user is not None and call.org.may_know(call.caller, user) else None
