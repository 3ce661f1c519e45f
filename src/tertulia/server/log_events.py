"""The table of log events: what each means and what an operator does about it."""

import tomllib
from functools import cache
from importlib import resources

import msgspec

AREAS = {
    "server": "The process, its workers, sockets and files",
    "http": "Requests",
    "web": "Pages",
    "auth": "Logging in",
    "sso": "Single sign-on",
    "ldap": "LDAP",
    "database": "The database",
    "cluster": "Several servers",
    "events": "The event log and queues",
    "disk": "Disk space",
    "files": "Uploaded files",
    "jobs": "Background jobs",
    "scheduled": "Scheduled messages and reminders",
    "mail": "Mail",
    "push": "Push notifications",
    "webhooks": "Outgoing webhooks",
    "previews": "Previews of linked pages",
    "interactions": "Commands, buttons and forms of bots",
    "export": "Exports",
}


class LogEvent(msgspec.Struct, frozen=True):
    name: str
    level: str
    meaning: str
    response: str
    fields: str = ""  # separated by spaces


@cache
def log_events() -> dict[str, LogEvent]:
    """The events by name. Only docs and the operator's page read the file, so it loads late."""
    source = resources.files("tertulia.server") / "log_events.toml"
    areas = tomllib.loads(source.read_text(encoding="utf-8"))
    return {
        (name := f"{area}.{event}"): LogEvent(name, **values)
        for area, events in areas.items()
        for event, values in events.items()
    }


def meaning(name: str) -> str:
    """What an event means; empty if the table does not have it."""
    found = log_events().get(name)
    return "" if found is None else found.meaning
