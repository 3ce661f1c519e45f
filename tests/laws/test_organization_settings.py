"""The law of organization settings: API and command line follow the table.

Each row is tested with valid and invalid values, through the API and with the command.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli_runner import CommandResult, Terminal
from tests.support.databases import Databases, Kind
from tests.support.event_queue import EventQueue
from tests.support.people import Chat, Person
from tests.support.server import SECRET
from tests.support.shared_servers import SharedServers

import tertulia
from tertulia import locale
from tertulia.domain.groups.group import SYSTEM_GROUPS
from tertulia.domain.organization.settings import SETTINGS, LoginMethods, PeopleNamed
from tertulia.domain.personal.settings import PREFERENCES
from tertulia.domain.setting_values import (
    ChannelId,
    ChosenFrom,
    FreeText,
    Language,
    Limit,
    ServerUrl,
    Switch,
    Whole,
)

# What /register returns under `realm` beside the settings: older names, derived values, and values
# that cannot be set.
NOT_SET = {
    "allow_edit_history",
    "available_video_chat_providers",
    "bot_domain",
    "create_private_stream_policy",
    "create_public_stream_policy",
    "create_web_public_stream_policy",
    "date_created",
    "default_external_accounts",
    "email_auth_enabled",
    "empty_topic_display_name",
    "icon_source",
    "icon_url",
    "logo_source",
    "logo_url",
    "mandatory_topics",
    "night_logo_source",
    "night_logo_url",
    "password_auth_enabled",
    "plan_type",
    "push_notifications_enabled",
    "push_notifications_enabled_end_timestamp",
    "upload_quota_mib",
    "uri",
    "url",
    "uuid",
    "wildcard_mention_policy",
}

SOURCE = Path(tertulia.__file__).parent

Value = tuple[Any, str]  # as it is sent, and as it is typed


class SettingsClient:
    """A user who changes an organization through the API and with the command."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.owner: Person = chat.person("owner", role="owner", channels=["kitchen", "cellar"])
        self.owner.delete(f"/streams/{chat.channel('cellar').id}").succeeds()
        ana = chat.person("ana")  # who becomes a full member, or stops being one
        gus = chat.person("gus", role="guest")  # who may see her, or no longer
        self._queue: list[EventQueue] = [each.listens_for() for each in (self.owner, ana, gus)]
        self._terminal = Terminal(chat.server.folder, chat.server.url)

    def sends(self, name: str, value: Any) -> bool:
        return bool(self.owner.patch("/realm", **{name: value}).json["result"] == "success")

    def types(self, name: str, text: str) -> CommandResult:
        words = ("org", "set", name, text, "--org", self.chat.realm.subdomain)
        return self._terminal.runs(*words, TERTULIA_SECRET=SECRET)

    def state(self) -> dict[str, Any]:
        state = self.owner.registers(fetch_event_types=["realm"])
        return {key: value for key, value in state.items() if key.startswith("realm_")}

    def received(self) -> list[list[dict[str, Any]]]:
        """What all listeners received."""
        self.state()  # a register is up to date with changes of other processes
        return [queue.all() for queue in self._queue]

    def restores(self, name: str) -> None:
        """Set a setting to its old value, or to a different one."""
        setting = SETTINGS[name]
        if isinstance(setting.kind, LoginMethods):
            self.chat.refuse_passwords()
        else:
            back = setting.kind.written(setting.default) or "quiet"
            assert self.types(name, back).code == 0, f"the default of {name} cannot be set"
        self.received()


@pytest.fixture(scope="module")
def servers_without_tokens(databases: Databases) -> Iterator[SharedServers]:
    """The command reads no server settings: both offer the same login methods."""
    with SharedServers(databases, jwt=()) as servers:
        yield servers


@pytest.fixture
def chat(kind: Kind, servers_without_tokens: SharedServers) -> Chat:
    return servers_without_tokens.chat_on(kind)


@pytest.fixture
def client(chat: Chat) -> SettingsClient:
    return SettingsClient(chat)


def another_value(client: SettingsClient, name: str) -> Value:
    setting, group = SETTINGS[name], client.chat.group
    match setting.kind:
        case Switch():
            return not setting.default, str(not setting.default).lower()
        case ChosenFrom():
            other = next(each for each in setting.kind.values if each != setting.default)
            return other, str(other)
        case Whole():
            return setting.kind.maximum, str(setting.kind.maximum)
        case Limit():
            return 77, "77"
        case FreeText():
            return "Harbour *Works*", "Harbour *Works*"
        case ServerUrl():
            return "https://meet.example.com", "https://meet.example.com"
        case ChannelId():
            number = client.chat.channel("kitchen").id
            return number, str(number)
        case LoginMethods():
            return {"Email": True}, "Email"
        case PeopleNamed(permission):
            known = permission.allowed or ("role:members", "role:moderators")
            other = next(each for each in known if each != permission.default)
            return {"new": group(other.removeprefix("role:"))}, other
    raise AssertionError(f"say here what {name} could be: {setting.kind}")


