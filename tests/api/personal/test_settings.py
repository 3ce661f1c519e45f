"""Personal settings: one's own, and the defaults for new users."""

import os
import subprocess
import sys

import pytest
from tests.support.groups import make
from tests.support.people import Chat, basic

from tertulia.actions.organization.creation import FIRST_DEFAULTS
from tertulia.config import Rate
from tertulia.domain.organization.languages import LANGUAGES
from tertulia.domain.personal.settings import PREFERENCES
from tertulia.domain.setting_values import ChosenFrom, DailyHours, Whole

PASSWORD = "correct horse battery"
ONLY_ADMINISTRATORS = "Only administrators can change addresses in this organization."


def settings(person):
    return person.registers(fetch_event_types=["user_settings"])["user_settings"]


def changed(name, value):
    return {"type": "user_settings", "op": "update", "property": name, "value": value}


def another(name):
    """A value other than the current one."""
    setting = PREFERENCES[name]
    if name in FIRST_DEFAULTS:
        return not FIRST_DEFAULTS[name]
    if isinstance(setting.kind, DailyHours):
        return "22:00-07:00"
    if isinstance(setting.kind, ChosenFrom):
        return next(value for value in setting.kind.values if value != setting.default)
    return setting.default + 1 if isinstance(setting.kind, Whole) else not setting.default


@pytest.mark.parametrize("name", sorted(PREFERENCES))
def test_every_setting_can_be_changed(ana, name):
    queue, value = ana.listens_for("user_settings"), another(name)

    ana.patch("/settings", **{name: value}).succeeds()

    (event,) = queue.all()
    if name == "default_language":
        assert event.pop("language_name") == LANGUAGES[value]
    assert event == changed(name, value)
    assert settings(ana)[name] == value


def test_only_changes_are_reported_and_only_to_the_owner(ana, ben):
    mine, others = ana.listens_for(), ben.listens_for()

    ana.patch("/settings", web_home_view="recent", color_scheme=2, enter_sends=True).succeeds()

    assert mine.all() == [changed("color_scheme", 2), changed("web_home_view", "recent")]
    assert others.silent()


@pytest.mark.parametrize("path", ["/settings", "/settings/notifications", "/settings/display"])
def test_the_older_paths_do_the_same(ana, path):
    ana.patch(path, enable_sounds=False, twenty_four_hour_time=True).succeeds()

    assert settings(ana)["enable_sounds"] is False
    assert settings(ana)["twenty_four_hour_time"] is True


def test_unknown_settings_are_listed_and_an_empty_change_succeeds(ana):
    response = ana.patch("/settings", mood="good", enter_sends=True).succeeds()

    assert response["ignored_parameters_unsupported"] == ["mood"]
    ana.patch("/settings").succeeds()


@pytest.mark.parametrize(
    "name, value, problem",
    [
        ("default_language", "xx", "Invalid default_language"),
        ("timezone", "Mars/Base", "Invalid timezone: Value error, Not a recognized time zone"),
        ("timezone", "localtime", "Invalid timezone: Value error, Not a recognized time zone"),
        ("timezone", "", "Invalid timezone: Value error, Not a recognized time zone"),
        (
            "color_scheme",
            9,
            "Invalid color_scheme: Value error, Not in the list of possible values",
        ),
        ("enter_sends", "yes", "enter_sends is not valid JSON"),
        ("enter_sends", 1, "enter_sends is not a boolean"),
        ("notification_sound", "gong", "Invalid notification sound 'gong'"),
        (
            "email_notifications_batching_period_seconds",
            700_000,
            "Invalid email batching period: 700000 seconds",
        ),
        (
            "email_notifications_batching_period_seconds",
            0,
            "Invalid email batching period: 0 seconds",
        ),
        ("web_font_size_px", '"x"', "web_font_size_px is not an integer"),
        ("web_font_size_px", 5, "web_font_size_px is too small"),
        ("web_line_height_percent", 501, "web_line_height_percent is too large"),
        (
            "emojiset",
            "stone",
            "Invalid emojiset: Value error, Not in the list of possible values",
        ),
        *(
            ("quiet_hours", each, "quiet_hours must be hours such as 22:00-07:00, or empty")
            for each in ("always", "22:00-24:00", "7:00-8:00", "22:00-22:00", "22:00")
        ),
        ("full_name", " ", "Name must not be empty!"),
        ("full_name", "a`b", "Invalid characters in name!"),
        ("full_name", "n" * 101, "Name too long!"),
        ("email", "nonsense", ONLY_ADMINISTRATORS),
        ("email", "BEN@example.com", ONLY_ADMINISTRATORS),
        ("email", "ann@example.com", ONLY_ADMINISTRATORS),
        ("new_password", "something new", "Wrong password!"),
    ],
)
def test_invalid_values_are_refused_and_change_nothing(ana, ben, name, value, problem):
    queue, before = ana.listens_for(), settings(ana)

    ana.patch("/settings", twenty_four_hour_time=True, **{name: value}).fails(problem)

    assert queue.silent()
    assert settings(ana) == before


