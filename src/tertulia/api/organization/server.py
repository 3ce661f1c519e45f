"""Public information about the server: its settings and the API description."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions, domain, storage
from tertulia.actions.messages.draft import Author
from tertulia.api.call import Call, has_public_access, is_root
from tertulia.api.people import ldap_login
from tertulia.config import Provider
from tertulia.config.login_providers import OpenIdProvider, SamlProvider
from tertulia.errors import BadRequest
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import (
    ServiceFeatureLevel,
    ServiceMergeBase,
    ServiceVersion,
    ZulipFeatureLevel,
    ZulipMergeBase,
    ZulipVersion,
)

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
    "discord",
    "saml",
    "openid connect",
]


class ExternalMethod(msgspec.Struct):
    """A login method that begins at one of our URLs and leads through another site."""

    name: Annotated[str, Doc("The name of the login method, for programs.")]
    display_name: Annotated[str, Doc("The text of the button.")]
    display_icon: Annotated[
        str | None, Doc("The URL of an icon for the button; null if there is none.")
    ]
    login_url: Annotated[str, Doc("The URL on this server that starts the login.")]
    signup_url: Annotated[str, Doc("The URL on this server that starts the sign-up.")]


# For apps that know only names and passwords: our own page, which asks for a second factor.
BROWSER = ExternalMethod("browser", "the browser", None, "/accounts/login/", "/register/")


class ServerSettings(Reply):
    authentication_methods: Annotated[
        dict[str, bool], Doc("Whether each login method is available, by name. Deprecated.")
    ]
    external_authentication_methods: Annotated[
        list[ExternalMethod], Doc("The login methods of other sites, in display order.")
    ]
    service_feature_level: ServiceFeatureLevel
    service_version: ServiceVersion
    service_merge_base: ServiceMergeBase
    zulip_feature_level: ZulipFeatureLevel
    zulip_version: ZulipVersion
    zulip_merge_base: ZulipMergeBase
    push_notifications_enabled: Annotated[
        bool, Doc("Whether this server can send push notifications to phones.")
    ]
    is_incompatible: Annotated[bool, Doc("Whether the client is too old for this server.")]
    email_auth_enabled: Annotated[
        bool, Doc("Whether users can log in with an email address and a password.")
    ]
    require_email_format_usernames: Annotated[
        bool, Doc("Whether the user name must be an email address.")
    ]
    realm_url: Annotated[str | UnsetType, Doc("The URL of the organization.")] = UNSET
    realm_uri: Annotated[str | UnsetType, Doc("The same as `realm_url`. Deprecated.")] = UNSET
    realm_name: Annotated[str | UnsetType, Doc("The name of the organization.")] = UNSET
    realm_icon: Annotated[str | UnsetType, Doc("The URL of the organization's icon.")] = UNSET
    realm_description: Annotated[
        str | UnsetType, Doc("The description of the organization, as HTML.")
    ] = UNSET
    realm_web_public_access_enabled: Annotated[
        bool | UnsetType, Doc("Whether some channels can be read without a login.")
    ] = UNSET


async def settings(call: Call) -> ServerSettings:
    """Server information for clients before login.

    At the root of several organizations it is what holds for the server, and nothing of any of
    them.
    """
    methods = _methods(call)
    reply = ServerSettings(
        authentication_methods=methods,
        external_authentication_methods=[
            *external_methods(call),
            *([BROWSER] if methods["password"] and await _second_factors_are_used(call) else []),
        ],
        **domain.version.WIRE_FIELDS,
        push_notifications_enabled=call.config.pushes,
        is_incompatible=call.client == "ZulipInvalid",
        email_auth_enabled=methods["email"],
        require_email_format_usernames=names_are_addresses(call),
    )
    org = call.found_org
    if org is None:
        if not is_root(call):
            raise BadRequest("Invalid subdomain")
        return reply
    organization = Author(call.db, org, None, call.site)
    reply.realm_url = reply.realm_uri = call.site
    reply.realm_name = org.realm.name
    reply.realm_icon = call.site + domain.organization.pictures.path(org.realm, "icon")
    reply.realm_description = await actions.messages.draft.describe(
        organization, org.realm.setting("description")
    )
    reply.realm_web_public_access_enabled = has_public_access(call.config, org)
    return reply


def _methods(call: Call) -> dict[str, bool]:
    """Whether each login method is offered by the server and enabled in the organization."""
    methods = dict.fromkeys(METHODS, False)
    realm = None if call.found_org is None else call.found_org.realm
    for name in call.config.login_methods(None if realm is None else realm.subdomain):
        if name.lower() in methods:
            methods[name.lower()] = realm is None or realm.admits(name)
    return methods | {"password": methods["email"] or methods["ldap"]}


def external_methods(call: Call) -> list[ExternalMethod]:
    """The login methods besides a password, in the order in which they are offered."""
    if call.found_org is None:
        return []
    realm = call.found_org.realm
    found = [
        _external(each)
        for each in call.config.providers
        if each.is_for(realm.subdomain) and realm.admits(each.method) and each.method in ORDER
    ]
    return [method for _, method in sorted(found, key=lambda each: -each[0])]


# Higher is nearer to the top; providers of one kind keep the order of the settings.
ORDER = {
    "SAML": 9999,
    "RemoteUser": 9000,
    "Google": 150,
    "GitHub": 100,
    "OpenID Connect": 100,
    "GitLab": 75,
}


def _external(provider: Provider) -> tuple[int, ExternalMethod]:
    if not isinstance(provider, OpenIdProvider | SamlProvider):
        path = "/accounts/login/start/sso/"
        return ORDER[provider.method], ExternalMethod("remoteuser", "SSO", None, path, path)
    method = ExternalMethod(
        name=provider.key,
        display_name=provider.title,
        display_icon=provider.display_icon or None,
        login_url=f"/accounts/login/social/{provider.key.replace(':', '/')}",
        signup_url=f"/accounts/register/social/{provider.key.replace(':', '/')}",
    )
    return ORDER[provider.method], method


def names_are_addresses(call: Call) -> bool:
    """Whether users log in with an email address rather than an LDAP name."""
    if call.found_org is None:
        return True
    return not any(each.makes_addresses for each in ldap_login.open_to(call))


async def _second_factors_are_used(call: Call) -> bool:
    if call.found_org is None:
        return False
    is_required = bool(call.org.realm.setting("require_second_factor"))
    return is_required or await call.db.read(storage.people.second_factors.are_used)
