"""Only the new text of a mail is posted."""

import pytest

from tertulia.domain.inbound_mail import read_address, topic_of, with_links
from tertulia.domain.mail_html import text_of
from tertulia.domain.mail_text import unflowed, written

TOKEN = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    "mail",
    [
        "Soup\n\nOn Sun, 15 Nov 2026 at 10:00, Ana <a@b> wrote:\n> hi\n>\n> there",
        "Soup\n\nOn Sun, 15 Nov 2026 at 10:00, Ana (Test)\n<chat+mm12@mail.test> wrote:\n> hi\n",
        "Soup\nEl 15 nov 2026, a las 10:00, Ana escribió:\n\n> hi",
        "Soup\n\nAm 15.11.26 um 10:00 schrieb Ana:\n> hi\n\n-- \nBen\n+1 234",
        "Soup\n-- \nBen\nOn Sunday Ana wrote:\n> hi",
        "Soup\n\n-----Original Message-----\nFrom: Ana\nhi",
        "Soup\n\n________________________________\nFrom: Ana <a@b>\nSent: Sunday\nTo: Ben\n\nhi",
        "Soup\n\nDe: Ana\nEnviado: domingo\nPara: Ben\n\nhola",
        "Soup\n\nSent from my iPhone\n\n> hi",
        "Soup\n\n\n",
    ],
)
def test_quotations_and_signatures_are_left_out(mail):
    assert written(mail) == "Soup"


@pytest.mark.parametrize(
    "mail, text",
    [
        ("> Soup?\nYes.\n> Bread?\nNo.\n\n> more", "> Soup?\nYes.\n> Bread?\nNo."),
        ("My list:\n- one\n\nFrom: here we go", "My list:\n- one\n\nFrom: here we go"),
        ("At 10:\n\n> hi", "At 10:\n\n> hi"),
        ("> only theirs", ""),
    ],
)
def test_the_text_of_the_sender_is_kept(mail, text):
    assert written(mail, quotes=mail.startswith("At")) == text


def test_quotations_and_footers_are_kept_on_request():
    mail = "Soup\n\n> hi\n\n-- \nBen"

    assert written(mail, quotes=True) == "Soup\n\n> hi"
    assert written(mail, footer=True) == "Soup\n--\nBen"


def test_wrapped_lines_are_joined():
    assert unflowed("one \ntwo\n three\n> quoted \nfour\n-- \nBen") == (
        "one two\nthree\n> quoted \nfour\n-- \nBen"
    )


@pytest.mark.parametrize(
    "html, text",
    [
        ("<p>Hi&nbsp;<b>all </b>of you</p><p>bye</p>", "Hi **all** of you\n\nbye"),
        ("one<br>two<div>three</div><div>four</div>", "one\ntwo\nthree\nfour"),
        ('<a href="https://x.test/a">see</a> <a href="https://x.test">x.test</a>',
         "[see](https://x.test/a) https://x.test"),
        ('<a href="javascript:alert(1)">no</a>', "no"),
        ("<ul><li>one</li><li>two <i>three</i></li></ul>", "* one\n* two *three*"),
        ("<style>p {}</style><script>x</script><p>yes<span style='display: none'>no</span></p>",
         "yes"),
        ("<p>new</p><div class='gmail_quote'>On Sunday <blockquote>old</blockquote></div>", "new"),
        ("<p>new</p><blockquote type='cite'>old</blockquote><p>below</p>", "new\n\nbelow"),
        ("<blockquote>said</blockquote><p>yes</p>", "> said\n\nyes"),
        ("<pre>a  b\n c</pre>", "```\na  b\n c\n```"),
        ("<div>" * 5000 + "deep", "deep"),
        ("</p></b><p>odd<b>", "odd"),
    ],
)  # fmt: skip
def test_html_becomes_text(html, text):
    assert text_of(html)[0] == text


def test_only_pictures_of_the_kept_text_are_returned():
    html = '<p><img src="cid:new"></p><blockquote type="cite"><img src="cid:old"></blockquote>'

    assert text_of(html)[1] == {"new"}
    assert text_of(html, quotes=True)[1] == {"new", "old"}


@pytest.mark.parametrize(
    "address, is_reply, options",
    [
        (f"chat+mm{TOKEN}@mail.test", True, set()),
        (f"CHAT+MM{TOKEN.upper()}@MAIL.test", True, set()),
        (f"chat+kitchen.{TOKEN}.show-sender@mail.test", False, {"show-sender"}),
        (f"chat+kitchen+{TOKEN}+prefer-html.x@mail.test", False, {"prefer-html"}),
        (f"chat+{TOKEN}@mail.test", False, set()),
    ],
)
def test_addresses_of_ours_are_parsed(address, is_reply, options):
    found = read_address(address, "chat+%s@mail.test")

    assert found is not None
    assert (found.token, found.is_reply, found.options) == (TOKEN, is_reply, options)


@pytest.mark.parametrize(
    "address", [f"mm{TOKEN}@mail.test", f"chat+mm{TOKEN}@other", "chat+mm12@mail.test", "", "x@"]
)
def test_other_addresses_are_not_parsed(address):
    assert read_address(address, "chat+%s@mail.test") is None


def test_a_subject_becomes_a_topic():
    assert topic_of("Re: AW: Fwd: soup\x00 today", 60) == ("soup today", False)
    assert topic_of(" RE: ", 60) == ("Email with no subject", False)
    assert topic_of("x" * 61, 60) == ("x" * 57 + "...", True)


def test_truncating_keeps_links():
    text = with_links("x" * 200, ["[a](/b)"], 100)

    assert len(text) == 100
    assert text.endswith("[message truncated]\n\n[a](/b)")
