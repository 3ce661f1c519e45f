"""Every setting of the server: `settings.py` lists them, `login_providers.py` has the tables of the
file, `parsers.py` the types, `sources.py` reads flags, variables and the file."""

from tertulia.config.login_provider import InformedProvider, Provider
from tertulia.config.parsers import SWITCH, ConfigError, Rate, Setting, as_text
from tertulia.config.settings import SETTINGS, Config

__all__ = [
    "SETTINGS",
    "SWITCH",
    "Config",
    "ConfigError",
    "InformedProvider",
    "Provider",
    "Rate",
    "Setting",
    "as_text",
]
