"""The configured file stores, and which of them receives new files."""

from functools import cached_property
from pathlib import Path

from tertulia.config import Config, ConfigError
from tertulia.domain.files.upload_locations import DATABASE, FOLDER, S3
from tertulia.external.stores import folder
from tertulia.external.stores.signing import S3Key
from tertulia.external.stores.store import Store, StoreUnavailable


class FileStores:
    """All stores of a server. Each is opened with its first use."""

    def __init__(self, config: Config) -> None:
        """Raises ConfigError if the chosen store is not configured."""
        self._config = config
        self.chosen = config.files
        if self.chosen == S3 and not self._knows_s3:
            raise ConfigError("files = s3 needs s3_bucket, s3_key_id and s3_secret.")

    @property
    def is_used(self) -> bool:
        """Whether new files go to a store outside of the database."""
        return self.chosen != DATABASE

    @property
    def known(self) -> list[str]:
        """The configured stores outside of the database that exist."""
        return [
            *([FOLDER] if self._folder_path.is_dir() else []),
            *([S3] if self._knows_s3 else []),
        ]

    def store(self, store_name: str) -> Store:
        if store_name == FOLDER:
            return self._folder
        if store_name == S3 and self._knows_s3:
            return self._s3
        raise StoreUnavailable(f"Files are in {store_name}, which is not configured.")

    @property
    def _knows_s3(self) -> bool:
        config = self._config
        return bool(config.s3_bucket and config.s3_key_id and config.s3_secret)

    @property
    def _folder_path(self) -> Path:
        return self._config.files_folder or self._config.data / "files"

    @cached_property
    def _folder(self) -> Store:
        return folder.FolderStore(self._folder_path)

    @cached_property
    def _s3(self) -> Store:
        from tertulia.external.stores import s3

        config = self._config
        key = S3Key(config.s3_key_id, config.s3_secret, config.s3_region)
        return s3.S3Store(config.s3_bucket, config.s3_folder, key)
