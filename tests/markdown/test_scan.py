"""Which names a text asks for before it is rendered."""

import pytest

from tertulia import markdown
from tertulia.markdown import References


@pytest.mark.parametrize(
    "source, wanted",
    [
        ("nothing", References()),
        ("2 * 3", References()),
        ("@**Ann Lee**", References(user_names=frozenset({"ann lee"}))),
        ("@_**Ann|7**", References(user_names=frozenset({"ann|7"}), user_ids=frozenset({7}))),
        ("(@*cooks*)", References(group_names=frozenset({"cooks"}))),
        ("#**kitchen**", References(channel_names=frozenset({"kitchen"}))),
        (
            "#**kitchen>lunch**",
            References(
                channel_names=frozenset({"kitchen", "kitchen>lunch"}),
                topics=frozenset({("kitchen", "lunch")}),
            ),
        ),
        ("[x](/user_uploads/1/ab/x.png)", References(upload_path_ids=frozenset({"1/ab/x.png"}))),
        ("/user_uploads/1/ab/x.webm#t=5", References(upload_path_ids=frozenset({"1/ab/x.webm"}))),
    ],
)
def test_a_text_is_scanned_for_the_names_in_it(source: str, wanted: References) -> None:
    assert markdown.scan(source) == wanted


def test_a_text_without_names_needs_no_lookup() -> None:
    assert not markdown.scan("*hello* **world**")
    assert markdown.scan("@**Ann**")
