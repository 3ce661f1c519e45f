"""Login with a signed token, for programs of the organization."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from tertulia import events
from tertulia.api import audit
from tertulia.api.call import Call
from tertulia.api.people import login, sso_providers
from tertulia.api.people.login import ApiKey
from tertulia.errors import BadRequest
from tertulia.events.types.people.user import UserObject
from tertulia.http.parameter_rules import Example
from tertulia.wire import Doc


class JwtApiKey(ApiKey):
    user: Annotated[UserObject | UnsetType, Doc("The user.")] = UNSET


async def fetch_api_key(
    call: Call,
    *,
    token: Annotated[
        str | None,
        Doc("The token: a signed token (JWT), or the push token of a phone."),
        Example("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.x"),
    ] = None,
    include_profile: Annotated[bool, Doc("Whether to include the profile of the account.")] = False,
) -> JwtApiKey:
    """Exchange a signed token (JWT) for an API key."""
    sso_providers.jwt_issuer(call)
    if not token:
        raise BadRequest("No JSON web token passed in request")
    async with audit.login(call, ""):
        who = await sso_providers.by_token(call, token)
        found = await login.key_of(call, who)
    reply = JwtApiKey(api_key=found.api_key, email=found.email, user_id=found.user_id)
    if include_profile:
        user = call.org.users[found.user_id]
        reply.user = events.types.people.user.user_object(
            call.org, user, user, client_gravatar=False, profile=False
        )
    return reply
