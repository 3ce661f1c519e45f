"""Prints `docs/settings.md`: `python -m tertulia.config`."""

from tertulia.config.settings import settings_markdown

print(settings_markdown(), end="")