def test_bots_have_no_settings(chat, ana):
    bot = chat.person("bot", bot="generic", owner=ana)

    bot.patch("/settings", enter_sends=True).fails("This endpoint does not accept bot requests.")


def test_a_text_may_be_quoted(ana):
    ana.patch("/settings", web_home_view='"recent"', default_language='"de"').succeeds()

    assert settings(ana)["web_home_view"] == "recent"
    assert settings(ana)["default_language"] == "de"


# --- what others see ---


def updated(person, **parts):
    return {"type": "realm_user", "op": "update", "person": {"user_id": person.id, **parts}}


def test_a_new_time_zone_is_announced_to_all(ana, ben):
    mine, others = ana.listens_for(), ben.listens_for()

    ana.patch("/settings", timezone="Europe/Berlin").succeeds()

    mail_text = updated(ana, email=ana.api_email, timezone="Europe/Berlin")
    assert mine.all() == [changed("timezone", "Europe/Berlin"), mail_text]
    assert others.all() == [mail_text]
    assert settings(ana)["timezone"] == "Europe/Berlin"
    assert ben.get(f"/users/{ana.id}").succeeds()["user"]["timezone"] == "Europe/Berlin"


def test_a_new_name_is_announced_to_all(ana, ben):
    queue = ben.listens_for()

    ana.patch("/settings", full_name=" Anna ").succeeds()
    ana.patch("/settings", full_name="Anna").succeeds()

    assert queue.all() == [updated(ana, full_name="Anna")]


def test_name_changes_can_be_disabled(chat, ana):
    chat.set("name_changes_disabled", True)

    ana.patch("/settings", full_name="Anna", enter_sends=True).succeeds()

    assert ana.record.full_name == "Ana"


def test_showing_and_hiding_ones_address(chat, ana, ben):
    boss = chat.person("boss", role="admin")
    mine, others, admins = ana.listens_for(), ben.listens_for(), boss.listens_for()
    hidden = ana.api_email

    ana.patch("/settings", email_address_visibility=1).succeeds()

    picture = f"/user_avatars/{chat.realm.id}/{ana.id}"
    avatar = updated(
        ana,
        avatar_source="J",
        avatar_url=f"{picture}.png?v=1",
        avatar_url_medium=f"{picture}-medium.png?v=1",
        avatar_version=1,
    )
    shown = updated(ana, new_email=ana.email)
    assert others.all() == [updated(ana, delivery_email=ana.email), shown, avatar]
    assert admins.all() == [shown, avatar]
    assert mine.all() == [changed("email_address_visibility", 1), shown, avatar]

    ana.patch("/settings", email_address_visibility=2).succeeds()

    assert others.all() == [updated(ana, new_email=hidden), avatar]

    ana.patch("/settings", email_address_visibility=4).succeeds()

    assert others.all() == [updated(ana, delivery_email=None)]


def test_an_invalid_or_taken_address_is_refused(chat, ben):
    boss = chat.person("boss", role="admin")

    boss.patch("/settings", email="nonsense").fails("Invalid address.")
    boss.patch("/settings", email="BEN@example.com").fails("Already has an account.")


def test_a_new_address_is_reported_to_users_who_may_see_it(chat, ben):
    ana, boss = chat.people("anna", "boss", role="admin")
    others, admins = ben.listens_for(), boss.listens_for()

    ana.patch("/settings", email="Ann@example.com").succeeds()

    assert others.silent()
    assert admins.all() == [updated(ana, delivery_email="Ann@example.com")]
    assert ana.record.email == "Ann@example.com"
    ana.get("/users/me").fails("Invalid API key", code="UNAUTHORIZED", status=401)
    moved = ana.with_headers(Authorization=basic("ann@example.com", ana.key))
    assert moved.get("/users/me").succeeds()["delivery_email"] == "Ann@example.com"


def test_address_changes_can_be_disabled(chat, ana):
    chat.set("email_changes_disabled", True)

    ana.patch("/settings", email="anna@example.com").fails(
        "Email address changes are disabled in this organization."
    )


# --- passwords ---


def log_in(chat, password):
    return chat.stranger.post("/fetch_api_key", username="ana@example.com", password=password)


def test_a_new_password_requires_the_old_one(chat):
    ana = chat.person("ana", password=PASSWORD)

    ana.patch("/settings", old_password=PASSWORD, new_password="staple it all").succeeds()

    log_in(chat, "staple it all").succeeds()
    log_in(chat, PASSWORD).fails(
        "Your username or password is incorrect", code="AUTHENTICATION_FAILED", status=401
    )


