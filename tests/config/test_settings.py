"""Settings: one list, three ways to say each of them, and plain words for a slip."""

from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tools.docs_pages import PAGES

from tertulia.cli.flags import config_options
from tertulia.config import SETTINGS, Config, ConfigError, Rate, Setting, as_text
from tertulia.config.docs import settings_markdown
from tertulia.server import workers
from tertulia.server.workers import NeedsPostgres

# For each setting, something other than its default, as a person would write it.
EXAMPLES = {
    "data": "elsewhere",
    "host": "::1",
    "port": "8000",
    "workers": "4",
    "database": "postgresql://chat@db/chat",
    "external_url": "https://chat.example.com",
    "fake_email_domain": "mail.example.com",
    "secret": "0123456789abcdef0123456789abcdef",
    "rate_limit": "5/10",
    "rate_limit_anonymous": "off",
    "max_body_bytes": "2048",
    "max_upload_mib": "100",
    "files": "folder",
    "files_folder": "/srv/files",
    "s3_bucket": "https://s3.example.com/chat",
    "s3_folder": "tertulia",
    "s3_region": "eu-west-1",
    "s3_key_id": "chat",
    "s3_secret": "hush",
    "upload_quota_mib": "500",
    "user_upload_quota_mib": "50",
    "max_header_bytes": "4096",
    "max_connections_per_address": "50",
    "slow_client_seconds": "5",
    "idle_queue_seconds": "30",
    "heartbeat_seconds": "5",
    "history_cache_mib": "4",
    "caches": "false",
    "public_pages_max_age_seconds": "60",
    "public_contact_email": "hello@example.com",
    "web_public_streams_enabled": "true",
    "accounts_api": "false",
    "metrics": "public",
    "log_level": "debug",
    "log_format": "json",
    "tls_cert": "chain.pem",
    "tls_key": "key.pem",
    "trusted_proxies": "127.0.0.1/32, 10.0.0.0/8",
    "webhook_networks": "127.0.0.0/8",
    "external_pictures": "true",
    "link_previews": "false",
    "link_preview_networks": "127.0.0.0/8",
    "external_picture_networks": "127.0.0.0/8",
    "agent_client_networks": "127.0.0.0/8",
    "send_key_hours": "48",
    "audit_log_days": "30",
    "backup_warning_hours": "12",
    "operators": "ana@example.com, ben@example.com",
    "smtp_host": "mail.example.com",
    "smtp_port": "465",
    "acme_directory": "https://acme.example.com/directory",
    "acme_email": "ana@example.com",
    "acme_http_port": "8080",
    "smtp_security": "tls",
    "smtp_user": "chat",
    "smtp_password": "lentils",
    "smtp_from": "chat@example.com",
    "mail_in_address": "chat+%s@example.com",
    "lmtp_listen": "127.0.0.1:2424",
    "push_service_url": "https://push.example.com",
    "push_service_id": "11111111-2222-3333-4444-555555555555",
    "push_service_key": "lentils",
    "bigbluebutton_url": "https://bbb.example.com/bigbluebutton",
    "bigbluebutton_secret": "lentils",
    "nextcloud_url": "https://cloud.example.com",
    "nextcloud_user": "talker",
    "nextcloud_password": "lentils",
    "livekit_url": "wss://livekit.example.com",
    "livekit_key": "lentils",
    "livekit_secret": "lentils",
    "livekit_page": "https://meet.example.com",
    "stun_servers": "stun:turn.example.com:3478",
    "turn_servers": "turn:turn.example.com:3478",
    "turn_secret": "lentils",
    "summary_url": "https://model.example.com/v1",
    "summary_model": "small",
    "summary_key": "lentils",
    "organization": "La Tertulia",
    "dev": "true",
    "demo": "true",
}
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@click.command()
@config_options(for_serve=True)
def serve(**flags: object) -> None:
    click.echo(sorted((name, value) for name, value in flags.items() if value is not None))


