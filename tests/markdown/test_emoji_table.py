"""The table of emoji, which other parts of the server use too."""

import re

from tertulia.markdown import emoji


def test_a_name_has_a_code_and_a_code_has_names() -> None:
    assert emoji.code_for("tada") == "1f389"
    assert emoji.code_for("+1") == emoji.code_for("thumbs_up") == "1f44d"
    assert emoji.names_for("1f44d")[0] == "+1"


def test_what_is_no_emoji_has_neither() -> None:
    assert emoji.code_for("no_such_emoji") is None
    assert emoji.names_for("41") == ()


def test_every_name_leads_back_to_its_code() -> None:
    for code, names in emoji.all_emoji():
        assert re.fullmatch(r"[0-9a-f]{4,5}(?:-[0-9a-f]{4,5})*", code)
        assert names
        for name in names:
            assert emoji.code_for(name) == code


def test_newer_emoji_are_known_too() -> None:
    assert emoji.code_for("phoenix") == "1f426-200d-1f525"
    assert emoji.names_for("1fae9")[0] == "face_with_bags_under_eyes"


def test_a_word_that_only_one_newer_emoji_has_names_it() -> None:
    assert emoji.code_for("tuk") == emoji.code_for("tuk_tuk")
    assert emoji.code_for("jolly") == emoji.code_for("roger") == emoji.code_for("pirate_flag")
    assert emoji.code_for("facing") is None
    assert emoji.names_for("1f389")[0] == "tada"
