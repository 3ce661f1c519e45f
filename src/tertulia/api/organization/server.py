"""What anybody may know of the server: its settings and the description of its API."""

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions, api, domain
from tertulia.actions.messages.composing import Author
from tertulia.api.call import Call
from tertulia.errors import BadRequest
from tertulia.http.replies import Reply

METHODS = [
    "password",
    "dev",
    "email",
    "ldap",
    "remoteuser",
    "github",
    "azuread",
    "gitlab",
    "google",
    "apple",
    "saml",
    "openid connect",
]


class ExternalMethod(msgspec.Struct):
    """A way in that begins at an address of ours and leads through another site."""

    name: str
    display_name: str
    display_icon: str | None
    login_url: str
    signup_url: str


class ServerSettings(Reply):
    authentication_methods: dict[str, bool]
    external_authentication_methods: list[ExternalMethod]
    service_feature_level: int
    service_version: str
    service_merge_base: str
    zulip_feature_level: int
    zulip_version: str
    zulip_merge_base: str
    push_notifications_enabled: bool
    is_incompatible: bool
    email_auth_enabled: bool
    require_email_format_usernames: bool
    realm_url: str
    realm_uri: str
    realm_name: str | UnsetType = UNSET
    realm_icon: str | UnsetType = UNSET
    realm_description: str | UnsetType = UNSET
    realm_web_public_access_enabled: bool | UnsetType = UNSET


async def settings(call: Call) -> ServerSettings:
    """What a client needs to know before anybody has logged in."""
    if call.found_org is None:
        raise BadRequest("Invalid subdomain")
    org = call.found_org
    organization = Author(call.db, org, None, call.site)
    by_email = org.realm.admits_passwords
    methods = dict.fromkeys(METHODS, False) | {"password": by_email, "email": by_email}
    return ServerSettings(
        authentication_methods=methods,
        external_authentication_methods=external_methods(call),
        **domain.version.TOLD,
        push_notifications_enabled=False,
        is_incompatible=call.client == "ZulipInvalid",
        email_auth_enabled=by_email,
        require_email_format_usernames=names_are_addresses(call),
        realm_url=call.site,
        realm_uri=call.site,
        realm_name=org.realm.name,
        realm_icon=f"{call.site}/static/icon.png",
        realm_description=await actions.messages.composing.describe(
            organization, org.realm.setting("description")
        ),
        realm_web_public_access_enabled=api.call.has_public_access(call.config, org),
    )


def external_methods(call: Call) -> list[ExternalMethod]:
    """The ways in beside a password, in the order in which they are offered."""
    return []


def names_are_addresses(call: Call) -> bool:
    """Whether one logs in with an address, rather than with a name that another service knows."""
    return True
