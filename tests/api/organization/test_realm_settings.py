"""Organization settings: who may change which, and their events."""

from typing import Any

import pytest
from tests.support.people import Chat, Person

from tertulia import actions
from tertulia.domain.groups.group import REALM_PERMISSIONS
from tertulia.domain.organization.settings import SETTINGS

# Every plain setting with a value other than its default, and how the answer shows it.
PLAIN: list[tuple[str, Any, Any]] = [
    ("name", "Harbour Works", "updated"),
    ("default_language", "de", "updated"),
    ("default_code_block_language", "python", "python"),
    ("message_content_delete_limit_seconds", 900, 900),
    ("move_messages_within_stream_limit_seconds", 172_800, 172_800),
    ("move_messages_between_streams_limit_seconds", 172_800, 172_800),
    ("message_edit_history_visibility_policy", "moves", 2),
    ("message_edit_history_visibility_policy", "none", 3),
    ("message_retention_days", 30, 30),
    ("waiting_period_threshold", 3, 3),
    ("enable_spectator_access", True, True),
    ("enable_read_receipts", False, False),
    ("enable_guest_user_indicator", False, False),
    ("enable_guest_user_dm_warning", False, False),
    ("send_channel_events_messages", True, True),
    ("send_welcome_emails", False, False),
    ("invite_required", False, False),
    ("emails_restricted_to_domains", True, True),
    ("disallow_disposable_email_addresses", False, False),
    ("inline_image_preview", False, False),
    ("inline_url_embed_preview", True, True),
    ("media_preview_size", 200, 200),
    ("name_changes_disabled", True, True),
    ("email_changes_disabled", True, True),
    ("avatar_changes_disabled", True, True),
    ("require_unique_names", True, True),
    ("digest_emails_enabled", True, True),
    ("digest_weekday", 6, 6),
    ("message_content_allowed_in_email_notifications", False, False),
    ("require_e2ee_push_notifications", True, True),
    ("push_servers_allowed", False, False),
    ("video_chat_provider", 0, 0),
    ("gif_rating_policy", 0, 0),
    ("welcome_message_custom_text", "Come in", "Come in"),
    ("default_avatar_source", "G", "G"),
    ("want_advertise_in_communities_directory", True, True),
    ("owner_full_content_access", True, True),
    ("presence_disabled", True, True),
    ("org_type", 10, 10),
    ("jitsi_server_url", "https://meet.example.com", "https://meet.example.com"),
]

# Settings that clients receive together with others, and the events.
TOGETHER: list[tuple[str, Any, Any, dict[str, Any]]] = [
    ("allow_message_editing", False, False, {"allow_message_editing": False}),
    (
        "message_content_edit_limit_seconds",
        900,
        900,
        {"message_content_edit_limit_seconds": 900},
    ),
    (
        "message_content_edit_limit_seconds",
        '"unlimited"',
        None,
        {"message_content_edit_limit_seconds": None},
    ),
    (
        "topics_policy",
        "disable_empty_topic",
        3,
        {"topics_policy": "disable_empty_topic", "mandatory_topics": True},
    ),
    (
        "description",
        "By *the* sea",
        "updated",
        {"description": "By *the* sea", "rendered_description": "<p>By <em>the</em> sea</p>"},
    ),
]


def settings(person: Person) -> dict[str, Any]:
    return person.registers(event_types=["realm"], fetch_event_types=["realm"])


def answered(answer: dict[str, Any]) -> dict[str, Any]:
    """The settings in an answer."""
    return {key: value for key, value in answer.items() if key not in ("result", "msg")}


def together(**data: Any) -> dict[str, Any]:
    return {"type": "realm", "op": "update_dict", "property": "default", "data": data}


