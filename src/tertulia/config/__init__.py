"""Every setting of the server: `settings` is the list, `values` how each is written."""

from tertulia.config.settings import SETTINGS, Config, settings_markdown
from tertulia.config.values import SWITCH, ConfigError, Rate, Setting, as_text

__all__ = [
    "SETTINGS",
    "SWITCH",
    "Config",
    "ConfigError",
    "Rate",
    "Setting",
    "as_text",
    "settings_markdown",
]
