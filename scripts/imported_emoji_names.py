"""Generates the table of emoji names of other chat servers, for imports.

`python -m scripts.imported_emoji_names > src/tertulia/transfer/importing/imported_emoji_names.txt`:
by hand, when there are new emoji. It has pip fetch one package from PyPI, `emoji`, which is not
installed. It has the short names that Slack, GitHub and many others share, and the names of CLDR.
Newer emoji have Unicode's character names in lower case in Slack and Mattermost. Exceptions are
listed below.

The table leaves out names that mean the same emoji here, and names that
`tertulia.transfer.importing.emoji` derives: flags, skin tones, professions, families.
"""

import re
import unicodedata
from collections.abc import Iterator

import msgspec
from scripts.emoji_names import fetch

from tertulia.markdown import emoji_names
from tertulia.transfer.importing import emoji

SHORT_NAMES = "emoji==2.16.0"

# Names by hand: of Slack and Mattermost first, then of Rocket.Chat.
NAMES = """
0023-20e3 hash
002a-20e3 keycap_star asterisk keycap_asterisk
203c bangbang
2049 interrobang
231b hourglass
23ed black_right_pointing_double_triangle_with_vertical_bar track_next next_track
23ee black_left_pointing_double_triangle_with_vertical_bar track_previous previous_track
23ef black_right_pointing_triangle_with_double_vertical_bar play_pause
23f2 timer_clock timer
23f8 double_vertical_bar pause_button
23f9 black_square_for_stop stop_button
23fa black_circle_for_record record_button
24c2 m
2602 umbrella2
2603 snowman2
260e phone telephone
2622 radioactive_sign radioactive
2623 biohazard_sign biohazard
262e peace_symbol peace
2639 white_frowning_face frowning2
265f chess_pawn
2692 hammer_and_pick hammer_pick
2694 crossed_swords
2696 scales
269b atom_symbol atom
26c8 thunder_cloud_and_rain thunder_cloud_rain
26d1 helmet_with_white_cross helmet_with_cross
26d3 chains
26f4 ferry
26f9 person_with_ball basketball_player
2763 heavy_heart_exclamation_mark_ornament heart_exclamation
2b55 o
1f18e ab
1f1fa-1f1f8 us
1f31a new_moon_with_face
1f321 thermometer
1f324 mostly_sunny sun_small_cloud white_sun_small_cloud
1f325 barely_sunny sun_behind_cloud white_sun_cloud
1f326 partly_sunny_rain sun_behind_rain_cloud white_sun_rain_cloud
1f327 rain_cloud cloud_rain
1f328 snow_cloud cloud_snow
1f329 lightning lightning_cloud cloud_lightning
1f32a tornado tornado_cloud cloud_tornado
1f32b fog
1f336 hot_pepper
1f373 cooking fried_egg
1f374 fork_and_knife
1f37d knife_fork_plate fork_knife_plate
1f37e champagne champagne_bottle
1f396 medal military_medal
1f397 reminder_ribbon
1f399 studio_microphone microphone2
1f39a level_slider
1f39f admission_tickets tickets
1f3c5 sports_medal
1f3cb weight_lifter lifter
1f3cc golfer
1f3cd racing_motorcycle
1f3ce racing_car race_car
1f3cf cricket_bat_and_ball cricket cricket_game
1f3d1 field_hockey_stick_and_ball field_hockey
1f3d2 ice_hockey_stick_and_puck hockey
1f3d3 table_tennis_paddle_and_ball ping_pong
1f3d4 snow_capped_mountain mountain_snow
1f3d6 beach_with_umbrella beach
1f3d7 building_construction construction_site
1f3d8 house_buildings homes houses
1f3da derelict_house_building house_abandoned
1f3dd desert_island island
1f3de national_park park
1f3f3 waving_white_flag flag_white
1f3f3-200d-1f308 rainbow-flag rainbow_flag gay_pride_flag
1f3f3-200d-26a7 transgender_flag
1f3f4 waving_black_flag flag_black
1f3f4-200d-2620 pirate_flag
1f3f4-e0067-e0062-e0065-e006e-e0067-e007f flag-england
1f3f4-e0067-e0062-e0073-e0063-e0074-e007f flag-scotland
1f3f4-e0067-e0062-e0077-e006c-e0073-e007f flag-wales
1f3f8 badminton_racquet_and_shuttlecock badminton
1f41e ladybug lady_beetle
1f43f chipmunk
1f441-200d-1f5e8 eye-in-speech-bubble eye_in_speech_bubble
1f44a facepunch punch
1f44d thumbup
1f44e thumbdown
1f468-200d-1f9af man_with_probing_cane
1f469-200d-1f9af woman_with_probing_cane
1f46b couple man_and_woman_holding_hands woman_and_man_holding_hands
1f46c two_men_holding_hands men_holding_hands
1f46d two_women_holding_hands women_holding_hands
1f46e cop
1f46f-200d-2640 woman-with-bunny-ears-partying
1f46f-200d-2642 man-with-bunny-ears-partying
1f470 bride_with_veil
1f471-200d-2640 blond-haired-woman
1f471-200d-2642 blond-haired-man
1f472 man_with_gua_pi_mao
1f473 man_with_turban
1f482 guardsman guard
1f4a9 hankey poop shit poo
1f4fd film_projector projector
1f54a dove_of_peace dove
1f56f candle
1f570 mantelpiece_clock clock
1f573 hole
1f574 man_in_business_suit_levitating levitate
1f575 sleuth_or_spy spy
1f587 linked_paperclips paperclips
1f58a lower_left_ballpoint_pen pen_ballpoint
1f58b lower_left_fountain_pen pen_fountain
1f58c lower_left_paintbrush paintbrush
1f58d lower_left_crayon crayon
1f590 raised_hand_with_fingers_splayed hand_splayed
1f595 reversed_hand_with_middle_finger_extended middle_finger
1f596 spock-hand vulcan
1f5a5 desktop_computer desktop
1f5b1 three_button_mouse mouse_three_button
1f5bc frame_with_picture frame_photo
1f5c2 card_index_dividers dividers
1f5c3 card_file_box card_box
1f5d1 wastebasket
1f5d2 spiral_note_pad notepad_spiral
1f5d3 spiral_calendar_pad calendar_spiral
1f5dc compression clamp
1f5dd old_key key2
1f5de rolled_up_newspaper newspaper2
1f5e1 dagger_knife dagger
1f5e8 left_speech_bubble speech_left
1f5ef right_anger_bubble anger_right
1f5f3 ballot_box_with_ballot ballot_box
1f5fa world_map map
1f610 neutral_face
1f606 satisfied laughing
1f635-200d-1f4ab face_with_spiral_eyes
1f636-200d-1f32b face_in_clouds
1f62e-200d-1f4a8 face_exhaling
1f641 slightly_frowning_face slight_frown
1f642 slightly_smiling_face simple_smile slight_smile
1f643 upside_down_face upside_down
1f644 face_with_rolling_eyes rolling_eyes
1f6cb couch_and_lamp couch
1f6cc sleeping_accommodation
1f6ce bellhop_bell bellhop
1f6cf bed
1f6d2 shopping_trolley shopping_cart
1f6e0 hammer_and_wrench tools
1f6e2 oil_drum oil
1f6e5 motor_boat motorboat
1f6e9 small_airplane airplane_small
1f6f0 satellite_orbital
1f6f3 passenger_ship cruise_ship
1f910 zipper_mouth_face zipper_mouth
1f911 money_mouth_face money_mouth
1f912 face_with_thermometer thermometer_face
1f913 nerd_face nerd
1f914 thinking_face thinking
1f915 face_with_head_bandage head_bandage
1f916 robot_face robot
1f917 hugging_face hugging hugs
1f918 the_horns sign_of_the_horns metal
1f919 call_me_hand call_me
1f91a raised_back_of_hand back_of_hand
1f91b left-facing_fist left_facing_fist
1f91c right-facing_fist right_facing_fist
1f91d handshake shaking_hands
1f91e crossed_fingers hand_with_index_and_middle_fingers_crossed fingers_crossed
1f91f i_love_you_hand_sign love_you_gesture
1f920 face_with_cowboy_hat cowboy
1f921 clown_face clown
1f922 nauseated_face sick
1f923 rolling_on_the_floor_laughing rofl
1f924 drooling_face drool
1f925 lying_face liar
1f926 face_palm facepalm
1f927 sneezing_face sneeze
1f928 face_with_raised_eyebrow face_with_one_eyebrow_raised
1f929 star-struck grinning_face_with_star_eyes star_struck
1f92a zany_face grinning_face_with_one_large_and_one_small_eye
1f92b shushing_face face_with_finger_covering_closed_lips
1f92c face_with_symbols_on_mouth serious_face_with_symbols_covering_mouth
1f92d face_with_hand_over_mouth smiling_face_with_smiling_eyes_and_hand_covering_mouth
1f92e face_vomiting face_with_open_mouth_vomiting
1f92f exploding_head shocked_face_with_exploding_head
1f93c-200d-2640 woman-wrestling
1f93c-200d-2642 man-wrestling
1f942 clinking_glasses champagne_glass
1f943 tumbler_glass whisky
1f945 goal_net goal
1f947 first_place_medal first_place
1f948 second_place_medal second_place
1f949 third_place_medal third_place
1f957 green_salad salad
1f95a egg
1f959 stuffed_flatbread stuffed_pita
1f958 shallow_pan_of_food paella
1f970 smiling_face_with_3_hearts smiling_face_with_three_hearts
1f981 lion_face lion
1f984 unicorn_face unicorn
1f98a fox_face fox
1f9d1-200d-1f9b2 bald_person
1fab2 beetle
"""

