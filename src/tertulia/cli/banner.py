"""The text that `tertulia serve` prints at the start: its address, its data, the next step."""

import shlex
import shutil
import sys
from pathlib import Path

from tertulia import __version__, data_dir
from tertulia.config import Config
from tertulia.domain.organization.realm import Realm
from tertulia.sample_data.demo.people import Cast


def text(config: Config, address: str, realm: Realm, *, cast: Cast | None, has_people: bool) -> str:
    parts = [
        f"Tertulia {__version__} listens at {address} (Ctrl-C stops it)",
        f"  Organization  {realm.name}\n  Data          {_where(config)}",
    ]
    if cast is not None:
        parts.append(_introduce(cast, config.data))
    elif not has_people:
        parts.append(_invite(config))
    return "\n\n".join(parts) + "\n"


def _where(config: Config) -> str:
    folder = str(config.data.absolute())
    return folder if data_dir.sqlite_file(config) else f"PostgreSQL, and {folder}"


def _invite(config: Config) -> str:
    command = f"{_program()} user"
    place = _data_location(config)
    return (
        "There are no accounts yet. Add yourself in another terminal:\n\n"
        f'  {command} add you@example.com --name "Your Name" --role owner --password-stdin{place}'
        "\n\nThen log in at the address above. For clients and scripts, write a zuliprc file:\n\n"
        f"  {command} zuliprc you@example.com{place} > zuliprc"
    )


def _introduce(cast: "Cast", folder: Path) -> str:
    width = max(len(person.email) for person in cast.people)
    people = "\n".join(
        f"  {person.email:<{width}}  {person.full_name}, {person.role.name.lower()}"
        for person in cast.people
    )
    return (
        f"Sample data. These users can log in, all with the password {cast.password}\n\n"
        f"{people}\n\nFor clients and scripts: {folder}/zuliprc-NAME"
    )


def _program() -> str:
    """The name to run this command with."""
    typed, found = Path(sys.argv[0]), shutil.which("tertulia")
    is_on_path = found is not None and typed.exists() and typed.samefile(found)
    return "tertulia" if is_on_path else shlex.quote(str(typed))


def _data_location(config: Config) -> str:
    """The flags with which other commands find the same data."""
    place = "" if config.data == Config().data else f" --data {shlex.quote(str(config.data))}"
    return place + (" --database …" if config.database else "")
