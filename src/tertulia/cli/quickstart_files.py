"""The files that `tertulia quickstart` writes, from `templates/`.

`packaging/` has the same units, for a checkout in `/opt/tertulia`; a test compares them.
"""

from pathlib import Path

import msgspec

BACKUPS_KEPT = 7
UNITS = ("tertulia.service", "tertulia-backup.service", "tertulia-backup.timer")
STATE_ROOT = "/var/lib/"  # where systemd lets an unprivileged service write

HEAD = """\
# Written by `tertulia quickstart`. All settings: docs/settings.md.
external_url = "https://{host}"
"""

# The server gets its own certificate.
ACME = """\
host = "*"
port = 443

# The certificate; with this you agree to the terms of Let's Encrypt.
acme_directory = "https://acme-v02.api.letsencrypt.org/directory"
# acme_email = "you@example.com"
"""

BEHIND_PROXY = """\
trusted_proxies = ["127.0.0.1", "::1"]
port = {port}
"""

MAIL = """\

# Mail, for invitations, forgotten passwords and missed messages:
# smtp_host = "mail.example.com"
# smtp_from = "chat@{host}"
"""

LOW_PORTS = "AmbientCapabilities=CAP_NET_BIND_SERVICE\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE"
NO_CAPABILITIES = "CapabilityBoundingSet="


class PlannedFile(msgspec.Struct, frozen=True):
    path: Path
    text: str
    may_replace: bool = True  # whether an existing file with another text may be overwritten


def planned(
    host: str,
    root: Path,
    *,
    program: str = "/opt/tertulia/.venv/bin/tertulia",
    data: str = "/var/lib/tertulia",
    backups: str = "/var/backups/tertulia",
    proxy_port: int | None = None,
) -> list[PlannedFile]:
    """The files below `root`, which is `/` except in tests and images.

    With a port the server is behind a proxy, which gets the certificate. `data` is below
    `STATE_ROOT`.
    """
    values = {"host": host, "program": program, "data": data, "backups": backups}
    values |= {"port": str(proxy_port), "kept": str(BACKUPS_KEPT)}
    values |= {"state": data.removeprefix(STATE_ROOT)}
    values |= {"capabilities": LOW_PORTS if proxy_port is None else NO_CAPABILITIES}
    settings = HEAD + (ACME if proxy_port is None else BEHIND_PROXY) + MAIL
    folder, units = root / data.lstrip("/"), root / "etc/systemd/system"
    files = [PlannedFile(folder / "tertulia.toml", settings.format_map(values), may_replace=False)]
    files += [PlannedFile(units / name, _filled(name, values)) for name in UNITS]
    if proxy_port is not None:
        caddyfile = root / "etc/caddy/Caddyfile"
        files.append(PlannedFile(caddyfile, _filled("Caddyfile", values), may_replace=False))
    return files


def _filled(name: str, values: dict[str, str]) -> str:
    template = Path(__file__).with_name("templates") / name
    return template.read_text(encoding="utf-8").format_map(values)
