"""The law of transfer: everything that an organization exports is imported again."""

import json
import re
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support import pictures
from tests.support.cli_runner import Terminal
from tests.support.files import uploads
from tests.support.import_target import enters
from tests.support.people import Chat, Person
from tests.support.pictures import picture
from tests.support.server import SECRET

from tertulia import storage

Row = dict[str, Any]

# Tables that are not exported, on purpose: docs/moving-in-and-out.md lists them. A table that is
# neither here nor in an export needs a decision.
NOT_CARRIED = {
    "audit_entry", "bot", "bot_memory", "channel_address", "totp_secret", "device", "device_token",
    "digest", "file_hold", "identity", "import_run", "invitation", "log_head",
    "pending_login", "known_login", "login_token", "missed_message", "missed_timer",
    "one_time_link", "outbox", "passkey", "password_attempt", "presence", "push_key", "push_notice",
    "push_subscription", "queue", "realm_export", "realm_picture", "received_mail",
    "recovery_code", "reminder", "reply_address", "send_key", "session",
    "stopped_answer",
    "running_call",
    "call_session", "command", "interaction",
    "attachment_scheduled", "attachment_thumbnail", "agent_code", "agent_grant", "agent_position",
    "agent_token", "removed_link_preview", "deleted_attachment", "deleted_message",
    "deleted_message_file", "legal_hold",
}  # fmt: skip
CARRIED = {
    "account": "zerver_userprofile",
    "alert_word": "zerver_alertword",
    "avatar": "avatars/records.json",
    "attachment": "zerver_attachment",
    "attachment_message": "zerver_attachment",
    "channel": "zerver_stream",
    "channel_folder": "zerver_channelfolder",
    "conversation": "zerver_huddle",
    "conversation_member": "zerver_subscription",
    "draft": "zerver_draft",
    "emoji": "zerver_realmemoji",
    "message": "zerver_message",
    "message_edit": "zerver_message",
    "topic": "zerver_message",
    "topic_edit": "zerver_message",
    "message_flag": "zerver_usermessage",
    "pending_flag": "zerver_usermessage",
    "muted_user": "zerver_muteduser",
    "navigation_view": "zerver_navigationview",
    "profile_field": "zerver_customprofilefield",
    "profile_value": "zerver_customprofilefieldvalue",
    "reaction": "zerver_reaction",
    "saved_snippet": "zerver_savedsnippet",
    "scheduled_message": "zerver_scheduledmessage",
    "submessage": "zerver_submessage",
    "subscription": "zerver_subscription",
    "subscription_span": "zerver_usermessage",
    "unread": "zerver_usermessage",
    "upload": "zerver_attachment",
    "upload_piece": "zerver_attachment",
    "user_group": "zerver_namedusergroup",
    "user_group_member": "zerver_usergroupmembership",
    "user_group_subgroup": "zerver_groupgroupmembership",
    "user_status": "zerver_userstatus",
    "user_topic": "zerver_usertopic",
}


def test_every_table_is_listed_as_exported_or_not(chat):
    found = {table for table, _, _ in chat.read(storage.data_check.references)}

    tables = {each for each in found if not each.startswith("search_")}  # the index is made anew
    assert tables - CARRIED.keys() - NOT_CARRIED == set()


def lives(chat: Chat, ana: Person, ben: Person) -> None:
    """Something of every kind that there is."""
    owner = chat.person("owner", role="owner", channels=["kitchen"])
    owner.joins("cellar", invite_only=True)
    kitchen, cellar = chat.channel("kitchen").id, chat.channel("cellar").id
    owner.post("/default_streams", stream_id=kitchen).succeeds()
    _has_groups_and_permissions(chat, owner, ana, ben)
    folder = owner.post(
        "/channel_folders/create", name="House", description="**All** rooms"
    ).succeeds()["channel_folder_id"]
    old = owner.post("/channel_folders/create", name="Old", description="").succeeds()
    owner.patch(f"/channel_folders/{old['channel_folder_id']}", is_archived=True).succeeds()
    owner.patch(f"/streams/{kitchen}", folder_id=folder).succeeds()
    owner.patch(f"/streams/{cellar}", message_retention_days=30).succeeds()
    owner.patch(f"/streams/{kitchen}/topic_summaries", allowed=False).succeeds()
    owner.post(
        "/realm/filters", pattern="#(?P<id>[0-9]+)", url_template="https://x.org/{id}"
    ).succeeds()
    owner.post(
        "/realm/playgrounds",
        name="Try",
        pygments_language="Python",
        url_template="https://x.org/?c={code}",
    ).succeeds()
    pictures.uploads(owner, "soup", picture()).succeeds()
    pictures.uploads_to(ana, "/users/me/avatar", picture(size=(300, 200))).succeeds()
    owner.post("/bots", full_name="Cook", short_name="cook", bot_type=2).succeeds()
    _sends_messages_of_all_kinds(ana, ben)
    _has_own_things(chat, owner, ana, ben)


