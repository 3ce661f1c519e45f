"""Page frames: a template rendered once and filled for each page."""

from tertulia.documents import page_frame
from tertulia.documents.page_frame import PageFrame


def test_values_take_the_place_of_their_marks_in_any_order_and_number():
    marks = page_frame.marks(["name", "title"])
    frame = PageFrame("<h1>{title}</h1><a title={title}>{name}</a>".format(**marks))

    values = page_frame.escaped({"name": "ana", "title": "soup"})

    assert frame.fill(values) == b"<h1>soup</h1><a title=soup>ana</a>"
    assert frame.fill(values | {"name": b"<b>ben</b>"}).endswith(b"><b>ben</b></a>")


def test_values_are_escaped_and_a_mark_in_a_value_stays_as_it_is():
    frame = PageFrame("<p>{text}</p>".format(**page_frame.marks(["text"])))

    filled = frame.fill(page_frame.escaped({"text": '<i>"é" & \0text\0'}))

    assert filled.decode() == "<p>&lt;i&gt;&quot;é&quot; &amp; \0text\0</p>"


def test_a_template_without_marks_is_a_frame():
    assert PageFrame("<p></p>").fill({}) == b"<p></p>"
