"""The demo: a small cooperative that reopens an old cinema.

`people.py` defines users and channels, `talk.txt` is the script of their messages, `script.py`
parses it, and `loader.py` writes it through ordinary actions with times in the past.
"""
