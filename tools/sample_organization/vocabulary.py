"""The vocabulary. Rank decides the frequency: the first word of a list is the most common.

The ordinary nouns are followed by thousands of invented ones, like the names of products, customers
and places in a real team.
"""

import itertools


def _listed(words: str) -> list[str]:
    return words.split()


SYLLABLES = _listed(
    "ka lo ri ven tor mas del pi no san ber qui ta ro mel zu fen dar ga lin os tre va co mun il"
)

NOUNS = _listed(
    "report meeting release customer server budget draft schedule ticket contract invoice"
    " update plan question order delivery document design office network backup license"
    " supplier account training shipment review project deadline warehouse survey printer"
    " calendar password forecast agenda proposal engine database website campaign inventory"
    " keyboard laptop bridge roof kitchen window garden museum harbour station library"
    " orchestra festival recipe battery sensor turbine pump valve cable antenna satellite"
    " telescope microscope laboratory experiment hypothesis regulation permit insurance"
    " warranty refund discount catalogue brochure poster banner stage projector microphone"
    " amplifier violin piano workshop hammer ladder bucket paint plaster timber concrete"
    " gravel tunnel railway ferry airport customs passport visa hostel umbrella lantern"
)

VERBS = _listed(
    "check send move close open fix update review sign print test order cancel postpone"
    " approve translate measure replace repair install remove publish archive copy count clean"
    " paint build carry deliver collect prepare explain simplify rewrite borrow return label"
    " sort weigh"
)

ADJECTIVES = _listed(
    "new old first last small large final late quick quiet missing broken green blue red"
    " empty expensive cheap heavy fragile urgent temporary official northern southern local"
    " foreign annual weekly public internal strange familiar"
)

DAYS = _listed("Monday Tuesday Wednesday Thursday Friday tomorrow today tonight")

# {n} a noun, {v} a verb, {a} an adjective, {d} a day, {k} a number.
SENTENCES = (
    "The {n} is ready.",
    "The {a} {n} is still with the {n}.",
    "Can somebody {v} the {n} before {d}?",
    "I will {v} the {n} and the {n} {d}.",
    "Has anybody seen the {a} {n}?",
    "We need {k} more of the {a} {n}, not of the {n}.",
    "{d} works for me.",
    "Thanks, that helps with the {n}.",
    "Let us {v} the {n} first and the {n} after it.",
    "The {n} says {k}, the {n} says {k}.",
    "I would rather {v} it than {v} it twice.",
    "It is about the {n}, as always.",
    "Who can {v} the {n} while I {v} the {n}?",
    "The {n} costs {k} and arrives {d}.",
    "I moved the {n} next to the {a} {n}.",
    "Nobody told me about the {a} {n}.",
    "Yes.",
    "Agreed.",
    "I do not think that the {n} needs a {n}.",
    "Please {v} the {n}; the {n} can wait.",
    "That was the {n}, and this is the {a} one.",
    "There are {k} reasons to {v} the {n}.",
    "My {n} has no {n}.",
    "If the {n} is {a}, we {v} it.",
    "The **{n}** is what matters.",
    "It is called `{n}_{n}` now.",
    "The *{a}* {n}, I mean.",
    "Done :check:",
    "Well done :tada:",
    "I {v} the {n} every {d} :coffee:",
    "It is ~~{a}~~ {a}.",
    "See https://example.com/{n}/{k} for the {n}.",
    "The numbers are in [the {n}](https://example.org/{n}?id={k}).",
    "The café near the {n} has a {a} {n}.",
)

# Texts in scripts without spaces between words, and in other alphabets.
FOREIGN = (
    "来週の会議で新しい予算について話します。",
    "图书馆明天关门，请提前还书。",
    "내일 회의는 세 시에 시작합니다.",
    "Η βιβλιοθήκη ανοίγει στις εννέα.",
    "Der Schlüssel liegt im Büro.",
)

# Messages with more than a line of text.
BLOCKS = (
    "What is left to do:\n\n* {v} the {n}\n* {v} the {a} {n}\n* ask about the {n}",
    "1. {v} the {n}\n2. {v} the {n}\n3. rest",
    "```python\n{n} = {n}({k})\nprint({n})\n```",
    "> The {n} is {a}.\n\nI do not see it that way.",
    "| {n} | {n} |\n|---|---|\n| {k} | {k} |\n| {k} | {k} |",
    "/me will {v} the {n}",
    "The {n}, as it looks today: https://example.com/pictures/{n}-{k}.png",
    "The {n} is {a}.\n\nThe {n} is not, but it will be {d}.",
    "```quote\nWho took the {n}?\n```\nNot me.",
)

TOPICS = ("{n}", "{a} {n}", "{n} and {n}", "{v} the {n}", "{n} {k}", "{a} {n} for {d}", "{n}?")

FIRST_NAMES = _listed(
    "Ada Aiko Alma Amir Ana Anton Bea Ben Carla Chen Clara Dario Dora Elif Emil Eva Farid"
    " Fatima Finn Greta Hana Hugo Ida Igor Ines Iris Ivan Jana Joao Jonas Julia Kaito Karim"
    " Kofi Lara Leon Lina Luca Maja Marek Mei Mila Nadia Nils Nora Olga Omar Oskar Paula Pedro"
    " Priya Rania Rosa Samir Sara Sofia Tariq Tess Tomas Uma Vera Viktor Wanda Yara Yusuf Zoe"
)

LAST_NAMES = _listed(
    "Abe Adler Aguirre Alonso Bakker Berg Blanco Brandt Castro Chang Costa Dahl Diaz Duarte"
    " Ekholm Ferrari Fischer Fonseca Garcia Gomez Haddad Hansen Hoffmann Ito Ivanova Jansen"
    " Kato Keller Khan Kovacs Kruger Lange Larsen Lehmann Lopez Marino Mendes Moreau Mori Nagy"
    " Novak Okafor Olsen Ortega Park Patel Petrov Popescu Quispe Ramos Reyes Richter Rossi"
    " Sato Schmidt Silva Sousa Suzuki Torres Vargas Vidal Wagner Weber Wong Yilmaz Zhang"
    " Zimmer"
)

SUBJECTS = _listed(
    "sales support finance legal design research marketing logistics hiring security"
    " facilities press events training quality operations engineering purchasing travel"
    " library kitchen garden archive maintenance translation photography music sport"
)

ASPECTS = _listed(
    "planning help reports ideas incidents north south east west europe asia americas archive"
    " questions announcements budget tools standards"
)

EMOJI = ("+1", "tada", "heart", "check", "eyes", "smile", "coffee", "rocket")


def invented(count: int) -> list[str]:
    """Invented words, each once."""
    words = (
        "".join(parts)
        for length in itertools.count(3)
        for parts in itertools.product(SYLLABLES, repeat=length)
    )
    # Neighbours in the product look alike, so the list is read with a stride.
    stride = 7
    found = list(itertools.islice(words, 0, count * stride, stride))
    return list(dict.fromkeys(found))
