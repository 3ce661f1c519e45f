"""Public information about the server: its settings and the API description."""

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions, api, domain
from tertulia.actions.messages.draft import Author
from tertulia.api.call import Call
from tertulia.config import Provider
from tertulia.config.login_providers import OpenIdProvider, SamlProvider
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
    "discord",
    "saml",
    "openid connect",
]


class ExternalMethod(msgspec.Struct):
    """A login method that begins at one of our URLs and leads through another site."""

    name: str
    display_name: str
    display_icon: str | None
    login_url: str
    signup_url: str


# For apps that know only names and passwords: our own page, which asks for a second factor.
BROWSER = ExternalMethod("browser", "the browser", None, "/accounts/login/", "/register/")


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
    realm_url: str | UnsetType = UNSET
    realm_uri: str | UnsetType = UNSET
    realm_name: str | UnsetType = UNSET
    realm_icon: str | UnsetType = UNSET
    realm_description: str | UnsetType = UNSET
    realm_web_public_access_enabled: bool | UnsetType = UNSET


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
            *(
                [BROWSER]
                if methods["password"] and await api.people.second_factors.are_used(call)
                else []
            ),
        ],
        **domain.version.WIRE_FIELDS,
        push_notifications_enabled=call.config.pushes,
        is_incompatible=call.client == "ZulipInvalid",
        email_auth_enabled=methods["email"],
        require_email_format_usernames=names_are_addresses(call),
    )
    org = call.found_org
    if org is None:
        if not api.call.is_root(call):
            raise BadRequest("Invalid subdomain")
        return reply
    organization = Author(call.db, org, None, call.site)
    reply.realm_url = reply.realm_uri = call.site
    reply.realm_name = org.realm.name
    reply.realm_icon = call.site + domain.organization.pictures.path(org.realm, "icon")
    reply.realm_description = await actions.messages.draft.describe(
        organization, org.realm.setting("description")
    )
    reply.realm_web_public_access_enabled = api.call.has_public_access(call.config, org)
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
    return not any(each.makes_addresses for each in api.people.ldap_login.open_to(call))
