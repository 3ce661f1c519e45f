"""The page as it comes: its shell first, then where things stand, as far as it reads that."""

import gzip
import json
import re

from msgspec.structs import replace
from starlette.requests import Request
from tests.support.browser import Browser

from tertulia.web.assets import Asset

STATE = re.compile(r'<script type="application/json" id="state">(.*?)</script>', re.DOTALL)


def state_in(page):
    (found,) = STATE.findall(page.body.decode())
    return json.loads(found)


def test_default_values_of_people_are_left_out_of_the_page(chat):
    ana, ben = chat.person("ana"), chat.person("ben")
    gus = chat.person("gus", role="guest")
    bot = chat.person("helper", bot="generic", owner=ana)

    found = state_in(Browser.of(ana).opens("/"))

    people = {person["user_id"]: person for person in found["realm_users"]}
    assert people[ben.id]["full_name"] == ben.name
    assert not people[ben.id].keys() & {"is_bot", "is_admin", "role", "avatar_url", "email"}
    assert (people[gus.id]["is_guest"], people[gus.id]["role"]) == (True, 600)
    assert people[bot.id]["is_bot"]
    assert not found.keys() & {"streams", "stop_words"}
    assert "@" in found["email"]  # one's own, for zuliprc files


def test_the_compressed_page_equals_the_plain_one(chat):
    browser = Browser.of(chat.person("ana"))

    plain = browser.opens("/")
    small = browser.opens("/", **{"Accept-Encoding": "gzip"})

    assert small.headers["Content-Encoding"] == "gzip"
    assert STATE.sub("", gzip.decompress(small.body).decode()) == STATE.sub("", plain.body.decode())
    assert len(small.body) < len(plain.body) / 3


def test_a_browser_gets_the_smallest_form_of_a_file_that_it_accepts():
    asset = Asset("x.js", "text/javascript", gzip.compress(b"text"), b"with brotli")

    def served(asset, accepted):
        headers = [(b"accept-encoding", accepted)]
        reply = asset.reply(Request({"type": "http", "headers": headers}), "no-cache")
        return reply.headers.get("content-encoding"), reply.body

    assert served(asset, b"gzip, deflate, br") == ("br", b"with brotli")
    assert served(asset, b"gzip, deflate") == ("gzip", asset.compressed)
    assert served(asset, b"identity") == (None, b"text")
    assert served(replace(asset, brotli=None), b"gzip, br") == ("gzip", asset.compressed)
