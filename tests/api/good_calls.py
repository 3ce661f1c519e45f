"""A valid call of every route, for the laws over all routes."""

import base64
import itertools
import json
from functools import partial
from typing import Any
from urllib.parse import urlencode

from joserfc import jwt
from joserfc.jwk import OctKey
from tests.support.browser import Browser
from tests.support.client import PREFIX, wire
from tests.support.fake_services import KEY
from tests.support.files import form, own, sends_form
from tests.support.files import uploads as uploads_file
from tests.support.grants import granted
from tests.support.groups import make
from tests.support.passkeys import SoftPasskey
from tests.support.people import Chat, Person, basic
from tests.support.pictures import picture, uploads, uploads_to
from tests.support.server import SECRET
from tests.support.waiting import eventually

from tertulia import features
from tertulia.api.routes import ROUTES
from tertulia.domain.groups.group import REALM_PERMISSIONS
from tertulia.domain.organization.settings import DEFAULTS
from tertulia.domain.people import second_factors

SECRET_OF_APP = "MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U"


def signed_by_us(person: Person) -> str:
    """A token of a trusted JWT issuer."""
    key, claims = OctKey.import_key(SECRET), {"email": person.email, "exp": 2**40}
    return jwt.encode({"alg": "HS256"}, claims, key, algorithms=["HS256"])


class Calls(dict[tuple[str, str], dict[str, Any]]):
    """Valid calls by route. A value that must be new each time is a function."""

    def __getitem__(self, route: tuple[str, str]) -> dict[str, Any]:
        params = super().__getitem__(route)
        return {name: value() if callable(value) else value for name, value in params.items()}

    def items(self) -> Any:
        """Each call is made up when its turn comes: the code of an app is valid for a minute."""
        return ((route, self[route]) for route in self)


def address(route: tuple[str, str], path_params: dict[str, Any]) -> str:
    """The path of a call; what a call ends for good is not used by others."""
    _, path = route
    if route == ("DELETE", "/streams/{stream_id}"):
        path_params = path_params | {"stream_id": path_params["other_stream_id"]}
    made = path_params.get(f"{route[0]} {path}", dict)
    return path.replace(":path}", "}").format(**path_params | made())


# Calls after which the caller could make no other one.
FAREWELLS = {("DELETE", "/users/me"), ("POST", "/users/me/api_key/regenerate")}
PICTURES = {("POST", "/users/me/avatar"), ("POST", "/realm/icon"), ("POST", "/realm/logo")}
invited = (f"guest{number}@house.example" for number in itertools.count())
leavers = (f"leaver{number}" for number in itertools.count())


# Calls about interactions that bots make, by the end of their path.
BY_BOTS = {("POST", "fetch"), ("PATCH", "buttons"), ("POST", "answer"), ("GET", "plan")}


def ask(person, method: str, path: str, *, in_json: bool = False, **params: Any):
    """A call as clients make it, with a file where one is required."""
    if (method, path) in FAREWELLS:
        person = person.chat.person(next(leavers))
    if method == "POST" and path.startswith("/realm/emoji/"):
        return uploads(person, f"{path.rpartition('/')[2]}?{urlencode(params)}", picture())
    if (method, path) in PICTURES:
        found = urlencode({name: wire(value) for name, value in params.items()})
        return uploads_to(person, f"{path}?{found}", picture())
    if (method, path) == ("POST", "/user_uploads"):
        return sends_form(person, form(("x.txt", b"x")), f"{path}?{urlencode(params)}")
    if (method, path) == ("POST", "/realm/deactivate"):
        person = Chat.found(person.chat.server).person("founder", role="owner")
    is_answer = path.startswith("/answers") and not path.endswith("/stop") and method != "GET"
    if path == "/bot_storage" or is_answer or (method, path.split("/")[-1]) in BY_BOTS:
        person = a_bot_of(person)
    if (method, path) == ("POST", "/answers"):
        give_up_answers(person)  # a person may have few at once
    if in_json:
        headers = person.headers | {"Content-Type": "application/json"}
        body = json.dumps(params).encode()
        return person.server.client.raw(method, f"{PREFIX}{path}", headers, body)
    return person.request(method, path, **params)


def give_up_answers(bot):
    for each in bot.get("/answers").succeeds()["answers"]:
        bot.delete(f"/answers/{each['answer_token']}")


def a_bot_of(person):
    bot = person.get("/bots").succeeds()["bots"][0]
    return person.with_headers(Authorization=basic(bot["username"], bot["api_key"]))


def made_anew(ana) -> dict[str, Any]:
    """For calls that consume something: creates another one."""
    numbers = itertools.count()

    def new_message():
        return {"message_id": ana.says("x", to="kitchen > lunch").id}

    def new_reaction():
        made = new_message()
        ana.post(f"/messages/{made['message_id']}/reactions", **TADA).succeeds()
        return made

    def new_group():
        return {"group_id": make(ana, f"group {next(numbers)}")}

    def new_name():
        return {"emoji_name": f"dot{next(numbers)}"}

    def new_emoji():
        made = new_name()
        uploads(ana, made["emoji_name"], picture()).succeeds()
        return made

    def new_file():
        realm_id, _, rest = uploads_file(ana).path_id.partition("/")
        return {"realm_id_str": realm_id, "filename": rest, "attachment_id": own(ana)[0]["id"]}

    return {
        **new_file(),
        "DELETE /attachments/{attachment_id}": new_file,
        "DELETE /messages/{message_id}": new_message,
        "POST /messages/{message_id}/reactions": new_message,
        "DELETE /messages/{message_id}/reactions": new_reaction,
        "POST /user_groups/{group_id}/deactivate": new_group,
        "POST /realm/emoji/{emoji_name}": new_name,
        "DELETE /realm/emoji/{emoji_name}": new_emoji,
    }


