"""For `tertulia check`: settings that need each other and are only partly set."""

from pathlib import Path

from tertulia.actions.data_check import CheckResult
from tertulia.config import Config

TOGETHER = (
    ("push_service_url", "push_service_id", "push_service_key"),
    ("bigbluebutton_url", "bigbluebutton_secret"),
    ("livekit_url", "livekit_key", "livekit_secret"),
    ("turn_servers", "turn_secret"),
    ("nextcloud_url", "nextcloud_user", "nextcloud_password"),
)


def examine(config: Config) -> list[CheckResult]:
    problems = []
    for names in TOGETHER:
        missing = [name for name in names if not getattr(config, name)]
        if missing and len(missing) < len(names):
            problems.append(f"{', '.join(names)} need each other; not set: {', '.join(missing)}")
    listen_address = config.lmtp_listen
    if listen_address and not config.mail_in_address:
        problems.append("lmtp_listen needs mail_in_address")
    if listen_address.startswith("/") and not Path(listen_address).parent.is_dir():
        problems.append(f"the folder {Path(listen_address).parent} of lmtp_listen does not exist")
    return [CheckResult("settings", "", problems)] if problems else []
