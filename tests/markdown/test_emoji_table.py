"""The table of emoji, which other parts of the server use too."""

import re

import pytest

from tertulia import markdown


def test_a_name_has_a_code_and_a_code_has_names() -> None:
    assert markdown.emoji_names.code_for("tada") == "1f389"
    assert (
        markdown.emoji_names.code_for("+1") == markdown.emoji_names.code_for("thumbs_up") == "1f44d"
    )
    assert markdown.emoji_names.names_for("1f44d")[0] == "+1"


def test_other_characters_have_no_name_and_no_code() -> None:
    assert markdown.emoji_names.code_for("no_such_emoji") is None
    assert markdown.emoji_names.names_for("41") == ()
    assert (
        markdown.emoji_names.code_for("medium_skin_tone")
        is markdown.emoji_names.code_for("red_hair")
        is None
    )


def test_symbols_older_than_emoji_are_signs() -> None:
    assert markdown.emoji_names.is_sign("2764")
    assert markdown.emoji_names.is_sign("1f3f3")
    assert not markdown.emoji_names.is_sign("231a")
    assert not markdown.emoji_names.is_sign("1f389")
    assert not markdown.emoji_names.is_sign("0023-20e3")


def test_every_name_leads_back_to_its_code() -> None:
    for code, names in markdown.emoji_names.all_emoji():
        assert re.fullmatch(r"[0-9a-f]{4,5}(?:-[0-9a-f]{4,5})*", code)
        assert names
        for name in names:
            assert re.fullmatch(r"[\w+-]+", name)
            assert markdown.emoji_names.code_for(name) == code


def test_newer_emoji_have_the_names_that_unicode_gave_them() -> None:
    assert markdown.emoji_names.names_for("1f426-200d-1f525")[0] == "phoenix"
    assert markdown.emoji_names.names_for("1fae9")[0] == "face_with_bags_under_eyes"
    assert markdown.emoji_names.names_for("1f9d1-200d-1f9d2")[0] == "family_adult_child"
    assert markdown.emoji_names.names_for("1f1e8-1f1f6")[0] == "flag_sark"


def test_a_keyword_that_only_one_newer_emoji_has_names_it() -> None:
    assert markdown.emoji_names.code_for("portobello") == markdown.emoji_names.code_for(
        "brown_mushroom"
    )
    assert markdown.emoji_names.code_for("tuk") == markdown.emoji_names.code_for("auto_rickshaw")
    assert (
        markdown.emoji_names.code_for("jolly")
        == markdown.emoji_names.code_for("roger")
        == markdown.emoji_names.code_for("pirate_flag")
    )
    assert markdown.emoji_names.code_for("facing") is None  # to the right, as many do


def test_a_keyword_of_a_newer_emoji_replaces_no_name() -> None:
    """Limes are citrus fruits, too, and a lemon was there before them."""
    assert markdown.emoji_names.names_for("1f389")[0] == "tada"
    assert markdown.emoji_names.code_for("lemon") == "1f34b"
    assert markdown.emoji_names.code_for("citrus") == markdown.emoji_names.code_for("lime")


def test_names_have_no_punctuation_and_match_without_accents() -> None:
    assert markdown.emoji_names.code_for("family_adult_child") == "1f9d1-200d-1f9d2"
    assert markdown.emoji_names.code_for("mx_claus") == "1f9d1-200d-1f384"
    assert (
        markdown.emoji_names.code_for("piñata")
        == markdown.emoji_names.code_for("pinata")
        == "1fa85"
    )


@pytest.mark.parametrize(
    "emoji, keywords",
    [
        ("japanese_service_charge_button", ["charge"]),
        ("first_quarter_moon", ["first"]),
        ("person_blond_hair", ["human"]),
        ("magnifying_glass_tilted_right", ["contact", "right_pointing", "tilted"]),
        ("dotted_six_pointed_star", ["six_pointed"]),
        ("kissing_face", ["smooch", "smooches"]),
        ("yellow_circle", ["yellow"]),
        ("red_square", ["penalty"]),
        ("smiling_face_with_hearts", ["3"]),
        ("star_of_david", ["jewish"]),
    ],
)
def test_a_shared_keyword_means_what_clients_use_it_for(emoji, keywords):
    assert {markdown.emoji_names.code_for(keyword) for keyword in keywords} == {
        markdown.emoji_names.code_for(emoji)
    }
