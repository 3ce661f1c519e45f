"""An export as a folder: as it lies on the disk, or inside a tar or zip archive.

What comes out of an archive is somebody else's: names that lead out of it are not followed.
"""

import contextlib
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tertulia.errors import CannotStart


class NoExport(CannotStart):
    """What was given is no export that we know."""


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Path]:
    """The folder in which the files of an export are; an archive is unpacked beside it."""
    if path.is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory(dir=path.absolute().parent, prefix=".tertulia-") as place:
        try:
            _unpack(path, Path(place))
        except (tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
            raise NoExport(f"{path} cannot be unpacked: {type(error).__name__}.") from None
        yield Path(place)


def _unpack(path: Path, place: Path) -> None:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as zipped:
            for name in zipped.namelist():
                if not name.endswith("/"):
                    _put(place, name, zipped.open(name))
    elif tarfile.is_tarfile(path):
        with tarfile.open(path) as tar:
            for member in tar:  # plain files alone: no links, which may lead out of the folder
                contents = tar.extractfile(member) if member.isfile() else None
                if contents is not None:
                    _put(place, member.name, contents)
    else:
        target = place / path.name
        target.symlink_to(path.absolute())


def _put(place: Path, name: str, contents: IO[bytes]) -> None:
    target = (place / name).resolve()
    if target.is_relative_to(place.resolve()):
        target.parent.mkdir(parents=True, exist_ok=True)
        with contents, target.open("wb") as file:
            shutil.copyfileobj(contents, file)


def holding(folder: Path, *names: str) -> Path | None:
    """Where these files are: in the folder itself, or one or two below it."""
    for place in [folder, *sorted(folder.glob("*/")), *sorted(folder.glob("*/*/"))]:
        if all((place / name).exists() for name in names):
            return place
    return None
