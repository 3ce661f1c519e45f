"""The laws leave nothing out: every event and every list of the state is compared.

A part of the state and the events that change it must agree. Only a law that compares both can show
that, so a new kind of event or a new list must be added to one.
"""

from typing import Any

from tests.support import model_personal_state, model_state

from tertulia import events
from tertulia.events.snapshot.lists import LISTS

HERE = (
    "tests/support/model_state.py (state of the organization)"
    " or model_personal_state.py (state of one user)"
)

# Events that are no part of the register state.
WITHOUT_STATE = {
    "attachment",
    # Notices that a list has changed, which clients fetch by themselves.
    "invites_changed",
    "legal_holds_changed",
    "realm_export",
    "commands",
    # Uses of commands, buttons and forms, which tests/features/test_apps.py follows.
    "interaction",
    "interaction_update",
    # Messages are compared by test_reading_model.
    "delete_message",
    "reaction",
    "submessage",
    "update_message",
}


class Noticing(dict[str, Any]):
    """The register answer, and which of its keys were read."""

    def __init__(self, state: dict[str, Any]) -> None:
        super().__init__(state)
        self.seen: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        self.seen.add(key)
        return super().__getitem__(key)


def test_every_event_is_compared():
    watched = {
        *model_state.SUBJECT.handlers,
        *model_personal_state.SUBJECT.handlers,
        *WITHOUT_STATE,
    }
    received = {each: kind for kind in events.types.event.kinds().values() for each in kind.types}

    missing = [
        f"No law watches the event {name} ({kind.__name__}): name with `handles` in {HERE} what it"
        " changes, and let people do it in the law in tests/laws."
        for name, kind in received.items()
        if name not in watched
    ]
    assert not missing, "\n".join(missing)


def test_every_list_is_compared(chat):
    state = Noticing(chat.person("ana", role="owner").registers(include_subscribers="true"))

    for read in (*model_state.SUBJECT.parts.values(), *model_personal_state.SUBJECT.parts.values()):
        read(state)

    missing = [
        f"No law checks {name}, which is part of register: make it a part in {HERE}."
        for name in LISTS
        if name not in state.seen
    ]
    assert not missing, "\n".join(missing)
