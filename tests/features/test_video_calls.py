"""Video calls on the operator's servers: BigBlueButton and Nextcloud Talk."""

import base64
import hashlib
import hmac
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.support.browser import Browser
from tests.support.fake_services import BBB_SECRET, FakeServices
from tests.support.fake_tokens import forged
from tests.support.people import Chat

CREATE = "/bigbluebutton/api/create"
ROOM = "/ocs/v2.php/apps/spreed/api/v4/room"


@pytest.fixture
def scene(start_server):
    fake_services = FakeServices()
    chat = Chat.found(start_server(**fake_services.settings), "")
    yield chat, fake_services
    fake_services.close()


def test_an_invited_user_joins_and_the_creator_moderates(scene):
    chat, fake_services = scene
    ana, ben = chat.people("ana", "ben")
    url = ana.get(
        "/calls/bigbluebutton/create", meeting_name="Soup & bread", voice_only=True
    ).succeeds()["url"]
    assert chat.stranger.raw("GET", url).status == 303

    led = {}
    for person in (ana, ben):
        browser = Browser.of(person)
        response = browser.opens(url)
        assert response.status == 302
        address = urlsplit(response.headers["Location"])
        query, _, checksum = address.query.rpartition("&checksum=")
        expected = f"join{query}{BBB_SECRET}"
        assert hashlib.sha256(expected.encode()).hexdigest() == checksum
        led[person.name] = parse_qs(query)
        refused = browser.opens(forged(url))
        assert (refused.status, b"Invalid signature." in refused.body) == (400, True)

    requested = parse_qs(fake_services.asked("api/create")[0].path.partition("?")[2])
    assert requested["name"] == ["Soup & bread"]
    assert requested["lockSettingsDisableCam"] == ["true"]
    assert led["Ana"] == {
        "meetingID": requested["meetingID"],
        "role": ["MODERATOR"],
        "fullName": ["Ana"],
        "createTime": ["1531"],
    }
    assert led["Ben"]["role"] == ["VIEWER"]
    for answered, words in (
        ((500, b""), "BigBlueButton server returned an unexpected error: 500"),
        (
            (200, b"<r><returncode>FAILED</returncode><messageKey>checksumError</messageKey></r>"),
            "Error authenticating to the BigBlueButton server",
        ),
        ((302, b""), "BigBlueButton server returned an unexpected error: 302"),
    ):
        fake_services.answers[CREATE] = answered
        assert words.encode() in browser.opens(url).body


def test_a_room_is_created_on_nextcloud(scene):
    chat, fake_services = scene
    ana = chat.person("ana")

    made = ana.post("/calls/nextcloud_talk/create", room_name="x" * 300).succeeds()

    assert urlsplit(made["url"]).path == "/index.php/call/abc123"
    (requested,) = fake_services.asked("/room")
    assert requested.form == {"roomType": "3", "roomName": "x" * 255}
    assert requested.headers["ocs-apirequest"] == "true"
    responses: list[tuple[tuple[int, Any], str]] = [
        ((401, {}), "Error authenticating to the Nextcloud server"),
        ((200, {"ocs": []}), "Failed to create Nextcloud Talk call"),
    ]
    for response, words in responses:
        fake_services.answers[ROOM] = response
        ana.post("/calls/nextcloud_talk/create", room_name="x").fails(words)


def test_an_organization_chooses_among_configured_providers(scene, start_server):
    chat, _ = scene
    bare = Chat.found(start_server(nextcloud_url="", bigbluebutton_url=""), "")

    state = chat.person("ana", role="owner").registers()["realm_available_video_chat_providers"]
    owner = bare.person("ana", role="owner")

    assert {each["id"] for each in state.values()} == {0, 1, 4, 7}
    assert len(owner.registers()["realm_available_video_chat_providers"]) == 2
    owner.patch("/realm", video_chat_provider=4).fails("Invalid video_chat_provider 4")


LIVEKIT = {
    "livekit_url": "wss://livekit.example.com",
    "livekit_key": "key-1",
    "livekit_secret": "a long secret of the LiveKit server",
    "livekit_page": "https://meet.example.com",
}


def claims_of(token):
    """The claims of a JWT that the secret has signed."""
    signed, _, signature = token.rpartition(".")
    expected = hmac.digest(LIVEKIT["livekit_secret"].encode(), signed.encode(), "sha256")
    assert base64.urlsafe_b64decode(signature + "=") == expected
    head, claims = (json.loads(base64.urlsafe_b64decode(f"{each}==")) for each in signed.split("."))
    assert head == {"alg": "HS256", "typ": "JWT"}
    return claims


def test_the_links_that_clients_make_lead_to_livekit_with_a_token_for_the_room(start_server):
    chat = Chat.found(start_server(**LIVEKIT), "")
    ana = chat.person("ana")
    state = ana.post("/register", fetch_event_types=["realm"]).succeeds()
    link = f"{state['jitsi_server_url']}/123456789012345"
    path = urlsplit(link).path

    assert chat.stranger.raw("GET", path).status == 303
    response = Browser.of(ana).opens(path)

    assert response.status == 302
    address = response.headers["Location"]
    assert address.startswith("https://meet.example.com/custom?")
    query = parse_qs(urlsplit(address).query)
    assert query["liveKitUrl"] == ["wss://livekit.example.com"]
    claims = claims_of(query["token"][0])
    room = claims["video"]["room"]
    assert (claims["iss"], claims["sub"], claims["name"]) == ("key-1", f"user-{ana.id}", "Ana")
    assert claims["video"] == {"roomJoin": True, "room": room}
    assert room.endswith("-123456789012345")
    assert len(room) > len("123456789012345-") + 30
    assert 0 < claims["exp"] - claims["nbf"] < 24 * 3600
    assert Browser.of(ana).opens("/calls/livekit/x").status == 404


def test_an_address_of_jitsi_that_an_organization_has_set_comes_before_livekit(start_server):
    chat = Chat.found(start_server(**LIVEKIT), "")
    chat.set("jitsi_server_url", "https://jitsi.example.com")

    state = chat.person("ana").post("/register", fetch_event_types=["realm"]).succeeds()

    assert state["jitsi_server_url"] == "https://jitsi.example.com"


def test_without_livekit_its_page_says_so(start_server):
    chat = Chat.found(start_server(), "")

    response = Browser.of(chat.person("ana")).opens("/calls/livekit/123456789012345")

    assert response.status == 400
