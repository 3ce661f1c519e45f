"""For `tertulia check`: what push to browsers and phones needs: HTTPS, and keys that open."""

from tertulia import features
from tertulia.actions.data_check import CheckResult
from tertulia.config import Config
from tertulia.database import BlockingDatabase
from tertulia.domain.people.keys import Vault, WrongSecret


def examine(config: Config, database: BlockingDatabase, vault: Vault | None) -> CheckResult:
    keys, browsers = database.of(0).read(features.notifications.receivers.keys_and_browsers)
    summary = f"{browsers:,} browsers and phones subscribed"
    if not config.has_https:
        summary += (
            "; no more can subscribe: external_url is not an https address (docs/proxy-and-tls.md)"
        )
    closed = sum(vault is None or not _opens(vault, each) for each in keys)
    problems = [f"{closed} of {len(keys)} keys do not open with this secret"] if closed else []
    return CheckResult("push", summary, problems)


def _opens(vault: Vault, sealed: bytes) -> bool:
    try:
        vault.unseal(sealed)
    except WrongSecret:
        return False
    return True
