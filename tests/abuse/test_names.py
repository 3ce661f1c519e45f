"""Deceptive names: none reverses the text around it, is blank, or looks like another.

Invisible characters are allowed where they are needed: inside emoji, and between letters of joining
scripts.
"""

import pytest
from tests.api.good_calls import FAREWELLS, address, ask, good_calls
from tests.support.people import Chat

from tertulia import domain, features
from tertulia.api.routes import ROUTES
from tertulia.errors import BadRequest

DECEPTIVE = {
    "override": "\u202egnp.exe",
    "embedding": "a\u202ab",
    "isolate": "a\u2066b",
    "mark of direction": "ana\u200f",
    "Arabic mark of direction": "\u061cana",
    "no width": "ge\u200bneral",
    "joiner between Latin letters": "ge\u200dneral",
    "joiner at the end": "general\u200d",
    "byte order mark": "\ufeffgeneral",
    "word joiner": "general\u2060",
    "soft hyphen": "gene\u00adral",
    "Hangul filler": "\u3164",
    "half a Hangul filler": "general\uffa0",
    "grapheme joiner": "e\u034fx",
    "variation of a letter": "general\ufe0f",
    "variation of a digit": "1\ufe0f",
    "tags": "general\U000e0067",
    "shorthand": "a\U0001bca0",
    "blank Braille": "\u2800",
    "Khmer vowel that is not heard": "a\u17b5",
    "line separator": "a\u2028b",
    "annotation": "a\ufff9b",
}
HONEST = {
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467 holidays",
    "rainbow": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "skin and gender": "\U0001f937\U0001f3fd\u200d\u2640\ufe0f",
    "heart": "\u2764\ufe0f",
    "key": "1\ufe0f\u20e3 first",
    "Scotland": "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "Persian": "علی\u200cرضا",
    "Sinhala": "ශ්\u200dරී ලංකා",
    "Bengali": "র\u200d্যাম",
    "Malayalam": "ന്\u200dറ",
    "variant of an ideograph": "葛\U000e0100城",
    "Hebrew": "שלום",
    "Braille": "\u2813\u280a\u2800\u281e",
    "French": "Café à l’œil",
}


@pytest.mark.parametrize("name", DECEPTIVE.values(), ids=DECEPTIVE.keys())
def test_deceptive_characters_are_refused_in_every_name(name):
    for check in (
        domain.channels.channel.checked_name,
        domain.channels.topics.for_sending,
        features.channel_folders.checked_name,
        domain.groups.group.checked_group_name,
        domain.people.user.checked_full_name,
        domain.organization.custom_emoji.checked_emoji_name,
    ):
        with pytest.raises(BadRequest):
            check(name)


@pytest.mark.parametrize("name", HONEST.values(), ids=HONEST.keys())
def test_needed_invisible_characters_are_allowed(name):
    for check in (
        domain.channels.channel.checked_name,
        domain.channels.topics.for_sending,
        features.channel_folders.checked_name,
        domain.groups.group.checked_group_name,
        domain.people.user.checked_full_name,
    ):
        assert check(name) == name


# Not names: texts of many lines, private texts, and what is meant for programs. A comma or a space
# is no reason to add a parameter here.
TEXTS = {
    *("content", "description", "note", "message", "desc", "ticket_id", "ticket_title"),
    *("welcome_message_custom_text", "deactivation_notification_comment", "example_input"),
}
ONES_OWN = {
    *("/saved_snippets", "/saved_snippets/{saved_snippet_id}", "/navigation_views"),
    "/navigation_views/{fragment:path}",
    *("/user_topics", "/users/me/subscriptions/muted_topics", "/mobile_push/register"),
    *("/users/me/apns_device_token", "/users/me/android_gcm_reg_id", "/push_servers"),
}
FOR_PROGRAMS = {
    *("local_id", "reverse_template", "default_code_block_language", "branches"),
    *("text_template", "topic_template", "signal"),
}
ONLY_LOOKED_FOR = {("DELETE", "emoji_name"), ("POST", "topic_name"), ("POST", "anchor_date")}
ELSEWHERE = {
    "/external/{integration}",
    "/integrations/{integration}/example",
    "/typing",
    "/calls/nextcloud_talk/create",
}
NOT_TRIED = ("password", "second_factor", "/realm/deactivate")


def test_no_other_short_text_accepts_direction_characters(mail_chat: Chat):
    """Every parameter of every call is tested: a new one counts as a name unless it is listed."""
    ana, calls, path_params = good_calls(mail_chat)
    routes = {(each.method, each.path): each for each in ROUTES}
    tried, taken = 0, []
    for route in calls:
        method, path = route
        if method == "GET" or route in FAREWELLS or path in ONES_OWN | ELSEWHERE:
            continue
        for name in sorted({each.name for each in routes[route].contract.parameters}):
            if any(word in f"{path} {name}" for word in NOT_TRIED):
                continue
            given = calls[route] | {name: "ab\u202egnp.exe"}
            response = ask(ana, method, address(route, path_params), **given)
            tried += 1
            ignored = response.json.get("ignored_parameters_unsupported", [])
            if (
                response.status == 200
                and name not in ignored
                and (method, name) not in ONLY_LOOKED_FOR
            ):
                taken.append((route, name))

    assert tried > 500
    assert sorted({each for each in taken if each[1] not in TEXTS | FOR_PROGRAMS}) == []


