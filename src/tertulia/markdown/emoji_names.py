"""Emoji names of our own: those that the package does not know yet, or calls otherwise.

The names are Unicode's own (CLDR, English), for the emoji of versions 15.1 and 16.
"""

NEWER = {
    "1f344-200d-1f7eb": "brown_mushroom",
    "1f34b-200d-1f7e9": "lime",
    "1f3c3-200d-2640-200d-27a1": "woman_running_facing_right",
    "1f3c3-200d-2642-200d-27a1": "man_running_facing_right",
    "1f3c3-200d-27a1": "person_running_facing_right",
    "1f426-200d-1f525": "phoenix",
    "1f468-200d-1f9af-200d-27a1": "man_with_white_cane_facing_right",
    "1f468-200d-1f9bc-200d-27a1": "man_in_motorized_wheelchair_facing_right",
    "1f468-200d-1f9bd-200d-27a1": "man_in_manual_wheelchair_facing_right",
    "1f469-200d-1f9af-200d-27a1": "woman_with_white_cane_facing_right",
    "1f469-200d-1f9bc-200d-27a1": "woman_in_motorized_wheelchair_facing_right",
    "1f469-200d-1f9bd-200d-27a1": "woman_in_manual_wheelchair_facing_right",
    "1f642-200d-2194": "head_shaking_horizontally",
    "1f642-200d-2195": "head_shaking_vertically",
    "1f6b6-200d-2640-200d-27a1": "woman_walking_facing_right",
    "1f6b6-200d-2642-200d-27a1": "man_walking_facing_right",
    "1f6b6-200d-27a1": "person_walking_facing_right",
    "1f9ce-200d-2640-200d-27a1": "woman_kneeling_facing_right",
    "1f9ce-200d-2642-200d-27a1": "man_kneeling_facing_right",
    "1f9ce-200d-27a1": "person_kneeling_facing_right",
    "1f9d1-200d-1f9af-200d-27a1": "person_with_white_cane_facing_right",
    "1f9d1-200d-1f9bc-200d-27a1": "person_in_motorized_wheelchair_facing_right",
    "1f9d1-200d-1f9bd-200d-27a1": "person_in_manual_wheelchair_facing_right",
    "1f9d1-200d-1f9d1-200d-1f9d2": "family_adult_adult_child",
    "1f9d1-200d-1f9d1-200d-1f9d2-200d-1f9d2": "family_adult_adult_child_child",
    "1f9d1-200d-1f9d2": "family_adult_child",
    "1f9d1-200d-1f9d2-200d-1f9d2": "family_adult_child_child",
    "26d3-200d-1f4a5": "broken_chain",
    "1f1e8-1f1f6": "flag_sark",
    "1fa89": "harp",
    "1fa8f": "shovel",
    "1fabe": "leafless_tree",
    "1fac6": "fingerprint",
    "1fadc": "root_vegetable",
    "1fadf": "splatter",
    "1fae9": "face_with_bags_under_eyes",
}

# The name that a typed emoji is given, where it is another than the package's.
CANONICAL = {"1f604": "smile", "1f642": "slight_smile", "1f64f": "folded_hands"}
