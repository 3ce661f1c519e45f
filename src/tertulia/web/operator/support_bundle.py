"""The support bundle: a zip of numbers for a bug report, without contents and secrets.

Everything in it is chosen: versions, numbers, names of log events, queues and routes. Of the
settings it has the values of numbers, switches and choices; of texts only whether they are set.
"""

import io
import platform
import sys
import zipfile
from collections.abc import Sequence
from importlib import metadata
from typing import Any

import msgspec

from tertulia import __version__
from tertulia.actions.data_check import CheckResult
from tertulia.actions.server_status import ServerStatus
from tertulia.config import SETTINGS, Config
from tertulia.domain.server_report import StatusPart

# The kinds of settings whose values are not free texts.
SHOWN_KINDS = (bool, int, float)
SHOWN_CHOICES = ("files", "metrics", "log_level", "log_format", "smtp_security")

# Texts among the facts of a part that come from this server itself.
SHOWN_FACTS = ("database", "version", "older", "event")


def build(
    status: ServerStatus,
    parts: Sequence[StatusPart],
    config: Config,
    findings: Sequence[CheckResult],
    metrics: bytes,
) -> bytes:
    files = {
        "status.json": {"now": status.now, "parts": [_part(each) for each in parts]},
        "servers.json": [_server(index, each) for index, each in enumerate(status.running, 1)],
        "samples.json": status.samples,
        "log_counts.json": status.log_counts(),
        "settings.json": settings(config),
        "check.json": {each.subject: len(each.problems) for each in findings},
        "versions.json": versions(),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, msgspec.json.format(msgspec.json.encode(content), indent=1))
        archive.writestr("metrics.txt", _without_names(metrics))
    return packed.getvalue()


def settings(config: Config) -> dict[str, Any]:
    """Values of numbers, switches and choices; for other settings whether they are set."""
    shown: dict[str, Any] = {}
    for each in SETTINGS:
        value = getattr(config, each.name)
        if isinstance(value, SHOWN_KINDS) or each.name in SHOWN_CHOICES:
            shown[each.name] = value
        else:
            shown[each.name] = "default" if value == getattr(Config(), each.name) else "set"
    counts = {
        provider.TABLE: sum(other.TABLE == provider.TABLE for other in config.providers)
        for provider in config.providers
    }
    return shown | {"login_providers": counts}


def versions() -> dict[str, Any]:
    packages = {each.metadata["Name"]: each.version for each in metadata.distributions()}
    return {
        "tertulia": __version__,
        "python": sys.version,
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "packages": dict(sorted(packages.items())),
    }


def _without_names(metrics: bytes) -> bytes:
    """The metrics without those that have the name of an LDAP directory."""
    return b"\n".join(line for line in metrics.split(b"\n") if b'directory="' not in line)


def _part(part: StatusPart) -> dict[str, Any]:
    """A part without texts that other machines or people wrote, such as reasons and host names."""
    numbers = {name: value for name, value in part.facts.items() if not isinstance(value, str)}
    known = {name: part.facts.get(name) for name in SHOWN_FACTS}
    return {"name": part.name, "state": part.state} | numbers | known


def _server(index: int, report: Any) -> dict[str, Any]:
    """A report without the name of its host."""
    found: dict[str, Any] = msgspec.to_builtins(report)
    return found | {
        "id": index,
        "name": f"server {index}",
        "writes": {name: v for name, v in found["writes"].items() if name != "reason"},
    }
