"""A made-up organization of any size, for those who plan one: `tertulia generate`.

`lexicon.py` has the words, `writing.py` makes messages of them, `society.py` says who is there and
who joins what, `places.py` where they talk, and `history.py` lets the years pass.
"""
