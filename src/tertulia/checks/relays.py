"""For `tertulia check`: whether each TURN server relays with the credentials that calls get."""

import time

from tertulia import features
from tertulia.actions.data_check import CheckResult
from tertulia.config import Config
from tertulia.external import turn
from tertulia.external.turn import TurnFailed

NAME = "check"


def examine(config: Config) -> list[CheckResult]:
    if not config.has_turn:
        return []
    problems = []
    servers = config.turn_servers.split()
    username = features.calls.ice.username(NAME, time.time())
    password = features.calls.ice.credential(config.turn_secret, username)
    for address in servers:
        try:
            turn.allocate(address, username, password)
        except TurnFailed as failure:
            problems.append(f"{address}: {failure}")
    return [CheckResult("calls", f"TURN servers that relay: {len(servers)}", problems)]
