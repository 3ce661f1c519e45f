"""Multipart forms that are read while they arrive."""

from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.errors import ClientError
from tertulia.http.forms import FileHead
from tertulia.http.multipart import MAX_FIELD_BYTES, Multipart, read_multipart

KIND = "multipart/form-data; boundary=--x"
FORM = (
    b"preamble\r\n----x\r\n"
    b'Content-Disposition: form-data; name="a"\r\n\r\nfield\r\n----x\r\n'
    b'Content-Disposition: form-data; name="f"; filename="one.txt"\r\n'
    b"Content-Type: text/plain\r\n\r\nlow\r\n--tide\r\n----\r\n----x\r\n"
    b'Content-Disposition: form-data; name="left empty"; filename=""\r\n\r\n\r\n----x\r\n'
    b'Content-Disposition: form-data; name="g"; filename="none.txt"\r\n\r\n\r\n----x\r\n'
    b'Content-Disposition: form-data; name="h"; filename=""\r\n\r\nnameless\r\n----x--\r\nend'
)


def read(chunks):
    """The fields and files of a form that comes in chunks."""
    form = Multipart(KIND)
    files = []
    for chunk in chunks:
        for item in form.feed(chunk):
            if isinstance(item, FileHead):
                files.append((*item, b""))
            else:
                files[-1] = (*files[-1][:3], files[-1][3] + item)
    form.check_end()
    return form.fields, files


def read_at_once(body):
    fields, files = read_multipart(body, KIND)
    return fields, [(each.name, each.filename, each.content_type, each.data) for each in files]


@given(st.lists(st.integers(0, len(FORM))))
def test_a_form_may_arrive_in_any_chunks(cuts):
    ends = [0, *sorted(cuts), len(FORM)]

    found = read(FORM[start:end] for start, end in pairwise(ends))

    assert found == read_at_once(FORM)
    assert found == (
        {"a": "field"},
        [
            ("f", "one.txt", "text/plain", b"low\r\n--tide\r\n----"),
            ("g", "none.txt", "application/octet-stream", b""),
            ("h", "", "application/octet-stream", b"nameless"),
        ],
    )


def test_a_file_is_streamed_while_it_arrives():
    form = Multipart(KIND)
    head = FORM[: FORM.index(b"low")]
    list(form.feed(head))

    passed = sum(len(item) for _ in range(100) for item in form.feed(b"x" * 1000))

    assert passed > 99_900


@given(
    st.integers(0, len(FORM)),
    st.lists(st.tuples(st.integers(0, len(FORM) - 1), st.integers(0, 255)), max_size=4),
    st.integers(1, len(FORM)),
)
def test_a_damaged_or_truncated_form_is_read_or_refused(end, damages, step):
    body = bytearray(FORM)
    for location, byte in damages:
        body[location] = byte

    with suppress(ClientError):
        read(bytes(body[at : min(at + step, end)]) for at in range(0, end, step))


@pytest.mark.parametrize(
    "options, filename",
    [
        (b"; filename=\"a; filename*=UTF-8''b.txt\"", "a; filename*=UTF-8''b.txt"),
        (b"; filename*=UTF-8''b%3B.txt", "b;.txt"),
        (b"; filename*=UTF-8''b.txt; filename=a.txt", "b.txt"),
    ],
)
def test_the_name_of_a_file_may_be_encoded(options, filename):
    _, files = read([PART + options + b"\r\n\r\nx\r\n----x--"])

    assert files == [("a", filename, "application/octet-stream", b"x")]


def test_an_unquoted_boundary_is_accepted():
    body = FORM.replace(b"----x", b"--==1=:/?")

    found, _ = read_multipart(body, "multipart/form-data; charset=UTF-8; boundary===1=:/?")

    assert found == {"a": "field"}


PART = b'----x\r\nContent-Disposition: form-data; name="a"'


@pytest.mark.parametrize(
    "body, problem",
    [
        (b"", "it ends too early"),
        (FORM[:-10], "it ends too early"),
        (PART + b"\r\n\r\nx", "it ends too early"),
        (b"----x\r\n\r\nx\r\n----x--", "a part is not form data"),
        (b"----x\r\nContent-Disposition: form-data\r\n\r\nx\r\n----x--", "a part has no name"),
        (b"----x\r\n" + b"x" * 10_000, "a part has no proper head"),
        (PART + b"\r\n" + b"A: b\r\n" * 20, "a part has no proper head"),
        (PART + b"\r\n\r\n" + b"x" * (MAX_FIELD_BYTES + 99), "a field is too long"),
    ],
)
def test_an_invalid_form_is_refused(body, problem):
    with pytest.raises(ClientError) as refused:
        read(body[at : at + 999] for at in range(0, len(body), 999))

    assert refused.value.msg == f"The form data cannot be read: {problem}"


def test_part_headers_that_are_not_text_are_refused():
    with pytest.raises(ClientError, match="The request is not valid UTF-8"):
        read([PART.replace(b'"a"', b'"\xff"') + b"\r\n\r\nx\r\n----x--"])


def test_too_many_parts_are_refused():
    with pytest.raises(ClientError, match="Too many parameters"):
        read([(PART + b"\r\n\r\n1\r\n") * 1001])
