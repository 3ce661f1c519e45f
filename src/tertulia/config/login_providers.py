"""Login providers: the tables `[[openid]]`, `[[ldap]]`, … of the settings file.

One class for each kind of table; `login_provider` has the rows that they share.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from tertulia.config.login_provider import InformedProvider, Provider, needed, row, unset_row
from tertulia.config.parsers import (
    ALTERNATIVES,
    ATTRIBUTE,
    DIRECTORY,
    FILE,
    KEY,
    LINE,
    LIST,
    MAIL_DOMAIN,
    SOMETHING,
    SWITCH,
    WEB_ADDRESS,
    ConfigError,
    filter_with,
    one_of,
    text,
    whole,
)

PRESETS = {
    "openid": ("OpenID Connect", ""),
    "google": ("Google", "https://accounts.google.com"),
    "gitlab": ("GitLab", "https://gitlab.com"),
    "github": ("GitHub", "https://github.com"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIdProvider(InformedProvider):
    TABLE = "openid"
    MEANING = (
        "Single sign-on with OpenID Connect, or with GitHub. Register the redirect URI with the"
        " provider: `https://CHAT/complete/oidc/` for the first table,"
        " `https://CHAT/complete/oidc/NAME/` for every further one (see `return_address`), and"
        " `https://CHAT/complete/google/` and so on for a preset."
    )

    preset: str = row(
        "openid",
        one_of(*PRESETS),
        "A well-known provider. A preset needs only `client_id` and `client_secret`.",
    )
    client_id: str = needed(SOMETHING, "The client id from the provider.")
    client_secret: str = needed(SOMETHING, "The client secret from the provider.", secret=True)
    issuer: str = unset_row(
        WEB_ADDRESS,
        "The issuer URL of the provider; `/.well-known/openid-configuration` is below it.",
        "the issuer of the preset",
    )
    display_name: str = unset_row(LINE, "The text of the login button.", "the preset's name")
    display_icon: str = unset_row(WEB_ADDRESS, "The URL of an icon for the login button.")
    addresses_are_verified: bool = row(
        False,
        SWITCH,
        "Accept email addresses that the provider does not mark as verified. Only for providers"
        " where users cannot enter an address of their choice.",
    )
    scopes: tuple[str, ...] = row(("openid", "profile", "email"), LIST, "The scopes to request.")
    name_claim: str = row("name", ATTRIBUTE, "The claim with the full name.")
    groups_claim: str = row("groups", ATTRIBUTE, "The claim with the list of groups.")
    ca_file: str = unset_row(
        FILE, "CA certificates (PEM) for the provider.", "the CAs that the system trusts"
    )
    return_address: str = unset_row(
        text("own|shared", "own or shared", "(own|shared)?"),
        "The redirect URI: `own` is `/complete/oidc/NAME/`, `shared` is `/complete/oidc/`. A preset"
        " always has its own.",
        "`shared` for an organization's first table without a preset, otherwise `own`",
    )

    @property
    def key(self) -> str:
        return f"oidc:{self.label}" if self.preset == "openid" else self.preset

    @property
    def method(self) -> str:
        return PRESETS[self.preset][0]

    @property
    def site(self) -> str:
        return self.issuer or PRESETS[self.preset][1]

    @property
    def title(self) -> str:
        return self.display_name or self.method

    def return_path(self, others: "Sequence[OpenIdProvider]") -> str:
        """The path of the redirect URI; `others` are all providers of the organization. If two
        providers shared one, each could receive the codes of the other."""
        if self.preset != "openid":
            return f"/complete/{self.preset}/"
        plain = [each for each in others if each.preset == "openid"]
        shared = [each.label for each in plain if each.return_address == "shared"]
        if not shared:
            shared = [each.label for each in plain if each.return_address != "own"][:1]
        is_shared = self.label in shared
        return "/complete/oidc/" if is_shared else f"/complete/oidc/{self.label}/"

    def check(self) -> None:
        if not self.site:
            raise ConfigError("issuer is missing: the issuer URL of the provider")


@dataclass(frozen=True, slots=True, kw_only=True)
class LdapDirectory(InformedProvider):
    TABLE = "ldap"
    METHOD = "LDAP"
    MEANING = "Login with the password of an LDAP directory: OpenLDAP, Active Directory, FreeIPA."

    new_people: str = row(
        "anybody",
        one_of("anybody", "nobody"),
        "Who gets an account at the first login: everyone in the directory whose email address the"
        " organization allows, or no one.",
    )
    url: str = needed(DIRECTORY, "The address of the directory. `ldap://` uses StartTLS.")
    plain: bool = row(
        False,
        SWITCH,
        "Use `ldap://` without encryption: every machine on the path can read passwords.",
    )
    ca_file: str = unset_row(
        FILE, "CA certificates (PEM) for the directory.", "the CAs that the system trusts"
    )
    timeout_seconds: int = row(
        5, whole(1, 60), "The time limit for each request to the directory, in seconds."
    )
    bind_dn: str = unset_row(LINE, "The DN to search as.", "anonymous search")
    bind_password: str = unset_row(LINE, "The password of `bind_dn`.", secret=True)
    base: str = needed(SOMETHING, "The base DN of people.")
    filter: str = row(
        "(uid={name})",
        filter_with("{name}"),
        "The filter that finds a person by login name; the server escapes `{name}`.",
    )
    email_filter: str = row(
        "(mail={email})",
        filter_with("{email}"),
        "The filter that finds a person who types an email address instead of a login name.",
    )
    username_attribute: str = row("uid", ATTRIBUTE, "The attribute with the login name.")
    email_attribute: str = row("mail", ATTRIBUTE, "The attribute with the email address.")
    email_domain: str = unset_row(
        MAIL_DOMAIN,
        "Builds the email address from the login name and this domain, instead of"
        " `email_attribute`.",
        "none: `email_attribute` is used",
    )
    id_attribute: str = row(
        "entryUUID",
        ATTRIBUTE,
        "The attribute that identifies a person permanently; `objectGUID` in Active Directory.",
    )
    name_attribute: str = row("cn", ATTRIBUTE, "The attribute with the full name.")
    first_name_attribute: str = unset_row(
        ATTRIBUTE, "With `last_name_attribute`: the full name from two attributes."
    )
    last_name_attribute: str = unset_row(ATTRIBUTE, "See `first_name_attribute`.")
    picture_attribute: str = unset_row(
        ATTRIBUTE,
        "The attribute with the picture: `jpegPhoto` or `thumbnailPhoto`.",
        "none: pictures are not changed",
    )
    disabled_attribute: str = unset_row(
        ATTRIBUTE,
        "`userAccountControl`, or an attribute that is `TRUE` or `YES` for disabled accounts.",
        "none",
    )
    organization_attribute: str = unset_row(
        ATTRIBUTE, "The attribute with the subdomains that a person may use.", "no restriction"
    )
    required_attributes: tuple[tuple[tuple[str, str], ...], ...] = row(
        (),
        ALTERNATIVES,
        "Only people whose attributes match one of these tables can log in:"
        ' `[{ department = "it" }, { title = "Editor", office = "Lima" }]`.',
        when_empty="no restriction",
    )
    group_base: str = unset_row(LINE, "The base DN of groups.", "`base`")
    group_filter: str = row(
        "(member={dn})",
        filter_with("{dn}", "{name}"),
        "The filter that finds the groups of a person, with `{dn}` or `{name}`. For nested groups"
        " in Active Directory: `(member:1.2.840.113556.1.4.1941:={dn})`.",
    )
    group_name_attribute: str = row("cn", ATTRIBUTE, "The attribute with the name of a group.")
    deactivate_missing: bool = row(
        False,
        SWITCH,
        "Deactivate users who are deleted from the directory. Without it they keep their account,"
        " their sessions and their API key, but cannot log in again.",
    )
    sync_minutes: int = row(
        15,
        whole(0, 10_080),
        "How often the server updates accounts from the directory, in minutes; `0` is never. A user"
        " disabled in the directory stays active here until the next update.",
    )

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or (636 if self.is_ldaps else 389)

    @property
    def is_ldaps(self) -> bool:
        return self.url.startswith("ldaps:")

    @property
    def makes_addresses(self) -> bool:
        """Whether the server can find the email address for a login name."""
        return bool(self.email_domain or self.email_attribute)

    def check(self) -> None:
        if self.plain and self.is_ldaps:
            raise ConfigError("plain and ldaps:// contradict each other")
        if bool(self.first_name_attribute) != bool(self.last_name_attribute):
            raise ConfigError("first_name_attribute and last_name_attribute go together")
        if not self.filter or not self.username_attribute:
            raise ConfigError("filter and username_attribute cannot be empty")
        if bool(self.bind_dn) != bool(self.bind_password):
            raise ConfigError("bind_dn and bind_password go together")


@dataclass(frozen=True, slots=True, kw_only=True)
class SamlProvider(InformedProvider):
    TABLE = "saml"
    METHOD = "SAML"
    MEANING = (
        "Single sign-on with SAML 2.0. The metadata for the provider is at"
        " `https://CHAT/saml/metadata.xml`; the assertion consumer service is"
        " `https://CHAT/complete/saml/`."
    )

    entity_id: str = needed(SOMETHING, "The entity id of the provider.")
    url: str = needed(WEB_ADDRESS, "The provider's single sign-on URL (HTTP-Redirect).")
    logout_url: str = unset_row(
        WEB_ADDRESS,
        "The provider's single logout URL (HTTP-Redirect). Logging out here then logs out there"
        " too.",
        "none: the login at the provider stays",
    )
    certificate: str = needed(
        KEY, "The provider's signing certificate (PEM); two during a certificate change."
    )
    display_name: str = unset_row(LINE, "The text of the login button.", "`SAML`")
    display_icon: str = unset_row(WEB_ADDRESS, "The URL of an icon for the login button.")
    email_attribute: str = unset_row(LINE, "The attribute with the email address.", "the NameID")
    id_attribute: str = unset_row(
        LINE, "The attribute that identifies a person permanently.", "the NameID"
    )
    name_attribute: str = unset_row(LINE, "The attribute with the full name.")
    first_name_attribute: str = unset_row(
        LINE, "With `last_name_attribute`: the full name from two attributes."
    )
    last_name_attribute: str = unset_row(LINE, "See `first_name_attribute`.")
    groups_attribute: str = row("groups", LINE, "The attribute with the list of groups.")
    organization_attribute: str = unset_row(
        LINE, "The attribute with the subdomains that a person may use.", "no restriction"
    )

    @property
    def title(self) -> str:
        return self.display_name or self.method

    def check(self) -> None:
        if "BEGIN CERTIFICATE" not in self.certificate:
            raise ConfigError("certificate must be PEM: -----BEGIN CERTIFICATE-----")


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteUserProxy(Provider):
    TABLE = "remote_user"
    METHOD = "RemoteUser"
    MEANING = (
        "Login by a proxy that authenticates users and names them in a header. The server accepts"
        " the header only from `trusted_proxies`. The proxy must remove the header from requests of"
        " clients."
    )

    header: str = row(
        "X-Remote-User", SOMETHING, "The header with the email address or the user name."
    )
    email_domain: str = unset_row(
        MAIL_DOMAIN,
        "The domain that is appended to user names without an @.",
        "none: the header must hold an email address",
    )

    @property
    def key(self) -> str:
        return "remote_user"


@dataclass(frozen=True, slots=True, kw_only=True)
class JwtIssuer(Provider):
    TABLE = "jwt"
    METHOD = "JWT"
    MEANING = "Login with tokens (JWT) that a program of yours signs."

    key_text: str = needed(KEY, "The shared secret, or the public key as PEM.", secret=True)
    algorithms: tuple[str, ...] = row(("HS256",), LIST, "The accepted signature algorithms.")

    def check(self) -> None:
        known = {f"{kind}{size}" for kind in ("HS", "RS", "PS", "ES") for size in (256, 384, 512)}
        if not self.algorithms or not known.issuperset({*self.algorithms}):
            raise ConfigError(f"algorithms must be out of {', '.join(sorted(known))}")
        if len({name[:2] == "HS" for name in self.algorithms}) > 1:
            raise ConfigError("algorithms must not mix shared secrets (HS…) with public keys")
        if self.algorithms[0].startswith("HS") and len(self.key_text) < 32:
            raise ConfigError("key_text must have at least 32 characters")


TABLES: dict[str, type[Provider]] = {
    each.TABLE: each
    for each in (OpenIdProvider, LdapDirectory, SamlProvider, RemoteUserProxy, JwtIssuer)
}
