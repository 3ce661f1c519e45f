"""The text that `tertulia serve` prints at the start: its address, its data, the next step."""

from pathlib import Path

from tertulia import __version__, data_dir
from tertulia.config import Config
from tertulia.domain.organization.realm import Realm
from tertulia.sample_data.demo.people import DemoPeople


def text(
    config: Config, address: str, realm: Realm, *, demo: DemoPeople | None, first_run: str | None
) -> str:
    """`first_run` is the address of the first-run page, if there are no accounts; the last line."""
    parts = [
        f"Tertulia {__version__} listens at {address} (Ctrl-C stops it)",
        f"  Organization  {realm.name}\n  Data          {_where(config)}",
    ]
    if demo is not None:
        parts.append(_introduce(demo, config.data))
    elif first_run is not None:
        parts.append(
            "There are no accounts yet. Create the organization and its owner in a browser:\n\n"
            f"{first_run}"
        )
    return "\n\n".join(parts)


def _where(config: Config) -> str:
    folder = str(config.data.absolute())
    return folder if data_dir.sqlite_file(config) else f"PostgreSQL, and {folder}"


def _introduce(demo: "DemoPeople", folder: Path) -> str:
    width = max(len(person.email) for person in demo.people)
    people = "\n".join(
        f"  {person.email:<{width}}  {person.full_name}, {person.role.name.lower()}"
        for person in demo.people
    )
    return (
        f"Sample data. These users can log in, all with the password {demo.password}\n\n"
        f"{people}\n\nFor clients and scripts: {folder}/zuliprc-NAME"
    )
