"""Every setting of the server: `settings` is the list, `providers` its tables, `values`
how each is written."""

from tertulia.config.providers import (
    PRESETS,
    TABLES,
    InformedProvider,
    JwtIssuer,
    LdapDirectory,
    OpenIdProvider,
    Provider,
    RemoteUserProxy,
    SamlProvider,
)
from tertulia.config.settings import SETTINGS, Config, settings_markdown
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
    "settings_markdown",
]
