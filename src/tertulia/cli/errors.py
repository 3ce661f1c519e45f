"""Error messages of commands: one sentence for an error that the user can fix."""

import errno

from tertulia.config import ConfigError
from tertulia.database import error_text
from tertulia.errors import ClientError, StartupError

# Modules of libraries that the package installs on demand: what needs them, and the extra.
EXTRAS = {
    "psycopg": ("PostgreSQL", "postgres"),
    "lxml": ("SAML", "saml"),
    "minisaml": ("SAML", "saml"),
    "ldap3": ("LDAP", "ldap"),
}


def describe(error: Exception) -> str | None:
    """None if the error is a bug, which needs a traceback."""
    if isinstance(error, ClientError):
        return error.msg
    if isinstance(error, ConfigError | StartupError):
        return str(error)
    if isinstance(error, UnicodeError):
        return "The input is not valid UTF-8."
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        # Its name may be that of the file that was being copied to the full disk.
        return "The disk is full. Free some space, and run the command again."
    if isinstance(error, OSError) and error.errno != errno.EPIPE:
        return f"{error.filename or 'The system'}: {error.strerror}."
    if isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
        feature, extra = EXTRAS[error.name]
        return (
            f"{feature} needs the library {error.name}, which is not installed. Please run: pip"
            f" install 'tertulia[{extra}]'"
        )
    return error_text.describe(error)
