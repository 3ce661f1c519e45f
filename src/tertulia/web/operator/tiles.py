"""The parts of the server's status in words, for the tiles of the operator's page."""

from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from tertulia.domain.server_report import Facts, State, StatusPart
from tertulia.locale import Texts

UNITS = {  # the largest first; a unit is used from twice its length
    "days": 86_400,
    "hours": 3600,
    "minutes": 60,
    "seconds": 1,
}


class Tile(msgspec.Struct, frozen=True):
    name: str
    state: State
    value: str
    small: str  # after the value
    explained: str


def of_part(part: StatusPart, t: Texts) -> Tile:
    value, small, explained = _WORDS[part.name](part, part.facts, t)
    return Tile(part.name, part.state, value, small, explained)


def duration(seconds: float, t: Texts) -> str:
    unit = next((name for name, length in UNITS.items() if seconds >= 2 * length), "seconds")
    return t(f"operator.{unit}", count=int(seconds / UNITS[unit]))


def size(number: float) -> str:
    for unit, length in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= length:
            value = number / length
            return _isolated(f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}")
    return _isolated(f"{number:.0f} B")


def moment(at: float) -> str:
    return _isolated(f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}")


def _isolated(text: str) -> str:
    """In a text from right to left its parts keep their order."""
    return f"\u2066{text}\u2069"


Words = tuple[str, str, str]  # value, small, explained


def _backup(part: StatusPart, facts: Facts, t: Texts) -> Words:
    age = _number(facts["age_seconds"])
    if facts["has_failed"]:
        explained = t("operator.backup-failed", reason=facts["reason"])
    elif age is None:
        explained = "" if part.state == "off" else t("operator.no-backup-hint")
    elif part.state == "good":
        explained = t("operator.backup-size", size=size(_number(facts["bytes"]) or 0))
    else:
        explained = t("operator.backup-late")
    if age is None:
        return t("operator.no-backup"), "", explained
    return t("operator.old", age=duration(age, t)), "", explained


def _disk(part: StatusPart, facts: Facts, t: Texts) -> Words:
    if part.state == "off":
        return t("operator.unknown"), "", ""
    explained = t("operator.free", size=size(_number(facts["free_bytes"]) or 0))
    full_in = _number(facts["full_in_seconds"])
    if part.state != "good" and full_in is not None:
        explained = t("operator.full-in", time=duration(full_in, t))
    total = size(_number(facts["total_bytes"]) or 0)
    used = f"{_number(facts['used_percent']) or 0:.0f} %"
    return used, t("operator.of", total=total), explained


def _writes(part: StatusPart, facts: Facts, t: Texts) -> Words:
    milliseconds = _number(facts.get("milliseconds"))
    value = t("operator.not-tested") if milliseconds is None else f"{milliseconds:.0f} ms"
    if part.state == "fail":
        return value, "", t("operator.writes-fail", reason=facts["reason"])
    tested = _number(facts.get("tested_seconds_ago"))
    if tested is None:
        return value, "", ""
    if part.state == "look":
        return value, "", t("operator.writes-wait")
    return value, "", t("operator.last-write", time=duration(max(tested, 0), t))


def _database(part: StatusPart, facts: Facts, t: Texts) -> Words:
    if not facts:
        return t("operator.not-tested"), "", ""
    number = _number(facts["bytes"])
    return str(facts["database"]), "", size(number) if number else ""


def _leader(part: StatusPart, facts: Facts, t: Texts) -> Words:
    if not facts:
        return t("operator.no-leader"), "", t("operator.no-leader-hint")
    if part.state == "look":
        return str(facts["server"]), "", t("operator.leader-silent")
    since = t("operator.since", time=moment(_number(facts["since"]) or 0))
    return str(facts["server"]), "", since


def _mail(part: StatusPart, facts: Facts, t: Texts) -> Words:
    if part.state == "off":
        return t("operator.off"), "", t("operator.mail-off")
    return _sent(facts, t)


def _push(part: StatusPart, facts: Facts, t: Texts) -> Words:
    value, small, explained = _sent(facts, t)
    is_quiet = part.state == "good" and not facts["waiting"]
    if is_quiet and not facts["has_https"]:
        explained = t("operator.no-https")
    elif is_quiet and not facts["has_service"]:
        explained = t("operator.no-push-service")
    return value, small, explained


def _sent(facts: Facts, t: Texts) -> Words:
    if facts["event"]:
        explained = t("operator.event-now", event=facts["event"])
    elif facts["given_up"]:
        explained = t("operator.given-up", count=_whole(facts["given_up"]))
    elif facts["waiting"]:
        explained = t("operator.waiting", count=_whole(facts["waiting"]))
    else:
        explained = t("operator.queue-empty")
    return f"{_number(facts['sent']):,.0f}", t("operator.sent-today"), explained


def _ldap(part: StatusPart, facts: Facts, t: Texts) -> Words:
    if part.state == "off":
        return t("operator.off"), "", t("operator.ldap-off")
    accounts = t("operator.accounts", count=_whole(facts["accounts"]))
    if facts["failed"]:
        return accounts, "", t("operator.sync-failed", name=facts["failed"])
    ago = _number(facts["synced_seconds_ago"])
    if ago is None:
        return accounts, "", t("operator.not-synced")
    return accounts, "", t("operator.synced", time=duration(ago, t))


def _providers(part: StatusPart, facts: Facts, t: Texts) -> Words:
    if part.state == "off":
        return t("operator.off"), "", t("operator.providers-off")
    if facts["event"]:
        return str(facts["count"]), "", t("operator.event-now", event=facts["event"])
    return str(facts["count"]), "", t("operator.providers-good")


def _certificate(part: StatusPart, facts: Facts, t: Texts) -> Words:
    if part.state == "off":
        return t("operator.off"), "", t("operator.certificate-off")
    left = max(_number(facts["left_seconds"]) or 0, 0)
    return t("operator.left", time=duration(left, t)), "", ""


def _version(part: StatusPart, facts: Facts, t: Texts) -> Words:
    explained = t("operator.servers-count", count=_whole(facts["servers"]))
    if facts["older"]:
        explained = t("operator.older-version", version=facts["older"])
    elif facts["silent"]:
        explained = t("operator.silent-servers", names=facts["silent"])
    return str(facts["version"] or t("operator.unknown")), "", explained


def _whole(fact: object) -> int:
    return int(_number(fact) or 0)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


_WORDS: dict[str, Callable[[StatusPart, Facts, Texts], Words]] = {
    "backup": _backup,
    "disk": _disk,
    "writes": _writes,
    "database": _database,
    "leader": _leader,
    "mail": _mail,
    "push": _push,
    "ldap": _ldap,
    "providers": _providers,
    "certificate": _certificate,
    "version": _version,
}