def _has_groups_and_permissions(chat: Chat, owner: Person, ana: Person, ben: Person) -> None:
    kitchen = chat.channel("kitchen").id
    ids = {}
    for name, members in (("cooks", [ana.id, ben.id]), ("house", [])):
        made = owner.post("/user_groups/create", name=name, description=name, members=members)
        ids[name] = made.succeeds()["group_id"]
    owner.post(f"/user_groups/{ids['house']}/subgroups", add=[ids["cooks"]]).succeeds()
    may = {"direct_members": [ana.id], "direct_subgroups": [ids["house"]]}
    owner.patch(f"/user_groups/{ids['cooks']}", can_mention_group={"new": may}).succeeds()
    owner.patch(
        f"/streams/{kitchen}",
        can_send_message_group={"new": may},
        can_delete_own_message_group={"new": chat.group("moderators")},
    ).succeeds()


def _sends_messages_of_all_kinds(ana: Person, ben: Person) -> None:
    poll = ana.says("/poll Soup?\nleeks\npeas", to="kitchen > lunch")
    added = {"type": "new_option", "idx": 1, "option": "beans"}
    for who, content in (
        (ben, {"type": "vote", "key": "canned,0", "vote": 1}),
        (ben, added),
        (ana, {"type": "vote", "key": f"{ben.id},1", "vote": 1}),
    ):
        who.post(
            "/submessage", message_id=poll.id, msg_type="widget", content=json.dumps(content)
        ).succeeds()
    todo = ana.says("/todo Shopping\nsalt", to="kitchen > lunch")
    task = {"type": "new_task", "key": 2, "task": "bread", "desc": "", "completed": False}
    ana.post(
        "/submessage", message_id=todo.id, msg_type="widget", content=json.dumps(task)
    ).succeeds()
    edited = ana.says("Soop", to="kitchen > lunch")
    ana.patch(f"/messages/{edited.id}", content=f"Soup for @**{ben.name}|{ben.id}**").succeeds()
    ana.patch(
        f"/messages/{edited.id}", topic="dinner", send_notification_to_new_thread=False
    ).succeeds()
    ben.post(f"/messages/{edited.id}/reactions", emoji_name="soup").succeeds()
    ana.post(f"/messages/{edited.id}/reactions", emoji_name="tada").succeeds()
    ben.post("/messages/flags", messages=[edited.id], op="add", flag="starred").succeeds()
    notes = uploads(ana, "notes.txt", b"salt, pepper")
    ana.says(f"See {notes.link}, #12, :soup: and @*cooks*", to="kitchen > dinner")
    ana.says("between us", to=[ben])


def _has_own_things(chat: Chat, owner: Person, ana: Person, ben: Person) -> None:
    kitchen = chat.channel("kitchen").id
    ben.post("/users/me/status", status_text="eating", emoji_name="soup").succeeds()
    food = owner.post("/realm/profile_fields", name="Food", field_type=1).succeeds()["id"]
    friends = owner.post("/realm/profile_fields", name="Friends", field_type=6).succeeds()["id"]
    data = [{"id": food, "value": "*soup*"}, {"id": friends, "value": [ben.id]}]
    ana.patch("/users/me/profile_data", data=data).succeeds()
    ana.post("/user_topics", stream_id=kitchen, topic="lunch", visibility_policy=3).succeeds()
    ana.post(f"/users/me/muted_users/{ben.id}").succeeds()
    ana.post("/users/me/alert_words", alert_words=["soup"]).succeeds()
    chosen = [
        {"stream_id": kitchen, "property": name, "value": value}
        for name, value in (
            *(("color", "#c2c2c2"), ("is_muted", True), ("pin_to_top", True)),
            ("desktop_notifications", False),
        )
    ]
    ana.post("/users/me/subscriptions/properties", subscription_data=chosen).succeeds()
    words = {"content": f"Dear @**{ben.name}|{ben.id}**", "timestamp": 1_700_000_000}
    drafts = [
        words | {"type": "stream", "to": [kitchen], "topic": "lunch"},
        words | {"type": "private", "to": [ben.id], "topic": ""},
        words | {"type": "", "to": [], "topic": ""},
    ]
    ana.post("/drafts", drafts=drafts).succeeds()
    tomorrow = int(time.time()) + 86_400
    for to in (
        {"type": "channel", "to": kitchen, "topic": "lunch"},
        {"type": "direct", "to": [ben.id]},
    ):
        ana.post(
            "/scheduled_messages",
            content="Good morning",
            scheduled_delivery_timestamp=tomorrow,
            **to,
        ).succeeds()
    ana.post("/saved_snippets", title="Menu", content="Soup and bread").succeeds()
    ana.post("/navigation_views", fragment="narrow/x", name="Mine", is_pinned=True).succeeds()


