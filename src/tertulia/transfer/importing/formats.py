"""The formats that can be imported. The format of an export is recognized from its files."""

from collections.abc import Callable
from pathlib import Path

from tertulia.transfer.importing.archive_reader import InvalidExport
from tertulia.transfer.importing.sources import (
    discord,
    mattermost,
    rocketchat,
    slack,
    telegram,
    whatsapp,
    zulip,
)
from tertulia.transfer.importing.times import UNKNOWN_ZONE, Zone
from tertulia.transfer.model import Source

Open = Callable[[Path, Zone], Source | None]


def _without_zone(open_source: Callable[[Path], Source | None]) -> Open:
    """All times of this format have a zone."""
    return lambda folder, zone: open_source(folder)


# Each returns None if the folder has no export of its product.
OPENERS: dict[str, Open] = {
    "Zulip": _without_zone(zulip.open_export),
    "Slack": _without_zone(slack.open_export),
    "Rocket.Chat": _without_zone(rocketchat.open_export),
    "Mattermost": _without_zone(mattermost.open_export),
    "Telegram": telegram.open_export,
    "Discord": _without_zone(discord.open_export),
    "WhatsApp": whatsapp.open_export,
}


def open_export(folder: Path, file: Path, zone: Zone = UNKNOWN_ZONE) -> Source:
    """The export in a folder, which was unpacked from `file`. Raises InvalidExport."""
    for open_source in OPENERS.values():
        source = open_source(folder, zone)
        if source is not None:
            return source
    *others, last = sorted(OPENERS)
    raise InvalidExport(f"{file} is not an export of {', '.join(others)} or {last}.")
