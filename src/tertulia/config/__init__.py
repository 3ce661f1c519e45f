"""Every setting of the server: `settings` is the list, `providers` its tables, `values`
how each is written, `reading` where from. The tables are loaded where there is one."""

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