def exported(terminal: Terminal, file: Path, *flags: str) -> dict[str, list[Row]]:
    """All tables of a new export, whichever file they are in."""
    result = terminal.runs("export", str(file), *flags, TERTULIA_SECRET=SECRET)
    assert result.code == 0, result.err
    found: dict[str, list[Row]] = {}
    with tarfile.open(file) as archive:
        for name in archive.getnames():
            contents = archive.extractfile(name)
            assert contents is not None
            if name.endswith("records.json"):
                kind = name.split("/")[-2]
                found[kind] = json.loads(contents.read())
            elif name.endswith(".json"):
                found |= json.loads(contents.read())
    return found


class References:
    """The numbers of one export, by what they stand for: they may differ after an import."""

    def __init__(self, tables: dict[str, list[Row]]) -> None:
        self._tables = tables
        self.people = {row["id"]: row["email"] for row in tables["zerver_userprofile"]}
        self.people |= {row["id"]: row["email"] for row in tables["zerver_userprofile_crossrealm"]}
        self.channels = {row["id"]: row["name"] for row in tables["zerver_stream"]}
        self.messages = {row["id"]: number for number, row in enumerate(tables["zerver_message"])}
        self.groups = {row["usergroup_ptr"]: row["name"] for row in tables["zerver_namedusergroup"]}
        self.fields = {row["id"]: row["name"] for row in tables["zerver_customprofilefield"]}
        self.emoji = {str(row["id"]): row["name"] for row in tables["zerver_realmemoji"]}
        self.folders = {row["id"]: row["name"] for row in tables["zerver_channelfolder"]}

    def recipient(self, number: int | None) -> Any:
        for row in self._tables["zerver_recipient"]:
            if row["id"] == number and row["type"] == 2:
                return self.channels[row["type_id"]]
        subscriptions = self._tables["zerver_subscription"]
        members = (each["user_profile"] for each in subscriptions if each["recipient"] == number)
        return sorted(self.people[each] for each in members)

    def group(self, number: int) -> Any:
        """A name, or who is in a group without one."""
        if number in self.groups:
            return self.groups[number]
        memberships = self._tables["zerver_usergroupmembership"]
        nested = self._tables["zerver_groupgroupmembership"]
        people = {r["user_profile"] for r in memberships if r["user_group"] == number}
        groups = {r["subgroup"] for r in nested if r["supergroup"] == number}
        return sorted(map(self.people.__getitem__, people)), sorted(
            map(self.groups.__getitem__, groups)
        )

    def content(self, text: str) -> str:
        """A text with the addresses of people instead of their ids, and names of files."""
        for number, email in self.people.items():
            text = text.replace(f"|{number}**", f"|{email}**")
            text = text.replace(f'"{number},', f'"{email},')
        return re.sub(r"/user_uploads/[^ )]*/", "/user_uploads/", text)

    def shown(self, table: str, row: Row) -> Row:
        """A row by names, without what belongs to one place alone."""
        found = {}
        is_custom = row.get("reaction_type") == "realm_emoji"
        for name, value in row.items():
            if name in LOCAL or name.startswith("rendered") or value is None:
                continue
            if name == "emoji_code" and is_custom:
                found[name] = self.emoji[value]
            elif name == "value":
                is_list = value.startswith("[")
                found[name] = [self.people[n] for n in json.loads(value)] if is_list else value
            elif name == "edit_history":
                found[name] = [self._edit(each) for each in json.loads(value)]
            elif name.startswith("can_") and name.endswith("_group"):
                found[name] = self.group(value)
            elif name in REFERENCES:
                found[name] = REFERENCES[name](self, value)
            else:
                found[name] = value
        return found

    def _edit(self, row: Row) -> Row:
        return {
            name: self.people[value] if name == "user_id" else value
            for name, value in row.items()
            if name != "prev_rendered_content"
        }


