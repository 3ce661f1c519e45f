"""What speaks to other machines is loaded where it is set up, and nowhere else."""

import subprocess
import sys

LARGE = {
    *("aiosmtplib", "cryptography", "httpcore", "httpx", "jinja2", "joserfc", "ldap3", "minisaml"),
    *("PIL", "zxcvbn"),
}
PROGRAM = """
import sys
from pathlib import Path

from tertulia.app import Application
from tertulia.config import Config
from tertulia.domain.people.keys import Vault
from tertulia.database import BlockingDatabase, Database

folder = Path(sys.argv[1])
database, vault = BlockingDatabase.at(f"sqlite:///{folder}/x.db"), Vault(b"nobody guesses it")
Application(Config(data=folder), Database(database), vault)
print(*sys.modules)
"""


def test_unconfigured_providers_are_not_imported(tmp_path):
    shown = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True
    )

    loaded = set(shown.stdout.split())

    assert "tertulia.app" in loaded
    assert not loaded.intersection(LARGE)