@pytest.mark.parametrize("setting, value, answer", PLAIN)
def test_a_new_value_is_announced_to_all(setting: str, value: Any, answer: Any, chat: Chat) -> None:
    owner, gus = chat.person("owner", role="owner"), chat.person("gus", role="guest")
    queue = gus.listens_for("realm")

    changed = owner.patch("/realm", **{setting: value}).succeeds()
    same = owner.patch("/realm", **{setting: value}).succeeds()

    assert (answered(changed), answered(same)) == ({setting: answer}, {})
    assert queue.next() == {"type": "realm", "op": "update", "property": setting, "value": value}
    assert queue.silent()
    assert settings(gus)[f"realm_{setting}"] == value


@pytest.mark.parametrize("setting, value, answer, event_data", TOGETHER)
def test_some_settings_are_reported_together(
    setting: str, value: Any, answer: Any, event_data: dict[str, Any], chat: Chat
) -> None:
    admin, gus = chat.person("admin", role="admin"), chat.person("gus", role="guest")
    queue = gus.listens_for("realm")

    changed = admin.patch("/realm", **{setting: value}).succeeds()
    same = admin.patch("/realm", **{setting: value}).succeeds()

    assert (answered(changed), answered(same)) == ({setting: answer}, {})
    assert queue.all() == [together(**event_data)]
    state = settings(gus)
    found = {name: new for name, new in event_data.items() if name != "rendered_description"}
    assert {name: state[f"realm_{name}"] for name in found} == found


def test_login_methods_are_for_owners(chat: Chat) -> None:
    owner = chat.person("owner", role="owner", password="open sesame")
    login = {"username": owner.email, "password": "open sesame"}
    chat.refuse_passwords()
    refused = "Password authentication is disabled in this organization"
    chat.stranger.post("/fetch_api_key", **login).fails(
        refused, code="PASSWORD_AUTH_DISABLED", status=401
    )
    queue = owner.listens_for("realm")

    changed = owner.patch("/realm", authentication_methods={"Email": True}).succeeds()
    same = owner.patch("/realm", authentication_methods={"Email": True}).succeeds()

    assert answered(changed) == {"authentication_methods": {"Email": True}}
    assert answered(same) == {}
    methods = {
        "Email": {"enabled": True, "available": True},
        "JWT": {"enabled": True, "available": True},
    }
    assert queue.all() == [together(authentication_methods=methods)]
    state = settings(owner)
    assert state["realm_authentication_methods"] == methods
    assert state["realm_email_auth_enabled"] is state["realm_password_auth_enabled"] is True
    chat.stranger.post("/fetch_api_key", **login).succeeds()


def test_the_video_call_server_can_be_chosen(admin: Person) -> None:
    usual = settings(admin)["jitsi_server_url"]

    admin.patch("/realm", jitsi_server_url='"https://meet.example.com"').succeeds()
    assert settings(admin)["jitsi_server_url"] == "https://meet.example.com"

    back = admin.patch("/realm", jitsi_server_url='"default"').succeeds()
    assert answered(back) == {"jitsi_server_url": None}
    assert settings(admin)["jitsi_server_url"] == usual
    assert settings(admin)["realm_jitsi_server_url"] is None


def test_several_settings_are_reported_one_by_one(chat: Chat, admin: Person) -> None:
    queue = admin.listens_for("realm")

    changed = admin.patch(
        "/realm",
        send_welcome_emails=False,
        inline_image_preview=False,
        can_mention_many_users_group={"new": chat.group("members")},
    ).succeeds()

    assert answered(changed) == {
        "inline_image_preview": False,
        "send_welcome_emails": False,
        "can_mention_many_users_group": chat.group("members"),
    }
    assert queue.all() == [
        {"type": "realm", "op": "update", "property": "inline_image_preview", "value": False},
        {"type": "realm", "op": "update", "property": "send_welcome_emails", "value": False},
        together(can_mention_many_users_group=chat.group("members")),
    ]


