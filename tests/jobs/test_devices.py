"""Phones: registered with a forwarding service, and notified through it."""

import base64
from typing import Any

import pytest
from tests.api.good_calls import PHONE, new_device
from tests.support.fake_services import PUSH_ID, PUSH_KEY, FakeServices
from tests.support.people import Chat
from tests.support.waiting import eventually

REGISTER = "/api/v1/remotes/push/e2ee/register"
NOTIFY = "/api/v1/remotes/push/e2ee/notify"


@pytest.fixture
def scene(start_server):
    service = FakeServices()
    chat = Chat.found(start_server(**service.settings), "")
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    yield chat, ana, ben, service
    service.close()


def works(chat):
    chat.server.deliver("device")
    chat.server.run_job("missed messages")
    chat.server.deliver("push")
    chat.server.run_job("pushed and read")


def state(ben, device_id) -> dict[str, Any]:
    register_state: dict[str, Any] = ben.registers(fetch_event_types=["device"])["devices"][
        str(device_id)
    ]
    return register_state


def test_a_phone_is_registered_notified_and_cleared_after_reading(scene):
    chat, ana, ben, service = scene
    queue = ben.listens_for("device")
    device_id = new_device(ben)
    apple = new_device(ben)

    ben.post("/mobile_push/register", device_id=device_id, **PHONE).succeeds()
    second = PHONE | {"token_kind": "apns", "token_id": "AAAAAAAAAAA="}
    ben.post("/mobile_push/register", device_id=apple, **second).succeeds()
    eventually(lambda: works(chat) or state(ben, apple)["push_token_id"])
    eventually(lambda: state(ben, device_id)["push_token_id"])
    sent = ana.says("Are you *there*?", to=[ben])
    eventually(lambda: works(chat) or len(service.push_notifications()) >= 2)
    ben.post("/messages/flags", messages=[sent.id], op="add", flag="read").succeeds()
    eventually(lambda: works(chat) or len(service.push_notifications()) >= 4)

    (requested,) = [
        each for each in service.asked("e2ee/register") if each.form["token_id"] == "hGsEWGmyyfI="
    ]
    assert requested.form == {
        "realm_uuid": chat.realm.uuid,
        "token_id": "hGsEWGmyyfI=",
        "encrypted_push_registration": PHONE["encrypted_push_registration"],
        "bouncer_public_key": PHONE["bouncer_public_key"],
    }
    login = base64.b64encode(f"{PUSH_ID}:{PUSH_KEY}".encode()).decode()
    assert requested.headers["authorization"] == f"Basic {login}"
    first, *_, last = service.asked("e2ee/notify")
    assert first.json["realm_uuid"] == chat.realm.uuid
    android, ios = sorted(first.json["push_requests"], key=lambda each: "aps" in each["payload"])
    assert (android["token_id"], android["fcm_priority"]) == ("hGsEWGmyyfI=", "high")
    assert android["payload"]["push_key_id"] == 2408
    assert ios["http_headers"] == {"apns_priority": 10, "apns_push_type": "alert"}
    assert ios["payload"]["aps"]["mutable-content"] == 1
    assert last.json["push_requests"][0]["fcm_priority"] == "normal"
    text = service.push_notifications()[0]
    assert (text["type"], text["content"], text["user_id"]) == ("message", "Are you there?", ben.id)
    assert text["recipient_type"] == "direct"
    assert service.push_notifications()[-1]["message_ids"] == [sent.id]
    received = [event for event in queue.all() if event["device_id"] == device_id]
    assert [event["op"] for event in received] == ["add", "update", "update"]
    assert received[2] == {
        "type": "device",
        "op": "update",
        "device_id": device_id,
        "push_token_id": "hGsEWGmyyfI=",
        "pending_push_token_id": None,
    }


def test_an_unavailable_service_is_retried_for_a_day(scene):
    chat, _, ben, service = scene
    service.answers[REGISTER] = (500, {})
    device_id = new_device(ben)
    ben.post("/mobile_push/register", device_id=device_id, **PHONE).succeeds()

    eventually(lambda: works(chat) or service.asked("e2ee/register"))
    busy = ben.post("/mobile_push/register", device_id=device_id, **PHONE | {"token_id": "AAAA"})
    busy.fails("A registration for the device already in progress.")
    ben.post("/mobile_push/register", device_id=device_id, **PHONE).succeeds()
    assert state(ben, device_id)["push_registration_error_code"] is None
    chat.server.clock.move(hours=24)
    eventually(lambda: works(chat) or state(ben, device_id)["push_registration_error_code"])

    assert state(ben, device_id)["push_registration_error_code"] == "REQUEST_EXPIRED"
    assert len(service.asked("e2ee/register")) == 2


