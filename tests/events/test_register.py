"""POST /register: the state that a client starts from, and the queue that continues it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from tests.support.event_queue import EventQueue
from tests.support.waiting import eventually

from tertulia import actions, storage
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.events.snapshot.lists import LISTS

ALWAYS = {
    "result",
    "msg",
    "queue_id",
    "last_event_id",
    "idle_queue_timeout_secs",
    "service_feature_level",
    "service_version",
    "service_merge_base",
    "zulip_feature_level",
    "zulip_version",
    "zulip_merge_base",
}

# The keys of each part of the state; a list has the key of its name.
PARTS = {
    **{name: name for name in LISTS},
    "custom_profile_fields": "custom_profile_fields custom_profile_field_types",
    "default_stream_groups": "realm_default_stream_groups",
    "default_streams": "realm_default_streams",
    "device": "devices",
    "giphy": "giphy_api_key",
    "klipy": "klipy_api_key",
    "message": "max_message_id",
    "muted_topics": "muted_topics",
    "navigation_views": "navigation_views",
    "onboarding_steps": "onboarding_steps navigation_tour_video_url",
    "running_calls": "running_calls has_call_relay",
    "presence": "presences presence_last_update_id server_timestamp",
    "realm_billing": "realm_billing",
    "realm_bot": "realm_bots",
    "realm_embedded_bots": "realm_embedded_bots",
    "realm_emoji": "realm_emoji",
    "realm_filters": "realm_filters",
    "realm_incoming_webhook_bots": "realm_incoming_webhook_bots",
    "realm_linkifiers": "realm_linkifiers",
    "realm_user": (
        "realm_users realm_non_active_users cross_realm_bots user_id email delivery_email"
        " full_name is_admin is_owner is_moderator is_guest avatar_source avatar_url"
        " avatar_url_medium can_create_private_streams can_create_public_streams"
        " can_create_web_public_streams can_create_streams can_invite_others_to_realm"
    ),
    "realm_user_groups": "realm_user_groups",
    "realm_user_settings_defaults": "realm_user_settings_defaults",
    "recent_private_conversations": "recent_private_conversations",
    "starred_messages": "starred_messages",
    "stop_words": "stop_words",
    "stream": "streams",
    "subscription": "subscriptions unsubscribed never_subscribed",
    "tenor": "tenor_api_key",
    "user_settings": "user_settings",
    "user_status": "user_status",
    "user_topic": "user_topics",
    "video_calls": "has_zoom_token has_webex_token",
}
STATELESS = (
    "typing update_message update_message_flags zulip_version attachment reaction delete_message"
    " heartbeat restart submessage user_group no_such_type"
)

# What the terminal client listens for and fetches.
TERMINAL_EVENTS = (
    "message update_message reaction submessage subscription typing update_message_flags"
    " user_settings realm_emoji realm_user"
)
TERMINAL_STATE = (
    "realm presence subscription message starred_messages update_message_flags muted_topics"
    " realm_user realm_user_groups user_settings realm_emoji custom_profile_fields zulip_version"
)


def channel(state, name, place="subscriptions"):
    return next((each for each in state[place] if each["name"] == name), None)


# --- parts ---


def test_every_part_has_its_keys_and_no_others(ana):
    for part, keys in PARTS.items():
        state = ana.registers(fetch_event_types=[part])
        assert state.keys() - ALWAYS == set(keys.split()), part
        assert state.keys() >= ALWAYS
    for part in STATELESS.split():
        assert ana.registers(fetch_event_types=[part]).keys() == ALWAYS, part


def test_every_key_belongs_to_a_part(ana):
    known = {key for keys in PARTS.values() for key in keys.split()} | {"unread_msgs"}
    known |= ana.registers(fetch_event_types=["realm"]).keys()

    unknown = [
        f"Which part of the state brings {key} is not said in PARTS."
        for key in ana.registers(fetch_event_types=None).keys() - known
    ]
    assert not unknown, "\n".join(unknown)


def test_the_realm_part_has_organization_settings_and_server_limits(chat):
    state = chat.person("ana").registers(fetch_event_types=["realm"])

    assert (state["max_message_length"], state["max_topic_length"]) == (10_000, 60)
    assert (state["max_stream_name_length"], state["max_file_upload_size_mib"]) == (60, 25)
    assert state["realm_name"] == chat.realm.name
    assert state["realm_empty_topic_display_name"] == "general chat"
    assert state["event_queue_longpoll_timeout_seconds"] == 90
    assert state["realm_wildcard_mention_policy"] == 5
    others = state.keys() - ALWAYS
    prefixes = ("realm_", "server_", "max_", "password_")
    named = {
        "event_queue_longpoll_timeout_seconds",
        "jitsi_server_url",
        "development_environment",
        "settings_send_digest_emails",
        "zulip_plan_is_not_limited",
        "upgrade_text_for_wide_organization_logo",
        "gif_rating_policy_options",
    }
    assert {key for key in others if not key.startswith(prefixes)} == named


def test_two_parts_together_return_the_unread_messages(ana):
    both = ana.registers(fetch_event_types=["message", "update_message_flags"])

    assert both.keys() - ALWAYS == {"max_message_id", "unread_msgs"}


def test_muted_topics_are_the_older_form_of_topic_policies(ana):
    both = ana.registers(fetch_event_types=["user_topic", "muted_topics"])
    everything = ana.registers()

    assert both.keys() - ALWAYS == {"user_topics"}
    assert {"user_topics", "muted_topics"} <= everything.keys()


def test_fetched_parts_follow_the_event_types(ana):
    assert ana.registers(event_types=["message"]).keys() - ALWAYS == {"max_message_id"}
    assert ana.registers(event_types=["message"], fetch_event_types=[]).keys() == ALWAYS
    state = ana.registers(event_types=["message"], fetch_event_types=["alert_words"])
    assert state.keys() - ALWAYS == {"alert_words"}


def test_the_terminal_client_finds_what_it_needs(in_kitchen, ana):
    ana.says("x", to="kitchen > y")

    state = ana.registers(
        event_types=TERMINAL_EVENTS.split(),
        fetch_event_types=TERMINAL_STATE.split(),
        apply_markdown=True,
        client_gravatar=True,
        include_subscribers="true",
        narrow=[],
    )

    assert {"realm_allow_edit_history", "realm_message_retention_days"} <= state.keys()
    assert isinstance(channel(state, "kitchen")["desktop_notifications"], bool)
    assert channel(state, "kitchen")["subscribers"] == [ana.id]


# --- contents ---


def test_users_of_the_organization(chat):
    ana = chat.person("ana", role="admin")
    ben, gus = chat.people("ben", "gus")
    bot = chat.person("helper", bot="generic", owner=ben)
    chat.write(actions.people.users.deactivate, gus.id)

    state = ben.registers(fetch_event_types=["realm_user", "realm_bot"])

    assert [each["user_id"] for each in state["realm_users"]] == [ana.id, ben.id, bot.id]
    assert [each["user_id"] for each in state["realm_non_active_users"]] == [gus.id]
    assert all("is_active" not in each for each in state["realm_users"])
    assert [each["is_system_bot"] for each in state["cross_realm_bots"]] == [True]
    assert (state["user_id"], state["delivery_email"]) == (ben.id, ben.email)
    assert (state["is_admin"], state["is_moderator"], state["is_guest"]) == (False, False, False)
    assert [each["user_id"] for each in state["realm_bots"]] == [bot.id]
    admin = ana.registers(fetch_event_types=["realm_user", "realm_bot"])
    assert (admin["is_admin"], admin["is_moderator"], admin["is_owner"]) == (True, True, False)
    assert [each["user_id"] for each in admin["realm_bots"]] == [bot.id]


def test_permissions_of_a_user_are_returned(gus, ana):
    rights = [
        "can_create_private_streams",
        "can_create_public_streams",
        "can_create_streams",
        "can_invite_others_to_realm",
    ]
    for who, expected in ((gus, False), (ana, True)):
        state = who.registers(fetch_event_types=["realm_user"])
        assert [state[name] for name in rights] == [expected] * 4
        assert state["can_create_web_public_streams"] is False


def test_system_groups_are_nested(chat, ana, gus):
    root = chat.person("root", role="owner")

    groups = ana.registers(fetch_event_types=["realm_user_groups"])["realm_user_groups"]

    assert [each["name"] for each in groups] == [
        "role:nobody",
        "role:owners",
        "role:administrators",
        "role:moderators",
        "role:fullmembers",
        "role:members",
        "role:everyone",
        "role:internet",
    ]
    ids = {each["name"]: each["id"] for each in groups}
    members = {each["name"]: each["members"] for each in groups if each["members"]}
    assert members == {
        "role:owners": [root.id],
        "role:fullmembers": [ana.id],
        "role:members": [ana.id],
        "role:everyone": [gus.id],
    }
    inner = {each["name"]: each["direct_subgroup_ids"] for each in groups}
    assert inner["role:administrators"] == [ids["role:owners"]]
    assert inner["role:internet"] == [ids["role:everyone"]]
    assert (inner["role:nobody"], inner["role:owners"]) == ([], [])


def test_channels_are_grouped_by_subscription(chat, ana, ben):
    root, gus = chat.person("root", role="owner"), chat.person("gus", role="guest")
    ana.joins("kitchen", "garden")
    ana.joins("cellar", invite_only=True)
    ana.leaves("garden")

    hers, his = ana.registers(), ben.registers()

    assert channel(hers, "kitchen")
    assert channel(hers, "cellar")
    assert channel(hers, "garden", "unsubscribed")
    assert channel(his, "kitchen", "never_subscribed")
    assert not channel(his, "cellar", "never_subscribed")
    assert channel(root.registers(), "cellar", "never_subscribed")
    visible = gus.registers()
    assert visible["subscriptions"] == visible["never_subscribed"] == visible["streams"] == []
    assert visible["realm_default_streams"] == []
    assert {each["name"] for each in his["streams"]} == {
        "general",
        "sandbox",
        "kitchen",
        "garden",
    }


@pytest.mark.parametrize("include, key", [("true", "subscribers"), ("partial", "subscribers")])
def test_subscribers_are_returned_on_request(in_kitchen, ana, ben, include, key):
    without = ana.registers(fetch_event_types=["subscription"])
    with_ = ana.registers(fetch_event_types=["subscription"], include_subscribers=include)

    assert "subscribers" not in channel(without, "kitchen")
    assert channel(with_, "kitchen")[key] == [ana.id, ben.id]


def test_channel_settings_left_to_the_user_are_filled_in_for_older_clients(chat):
    ana = chat.person("ana", settings={"enable_stream_push_notifications": True})

    older = channel(ana.registers(), "general")
    newer = channel(
        ana.registers(client_capabilities={"notification_settings_null": True}), "general"
    )

    assert (older["push_notifications"], older["email_notifications"]) == (True, False)
    assert older["wildcard_mentions_notify"] is True
    assert newer["push_notifications"] is newer["wildcard_mentions_notify"] is None


def test_unread_messages_by_conversation_and_topic(chat):
    def mute(tx, user_id, channel_id):
        sql = "UPDATE subscription SET is_muted = :yes WHERE user_id = :u AND channel_id = :c"
        tx.execute(sql, yes=True, u=user_id, c=channel_id)

    ana, ben, cleo = chat.people("ana", "ben", "cleo", channels=["kitchen", "street"])
    chat.write(mute, ben.id, chat.channel("street").id)
    first = ana.says("a", to="kitchen > Lunch").id
    second = ana.says("b", to="kitchen > LUNCH").id
    third = ana.says("c", to="kitchen > ").id
    muted = ana.says("d", to="street > noise").id
    direct = ana.says("e", to=[ben]).id
    group = cleo.says("f", to=[ana, ben]).id
    note = ben.says("g", to=[ben]).id
    ben.says("h", to="kitchen > lunch", read_by_sender=True)

    unread = ben.registers()["unread_msgs"]

    kitchen, street = chat.channel("kitchen").id, chat.channel("street").id
    assert unread == {
        "count": 6,
        "pms": [
            {"other_user_id": ana.id, "sender_id": ana.id, "unread_message_ids": [direct]},
            {"other_user_id": ben.id, "sender_id": ben.id, "unread_message_ids": [note]},
        ],
        "streams": [
            {"stream_id": kitchen, "topic": "LUNCH", "unread_message_ids": [first, second]},
            {"stream_id": kitchen, "topic": "general chat", "unread_message_ids": [third]},
            {"stream_id": street, "topic": "noise", "unread_message_ids": [muted]},
        ],
        "huddles": [
            {
                "user_ids_string": f"{ana.id},{ben.id},{cleo.id}",
                "unread_message_ids": [group],
            }
        ],
        "mentions": [],
        "old_unreads_missing": False,
    }
    ben.leaves("kitchen")
    assert [each["stream_id"] for each in ben.registers()["unread_msgs"]["streams"]] == [street]


def test_many_unread_messages_are_stored_as_a_bitmap(chat, in_kitchen, ana, ben):
    ids = chat.fill(ana, "kitchen > count", 210)
    ben.registers()  # updates the bitmap
    ids.append(ana.says("one more", to="kitchen > count").id)

    unread = ben.registers()["unread_msgs"]

    assert unread["streams"][0]["unread_message_ids"] == ids


def test_recent_conversations_newest_first(ana, ben, cleo):
    ana.says("x", to=[ben])
    two = ana.says("x", to=[cleo, ben]).id
    three = ana.says("x", to=[ana]).id
    four = ben.says("x", to=[ana]).id

    recent = ana.registers()["recent_private_conversations"]

    assert recent == [
        {"user_ids": [ben.id], "max_message_id": four},
        {"user_ids": [], "max_message_id": three},
        {"user_ids": [ben.id, cleo.id], "max_message_id": two},
    ]


def test_topic_policies(chat):
    def choose(tx, user_id, channel_id):
        storage.personal.topic_policies.set_policy(
            tx, user_id, channel_id, "noise", TopicPolicy.MUTED
        )
        storage.personal.topic_policies.set_policy(
            tx, user_id, channel_id, "", TopicPolicy.FOLLOWED
        )

    ana = chat.person("ana", channels=["kitchen"])
    kitchen = chat.channel("kitchen").id
    chat.write(choose, ana.id, kitchen)

    older = ana.registers()
    newer = ana.registers(
        client_capabilities={"notification_settings_null": True, "empty_topic_name": True}
    )

    def policies(state):
        return {each["topic_name"]: each["visibility_policy"] for each in state["user_topics"]}

    assert policies(older) == {"noise": 1, "general chat": 3}
    assert policies(newer) == {"noise": 1, "": 3}
    assert [each[:2] for each in older["muted_topics"]] == [["kitchen", "noise"]]


def test_personal_settings(chat):
    ana = chat.person("ana", settings={"twenty_four_hour_time": True})

    state = ana.registers(fetch_event_types=["user_settings", "realm_user_settings_defaults"])

    assert state["user_settings"]["twenty_four_hour_time"] is True
    assert state["realm_user_settings_defaults"]["twenty_four_hour_time"] is False
    assert state["user_settings"]["emojiset_choices"]


@pytest.mark.parametrize("part", ["update_display_settings", "update_global_notifications"])
def test_an_older_terminal_client_finds_settings_at_their_old_place(chat, part):
    ana = chat.person("ana", settings={"twenty_four_hour_time": True})

    requested = ana.registers(fetch_event_types=["message", part])

    assert requested["twenty_four_hour_time"] is True
    assert requested["pm_content_in_desktop_notifications"] is True
    assert "twenty_four_hour_time" not in ana.registers()


# --- invalid requests ---


@pytest.mark.parametrize(
    "options, msg",
    [
        ({"event_types": "message"}, "event_types is not valid JSON"),
        ({"event_types": [5]}, "event_types[0] is not a string"),
        ({"apply_markdown": "yes"}, "apply_markdown is not valid JSON"),
        ({"include_subscribers": "maybe"}, "Invalid include_subscribers"),
        ({"narrow": [["has", "link"]]}, "Operator has not supported."),
        ({"narrow": [["is", "followed"]]}, "Operand followed not supported."),
        ({"narrow": [["is", "nice"]]}, "Operand nice not supported."),
        ({"narrow": [{"operator": "topic", "operand": "x"}]}, "narrow[0] is not a list"),
        ({"narrow": [["topic"]]}, "Invalid narrow[0]: Value error, element is not a string pair"),
        (
            {"client_capabilities": {"bulk_message_deletion": True}},
            'client_capabilities["notification_settings_null"] field is missing: Field required',
        ),
        ({"client_capabilities": [1]}, "client_capabilities is not a dict"),
        (
            {"client_capabilities": {"notification_settings_null": 1}},
            'client_capabilities["notification_settings_null"] is not a boolean',
        ),
        ({"idle_queue_timeout": 0}, "idle_queue_timeout is too small"),
    ],
)
def test_invalid_options_are_refused(chat, options, msg):
    chat.person("ana").post("/register", **options).fails(msg)


def test_unknown_capabilities_and_event_types_are_accepted(chat):
    capabilities = {"notification_settings_null": True, "flying": True}

    state = chat.person("ana").registers(
        event_types=["message", "moon_phase"], client_capabilities=capabilities
    )

    assert "ignored_parameters_unsupported" not in state


def test_guests_cannot_listen_to_all_public_channels(gus):
    gus.post("/register", all_public_streams=True).fails("User not authorized for this query")


@pytest.mark.parametrize(
    "asked, seconds",
    [(None, 600), (3000, 3000), ('"mobile"', 43_200), (10**9, 604_800), (1, 1)],
)
def test_a_queue_has_the_requested_idle_time(chat, asked, seconds):
    state = chat.person("ana").registers(event_types=[], idle_queue_timeout=asked)

    assert state["idle_queue_timeout_secs"] == seconds


def test_anonymous_callers_cannot_register(chat):
    chat.stranger.post("/register").asks_to_log_in()


# --- consistency of the snapshot ---


def test_nothing_is_lost_between_state_and_queue(in_kitchen, ana, ben):
    """While messages arrive, each is either in the state or delivered as an event."""
    stop = Event()

    def talks() -> list[int]:
        text = []
        while not stop.is_set():
            text.append(ana.says("x", to="kitchen > y").id)
        return text

    def registers() -> list[EventQueue]:
        wanted = ["message", "update_message_flags"]
        return [ben.listens_for("message", fetch_event_types=wanted) for _ in range(6)]

    with ThreadPoolExecutor(8) as pool:
        talking = [pool.submit(talks) for _ in range(2)]
        registering = [pool.submit(registers) for _ in range(6)]
        queues = [queue for each in registering for queue in each.result()]
        stop.set()
        text = sorted(number for each in talking for number in each.result())

    for queue in queues:
        known = [
            number
            for topic in queue.state["unread_msgs"]["streams"]
            for number in topic["unread_message_ids"]
        ]
        received = []
        while events := queue.all():  # a queue far behind is delivered in pages
            received += [each["message"]["id"] for each in events]
        assert known == text[: len(known)]
        assert queue.state["max_message_id"] == (known[-1] if known else -1)
        assert known + received == text


def test_a_lagging_unread_bitmap_is_updated_after_a_register(chat, in_kitchen, ana, ben):
    ids = chat.fill(ana, "kitchen > count", actions.messages.read_state.CATCH_UP_AFTER + 1)

    (topic,) = ben.registers()["unread_msgs"]["streams"]

    assert topic["unread_message_ids"] == ids
    known = storage.messages.unread.stored
    eventually(lambda: chat.read(known, ben.id).caught_up_to == ids[-1])
