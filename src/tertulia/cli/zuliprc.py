"""zuliprc files: how a client or a bot finds its server and logs in.

The server writes its address to the data folder, so that commands can print it.
"""

from pathlib import Path
from urllib.parse import urlsplit

from tertulia import file_permissions
from tertulia.config import Config
from tertulia.domain.organization.realm import Realm

ADDRESS_FILE = "address"


def text(email: str, key: str, site: str) -> str:
    return f"[api]\nemail={email}\nkey={key}\nsite={site}\n"


def write(path: Path, email: str, key: str, site: str) -> None:
    """Write a file that only its owner can read."""
    file_permissions.write_private(path, text(email, key, site).encode())


def site(config: Config, realm: Realm, *, is_only_one: bool) -> str:
    """The URL of an organization. A single organization is reached at any host name."""
    scheme, _, host = (config.external_url or saved_address(config)).partition("://")
    if not realm.subdomain or (is_only_one and not config.external_url):
        return f"{scheme}://{host}"
    if not config.external_url:  # an IP address has no subdomains, localhost does
        port = urlsplit(f"//{host}").port
        host = "localhost" if port is None else f"localhost:{port}"
    return f"{scheme}://{realm.subdomain}.{host}"


def address(config: Config, port: int | None = None) -> str:
    """The URL of the server, if it listens on that port."""
    scheme = "https" if config.tls_cert or config.acme_directory else "http"
    name = config.local_host
    host = f"[{name}]" if ":" in name else name
    return f"{scheme}://{host}:{config.port if port is None else port}"


def save_address(config: Config, address: str) -> None:
    path = config.data / ADDRESS_FILE
    path.write_text(f"{address}\n", encoding="utf-8")
    file_permissions.match_folder(path, config.data)


def saved_address(config: Config) -> str:
    """The address of the server that was started last with this data, else of the settings."""
    try:
        noted = (config.data / ADDRESS_FILE).read_text(encoding="utf-8").strip()
    except OSError:
        noted = ""
    return noted or address(config)
