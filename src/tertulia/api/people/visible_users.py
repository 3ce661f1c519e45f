"""Finding the users that a caller names; users that the caller may not see are not found."""

from tertulia import domain
from tertulia.api.call import Call
from tertulia.domain.people.user import User


def with_id(call: Call, user_id: int) -> User | None:
    user = call.org.users.get(user_id)
    return user if user is not None and call.org.may_know(call.caller, user) else None


def with_address(call: Call, email: str) -> User | None:
    """The user with this public address, or with this real address if the caller may see it.

    A generated public address always means its owner, even if another user claims it as real.
    """
    user = call.org.accounts.with_placeholder_email(email, call.org.email_domain)
    if user is None:
        user = call.org.accounts.with_email(email)
        if user is not None and not domain.people.user.may_see_email(call.caller, user):
            return None
    return user if user is not None and call.org.may_know(call.caller, user) else None