def test_a_change_is_all_or_nothing(chat: Chat, admin: Person) -> None:
    before = settings(admin)["realm_name"]
    queue = admin.listens_for("realm")

    admin.patch(
        "/realm",
        name="Harbour Works",
        can_mention_many_users_group={"new": chat.group("internet")},
    ).fails("'can_mention_many_users_group' setting cannot be set to 'role:internet' group.")

    assert queue.silent()
    assert settings(admin)["realm_name"] == before


@pytest.mark.parametrize("role", ["moderator", "member", "guest"])
def test_only_administrators_change_settings(role: str, chat: Chat) -> None:
    person = chat.person("ana", role=role)

    for requested in ({"name": "x"}, {"name": "n" * 41}, {"waiting_period_threshold": -1}, {}):
        person.patch("/realm", **requested).fails(
            "Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL"
        )


@pytest.mark.parametrize(
    "setting, value",
    [
        ("message_retention_days", 30),
        ("message_retention_days", 0),
        ("waiting_period_threshold", 3),
        ("authentication_methods", {}),
        ("authentication_methods", {"Pigeon": True}),
        ("invite_required", False),
        ("emails_restricted_to_domains", True),
        ("disallow_disposable_email_addresses", False),
        ("can_create_groups", {"new": 10**6}),
        ("can_invite_users_group", {"new": 10**6}),
        ("can_manage_all_groups", {"new": 10**6}),
        ("can_manage_billing_group", {"new": 10**6}),
        ("create_multiuse_invite_group", {"new": 10**6}),
    ],
)
def test_some_settings_are_for_owners_and_that_is_checked_before_the_value(
    setting: str, value: Any, chat: Chat
) -> None:
    admin = chat.person("admin", role="admin")
    assert SETTINGS[setting].owners_only

    refused = admin.patch("/realm", **{setting: value}, name="Harbour Works")

    refused.fails("Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL")


@pytest.mark.parametrize(
    "setting, value, problem",
    [
        ("name", "n" * 41, "name is too long (limit: 40 characters)"),
        ("name", " ", "name cannot be blank"),
        ("description", "d" * 1001, "description is too long (limit: 1000 characters)"),
        ("waiting_period_threshold", -1, "waiting_period_threshold is too small"),
        ("digest_weekday", 9, "Invalid digest_weekday"),
        ("media_preview_size", 500, "Invalid media_preview_size"),
        ("invite_required", "maybe", "invite_required is not valid JSON"),
        ("topics_policy", "empty_topic_only", "Invalid topics_policy"),
        (
            "message_edit_history_visibility_policy",
            "some",
            "Invalid message_edit_history_visibility_policy",
        ),
        ("default_language", "xx-none", "Invalid language 'xx-none'"),
        ("jitsi_server_url", "here", "Invalid jitsi_server_url: Value error, Not a URL"),
        (
            "authentication_methods",
            {"Email": False},
            "At least one authentication method must be enabled.",
        ),
        (
            "authentication_methods",
            {"Email": True, "Pigeon": True},
            "Invalid authentication method: Pigeon",
        ),
        (
            "authentication_methods",
            {"Email": 1},
            'authentication_methods["Email"] is not a boolean',
        ),
        ("new_stream_announcements_stream_id", 10**6, "Invalid channel ID"),
        ("new_stream_announcements_stream_id", -2, "Invalid channel ID"),
        (
            "message_content_edit_limit_seconds",
            "unlimited",
            "message_content_edit_limit_seconds is not valid JSON",
        ),
        (
            "can_mention_many_users_group",
            14,
            "can_mention_many_users_group does not have the expected format",
        ),
        ("can_mention_many_users_group", {"new": 10**6}, "Invalid user group"),
        (
            "can_mention_many_users_group",
            {"new": {"direct_members": [10**6], "direct_subgroups": []}},
            "Invalid user ID: 1000000",
        ),
    ],
)
def test_invalid_values_are_refused(setting: str, value: Any, problem: str, chat: Chat) -> None:
    owner = chat.person("owner", role="owner")
    queue = owner.listens_for("realm")

    owner.patch("/realm", **{setting: value}).fails(problem)

    assert queue.silent()