def bad_values(client: SettingsClient, name: str) -> list[Value]:
    kind, group = SETTINGS[name].kind, client.chat.group
    match kind:
        case Switch():
            return [("maybe", "maybe"), (1, "1")]
        case Language():
            return [("xx-none", "xx-none")]
        case ChosenFrom():
            return [(500, "500"), ("empty_topic_only", "empty_topic_only")]
        case Whole():
            return [(value, str(value)) for value in (kind.minimum - 1, kind.maximum + 1)]
        case Limit():
            return [(0, "0"), (-1, "-1"), (2**31, str(2**31)), ('"never"', "never")]
        case FreeText(is_title=True):
            return [(" ", " "), ("n" * (kind.max_length + 1),) * 2, ("a\tb", "a\tb")]
        case FreeText():
            return [("n" * (kind.max_length + 1),) * 2]
        case ServerUrl():
            return [("here", "here"), ("https://", "https://")]
        case ChannelId():
            cellar = client.chat.channel("cellar").id
            return [(value, str(value)) for value in (99_999, cellar, -2, 0)]
        case LoginMethods():
            return [({"Email": False}, ""), ({"Pigeon": True}, "Email, Pigeon")]
        case PeopleNamed(permission):
            refused = [
                each
                for each in SYSTEM_GROUPS
                if (permission.allowed and each not in permission.allowed)
                or each == "role:internet"
            ]
            named = [({"new": group(each.removeprefix("role:"))}, each) for each in refused]
            return [*named, ({"new": 10**6}, "role:pirates")]
    raise AssertionError(f"say here what {name} could not be: {kind}")


def test_every_setting_has_an_effect():
    """A setting that only clients use says so in its row."""
    tables = {SOURCE / "domain/organization/settings.py", SOURCE / "domain/groups/group.py"}
    asking = [path.read_text(encoding="utf-8") for path in {*SOURCE.rglob("*.py")} - tables]

    idle = [
        f"Nothing asks for the setting {name}, and its row does not leave it to clients."
        for name, setting in SETTINGS.items()
        if not setting.clients_only and not any(f'"{name}"' in text for text in asking)
    ]
    assert not idle, "\n".join(idle)


# What `make test` changes, by the kind of setting; `--both` changes all.
QUICK = {
    "ChannelId": ["signup_announcements_stream_id"],
    "ChosenFrom": ["digest_weekday", "topics_policy"],
    "FreeText": ["description"],
    "Language": ["default_language"],
    "Limit": ["message_retention_days"],
    "LoginMethods": ["authentication_methods"],
    "PeopleNamed": [
        "can_access_all_users_group",
        "can_invite_users_group",
        "can_manage_all_groups",
    ],
    "Switch": ["allow_message_editing", "invite_required", "presence_disabled"],
    "ServerUrl": ["jitsi_server_url"],
    "Whole": ["waiting_period_threshold"],
}
FORMS = sorted({type(setting.kind).__name__ for setting in SETTINGS.values()})


def of_kind(form: str) -> list[str]:
    return [name for name, each in SETTINGS.items() if type(each.kind).__name__ == form]


@pytest.mark.parametrize("form", FORMS)
def test_a_change_is_the_same_through_api_and_command(
    form: str, client: SettingsClient, thorough: bool
) -> None:
    for name in of_kind(form) if thorough else QUICK[form]:
        sent, typed = another_value(client, name)
        client.restores(name)

        assert client.sends(name, sent), name
        event, state = client.received(), client.state()
        client.restores(name)
        assert client.types(name, typed).code == 0, name

        assert all(event), name
        assert client.received() == event, name
        assert client.state() == state, name


@pytest.mark.parametrize("form", FORMS)
def test_an_invalid_value_is_refused_by_api_and_command(
    form: str, client: SettingsClient, thorough: bool
) -> None:
    before, _ = client.state(), client.received()

    for name in of_kind(form) if thorough else QUICK[form]:
        for sent, typed in bad_values(client, name):
            assert not client.sends(name, sent), (name, sent)
            refused = client.types(name, typed)
            assert (refused.code, refused.out) == (1, ""), (name, typed)
            assert (refused.err[:7], refused.err.count("\n")) == ("Error: ", 1)

    assert not any(client.received())
    assert client.state() == before


def test_register_returns_the_table_and_what_follows_from_it(client: SettingsClient) -> None:
    found = {key.removeprefix("realm_") for key in client.state()}

    assert found == SETTINGS.keys() | NOT_SET


def test_every_setting_has_its_texts() -> None:
    english = locale.texts(locale.ENGLISH)
    for setting in (*SETTINGS.values(), *PREFERENCES.values()):
        assert setting.meaning.endswith("."), setting.name
        assert setting.heading is None or english.has(f"part.{setting.heading.title}")