def usual_settings(chat) -> dict[str, Any]:
    """Every setting with its current value: other calls depend on some of them."""
    (route,) = (each for each in ROUTES if (each.method, each.path) == ("PATCH", "/realm"))
    names = {each.name for each in route.contract.parameters}
    plain = DEFAULTS | {"name": chat.realm.name, "message_retention_days": "unlimited"}
    given = {
        name: {"new": chat.group(each.default.removeprefix("role:"))}
        for name, each in REALM_PERMISSIONS.items()
    }
    return {name: value for name, value in (plain | given).items() if name in names}


# A browser's push subscription.
BROWSER = {
    "endpoint": "https://push.example.com/x",
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-"
    "AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
}


PHONE = {
    "push_key": base64.b64encode(KEY).decode(),
    "push_key_id": 2408,
    "token_kind": "fcm",
    "token_id": "hGsEWGmyyfI=",
    "bouncer_public_key": "the service's key",
    "encrypted_push_registration": "what only the service can read",
}


def new_device(ana) -> int:
    number: int = ana.post("/register_client_device").succeeds()["device_id"]
    return number


def registered_device(chat, ana) -> int:
    device_id = new_device(ana)
    ana.post("/mobile_push/register", device_id=device_id, **PHONE).succeeds()
    chat.server.deliver("device")
    eventually(lambda: ana.registers()["devices"][str(device_id)]["push_token_id"])
    return device_id


def own_token(ana) -> str:
    ana.post("/users/me/apns_device_token", token="c0ffee", appid="org.x").succeeds()
    return "c0ffee"


def own_fcm_token(ana) -> str:
    ana.post("/users/me/android_gcm_reg_id", token="a token").succeeds()
    return "a token"


PUSH_SERVER = {"kind": "gotify", "address": "https://127.0.0.1:9", "token": "a token"}


def has_push_server(ana) -> str:
    ana.post("/push_servers", **PUSH_SERVER).succeeds()
    return PUSH_SERVER["address"]


def subscribed(ana) -> str:
    ana.post("/web_push/subscriptions", **BROWSER).succeeds()
    return BROWSER["endpoint"]


def linkifier_ids(ana) -> list[int]:
    return [each["id"] for each in ana.get("/realm/linkifiers").succeeds()["linkifiers"]]


def new_rule(fresh) -> dict[str, Any]:
    """A new pattern each time."""
    return {
        "pattern": lambda: f"{next(fresh).replace(' ', '-')}-(?P<id>[0-9]+)",
        "url_template": "https://example.com/{id}",
    }


def new_playground(fresh) -> dict[str, Any]:
    template = "https://example.com/{code}"
    return {"name": lambda: next(fresh), "pygments_language": "Python", "url_template": template}


def new_domain(fresh) -> dict[str, Any]:
    return {
        "domain": lambda: f"{next(fresh).replace(' ', '-')}.example.com",
        "allow_subdomains": False,
    }