LOCAL = {
    "id", "realm", "realm_id", "path", "s3_path", "file_name", "path_id", "order", "type_id",
    "last_updated", "date_muted", "create_time", "last_modified", "usergroup_ptr", "group_size",
    "is_imported_stub",
}  # fmt: skip
PERSON = ("user_profile", "sender", "creator", "muted_user", "author", "owner", "user_profile_id")
REFERENCES: dict[str, Callable[[References, Any], Any]] = {
    **{name: lambda names, value: names.people.get(value) for name in (*PERSON, "bot_owner")},
    "stream": lambda names, value: names.channels[value],
    "folder": lambda names, value: names.folders[value],
    "recipient": lambda names, value: names.recipient(value),
    "message": lambda names, value: names.messages[value],
    "messages": lambda names, value: sorted(names.messages[each] for each in value),
    "field": lambda names, value: names.fields[value],
    "user_group": lambda names, value: names.group(value),
    "supergroup": lambda names, value: names.group(value),
    "subgroup": lambda names, value: names.group(value),
    "content": lambda names, value: names.content(value),
}
# Numbers alone, or made anew for each export.
UNSHOWN = {"zerver_realm", "zerver_recipient", "zerver_usergroup", "import_source"}


def by_names(tables: dict[str, list[Row]]) -> dict[str, list[Row]]:
    names = References(tables)
    return {
        table: sorted((names.shown(table, row) for row in rows), key=lambda r: json.dumps(r))
        for table, rows in tables.items()
        if table not in UNSHOWN
    }


@pytest.mark.parametrize("is_beside_another", [False, True])
def test_exported_rows_are_imported_again(
    chat, in_kitchen, ana, ben, target, tmp_path, is_beside_another
):
    lives(chat, ana, ben)
    here = Terminal(chat.server.folder, chat.server.url)
    before = exported(here, tmp_path / "out.tar.gz", "--org", chat.realm.subdomain)
    location = ("--subdomain", "moved") if is_beside_another else ()
    if is_beside_another:
        target.terminal.creates_organization()

    result = target.imports(str(tmp_path / "out.tar.gz"), *location)

    assert result.code == 0, result.err
    assert "is off by" not in result.err
    assert "Not imported" not in result.out
    assert "Imported in another form" not in result.out
    flags = ("--org", "moved") if is_beside_another else ()
    after = exported(target.terminal, tmp_path / "again.tar.gz", *flags)
    shown_before, shown_after = by_names(before), by_names(after)
    assert shown_before.keys() == shown_after.keys()
    for table, rows in shown_before.items():
        assert shown_after[table] == rows, table
    for table in {*CARRIED.values()} - {"avatars/records.json"}:
        assert before[table], f"the organization has nothing of {table}"
    check = target.terminal.runs("check", TERTULIA_SECRET=SECRET)
    assert check.out.endswith("No problems found.\n"), check.out


@pytest.mark.on_one
def test_clients_see_the_same_state_after_export_and_import(
    chat, in_kitchen, ana, ben, target, tmp_path
):
    lives(chat, ana, ben)
    here = Terminal(chat.server.folder, chat.server.url)
    exported(here, tmp_path / "out.tar.gz", "--org", chat.realm.subdomain)
    seen = _seen_by(ana)

    target.imports(str(tmp_path / "out.tar.gz"))
    there = target.opens()

    assert _seen_by(enters(there, ana.email)) == seen


NUMBERED_ANEW = re.compile(r'data-user-group-id="[0-9]+"|/emoji/images/[0-9a-f]+')


def _seen_by(person: Person) -> Row:
    """What a client shows of it; ids of people, channels and messages are kept."""
    messages = person.get("/messages", anchor="newest", num_before=100, num_after=0).succeeds()
    folders = person.get("/channel_folders", include_archived=True).succeeds()["channel_folders"]
    names = {each["id"]: each["name"] for each in folders}
    drafts = person.get("/drafts").succeeds()["drafts"]
    scheduled = person.get("/scheduled_messages").succeeds()["scheduled_messages"]
    channels = person.get("/streams").succeeds()["streams"]
    return {
        "summaries": {each["name"]: each["topic_summaries_allowed"] for each in channels},
        "polls": {
            each["id"]: [
                (part["sender_id"], part["msg_type"], part["content"])
                for part in each["submessages"]
            ]
            for each in messages["messages"]
        },
        "texts": {
            each["id"]: NUMBERED_ANEW.sub("", each["content"]) for each in messages["messages"]
        },
        "history": {
            each["id"]: [
                (edit["user_id"], edit.get("prev_content"), edit.get("prev_topic"))
                for edit in each.get("edit_history", ())
            ]
            for each in messages["messages"]
        },
        "folders": [(each["name"], each["rendered_description"]) for each in folders],
        "channels": {
            each["name"]: names.get(each["folder_id"])
            for each in person.get("/streams").succeeds()["streams"]
        },
        "drafts": [{name: each[name] for name in each if name != "id"} for each in drafts],
        "scheduled": [
            {name: each[name] for name in each if name != "scheduled_message_id"}
            for each in scheduled
        ],
    }  # fmt: skip
