"""The parts of the server's status in words, for the tiles of the operator's page."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import msgspec

from tertulia.domain.server_report import Facts, State, StatusPart
from tertulia.web.page_texts import counted

Texts = Mapping[str, str]

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


def of_part(part: StatusPart, texts: Texts) -> Tile:
    value, small, explained = _WORDS[part.name](part, part.facts, texts)
    return Tile(part.name, part.state, value, small, explained)


def duration(seconds: float, texts: Texts) -> str:
    unit = next((name for name, length in UNITS.items() if seconds >= 2 * length), "seconds")
    return counted(texts, f"operator_{unit}", int(seconds / UNITS[unit]))


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


def _backup(part: StatusPart, facts: Facts, texts: Texts) -> Words:
    age = _number(facts["age_seconds"])
    if facts["has_failed"]:
        explained = texts["operator_backup_failed"].format(facts["reason"])
    elif age is None:
        explained = "" if part.state == "off" else texts["operator_no_backup_hint"]
    elif part.state == "good":
        explained = texts["operator_backup_size"].format(size(_number(facts["bytes"]) or 0))
    else:
        explained = texts["operator_backup_late"]
    if age is None:
        return texts["operator_no_backup"], "", explained
    return texts["operator_old"].format(duration(age, texts)), "", explained


def _disk(part: StatusPart, facts: Facts, texts: Texts) -> Words:
    if part.state == "off":
        return texts["operator_unknown"], "", ""
    explained = texts["operator_free"].format(size(_number(facts["free_bytes"]) or 0))
    full_in = _number(facts["full_in_seconds"])
    if part.state != "good" and full_in is not None:
        explained = texts["operator_full_in"].format(duration(full_in, texts))
    total = size(_number(facts["total_bytes"]) or 0)
    used = f"{_number(facts['used_percent']) or 0:.0f} %"
    return used, texts["operator_of"].format(total), explained


def _writes(part: StatusPart, facts: Facts, texts: Texts) -> Words:
    milliseconds = _number(facts.get("milliseconds"))
    value = texts["operator_not_tested"] if milliseconds is None else f"{milliseconds:.0f} ms"
    if part.state == "fail":
        return value, "", texts["operator_writes_fail"].format(facts["reason"])
    tested = _number(facts.get("tested_seconds_ago"))
    if tested is None:
        return value, "", ""
    if part.state == "look":
        return value, "", texts["operator_writes_wait"]
    return value, "", texts["operator_last_write"].format(duration(max(tested, 0), texts))


def _database(part: StatusPart, facts: Facts, texts: Texts) -> Words:
    if not facts:
        return texts["operator_not_tested"], "", ""
    number = _number(facts["bytes"])
    return str(facts["database"]), "", size(number) if number else ""


def _leader(part: StatusPart, facts: Facts, texts: Texts) -> Words:
    if not facts:
        return texts["operator_no_leader"], "", texts["operator_no_leader_hint"]
    if part.state == "look":
        return str(facts["server"]), "", texts["operator_leader_silent"]
    since = texts["operator_since"].format(moment(_number(facts["since"]) or 0))
    return str(facts["server"]), "", since


def _mail(part: StatusPart, facts: Facts, texts: Texts) -> Words:
    if part.state == "off":
        return texts["operator_off"], "", texts["operator_mail_off"]
    return _sent(facts, texts)


def _push(part: StatusPart, facts: Facts, texts: Texts) -> Words:
    value, small, explained = _sent(facts, texts)
    is_quiet = part.state == "good" and not facts["waiting"]
    if is_quiet and not facts["has_service"]:
        explained = texts["operator_no_push_service"]
    return value, small, explained


def _sent(facts: Facts, texts: Texts) -> Words:
    if facts["event"]:
        explained = texts["operator_event_now"].format(facts["event"])
    elif facts["given_up"]:
        explained = counted(texts, "operator_given_up", _whole(facts["given_up"]))
    elif facts["waiting"]:
        explained = counted(texts, "operator_waiting", _whole(facts["waiting"]))
    else:
        explained = texts["operator_queue_empty"]
    return f"{_number(facts['sent']):,.0f}", texts["operator_sent_today"], explained


def _ldap(part: StatusPart, facts: Facts, texts: Texts) -> Words:
    if part.state == "off":
        return texts["operator_off"], "", texts["operator_ldap_off"]
    accounts = counted(texts, "operator_accounts", _whole(facts["accounts"]))
    if facts["failed"]:
        return accounts, "", texts["operator_sync_failed"].format(facts["failed"])
    ago = _number(facts["synced_seconds_ago"])
    if ago is None:
        return accounts, "", texts["operator_not_synced"]
    return accounts, "", texts["operator_synced"].format(duration(ago, texts))


def _providers(part: StatusPart, facts: Facts, texts: Texts) -> Words:
    if part.state == "off":
        return texts["operator_off"], "", texts["operator_providers_off"]
    if facts["event"]:
        return str(facts["count"]), "", texts["operator_event_now"].format(facts["event"])
    return str(facts["count"]), "", texts["operator_providers_good"]


def _certificate(part: StatusPart, facts: Facts, texts: Texts) -> Words:
    if part.state == "off":
        return texts["operator_off"], "", texts["operator_certificate_off"]
    left = max(_number(facts["left_seconds"]) or 0, 0)
    return texts["operator_left"].format(duration(left, texts)), "", ""


def _version(part: StatusPart, facts: Facts, texts: Texts) -> Words:
    explained = counted(texts, "operator_servers_count", _whole(facts["servers"]))
    if facts["older"]:
        explained = texts["operator_older_version"].format(facts["older"])
    elif facts["silent"]:
        explained = texts["operator_silent_servers"].format(facts["silent"])
    return str(facts["version"] or texts["operator_unknown"]), "", explained


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
