"""Forms: what is read, what is refused, and that nothing else can happen."""

from contextlib import suppress

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.errors import ClientError
from tertulia.http.forms import MAX_FIELDS, UploadedFile, read_urlencoded
from tertulia.http.multipart import read_multipart

CONTENT_TYPE = 'multipart/form-data; boundary="line"'


def part(head: str, content: bytes = b"soup") -> bytes:
    return b"--line\r\n" + head.encode() + b"\r\n\r\n" + content + b"\r\n"


def disposition(options: str) -> str:
    return f"Content-Disposition: form-data; {options}"


@pytest.mark.parametrize(
    "encoded, fields",
    [
        (b"", {}),
        (b"a=1&b=2", {"a": "1", "b": "2"}),
        (b"a=1&a=2", {"a": "2"}),
        (b"&&a=1&", {"a": "1"}),
        (b"a", {"a": ""}),
        (b"a=b=c", {"a": "b=c"}),
        (b"a=1+2%2B3", {"a": "1 2+3"}),
        (b"%C3%A9=%F0%9F%8D%B2", {"é": "🍲"}),
        ("a=🍲".encode(), {"a": "🍲"}),
        (b"a=100%&b=%zz", {"a": "100%", "b": "%zz"}),
        (b"a=%00", {"a": "\0"}),
    ],
)
def test_urlencoded_fields_are_decoded(encoded, fields):
    assert read_urlencoded(encoded) == fields


@pytest.mark.parametrize(
    "encoded, words",
    [
        (b"a=%ff", "The request is not valid UTF-8"),
        (b"%ff=a", "The request is not valid UTF-8"),
        (b"a=\xff", "The request is not valid UTF-8"),
        (b"a=%ED%A0%80", "The request is not valid UTF-8"),  # a lone surrogate
        (b"&" * 1000, "Too many parameters (limit: 1000)"),
        (b"a" * 201, "The form data cannot be read: a parameter name is too long"),
    ],
)
def test_invalid_urlencoded_forms_are_refused(encoded, words):
    with pytest.raises(ClientError) as caught:
        read_urlencoded(encoded)

    assert (caught.value.status, caught.value.msg) == (400, words)


@pytest.mark.parametrize(
    "options, name",
    [
        ('name="a"', "a"),
        ("name=a", "a"),
        ('NAME="a"', "a"),
        ('name="a;b"', "a;b"),
        ('name="a%22b"', 'a"b'),
        (r'name="a\"b\\"', 'a"b\\'),
        ('name="é"', "é"),
    ],
)
def test_names_of_multipart_fields_are_decoded(options, name):
    body = part(disposition(options)) + b"--line--\r\n"

    assert read_multipart(body, CONTENT_TYPE) == ({name: "soup"}, [])


@pytest.mark.parametrize(
    "options, filename",
    [
        ('name="f"; filename="a.png"', "a.png"),
        ('name="f"; filename="x"; filename*=UTF-8\'\'%C3%A9.png', "é.png"),
        ('name="f"; filename=""', ""),
    ],
)
def test_files_are_kept_apart_from_fields(options, filename):
    head = disposition(options) + "\r\nContent-Type: image/png"
    body = part(head, b"\xff\r\n\0") + b"--line--"

    fields, files = read_multipart(body, CONTENT_TYPE)

    assert (fields, files) == ({}, [UploadedFile("f", filename, "image/png", b"\xff\r\n\0")])


def test_a_file_field_left_empty_is_no_file():
    body = part(disposition('name="f"; filename=""'), b"") + b"--line--"

    assert read_multipart(body, CONTENT_TYPE) == ({}, [])


@pytest.mark.parametrize("body", [b"", b"--line--", b"--line--\r\n"])
def test_a_form_may_have_no_fields(body):
    assert read_multipart(body, CONTENT_TYPE) == ({}, [])


def test_text_around_parts_is_ignored_and_the_last_value_counts():
    parts = part(disposition('name="a"'), b"1") + part(disposition('name="a"'), b"2 --line")
    body = b"Hello\r\n" + parts + b"--line--\r\nGoodbye"

    assert read_multipart(body, CONTENT_TYPE) == ({"a": "2 --line"}, [])


GOOD = part(disposition('name="a"'))


@pytest.mark.parametrize(
    "body, content_type, reason",
    [
        (GOOD + b"--line--", "multipart/form-data", "no boundary is given"),
        (GOOD + b"--line--", f"multipart/form-data; boundary={'x' * 201}", "no boundary is given"),
        (GOOD, CONTENT_TYPE, "it ends too early"),
        (b"--line\r\n" + GOOD, CONTENT_TYPE, "a part has no proper head"),
        (b"--lines" + GOOD + b"--line--", CONTENT_TYPE, "a part has no proper head"),
        (part("X: " + "y" * 9000) + b"--line--", CONTENT_TYPE, "a part has no proper head"),
        (part("Content-Type: text/plain") + b"--line--", CONTENT_TYPE, "a part is not form data"),
        (
            part("Content-Disposition: inline") + b"--line--",
            CONTENT_TYPE,
            "a part is not form data",
        ),
        (part(disposition("x=y")) + b"--line--", CONTENT_TYPE, "a part has no name"),
        (part(disposition(f"name={'n' * 201}")), CONTENT_TYPE, "a parameter name is too long"),
    ],
)
def test_invalid_multipart_forms_are_refused(body, content_type, reason):
    with pytest.raises(ClientError) as caught:
        read_multipart(body, content_type)

    assert caught.value.msg == f"The form data cannot be read: {reason}"


@pytest.mark.parametrize(
    "body, words",
    [
        (part(disposition('name="a"'), b"\xff"), "The request is not valid UTF-8"),
        (GOOD * (MAX_FIELDS + 1), "Too many parameters (limit: 1000)"),
    ],
)
def test_the_size_and_number_of_multipart_fields_are_limited(body, words):
    with pytest.raises(ClientError) as caught:
        read_multipart(body + b"--line--", CONTENT_TYPE)

    assert caught.value.msg == words


@given(st.dictionaries(st.text(min_size=1, max_size=30), st.text(), max_size=8))
def test_urlencoded_fields_survive_a_round_trip(fields):
    encoded = httpx.Request("POST", "http://x", data=fields).read()

    assert read_urlencoded(encoded) == fields


@given(st.dictionaries(st.sampled_from("abc"), st.text(), min_size=1), st.binary())
def test_multipart_fields_survive_a_round_trip(fields, content):
    file = {"upload": ("a.bin", content)}
    request = httpx.Request("POST", "http://x", data=fields, files=file)

    found, files = read_multipart(request.read(), request.headers["content-type"])

    assert found == fields
    assert [(each.filename, each.data) for each in files] == [("a.bin", content)]


@given(st.binary())
def test_any_bytes_are_decoded_or_refused(body):
    for content in (body, GOOD + body, part(disposition('name="a"'), body) + b"--line--"):
        with suppress(ClientError):
            read_urlencoded(content)
        with suppress(ClientError):
            read_multipart(content, CONTENT_TYPE)
