"""Absurdly long numbers, in every place for a number, are refused like any other invalid value.

Python does not parse more than 4,300 digits and raises a ValueError; SQLite holds 63 bits.
"""

import itertools

import pytest
from tests.support.files import fetches, uploads

from tertulia.api.routes import ROUTES

LENGTHS = [19, 20, 400, 5000]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(
    "page",
    [
        "/user_uploads/{}/a/b.txt",
        "/user_uploads/thumbnail/{}/a/b.png/840x560.webp",
        "/user_uploads/temporary/{}/b.txt",
        "/user_avatars/{}/1.png",
        "/user_avatars/1/{}.png",
        "/user_avatars/{}/emoji/images/1.png",
        "/user_avatars/{}/emoji/images/still/1.png",
        "/user_avatars/1/emoji/images/{}.png",
        "/avatar/{}",
        "/avatar/{}/medium",
    ],
)
def test_long_numbers_in_page_urls_are_refused(chat, page, length):
    ana = chat.person("ana")

    assert ana.raw("GET", page.format("9" * length)).status < 500


@pytest.mark.parametrize("length", LENGTHS)
def test_long_numbers_in_api_urls_are_refused(chat, length):
    ana = chat.person("ana", role="owner")
    numbered = [route for route in ROUTES if "{" in route.path]

    for route in numbered:
        words = ["9" * length if word.startswith("{") else word for word in route.path.split("/")]
        assert ana.raw(route.method, f"/api/v1{'/'.join(words)}").status < 500, route


FORMS = ["{}", "-{}", "[{}]", '{{"id":{}}}', '"{}"', "0.{}", "1e{}", '[["id","{}"]]', '["{}"]']


def test_long_numbers_in_parameters_are_refused(chat):
    """Plain, in a list, in an object, with a sign, as a text and as a fraction. The lengths
    alternate, so that each form has each length."""
    ana = chat.person("ana", role="owner", channels=["kitchen"])
    lengths = itertools.cycle(LENGTHS)

    for route in ROUTES:
        path = "/".join("1" if word.startswith("{") else word for word in route.path.split("/"))
        if route.path in ("/events",):
            continue
        for number in (form.format("9" * next(lengths)) for form in FORMS):
            given = {each.name: number for each in route.contract.parameters}
            if given:
                response = ana.request(route.method, path, **given)
                assert response.status < 500, (route, number)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(
    "header",
    ["Range", "Host", "If_None_Match", "X_Forwarded_For", "Authorization"],
)
def test_long_numbers_in_headers_are_refused(chat, header, length):
    ana = chat.person("ana")
    file = uploads(ana)
    digits = "9" * length
    forms = {
        "Range": f"bytes={digits}-{digits}",
        "Host": f"localhost:{digits}",
        "Authorization": f"Basic {digits}",
    }

    assert fetches(ana, file, **{header: forms.get(header, digits)}).status < 500


@pytest.mark.parametrize("length", LENGTHS)
def test_long_numbers_in_message_text_are_harmless(chat, length):
    ana = chat.person("ana", channels=["kitchen"])
    digits = "9" * length
    text = (
        f"@**Ana|{digits}** #**kitchen>a@{digits}** <time:{digits}> {digits}. x\n\n{digits}. y\n"
        f"$$x^{{{digits}}}$$ &#{digits}; &#x{digits}; https://h.example:{digits}/ "
        f"[a](/user_uploads/{digits}/x/y.txt) /user_uploads/{digits}/x/y.txt"
    )

    assert ana.tries_to_say(text, to="kitchen > lunch").status < 500
    assert ana.post("/messages/render", content=text).status < 500