@pytest.mark.parametrize(
    "setting",
    [
        "message_content_edit_limit_seconds",
        "message_content_delete_limit_seconds",
        "move_messages_within_stream_limit_seconds",
        "move_messages_between_streams_limit_seconds",
        "message_retention_days",
    ],
)
def test_a_time_is_a_positive_number_or_unlimited(setting: str, owner: Person) -> None:
    for value in (0, -5, 2**31, "word"):
        shown = f'"{value}"' if isinstance(value, str) else value
        owner.patch("/realm", **{setting: shown}).fails(f"Bad value for '{setting}': {value}")
    owner.patch("/realm", **{setting: 77}).succeeds()
    changed = owner.patch("/realm", **{setting: '"unlimited"'}).succeeds()

    unlimited = -1 if setting == "message_retention_days" else None
    assert changed[setting] == unlimited
    assert settings(owner)[f"realm_{setting}"] == unlimited


@pytest.mark.parametrize("written", ["unlimited", '"unlimited"'])
def test_retention_may_be_written_with_and_without_quotes(written: str, owner: Person) -> None:
    owner.patch("/realm", message_retention_days=30).succeeds()

    assert (
        owner.patch("/realm", message_retention_days=written).succeeds()["message_retention_days"]
        == -1
    )


@pytest.mark.parametrize("written", ["disable_empty_topic", '"disable_empty_topic"'])
def test_the_topics_policy_may_be_written_with_and_without_quotes(written: str, chat: Chat) -> None:
    admin = chat.person("admin", role="admin")

    assert admin.patch("/realm", topics_policy=written).succeeds()["topics_policy"] == 3


def test_unknown_parameters_are_listed(admin: Person) -> None:
    response = admin.patch("/realm", colour="blue", mandatory_topics=True).succeeds()

    assert sorted(response["ignored_parameters_unsupported"]) == ["colour", "mandatory_topics"]
    assert answered(admin.patch("/realm").succeeds()) == {}


@pytest.mark.parametrize(
    "setting",
    [
        "new_stream_announcements_stream_id",
        "signup_announcements_stream_id",
        "zulip_update_announcements_stream_id",
        "moderation_request_channel_id",
    ],
)
def test_announcements_go_to_an_active_channel_of_the_organization(
    setting: str, chat: Chat
) -> None:
    admin = chat.person("admin", role="admin", channels=["kitchen", "cellar"])
    far = Chat.found(chat.server)
    far.person("far", channels=["far away"])
    kitchen, cellar = chat.channel("kitchen").id, chat.channel("cellar").id
    admin.delete(f"/streams/{cellar}").succeeds()
    queue = admin.listens_for("realm")

    for channel_id in (cellar, far.channel("far away").id):
        admin.patch("/realm", **{setting: channel_id}).fails("Invalid channel ID")
    for channel_id in (kitchen, -1):
        assert admin.patch("/realm", **{setting: channel_id}).succeeds()[setting] == channel_id

    assert [event["value"] for event in queue.all()] == [kitchen, -1]


# --- permissions ---

SYSTEM_GROUPS = [
    "nobody",
    "owners",
    "administrators",
    "moderators",
    "fullmembers",
    "members",
    "everyone",
    "internet",
]
ALLOWED = {
    "can_access_all_users_group": {"everyone", "members"},
    "can_create_web_public_channel_group": {"moderators", "administrators", "owners", "nobody"},
}
FOR_EVERYONE = {
    "can_delete_own_message_group",
    "can_mention_many_users_group",
    "can_move_messages_between_topics_group",
    "can_resolve_topics_group",
    "can_set_topics_policy_group",
    "can_summarize_topics_group",
    "direct_message_initiator_group",
    "direct_message_permission_group",
    "workplace_users_group",
}
NOT_NOBODY = {"can_manage_all_groups", "can_manage_billing_group"}


