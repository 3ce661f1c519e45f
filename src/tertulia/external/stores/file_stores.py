"""Which stores there are, by the settings, and where new files go."""

from functools import cached_property
from pathlib import Path

from tertulia import external
from tertulia.config import Config, ConfigError
from tertulia.domain.files.upload_locations import DATABASE, FOLDER, S3
from tertulia.external.stores.signing import S3Key
from tertulia.external.stores.store import Store, StoreTrouble


class FileStores:
    """All stores of a server. One is opened when it is first asked for a file."""

    def __init__(self, config: Config) -> None:
        """Raises ConfigError if files are to be where the settings do not lead."""
        self._config = config
        self.chosen = config.files
        if self.chosen == S3 and not self._knows_s3:
            raise ConfigError("files = s3 needs s3_bucket, s3_key_id and s3_secret.")

    @property
    def is_used(self) -> bool:
        """Whether new files go anywhere but into the database."""
        return self.chosen != DATABASE

    @property
    def known(self) -> list[str]:
        """The places outside of the database that the settings lead to, and that are there."""
        return [
            *([FOLDER] if self._folder_path.is_dir() else []),
            *([S3] if self._knows_s3 else []),
        ]

    def store(self, place: str) -> Store:
        if place == FOLDER:
            return self._folder
        if place == S3 and self._knows_s3:
            return self._s3
        raise StoreTrouble(f"Files are in {place}, and the settings do not say where that is.")

    @property
    def _knows_s3(self) -> bool:
        config = self._config
        return bool(config.s3_bucket and config.s3_key_id and config.s3_secret)

    @property
    def _folder_path(self) -> Path:
        return self._config.files_folder or self._config.data / "files"

    @cached_property
    def _folder(self) -> Store:
        return external.stores.folder.FolderStore(self._folder_path)

    @cached_property
    def _s3(self) -> Store:
        config = self._config
        key = S3Key(config.s3_key_id, config.s3_secret, config.s3_region)
        return external.stores.s3.S3Store(config.s3_bucket, config.s3_folder, key)
