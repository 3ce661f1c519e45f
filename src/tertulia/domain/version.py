"""Which server this is, and which level of the API it speaks."""

from typing import Any

VERSION = "0.2.0"

# The release of the API's reference whose clients find here what they expect, and its number
# in the list of API changes. Clients read both.
COMPATIBLE_VERSION = "12.0"
FEATURE_LEVEL = 497

# Compat: the specification and the clients have a name each for the same.
TOLD: dict[str, Any] = {
    f"{whose}_{what}": value
    for whose in ("service", "zulip")
    for what, value in (
        ("feature_level", FEATURE_LEVEL),
        ("version", COMPATIBLE_VERSION),
        ("merge_base", COMPATIBLE_VERSION),
    )
}
