"""Every setting, its default, and what it is for.

`Config` is the one list: the flags, the `TERTULIA_*` variables, the lines of `tertulia.toml` and
`docs/settings.md` are all drawn from its fields. It is read once and handed to whoever needs it.
It is one long table, in the order of that page; `reading` says how it is filled in.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from tertulia.config.login_provider import Provider
from tertulia.config.parsers import (
    BUCKET,
    DATABASE,
    DOMAIN,
    FILE,
    FOLDER,
    FOLDER_IN_BUCKET,
    HOST,
    LINE,
    LISTEN,
    MAIL_ADDRESS,
    MAIL_DOMAIN,
    MAIL_HOST,
    MAIL_PATTERN,
    NETWORKS,
    ORIGIN,
    OTHER_FOLDER,
    RATE,
    SECRET,
    SWITCH,
    TITLE,
    WEB_ADDRESS,
    ConfigError,
    Network,
    Rate,
    Setting,
    hidden,
    one_of,
    setting,
    unset,
    whole,
)
from tertulia.config.sources import (
    CONFIG_VARIABLE,
    find_file,
    read_file,
    read_flags,
    read_variables,
    read_written,
)

if TYPE_CHECKING:
    from tertulia.config.login_providers import (
        JwtIssuer,
        LdapDirectory,
        OpenIdProvider,
        RemoteUserProxy,
        SamlProvider,
    )


HSTS_SECONDS = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Config:
    data: Path = setting(
        Path("data"),
        FOLDER,
        "The folder that holds everything: the database, the secret, the settings file.",
        flag_of="every command",
    )
    host: str = setting("127.0.0.1", HOST, "The address to listen on; `0.0.0.0` is all of them.")
    port: int = setting(9009, whole(0, 65535), "The port to listen on; `0` takes a free one.")
    workers: int = setting(
        1,
        whole(1, 256),
        "How many processes serve, for a machine with many cores; more than one needs PostgreSQL.",
    )
    database: str = setting(
        "",
        DATABASE,
        "Where everything is stored. PostgreSQL may be shared by several servers.",
        when_empty="SQLite, `tertulia.db` in the data folder",
        flag_of="every command",
        is_private=True,
        alias="TERTULIA_DATABASE_URL",
    )
    external_url: str = unset(
        ORIGIN,
        "The address people use. With several organizations, each is a subdomain of its host.",
        "the address each client used",
    )
    fake_email_domain: str = unset(
        MAIL_DOMAIN,
        "The domain of the made-up addresses shown in place of hidden ones.",
        "the host of `external_url`, or `tertulia.invalid`",
    )
    secret: str = setting(
        "",
        SECRET,
        "Seals API keys. It has no flag: other users of the machine can read a command line.",
        when_empty="the file `secret` in the data folder, made at the first start",
        flag_of="none",
        is_private=True,
    )
    rate_limit: Rate | None = setting(
        Rate(200), RATE, "How many requests a user may make: per minute, or `N/SECONDS`, or `off`."
    )
    rate_limit_anonymous: Rate | None = setting(
        Rate(100), RATE, "The same for each address that has not logged in."
    )
    max_body_bytes: int = setting(
        1 << 20,
        whole(1 << 10, 1 << 40),
        "The largest request body accepted (1 MiB); files have limits of their own.",
    )
    max_upload_mib: int = setting(
        25, whole(1, 10_240), "The largest file that people may upload, in MiB."
    )
    upload_quota_mib: int = setting(
        0,
        whole(0, 1 << 30),
        "How much the files of an organization may take together, in MiB.",
        when_empty="`0`: any amount",
    )
    user_upload_quota_mib: int = setting(
        0,
        whole(0, 1 << 30),
        "How much the files of a person and of their bots may take together, in MiB.",
        when_empty="`0`: any amount",
    )
    files: str = setting(
        "database",
        one_of("database", "folder", "s3"),
        "Where uploaded files are kept. Commands have to know it too: say it in the file.",
    )
    files_folder: Path | None = setting(
        None,
        OTHER_FOLDER,
        "The folder for `files = folder`; several servers need one that they share.",
        when_empty="`files` in the data folder",
    )
    s3_bucket: str = unset(
        BUCKET, "The address of the bucket for `files = s3`, such as `https://s3.example.com/chat`."
    )
    s3_folder: str = unset(
        FOLDER_IN_BUCKET, "A folder in the bucket, if files of others are there too."
    )
    s3_region: str = setting("us-east-1", LINE, "The region of the bucket.")
    s3_key_id: str = unset(LINE, "The access key for the bucket.")
    s3_secret: str = hidden("The secret key that belongs to it.")
    max_header_bytes: int = setting(
        64 << 10, whole(1 << 10, 1 << 24), "The largest request head accepted (64 KiB)."
    )
    max_connections_per_address: int = setting(
        1000,
        whole(1, 1_000_000),
        "How many connections an address may have at a time; a trusted proxy has any number.",
    )
    slow_client_seconds: int = setting(
        30,
        whole(1, 3600),
        "How long we wait for the head of a request, and for a body or an answer that moves less"
        " than 2 kB a second.",
    )
    idle_queue_seconds: int = setting(
        600, whole(1, 31_536_000), "How long a silent client keeps its event queue."
    )
    heartbeat_seconds: int = setting(
        45, whole(1, 3600), "How long a waiting client hears nothing before a heartbeat."
    )
    history_cache_mib: int = setting(
        16,
        whole(0, 1 << 20),
        "How much memory is for messages that were read lately, ready to be sent, in MiB;"
        " `0` asks the database for everything, each time.",
    )
    web_public_streams_enabled: bool = setting(
        False, SWITCH, "Whether channels may be opened to readers without an account."
    )
    accounts_api: bool = setting(
        True,
        SWITCH,
        "Whether administrators may create accounts and change addresses through the API.",
    )
    metrics: str = setting(
        "loopback",
        one_of("loopback", "off", "public"),
        "Who may read `/metrics`: this machine, nobody, or anyone.",
    )
    log_level: str = setting(
        "info", one_of("debug", "info", "warning", "error"), "The least important line to log."
    )
    log_format: str = setting(
        "text", one_of("text", "json"), "Log lines for people or for programs."
    )
    tls_cert: str = unset(
        FILE,
        "A certificate with its chain (PEM), to speak TLS without a proxy; SIGHUP reads it again.",
        "none: plain HTTP",
    )
    tls_key: str = unset(FILE, "The private key of `tls_cert` (PEM).")
    trusted_proxies: tuple[Network, ...] = setting(
        (),
        NETWORKS,
        "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.",
        when_empty="none",
    )
    webhook_networks: tuple[Network, ...] = setting(
        (),
        NETWORKS,
        "Private networks that outgoing webhooks may call all the same, such as `127.0.0.0/8` for"
        " bots on this machine.",
        when_empty="none",
    )
    external_pictures: bool = setting(
        False,
        SWITCH,
        "Whether we fetch the pictures of other sites that messages show, so that these sites do"
        " not learn who reads. Else clients load them by themselves, and our page shows links.",
    )
    external_picture_networks: tuple[Network, ...] = setting(
        (),
        NETWORKS,
        "Private networks that such pictures may come from all the same.",
        when_empty="none",
    )
    send_key_hours: int = setting(
        24, whole(1, 8760), "How long a repeated send with the same key is recognized."
    )
    audit_log_days: int = setting(
        365, whole(1, 36_500), "How long the audit log of an organization is kept."
    )
    smtp_host: str = unset(
        MAIL_HOST,
        "The mail server that mails are handed to. Without one, none are sent, and whatever needs a"
        " mail offers a link to hand over instead. It needs `external_url`.",
    )
    smtp_port: int = setting(
        587, whole(1, 65535), "Its port: usually 587 for `starttls`, 465 for `tls`."
    )
    smtp_security: str = setting(
        "starttls",
        one_of("starttls", "tls", "none"),
        "How the way there is protected; its certificate is always checked. `none` is for a mail"
        " server on this machine.",
    )
    smtp_user: str = unset(LINE, "The name to log in there with.", "no login")
    smtp_password: str = hidden(
        "The password that belongs to it. It has no flag, as `secret` has none."
    )
    smtp_from: str = unset(
        MAIL_ADDRESS, "The address that mails come from.", "`noreply@` the host of `external_url`"
    )
    mail_in_address: str = unset(
        MAIL_PATTERN,
        "The addresses at which mail for this server arrives, with `%s` for what we make up, such"
        " as `chat+%s@example.com`. With it people answer mails, and channels have addresses;"
        " [Mail](mail.md) says how mail gets here.",
        "none: no mail is taken in",
    )
    lmtp_listen: str = unset(
        LISTEN,
        "Where a mail server hands us mail by LMTP: `127.0.0.1:2424`, or the path of a socket.",
        "nowhere: only by `tertulia mail receive`",
    )
    push_service_url: str = unset(
        WEB_ADDRESS,
        "The service that forwards notifications to phones, which only the makers of an app can"
        " run. Whoever may use one has an id and a key there.",
        "none: phones are told nothing, browsers and UnifiedPush are",
    )
    push_service_id: str = unset(LINE, "The id of this server at the push service.")
    push_service_key: str = hidden(
        "The key that belongs to it. It has no flag, as `secret` has none."
    )
    bigbluebutton_url: str = unset(
        WEB_ADDRESS,
        "A BigBlueButton server to hold calls on: its address up to and with `/bigbluebutton`.",
    )
    bigbluebutton_secret: str = hidden(
        "The secret of that server, as `bbb-conf --secret` tells it. It has no flag."
    )
    nextcloud_url: str = unset(WEB_ADDRESS, "A Nextcloud server whose Talk holds calls.")
    nextcloud_user: str = unset(LINE, "The account that makes rooms there.")
    nextcloud_password: str = hidden("A password for apps of that account. It has no flag.")
    organization: str = setting(
        "Tertulia", TITLE, "The name of the organization made at the first start."
    )
    dev: bool = setting(
        False, SWITCH, "Serve the modules of the web page as they are, for whoever changes them."
    )
    demo: bool = setting(
        False, SWITCH, "Fill a new data folder with a small organization to look around in."
    )

    openid: "tuple[OpenIdProvider, ...]" = ()
    ldap: "tuple[LdapDirectory, ...]" = ()
    saml: "tuple[SamlProvider, ...]" = ()
    remote_user: "tuple[RemoteUserProxy, ...]" = ()
    jwt: "tuple[JwtIssuer, ...]" = ()

    def __post_init__(self) -> None:
        if self.saml and not self.external_url:
            # Whoever names another host could use what a provider has signed for that one.
            raise ConfigError("[[saml]] needs external_url: answers are for one address only.")
        if self.smtp_host and not self.external_url:
            # Whoever names another host could have the link in a mail of ours lead there.
            raise ConfigError("smtp_host needs external_url: links in mails must lead here.")

    @classmethod
    def load(cls, flags: Mapping[str, object], environ: Mapping[str, str]) -> Self:
        """A flag wins over a variable, a variable over the file, the file over the default.

        `flags` may also hold `config`, the file to read. A flag that is None was not given, and
        an empty variable counts as absent. Raises ConfigError.
        """
        given = read_variables(SETTINGS, environ) | read_flags(SETTINGS, flags)
        named = flags.get("config") or environ.get(CONFIG_VARIABLE)
        path = Path(str(named)) if named else find_file(given.get("data", cls().data))
        return cls(**(read_file(SETTINGS, path) if path else {}) | given)

    @classmethod
    def written(cls, settings: Mapping[str, object], where: str) -> Self:
        """From settings as they are written in a file; raises ConfigError."""
        return cls(**read_written(SETTINGS, settings, where))

    @property
    def providers(self) -> tuple[Provider, ...]:
        """All who vouch for people."""
        return (*self.ldap, *self.saml, *self.remote_user, *self.openid, *self.jwt)

    def login_methods(self, subdomain: str | None) -> tuple[str, ...]:
        """The ways to log in that this server offers an organization, or to any of them, by their
        names there."""
        others = [
            each.method for each in self.providers if subdomain is None or each.is_for(subdomain)
        ]
        return tuple(dict.fromkeys(("Email", *others)))

    @property
    def database_url(self) -> str:
        """`sqlite:///PATH` with an absolute path, or `postgresql://…`."""
        return self.database or f"sqlite:///{self.data.absolute() / 'tertulia.db'}"

    @property
    def secret_file(self) -> Path:
        return self.data / "secret"

    @property
    def transport_security(self) -> list[tuple[str, str]]:
        """The header that keeps browsers on HTTPS, where people reach the server by it."""
        if not self.external_url.lower().startswith("https://"):
            return []
        return [("strict-transport-security", f"max-age={HSTS_SECONDS}")]

    @property
    def external_host(self) -> str:
        """The host that organizations are subdomains of, without a port; may be empty."""
        return urlsplit(self.external_url).hostname or ""

    @property
    def sends_mail(self) -> bool:
        return bool(self.smtp_host)

    @property
    def pushes(self) -> bool:
        """Whether phones can be told something."""
        return bool(self.push_service_url and self.push_service_id and self.push_service_key)

    @property
    def has_bigbluebutton(self) -> bool:
        return bool(self.bigbluebutton_url and self.bigbluebutton_secret)

    @property
    def has_nextcloud(self) -> bool:
        return bool(self.nextcloud_url and self.nextcloud_user and self.nextcloud_password)

    @property
    def call_providers(self) -> tuple[int, ...]:
        """Where calls can be held, by the numbers that clients know."""
        return (0, 1, *[4] * self.has_bigbluebutton, *[7] * self.has_nextcloud)

    @property
    def receives_mail(self) -> bool:
        return bool(self.mail_in_address)

    @property
    def sender(self) -> str:
        """The address that mails come from."""
        return self.smtp_from or f"noreply@{self.email_domain}"

    @property
    def email_domain(self) -> str:
        """What stands after the @ in an address we make up."""
        usable = re.fullmatch(DOMAIN, self.external_host)
        return self.fake_email_domain or (self.external_host if usable else "tertulia.invalid")


SETTINGS: tuple[Setting, ...] = tuple(
    replace(row.metadata["setting"], name=row.name)
    for row in fields(Config)
    if "setting" in row.metadata
)
