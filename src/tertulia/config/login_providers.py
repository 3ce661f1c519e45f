"""Who vouches for people: the tables `[[openid]]`, `[[ldap]]`, … of the settings file.

One class for each kind of table, and its rows; what they share is in `provider`.
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
        "A site that people log in with in their browser: anything that speaks OpenID Connect, and"
        " GitHub. Give it our return address: `https://CHAT/complete/oidc/`, for every further"
        " table `https://CHAT/complete/oidc/NAME/` (see `return_address`), or"
        " `https://CHAT/complete/google/` and so on for a preset."
    )

    preset: str = row(
        "openid", one_of(*PRESETS), "A well-known site; all it needs are the two lines below."
    )
    client_id: str = needed(SOMETHING, "What the provider calls us.")
    client_secret: str = needed(SOMETHING, "What the provider knows us by.", secret=True)
    issuer: str = unset_row(
        WEB_ADDRESS,
        "The address of the provider, below which `/.well-known/openid-configuration` is found.",
        "that of the preset",
    )
    display_name: str = unset_row(LINE, "What its button says.", "the preset's name")
    display_icon: str = unset_row(WEB_ADDRESS, "The address of a picture for its button.")
    addresses_are_verified: bool = row(
        False,
        SWITCH,
        "Believe an address of which the provider does not say whether it is verified. Only for"
        " providers where people cannot write any address into their profile.",
    )
    scopes: tuple[str, ...] = row(
        ("openid", "profile", "email"), LIST, "What we ask the provider to tell."
    )
    name_claim: str = row("name", ATTRIBUTE, "The claim that holds the full name.")
    groups_claim: str = row("groups", ATTRIBUTE, "The claim that lists somebody's groups.")
    ca_file: str = unset_row(
        FILE, "Certificates to check the provider's with.", "the well-known ones"
    )
    return_address: str = unset_row(
        text("own|shared", "own or shared", "(own|shared)?"),
        "Where logins come back to: `own` is `/complete/oidc/NAME/`, `shared` is"
        " `/complete/oidc/`. A preset has its own address in any case.",
        "`own`, but `shared` for the first table without a preset of an organization",
    )

    @property
    def key(self) -> str:
        return f"oidc:{self.called}" if self.preset == "openid" else self.preset

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
        """Where a login comes back to; `others` are all providers of the organization. An address
        that two providers share lets one of them receive codes of the other."""
        if self.preset != "openid":
            return f"/complete/{self.preset}/"
        plain = [each for each in others if each.preset == "openid"]
        shared = [each.called for each in plain if each.return_address == "shared"]
        if not shared:
            shared = [each.called for each in plain if each.return_address != "own"][:1]
        is_shared = self.called in shared
        return "/complete/oidc/" if is_shared else f"/complete/oidc/{self.called}/"

    def check(self) -> None:
        if not self.site:
            raise ConfigError("issuer is missing: the address of the provider")


@dataclass(frozen=True, slots=True, kw_only=True)
class LdapDirectory(InformedProvider):
    TABLE = "ldap"
    METHOD = "LDAP"
    MEANING = "A directory that knows people's names and passwords: OpenLDAP, Active Directory."

    new_people: str = row(
        "anybody",
        one_of("anybody", "nobody"),
        "Whether people of the directory get an account at the first login; no invitation is"
        " needed, but the address must be one that the organization admits.",
    )
    url: str = needed(DIRECTORY, "Where it is. `ldap://` is encrypted by StartTLS.")
    plain: bool = row(
        False, SWITCH, "Speak unencrypted over `ldap://`: everybody on the way reads passwords."
    )
    ca_file: str = unset_row(FILE, "Certificates to check the directory's with.", "the system's")
    timeout_seconds: int = row(5, whole(1, 60), "How long we wait for it.")
    bind_dn: str = unset_row(LINE, "Whom we search as.", "nobody (anonymously)")
    bind_password: str = unset_row(LINE, "Their password.", secret=True)
    base: str = needed(SOMETHING, "Below which entry people are.")
    filter: str = row(
        "(uid={name})", filter_with("{name}"), "Who has a login name; it is put in, escaped."
    )
    email_filter: str = row(
        "(mail={email})",
        filter_with("{email}"),
        "Who has an address, for people who type that instead of their name.",
    )
    username_attribute: str = row("uid", ATTRIBUTE, "The attribute that holds the login name.")
    email_attribute: str = row("mail", ATTRIBUTE, "The attribute that holds the address.")
    email_domain: str = unset_row(
        MAIL_DOMAIN,
        "Appended to the login name to make the address, instead of `email_attribute`.",
        "the attribute counts",
    )
    id_attribute: str = row(
        "entryUUID",
        ATTRIBUTE,
        "What stays the same when names and addresses change; `objectGUID` in Active Directory.",
    )
    name_attribute: str = row("cn", ATTRIBUTE, "The attribute that holds the full name.")
    first_name_attribute: str = unset_row(
        ATTRIBUTE, "Together with `last_name_attribute`, instead of it."
    )
    last_name_attribute: str = unset_row(ATTRIBUTE, "See there.")
    picture_attribute: str = unset_row(
        ATTRIBUTE, "`jpegPhoto` or `thumbnailPhoto`.", "pictures stay"
    )
    disabled_attribute: str = unset_row(
        ATTRIBUTE,
        "`userAccountControl`, or one that is `TRUE` or `YES` for those who are disabled.",
        "nobody is",
    )
    organization_attribute: str = unset_row(
        ATTRIBUTE, "Lists the subdomains that somebody belongs to.", "not asked"
    )
    required_attributes: tuple[tuple[tuple[str, str], ...], ...] = row(
        (),
        ALTERNATIVES,
        "Only those may come in who have all these values, or all of another such table:"
        ' `[{ department = "it" }, { title = "Editor", office = "Lima" }]`.',
        when_empty="not asked",
    )
    group_base: str = unset_row(LINE, "Below which entry groups are.", "that of people")
    group_filter: str = row(
        "(member={dn})",
        filter_with("{dn}", "{name}"),
        "In which groups somebody is, by `{dn}` or `{name}`. For groups in groups of Active"
        " Directory: `(member:1.2.840.113556.1.4.1941:={dn})`.",
    )
    group_name_attribute: str = row("cn", ATTRIBUTE, "The attribute that holds a group's name.")
    deactivate_missing: bool = row(
        False,
        SWITCH,
        "Whether to deactivate people whom the directory no longer has. Without it they keep their"
        " account, their sessions and their key; only logging in by the directory ends.",
    )
    sync_minutes: int = row(
        15,
        whole(0, 10_080),
        "How often the server brings accounts up to date; `0` is never. For that long an account"
        " that was disabled or deleted there stays active here.",
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
        """Whether a login name can be turned into an address."""
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
        "A site that people log in with by SAML. It finds what it has to know of us at"
        " `https://CHAT/saml/metadata.xml`; our return address is `https://CHAT/complete/saml/`."
    )

    entity_id: str = needed(SOMETHING, "What the provider calls itself.")
    url: str = needed(WEB_ADDRESS, "Where it lets people log in (HTTP-Redirect).")
    logout_url: str = unset_row(
        WEB_ADDRESS,
        "Where it lets people log out (HTTP-Redirect): who logs out here is logged out there, too.",
        "who logs out here stays logged in there",
    )
    certificate: str = needed(KEY, "With which it signs, as PEM; two of them while it changes.")
    display_name: str = unset_row(LINE, "What its button says.", "`SAML`")
    display_icon: str = unset_row(WEB_ADDRESS, "The address of a picture for its button.")
    email_attribute: str = unset_row(
        LINE, "The attribute that holds the address.", "the NameID is it"
    )
    id_attribute: str = unset_row(LINE, "What stays the same when addresses change.", "the NameID")
    name_attribute: str = unset_row(LINE, "The attribute with the full name.")
    first_name_attribute: str = unset_row(
        LINE, "Together with `last_name_attribute`, instead of it."
    )
    last_name_attribute: str = unset_row(LINE, "See there.")
    groups_attribute: str = row("groups", LINE, "The attribute that lists groups.")
    organization_attribute: str = unset_row(
        LINE, "Lists the subdomains that somebody belongs to.", "not asked"
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
        "A proxy before us that knows who somebody is and says so in a header. It is believed only"
        " from `trusted_proxies`, and the proxy must take the header out of what others send."
    )

    header: str = row("X-Remote-User", SOMETHING, "The header with the address or the name.")
    email_domain: str = unset_row(
        MAIL_DOMAIN, "Appended to names without an @.", "names must be addresses"
    )

    @property
    def key(self) -> str:
        return "remote_user"


@dataclass(frozen=True, slots=True, kw_only=True)
class JwtIssuer(Provider):
    TABLE = "jwt"
    METHOD = "JWT"
    MEANING = "A program of yours that vouches for people with signed tokens (JWT)."

    key_text: str = needed(KEY, "The shared secret, or the public key as PEM.", secret=True)
    algorithms: tuple[str, ...] = row(("HS256",), LIST, "With which it signs.")

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
