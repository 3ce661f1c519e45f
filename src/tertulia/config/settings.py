"""Every setting, its default, and what it is for.

`Config` is the one list: the flags, the `TERTULIA_*` variables, the lines of `tertulia.toml` and
`docs/settings.md` are all drawn from its fields. It is read once and handed to whoever needs it.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from tertulia.config.providers import (
    TABLES,
    JwtIssuer,
    LdapDirectory,
    OpenIdProvider,
    Provider,
    RemoteUserProxy,
    SamlProvider,
    read_tables,
    tables_markdown,
)
from tertulia.config.values import (
    DATABASE,
    DOMAIN,
    FILE,
    FOLDER,
    HOST,
    LINE,
    MAIL_ADDRESS,
    MAIL_DOMAIN,
    MAIL_HOST,
    NETWORKS,
    ORIGIN,
    PREFIX,
    RATE,
    SECRET,
    SWITCH,
    TITLE,
    ConfigError,
    Network,
    Rate,
    Setting,
    one_of,
    read,
    setting,
    unknown,
    whole,
)

FILE_NAME = "tertulia.toml"
TEST_PREFIX = "TERTULIA_TEST_"  # the test suite's own, inherited by the servers it starts


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
    database: str = setting(
        "",
        DATABASE,
        "Where everything is stored. PostgreSQL may be shared by several servers.",
        when_empty="SQLite, `tertulia.db` in the data folder",
        flag_of="every command",
        is_private=True,
        alias="TERTULIA_DATABASE_URL",
    )
    external_url: str = setting(
        "",
        ORIGIN,
        "The address people use. With several organizations, each is a subdomain of its host.",
        when_empty="the address each client used",
    )
    fake_email_domain: str = setting(
        "",
        MAIL_DOMAIN,
        "The domain of the made-up addresses shown in place of hidden ones.",
        when_empty="the host of `external_url`, or `tertulia.invalid`",
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
    tls_cert: str = setting(
        "",
        FILE,
        "A certificate with its chain (PEM), to speak TLS without a proxy; SIGHUP reads it again.",
        when_empty="none: plain HTTP",
    )
    tls_key: str = setting("", FILE, "The private key of `tls_cert` (PEM).", when_empty="none")
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
    send_key_hours: int = setting(
        24, whole(1, 8760), "How long a repeated send with the same key is recognized."
    )
    audit_log_days: int = setting(
        365, whole(1, 36_500), "How long the audit log of an organization is kept."
    )
    smtp_host: str = setting(
        "",
        MAIL_HOST,
        "The mail server that mails are handed to. Without one, none are sent, and whatever needs a"
        " mail offers a link to hand over instead.",
        when_empty="none",
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
    smtp_user: str = setting("", LINE, "The name to log in there with.", when_empty="no login")
    smtp_password: str = setting(
        "",
        LINE,
        "The password that belongs to it. It has no flag, as `secret` has none.",
        when_empty="none",
        flag_of="none",
        is_private=True,
    )
    smtp_from: str = setting(
        "",
        MAIL_ADDRESS,
        "The address that mails come from.",
        when_empty="`noreply@` the host of `external_url`",
    )
    organization: str = setting(
        "Tertulia", TITLE, "The name of the organization made at the first start."
    )
    dev: bool = setting(
        False, SWITCH, "Serve the modules of the web page as they are, for whoever changes them."
    )
    demo: bool = setting(
        False, SWITCH, "Fill a new data folder with a small organization to look around in."
    )

    openid: tuple[OpenIdProvider, ...] = ()
    ldap: tuple[LdapDirectory, ...] = ()
    saml: tuple[SamlProvider, ...] = ()
    remote_user: tuple[RemoteUserProxy, ...] = ()
    jwt: tuple[JwtIssuer, ...] = ()

    def __post_init__(self) -> None:
        if self.saml and not self.external_url:
            # Whoever names another host could use what a provider has signed for that one.
            raise ConfigError("[[saml]] needs external_url: answers are for one address only.")

    @classmethod
    def load(cls, flags: Mapping[str, object], environ: Mapping[str, str]) -> Self:
        """A flag wins over a variable, a variable over the file, the file over the default.

        `flags` may also hold `config`, the file to read. A flag that is None was not given, and
        an empty variable counts as absent. Raises ConfigError.
        """
        given = read_variables(environ) | read_flags(flags)
        named = flags.get("config") or environ.get(CONFIG_VARIABLE)
        path = Path(str(named)) if named else find_file(given.get("data", cls().data))
        return cls(**(read_file(path) if path else {}) | given)

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
    def external_host(self) -> str:
        """The host that organizations are subdomains of, without a port; may be empty."""
        return urlsplit(self.external_url).hostname or ""

    @property
    def sends_mail(self) -> bool:
        return bool(self.smtp_host)

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
CONFIG_VARIABLE = PREFIX + "CONFIG"


def settings_markdown() -> str:
    """The text of `docs/settings.md`."""
    rows = "".join(map(table_row, SETTINGS))
    return f"{INTRODUCTION}{rows}{TABLES_INTRODUCTION}{tables_markdown()}"


def table_row(row: Setting) -> str:
    forms = "<br>".join(f"`{form}`" for form in [*row.flags[:1], *row.variables, row.name])
    return f"| {forms} | {row.shown_default} | {row.kind.must_be} | {row.help} |\n"


INTRODUCTION = f"""\
# Settings

