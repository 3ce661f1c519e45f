"""The list of settings: kinds, values, defaults, limits, and what the server decides."""

from itertools import groupby

from tests.support.people import Chat

from tertulia.domain.organization.settings import SETTINGS
from tertulia.domain.personal.settings import PREFERENCES


def settings(person, part="settings"):
    return {each["name"]: each for each in person.get("/realm/settings").succeeds()[part]}


def test_every_setting_is_listed_with_its_default(owner):
    listed = settings(owner)

    assert listed.keys() == SETTINGS.keys()
    assert settings(owner, "user_settings_defaults").keys() == PREFERENCES.keys()
    assert listed["waiting_period_threshold"]["default"] == 0
    assert (listed["waiting_period_threshold"]["minimum"], listed["name"]["maximum"]) == (0, 40)
    assert listed["message_retention_days"]["value"] is None
    assert listed["topics_policy"]["choices"] == ["allow_empty_topic", "disable_empty_topic"]


def test_a_setting_has_its_place_in_the_page(owner):
    name, sounds = settings(owner)["name"], settings(owner, "user_settings_defaults")
    shown = [each for each in settings(owner).values() if each["heading"] != "other-clients"]
    headings = [(each["section"], each["heading"]) for each in shown]

    assert (name["section"], name["heading"]) == ("organization-profile", "identity")
    assert sounds["enable_sounds"]["section"] == "notifications"
    assert sounds["emojiset"]["section"] is None
    assert len([*groupby(headings)]) == len({*headings})


def test_a_changed_value_differs_from_its_default(owner):
    owner.patch("/realm", message_retention_days=30, digest_weekday=4).succeeds()
    owner.patch("/realm/user_settings_defaults", enter_sends=False).succeeds()

    listed = settings(owner)

    weekday = listed["digest_weekday"]
    assert (weekday["value"], weekday["default"]) == (4, 1)
    assert listed["message_retention_days"]["value"] == 30
    assert settings(owner, "user_settings_defaults")["enter_sends"]["value"] is False


def test_a_permission_lists_the_groups_that_it_can_have(owner):
    names = {
        each["id"]: each["name"] for each in owner.get("/user_groups").succeeds()["user_groups"]
    }

    def choices(name):
        return [names[each] for each in settings(owner)[name]["choices"]]

    for name, listed in settings(owner).items():
        for choice in listed["choices"] if listed["kind"] == "permission" else []:
            owner.patch("/realm", **{name: {"new": choice}}).succeeds()
    assert choices("can_access_all_users_group") == ["role:everyone", "role:members"]
    assert "role:everyone" not in choices("can_create_bots_group")


def test_who_may_change_a_setting_depends_on_the_role(chat, owner, ana):
    admin = chat.person("admin", role="admin")

    def changeable(person):
        listed = settings(person)
        return listed["name"]["can_change"], listed["invite_required"]["can_change"]

    assert [changeable(each) for each in (owner, admin, ana)] == [
        (True, True),
        (True, False),
        (False, False),
    ]


def test_what_the_server_decides_is_named(owner):
    listed = settings(owner)

    spectators = listed["enable_spectator_access"]
    assert (spectators["fixed_by"], spectators["can_change"]) == (
        "web_public_streams_enabled",
        False,
    )
    assert listed["digest_emails_enabled"]["fixed_by"] == "smtp_host"
    assert listed["authentication_methods"]["missing"]["LDAP"] == "[[ldap]]"
    assert listed["name"]["fixed_by"] is None


def test_calls_name_the_providers_that_the_server_lacks(start_server):
    own_chat = Chat.found(start_server(bigbluebutton_url="", nextcloud_url=""), "")

    listed = settings(own_chat.person("owner", role="owner"))["video_chat_provider"]

    assert listed["missing"] == {"4": "bigbluebutton_url", "7": "nextcloud_url"}
    assert listed["choices"] == [0, 1]
