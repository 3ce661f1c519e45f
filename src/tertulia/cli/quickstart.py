"""`tertulia quickstart`: a public server on this machine, with systemd and HTTPS.

Every step can be repeated: files that are already right stay as they are, and settings that you
have changed are never overwritten.
"""

import difflib
import os
import re
import shutil
import socket
import subprocess
import sys
from ipaddress import ip_address
from pathlib import Path

import click
import msgspec

import tertulia.features  # noqa: F401
from tertulia import actions, data_dir, features, file_permissions, storage
from tertulia.cli import quickstart_files
from tertulia.cli.quickstart_files import PlannedFile
from tertulia.config import Config
from tertulia.errors.authentication import AlreadySetUp

MIN_FREE_BYTES = 1 << 30
MIN_MEMORY_BYTES = 256 << 20
CONNECT_SECONDS = 3
HOST_NAME = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.(?!-)[a-z0-9-]{1,63})+")
SOMEWHERE = {  # never reached: only the route is looked up
    socket.AF_INET: ("192.0.2.1", 9),
    socket.AF_INET6: ("2001:db8::1", 9),
}
LOOPBACK = ("127.0.0.1", "::1")
DEFAULT_PORT = 9009  # behind a proxy
HIDDEN_FOLDERS = {
    "/home": "a home folder",
    "/root": "a home folder",
    "/tmp": "a temporary folder",  # noqa: S108  # nothing is written there
    "/var/tmp": "a temporary folder",  # noqa: S108
}
UNITS = ("tertulia.service", "tertulia-backup.timer")


class Finding(msgspec.Struct, frozen=True):
    subject: str
    text: str
    is_problem: bool = False


@click.command()
@click.argument("host", metavar="chat.example.com")
@click.option("--dry-run", is_flag=True, help="Show the files and the checks, but change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask before writing.")
@click.option(
    "--proxy",
    is_flag=True,
    help="Caddy gets the certificate; without it the server gets one from Let's Encrypt itself.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="The port of the server behind the proxy.  [default: 9009]",
)
@click.option(
    "--data", default="/var/lib/tertulia", show_default=True, help="The data folder of the service."
)
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    default="/",
    help="Write below this folder and start nothing, as for an image.",
)
def quickstart(
    host: str, dry_run: bool, yes: bool, proxy: bool, port: int | None, data: str, root: Path
) -> None:
    """Set up a public server: settings, systemd units, a nightly backup, a certificate.

    Shows every file before it is written, and ends with the address of the first-run page.
    """
    host = host.lower().rstrip(".")
    if not HOST_NAME.fullmatch(host):
        raise click.UsageError(f"{host} is not a host name such as chat.example.com.")
    if port is not None and not proxy:
        raise click.UsageError("--port is for a server behind a proxy; add --proxy.")
    data = os.path.normpath(data)
    if not data.startswith(quickstart_files.STATE_ROOT):
        raise click.UsageError("--data must be a folder below /var/lib, such as /var/lib/tertulia.")
    proxy_port = (port or DEFAULT_PORT) if proxy else None
    program = str(Path(sys.argv[0]).absolute())
    is_real = root == Path("/") and not dry_run
    if is_real and os.geteuid() != 0:
        command = " ".join(["sudo", program, *sys.argv[1:]])
        raise click.ClickException(f"It writes to /etc and starts services. Run: {command}")
    found = _check_program(program, sys.executable)
    if is_real and found.is_problem:
        raise click.ClickException(f"The {found.subject} {found.text}")
    files = quickstart_files.planned(host, root, program=program, data=data, proxy_port=proxy_port)
    folder = root / data.lstrip("/")

    changed = [each for each in files if _show(each)]
    _show_dns(host)
    for finding in [found, *_checks(host, proxy_port, folder)]:
        click.echo(f"{finding.subject:<9} {'CHECK: ' if finding.is_problem else ''}{finding.text}")
    if dry_run:
        click.echo("\nNothing was changed.")
        return
    if changed and not yes:
        click.confirm("\nWrite these files?", abort=True)
    for each in changed:
        _write(each)
    _start(root, any_changed=bool(changed))
    if not proxy:
        click.echo("\nThe certificate is there when the log says server.certificate_issued:")
        click.echo("journalctl -u tertulia")
    _show_first_run(folder)


# --- files ---


def _show(file: PlannedFile) -> bool:
    """Print a file, or how it differs from the present one. Returns whether it is to be written."""
    try:
        present = file.path.read_text(encoding="utf-8")
    except FileNotFoundError:
        click.echo(f"\n=== new: {file.path}\n{file.text}")
        return True
    if present == file.text:
        click.echo(f"\n=== unchanged: {file.path}")
        return False
    if not file.may_replace:
        click.echo(f"\n=== kept as it is: {file.path}\nIt should contain:\n{file.text}")
        return False
    lines = difflib.unified_diff(
        present.splitlines(), file.text.splitlines(), "present", "new", lineterm="", n=1
    )
    click.echo(f"\n=== changed: {file.path}\n" + "\n".join(lines))
    return True


def _write(file: PlannedFile) -> None:
    is_private = file.path.name == "tertulia.toml"
    if is_private:
        file_permissions.make_folders(file.path.parent, 0o700)
        file_permissions.write_private(file.path, file.text.encode())
    else:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        file.path.write_text(file.text, encoding="utf-8")
    click.echo(f"Wrote {file.path}.")


# --- what to do elsewhere, and what this machine lacks ---