def test_the_defaults_are_valid(folder):
    config = Config.load({}, {"PATH": "/bin"})

    assert config == Config()
    assert (config.host, config.port, config.rate_limit) == ("127.0.0.1", 9009, Rate(200, 60))
    assert config.database_url == f"sqlite:///{folder}/data/tertulia.db"


@every_setting
def test_every_setting_can_be_set_by_flag_variable_and_file(setting: Setting, folder):
    example = EXAMPLES[setting.name]

    needed = (
        {"TERTULIA_EXTERNAL_URL": "https://house.example"} if "smtp_host" in setting.name else {}
    )
    by_flag = Config.load({setting.name: example}, needed)
    by_variable = [Config.load({}, needed | {variable: example}) for variable in setting.variables]
    (folder / "tertulia.toml").write_text(f'{setting.name} = "{example}"')
    by_line = Config.load({}, needed)

    assert as_text(getattr(by_line, setting.name)) == example
    assert by_flag == by_line != Config()
    assert by_variable == [by_line] * len(by_variable)


@every_setting
def test_every_setting_but_secrets_is_a_flag_of_serve(setting: Setting):
    shown = CliRunner().invoke(serve, ["--help"]).output.split()

    assert setting.flags or setting.is_private
    assert all(flag in shown for flag in setting.flags)


def test_several_workers_require_postgresql():
    with pytest.raises(NeedsPostgres, match="a SQLite file belongs to one process"):
        workers.check(Config(workers=2))
    workers.check(Config(workers=2, database="postgresql://db/chat"))
    workers.check(Config())


def test_mail_requires_the_external_url():
    with pytest.raises(ConfigError, match="smtp_host needs external_url"):
        Config(smtp_host="mail.example.com")


def test_flags_are_passed_on_unchanged():
    result = CliRunner().invoke(serve, ["--port", "x", "--demo", "--config", "my.toml"])

    assert result.output == "[('config', 'my.toml'), ('demo', True), ('port', 'x')]\n"


def test_other_commands_take_the_flags_that_find_the_data():
    command = config_options(for_serve=False)(click.Command("check", callback=print))

    assert {option.name for option in command.params} == {"config", "data", "database"}


@pytest.mark.parametrize("page", ["settings", *PAGES])
def test_the_generated_pages_are_up_to_date(page):
    path = Path(__file__).parents[2] / "docs" / f"{page}.md"
    write = PAGES.get(page, settings_markdown)

    assert path.read_text(encoding="utf-8") == write(), (
        f"docs/{page}.md is out of date: run `make docs`."
    )


def test_a_flag_wins_over_a_variable_and_a_variable_over_the_file(folder):
    (folder / "tertulia.toml").write_text("port = 1\nhost = 'file'\nlog_level = 'error'")

    config = Config.load(
        {"port": "3", "host": None}, {"TERTULIA_PORT": "2", "TERTULIA_HOST": "variable"}
    )

    assert (config.port, config.host, config.log_level) == (3, "variable", "error")


def test_the_file_in_the_data_folder_is_preferred(folder):
    (folder / "chat").mkdir()
    (folder / "chat" / "tertulia.toml").write_text("port = 1")
    (folder / "tertulia.toml").write_text("port = 2")
    (folder / "other.toml").write_text("port = 3")

    assert Config.load({"data": "chat"}, {}).port == 1
    assert Config.load({}, {}).port == 2
    assert Config.load({"data": "chat"}, {"TERTULIA_CONFIG": "other.toml"}).port == 3
    assert Config.load({"config": "other.toml"}, {"TERTULIA_CONFIG": "missing.toml"}).port == 3


def test_the_file_may_use_its_own_types(folder):
    (folder / "tertulia.toml").write_text(
        "port = 8_000\ndemo = true\nrate_limit = 5\ntrusted_proxies = ['::1', '10.0.0.0/8']"
    )

    config = Config.load({}, {})

    assert (config.port, config.demo, config.rate_limit) == (8000, True, Rate(5))
    assert config.trusted_proxies == (ip_network("::1"), ip_network("10.0.0.0/8"))


def test_empty_and_test_variables_are_ignored():
    assert Config.load({}, {"TERTULIA_PORT": "", "TERTULIA_TEST_DATABASE": "x"}) == Config()


