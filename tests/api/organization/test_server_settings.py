"""GET /server_settings: what a client learns before login."""

import pytest
from tests.support.people import Chat, basic


def test_everything_that_clients_look_for_is_there(chat):
    response = chat.stranger.get("/server_settings").succeeds()

    url = f"http://{chat.host}"
    assert response == {
        "result": "success",
        "msg": "",
        "authentication_methods": {
            "password": True,
            "dev": False,
            "email": True,
            "ldap": False,
            "remoteuser": False,
            "github": False,
            "azuread": False,
            "gitlab": False,
            "google": False,
            "apple": False,
            "discord": False,
            "saml": False,
            "openid connect": False,
        },
        "external_authentication_methods": [],
        "service_feature_level": 497,
        "service_version": "12.0",
        "service_merge_base": "12.0",
        "zulip_feature_level": 497,
        "zulip_version": "12.0",
        "zulip_merge_base": "12.0",
        "push_notifications_enabled": True,
        "is_incompatible": False,
        "email_auth_enabled": True,
        "require_email_format_usernames": True,
        "realm_url": url,
        "realm_uri": url,
        "realm_name": chat.realm.name,
        "realm_icon": f"{url}/static/icon.png",
        "realm_description": "",
        "realm_web_public_access_enabled": False,
    }


def test_the_description_is_html_and_escaped(chat):
    chat.set("description", "Soup & <bread>")

    response = chat.stranger.get("/server_settings").succeeds()

    assert response["realm_description"] == "<p>Soup &amp; &lt;bread&gt;</p>"


def test_the_icon_can_be_fetched(chat):
    address = chat.stranger.get("/server_settings").succeeds()["realm_icon"]

    icon = chat.stranger.raw("GET", address.removeprefix(f"http://{chat.host}"))

    assert icon.headers["Content-Type"] == "image/png"


def test_wrong_credentials_are_ignored(chat):
    for header in (basic("ana@example.com", "a" * 32), "Bearer x", "Basic !!!"):
        chat.stranger.with_headers(Authorization=header).get("/server_settings").succeeds()


def test_unsupported_parameters_are_listed(chat):
    response = chat.stranger.get("/server_settings", colour="red").succeeds()

    assert response["ignored_parameters_unsupported"] == ["colour"]


def test_an_unsupported_client_gets_an_error(chat):
    response = chat.stranger.with_headers(User_Agent="ZulipInvalid/5.0").get("/server_settings")

    assert response.succeeds()["is_incompatible"] is True


def test_disabled_passwords_are_shown_as_disabled(chat):
    chat.refuse_passwords()

    response = chat.stranger.get("/server_settings").succeeds()

    assert response["email_auth_enabled"] is False
    assert response["authentication_methods"]["password"] is False
    assert response["authentication_methods"]["email"] is False


def test_an_unknown_host_has_no_settings(chat):
    response = chat.stranger.with_headers(Host="nowhere.localhost").get("/server_settings")

    response.fails("Invalid subdomain")


@pytest.mark.parametrize(
    "subdomain, url",
    [("", "https://chat.example.com"), ("kitchen", "https://kitchen.chat.example.com")],
)
def test_the_external_url_can_be_set(start_server, subdomain, url):
    server = start_server(external_url="https://chat.example.com")
    Chat.found(server, "elsewhere")
    chat = Chat.found(server, subdomain)
    stranger = chat.stranger.with_headers(Host=url.removeprefix("https://"))

    response = stranger.get("/server_settings").succeeds()

    assert (response["realm_url"], response["realm_name"]) == (url, chat.realm.name)