The server starts well with none of them. Each setting can be given as a flag of
`tertulia serve`, as an environment variable, or as a line in `{FILE_NAME}`; a flag wins over a
variable, and a variable over the file.

The file is the one named by `--config` or `{CONFIG_VARIABLE}`; otherwise `{FILE_NAME}` in the
data folder; otherwise `{FILE_NAME}` in the working directory. It looks like this:

```toml
port = 8000
external_url = "https://chat.example.com"
trusted_proxies = ["127.0.0.1", "10.0.0.0/8"]
```

A variable that begins with `{PREFIX}` and is none of these stops the server, so that a slip of
the pen is noticed; an empty one counts as absent. (On Kubernetes, a service called `tertulia`
makes such variables for its pods: set `enableServiceLinks: false`.)

This page is written by `make docs`.

| Flag, variable, line | Default | Value | What it does |
|---|---|---|---|
"""


TABLES_INTRODUCTION = f"""
# Tables

Who vouches for people is said in tables of `{FILE_NAME}`, of which there may be several of a kind;
[Logging in](logging-in.md) shows whole examples. The file holds secrets then: keep it to yourself
(`chmod 600`).
"""


def read_flags(flags: Mapping[str, object]) -> dict[str, Any]:
    known = {row.name: row for row in SETTINGS}
    return {
        name: read(known[name], value, f"--{name.replace('_', '-')}")
        for name, value in flags.items()
        if value is not None and name != "config"
    }


def read_variables(environ: Mapping[str, str]) -> dict[str, Any]:
    known = {variable: row for row in SETTINGS for variable in row.variables}
    values: dict[str, Any] = {}
    source: dict[str, str] = {}
    for variable, written in sorted(environ.items()):
        if not is_ours(variable) or not written:
            continue
        row = known.get(variable) or unknown(f"The variable {variable}", variable, known)
        value = read(row, written, variable)
        if values.setdefault(row.name, value) != value:
            raise ConfigError(f"{source[row.name]} and {variable} contradict each other.")
        source[row.name] = variable
    return values


def is_ours(variable: str) -> bool:
    if variable == CONFIG_VARIABLE or variable.startswith(TEST_PREFIX):
        return False
    return variable.startswith(PREFIX)


def find_file(data: Path) -> Path | None:
    return next((path for path in (data / FILE_NAME, Path(FILE_NAME)) if path.exists()), None)


def read_file(path: Path) -> dict[str, Any]:
    known = {row.name: row for row in SETTINGS}
    try:
        lines = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from error
    values: dict[str, Any] = {}
    for name, value in lines.items():
        if name in TABLES:
            values[name] = read_tables(TABLES[name], value, str(path))
            continue
        row = known.get(name) or unknown(f"{name} in {path}", name, [*known, *TABLES])
        values[name] = read(row, value, f"{name} in {path}")
    return values