@pytest.mark.parametrize(
    "variable, value, complaint",
    [
        ("PORT", "99999", 'must be a whole number from 0 to 65535, not "99999".'),
        ("PORT", "-1", 'must be a whole number from 0 to 65535, not "-1".'),
        ("DEMO", "maybe", 'must be true or false, not "maybe".'),
        ("METRICS", "all", 'must be loopback, off or public, not "all".'),
        ("RATE_LIMIT", "0", 'must be a number a minute, NUMBER/SECONDS, or off, not "0".'),
        (
            "EXTERNAL_URL",
            "chat",
            'must be an http:// or https:// address without a path, not "chat".',
        ),
        ("TRUSTED_PROXIES", "10.0.0.1/8", "must be a list of addresses or networks such as"),
        ("DATABASE", "mysql://u:hunter2@db", "must be sqlite:///PATH or postgresql://…."),
        ("SECRET", "hunter2", "must be at least 32 characters."),
    ],
)
def test_an_invalid_value_is_explained_in_one_line(variable, value, complaint):
    with pytest.raises(ConfigError) as caught:
        Config.load({}, {f"TERTULIA_{variable}": value})

    assert str(caught.value).startswith(f"TERTULIA_{variable} {complaint}")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "line, complaint",
    [
        ("prot = 1", "prot in tertulia.toml is not a setting; the nearest one is port."),
        ("port = 1.5", "port in tertulia.toml must be a whole number from 0 to 65535"),
        ("[data]", "data in tertulia.toml must be a single value, not a table."),
        ("port", "tertulia.toml is not valid TOML: "),
    ],
)
def test_an_invalid_line_is_explained(folder, line, complaint):
    (folder / "tertulia.toml").write_text(line)

    with pytest.raises(ConfigError) as caught:
        Config.load({}, {})

    assert str(caught.value).startswith(complaint)


def test_the_error_for_a_misspelt_variable_names_the_nearest_one():
    with pytest.raises(ConfigError, match=r"TERTULIA_HOTS is not a setting; .* TERTULIA_HOST"):
        Config.load({}, {"TERTULIA_HOTS": "0.0.0.0"})


def test_a_named_configuration_file_must_exist():
    with pytest.raises(ConfigError, match=r"^gone.toml cannot be read: No such file"):
        Config.load({"config": "gone.toml"}, {})


def test_two_names_of_one_setting_must_agree():
    first, second = "postgresql://one", "postgresql://two"

    agreed = Config.load({}, {"TERTULIA_DATABASE": first, "TERTULIA_DATABASE_URL": first})

    assert agreed.database_url == first
    with pytest.raises(ConfigError, match="TERTULIA_DATABASE and TERTULIA_DATABASE_URL contra"):
        Config.load({}, {"TERTULIA_DATABASE": first, "TERTULIA_DATABASE_URL": second})


def test_printing_the_settings_shows_no_secret():
    shown = repr(Config(database="postgresql://u:hunter2@db", secret="hunter2"))

    assert "hunter2" not in shown


@pytest.mark.parametrize(
    "external_url, chosen, domain",
    [
        ("", "", "tertulia.invalid"),
        ("http://localhost:9009", "", "tertulia.invalid"),
        ("http://10.0.0.7", "", "tertulia.invalid"),
        ("https://Chat.Example.com:444/", "", "chat.example.com"),
        ("https://chat.example.com", "example.org", "example.org"),
    ],
)
def test_generated_addresses_use_a_valid_domain(external_url, chosen, domain):
    config = Config.load({"external_url": external_url, "fake_email_domain": chosen}, {})

    assert config.email_domain == domain


LDAP = '[[ldap]]\nurl = "ldaps://ldap.example.com"\nbase = "ou=people,dc=example,dc=com"\n'
OPENID = '[[openid]]\nclient_id = "chat"\nclient_secret = "hush"\n'


