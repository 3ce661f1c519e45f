"""Every setting of the server: `settings` is the list, `providers` its tables, `values`
how each is written, `reading` where from."""

from tertulia.config.provider import InformedProvider, Provider
from tertulia.config.providers import (
    PRESETS,
    TABLES,
    JwtIssuer,
    LdapDirectory,
    OpenIdProvider,
    RemoteUserProxy,
    SamlProvider,
)
from tertulia.config.settings import SETTINGS, Config
from tertulia.config.values import SWITCH, ConfigError, Rate, Setting, as_text

__all__ = [
    "PRESETS",
    "SETTINGS",
    "SWITCH",
    "TABLES",
    "Config",
    "ConfigError",
    "InformedProvider",
    "JwtIssuer",
    "LdapDirectory",
    "OpenIdProvider",
    "Provider",
    "Rate",
    "RemoteUserProxy",
    "SamlProvider",
    "Setting",
    "as_text",
]
