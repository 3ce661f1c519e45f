"""The API feature level that this server supports."""

from typing import Any

# The Zulip release whose clients are supported, and its API feature level. Clients read both.
COMPATIBLE_VERSION = "12.0"
FEATURE_LEVEL = 497

# Compat: the specification and the clients use different names for the same.
WIRE_FIELDS: dict[str, Any] = {
    f"{whose}_{what}": value
    for whose in ("service", "zulip")
    for what, value in (
        ("feature_level", FEATURE_LEVEL),
        ("version", COMPATIBLE_VERSION),
        ("merge_base", COMPATIBLE_VERSION),
    )
}
