"""Every setting, its default, and what it is for.

`Config` is the one list: the flags, the `TERTULIA_*` variables, the lines of `tertulia.toml` and
`docs/settings.md` are all made from its fields. The settings are read once, at the start.
The fields are in the order of that page; `sources` reads their values.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from tertulia.config.login_provider import Provider
from tertulia.config.login_providers import (
    JwtIssuer,
    LdapDirectory,
    OpenIdProvider,
    RemoteUserProxy,
    SamlProvider,
)
from tertulia.config.parsers import (
    ACME_DIRECTORY,
    ADDRESSES,
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

HSTS_SECONDS = 365 * 24 * 3600
ALL_ADDRESSES = {"*": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


@dataclass(frozen=True, slots=True)
class Config:
    data: Path = setting(
        Path("data"),
        FOLDER,
        "The data folder: the database, the secret and the settings file.",
        flag_of="every command",
    )
    host: str = setting(
        "127.0.0.1",
        HOST,
        "The address to listen on: `*` means all, `0.0.0.0` all of IPv4, `::` all of IPv6.",
    )
    port: int = setting(9009, whole(0, 65535), "The port to listen on; `0` picks a free one.")
    workers: int = setting(
        1,
        whole(1, 256),
        "The number of server processes. More than one needs PostgreSQL.",
    )
    database: str = setting(
        "",
        DATABASE,
        "The database. Several servers can share one PostgreSQL database.",
        when_empty="SQLite, `tertulia.db` in the data folder",
        flag_of="every command",
        is_private=True,
        alias="TERTULIA_DATABASE_URL",
    )
    external_url: str = unset(
        ORIGIN,
        "The public address of the server. With several organizations, each one is a subdomain of"
        " its host.",
        "the address in each request",
    )
    fake_email_domain: str = unset(
        MAIL_DOMAIN,
        "The domain of the placeholder addresses that stand in for hidden email addresses.",
        "the host of `external_url`, or `tertulia.invalid`",
    )
    secret: str = setting(
        "",
        SECRET,
        "Encrypts API keys. It has no flag, because other users of the machine can read command"
        " lines.",
        when_empty="the file `secret` in the data folder, created at the first start",
        flag_of="none",
        is_private=True,
    )
    rate_limit: Rate | None = setting(
        Rate(200),
        RATE,
        "How many requests a user may send: a number per minute, `N/SECONDS`, or `off`.",
    )
    rate_limit_anonymous: Rate | None = setting(
        Rate(100), RATE, "The same limit for each network address without a login."
    )
    max_body_bytes: int = setting(
        1 << 20,
        whole(1 << 10, 1 << 40),
        "The largest request body that is not a file upload, in bytes (1 MiB).",
    )
    max_upload_mib: int = setting(
        25, whole(1, 10_240), "The largest file that a user can upload, in MiB."
    )
    upload_quota_mib: int = setting(
        0,
        whole(0, 1 << 30),
        "The total size of all files of an organization, in MiB.",
        when_empty="`0`: no limit",
    )
    user_upload_quota_mib: int = setting(
        0,
        whole(0, 1 << 30),
        "The total size of all files of a user and the user's bots, in MiB.",
        when_empty="`0`: no limit",
    )
    files: str = setting(
        "database",
        one_of("database", "folder", "s3"),
        "Where uploaded files are stored. Set it in `tertulia.toml`: the commands need it too.",
    )
    files_folder: Path | None = setting(
        None,
        OTHER_FOLDER,
        "The folder for `files = folder`. Several servers need a shared folder.",
        when_empty="`files` in the data folder",
    )
    s3_bucket: str = unset(
        BUCKET, "The address of the bucket for `files = s3`, such as `https://s3.example.com/chat`."
    )
    s3_folder: str = unset(
        FOLDER_IN_BUCKET, "A prefix for all object names, for a bucket with other contents."
    )
    s3_region: str = setting("us-east-1", LINE, "The region of the bucket.")
    s3_key_id: str = unset(LINE, "The access key for the bucket.")
    s3_secret: str = hidden("The secret key for `s3_key_id`. It has no flag, like `secret`.")
    max_header_bytes: int = setting(
        64 << 10,
        whole(1 << 10, 1 << 24),
        "The largest request line and headers, in bytes (64 KiB).",
    )
    max_connections_per_address: int = setting(
        1000,
        whole(1, 1_000_000),
        "How many connections one network address can hold open. Trusted proxies have no limit.",
    )
    slow_client_seconds: int = setting(
        30,
        whole(1, 3600),
        "How long the server waits for the headers of a request, and for a body or a response that"
        " moves less than 2 kB per second.",
    )
    idle_queue_seconds: int = setting(
        600, whole(1, 31_536_000), "How long an event queue lives without a poll, in seconds."
    )
    heartbeat_seconds: int = setting(
        45,
        whole(1, 3600),
        "After how many seconds without events a waiting poll gets a heartbeat.",
    )
    history_cache_mib: int = setting(
        16,
        whole(0, 1 << 20),
        "The size of the cache of recently read messages, in MiB. `0` turns it off.",
    )
    caches: bool = setting(
        True,
        SWITCH,
        "Whether the server has caches. Without them it gives the same answers, slowly: to find out"
        " whether a cache is wrong.",
    )
    web_public_streams_enabled: bool = setting(
        False, SWITCH, "Allow channels that anyone can read without an account."
    )
    public_pages_max_age_seconds: int = setting(
        0,
        whole(0, 86_400),
        "How long proxies and browsers may use a public page, in seconds, before they ask whether"
        " it has changed. With `0` they always ask.",
    )
    public_contact_email: str = unset(
        MAIL_ADDRESS,
        "An email address that public pages show: readers ask there for an invitation, and report"
        " pages.",
    )
    accounts_api: bool = setting(
        True,
        SWITCH,
        "Allow administrators to create accounts and change email addresses through the API.",
    )
    metrics: str = setting(
        "loopback",
        one_of("loopback", "off", "public"),
        "Who can read `/metrics`: this machine only, no client, or any client.",
    )
    log_level: str = setting(
        "info", one_of("debug", "info", "warning", "error"), "The lowest level that is logged."
    )
    log_format: str = setting("text", one_of("text", "json"), "The format of log lines on stderr.")
    tls_cert: str = unset(
        FILE,
        "A certificate with its chain (PEM), for TLS without a proxy. SIGHUP reloads it.",
        "none: plain HTTP",
    )
    tls_key: str = unset(FILE, "The private key of `tls_cert` (PEM).")
    acme_directory: str = unset(
        ACME_DIRECTORY,
        "The directory of an ACME authority, such as"
        " `https://acme-v02.api.letsencrypt.org/directory`. The server then gets and renews the"
        " certificate for the host of `external_url` itself; you agree to the terms of the"
        " authority.",
        "no ACME",
    )
    acme_email: str = unset(MAIL_ADDRESS, "Where the authority writes about the certificate.")
    acme_http_port: int = setting(
        80,
        whole(0, 65535),
        "The plain HTTP port of a server with `acme_directory`: for the challenge HTTP-01, and"
        " redirects to HTTPS. With 0 the challenge is TLS-ALPN-01 on `port`, for one server only.",
    )
    trusted_proxies: tuple[Network, ...] = setting(
        (),
        NETWORKS,
        "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` headers the server believes.",
        when_empty="none",
    )
    webhook_networks: tuple[Network, ...] = setting(
        (),
        NETWORKS,
        "Private networks that outgoing webhooks and Web Push may call, such as `127.0.0.0/8` for"
        " bots on this machine.",
        when_empty="none",
    )
    external_pictures: bool = setting(
        False,
        SWITCH,
        "Fetch images from other sites on the server, so that those sites do not see the readers."
        " Without it clients load such images themselves, and the web page shows links.",
    )
    external_picture_networks: tuple[Network, ...] = setting(
        (),
        NETWORKS,
        "Private networks from which the server may fetch such images.",
        when_empty="none",
    )
    link_previews: bool = setting(
        True,
        SWITCH,
        "Fetch linked pages for the previews below messages, in organizations that allow previews.",
    )
    link_preview_networks: tuple[Network, ...] = setting(
        (),
        NETWORKS,
        "Private networks from which the server may fetch linked pages.",
        when_empty="none",
    )
    agent_client_networks: tuple[Network, ...] = setting(
        (),
        NETWORKS,
        "Private networks from which the server may fetch the documents that describe agents.",
        when_empty="none",
    )
    send_key_hours: int = setting(
        24, whole(1, 8760), "How long the server remembers an `Idempotency-Key`, in hours."
    )
    audit_log_days: int = setting(
        365, whole(1, 36_500), "How long audit log entries are kept, in days."
    )
    backup_warning_hours: int = setting(
        26,
        whole(0, 8760),
        "After how many hours without `tertulia backup` the status of the server says so."
        " `0` is for servers with other backups.",
    )
    operators: tuple[str, ...] = setting(
        (),
        ADDRESSES,
        "The email addresses of owners who may open the operator's page `/operator/` with their own"
        " login. `tertulia operator-link` opens it without one.",
        when_empty="none",
    )
    smtp_host: str = unset(
        MAIL_HOST,
        "The mail server for outgoing mail; needs `external_url`. Without it the server sends no"
        " mail, and invitations and password resets give you a link to pass on instead.",
    )
    smtp_port: int = setting(
        587, whole(1, 65535), "The port of `smtp_host`: usually 587 for `starttls`, 465 for `tls`."
    )
    smtp_security: str = setting(
        "starttls",
        one_of("starttls", "tls", "none"),
        "How the connection to `smtp_host` is encrypted. The server always checks the certificate."
        " Use `none` only for a mail server on this machine.",
    )
    smtp_user: str = unset(LINE, "The user name for `smtp_host`.", "no login")
    smtp_password: str = hidden("The password for `smtp_user`. It has no flag, like `secret`.")
    smtp_from: str = unset(
        MAIL_ADDRESS,
        "The sender address of outgoing mail.",
        "`noreply@` and the host of `external_url`",
    )
    mail_in_address: str = unset(
        MAIL_PATTERN,
        "The pattern of the addresses for incoming mail, such as `chat+%s@example.com`; the server"
        " fills in `%s`. With it users can reply to notification mails, and channels have mail"
        " addresses. See [Mail](mail.md).",
        "none: no incoming mail",
    )
    lmtp_listen: str = unset(
        LISTEN,
        "Where the server accepts incoming mail by LMTP: `127.0.0.1:2424`, or the path of a"
        " socket.",
        "none: only `tertulia mail receive`",
    )
    push_service_url: str = unset(
        WEB_ADDRESS,
        "The service that forwards push notifications to Zulip's mobile apps. It needs"
        " `push_service_id` and `push_service_key`. See [Push](push.md).",
        "none: push reaches browsers and UnifiedPush only",
    )
    push_service_id: str = unset(LINE, "The id of this server at the push service.")
    push_service_key: str = hidden(
        "The key of this server at the push service. It has no flag, like `secret`."
    )
    bigbluebutton_url: str = unset(
        WEB_ADDRESS,
        "The BigBlueButton server for video calls: its address including `/bigbluebutton`.",
    )
    bigbluebutton_secret: str = hidden(
        "The secret that `bbb-conf --secret` prints on that server. It has no flag."
    )
    nextcloud_url: str = unset(WEB_ADDRESS, "The Nextcloud server whose Talk hosts video calls.")
    nextcloud_user: str = unset(LINE, "The Nextcloud account that creates the rooms.")
    nextcloud_password: str = hidden("An app password of `nextcloud_user`. It has no flag.")
    livekit_url: str = unset(
        LINE,
        "The LiveKit server for large video calls, for example `wss://livekit.example.com`. It is"
        " then what the Jitsi button opens, unless an organization has set an address of Jitsi.",
    )
    livekit_key: str = unset(LINE, "The API key of the LiveKit server.")
    livekit_secret: str = hidden("The API secret of `livekit_key`. It has no flag.")
    livekit_page: str = setting(
        "https://meet.livekit.io",
        WEB_ADDRESS,
        "The page that people use for calls on LiveKit: LiveKit Meet, which you can host.",
    )
    stun_servers: str = unset(
        LINE,
        "STUN servers for calls between browsers, for example `stun:turn.example.com:3478`,"
        " separated by spaces.",
    )
    turn_servers: str = unset(
        LINE,
        "TURN servers, which relay calls that find no direct way, such as"
        " `turn:turn.example.com:3478 turns:turn.example.com:5349?transport=tcp`.",
    )
    turn_secret: str = hidden(
        "The secret that the TURN servers share with this server: `static-auth-secret` of coturn."
    )
    summary_url: str = unset(
        WEB_ADDRESS,
        "A language model with the API of OpenAI, for example `http://127.0.0.1:8080/v1`. In"
        " organizations that allow it, users can ask for a summary of a topic, and the server sends"
        " the topic's messages there.",
    )
    summary_model: str = unset(LINE, "The name of the model at `summary_url`.")
    summary_key: str = hidden("The API key for `summary_url`, if it needs one. It has no flag.")
    organization: str = setting(
        "Tertulia", TITLE, "The name of the organization that the first start creates."
    )
    dev: bool = setting(
        False, SWITCH, "Serve the web page as separate, uncompressed files, for its developers."
    )
    demo: bool = setting(False, SWITCH, "Fill a new data folder with a small sample organization.")

    openid: tuple[OpenIdProvider, ...] = ()
    ldap: tuple[LdapDirectory, ...] = ()
    saml: tuple[SamlProvider, ...] = ()
    remote_user: tuple[RemoteUserProxy, ...] = ()
    jwt: tuple[JwtIssuer, ...] = ()

    def __post_init__(self) -> None:
        if self.saml and not self.external_url:
            # Otherwise a client that names another host could use an assertion for that host.
            raise ConfigError("[[saml]] needs external_url: answers are for one address only.")
        if self.smtp_host and not self.external_url:
            # Otherwise a client that names another host could make links in mails lead there.
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
        """The login providers of all kinds."""
        return (*self.ldap, *self.saml, *self.remote_user, *self.openid, *self.jwt)

    def login_methods(self, subdomain: str | None) -> tuple[str, ...]:
        """The names of the login methods of an organization, or of all organizations for None."""
        others = [
            each.method for each in self.providers if subdomain is None or each.is_for(subdomain)
        ]
        return tuple(dict.fromkeys(("Email", *others)))

    @property
    def database_url(self) -> str:
        """`sqlite:///PATH` with an absolute path, or `postgresql://…`."""
        return self.database or f"sqlite:///{self.data.absolute() / 'tertulia.db'}"

    @property
    def local_host(self) -> str:
        """The host of `host` for clients on this machine."""
        return ALL_ADDRESSES.get(self.host, self.host)

    @property
    def secret_file(self) -> Path:
        return self.data / "secret"

    @property
    def response_headers(self) -> list[tuple[str, str]]:
        """Headers of every response. Strict-Transport-Security only if the server is reached by
        HTTPS."""
        headers = [("x-content-type-options", "nosniff")]
        if self.has_https:
            headers.append(("strict-transport-security", f"max-age={HSTS_SECONDS}"))
        return headers

    @property
    def has_https(self) -> bool:
        """Whether clients reach the server by HTTPS."""
        return self.external_url.lower().startswith("https://")

    @property
    def external_host(self) -> str:
        """The host that organizations are subdomains of, without a port; may be empty."""
        return urlsplit(self.external_url).hostname or ""

    @property
    def sends_mail(self) -> bool:
        return bool(self.smtp_host)

    @property
    def pushes(self) -> bool:
        """Whether a push service for phones is configured."""
        return bool(self.push_service_url and self.push_service_id and self.push_service_key)

    @property
    def has_bigbluebutton(self) -> bool:
        return bool(self.bigbluebutton_url and self.bigbluebutton_secret)

    @property
    def has_nextcloud(self) -> bool:
        return bool(self.nextcloud_url and self.nextcloud_user and self.nextcloud_password)

    @property
    def has_livekit(self) -> bool:
        return bool(self.livekit_url and self.livekit_key and self.livekit_secret)

    @property
    def has_turn(self) -> bool:
        return bool(self.turn_servers and self.turn_secret)

    @property
    def call_providers(self) -> tuple[int, ...]:
        """The configured providers of video calls, by their numbers in the API."""
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
        """The domain of generated addresses."""
        usable = re.fullmatch(DOMAIN, self.external_host)
        return self.fake_email_domain or (self.external_host if usable else "tertulia.invalid")


SETTINGS: tuple[Setting, ...] = tuple(
    replace(row.metadata["setting"], name=row.name)
    for row in fields(Config)
    if "setting" in row.metadata
)
