"""Emoji of other servers are found by their code points."""

import pytest

from tertulia.markdown import emoji_names
from tertulia.transfer.importing.emoji import (
    ROCKETCHAT_NAMES,
    SLACK_NAMES,
    EmojiNames,
    imported_names,
)

# Names that people in Slack and Mattermost use, with what they show there.
SLACK = """
+1=👍 -1=👎 thumbsup=👍 thumbsdown=👎 ok_hand=👌 pray=🙏 clap=👏 raised_hands=🙌 wave=👋 muscle=💪
eyes=👀 tada=🎉 fire=🔥 rocket=🚀 100=💯 white_check_mark=✅ heavy_check_mark=✔ x=❌
heavy_plus_sign=➕ warning=⚠ heart=❤ broken_heart=💔 joy=😂 sob=😭 smile=😄 smiley=😃 laughing=😆
satisfied=😆 slightly_smiling_face=🙂 upside_down_face=🙃 hugging_face=🤗 thinking_face=🤔
face_with_rolling_eyes=🙄 exploding_head=🤯 rolling_on_the_floor_laughing=🤣
face_with_cowboy_hat=🤠 smiling_face_with_3_hearts=🥰 star-struck=🤩 partying_face=🥳
shushing_face=🤫 nerd_face=🤓 money_mouth_face=🤑 robot_face=🤖 hankey=💩 cat=🐱 dog=🐶 cow=🐮
turkey=🦃 unicorn_face=🦄 the_horns=🤘 spock-hand=🖖 crossed_fingers=🤞 man-shrugging=🤷‍♂
woman-facepalming=🤦‍♀ female-technologist=👩‍💻 male-doctor=👨‍⚕ flag-de=🇩🇪 us=🇺🇸 de=🇩🇪
flag-england=🏴󠁧󠁢󠁥󠁮󠁧󠁿 rainbow-flag=🏳‍🌈 man-woman-boy=👨‍👩‍👦 woman-heart-man=👩‍❤‍👨
knife_fork_plate=🍽 email=✉ e-mail=📧 snowman=☃ umbrella=☂ satellite=🛰 mostly_sunny=🌤
lightning_cloud=🌩 pencil=📝 point_up=☝ hammer_and_wrench=🛠 simple_smile=🙂 bow=🙇 mega=📣
loud_sound=🔊 calendar=📆 date=📅 keycap_star=*⃣ o=⭕ ok=🆗 wave::skin-tone-3=👋🏼
wave_medium_dark_skin_tone=👋🏾 man-shrugging::skin-tone-6=🤷🏿‍♂
"""
ROCKETCHAT = """
thumbsup=👍 thumbup=👍 slight_smile=🙂 upside_down=🙃 hugging=🤗 thinking=🤔 rolling_eyes=🙄
rofl=🤣 cowboy=🤠 nerd=🤓 vulcan=🖖 metal=🤘 fingers_crossed=🤞 call_me=🤙 flag_de=🇩🇪
man_shrugging=🤷‍♂ first_place=🥇 fork_knife_plate=🍽 champagne_glass=🥂 tools=🛠 speech_left=🗨
race_car=🏎 cloud_rain=🌧 email=📧 snowman=⛄ umbrella=☔ satellite=📡 satellite_orbital=🛰
poop=💩 thumbsup_tone3=👍🏽 tada=🎉
"""


def cases(text: str) -> list[tuple[str, str]]:
    return [(name, shown) for name, _, shown in (each.partition("=") for each in text.split())]


@pytest.mark.parametrize("name, shown", cases(SLACK))
def test_a_name_of_slack_is_known_by_its_code_points(name, shown):
    assert str(EmojiNames(SLACK_NAMES).find(name)).replace("\ufe0f", "") == shown


@pytest.mark.parametrize("name, shown", cases(ROCKETCHAT))
def test_a_name_of_rocket_chat_is_known_by_its_code_points(name, shown):
    assert str(EmojiNames(ROCKETCHAT_NAMES).find(name)).replace("\ufe0f", "") == shown


def test_names_in_a_text_become_characters_except_in_code_and_addresses():
    names = EmojiNames(SLACK_NAMES, {"soup"})

    text, unknown = names.replace(
        "at 12:30:15 :tada: `:tada:` :wave::skin-tone-4: :soup: https://x.org/:b:/ :heart: :nosuch:"
    )

    assert text == ("at 12:30:15 🎉 `:tada:` 👋🏽 :soup: https://x.org/:b:/ ❤\ufe0f :nosuch:")
    assert unknown == 1


def test_every_emoji_of_the_table_has_code_points_in_the_form_of_ours():
    for name, code in imported_names().items():
        characters = "".join(chr(int(each, 16)) for each in code.split("-"))
        assert emoji_names.code_of(characters) == code, name