def _show_dns(host: str) -> None:
    click.echo("\nDNS records:")
    for kind, address in {"A": _own_ipv4(), "AAAA": _own_ipv6()}.items():
        if address:
            click.echo(f"  {host}.  300  IN  {kind}  {address}")
    click.echo("  (the addresses of this machine; behind a router, use its public IPv4 address)\n")


def _own_ipv4() -> str:
    return _own_address(socket.AF_INET)


def _own_ipv6() -> str:
    """The public address; empty if there is none, because routers do not translate IPv6."""
    found = _own_address(socket.AF_INET6)
    return found if found and ip_address(found).is_global else ""


def _own_address(family: socket.AddressFamily) -> str:
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(SOMEWHERE[family])
            return str(probe.getsockname()[0])
    except OSError:
        return ""


def _checks(host: str, proxy_port: int | None, folder: Path) -> list[Finding]:
    if proxy_port is None:
        ports = [_check_own_port(80), _check_own_port(443)]
    else:
        ports = [*map(_check_port, (80, 443)), _check_own_port(proxy_port), _check_proxy()]
    return [_check_dns(host), *ports, _check_disk(folder), _check_memory(), _check_mail(folder)]


def _check_program(program: str, interpreter: str) -> Finding:
    """The unit has ProtectHome=yes and PrivateTmp=yes, so the service sees neither folder."""
    files = {"program": program, "interpreter": str(Path(interpreter).resolve())}
    for subject, file in files.items():
        for folder, what in HIDDEN_FOLDERS.items():
            if Path(file).is_relative_to(folder):
                text = f"{file} is in {what}, which the service cannot read; install Tertulia in"
                return Finding(subject, f"{text} /opt/tertulia, with a Python of the system.", True)
    return Finding("program", f"{program} runs the service.")


def _check_dns(host: str) -> Finding:
    try:
        found = socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM)
    except OSError:
        return Finding("DNS", f"{host} has no address yet; create the records above.", True)
    addresses = sorted({str(row[4][0]) for row in found})
    text = f"{host} is {', '.join(addresses)}."
    other = [each for each in addresses if ":" in each and each != _own_ipv6()]
    if other:  # Let's Encrypt and browsers try IPv6 first
        wanted = f"change it to {own}" if (own := _own_ipv6()) else "delete the AAAA record"
        text += f" {', '.join(other)} is not an address of this machine; {wanted}."
    return Finding("DNS", text, bool(other))


def _check_port(port: int) -> Finding:
    """The ports of the proxy, which gets the certificate over port 80 or 443."""
    is_taken = any(_answers(each, port) for each in LOOPBACK)
    text = "in use; it must be your proxy." if is_taken else "free, for the proxy."
    return Finding(f"port {port}", text)


def _check_own_port(port: int) -> Finding:
    taken = [each for each in LOOPBACK if _answers(each, port)]
    if not taken:
        return Finding(f"port {port}", "free, for the server.")
    text = f"in use on {' and '.join(taken)}; fine if it is Tertulia."
    return Finding(f"port {port}", text, True)


def _check_disk(folder: Path) -> Finding:
    there = next(each for each in [folder, *folder.absolute().parents] if each.exists())
    free = shutil.disk_usage(there).free
    return Finding("disk", f"{free / (1 << 30):.1f} GB free.", free < MIN_FREE_BYTES)


def _check_memory() -> Finding:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Finding("memory", f"{total / (1 << 30):.1f} GB.", total < MIN_MEMORY_BYTES)


def _check_mail(folder: Path) -> Finding:
    config = _config(folder)
    if not config.sends_mail:
        return Finding("mail", "no smtp_host: invitations and new passwords are links from you.")
    address = f"{config.smtp_host}:{config.smtp_port}"
    if _answers(config.smtp_host, config.smtp_port):
        return Finding("mail", f"{address} answers; `tertulia mail test` sends a mail.")
    return Finding("mail", f"{address} does not answer.", True)


def _check_proxy() -> Finding:
    if shutil.which("caddy"):
        return Finding("proxy", "Caddy is installed and gets the certificate by itself.")
    return Finding("proxy", "Caddy is not installed; see docs/proxy-and-tls.md for others.", True)


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


# --- start ---


def _start(root: Path, *, any_changed: bool) -> None:
    """Start the units, or print the commands where there is no systemd to run them."""
    commands = [["systemctl", "daemon-reload"], ["systemctl", "enable", "--now", *UNITS]]
    if any_changed:
        commands.append(["systemctl", "restart", UNITS[0]])
    can_start = root == Path("/") and Path("/run/systemd/system").exists() and os.getuid() == 0
    for command in commands:
        if can_start:
            subprocess.run(command, check=True)  # noqa: S603  # no input
        else:
            click.echo(f"To do: {' '.join(command)}")


def _show_first_run(folder: Path) -> None:
    """Print the address of the first-run page; create the data if there is none."""
    config = _config(folder)
    try:
        database = data_dir.open_alongside_server(config)
    except data_dir.NoData:
        database = data_dir.open_database(config)
    realm = database.of(0).read(storage.organization.realms.first) or database.of(0).write(
        actions.organization.creation.get_or_create_first, config.organization
    )
    try:
        code = database.of(realm.id).write(features.first_run.setup_code)
    except AlreadySetUp:
        click.echo(f"\nReady, with accounts:\n{config.external_url}")
    else:
        page = features.first_run.address(config.external_url, code)
        click.echo(f"\nCreate the organization and its owner in a browser:\n{page}")
    finally:
        database.close()


def _config(folder: Path) -> Config:
    return Config.load({"data": str(folder)}, {})
