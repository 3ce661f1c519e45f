"""The files that `tertulia quickstart` writes. `packaging/` has the same units, for a checkout in
`/opt/tertulia`; a test compares them."""

from pathlib import Path

import msgspec

BACKUPS_KEPT = 7
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

CADDYFILE = """\
{host} {{
	reverse_proxy 127.0.0.1:{port} {{
		flush_interval -1
	}}
	@metrics path /metrics
	respond @metrics 404
}}
"""

LOW_PORTS = "AmbientCapabilities=CAP_NET_BIND_SERVICE\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE"
NO_CAPABILITIES = "CapabilityBoundingSet="

SERVICE = """\
# /etc/systemd/system/tertulia.service; see docs/getting-started.md.

[Unit]
Description=Tertulia, a team chat server
Documentation=file:/opt/tertulia/docs/README.md
After=network-online.target
Wants=network-online.target

[Service]
ExecStart={program} serve
ExecReload=/bin/kill -HUP $MAINPID
Environment=TERTULIA_DATA={data}
EnvironmentFile=-/etc/tertulia/environment
DynamicUser=yes
StateDirectory={state}
StateDirectoryMode=0700
Restart=on-failure
RestartSec=1
TimeoutStopSec=20
LimitNOFILE=65536

{capabilities}
LockPersonality=yes
MemoryDenyWriteExecute=yes
NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
ProcSubset=pid
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
UMask=0077

[Install]
WantedBy=multi-user.target
"""

BACKUP_SERVICE = """\
# /etc/systemd/system/tertulia-backup.service; run by tertulia-backup.timer.

[Unit]
Description=Back up Tertulia
Documentation=file:/opt/tertulia/docs/backup-and-restore.md
ConditionPathExists={data}

[Service]
Type=oneshot
ExecStartPre=/bin/mkdir -p -m 700 {backups}
ExecStart={program} backup {backups}/chat.tar --keep {kept}
Environment=TERTULIA_DATA={data}
EnvironmentFile=-/etc/tertulia/environment
Nice=10
IOSchedulingClass=idle
NoNewPrivileges=yes
PrivateTmp=yes
ProtectHome=yes
ProtectSystem=full
UMask=0077
"""

BACKUP_TIMER = """\
# /etc/systemd/system/tertulia-backup.timer: a backup every night.

[Unit]
Description=Back up Tertulia every night

[Timer]
OnCalendar=*-*-* 03:30:00
RandomizedDelaySec=30min
Persistent=true

[Install]
WantedBy=timers.target
"""


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
    files = [
        PlannedFile(
            folder / "tertulia.toml",
            settings.format_map(values),
            may_replace=False,
        ),
        PlannedFile(units / "tertulia.service", SERVICE.format_map(values)),
        PlannedFile(units / "tertulia-backup.service", BACKUP_SERVICE.format_map(values)),
        PlannedFile(units / "tertulia-backup.timer", BACKUP_TIMER),
    ]
    if proxy_port is not None:
        text = CADDYFILE.format_map(values)
        files.append(PlannedFile(root / "etc/caddy/Caddyfile", text, may_replace=False))
    return files
