"""Prints `docs/settings.md`: `python -m tertulia.config`."""

from tertulia.config.docs import settings_markdown

print(settings_markdown(), end="")