def evaluated(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters with their functions called."""
    return {name: each() if callable(each) else each for name, each in parameters.items()}


VOTE = '{"type": "vote", "key": "canned,0", "vote": 1}'
TADA = {"emoji_name": "tada", "emoji_code": "1f389", "reaction_type": "unicode_emoji"}


def personal_calls(chat, ana) -> tuple[dict[tuple[str, str], Any], dict[str, Any]]:
    """Valid calls about a user's own things, and their paths."""
    kitchen = chat.channel("kitchen").id
    topic = {"stream_id": kitchen, "topic": "lunch"}
    words = {"type": "", "to": [], "topic": "", "content": "x"}
    snippet = {"title": "x", "content": "y"}
    response = {"type": "direct", "to": [ana.id], "asked_by": ana.id}
    names = (f"person{number}" for number in itertools.count())

    def new_draft():
        return {"draft_id": ana.post("/drafts", drafts=[words]).succeeds()["ids"][0]}

    def new_view():
        fragment = f"narrow/x/{next(names)}"
        view = {"fragment": fragment, "is_pinned": True, "name": fragment}
        ana.post("/navigation_views", **view).succeeds()
        return {"fragment": fragment}

    def new_snippet():
        response = ana.post("/saved_snippets", **snippet).succeeds()
        return {"saved_snippet_id": response["saved_snippet_id"]}

    def new_answer():
        bot = a_bot_of(ana)
        give_up_answers(bot)
        return {"answer_token": bot.post("/answers", **response).succeeds()["answer_token"]}

    def new_call():
        """Another person is in it, so it goes on when the user is gone."""
        made = ana.post("/calls", type="channel", to=kitchen, topic=next(names)).succeeds()
        other.post(f"/calls/{made['call']['call_token']}/sessions").succeeds()
        return {"call_token": made["call"]["call_token"], "session_id": made["session_id"]}

    other = chat.person(next(names), channels=["kitchen"])
    talk = new_call()

    def new_person():
        return {"muted_user_id": chat.person(next(names)).id}

    def new_bot():
        name = next(names)
        made = ana.post("/bots", full_name=name, short_name=name, bot_type=3).succeeds()
        return {"bot_id": made["user_id"]}

    def new_note():
        return {"message_id": ana.says("x", to=[ana]).id}

    def new_mute():
        made = new_person()
        ana.post(f"/users/me/muted_users/{made['muted_user_id']}").succeeds()
        return made

    ana.post("/users/me/presence", status="active").succeeds()

    def shown_by_app() -> str:
        step = int(chat.server.clock() // second_factors.STEP_SECONDS)
        return second_factors.code_at(SECRET_OF_APP, step)

    begun: dict[str, Any] = {}

    def begin_passkey() -> str:
        path = "/users/me/second_factor/passkeys/begin"
        begun.update(ana.post(path, password="open sesame").succeeds())
        state: str = begun["state"]
        return state

    def made_passkey() -> str:
        return SoftPasskey(f"http://{chat.host}").is_made(begun["options"])

    def new_passkey() -> dict[str, int]:
        given = {"state": begin_passkey(), "name": "Key", "answer": made_passkey()}
        ana.post("/users/me/second_factor/passkeys", **given).succeeds()
        (*_, newest) = ana.get("/users/me/second_factor").succeeds()["passkeys"]
        return {"passkey_id": newest["id"]}

    def with_app() -> str:
        """The password of a user who has a TOTP app."""
        new = (chat.server.vault, ana.record, SECRET_OF_APP, shown_by_app())
        chat.write(features.second_factors.store_app, *new, False)
        return "open sesame"

    calls: dict[tuple[str, str], Any] = {
        ("GET", "/drafts"): {},
        ("POST", "/drafts"): {"drafts": [words]},
        ("PATCH", "/drafts/{draft_id}"): {"draft": words},
        ("DELETE", "/drafts/{draft_id}"): {},
        ("POST", "/register_client_device"): {},
        ("POST", "/remove_client_device"): {"device_id": lambda: new_device(ana)},
        ("POST", "/mobile_push/register"): {"device_id": lambda: new_device(ana), **PHONE},
        ("POST", "/mobile_push/e2ee/test_notification"): {
            "device_id": lambda: registered_device(chat, ana)
        },
        ("POST", "/mobile_push/test_notification"): {"token": lambda: own_token(ana)},
        ("POST", "/users/me/apns_device_token"): {"token": "c0ffee", "appid": "org.x"},
        ("DELETE", "/users/me/apns_device_token"): {"token": lambda: own_token(ana)},
        ("POST", "/users/me/android_gcm_reg_id"): {"token": "a token"},
        ("DELETE", "/users/me/android_gcm_reg_id"): {"token": lambda: own_fcm_token(ana)},
        ("GET", "/calls/bigbluebutton/create"): {"meeting_name": "lunch"},
        ("POST", "/calls/nextcloud_talk/create"): {"room_name": "lunch"},
        ("GET", "/calls"): {},
        ("POST", "/calls"): {"type": "channel", "to": kitchen, "topic": lambda: next(names)},
        ("POST", "/calls/{call_token}/sessions"): {},
        ("PATCH", "/calls/{call_token}/sessions/{session_id}"): {"muted": True},
        ("DELETE", "/calls/{call_token}/sessions/{session_id}"): {},
        ("POST", "/calls/{call_token}/sessions/{session_id}/signals"): {
            "to_session_id": talk["session_id"],
            "signal": "offer",
        },
        ("POST", "/calls/{call_token}/sessions/{session_id}/ring"): {
            "user_ids": lambda: [chat.person(next(names)).id],
        },
        ("POST", "/calls/{call_token}/decline"): {},
        ("GET", "/web_push/key"): {},
        ("POST", "/web_push/subscriptions"): BROWSER,
        ("POST", "/web_push/test"): {"endpoint": lambda: subscribed(ana)},
        ("GET", "/push_servers"): {},
        ("POST", "/push_servers"): PUSH_SERVER,
        ("POST", "/push_servers/test"): {"address": lambda: has_push_server(ana)},
        ("DELETE", "/push_servers"): {"address": lambda: has_push_server(ana)},
        ("POST", "/web_push/mute"): {
            "message_id": lambda: ana.says("x", to=[ana]).id,
            "seconds": 3600,
        },
        ("DELETE", "/web_push/subscriptions"): {"endpoint": lambda: subscribed(ana)},
        ("GET", "/navigation_views"): {},
        ("POST", "/navigation_views"): {
            "fragment": lambda: f"narrow/is/{next(names)}",
            "is_pinned": True,
            "name": lambda: next(names),
        },
        ("PATCH", "/navigation_views/{fragment:path}"): {"is_pinned": False},
        ("DELETE", "/navigation_views/{fragment:path}"): {},
        ("GET", "/answers"): {},
        ("POST", "/answers"): response,
        ("PATCH", "/answers/{answer_token}"): {"content": "x", "status_line": "reading"},
        ("POST", "/answers/{answer_token}/finish"): {"content": "x"},
        ("DELETE", "/answers/{answer_token}"): {},
        ("POST", "/answers/{answer_token}/stop"): {},
        ("GET", "/saved_snippets"): {},
        ("POST", "/saved_snippets"): snippet,
        ("PATCH", "/saved_snippets/{saved_snippet_id}"): snippet,
        ("DELETE", "/saved_snippets/{saved_snippet_id}"): {},
        ("POST", "/user_topics"): {**topic, "visibility_policy": 3},
        ("PATCH", "/users/me/subscriptions/muted_topics"): {**topic, "op": "add"},
        ("GET", "/realm/presence"): {},
        ("PATCH", "/realm/user_settings_defaults"): {"color_scheme": 2},
        ("PATCH", "/settings"): {"old_password": "open sesame"},
        ("PATCH", "/settings/notifications"): {"old_password": "open sesame"},
        ("PATCH", "/settings/display"): {"old_password": "open sesame"},
        ("POST", "/users/me/status"): {"emoji_name": "tada"},
        ("GET", "/users/{user_id}/status"): {},
        ("POST", "/users/{user_id}/status"): {"emoji_name": "tada"},
        ("POST", "/users/me/presence"): {"status": "active"},
        ("GET", "/users/{user_id}/presence"): {},
        ("GET", "/users/{email}/presence"): {},
        ("POST", "/typing"): {"op": "start", "to": [ana.id]},
        ("POST", "/messages/{message_id}/typing"): {"op": "start"},
        ("POST", "/users/me/muted_users/{muted_user_id}"): {},
        ("DELETE", "/users/me/muted_users/{muted_user_id}"): {},
        ("GET", "/users/me/alert_words"): {},
        ("GET", "/realm/audit_log"): {},
        ("GET", "/realm/usage"): {},
        ("GET", "/server_health"): {},
        ("GET", "/integrations"): {},
        ("GET", "/integrations/bots"): {},
        ("POST", "/integrations/{integration}/example"): {"bot_id": lambda: new_bot()["bot_id"]},
        ("POST", "/integrations/template/preview"): {
            "payload": '{"a": 1}',
            "text_template": "{{ a }}",
        },
        ("GET", "/realm/audit_log/{entry_id}"): {},
        ("GET", "/realm/settings"): {},
        ("GET", "/realm/accounts"): {"sort": "storage"},
        ("GET", "/realm/legal_holds"): {},
        ("POST", "/realm/legal_holds"): {"reason": "Case 4711", "held_user_ids": [ana.id]},
        ("DELETE", "/realm/legal_holds/{hold_id}"): {},
        ("GET", "/export/realm"): {},
        ("POST", "/export/realm"): {},
        ("GET", "/export/realm/consents"): {},
        ("DELETE", "/export/realm/{export_id}"): {},
        ("GET", "/invites"): {},
        ("POST", "/invites"): {"invitee_emails": lambda: next(invited), "stream_ids": []},
        ("POST", "/invites/multiuse"): {},
        ("DELETE", "/invites/{invite_id}"): {},
        ("DELETE", "/invites/multiuse/{invite_id}"): {},
        ("POST", "/invites/{invite_id}/resend"): {},
        ("GET", "/users/me/agents"): {},
        ("DELETE", "/users/me/agents/{agent_id}"): {},
        ("GET", "/realm/agents"): {},
        ("DELETE", "/realm/agents/{agent_id}"): {},
        ("GET", "/users/me/sessions"): {},
        ("DELETE", "/users/me/sessions"): {},
        ("DELETE", "/users/me/sessions/{session_id}"): {},
        ("GET", "/users/me/second_factor"): {},
        ("POST", "/users/me/second_factor/secret"): {},
        ("POST", "/users/me/second_factor/app"): {
            "password": "open sesame",
            "secret": SECRET_OF_APP,
            "code": shown_by_app,
        },
        ("POST", "/users/me/second_factor/recovery_codes"): {"password": with_app},
        ("POST", "/users/me/second_factor/passkeys/begin"): {"password": "open sesame"},
        ("POST", "/users/me/second_factor/passkeys"): {
            "state": begin_passkey,
            "name": "Key",
            "answer": made_passkey,
        },
        ("DELETE", "/users/me/second_factor/passkeys/{passkey_id}"): {"password": "open sesame"},
        ("DELETE", "/users/me/second_factor"): {"password": with_app},
        ("GET", "/bots"): {},
        ("POST", "/bots"): {"full_name": lambda: next(names), "short_name": lambda: next(names)},
        ("PATCH", "/bots/{bot_id}"): {"full_name": lambda: next(names)},
        ("DELETE", "/bots/{bot_id}"): {},
        ("GET", "/bots/{bot_id}/api_key"): {},
        ("POST", "/bots/{bot_id}/api_key/regenerate"): {},
        ("GET", "/bot_storage"): {},
        ("PUT", "/bot_storage"): {"storage": {"tide": "high"}},
        ("DELETE", "/bot_storage"): {},
        ("POST", "/users/me/alert_words"): {"alert_words": ["tea"]},
        ("DELETE", "/users/me/alert_words"): {"alert_words": ["tea"]},
    }

    def new_invitation(*, is_multiuse=False):
        if is_multiuse:
            ana.post("/invites/multiuse").succeeds()
        else:
            ana.post("/invites", invitee_emails=next(invited), stream_ids=[]).succeeds()
        found = ana.get("/invites").succeeds()["invites"]
        number = next(each["id"] for each in found if each["is_multiuse"] is is_multiuse)
        return {"invite_id": number}

    def no_recent_export():
        """There may be five a week."""
        ana.chat.write(lambda tx: tx.execute("UPDATE realm_export SET requested_at = 0"))
        return {}

    def new_export():
        no_recent_export()
        number = ana.post("/export/realm").succeeds()["id"]
        ana.server.run_job("exports")  # or the server's own job has started
        eventually(lambda: is_ready(number))
        return {"export_id": number}

    def is_ready(export_id):
        known = ana.get("/export/realm").succeeds()["exports"]
        return not next(each["pending"] for each in known if each["id"] == export_id)

    def new_hold():
        (number,) = ana.post(
            "/realm/legal_holds", reason="Case 4711", held_user_ids=[ana.id]
        ).succeeds()["ids"]
        return {"hold_id": number}

    def new_session():
        Browser.of(ana)
        return {"session_id": ana.get("/users/me/sessions").succeeds()["sessions"][0]["id"]}

    def new_agent():
        return {"agent_id": granted(ana).id}

    def new_audit_entry():
        ana.patch("/realm", message_content_edit_limit_seconds=600).succeeds()
        return {"entry_id": ana.get("/realm/audit_log").succeeds()["entries"][0]["id"]}

    path_params = {
        **new_view(),
        **new_audit_entry(),
        "DELETE /navigation_views/{fragment:path}": new_view,
        **new_draft(),
        **new_export(),
        **new_hold(),
        "DELETE /realm/legal_holds/{hold_id}": new_hold,
        **new_session(),
        **new_agent(),
        "DELETE /users/me/agents/{agent_id}": new_agent,
        "DELETE /realm/agents/{agent_id}": new_agent,
        **new_snippet(),
        **new_answer(),
        "call_token": talk["call_token"],
        **new_person(),
        **new_bot(),
        "PATCH /answers/{answer_token}": new_answer,
        "DELETE /answers/{answer_token}": new_answer,
        "POST /answers/{answer_token}/finish": new_answer,
        "POST /answers/{answer_token}/stop": new_answer,
        "POST /calls/{call_token}/sessions": new_call,
        "PATCH /calls/{call_token}/sessions/{session_id}": new_call,
        "DELETE /calls/{call_token}/sessions/{session_id}": new_call,
        "POST /calls/{call_token}/sessions/{session_id}/signals": lambda: talk,
        "POST /calls/{call_token}/sessions/{session_id}/ring": new_call,
        "POST /calls/{call_token}/decline": new_call,
        "DELETE /drafts/{draft_id}": new_draft,
        "DELETE /invites/{invite_id}": new_invitation,
        "POST /invites/{invite_id}/resend": new_invitation,
        "DELETE /invites/multiuse/{invite_id}": partial(new_invitation, is_multiuse=True),
        "DELETE /users/me/sessions/{session_id}": new_session,
        **new_passkey(),
        "DELETE /users/me/second_factor/passkeys/{passkey_id}": new_passkey,
        "DELETE /export/realm/{export_id}": new_export,
        "POST /export/realm": no_recent_export,
        "DELETE /saved_snippets/{saved_snippet_id}": new_snippet,
        "POST /messages/{message_id}/typing": new_note,
        "POST /users/me/muted_users/{muted_user_id}": new_person,
        "DELETE /users/me/muted_users/{muted_user_id}": new_mute,
    }
    return calls, path_params


def account_calls(chat) -> tuple[dict[tuple[str, str], Any], dict[str, Any]]:
    """Valid calls about accounts, each for a new user."""
    names = (f"account{number}" for number in itertools.count())
    change = {
        "full_name": "Cleo",
        "role": 300,
        "new_email": lambda: f"{next(names)}@example.com",
    }

    def new_user():
        person = chat.person(next(names))
        return {"user_id": person.id, "email": person.api_email}

    def agreeing():
        """There may be five exports a week, of users who agree."""
        chat.write(lambda tx: tx.execute("UPDATE realm_export SET requested_at = 0"))
        person = chat.person(next(names))
        person.patch("/settings", allow_private_data_export=True).succeeds()
        return {"user_id": person.id}

    calls: dict[tuple[str, str], Any] = {
        ("POST", "/users"): {
            "email": lambda: f"{next(names)}@example.com",
            "password": "open sesame",
            "full_name": "Cleo",
        },
        ("PATCH", "/users/{user_id}"): change,
        ("PATCH", "/users/{email}"): change,
        ("DELETE", "/users/{user_id}"): {},
        ("DELETE", "/users/{email}"): {},
        ("DELETE", "/users/me"): {},
        ("POST", "/users/{user_id}/export"): {},
        ("POST", "/users/{user_id}/reactivate"): {},
        ("POST", "/users/{user_id}/password_link"): {},
        ("DELETE", "/users/{user_id}/password"): {},
        ("DELETE", "/users/{user_id}/second_factor"): {},
        ("GET", "/users/{user_id}/account"): {},
        ("DELETE", "/users/{user_id}/sessions"): {},
        ("POST", "/users/{user_id}/api_key/regenerate"): {},
        ("POST", "/users/{user_id}/erase"): {},
        ("POST", "/users/me/api_key/regenerate"): {},
        ("PATCH", "/realm/accounts"): {"account_ids": lambda: [new_user()["user_id"]], "role": 300},
    }
    path_params = {
        f"{method} {path}": new_user
        for method, path in calls
        if "{" in path and path.endswith(("_id}", "email}", "/password", "/regenerate", "/erase"))
    }
    return calls, {**path_params, "POST /users/{user_id}/export": agreeing}


def profile_calls(ana) -> tuple[dict[tuple[str, str], Any], dict[str, Any]]:
    """Valid calls about profiles, and their paths."""
    path, numbers = "/realm/profile_fields", itertools.count()

    def new_field():
        return {"field_id": ana.post(path, name=new_name(), field_type=1).succeeds()["id"]}

    def new_name():
        return f"field {next(numbers)}"

    def in_order():
        return [each["id"] for each in ana.get(path).succeeds()["custom_fields"]]

    field = new_field()
    calls: dict[tuple[str, str], Any] = {
        ("GET", path): {},
        ("PATCH", path): {"order": in_order},
        ("POST", path): {"name": new_name, "field_type": 1},
        ("PATCH", f"{path}/{{field_id}}"): {"name": new_name},
        ("DELETE", f"{path}/{{field_id}}"): {},
        ("PATCH", "/users/me/profile_data"): {"data": [{"id": field["field_id"], "value": "x"}]},
        ("DELETE", "/users/me/profile_data"): {"data": [field["field_id"]]},
        ("POST", "/users/me/avatar"): {},
        ("DELETE", "/users/me/avatar"): {},
    }
    return calls, {**field, f"DELETE {path}/{{field_id}}": new_field}


PLAN = {"name": "plan", "type": "file", "required": False}
PARAMETERS = [{"name": "version", "type": "text"}]
BUTTON = {"id": "live", "short_name": "A", "long_name": "Put it on live", "reply": "live"}


def app_calls(chat, ana) -> tuple[dict[tuple[str, str], Any], dict[str, Any]]:
    """Valid calls about commands, buttons and forms, and their paths."""
    names = (f"command{number}" for number in itertools.count())
    bot, place = a_bot_of(ana), {"type": "channel", "to": "kitchen", "topic": "lunch"}

    def new_command():
        about = {"description": "x", "parameters": PARAMETERS}
        made = bot.post("/commands", name=next(names), **about).succeeds()
        return {"command_id": made["command_id"]}

    command = new_command()
    values = {"values": {"version": "1"}}

    def new_interaction():
        for each in bot.post("/interactions/fetch").succeeds()["interactions"]:
            bot.post(f"/interactions/{each['id']}/answer").succeeds()
        path = f"/commands/{command['command_id']}/calls"
        made = ana.post(path, **place, **values).succeeds()["interaction"]
        return {"interaction_id": made["id"]}

    def asked_form():
        made = new_interaction()
        form = {"title": "Plan", "fields": [PLAN]}
        bot.post(f"/interactions/{made['interaction_id']}/answer", form=form).succeeds()
        return made

    def submitted_form():
        number = asked_form()["interaction_id"]
        filled = {"plan": uploads_file(ana).url}
        sent = ana.post(f"/interactions/{number}/form", values=filled).succeeds()
        return {"interaction_id": sent["interaction"]["id"], "field": "plan"}

    def new_buttons():
        new_interaction()  # ends earlier ones
        data = {"type": "choices", "heading": "", "choices": [BUTTON]}
        widget = {"widget_type": "zform", "extra_data": data}
        sent = bot.post("/messages", content="x", widget_content=widget, **place)
        return {"message_id": sent.succeeds()["id"]}

    calls: dict[tuple[str, str], Any] = {
        ("GET", "/commands"): {},
        ("GET", "/commands/managed"): {},
        ("POST", "/commands"): {
            "name": lambda: next(names),
            "description": "Put it there",
            "parameters": PARAMETERS,
            "bot_id": bot.get("/users/me").succeeds()["user_id"],
        },
        ("PATCH", "/commands/{command_id}"): {"in_direct": False},
        ("DELETE", "/commands/{command_id}"): {},
        ("POST", "/commands/{command_id}/calls"): {**place, **values},
        ("GET", "/interactions"): {},
        ("POST", "/interactions/fetch"): {},
        ("POST", "/messages/{message_id}/press"): {"button": "live"},
        ("PATCH", "/messages/{message_id}/buttons"): {"choices": [BUTTON]},
        ("POST", "/interactions/{interaction_id}/form"): {"values": {}},
        ("POST", "/interactions/{interaction_id}/answer"): {"content": "x"},
        ("DELETE", "/interactions/{interaction_id}"): {},
        ("GET", "/interactions/{interaction_id}/files/{field}"): {},
    }
    path_params = {
        **submitted_form(),
        **command,
        "PATCH /commands/{command_id}": new_command,
        "DELETE /commands/{command_id}": new_command,
        "POST /messages/{message_id}/press": new_buttons,
        "PATCH /messages/{message_id}/buttons": new_buttons,
        "POST /interactions/{interaction_id}/form": asked_form,
        "POST /interactions/{interaction_id}/answer": new_interaction,
        "DELETE /interactions/{interaction_id}": new_interaction,
        "GET /interactions/{interaction_id}/files/{field}": submitted_form,
    }
    return calls, path_params


def good_calls(chat: Chat) -> tuple[Person, Calls, dict[str, Any]]:
    """A user with everything that endpoints refer to, a valid call of each, and the paths."""
    ana = chat.person("ana", role="owner", channels=["kitchen", "loft"], password="open sesame")
    kitchen = chat.channel("kitchen").id
    chat.set("moderation_request_channel_id", chat.channel("loft").id)
    chat.set("enable_topic_summaries", True)
    folder = ana.post("/channel_folders/create", name="House", description="").succeeds()
    fresh = (f"new {number}" for number in itertools.count())
    soup = ana.says("Soup's on", to="kitchen > lunch")
    ana.says("milk", to=[ana])
    queue = ana.listens_for()
    ana.says("Bread too", to="kitchen > lunch")
    chat.person("helper", bot="generic", owner=ana)
    ben = chat.person("ben", password="open sesame")
    bakers, cooks = make(ana, "bakers", (ana,)), make(ana, "cooks")
    chosen = {"stream_id": kitchen, "property": "pin_to_top", "value": True}
    at = int(chat.server.clock()) + 3600
    later = {
        "type": "channel",
        "to": kitchen,
        "topic": "lunch",
        "content": "x",
        "scheduled_delivery_timestamp": at,
    }
    reminder = {"message_id": soup.id, "scheduled_delivery_timestamp": at}
    calls = Calls(
        {
            ("GET", "/server_settings"): {},
            ("POST", "/fetch_api_key"): {"username": ben.email, "password": "open sesame"},
            ("POST", "/jwt/fetch_api_key"): {"token": signed_by_us(ana), "include_profile": True},
            ("POST", "/register"): {},
            ("GET", "/events"): {
                "queue_id": queue.queue_id,
                "last_event_id": -1,
                "dont_block": True,
            },
            ("GET", "/messages"): {"anchor": "newest", "num_before": 10},
            ("POST", "/messages"): {
                "type": "channel",
                "to": "kitchen",
                "topic": "lunch",
                "content": "x",
            },
            ("GET", "/messages/catch_up"): {},
            ("GET", "/messages/matches_narrow"): {"msg_ids": [soup.id], "narrow": []},
            ("GET", "/messages/{message_id}"): {},
            ("GET", "/external/{integration}"): {"api_key": ana.key},
            ("POST", "/external/{integration}"): {
                "api_key": ana.key,
                "payload": {"tide": "high"},
            },
            ("GET", "/scheduled_messages"): {},
            ("POST", "/scheduled_messages"): later,
            ("PATCH", "/scheduled_messages/{scheduled_message_id}"): later,
            ("DELETE", "/scheduled_messages/{scheduled_message_id}"): {},
            ("GET", "/reminders"): {},
            ("POST", "/reminders"): reminder,
            ("DELETE", "/reminders/{reminder_id}"): {},
            ("PATCH", "/messages/{message_id}"): {"content": "Soup", "stream_id": kitchen},
            ("DELETE", "/messages/{message_id}"): {},
            ("DELETE", "/messages/{message_id}/link_previews"): {},
            ("GET", "/messages/{message_id}/history"): {},
            ("POST", "/messages/flags"): {"messages": [soup.id], "op": "add", "flag": "read"},
            ("POST", "/messages/flags/narrow"): {
                "anchor": "newest",
                "num_before": 1,
                "num_after": 0,
                "narrow": [],
                "op": "add",
                "flag": "read",
            },
            ("POST", "/mark_all_as_read"): {},
            ("POST", "/mark_stream_as_read"): {"stream_id": kitchen},
            ("POST", "/mark_topic_as_read"): {"stream_id": kitchen, "topic_name": "lunch"},
            ("GET", "/messages/{message_id}/read_receipts"): {},
            ("POST", "/messages/{message_id}/reactions"): TADA,
            ("DELETE", "/messages/{message_id}/reactions"): TADA,
            ("POST", "/messages/{message_id}/report"): {"report_type": "spam"},
            ("POST", "/submessage"): {
                "message_id": ana.says("/poll Soup?", to="kitchen > lunch").id,
                "msg_type": "widget",
                "content": VOTE,
            },
            ("GET", "/realm/emoji"): {},
            ("POST", "/realm/emoji/{emoji_name}"): {},
            ("DELETE", "/realm/emoji/{emoji_name}"): {},
            ("POST", "/user_uploads"): {},
            ("GET", "/user_uploads/{realm_id_str}/{filename:path}"): {},
            ("GET", "/thumbnail/status/{realm_id_str}/{filename:path}"): {},
            ("GET", "/attachments"): {},
            ("DELETE", "/attachments/{attachment_id}"): {},
            ("POST", "/streams/{stream_id}/delete_topic"): {"topic_name": "dinner"},
            ("POST", "/streams/{stream_id}/export"): {},
            ("GET", "/streams/{stream_id}/topic_deletion_preview"): {"topic_name": "dinner"},
            ("GET", "/streams/{stream_id}/topic_summaries"): {},
            ("PATCH", "/streams/{stream_id}/topic_summaries"): {"allowed": True},
            ("POST", "/streams/{stream_id}/topic_summaries"): {"topic_name": "lunch"},
            ("GET", "/users"): {"include_custom_profile_fields": True},
            ("GET", "/users/me"): {},
            ("GET", "/users/me/subscriptions"): {"include_subscribers": "true"},
            ("POST", "/users/me/subscriptions"): {"subscriptions": [{"name": "garden"}]},
            ("DELETE", "/users/me/subscriptions"): {"subscriptions": ["garden"]},
            ("GET", "/users/{user_id}"): {"include_custom_profile_fields": True},
            ("GET", "/users/{email}"): {},
            ("DELETE", "/events"): {"queue_id": queue.queue_id},
            ("GET", "/streams"): {"include_all": True, "include_default": True},
            ("POST", "/channels/create"): {"name": lambda: next(fresh), "subscribers": [ana.id]},
            ("GET", "/get_stream_id"): {"stream": "kitchen"},
            ("GET", "/streams/{stream_id}"): {},
            ("PATCH", "/streams/{stream_id}"): {
                "description": "pots",
                "can_send_message_group": {"new": chat.group("everyone")},
            },
            ("GET", "/streams/{stream_id}/members"): {},
            ("GET", "/streams/{stream_id}/email_address"): {},
            ("POST", "/streams/{stream_id}/email_address/regenerate"): {},
            ("GET", "/streams/{stream_id}/forum"): {"order": "newest"},
            ("GET", "/users/me/{stream_id}/topics"): {},
            ("POST", "/default_streams"): {"stream_id": kitchen},
            ("DELETE", "/default_streams"): {"stream_id": kitchen},
            ("PATCH", "/users/me/subscriptions"): {"add": [{"name": "garden"}]},
            ("POST", "/users/me/subscriptions/properties"): {"subscription_data": [chosen]},
            ("PATCH", "/users/me/subscriptions/{stream_id}"): {
                "property": "pin_to_top",
                "value": True,
            },
            ("GET", "/users/{user_id}/channels"): {},
            ("GET", "/users/{user_id}/subscriptions/{stream_id}"): {},
            ("GET", "/channel_folders"): {"include_archived": True},
            ("PATCH", "/channel_folders"): {"order": [folder["channel_folder_id"]]},
            ("POST", "/channel_folders/create"): {"name": lambda: next(fresh), "description": ""},
            ("PATCH", "/channel_folders/{channel_folder_id}"): {"description": "rooms"},
            ("DELETE", "/streams/{stream_id}"): {},
            ("POST", "/messages/render"): {"content": "**x**"},
            ("POST", "/realm/deactivate"): {},
            ("GET", "/realm/retention_preview"): {
                "message_retention_days": 90,
                "stream_id": kitchen,
            },
            ("POST", "/realm/test_welcome_bot_custom_message"): {
                "welcome_message_custom_text": "Pull up a chair."
            },
            ("GET", "/realm/linkifiers"): {},
            ("PATCH", "/realm/linkifiers"): {"ordered_linkifier_ids": lambda: linkifier_ids(ana)},
            ("POST", "/realm/filters"): new_rule(fresh),
            ("PATCH", "/realm/filters/{filter_id}"): new_rule(fresh),
            ("DELETE", "/realm/filters/{filter_id}"): {},
            ("POST", "/realm/playgrounds"): new_playground(fresh),
            ("DELETE", "/realm/playgrounds/{playground_id}"): {},
            ("GET", "/realm/icon"): {},
            ("GET", "/realm/logo"): {"night": True},
            ("POST", "/realm/icon"): {},
            ("DELETE", "/realm/icon"): {},
            ("POST", "/realm/logo"): {"night": True},
            ("DELETE", "/realm/logo"): {"night": True},
            ("GET", "/realm/domains"): {},
            ("POST", "/realm/domains"): new_domain(fresh),
            ("PATCH", "/realm/domains/{domain}"): {"allow_subdomains": True},
            ("DELETE", "/realm/domains/{domain}"): {},
            ("GET", "/user_groups"): {"include_deactivated_groups": True},
            ("POST", "/user_groups/create"): {
                "name": lambda: next(fresh),
                "description": "",
                "members": [ana.id],
                "subgroups": [bakers],
            },
            ("PATCH", "/user_groups/{group_id}"): {"description": "flour"},
            ("GET", "/user_groups/{group_id}/members"): {},
            ("GET", "/user_groups/{group_id}/members/{user_id}"): {},
            ("GET", "/user_groups/{group_id}/subgroups"): {},
            ("POST", "/user_groups/{group_id}/members"): {"add": [ben.id], "delete": [ben.id]},
            ("POST", "/user_groups/{group_id}/subgroups"): {"add": [cooks], "delete": [cooks]},
            ("POST", "/user_groups/{group_id}/deactivate"): {},
            ("PATCH", "/realm"): usual_settings(chat) | {"description": lambda: next(fresh)},
        }
    )

    def new_scheduled_message():
        return ana.post("/scheduled_messages", **later).succeeds()

    def new_linkifier():
        return {
            "filter_id": ana.post("/realm/filters", **evaluated(new_rule(fresh))).succeeds()["id"]
        }

    def added_playground():
        response = ana.post("/realm/playgrounds", **evaluated(new_playground(fresh))).succeeds()
        return {"playground_id": response["id"]}

    def added_domain():
        response = ana.post("/realm/domains", **evaluated(new_domain(fresh))).succeeds()
        return {"domain": response["new_domain"][1]}

    def new_reminder():
        return ana.post("/reminders", **reminder).succeeds()

    path_params = {
        "PATCH /scheduled_messages/{scheduled_message_id}": new_scheduled_message,
        "DELETE /scheduled_messages/{scheduled_message_id}": new_scheduled_message,
        "DELETE /reminders/{reminder_id}": new_reminder,
        "PATCH /realm/filters/{filter_id}": new_linkifier,
        "DELETE /realm/filters/{filter_id}": new_linkifier,
        "DELETE /realm/playgrounds/{playground_id}": added_playground,
        "DELETE /realm/domains/{domain}": added_domain,
        "message_id": soup.id,
        "integration": "json",
        **new_linkifier(),
        **added_playground(),
        **added_domain(),
        "user_id": ana.id,
        "email": ana.email,
        "stream_id": kitchen,
        "other_stream_id": chat.channel("loft").id,
        "channel_folder_id": folder["channel_folder_id"],
        "group_id": bakers,
        **made_anew(ana),
    }
    personal, people_path_params = personal_calls(chat, ana)
    calls.update(personal)
    about_accounts, account_path_params = account_calls(chat)
    calls.update(about_accounts)
    profiles, profile_path_params = profile_calls(ana)
    calls.update(profiles)
    apps, app_path_params = app_calls(chat, ana)
    calls.update(apps)
    people_path_params |= app_path_params
    return ana, calls, path_params | people_path_params | account_path_params | profile_path_params