def test_requirements_of_a_new_password(chat):
    ana = chat.person("ana", password=PASSWORD)

    def tries(old, new):
        return ana.patch("/settings", old_password=old, new_password=new)

    tries("wrong", "staple it all").fails("Wrong password!")
    tries("", "staple it all").fails("Wrong password!")
    tries(PASSWORD, "short").fails("New password is too weak!")
    tries(PASSWORD, "l" * 101).fails("New password is too weak!")
    log_in(chat, PASSWORD).succeeds()


def test_guesses_of_the_old_password_are_limited(start_server):
    chat = Chat.found(start_server(rate_limit=Rate(1000)), "")
    ana = chat.person("ana", password=PASSWORD)

    def tries(old):
        return ana.patch("/settings", old_password=old, new_password="staple it all")

    for _ in range(5):
        tries("wrong").fails("Wrong password!")
    tries(PASSWORD).fails("API usage exceeded rate limit", code="RATE_LIMIT_HIT", status=429)


# --- defaults for new users ---


def newcomer_settings(person):
    fetched = person.registers(fetch_event_types=["realm_user_settings_defaults"])
    return fetched["realm_user_settings_defaults"]


def test_new_users_start_with_the_organizations_defaults(chat, ana):
    boss = chat.person("boss", role="admin")
    queue = ana.listens_for()
    path = "/realm/user_settings_defaults"

    boss.patch(path, twenty_four_hour_time=True, color_scheme=1).succeeds()
    boss.patch(path, twenty_four_hour_time=True).succeeds()

    assert queue.all() == [
        {
            "type": "realm_user_settings_defaults",
            "op": "update",
            "property": "twenty_four_hour_time",
            "value": True,
        }
    ]
    assert newcomer_settings(ana)["twenty_four_hour_time"] is True
    assert newcomer_settings(ana)["emojiset_choices"]
    assert settings(ana)["twenty_four_hour_time"] is False
    assert settings(chat.person("cleo"))["twenty_four_hour_time"] is True
    bot = chat.person("bot", bot="generic", owner=ana)
    assert bot.record.settings == {}


def test_only_administrators_change_defaults(ana):
    ana.patch("/realm/user_settings_defaults", color_scheme=9).fails(
        "Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL"
    )


def test_invalid_defaults_are_refused(chat):
    boss = chat.person("boss", role="owner")
    before = newcomer_settings(boss)

    boss.patch("/realm/user_settings_defaults", enter_sends=True, notification_sound="gong").fails(
        "Invalid notification sound 'gong'"
    )

    assert newcomer_settings(boss) == before


def test_time_zones_are_known_without_a_system_database():
    """As in a minimal container."""
    pytest.importorskip("tzdata")
    requested = (
        "from tertulia.api.personal import settings; "
        "print('Europe/Berlin' in settings._timezones())"
    )

    response = subprocess.run(
        [sys.executable, "-c", requested],
        env=os.environ | {"PYTHONTZPATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )

    assert response.stdout == "True\n"


def test_administrators_change_settings_of_others(chat, ana, ben):
    boss, cleo = chat.person("boss", role="admin"), chat.person("cleo")
    cooks = make(boss, "cooks", (ben, cleo))
    cleo.patch("/settings", color_scheme=3).succeeds()
    queue = ben.listens_for("user_settings")
    untouched = {"group_ids": [cooks], "skip_if_already_edited": True}

    boss.patch("/settings", target_users=untouched, color_scheme=2).succeeds()
    boss.patch("/settings", target_users={"user_ids": [ana.id]}, enter_sends=False).succeeds()

    assert queue.all() == [changed("color_scheme", 2)]
    assert [settings(each)["color_scheme"] for each in (ana, ben, cleo, boss)] == [1, 2, 3, 1]
    assert [settings(each)["enter_sends"] for each in (ana, boss)] == [False, True]


def test_settings_of_others_have_limits(chat, ana):
    boss, owner = chat.person("boss", role="admin"), chat.person("owner", role="owner")

    def refused(person, msg, /, whose=ana, **params):
        response = person.patch("/settings", target_users={"user_ids": [whose.id]}, **params).json
        assert response["msg"] == msg

    refused(ana, "Must be an organization administrator", enter_sends=True)
    refused(boss, "Must be an organization owner", owner, enter_sends=True)
    refused(boss, "Only settings can be changed for others.", full_name="Cleo")
    consent = "allow_private_data_export is for everybody to say for themselves."
    refused(boss, consent, allow_private_data_export=True)
    bot = chat.person("oven", bot="generic", owner=boss)
    refused(boss, f"Invalid user ID: {bot.id}", bot, enter_sends=True)
    unknown = boss.patch("/settings", target_users={"group_ids": [10**9]}, enter_sends=True)
    unknown.fails(f"Invalid user group ID: {10**9}")