@pytest.mark.parametrize(
    "answer, code",
    [
        ({"code": "INVALID_BOUNCER_PUBLIC_KEY"}, "INVALID_BOUNCER_PUBLIC_KEY"),
        ({"code": "BAD_REQUEST", "msg": "no"}, "INVALID_ENCRYPTED_PUSH_REGISTRATION"),
        (b"<html>", "INVALID_ENCRYPTED_PUSH_REGISTRATION"),
    ],
)
def test_a_rejection_by_the_service_is_reported(scene, answer, code):
    chat, _, ben, service = scene
    service.answers[REGISTER] = (400, answer)
    device_id = new_device(ben)
    ben.post("/mobile_push/register", device_id=device_id, **PHONE).succeeds()

    eventually(lambda: works(chat) or state(ben, device_id)["push_registration_error_code"])

    assert state(ben, device_id)["push_registration_error_code"] == code


def test_retry_after_of_the_service_is_respected(scene):
    chat, ana, ben, service = scene
    device_id = new_device(ben)
    ben.post("/mobile_push/register", device_id=device_id, **PHONE).succeeds()
    eventually(lambda: works(chat) or state(ben, device_id)["push_token_id"])
    service.answers[NOTIFY], service.headers = (429, {}), {"Retry-After": "600"}

    ana.says("one", to=[ben])
    eventually(lambda: works(chat) or len(service.push_notifications()) == 1)
    ana.says("two", to=[ben])
    chat.server.clock.move(seconds=500)
    eventually(lambda: works(chat) or chat.read(waits) == 2)
    assert len(service.push_notifications()) == 1
    del service.answers[NOTIFY]
    chat.server.clock.move(seconds=101)

    eventually(lambda: works(chat) or len(service.push_notifications()) == 3)
    assert [each["content"] for each in service.push_notifications()] == ["one", "one", "two"]


def waits(tx):
    return tx.value("SELECT count(*) AS value FROM outbox WHERE tries > 0")


def test_a_token_that_the_service_rejects_is_deleted_and_test_notifications_say_so(scene):
    chat, _, ben, service = scene
    device_id = new_device(ben)
    test = "/mobile_push/e2ee/test_notification"
    ben.post(test).fails("No active registered push device", code="NO_ACTIVE_PUSH_DEVICE")
    ben.post("/mobile_push/register", device_id=device_id, **PHONE).succeeds()
    eventually(lambda: works(chat) or state(ben, device_id)["push_token_id"])

    for status, code, answered in (
        (500, "INTERNAL_SERVER_ERROR_ON_BOUNCER", 502),
        (401, "ADMIN_ACTION_REQUIRED", 403),
    ):
        service.answers[NOTIFY] = (status, {})
        response = ben.post(test, device_id=device_id)
        assert (response.status, response.json["code"]) == (answered, code)
    service.answers[NOTIFY] = (200, {"delete_token_ids": ["hGsEWGmyyfI="]})
    ben.post(test, device_id=device_id).succeeds()

    assert service.push_notifications()[-1]["type"] == "test"
    assert state(ben, device_id)["push_token_id"] is None


@pytest.mark.parametrize(
    "params, msg",
    [
        ({}, "Missing parameters: must provide either all push key fields, all token fields,"),
        ({"push_key": PHONE["push_key"]}, "Missing parameters: must provide"),
        ({"push_key": "AAAA", "push_key_id": 1}, "Invalid `push_key`"),
        ({"push_key": PHONE["push_key"], "push_key_id": 2**32}, "Invalid `push_key_id`"),
        (PHONE | {"token_id": "!"}, "`token_id` is not Base64 encoded"),
        ({"push_key": PHONE["push_key"], "push_key_id": 1}, "to rotate key for."),
        ({k: v for k, v in PHONE.items() if "push_key" not in k}, "to rotate token for."),
    ],
)
def test_an_invalid_registration_is_refused(ana, params, msg):
    response = ana.post("/mobile_push/register", device_id=new_device(ana), **params)

    assert msg in response.json["msg"]
    assert response.status == 400
    ana.post("/mobile_push/register", device_id=99, **PHONE).fails("Invalid `device_id`")


def test_legacy_phones_get_plain_text_unless_that_is_forbidden(scene):
    chat, ana, ben, service = scene
    token, appid = "c0ffee", "org.example"
    ben.post("/users/me/apns_device_token", token=token, appid=appid).succeeds()
    ben.post("/users/me/apns_device_token", token="x", appid=appid).fails("Invalid APNS token")
    ben.post("/users/me/android_gcm_reg_id", token="").fails("Empty or invalid length token")
    ben.delete("/users/me/android_gcm_reg_id", token="no").fails("Token does not exist")

    ana.says("Soup?", to=[ben])
    eventually(lambda: works(chat) or len(service.asked("push/notify")) == 1)
    chat.set("require_e2ee_push_notifications", True)
    ana.says("Bread?", to=[ben])
    eventually(lambda: works(chat) or len(service.asked("push/notify")) == 2)

    (registered,) = service.asked("push/register")
    assert (registered.form["token"], registered.form["ios_app_id"]) == (token, appid)
    plain, bare = (each.json for each in service.asked("push/notify"))
    assert (plain["apple_devices"], plain["gcm_payload"]["content"]) == ([token], "Soup?")
    assert "Bread" not in str(bare)
    ben.delete("/users/me/apns_device_token", token=token).succeeds()