def test_texts_beside_names_refuse_deceptive_characters(chat):
    ana = chat.person("ana", role="owner")
    field = {"name": "Pronouns", "field_type": 8}
    number = ana.post("/realm/profile_fields", **field).succeeds()["id"]

    turned = "she\u202e/her"
    value = [{"id": number, "value": turned}]
    ana.patch("/users/me/profile_data", data=value).fails(
        "Invalid character in Pronouns, at position 4."
    )
    ana.post("/users/me/status", status_text=turned).fails(
        "Invalid character in status_text, at position 4."
    )
    choices = {"1": {"text": turned, "order": "1"}}
    ana.post("/realm/profile_fields", name="Floor", field_type=3, field_data=choices).fails(
        'Invalid character in field_data["1"]["text"], at position 4.'
    )
    for blank in ("\u3164", "Test\ufe0f", "Te\u200bst"):
        ana.patch("/realm", name=blank).fails("name must be a text of 1 to 40 characters")
    ana.patch("/realm", name=HONEST["family"]).succeeds()
    for email in ("ana\u200b@example.com", "\u202eana@example.com"):
        ana.post("/users", email=email, password="open sesame", full_name="Ana").fails(
            "Enter a valid email address."
        )


@pytest.mark.parametrize("name", [*DECEPTIVE.values(), *HONEST.values()])
def test_texts_from_outside_are_cleaned(name):
    """A subject of a mail, a title from a service, a name from a directory or an export."""
    for text in (name, f"{name}{name}", f"a {name}" * 9):
        for most in (None, *range(4, 30)):
            found = domain.names.cleaned(text, most, "...")
            assert domain.names.first_bad_character(found) is None, (text, most)
            assert most is None or len(found) <= most
    if name in HONEST.values():
        assert domain.names.cleaned(name) == name


def test_the_error_names_the_first_deceptive_character(chat):
    ana = chat.person("ana", channels=["kitchen"])

    ana.post("/users/me/subscriptions", subscriptions=[{"name": "ab\u202ecd"}]).fails(
        "Invalid character in channel name, at position 3."
    )
    ana.tries_to_say("x", to="kitchen > \u202exe").fails(
        "Invalid character in topic, at position 1!"
    )
    soup = ana.says("Soup's on", to="kitchen > lunch")
    ana.patch(f"/messages/{soup.id}", topic="lun\u200bch").fails(
        "Invalid character in topic, at position 4!"
    )


PLAIN, ALIKE = "سلام", "سلا\u200cم"


def test_a_channel_name_cannot_imitate_another(chat):
    ana = chat.person("ana", role="owner")
    ana.joins(PLAIN, "Café", "two words", "attic", "loft", "\u043b\u0435\u0442\u043e")

    twins = ("\u0430ttic", "\u0410TTI\u0421", "tw\u03bf words", "tw\u0585 words")
    formulas = ("\U0001d5ba\U0001d5cd\U0001d5cd\U0001d5c2\U0001d5bc", "\uff41ttic")
    unseen = (ALIKE, "Cafe\u0301", "cafe\u0301", "two\u00a0words", "TWO  words")
    for name in (*unseen, *twins, *formulas):
        taken = {"code": "CHANNEL_ALREADY_EXISTS", "status": 409}
        words = f"Channel '{name}' already exists"
        wanted = [{"name": name}]
        ana.post("/users/me/subscriptions", subscriptions=wanted).fails(words, **taken)
        ana.post("/channels/create", name=name, subscribers=[]).fails(words, **taken)
        path = f"/streams/{chat.channel('loft').id}"
        ana.patch(path, new_name=name).fails(words, **taken)
    ana.patch(f"/streams/{chat.channel('two words').id}", new_name="two  words").succeeds()


def test_a_group_or_folder_name_cannot_imitate_another(chat):
    ana = chat.person("ana", role="owner")
    group = {"description": "", "members": []}
    ana.post("/user_groups/create", name=PLAIN, **group).succeeds()
    ana.post("/channel_folders/create", name=PLAIN, description="").succeeds()

    ana.post("/user_groups/create", name="cooks", **group).succeeds()
    ana.post("/user_groups/create", name="\u0441ooks", **group).fails(
        "User group '\u0441ooks' already exists."
    )
    ana.post("/user_groups/create", name=ALIKE, **group).fails(
        f"User group '{ALIKE}' already exists."
    )
    ana.post("/channel_folders/create", name=ALIKE, description="").fails(
        "Channel folder name already in use"
    )


RESERVED = ("all", "Everyone", "channel", "TOPIC", "stream", "Notification Bot")
ALMOST = (
    "N\u043etification B\u03bft",
    "notification  bot",
    "Notification\u00a0Bot",
    "\uff41\uff4c\uff4c",
)


@pytest.mark.parametrize("name", [*RESERVED, *ALMOST])
def test_reserved_names_are_refused_for_users(chat, name):
    ana, root = chat.person("ana"), chat.person("root", role="owner")
    password = "correct horse battery"

    refused = [
        ana.patch("/settings", full_name=name),
        ana.post("/bots", full_name=name, short_name="bot"),
        root.patch(f"/users/{ana.id}", full_name=name),
        root.post("/users", email="x@example.com", password=password, full_name=name),
    ]

    for each in refused:
        assert each.json["msg"] in ("Name is reserved!", "Invalid characters in name!")
    assert ana.record.full_name == "Ana"


def test_composed_and_decomposed_letters_are_equal():
    """An accent may be part of its letter or a combining character after it; both look the same."""
    apart, together = "Cafe\u0301", "Caf\u00e9"

    assert domain.channels.topics.for_sending(apart) == together
    assert domain.people.user.checked_full_name(apart) == together
    assert domain.people.user.checked_full_name("Ana  Maria") == "Ana Maria"