def allowed(setting: str, group: str) -> bool:
    if setting in ALLOWED:
        return group in ALLOWED[setting]
    if group == "everyone":
        return setting in FOR_EVERYONE
    if group == "nobody":
        return setting not in NOT_NOBODY
    return group != "internet"


@pytest.mark.parametrize("setting", sorted(REALM_PERMISSIONS))
def test_each_permission_allows_certain_system_groups(setting: str, chat: Chat) -> None:
    owner = chat.person("owner", role="owner")
    queue = owner.listens_for("realm")

    for group in SYSTEM_GROUPS:
        number = chat.group(group)
        before = settings(owner)[f"realm_{setting}"]
        reply = owner.patch("/realm", **{setting: {"new": number, "old": before}})
        if not allowed(setting, group):
            reply.fails(f"'{setting}' setting cannot be set to 'role:{group}' group.")
        elif before == number:
            assert answered(reply.succeeds()) == {}
        else:
            assert answered(reply.succeeds()) == {setting: number}
            assert queue.next() == together(**{setting: number})
            assert settings(owner)[f"realm_{setting}"] == number
    assert queue.silent()


@pytest.mark.parametrize("setting", sorted(ALLOWED))
def test_some_permissions_require_a_system_group(setting: str, owner: Person) -> None:
    made = owner.post("/user_groups/create", name="bakers", description="", members=[])
    group_id = made.succeeds()["group_id"]
    in_place = {"direct_members": [owner.id], "direct_subgroups": []}

    for value in (group_id, in_place):
        response = owner.patch("/realm", **{setting: {"new": value}}).fails(
            f"'{setting}' must be a system user group.", code="SYSTEM_GROUP_REQUIRED"
        )
        assert response["setting_name"] == setting


def test_a_permission_may_name_users_and_groups_directly(chat: Chat) -> None:
    admin, ana, gone = chat.person("admin", role="admin"), *chat.people("ana", "gone")
    members, moderators = chat.group("members"), chat.group("moderators")
    setting = "can_mention_many_users_group"
    mixed = {"direct_members": [gone.id, ana.id, ana.id], "direct_subgroups": [members, moderators]}
    kept = {
        "direct_members": sorted([ana.id, gone.id]),
        "direct_subgroups": sorted([members, moderators]),
    }
    queue = ana.listens_for("realm")

    assert admin.patch("/realm", **{setting: {"new": mixed}}).succeeds()[setting] == kept
    admin.patch("/realm", **{setting: {"new": kept, "old": mixed}}).succeeds()
    wrong = admin.patch("/realm", **{setting: {"new": members, "old": members}})

    assert queue.all() == [together(**{setting: kept})]
    response = wrong.fails(
        "'old' value does not match the expected value.", code="EXPECTATION_MISMATCH"
    )
    assert response["field_name"] == "old"
    chat.write(actions.people.users.deactivate, gone.id)
    shown = settings(admin)[f"realm_{setting}"]
    assert shown == kept | {"direct_members": [ana.id]}
    bare = {"direct_members": [], "direct_subgroups": [members]}
    change = {"new": bare, "old": shown}
    assert admin.patch("/realm", **{setting: change}).succeeds()[setting] == members
    nobody: dict[str, list[int]] = {"direct_members": [], "direct_subgroups": []}
    changed = admin.patch("/realm", **{setting: {"new": nobody}}).succeeds()
    assert changed[setting] == chat.group("nobody")


def test_users_and_groups_of_another_organization_are_unknown(chat: Chat) -> None:
    admin, far = chat.person("admin", role="admin"), Chat.found(chat.server).person("far")
    setting = "can_mention_many_users_group"
    foreign = {"direct_members": [far.id], "direct_subgroups": []}

    admin.patch("/realm", **{setting: {"new": far.chat.group("members")}}).fails(
        "Invalid user group"
    )
    admin.patch("/realm", **{setting: {"new": foreign}}).fails(f"Invalid user ID: {far.id}")
