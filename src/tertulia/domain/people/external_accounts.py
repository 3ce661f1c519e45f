"""External accounts: known sites and the URL of an account on each.

A profile field names a site by its key. `%(username)s` is replaced by the value of the field.
"""

from typing import Annotated

import msgspec

from tertulia.wire import Doc

CUSTOM = "custom"  # a site that is not listed here, with its own URL pattern
USERNAME = "%(username)s"


class ExternalAccount(msgspec.Struct, frozen=True):
    text: Annotated[str, Doc("The name of the site.")]
    url_pattern: Annotated[str, Doc("The URL of an account; empty if accounts have none.")]
    name: Annotated[str, Doc("The default name of a profile field.")]
    hint: Annotated[str, Doc("The default help text of a profile field.")]


def _at(text: str, url_pattern: str, name: str = "") -> ExternalAccount:
    return ExternalAccount(text, url_pattern, name or f"{text} username", "")


EXTERNAL_ACCOUNTS = {
    "atlassian": _at("Atlassian", "", "Atlassian account ID"),
    "behance": _at("Behance", f"https://www.behance.net/{USERNAME}"),
    "bitbucket": _at("Bitbucket", f"https://bitbucket.org/{USERNAME}"),
    "codeberg": _at("Codeberg", f"https://codeberg.org/{USERNAME}"),
    "discord": _at("Discord", ""),
    "dribbble": _at("Dribbble", f"https://dribbble.com/{USERNAME}"),
    "facebook": _at("Facebook", f"https://www.facebook.com/{USERNAME}"),
    "github": _at("GitHub", f"https://github.com/{USERNAME}"),
    "gitlab": _at("GitLab", f"https://gitlab.com/{USERNAME}"),
    "instagram": _at("Instagram", f"https://www.instagram.com/{USERNAME}"),
    "linkedin": _at("LinkedIn", f"https://www.linkedin.com/in/{USERNAME}"),
    "mastodon": _at("Mastodon", f"https://mastodon.social/{USERNAME}", "Mastodon address"),
    "medium": _at("Medium", f"https://medium.com/@{USERNAME}"),
    "orcid": _at("ORCID", f"https://orcid.org/{USERNAME}", "ORCID iD"),
    "reddit": _at("Reddit", f"https://www.reddit.com/user/{USERNAME}"),
    "sourcehut": _at("SourceHut", f"https://sr.ht/~{USERNAME}"),
    "stackoverflow": _at(
        "Stack Overflow", f"https://stackoverflow.com/users/{USERNAME}", "Stack Overflow user ID"
    ),
    "steam": _at("Steam", f"https://steamcommunity.com/id/{USERNAME}"),
    "telegram": _at("Telegram", f"https://t.me/{USERNAME}"),
    "twitch": _at("Twitch", f"https://www.twitch.tv/{USERNAME}"),
    "twitter": _at("Twitter", f"https://twitter.com/{USERNAME}"),
    "youtube": _at("YouTube", f"https://www.youtube.com/@{USERNAME}", "YouTube handle"),
}
