"""Diffs: what changed is marked within the newer rendering, which stays as it is otherwise."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.complexity import grows_linearly

from tertulia import domain

MARKS = re.compile(r'<span class="highlight_text_(inserted|deleted)">([^<]*)</span> ?')


@pytest.mark.parametrize(
    "old, new, expected",
    [
        ("<p>a</p>", "<p>a</p>", "<div><p>a</p></div>"),
        (
            "<p>a b</p>",
            "<p>a c</p>",
            '<div><p>a <span class="highlight_text_deleted">b</span> '
            '<span class="highlight_text_inserted">c</span></p></div>',
        ),
        (
            "<p>a</p>",
            "<p>a <em>b</em></p>",
            '<div><p>a <em><span class="highlight_text_inserted">b</span></em></p></div>',
        ),
        (
            "<p><em>a</em> b</p>",
            "<p>b</p>",
            '<div><p><span class="highlight_text_deleted">a</span> b</p></div>',
        ),
    ],
)
def test_changes_are_marked(old, new, expected):
    assert domain.messages.diffs.html_diff(old, new) == expected


words = st.lists(st.sampled_from(["a", "b", "<em>", "</em>", " ", "<br>"])).map("".join)


@given(words, words)
def test_the_diff_without_marks_is_the_newer_version(old, new):
    def kept(mark):
        return mark[2] if mark[1] == "inserted" else ""

    inner = domain.messages.diffs.html_diff(old, new).removeprefix("<div>").removesuffix("</div>")
    plain = MARKS.sub(kept, inner.replace("</span> ", "</span>\0"))
    assert plain.replace("\0", " ").replace(" ", "") == new.replace(" ", "")


@pytest.mark.parametrize("words", [lambda n: "a " * n, lambda n: "<b>" * n, lambda n: f"{n} " * n])
def test_comparing_takes_linear_time(words):
    def compare(length: int) -> None:
        text = words(length)
        domain.messages.diffs.html_diff(
            text, text[: len(text) // 2] + " x " + text[len(text) // 3 :]
        )

    assert grows_linearly(compare, 2_000)