def test_login_providers_are_read_from_the_file(folder):
    (folder / "tertulia.toml").write_text(
        f"port = 1\n{LDAP}roles = {{ admin = 'it, ops', guest = ['press'] }}\n"
        f"{OPENID}name = 'keycloak'\nissuer = 'https://id.example.com/realms/a/'\n"
        f"{OPENID}preset = 'google'\norganizations = ['', 'chess']\n"
    )

    config = Config.load({}, {})

    (directory,) = config.ldap
    keycloak, google = config.openid
    assert (directory.key, directory.host, directory.port) == (
        "ldap:ldap",
        "ldap.example.com",
        636,
    )
    assert directory.roles == (("admin", ("it, ops",)), ("guest", ("press",)))
    nameless = replace(directory, email_attribute="")  # there a name has to be an address
    assert (directory.makes_addresses, nameless.makes_addresses) == (True, False)
    assert replace(nameless, email_domain="example.com").makes_addresses
    assert (keycloak.key, keycloak.site) == ("oidc:keycloak", "https://id.example.com/realms/a")
    assert (google.key, google.site) == ("google", "https://accounts.google.com")
    assert google.is_for("chess")
    assert not google.is_for("go")
    assert "hush" not in repr(config)


@pytest.mark.parametrize(
    "lines, complaint",
    [
        ("openid = 5", "openid in {file} must be a table: [[openid]]."),
        (LDAP + "colour = 1", "colour of [[ldap]] number 1 in {file} is not a setting; the"),
        (
            "[[ldap]]\nurl = 'ldaps://a'",
            "base of [[ldap]] number 1 in {file} is missing: The base DN",
        ),
        (
            LDAP + "name = 'Main'",
            "name of [[ldap]] Main in {file} must be a word of small letters, digits and hyphens,"
            ' not "Main".',
        ),
        (LDAP + "filter = '(uid=%s)'", "filter of [[ldap]] number 1 in {file} must be an LDAP fil"),
        (LDAP + "plain = true", "[[ldap]] number 1 in {file}: plain and ldaps:// contradict each"),
        (LDAP + "roles = { boss = 'x' }", "roles of [[ldap]] number 1 in {file} must be a table"),
        (LDAP + LDAP, "Two of [[ldap]] in {file} are called ldap."),
        (
            OPENID,
            "[[openid]] number 1 in {file}: issuer is missing: the issuer URL of the provider.",
        ),
        (
            OPENID + "issuer = 'http://id.example.com'",
            "issuer of [[openid]] number 1 in {file} must be an https:// address; http:// only on"
            ' this machine, not "http://id.example.com".',
        ),
        (OPENID + "client_id = ''", "{file} is not valid TOML"),
        (
            "[[saml]]\nentity_id = 'x'\nurl = 'https://x'\ncertificate = 'x'",
            "[[saml]] number 1 in {file}: certificate must be PEM",
        ),
        (
            "[[saml]]\nentity_id = 'x'\nurl = 'https://x'\ncertificate = 'BEGIN CERTIFICATE'",
            "[[saml]] needs external_url: answers are for one address only.",
        ),
        ("[[jwt]]\nkey_text = 'short'", "[[jwt]] number 1 in {file}: key_text must have at least"),
        (
            "[[jwt]]\nkey_text = 'x'\nalgorithms = ['none']",
            "[[jwt]] number 1 in {file}: algorithms must be out of ES256",
        ),
    ],
)
def test_an_error_in_a_provider_table_is_named(lines, complaint, folder):
    (folder / "tertulia.toml").write_text(lines)

    with pytest.raises(ConfigError) as caught:
        Config.load({}, {})

    assert str(caught.value).startswith(complaint.format(file="tertulia.toml"))


LOGGING_IN = (Path(__file__).parents[2] / "docs" / "logging-in.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", range(LOGGING_IN.count("```toml")))
def test_the_settings_in_the_docs_are_valid(number, folder):
    written = LOGGING_IN.split("```toml")[number + 1].split("```")[0]
    given = "x" * 40
    (folder / "tertulia.toml").write_text(
        written.replace('key_text = "…"', f'key_text = "{given}"')
    )

    config = Config.load({}, {"TERTULIA_EXTERNAL_URL": "https://chat.example.com"})

    assert config.providers