_TONED = re.compile("-1f3f[b-f]")
_PLAIN = re.compile(r"[a-z0-9_+'-]+")


def table() -> dict[str, str]:
    """The code of every name; names by hand come first."""
    found: dict[str, str] = {}
    for name, code in [*by_hand(), *by_short_name(), *by_unicode()]:
        if _PLAIN.fullmatch(name) and not _TONED.search(code):
            found.setdefault(name, code)
    return found


def by_hand() -> Iterator[tuple[str, str]]:
    for line in NAMES.split("\n"):
        code, *names = line.split() or [""]
        for name in names:
            yield name, code


def by_short_name() -> Iterator[tuple[str, str]]:
    data = fetch(SHORT_NAMES, "emoji/unicode_codes/emoji.json")
    known = msgspec.json.decode(data, type=dict[str, dict[str, object]])
    for key in ("alias", "en"):
        for characters, row in known.items():
            names = row.get(key) or []
            for name in names if isinstance(names, list) else [names]:
                yield str(name).strip(":"), emoji_names.code_of(characters)


def by_unicode() -> Iterator[tuple[str, str]]:
    for code, _ in emoji_names.all_emoji():
        if "-" not in code:
            name = unicodedata.name(chr(int(code, 16)), "")
            yield re.sub("[^a-z0-9]+", "_", name.lower()), code


def by_code(names: dict[str, str]) -> dict[str, list[str]]:
    """What the server would not find without the table."""
    found: dict[str, list[str]] = {}
    for name, code in names.items():
        if emoji_names.code_for(name) != code and emoji.derived_code(name) != code:
            found.setdefault(code, []).append(name)
    return dict(sorted(found.items()))


if __name__ == "__main__":
    for code, names in by_code(table()).items():
        print(code, *names)
